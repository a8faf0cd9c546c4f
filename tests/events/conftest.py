"""`app` is a Sobremesa in memory with a set clock; `recorder` collects the events of what is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cheap import CHEAP
from events.recorder import EventRecorder
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.core.settings import Settings


@pytest.fixture
def clock() -> SetClock:
    return SetClock(SystemClock().now_ms())


@pytest.fixture
def store() -> str:
    return "sqlite://"


@pytest.fixture
async def app(store: str, clock: SetClock, tmp_path: Path) -> AsyncIterator[Sobremesa]:
    settings = Settings(
        **CHEAP,
        rate_limits="off",
        files=(tmp_path / "files").as_uri(),
        records=f"sqlite:///{tmp_path / 'records.db'}",
    )
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


@pytest.fixture
async def recorder(app: Sobremesa, clock: SetClock) -> EventRecorder:
    recorder = EventRecorder(app, clock)
    await recorder.start()
    return recorder
