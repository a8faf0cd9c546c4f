"""A new store and the engine on it, for every test of this folder that needs nothing special of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from durability.chat import LAYOUT
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine

CLOSED_WITHIN_SECONDS = 20.0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


@pytest.fixture
async def engine(store: Path) -> AsyncIterator[EmbeddedEngine]:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False)
    yield engine
    await asyncio.wait_for(engine.close(), CLOSED_WITHIN_SECONDS)
