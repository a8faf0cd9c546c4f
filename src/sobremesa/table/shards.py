"""Shards: rows that are spread over several partitions, read as one list, the newest first.

    servers = Shards(table, SHARDS, directory, _place, _at)
    page, cursor = await servers.newest(limit=50, cursor=None)

Rows are in order of two texts, most often a moment and an id, which no two rows share; the cursor is the last row's.
"""

from __future__ import annotations

import asyncio
import heapq
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

from sobremesa.table.entities import Entity
from sobremesa.table.errors import BadCursor, BadKey
from sobremesa.table.keys import SEPARATOR, check_part
from sobremesa.table.patterns import Pattern
from sobremesa.table.table import Table

E = TypeVar("E", bound=Entity)

Place: TypeAlias = tuple[str, str]
"""Where a row stands in the order of all shards."""


class Shards(Generic[E]):
    """The rows that a pattern finds in all shards."""

    def __init__(
        self,
        table: Table,
        count: int,
        pattern: Pattern[E],
        place_of: Callable[[E], Place],
        row_at: Callable[..., E],
    ) -> None:
        self._table = table
        self._count = count
        self._pattern = pattern
        self._place_of = place_of
        self._row_at = row_at
        """A row at a place of a shard, only to point there: it need not exist."""

    async def newest(self, *, limit: int, cursor: str | None = None, **parts: Any) -> tuple[list[E], str | None]:
        """A page of all shards; `parts` are what the question takes beside the shard."""
        before = None if cursor is None else _opened(cursor)

        async def newest_of(shard: int) -> list[E]:
            question = self._pattern(shard=shard, **parts)
            start = None if before is None else question.place_of(self._row_at(*before, shard=shard, **parts))
            page = await self._table.query(question, limit=limit + 1, after=start, newest_first=True)
            return page.items

        shards = await asyncio.gather(*map(newest_of, range(self._count)))
        merged = heapq.merge(*shards, key=self._place_of, reverse=True)
        found = [row for row, _ in zip(merged, range(limit + 1), strict=False)]
        page = found[:limit]
        return page, _sealed(self._place_of(page[-1])) if len(found) > limit else None


def _sealed(place: Place) -> str:
    return urlsafe_b64encode(SEPARATOR.join(place).encode()).decode()


def _opened(cursor: str) -> Place:
    try:
        first, second = urlsafe_b64decode(cursor).decode("ascii").split(SEPARATOR)
        check_part("cursor", first)
        check_part("cursor", second)
    except (ValueError, BadKey):
        raise BadCursor("this is no cursor of this list") from None
    return first, second
