"""ReadCache: what was made of some reads, for as long as nothing that was read has changed.

    seats = ReadCache(table, limit=10_000)
    seat = await seats.get_or_load((user_id, room_id), lambda: self._read_seat(user_id, room_id))

Which partitions a result depends on is noted while it is made; nobody has to say, and nobody has to tell when they
change. It needs an engine that knows the state of its partitions; on others every result is made anew. A remembered
result is counted as if it had been read, so that costs are the same everywhere.
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
    """Results of reads of one kind."""

    def __init__(self, table: Table, limit: int) -> None:
        self._table = table
        self._results: Cache[K, _Result[V]] = Cache(limit)

    async def get_or_load(self, key: K, load: Callable[[], Awaitable[V]]) -> V:
        """What `read` gives, or gave before if that would be the same."""
        known = self._results.find(key)
        if known is not None and self._table.is_as_it_was(known.ledger):
            self._table.count_again(known.ledger)
            outer = current_ledger()
            if outer is not None:
                outer.take_in(known.ledger)
            return known.value
        with new_ledger() as ledger:
            value = await load()
        if ledger.is_complete:
            self._results.keep(key, _Result(value, ledger))
        return value
