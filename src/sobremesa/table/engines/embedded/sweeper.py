"""What is deleted by the clock: expired items, old changes and tokens; and what the file gives back to the disk.

All of it goes through the writer, in steps of some milliseconds with pauses, so that other writes hardly wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import apsw

from sobremesa.table.clock import Clock
from sobremesa.table.conditions import between
from sobremesa.table.engines.embedded.changelog import ChangeLog
from sobremesa.table.engines.embedded.file import store_error
from sobremesa.table.engines.embedded.writer import Job, Writer
from sobremesa.table.engines.protocol import DeleteItem, RawKey
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.layout import Layout

EXPIRED_AT_ONCE = 250
TTL_HORIZON_SECONDS = 5 * 365 * 24 * 3600
"""As in DynamoDB, an expiry more than five years ago counts as a mistake, and the row is kept."""
PAUSE_SECONDS = 0.05
"""Between two steps: other writes have most of the time."""
VACUUM_SECONDS = 0.001
VACUUMED_PAGES = 16
MOST_FREE = 8
"""One page in so many may be free: the log reuses those that it frees, unless it was once much larger than today."""
FREE_PAGES = 1024
"""So many pages may be free in any case: 8 MB."""


class Sweeper:
    """Deletes what is too old, as writes of this store."""

    def __init__(
        self,
        connection: apsw.Connection,
        layout: Layout,
        writer: Writer,
        log: ChangeLog,
        clock: Clock,
        stopwatch: Callable[[], float],
    ) -> None:
        self._connection = connection
        self._ttl = layout.ttl
        self._writer = writer
        self._log = log
        self._clock = clock
        self._stopwatch = stopwatch

    async def sweep(self) -> int:
        """Do all that is due; return how many items were deleted."""
        now_ms = self._clock.now_ms()
        deleted = await self._delete_expired(now_ms // 1000)
        await self._in_steps(partial(self._trim, now_ms))
        await self._in_steps(self._vacuum)
        return deleted

    async def _delete_expired(self, until: int) -> int:
        """Delete expired items, by ordinary conditional writes that are marked in the change log."""
        deleted = 0
        while keys := self._expired_keys(until - TTL_HORIZON_SECONDS, until):
            outcomes = await asyncio.gather(*(self._expire(key, until) for key in keys))
            deleted += sum(outcomes)
            if not any(outcomes):
                break
        return deleted

    async def _expire(self, key: RawKey, until: int) -> bool:
        """Delete an item unless its expiry was extended meanwhile."""
        expired = between(self._ttl, until - TTL_HORIZON_SECONDS, until)
        job = Job((DeleteItem(key, expired),), (None,), as_transaction=False, expired=True)
        try:
            await self._writer.submit(job)
        except ConditionFailed:
            return False
        return True

    def _expired_keys(self, since: int, until: int) -> list[RawKey]:
        sql = "SELECT pk, sk FROM items WHERE ttl BETWEEN ? AND ? LIMIT ?"
        try:
            found: list[Any] = self._connection.execute(sql, (since, until, EXPIRED_AT_ONCE)).fetchall()
        except apsw.Error as error:
            raise store_error(error) from error
        return [RawKey(*key) for key in found]

    async def _in_steps(self, step: Callable[[], bool]) -> None:
        """Run a step as a write, again and again while it returns that there is more to do."""
        more = True

        def work() -> None:
            nonlocal more
            more = step()

        while True:
            await self._writer.submit(Job((), (), as_transaction=False, work=work))
            if not more:
                return
            await asyncio.sleep(PAUSE_SECONDS)

    def _trim(self, now_ms: int) -> bool:
        """Delete some old changes and all old tokens; return whether more may be due."""
        self._connection.execute("DELETE FROM tokens WHERE until_ms <= ?", (now_ms,))
        return self._log.trim(now_ms, self._stopwatch)

    def _vacuum(self) -> bool:
        """Move some pages from the end of the file to free ones, and cut it; return whether there are more to move.

        Files of format 1 were created without what this needs, and reuse their free pages only.
        """
        until = self._stopwatch() + VACUUM_SECONDS
        while self._spare_pages() > 0:
            before = self._connection.pragma("freelist_count")
            self._connection.execute(f"PRAGMA incremental_vacuum({VACUUMED_PAGES})").fetchall()
            if self._connection.pragma("freelist_count") == before:
                return False
            if self._stopwatch() > until:
                return True
        return False

    def _spare_pages(self) -> int:
        pragma = self._connection.pragma
        free, pages = int(pragma("freelist_count")), int(pragma("page_count"))
        return free - max(pages // MOST_FREE, FREE_PAGES)
