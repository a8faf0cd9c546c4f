"""The feed of a table whose changes come in several lines: DynamoDB's, told by one process.

Events are numbered as this process tells them, and a place is a number in a run of the process. Where the run was in
the change stream is written down every few seconds (`trail`), so that a place can be found again, also by the next run:
from the nearest mark before it everything is told again, a little of it twice, which clients see by the ids. What this
process writes itself it tells at once (`just_said`), and the stream tells it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, NamedTuple

import structlog

from sobremesa.core.clock import Clock
from sobremesa.live.entities import TrailMark
from sobremesa.live.events import Announcement
from sobremesa.live.feed import BadPlace, Cursor, Entry, Heard, Order, Page, Trimmed
from sobremesa.live.just_said import JustSaid
from sobremesa.live.places import Places
from sobremesa.live.trail import Trail, stretches
from sobremesa.live.translation import Translation
from sobremesa.table import NEWEST, ChangeBatch, ChangeReader, Operation, Position, RawKey, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadCursor, PositionTrimmed, TableError

WAIT_SECONDS = 5.0
MARK_SECONDS = 5.0
QUIET_MARK_SECONDS = 60.0
"""How often a mark is left where nothing was told."""
REACH_SECONDS = 15.0
"""How long it may take until a stretch of the stream can be read to its end."""
CATCH_UP_SECONDS = 10.0
LINGER_SECONDS = 60.0
REMEMBERED_ENTRIES = 50_000
MAX_UNCONFIRMED = 10_000
LAG_MS = 60_000
"""How much later than it happened something may be told; what is missed is looked for from so much earlier on."""

FORMER: Final = 0
OWN: Final = 1

_log = structlog.get_logger("sobremesa.live")


class _Place(NamedTuple):
    """A place as its parts: after so many events of a run, and of a stretch told again after so many of it."""

    run: str
    number: int
    stretch: int
    told: int
    at_ms: int


class _Stretch(NamedTuple):
    """A part of the stream that was read again, under a number by which its entries are known."""

    tag: int
    entries: Sequence[Entry]


class StreamFeed:
    """Announces what the change stream tells, and at once what this process has said."""

    repeats = True

    def __init__(
        self, table: Table, clock: Clock, translation: Translation, places: Places, *, fast: bool = True
    ) -> None:
        self._table = table
        self._places = places
        self._clock = clock
        self._translation = translation
        self._fast = fast
        self._said = JustSaid(translation)
        self._run = f"{secrets.randbits(48) | 1 << 48:x}"
        self._trail = Trail(table, clock, self._run)
        self._reader: ChangeReader | None = None
        self._reading: asyncio.Task[ChangeBatch] | None = None
        self._unconfirmed: dict[RawKey, Entry] = {}
        """What was told at once, and not by the stream yet."""
        self._heard_at = -math.inf
        self._untold: ChangeBatch | None = None
        """What was read and is not told yet: if that fails, it is tried again."""
        self._number = 0
        self._position = Position("")
        self._marked = (0, 0.0)
        """The number and the time of the last mark."""
        self._marking: asyncio.Task[None] | None = None
        self._stretches: Cache[tuple[str, int, str, int], _Stretch] = Cache(REMEMBERED_ENTRIES)
        self._under_way: dict[tuple[str, int, str, int], asyncio.Task[_Stretch]] = {}

    async def open(self) -> Order:
        before = await self._trail.newest()
        begins = before is None
        self._position = NEWEST if before is None else Position(before.position)
        try:
            self._reader = await self._table.changes(self._position)
        except (PositionTrimmed, BadCursor):  # forgotten, or a mark of another store
            begins = True
            self._reader = await self._table.changes(NEWEST)
        if begins:
            self._position = (await self._reader.read(0)).position
        await self._trail.leave(self._trail.mark(0, self._position, begins=begins))
        await self._catch_up(self._reader)
        self._marked = (self._number, asyncio.get_running_loop().time())
        self._table.watch(self._note)
        return OWN, self._number

    async def _catch_up(self, reader: ChangeReader) -> None:
        """Pass over what happened before: nobody listens yet, and what is said next must not be told before it."""
        until = asyncio.get_running_loop().time() + CATCH_UP_SECONDS
        while asyncio.get_running_loop().time() < until:
            batch = await reader.read(0)
            if not batch.changes:
                return
            self._number += len(batch.changes)
            self._position = batch.position

    async def next(self, is_heard: Callable[[], bool]) -> Heard:
        if self._reader is None:
            raise RuntimeError("the feed is not open")
        while True:
            if self._said:
                entries = await self._told_at_once()
                return Heard(entries, (OWN, self._number), self._was_heard(is_heard()))
            if self._untold is not None:
                return await self._heard(self._untold, self._was_heard(is_heard()))
            if self._reading is None:
                self._reading = asyncio.create_task(self._reader.read(WAIT_SECONDS))
            await asyncio.wait((self._reading, self._said.arrival()), return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                reading, self._reading = self._reading, None
                self._untold = reading.result()

    async def _told_at_once(self) -> list[Entry]:
        entries: list[Entry] = []
        for key, announcement in await self._said.take():
            [entry] = self._numbered([announcement])
            entries.append(entry)
            self._unconfirmed[key] = entry
        while len(self._unconfirmed) > MAX_UNCONFIRMED:
            del self._unconfirmed[next(iter(self._unconfirmed))]
        return entries

    def _was_heard(self, is_heard: bool) -> bool:
        """Does somebody listen, or did a moment ago? Whoever is cut off most often comes back at once."""
        now = asyncio.get_running_loop().time()
        if is_heard:
            self._heard_at = now
        return now - self._heard_at < LINGER_SECONDS

    async def _heard(self, batch: ChangeBatch, was_heard: bool) -> Heard:
        told: list[Announcement] = []
        if was_heard:
            for change in batch.changes:
                told += await self._translation.announcements(change)
        else:
            self._number += len(batch.changes)
        self._untold = None
        for change in batch.changes:
            self._unconfirmed.pop(change.key, None)
        entries = self._numbered(told)
        self._position = batch.position
        self._mark_now_and_then(told=bool(entries))
        return Heard(entries, (OWN, self._number), was_heard)

    def s_of(self, order: Order, at_ms: int | None = None) -> str:
        place = self._place_of(order)
        told = f"{place.number}-{place.stretch}-{place.told}" if place.stretch else f"{place.number}"
        return self._places.signed(f"{place.run}.{told}.{place.at_ms or at_ms or self._clock.now_ms()}")

    def cursor_of(self, s: str) -> Cursor:
        place = _parsed(self._places.read(s))
        if place.run == self._run:
            return Cursor((OWN, place.number, place.stretch, place.told)[: 4 if place.stretch else 2], place.at_ms)
        order = (FORMER, place.at_ms, int(place.run, 16), place.number, place.stretch, place.told)
        return Cursor(order, place.at_ms - LAG_MS)

    async def history(self, after: Order, until: Order) -> AsyncIterator[Page]:
        place = self._place_of(after)
        goal = self._trail.own_after(until[1]) or self._trail.mark(self._number, self._position)
        chain = await self._trail.since(place.run, place.number, place.at_ms)
        chain = [mark for mark in chain if mark.run != self._run or mark.number < goal.number]
        for start, end in stretches([*chain, goal]):
            told = await self._told_between(start, end)
            seen = place.told if told.tag == place.stretch else 0
            yield Page(told.entries[seen:], self._order_of(end))
        yield Page([entry for entry in self._unconfirmed.values() if entry.order <= until], until)

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None
        if self._marking is not None:
            await asyncio.gather(self._marking, return_exceptions=True)
        if self._reader is not None:
            await self._reader.close()
            self._reader = None
            with contextlib.suppress(TableError):
                await self._trail.leave(self._trail.mark(self._number, self._position))

    # What is told now

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        """Something was written here: tell it, and look what the stream tells of it."""
        if self._reader is None:
            return
        if self._fast:
            self._said.note(operations)
        self._reader.nudge()

    def _numbered(self, told: Sequence[Announcement]) -> list[Entry]:
        entries: list[Entry] = []
        now_ms = self._clock.now_ms()
        for announcement in told:
            self._number += 1
            order = (OWN, self._number)
            entries.append(Entry(order, self.s_of(order, now_ms), now_ms, announcement))
        return entries

    def _mark_now_and_then(self, *, told: bool) -> None:
        number, at = self._marked
        now = asyncio.get_running_loop().time()
        is_due = now - at >= (MARK_SECONDS if self._number > number and told else QUIET_MARK_SECONDS)
        if is_due and (self._marking is None or self._marking.done()):
            self._marked = (self._number, now)
            self._marking = asyncio.create_task(self._leave(self._trail.mark(self._number, self._position)))

    async def _leave(self, mark: TrailMark) -> None:
        try:
            await self._trail.leave(mark)
        except TableError as error:
            _log.warning("a mark of the feed was not kept", why=f"{type(error).__name__}: {error}")

    # What was told before

    def _place_of(self, order: Order) -> _Place:
        if order[0] == OWN:
            _, number, stretch, count = (*order, 0, 0)[:4]
            return _Place(self._run, number, stretch, count, 0)
        _, at_ms, run, number, stretch, count = order
        return _Place(f"{run:x}", number, stretch, count, at_ms)

    def _order_of(self, mark: TrailMark) -> Order:
        """The place of a mark."""
        if mark.run == self._run:
            return OWN, mark.number
        return FORMER, mark.at_ms, int(mark.run, 16), mark.number, 0, 0

    async def _told_between(self, start: TrailMark, end: TrailMark) -> _Stretch:
        """What was told between two marks, read once for all who ask."""
        key = (start.run, start.number, end.run, end.number)
        known = self._stretches.find(key)
        if known is not None:
            return known
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._read(start, end))
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        told = await asyncio.shield(task)
        if self._stretches.find(key) is None:
            self._stretches.keep(key, told, weight=len(told.entries) + 1)
        return told

    async def _read(self, start: TrailMark, end: TrailMark) -> _Stretch:
        tag = secrets.randbits(32) or 1
        entries: list[Entry] = []
        loop = asyncio.get_running_loop()
        until = loop.time() + REACH_SECONDS
        try:
            reader = await self._table.changes(Position(start.position))
            while not reader.has_reached(Position(end.position)):
                batch = await reader.read(0.2)
                for change in batch.changes:
                    until = loop.time() + REACH_SECONDS
                    for announcement in await self._translation.announcements(change):
                        entries.append(self._again(start, tag, len(entries) + 1, change.at_ms, announcement))
                if loop.time() > until:
                    raise Trimmed("the end of what was missed is not to be found")
            await reader.close()
        except PositionTrimmed as trimmed:
            raise Trimmed(str(trimmed)) from None
        return _Stretch(tag, entries)

    def _again(self, start: TrailMark, tag: int, count: int, at_ms: int, announcement: Announcement) -> Entry:
        order: Order = (OWN, start.number, tag, count)
        if start.run != self._run:
            order = (FORMER, start.at_ms, int(start.run, 16), start.number, tag, count)
        return Entry(order, self.s_of(order, start.at_ms), at_ms, announcement)


def _parsed(text: str) -> _Place:
    """The parts of a place; BadPlace if it is one of another kind of feed."""
    run, *numbers = text.replace("-", ".").split(".")
    if len(numbers) not in (2, 4) or not run or run.startswith("0"):
        raise BadPlace
    number, *told, at_ms = map(int, numbers)
    stretch, count = told or (0, 0)
    return _Place(run, number, stretch, count, at_ms)
