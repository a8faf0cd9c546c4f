"""Shards: rows in several partitions, read as one list, newest first.

    servers = Shards(table, SHARDS, directory, _position, _at)
    page, cursor = await servers.newest(limit=50, cursor=None)

Rows are ordered by two texts, usually a time and an id, which are unique together; sealed, they are the cursor.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

from sobremesa.table.entities import Entity
from sobremesa.table.patterns import Pattern
from sobremesa.table.table import Table

E = TypeVar("E", bound=Entity)

SortPosition: TypeAlias = tuple[str, str]
"""The position of a row in the order of all shards."""


class Shards(Generic[E]):
    """The rows of a pattern in all shards."""

    def __init__(
        self,
        table: Table,
        count: int,
        pattern: Pattern[E],
        position_of: Callable[[E], SortPosition],
        row_at: Callable[..., E],
    ) -> None:
        self._table = table
        self._count = count
        self._pattern = pattern
        self._place_of = position_of
        self._row_at = row_at
        """Returns a row at a position of a shard, as a start key: it need not exist."""

    async def newest(self, *, limit: int, cursor: str | None = None, **parts: Any) -> tuple[list[E], str | None]:
        """Return a page of all shards; `parts` are the parts of the question other than the shard."""
        # A cursor is bound to one of the questions, since all have the same parts except for the shard.
        asked = b"shards" + self._pattern(shard=0, **parts).fingerprint(backward=True)
        before = None if cursor is None else self._table.cursors.open(cursor, asked, 2)

        async def newest_of(shard: int) -> list[E]:
            question = self._pattern(shard=shard, **parts)
            start = None if before is None else question.position_of(self._row_at(*before, shard=shard, **parts))
            page = await self._table.query(question, limit=limit + 1, after=start, newest_first=True)
            return page.items

        shards = await asyncio.gather(*map(newest_of, range(self._count)))
        merged = heapq.merge(*shards, key=self._place_of, reverse=True)
        found = [row for row, _ in zip(merged, range(limit + 1), strict=False)]
        page = found[:limit]
        return page, self._table.cursors.seal(self._place_of(page[-1]), asked) if len(found) > limit else None
