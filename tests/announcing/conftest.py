"""`app` is a whole Sobremesa in memory, at one moment; `ear` hears what is told of everything that is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from announcing.ear import Ear
from cheap import CHEAP
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
async def ear(app: Sobremesa, clock: SetClock) -> Ear:
    ear = Ear(app, clock)
    await ear.listen()
    return ear
