"""Counting the uses of invites whose redemptions do not change the invite's row.

Such a row would be the one that all who join at the same time need. The first use is counted at once, those of the
next moment together. The count informs only: a process that dies may not have counted its last uses.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from sobremesa.domains.invites.rules import has_null_uses
from sobremesa.table import Key, RawKey, Table, Update, WritePattern, add, has_kind, present, set_to
from sobremesa.table.errors import ConditionFailed, Conflict, TableError, Throttled

PAUSE_SECONDS = 0.2
ATTEMPTS = 50
"""How often a count is tried that the table cannot take at the moment."""


class UseCounts:
    """Counts uses by this process."""

    def __init__(self, table: Table, pattern: WritePattern) -> None:
        self._table = table
        self._pattern = pattern
        self._waiting: dict[RawKey, int] = {}
        """The uses that the next write counts, of invites that were counted a moment ago."""
        self._counting: set[asyncio.Task[None]] = set()

    async def add(self, key: Key[Any]) -> None:
        """Count one use, now or within a moment."""
        if key.raw in self._waiting:
            self._waiting[key.raw] += 1
            return
        self._waiting[key.raw] = 0
        try:
            await self._count(key, 1)
        finally:
            task = asyncio.create_task(self._count_later(key))
            self._counting.add(task)
            task.add_done_callback(self._counting.discard)

    async def _count_later(self, key: Key[Any]) -> None:
        """Count what waits, until nothing does."""
        failed = 0
        try:
            while True:
                await asyncio.sleep(PAUSE_SECONDS)
                uses = self._waiting[key.raw]
                if not uses or failed >= ATTEMPTS:
                    return
                self._waiting[key.raw] = 0
                if await self._count(key, uses):
                    failed = 0
                else:
                    failed += 1
        finally:
            del self._waiting[key.raw]

    async def _count(self, key: Key[Any], uses: int) -> bool:
        """Add to the count; without success if the table is too busy, and they wait again."""
        try:
            await self._write(key, uses)
        except (Conflict, Throttled):
            self._waiting[key.raw] += uses
            return False
        except TableError:
            pass  # it was revoked, or the store fails: the users have joined
        return True

    async def _write(self, key: Key[Any], uses: int) -> None:
        is_null = has_kind("uses", "NULL")
        try:
            await self._table.write(Update(key, add(uses=uses), when=present() & ~is_null), pattern=self._pattern)
        except ConditionFailed as failed:
            [failure] = failed.failures
            if failure.item is None or not has_null_uses(failure.item):
                raise
            with contextlib.suppress(ConditionFailed):  # another node counts from zero at the same moment
                await self._table.write(Update(key, set_to(uses=uses), when=is_null), pattern=self._pattern)
