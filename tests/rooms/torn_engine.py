"""An engine whose transactions are seen in part for a while, as DynamoDB allows: the head before the messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import ItemWrite, QueryRequest, RawKey, RawPage, Written
from sobremesa.table.opening import open_engine
from sobremesa.table.values import Item


class TornEngine(FaultyEngine):
    """The embedded engine as one of many nodes."""

    def __init__(self, engine: Any) -> None:
        super().__init__(engine, Rates())
        self._before: dict[RawKey, Item | None] = {}
        self._size = 0
        self._completed = asyncio.Event()
        self.torn = asyncio.Event()
        """Set when a transaction is seen in part."""

    def tear(self, messages: int) -> None:
        """Show transactions with so many messages only in part, until `complete`, which also answers them.

        What is missing is the first of their messages.
        """
        self._size = messages
        self._completed.clear()
        self.torn.clear()

    def complete(self) -> None:
        self._size = 0
        self._before.clear()
        self._completed.set()

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        keys = [each.key for each in operations if each.key.sk.startswith("MSG#")]
        if not keys or len(keys) != self._size:
            return await super().transact(operations, token)
        before = await self.get(keys[0], consistent=True, fields=None)
        written = await super().transact(operations, token)
        self._before[keys[0]] = before.item
        self.torn.set()
        await self._completed.wait()
        return written

    async def query(self, request: QueryRequest) -> RawPage:
        page = await super().query(request)
        keys = [RawKey(item.get("pk", ""), item.get("sk", "")) for item in page.items]
        shown = [self._before.get(key, item) for key, item in zip(keys, page.items, strict=True)]
        return msgspec.structs.replace(page, items=[item for item in shown if item is not None])


@asynccontextmanager
async def open_torn(monkeypatch: pytest.MonkeyPatch, clock: Ahead) -> AsyncIterator[tuple[Sobremesa, TornEngine]]:
    """Open an application on such an engine."""

    async def open_it(*arguments: Any, **options: Any) -> TornEngine:
        return TornEngine(await open_engine(*arguments, **options))

    with monkeypatch.context() as patch:
        patch.setattr("sobremesa.app.store.open_engine", open_it)
        opening = Sobremesa.open(
            "sqlite://", settings=Settings(**CHEAP, rate_limits="off"), clock=clock, background=False
        )
        app = await opening.__aenter__()
    try:
        assert isinstance(app.table.engine, TornEngine)
        yield app, app.table.engine
    finally:
        await opening.__aexit__(None, None, None)
