"""Prefetched reads: what several readers are about to ask is read once, in few requests, and then served from memory.

    with prefetching(table) as prefetch:
        listed = await prefetch.every(servers_of(user_id=user_id))
        await prefetch.get_many([server_by_id(server_id=row.server_id) for row in listed])
        ...  # these questions and keys cost no more requests, in this task and in those that it starts

Rows of many partitions are one request on DynamoDB, but the code that needs them may be in several domains, each of
which asks by itself. Their caller knows what they will ask. What was prefetched is as old as the prefetch, so the block
should be short; a write inside forgets all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sobremesa.table.capacity import NOTHING
from sobremesa.table.engines.protocol import RawPage
from sobremesa.table.entities import Entity, Key
from sobremesa.table.patterns import Question
from sobremesa.table.prefetched import Prefetched, open_prefetched
from sobremesa.table.reads import TableReads

E = TypeVar("E", bound=Entity)


class Prefetch:
    """Reads ahead."""

    def __init__(self, table: TableReads, prefetched: Prefetched) -> None:
        self._table = table
        self._prefetched = prefetched

    async def every(self, question: Question[E]) -> list[E]:
        """Return all rows of a question, and keep the answer."""
        with self._recording():
            return [row async for row in self._table.every(question)]

    async def get_many(self, keys: Sequence[Key[Any]]) -> list[Any]:
        """Return the rows of these keys, read consistently, and keep them."""
        with self._recording():
            return await self._table.get_many(list(dict.fromkeys(keys)), consistent=True)

    def answer(self, question: Question[Any], keys: Sequence[Key[Any]]) -> None:
        """Keep the rows of these keys, which were prefetched, as the answer to a question: it has no others."""
        known = self._prefetched.known([self._table.stored(key) for key in keys])
        items = [known[key] for key in sorted(known, key=lambda key: key.sk)]
        found = [item for item in items if item is not None]
        page = RawPage(found, len(found), len(found), None, NOTHING)
        self._prefetched.keep_page(self._table.whole(question), page)

    @contextmanager
    def _recording(self) -> Iterator[None]:
        inner = open_prefetched.set(self._prefetched.recording())
        try:
            yield
        finally:
            open_prefetched.reset(inner)


@contextmanager
def prefetching(table: TableReads) -> Iterator[Prefetch]:
    """Serve the reads of this task, and of those that it starts, from what is prefetched inside the block."""
    prefetched = Prefetched()
    outer = open_prefetched.set(prefetched)
    try:
        yield Prefetch(table, prefetched)
    finally:
        open_prefetched.reset(outer)
