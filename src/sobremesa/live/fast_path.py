"""The fast path publishes new messages that this process has written, before the change stream reports them.

Only new messages take it: they are what users wait for, and everything the event needs is in the row itself. The
change stream repeats them with the same id, which guarantees delivery; this only makes it fast.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from sobremesa.live.events import Publication
from sobremesa.live.translation import Translation
from sobremesa.table import Entity, Operation, RawKey

MAX_WAITING = 10_000
"""What exceeds this is left to the change stream."""


class FastPath:
    """Collects created rows in the order in which this process committed them."""

    def __init__(self, translation: Translation) -> None:
        self._translation = translation
        self._spelling = translation.spelling
        self._rows: deque[Entity] = deque()
        self._arrival: asyncio.Future[None] | None = None

    def add(self, operations: Sequence[Operation]) -> None:
        """Add the new rows of a write."""
        rows = self._translation.fast_rows(operations)
        if rows and len(self._rows) < MAX_WAITING:
            self._rows.extend(rows)
            if self._arrival is not None and not self._arrival.done():
                self._arrival.set_result(None)

    def arrival(self) -> asyncio.Future[None]:
        """Return a future that is done as soon as there are rows."""
        if self._arrival is None or self._arrival.done():
            self._arrival = asyncio.get_running_loop().create_future()
            if self._rows:
                self._arrival.set_result(None)
        return self._arrival

    def __bool__(self) -> bool:
        return bool(self._rows)

    async def take(self) -> list[tuple[RawKey, Publication]]:
        """Return the publications of all collected rows, each with the key of its row."""
        rows, self._rows = self._rows, deque()
        found = [(row, await self._translation.publication_of_new_row(row)) for row in rows]
        return [(row.own_key().stored(self._spelling), each) for row, each in found if each is not None]
