"""An engine without group commit, which can hold the transactions that write messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cheap import CHEAP
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import ItemWrite, PutItem, Written
from sobremesa.table.errors import ConditionFailed, Conflict
from sobremesa.table.opening import open_engine


class HeldEngine(FaultyEngine):
    """The embedded engine as one whose callers have to avoid conflicts. It counts what it writes."""

    def __init__(self, engine: Any) -> None:
        super().__init__(engine, Rates())
        self.batches: list[int] = []
        """How many messages each transaction had that was done."""
        self.refused: list[int] = []
        """How many messages each transaction had that was refused."""
        self.broken_size: int | None = None
        """Transactions with so many messages fail as if the engine had a bug."""
        self.conflicts = 0
        """How many transactions conflict with one of another node, from now on."""
        self._gate = asyncio.Event()
        self._gate.set()
        self.arrived = asyncio.Event()

    def hold(self) -> None:
        """Hold transactions with messages from now on."""
        self._gate.clear()
        self.arrived.clear()

    def release(self) -> None:
        self._gate.set()

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        messages = sum(isinstance(each, PutItem) and each.item["sk"].startswith("MSG#") for each in operations)
        if messages:
            self.arrived.set()
            await self._gate.wait()
        if messages and self.conflicts:
            self.conflicts -= 1
            raise Conflict("another node writes to the room")
        if messages and messages == self.broken_size:
            raise ZeroDivisionError
        try:
            written = await super().transact(operations, token)
        except ConditionFailed:
            self.refused.append(messages)
            raise
        self.batches.append(messages)
        return written


@asynccontextmanager
async def open_held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Sobremesa, HeldEngine]]:
    """Open an application on such an engine."""

    async def open_it(*arguments: Any, **options: Any) -> HeldEngine:
        return HeldEngine(await open_engine(*arguments, **options))

    with monkeypatch.context() as patch:
        patch.setattr("sobremesa.app.store.open_engine", open_it)
        opening = Sobremesa.open("sqlite://", settings=settings(), background=False)
        app = await opening.__aenter__()
    try:
        assert isinstance(app.table.engine, HeldEngine)
        yield app, app.table.engine
    finally:
        await opening.__aexit__(None, None, None)


def settings() -> Settings:
    return Settings(**CHEAP, rate_limits="off", mail="console")
