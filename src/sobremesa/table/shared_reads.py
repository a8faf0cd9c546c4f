"""Results of reads that many readers share: one of them reads, at most once a second.

    pages = SharedReads(table, Message, limit=100)
    page = await pages.get_or_load(partition, "page", lambda: self._read_page(partition))

For what is the same for everyone and read by millions. A result is of one partition. When this process writes one of
the entities there, it ends; a write of another process is seen within a second, or at once if the engine knows the
version of its partitions. All who ask while it is loaded wait for the same load.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from sobremesa.table.cache import Cache
from sobremesa.table.entities import Entity
from sobremesa.table.ledger import Ledger, current_ledger, new_ledger
from sobremesa.table.operations import Check, Operation, Put
from sobremesa.table.table import Table

SHARED_MS = 1000
MARKS = 10_000

V = TypeVar("V")


class _Shared(Generic[V]):
    """A result, or its load, and when that began."""

    __slots__ = ("load", "since_ms", "version")

    def __init__(self, load: asyncio.Future[tuple[V, Ledger]], since_ms: int, version: object | None) -> None:
        self.load = load
        self.since_ms = since_ms
        self.version = version

    def is_current(self, now_ms: int, version: object | None) -> bool:
        if version is None:
            return self.version is None and 0 <= now_ms - self.since_ms < SHARED_MS
        return self.version is version


class SharedReads:
    """Shared results of reads of single partitions."""

    def __init__(self, table: Table, *entities: type[Entity], limit: int) -> None:
        self._table = table
        self._entities = frozenset(entities)
        self._partitions: Cache[str, dict[Hashable, _Shared[Any]]] = Cache(limit)
        self._marks: Cache[tuple[str, str], bool] = Cache(MARKS)
        table.watch(self._note, *entities)

    async def get_or_load(self, pk: str, what: Hashable, load: Callable[[], Awaitable[V]]) -> V:
        """Return a result of a partition that is at most a second old, or load it."""
        now_ms = self._table.engine.clock.now_ms()
        version = self._table.engine.version_of(pk)
        results = self._partitions.find(pk)
        if results is None:
            results = {}
            self._partitions.keep(pk, results)
        known = results.get(what)
        if known is None or not known.is_current(now_ms, version):
            known = _Shared(asyncio.ensure_future(_noted(load)), now_ms, version)
            results[what] = known
        try:
            # A reader that is cancelled leaves the load to the others.
            value: V
            value, ledger = await asyncio.shield(known.load)
        except BaseException:
            if known.load.done() and results.get(what) is known:
                del results[what]
            raise
        outer = current_ledger()
        if outer is not None:
            outer.depend_on(ledger)
        return value

    def forget(self, pk: str) -> None:
        """End the results of a partition, also those that are being loaded for others."""
        results = self._partitions.find(pk)
        if results is not None:
            results.clear()

    def forget_once(self, pk: str, mark: str) -> None:
        """End what was read before the first event about this change of the partition."""
        if self._marks.find((pk, mark)) is None:
            self._marks.keep((pk, mark), True)
            self.forget(pk)

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        for operation in operations:
            if isinstance(operation, Put):
                if type(operation.entity) in self._entities:
                    self.forget(operation.entity.own_key().raw.pk)
            elif operation.key.entity in self._entities and not isinstance(operation, Check):
                self.forget(operation.key.raw.pk)


async def _noted(load: Callable[[], Awaitable[V]]) -> tuple[V, Ledger]:
    """Return a result, and what it depends on: a cached result that contains it depends on that, too."""
    with new_ledger(is_own=True) as ledger:
        return await load(), ledger
