"""A cache of results of reads, valid until a row that was read changes.

    seats = ReadCache(table, limit=10_000)
    seat = await seats.get_or_load((user_id, room_id), lambda: self._read_seat(user_id, room_id))

The cache records which partitions a result depends on while it is loaded, so callers neither declare nor invalidate
anything. It requires an engine that knows the version of its partitions; on others every result is loaded again. A
cached result is metered as if it had been read, so that costs are the same on every engine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

from sobremesa.table.cache import Cache
from sobremesa.table.ledger import Ledger, current_ledger, new_ledger
from sobremesa.table.table import Table

K = TypeVar("K")
V = TypeVar("V")


class _Result(NamedTuple, Generic[V]):
    value: V
    ledger: Ledger


class ReadCache(Generic[K, V]):
    """Cached results of one kind of read."""

    def __init__(self, table: Table, limit: int) -> None:
        self._table = table
        self._results: Cache[K, _Result[V]] = Cache(limit)

    async def get_or_load(self, key: K, load: Callable[[], Awaitable[V]]) -> V:
        """Return the cached result of a key, or load it."""
        known = self._results.find(key)
        if known is not None and self._table.is_current(known.ledger):
            self._table.record_again(known.ledger)
            outer = current_ledger()
            if outer is not None:
                outer.merge(known.ledger)
            return known.value
        with new_ledger() as ledger:
            value = await load()
        if ledger.is_complete:
            self._results.keep(key, _Result(value, ledger))
        return value
