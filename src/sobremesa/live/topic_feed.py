"""The feed of several nodes over one DynamoDB table: the events of each topic in Redis or Valkey.

A node receives the topics that it has subscribers for, and nothing of any other. It numbers what it receives by the
time of the server, so a position is a time, valid at every node; a node that did not issue a cursor starts a little
before it, and the ids of events tell clients what they have. `topic_receiver` keeps what is received complete.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import partial
from itertools import islice

import msgspec
import structlog

from sobremesa.core.clock import Clock
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.events import Publication, Topic, TopicMembership
from sobremesa.live.feed import START, Cursor, Entry, FeedBatch, FeedPosition, IsNeeded, Page, Trimmed
from sobremesa.live.look_back import look_back_from
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.relay import Relay
from sobremesa.live.topic_history import TopicHistory
from sobremesa.live.topic_receiver import CLOCKS_DIFFER_MS, UNKNOWN, TopicReceiver
from sobremesa.live.topic_routes import ALL_NODES, READERS, routes_of
from sobremesa.live.topic_states import TopicStates
from sobremesa.live.topic_streams import NOTHING, Added, State, StreamId, TopicStreams
from sobremesa.live.topic_writer import TopicWriter
from sobremesa.table import Operation, Table
from sobremesa.table.cache import Cache

LAG_MS = 60_000
"""How much later than it happened an event may be published; gaps start that much earlier."""
CACHED_COPIES = 20_000
COVERED_AT_ONCE = 1000
"""About how many topics start to be received at the same time."""

_decode = msgspec.msgpack.Decoder(Publication).decode
_log = structlog.get_logger("sobremesa.live")


class TopicFeed:
    """The events of the topics that this node has subscribers for."""

    repeats = True

    def __init__(
        self,
        table: Table,
        clock: Clock,
        streams: TopicStreams,
        receiver: TopicReceiver,
        writer: TopicWriter,
        relay: Relay | None,
        cursors: EventCursors,
    ) -> None:
        self._table = table
        self._clock = clock
        self._streams = streams
        self._receiver = receiver
        self._writer = writer
        self._relay = relay
        self._cursors = cursors
        self._tag = secrets.randbits(32) | 1
        """Marks the cursors that this node issued: only for these, its own order is known."""
        self._epochs: list[str] = [UNKNOWN]
        """The epochs that this node has seen; the last is current."""
        self._last: StreamId = NOTHING
        self._position = START
        """The position up to which events were returned."""
        self._since: dict[Topic, FeedPosition] = {}
        self._covering = asyncio.Lock()
        self._uncovered: dict[Topic, None] = {}
        """What those who wait for their turn to cover topics need: the first of them covers it for all."""
        self._history = TopicHistory(streams, self._kept)
        self._states = TopicStates(streams)
        self._copies: Cache[str, bool] = Cache(CACHED_COPIES)
        """The ids of publications with several topics: their other copies are dropped."""
        self._tasks: list[asyncio.Task[None]] = []
        self._is_open = False

    async def open(self, is_needed: IsNeeded) -> FeedPosition:
        if self._relay is not None:
            await self._relay.prepare()
        self._last = (self._clock.now_ms() - LAG_MS, 0)
        try:
            epoch, self._last = await self._streams.open()
            self._epochs = [epoch]
        except FOREIGN as error:
            _log.warning("events wait for Redis", why=f"{type(error).__name__}: {error}")
        self._position = self._position_of(self._last)
        self._receiver.open(self._epochs[-1], lambda topic: self._is_own(topic) or is_needed(topic))
        self._tasks.append(asyncio.create_task(self._writer.run()))
        self._table.watch(self._note)
        self._is_open = True
        await self.cover([ALL_NODES])
        if self._relay is not None:
            # From the start, since it will read a shard soon; a node that gets none stops to receive hints.
            await self.cover([READERS])
            self._relay.on_reading = partial(self.cover, [READERS])
        return self._position

    def _is_own(self, topic: Topic) -> bool:
        """Return whether this node needs a topic for itself, not for its subscribers."""
        return topic == ALL_NODES or (topic == READERS and self._relay is not None and self._relay.is_reading())

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        received = await self._receiver.next()
        entries: list[Entry] = []
        missed: set[Topic] = set()
        for each in received:
            if each.epoch != self._epochs[-1]:
                self._begin(each.epoch)
            if each.body is None:
                self._last = max(self._last, each.id)
                missed |= each.missed
                self._since |= dict.fromkeys(each.missed, self._position_of(self._last))
                continue
            self._last = each.id if each.id > self._last else (self._last[0], self._last[1] + 1)
            try:
                publication = _decode(each.body)
            except msgspec.DecodeError as error:
                _log.error("an event of another version was skipped", why=str(error))
                continue
            if not self._is_copy(publication):
                entries.append(self._entry(self._last, publication))
        self._position = self._position_of(self._last)
        return FeedBatch(entries, self._position, True, missed=frozenset(missed))

    def _begin(self, epoch: str) -> None:
        """Begin another epoch."""
        if self._epochs[-1] == UNKNOWN:
            # What was covered until now is received from a time on, not from before all events of the epoch.
            generation = len(self._epochs)
            self._since = {
                topic: since._replace(generation=generation, run=epoch) for topic, since in self._since.items()
            }
        self._epochs.append(epoch)
        self._last = NOTHING
        self._history.clear()
        self._copies = Cache(CACHED_COPIES)

    def _is_copy(self, publication: Publication) -> bool:
        """Return whether this came before by another of its topics."""
        if len(routes_of(publication)) < 2:
            return False
        known = self._copies.find(publication.id)
        self._copies.keep(publication.id, True)
        return known is not None

    async def cover(self, topics: Collection[Topic]) -> None:
        if all(self._is_covered(topic) for topic in topics):
            return
        self._uncovered |= dict.fromkeys(topics)
        async with self._covering:
            others = list(islice(self._uncovered, COVERED_AT_ONCE))
            fresh = [topic for topic in dict.fromkeys([*topics, *others]) if not self._is_covered(topic)]
            for topic in (*topics, *others):
                self._uncovered.pop(topic, None)
            if not fresh:
                return
            known_to = self._position
            for topic in fresh:
                self._since.pop(topic, None)
            at = await self._receiver.add(fresh, (known_to.number, known_to.offset))
            since = known_to if at is None else max(known_to, self._received_at(at))
            if len(self._since) > 2 * self._receiver.count:
                self._since = {topic: each for topic, each in self._since.items() if self._receiver.has(topic)}
            self._since |= dict.fromkeys(fresh, since)

    def _received_at(self, id: StreamId) -> FeedPosition:
        """Return the position of what is received now: its epoch may be one that begins with what comes next."""
        position, epoch = self._position_of(id), self._receiver.epoch
        if epoch == self._epochs[-1]:
            return position
        return position._replace(generation=len(self._epochs), run=epoch)

    def _is_covered(self, topic: Topic) -> bool:
        """Return whether a topic is received, and it is known since when: not while it is being added."""
        return self._receiver.has(topic) and topic in self._since

    def covered_since(self, topics: Collection[Topic]) -> FeedPosition:
        return max((self._since[topic] for topic in topics if topic in self._since), default=START)

    async def missing(self, after: FeedPosition, topics: Collection[Topic]) -> set[Topic]:
        if after.run != self._epochs[-1]:
            return set(topics)
        until = self.covered_since(topics)
        try:
            found = await self._states.read(topics)
        except FOREIGN as error:
            raise Trimmed(f"{type(error).__name__}: {error}") from None
        if found.epoch != after.run:
            return set(topics)  # Redis lost them, and this node has not noticed it yet
        start, oldest = (after.number, after.offset), found.now[0] - self._streams.window_ms
        kept = {topic: found.states[topic] for topic in topics if _is_kept(found.states[topic], start, oldest)}
        if until.run == after.run == self._epochs[-1]:
            self._history.note(kept, start, (until.number, until.offset))
        return set(topics) - kept.keys()

    def looks_back_to(self, member: TopicMembership) -> int | None:
        return look_back_from(member, self._clock.now_ms())

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        return self._cursors.format(position, position.number)

    def cursor_of(self, s: str) -> Cursor:
        position, at_ms = self._cursors.parse(s)
        if position.run != self._epochs[-1]:
            # What is published again may be from before the cursor, and the client drops the later events of the same.
            return Cursor(None, max(0, at_ms - LAG_MS))
        if position.stretch != self._tag and self._streams.server.is_cluster:
            start = max(0, position.number - CLOCKS_DIFFER_MS)
            position = FeedPosition(0, 0, position.run, start)
        position = position._replace(generation=len(self._epochs) - 1, stretch=self._tag)
        return Cursor(position, max(0, at_ms - LAG_MS))

    async def history(self, after: FeedPosition, until: FeedPosition, topics: Collection[Topic]) -> AsyncIterator[Page]:
        if after.run != until.run or after.run != self._epochs[-1]:
            raise Trimmed("the streams of this position are lost")
        async for page in self._pages((after.number, after.offset), until, topics, is_partial=False):
            yield page

    async def kept_since(self, at_ms: int, until: FeedPosition, topic: Topic) -> AsyncIterator[Page]:
        if until.run == self._epochs[-1]:
            async for page in self._pages((at_ms, 0), until, [topic], is_partial=True):
                yield page

    async def _pages(
        self, after: StreamId, until: FeedPosition, topics: Collection[Topic], *, is_partial: bool
    ) -> AsyncIterator[Page]:
        seen: set[str] = set()
        end = (until.number, until.offset)
        try:
            async for found, reached in self._history.pages(topics, after, end, is_partial=is_partial):
                entries: list[Entry] = []
                for entry in found:
                    if entry.id not in seen:
                        seen.add(entry.id)
                        entries.append(entry)
                yield Page(entries, self._position_of(reached))
        except FOREIGN as error:
            raise Trimmed(f"{type(error).__name__}: {error}") from None

    async def close(self) -> None:
        self._is_open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._receiver.close()
        await self._streams.server.close()

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        """Publish the new messages of a write of this process, and have the change stream read now."""
        if self._is_open:
            self._writer.note(operations)

    def nudge(self) -> None:
        """Something was written, here or on another node."""
        if self._relay is not None:
            self._relay.nudge()

    def _kept(self, added: Added) -> Entry:
        return self._entry(added.id, _decode(added.body))

    def _entry(self, id: StreamId, publication: Publication) -> Entry:
        position = self._position_of(id)
        return Entry(position, self.s_of(position), id[0], publication)

    def _position_of(self, id: StreamId) -> FeedPosition:
        return FeedPosition(len(self._epochs) - 1, 0, self._epochs[-1], id[0], self._tag, id[1])


def _is_kept(state: State, after: StreamId, oldest_ms: int) -> bool:
    """Return whether all entries of a topic after an id are kept."""
    if state.epoch is None:  # it had none within the window
        return after[0] >= oldest_ms
    return state.trimmed <= after
