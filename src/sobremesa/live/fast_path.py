"""The fast path publishes new messages that this process has written, before the change stream reports them.

Only new messages take it: they are what users wait for, and everything the event needs is in the row itself. The
change stream repeats them with the same id, which guarantees delivery; this only makes it fast.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sobremesa.live.events import Publication
from sobremesa.live.translation import Translation
from sobremesa.table import Entity, Operation, RawKey
from sobremesa.table.errors import TableError

MAX_WAITING = 10_000
"""What exceeds this is left to the change stream."""
RETRY_SECONDS: Final = 0.2
PATIENCE_SECONDS: Final = 30.0
"""How long the rows of a partition wait while the table fails; then they are left to the change stream."""


class _Row(NamedTuple):
    row: Entity
    written_at: float
    """In the time of the event loop."""


class FastPath:
    """Collects created rows in the order in which this process committed them.

    What a row publishes may have to be read. If that fails, the later rows of its partition, which is its room, wait
    with it: left to the change stream, a message would come after those that were sent later.
    """

    def __init__(self, translation: Translation, on_retry: Callable[[], None] | None = None) -> None:
        """`on_retry` is called when rows that failed are to be taken again."""
        self._translation = translation
        self._spelling = translation.spelling
        self._on_retry = on_retry
        self._rows: deque[_Row] = deque()
        self._failed: dict[str, list[_Row]] = {}
        """The rows that wait, by partition."""
        self._is_retry_due = False
        self._arrival: asyncio.Future[None] | None = None

    def add(self, operations: Sequence[Operation]) -> None:
        """Add the new rows of a write."""
        rows = self._translation.fast_rows(operations)
        if rows and len(self._rows) < MAX_WAITING:
            now = asyncio.get_running_loop().time()
            self._rows.extend(_Row(row, now) for row in rows)
            self._arrive()

    def arrival(self) -> asyncio.Future[None]:
        """Return a future that is done as soon as there are rows."""
        if self._arrival is None or self._arrival.done():
            self._arrival = asyncio.get_running_loop().create_future()
            if self:
                self._arrival.set_result(None)
        return self._arrival

    def __bool__(self) -> bool:
        return bool(self._rows) or self._is_retry_due

    def clear(self) -> None:
        """Leave everything to the change stream."""
        self._rows.clear()
        self._failed.clear()

    async def take(self) -> list[tuple[RawKey, Publication]]:
        """Return the publications of the collected rows, each with the key of its row."""
        rows, self._rows = self._rows, deque()
        if self._is_retry_due:
            failed, self._failed, self._is_retry_due = self._failed, {}, False
            rows.extendleft(reversed([each for some in failed.values() for each in some]))
        found: list[tuple[RawKey, Publication]] = []
        for each in rows:
            key = each.row.own_key().stored(self._spelling)
            if key.pk in self._failed:
                self._failed[key.pk].append(each)
                continue
            try:
                publication = await self._translation.publication_of_new_row(each.row)
            except TableError:
                self._keep(key.pk, each)
                continue
            if publication is not None:
                found.append((key, publication))
        return found

    # Inside

    def _keep(self, partition: str, row: _Row) -> None:
        """Keep a row that failed, unless it has waited for too long."""
        loop = asyncio.get_running_loop()
        if loop.time() - row.written_at > PATIENCE_SECONDS:
            return
        if not self._failed:
            loop.call_later(RETRY_SECONDS, self._retry)
        self._failed[partition] = [row]

    def _retry(self) -> None:
        self._is_retry_due = True
        self._arrive()
        if self._on_retry is not None:
            self._on_retry()

    def _arrive(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)
