"""The trail: marks in the table that say where in the change stream a run of the server was, and when.

A server that starts goes on from the last mark, so that the marks of all runs are one chain. Whoever comes back with a
place of a former run, or of one that is not in memory any more, is told everything since the nearest mark before it.
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
    """The marks of one run, and those of the runs before it."""

    def __init__(self, table: Table, clock: Clock, run: str) -> None:
        self._table = table
        self._clock = clock
        self._run = run
        self._own: deque[TrailMark] = deque(maxlen=MAX_OWN_MARKS)
        self._hours: Cache[int, list[TrailMark]] = Cache(CACHED_MARKS)
        self._reading = asyncio.Lock()

    async def newest(self) -> TrailMark | None:
        """The last mark of any run."""
        this_hour = self._clock.now_ms() // HOUR_MS
        for hour in range(this_hour + 1, this_hour - KEPT_HOURS, -1):
            page = await self._table.query(marks_in(hour=hour), limit=1, newest_first=True)
            if page.items:
                return page.items[0]
        return None

    def mark(self, number: int, position: Position, *, begins: bool = False) -> TrailMark:
        """A mark of this run, here and now."""
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
        """Keep a mark of this run."""
        self._own.append(mark)
        await self._table.write(Put(mark), pattern=leave_mark)

    def own_after(self, number: int) -> TrailMark | None:
        """The first mark of this run at or after a number."""
        return next((mark for mark in self._own if mark.number >= number), None)

    async def since(self, run: str, number: int, at_ms: int) -> list[TrailMark]:
        """The chain from the nearest mark at or before a place on; Trimmed if it is broken or forgotten."""
        if run == self._run:
            place = _last_before(self._own, number)
            if place is None:
                raise Trimmed("the run has forgotten this place")
            return [self._own[each] for each in range(place, len(self._own))]
        chain = [*await self._former(run, number, at_ms), *self._own]
        if any(mark.begins for mark in chain[1:]):
            raise Trimmed("it is not known what came after this place")
        return chain

    async def _former(self, run: str, number: int, at_ms: int) -> list[TrailMark]:
        """The marks of former runs from a place on."""
        first_own = self._own[0]
        asked = min(at_ms // HOUR_MS, first_own.hour) + 1
        for hour in range(asked, first_own.hour - KEPT_HOURS, -1):
            marks = await self._hour(hour)
            place = next(
                (at for at in reversed(range(len(marks))) if marks[at].run == run and marks[at].number <= number), None
            )
            if place is not None:
                later = [await self._hour(each) for each in range(hour + 1, first_own.hour + 1)]
                return [*marks[place:], *(mark for some in later for mark in some)]
        raise Trimmed("the run of this place is forgotten")

    async def _hour(self, hour: int) -> list[TrailMark]:
        """What former runs wrote in an hour. One that still writes does no harm: more is told twice."""
        found = self._hours.find(hour)
        if found is None:
            async with self._reading:
                found = self._hours.find(hour)
                if found is None:
                    found = [mark async for mark in self._table.every(marks_in(hour=hour)) if mark.run != self._run]
                    self._hours.keep(hour, found, weight=len(found) + 1)
        return found


def stretches(chain: Sequence[TrailMark]) -> Iterator[tuple[TrailMark, TrailMark]]:
    """A chain in longer pieces, cut at the same marks wherever it begins."""
    if not chain:
        return
    start = chain[0]
    for before, mark in pairwise(chain):
        if mark is chain[-1] or mark.run != before.run or mark.number // STRETCH != before.number // STRETCH:
            yield start, mark
            start = mark


def _last_before(marks: Sequence[TrailMark], number: int) -> int | None:
    """Where the last mark is that is not after a number."""
    return next((at for at in reversed(range(len(marks))) if marks[at].number <= number), None)
