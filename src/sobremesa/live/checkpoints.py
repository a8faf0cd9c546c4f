"""Checkpoints: rows with the position of a run of the server in the change stream, and the time.

A server continues from the last checkpoint, so that those of all runs are one chain. A client that resumes from a
former run, or from before what is in memory, receives everything since the nearest checkpoint before its cursor.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sobremesa.core.clock import Clock
from sobremesa.live.entities import HOUR_MS, TrailMark, leave_mark, marks_in
from sobremesa.live.feed import Trimmed
from sobremesa.table import Position, Put, Table
from sobremesa.table.cache import Cache

KEPT_HOURS = 25
MAX_OWN_MARKS = 20_000
CACHED_MARKS = 20_000
STRETCH = 1000
"""About how many events are read again in one piece."""


class Checkpoints:
    """The checkpoints of this run, and of the runs before it."""

    def __init__(self, table: Table, clock: Clock, run: str) -> None:
        self._table = table
        self._clock = clock
        self._run = run
        self._own: deque[TrailMark] = deque(maxlen=MAX_OWN_MARKS)
        self._hours: Cache[int, list[TrailMark]] = Cache(CACHED_MARKS)
        self._reading = asyncio.Lock()

    async def newest(self) -> TrailMark | None:
        """Return the last checkpoint of any run."""
        this_hour = self._clock.now_ms() // HOUR_MS
        for hour in range(this_hour + 1, this_hour - KEPT_HOURS, -1):
            page = await self._table.query(marks_in(hour=hour), limit=1, newest_first=True)
            if page.items:
                return page.items[0]
        return None

    def mark(self, number: int, position: Position, *, begins: bool = False) -> TrailMark:
        """Return a checkpoint of this run, here and now."""
        now_ms = self._clock.now_ms()
        return TrailMark(
            hour=now_ms // HOUR_MS,
            at_ms=now_ms,
            run=self._run,
            number=number,
            position=position,
            begins=begins,
            ttl=now_ms // 1000 + KEPT_HOURS * 3600,
        )

    async def save(self, mark: TrailMark) -> None:
        """Save a checkpoint of this run."""
        self._own.append(mark)
        await self._table.write(Put(mark), pattern=leave_mark)

    def own_after(self, number: int) -> TrailMark | None:
        """Return the first checkpoint of this run at or after a number."""
        return next((mark for mark in self._own if mark.number >= number), None)

    async def since(self, run: str, number: int, at_ms: int) -> list[TrailMark]:
        """Return the chain from the nearest checkpoint at or before a position; raises Trimmed if it is broken."""
        if run == self._run:
            index = _last_before(self._own, number)
            if index is None:
                raise Trimmed("this position is no longer known")
            return [self._own[each] for each in range(index, len(self._own))]
        chain = [*await self._former(run, number, at_ms), *self._own]
        if any(mark.begins for mark in chain[1:]):
            raise Trimmed("what came after this position is unknown")
        return chain

    async def _former(self, run: str, number: int, at_ms: int) -> list[TrailMark]:
        """Return the checkpoints of former runs from a position on."""
        first_own = self._own[0]
        asked = min(at_ms // HOUR_MS, first_own.hour) + 1
        for hour in range(asked, first_own.hour - KEPT_HOURS, -1):
            marks = await self._hour(hour)
            index = next(
                (at for at in reversed(range(len(marks))) if marks[at].run == run and marks[at].number <= number), None
            )
            if index is not None:
                later = [await self._hour(each) for each in range(hour + 1, first_own.hour + 1)]
                return [*marks[index:], *(mark for some in later for mark in some)]
        raise Trimmed("the run of this position is no longer known")

    async def _hour(self, hour: int) -> list[TrailMark]:
        """Return what former runs saved in an hour. One that still writes does no harm: more is repeated."""
        found = self._hours.find(hour)
        if found is None:
            async with self._reading:
                found = self._hours.find(hour)
                if found is None:
                    found = [mark async for mark in self._table.every(marks_in(hour=hour)) if mark.run != self._run]
                    self._hours.keep(hour, found, weight=len(found) + 1)
        return found


def stretches(chain: Sequence[TrailMark]) -> Iterator[tuple[TrailMark, TrailMark]]:
    """Split a chain into longer pieces, at the same checkpoints wherever it starts."""
    if not chain:
        return
    start = chain[0]
    for before, mark in pairwise(chain):
        if mark is chain[-1] or mark.run != before.run or mark.number // STRETCH != before.number // STRETCH:
            yield start, mark
            start = mark


def _last_before(marks: Sequence[TrailMark], number: int) -> int | None:
    """Return the index of the last checkpoint that is not after a number."""
    return next((at for at in reversed(range(len(marks))) if marks[at].number <= number), None)
