"""The feed of one process over a table whose changes come in several shards: DynamoDB Streams.

This process numbers the events as it publishes them; a position is a number in a run of the process. The run's position
in the change stream is saved every few seconds (`checkpoints`), so that this run or a later one can find a position
again: everything since the nearest checkpoint before it is replayed, a few events twice, which clients recognize by
their ids. New messages that this process writes are published at once (`fast_path`); the stream repeats them.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Final, NamedTuple

import structlog

from sobremesa.core.clock import Clock
from sobremesa.live.checkpoints import Checkpoints, stretches
from sobremesa.live.entities import TrailMark
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.events import Publication, Topic, TopicMembership
from sobremesa.live.fast_path import FastPath
from sobremesa.live.feed import (
    AllTopics,
    Cursor,
    Entry,
    FeedBatch,
    FeedPosition,
    IsNeeded,
    Page,
    Trimmed,
)
from sobremesa.live.look_back import look_back_from
from sobremesa.live.translation import Translation
from sobremesa.table import NEWEST, ChangeBatch, ChangeReader, Operation, Position, RawKey, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadCursor, PositionTrimmed, TableError

WAIT_SECONDS = 5.0
MARK_SECONDS = 5.0
QUIET_MARK_SECONDS = 60.0
"""How often a checkpoint is saved without events."""
REACH_SECONDS = 15.0
"""How long to wait for the end of a stretch of the stream."""
CATCH_UP_SECONDS = 10.0
LINGER_SECONDS = 60.0
CACHED_ENTRIES = 50_000
MAX_UNCONFIRMED = 10_000
LAG_MS = 60_000
"""How much later than it happened an event may be published; gaps start that much earlier."""

FORMER: Final = 0
OWN: Final = 1

_log = structlog.get_logger("sobremesa.live")


class _Stretch(NamedTuple):
    """A part of the stream that was read again, under a tag that identifies its entries."""

    tag: int
    entries: Sequence[Entry]


class StreamFeed(AllTopics):
    """The events of the change stream, with new messages of this process published at once."""

    repeats = True

    def __init__(
        self, table: Table, clock: Clock, translation: Translation, cursors: EventCursors, *, fast: bool = True
    ) -> None:
        self._table = table
        self._cursors = cursors
        self._clock = clock
        self._translation = translation
        self._fast = fast
        self._fast_path = FastPath(translation)
        self._run = _new_run()
        self._checkpoints = Checkpoints(table, clock, self._run)
        self._reader: ChangeReader | None = None
        self._reading: asyncio.Task[ChangeBatch] | None = None
        self._unconfirmed: dict[RawKey, Entry] = {}
        """Events of the fast path that the stream has not repeated yet."""
        self._confirmed: list[RawKey] = []
        """Those that the last batch repeats."""
        self._subscribed_at = -math.inf
        self._unpublished: ChangeBatch | None = None
        """A batch that was read and is not translated yet; retried if that fails."""
        self._number = 0
        self._position = Position("")
        self._returned: deque[tuple[int, Position]] = deque(maxlen=2)
        """The numbers and positions of the last two batches: the last one may not be delivered yet."""
        self._marked = (0, 0.0)
        """The number and the time of the last checkpoint."""
        self._marking: asyncio.Task[None] | None = None
        self._stretches: Cache[tuple[str, int, str, int], _Stretch] = Cache(CACHED_ENTRIES)
        self._under_way: dict[tuple[str, int, str, int], asyncio.Task[_Stretch]] = {}

    async def open(self, is_needed: IsNeeded) -> FeedPosition:
        before = await self._checkpoints.newest()
        begins = before is None
        self._position = NEWEST if before is None else Position(before.position)
        try:
            self._reader = await self._table.changes(self._position)
        except (PositionTrimmed, BadCursor):  # trimmed, or a checkpoint of another store
            begins = True
            self._reader = await self._table.changes(NEWEST)
        if begins:
            self._position = (await self._reader.read(0)).position
        await self._checkpoints.save(self._checkpoints.mark(0, self._position, begins=begins))
        await self._catch_up(self._reader)
        self._marked = (self._number, asyncio.get_running_loop().time())
        self._table.watch(self._note)
        return self._here()

    async def _catch_up(self, reader: ChangeReader) -> None:
        """Skip earlier changes: there are no subscribers yet, and new messages must not be published before them."""
        until = asyncio.get_running_loop().time() + CATCH_UP_SECONDS
        while asyncio.get_running_loop().time() < until:
            batch = await reader.read(0)
            if not batch.changes:
                return
            self._number += len(batch.changes)
            self._position = batch.position

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        if self._reader is None:
            raise RuntimeError("the feed is not open")
        for key in self._confirmed:
            self._unconfirmed.pop(key, None)
        self._confirmed = []
        while True:
            if self._fast_path:
                entries = await self._take_fast_path()
                return self._return(entries, is_complete=self._had_subscribers(has_subscribers()))
            if self._unpublished is not None:
                return await self._batch_of(self._unpublished, self._had_subscribers(has_subscribers()))
            if self._reading is None:
                self._reading = asyncio.create_task(self._reader.read(WAIT_SECONDS))
            await asyncio.wait((self._reading, self._fast_path.arrival()), return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                reading, self._reading = self._reading, None
                try:
                    self._unpublished = reading.result()
                except PositionTrimmed as trimmed:
                    _log.error("events were lost; all clients must resume", why=str(trimmed))
                    await self._begin_anew()
                    return FeedBatch([], self._here(), False, begins_anew=True)

    async def _begin_anew(self) -> None:
        """Continue with the next change as another run, since what came after the position is no longer kept."""
        reader = await self._table.changes(NEWEST)
        position = (await reader.read(0)).position
        run = _new_run()
        checkpoints = Checkpoints(self._table, self._clock, run)
        await checkpoints.save(checkpoints.mark(self._number, position, begins=True))
        self._run, self._checkpoints, self._reader, self._position = run, checkpoints, reader, position
        self._unconfirmed.clear()
        self._confirmed = []
        self._returned.clear()

    async def _take_fast_path(self) -> list[Entry]:
        entries: list[Entry] = []
        for key, publication in await self._fast_path.take():
            [entry] = self._numbered([publication])
            entries.append(entry)
            self._unconfirmed[key] = entry
        while len(self._unconfirmed) > MAX_UNCONFIRMED:
            del self._unconfirmed[next(iter(self._unconfirmed))]
        return entries

    def _had_subscribers(self, has_subscribers: bool) -> bool:
        """Return whether there are or recently were subscribers: most reconnect at once."""
        now = asyncio.get_running_loop().time()
        if has_subscribers:
            self._subscribed_at = now
        return now - self._subscribed_at < LINGER_SECONDS

    async def _batch_of(self, batch: ChangeBatch, is_complete: bool) -> FeedBatch:
        publications: list[Publication] = []
        if is_complete:
            for change in batch.changes:
                publications += await self._translation.publications_of(change)
        else:
            self._number += len(batch.changes)
        self._unpublished = None
        # They count as repeated only once these are delivered, which is when the next batch is asked for.
        self._confirmed = [change.key for change in batch.changes if change.key in self._unconfirmed]
        entries = self._numbered(publications)
        self._position = batch.position
        self._save_checkpoint_if_due(has_events=bool(entries))
        return self._return(entries, is_complete=is_complete)

    def _return(self, entries: Sequence[Entry], *, is_complete: bool) -> FeedBatch:
        """Return a batch, and remember where in the stream it ends: it is delivered some time later."""
        self._returned.append((self._number, self._position))
        return FeedBatch(entries, self._here(), is_complete)

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        return self._cursors.format(position, position.at_ms or at_ms or self._clock.now_ms())

    def cursor_of(self, s: str) -> Cursor:
        position, at_ms = self._cursors.parse(s)
        if position.run == self._run:
            return Cursor(position._replace(generation=OWN), at_ms)
        return Cursor(position._replace(generation=FORMER, at_ms=at_ms), at_ms - LAG_MS)

    def looks_back_to(self, member: TopicMembership) -> int | None:
        return look_back_from(member, self._clock.now_ms(), clocks_differ_ms=0)

    async def history(self, after: FeedPosition, until: FeedPosition, topics: Collection[Topic]) -> AsyncIterator[Page]:
        goal = self._first_mark_after(until.number)
        unconfirmed = list(self._unconfirmed.values())
        chain = await self._checkpoints.since(after.run, after.number, after.at_ms)
        chain = [mark for mark in chain if mark.run != self._run or mark.number < goal.number]
        for start, end in stretches([*chain, goal]):
            events = await self._events_between(start, end)
            seen = after.offset if events.tag == after.stretch else 0
            yield Page(events.entries[seen:], self._position_of(end))
        yield Page([entry for entry in unconfirmed if entry.position <= until], until)

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
                await self._checkpoints.save(self._checkpoints.mark(self._number, self._position))

    def _here(self) -> FeedPosition:
        return FeedPosition(OWN, 0, self._run, self._number)

    # New events

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        """Publish a write of this process, and read the stream now."""
        if self._reader is None:
            return
        if self._fast:
            self._fast_path.add(operations)
        self._reader.nudge()

    def _numbered(self, publications: Sequence[Publication]) -> list[Entry]:
        entries: list[Entry] = []
        now_ms = self._clock.now_ms()
        for publication in publications:
            self._number += 1
            position = self._here()
            entries.append(Entry(position, self.s_of(position, now_ms), now_ms, publication))
        return entries

    def _save_checkpoint_if_due(self, *, has_events: bool) -> None:
        number, at = self._marked
        now = asyncio.get_running_loop().time()
        is_due = now - at >= (MARK_SECONDS if self._number > number and has_events else QUIET_MARK_SECONDS)
        if is_due and (self._marking is None or self._marking.done()):
            self._marked = (self._number, now)
            self._marking = asyncio.create_task(self._leave(self._checkpoints.mark(self._number, self._position)))

    async def _leave(self, mark: TrailMark) -> None:
        try:
            await self._checkpoints.save(mark)
        except TableError as error:
            _log.warning("a checkpoint was not saved", why=f"{type(error).__name__}: {error}")

    # History

    def _first_mark_after(self, number: int) -> TrailMark:
        """Return the nearest position at or after a number, so that a replay does not overtake the live events."""
        saved = self._checkpoints.own_after(number)
        returned = next((each for each in self._returned if each[0] >= number), (self._number, self._position))
        if saved is not None and saved.number <= returned[0]:
            return saved
        return self._checkpoints.mark(*returned)

    def _position_of(self, mark: TrailMark, stretch: int = 0, offset: int = 0) -> FeedPosition:
        """Return the position of a checkpoint, or after some events of the stretch that starts there."""
        if mark.run == self._run:
            return FeedPosition(OWN, 0, mark.run, mark.number, stretch, offset)
        return FeedPosition(FORMER, mark.at_ms, mark.run, mark.number, stretch, offset)

    async def _events_between(self, start: TrailMark, end: TrailMark) -> _Stretch:
        """Return the events between two checkpoints, read once for all clients."""
        key = (start.run, start.number, end.run, end.number)
        known = self._stretches.find(key)
        if known is not None:
            return known
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.create_task(self._read(start, end))
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        events = await asyncio.shield(task)
        if self._stretches.find(key) is None:
            self._stretches.keep(key, events, weight=len(events.entries) + 1)
        return events

    async def _read(self, start: TrailMark, end: TrailMark) -> _Stretch:
        tag = secrets.randbits(32) or 1
        goal = Position(end.position)
        entries: list[Entry] = []
        loop = asyncio.get_running_loop()
        until = loop.time() + REACH_SECONDS
        try:
            reader = await self._table.changes(Position(start.position))
            while not reader.has_reached(goal):
                batch = await reader.read(0.2)
                for change in batch.changes:
                    until = loop.time() + REACH_SECONDS
                    if not reader.includes(goal, change):
                        # A client that receives an event of later drops it when it comes in its place.
                        continue
                    for publication in await self._translation.publications_of(change):
                        position = self._position_of(start, tag, len(entries) + 1)
                        entries.append(Entry(position, self.s_of(position, start.at_ms), change.at_ms, publication))
                if loop.time() > until:
                    raise Trimmed("the end of the missed events was not found")
            await reader.close()
        except PositionTrimmed as trimmed:
            raise Trimmed(str(trimmed)) from None
        return _Stretch(tag, entries)


def _new_run() -> str:
    return f"{secrets.randbits(48) | 1 << 48:x}"
