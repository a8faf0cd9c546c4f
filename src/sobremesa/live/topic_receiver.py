"""Receives the events of the topics that this node needs, each once and in the order of its stream.

A message of a topic names the entry before it. If that is not the last one received, the connection is made anew, and
what is missing is read from the streams. With one server, a node receives all topics in the order of its time, so that
a position is the same on every node.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

import structlog

from sobremesa.live.events import Topic
from sobremesa.live.feed import IsNeeded
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_links import TopicLinks
from sobremesa.live.topic_streams import NOTHING, Added, Push, StreamId, TopicStreams, id_text, push_of

LOOK_SECONDS = 1.0
"""How often the epoch is checked, and the position moved without events."""
KEPT_SECONDS = 60.0
"""How long a topic without subscribers is still received: most clients reconnect at once."""
RELEASED_EVERY = 10
READ_AT_ONCE = 500
TOPICS_AT_ONCE = 256
MAX_WAITING = 50_000
"""How many entries may wait to be delivered. What exceeds this is read from the streams later."""
CLOCKS_DIFFER_MS = 2_000
"""How much the clocks of the servers of a cluster may differ."""
UNKNOWN: Final = "0"
"""The epoch while Redis has not answered yet."""

_log = structlog.get_logger("sobremesa.live")


class Received(NamedTuple):
    """An entry of a topic; without a body, an id up to which everything was received."""

    epoch: str
    id: StreamId
    body: bytes | None
    missed: frozenset[Topic] = frozenset()
    """Topics of which entries up to this id were lost before they were received."""


class TopicReceiver:
    """Receives topics."""

    def __init__(self, streams: TopicStreams, on_message: Callable[[bytes], None]) -> None:
        self._streams = streams
        self._on_message = on_message
        self._links = TopicLinks(streams.server, self._take, self._catch_up)
        self._is_needed: IsNeeded = lambda topic: True
        self._epoch = ""
        self._last: dict[Topic, StreamId] = {}
        """Up to which id everything of a topic was received."""
        self._beginning: set[Topic] = set()
        """Topics of which it is not known yet after which id they are received."""
        self._seen: dict[Topic, StreamId] = {}
        """The last received entry of each topic."""
        self._idle: dict[Topic, int] = {}
        """For how many looks topics have had no subscribers."""
        self._waiting: deque[Received] = deque()
        self._arrived = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._is_full = False
        self._changing = asyncio.Lock()
        """Held while topics are added or released, whose commands must be sent in that order."""
        self.received = 0
        """How many entries this node has received."""

    def open(self, epoch: str, is_needed: IsNeeded) -> None:
        self._epoch = epoch
        self._is_needed = is_needed
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._links.close()

    @property
    def epoch(self) -> str:
        """The epoch of what is received now, which may not be delivered yet."""
        return self._epoch

    @property
    def count(self) -> int:
        """How many topics are received."""
        return len(self._last)

    def has(self, topic: Topic) -> bool:
        """Return whether a topic is received."""
        self._idle.pop(topic, None)
        return topic in self._last

    async def add(self, topics: Collection[Topic], known_to: StreamId) -> StreamId | None:
        """Receive these topics; return the id after which everything of them is received.

        None if there is no connection: then what comes after `known_to` is read as soon as there is one.
        """
        async with self._changing:
            return await self._add(topics, known_to)

    async def _add(self, topics: Collection[Topic], known_to: StreamId) -> StreamId | None:
        self._last |= dict.fromkeys(topics, known_to)
        self._beginning.update(topics)
        is_subscribed = False
        try:
            is_subscribed = await self._links.subscribe([self._streams.channel_of(topic) for topic in topics])
            if not is_subscribed:
                return None
            _, now = await self._streams.look()
            # Also of other topics: what they got before must not come after this position.
            is_settled = await self._links.settle(f"added at {id_text(now)}")
        except FOREIGN:
            if is_subscribed:
                self._links.restart()
            return None
        finally:
            begun = self._beginning.intersection(topics)
            self._beginning.difference_update(topics)
        # What was published meanwhile is received; what was before is in the history of the topic.
        self._last |= dict.fromkeys(begun, now)
        if is_settled:
            self._arrive(Received(self._epoch, now, None))
        return now

    async def next(self) -> list[Received]:
        """Wait for the next entries, and return them."""
        if not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        found: list[Received] = []
        while self._waiting and len(found) < READ_AT_ONCE:
            found.append(self._waiting.popleft())
        if self._is_full and not self._waiting:
            self._is_full = False
            self._links.restart()
        return found

    def wake(self) -> None:
        """Let `next` return, even with nothing."""
        self._arrived.set()

    # Inside

    def _arrive(self, received: Received) -> None:
        self._waiting.append(received)
        self._arrived.set()

    def _take(self, channel: str, data: bytes) -> bool:
        """Take a message; return False if something before it is missing."""
        topic = self._streams.topic_of(channel)
        if not data.startswith(b"E "):
            self._on_message(data)
            self.wake()
            return True
        return self._push(topic, push_of(data))

    def _push(self, topic: Topic, push: Push) -> bool:
        if topic not in self._last:
            return True
        if self._is_full or len(self._waiting) >= MAX_WAITING:
            self._is_full = True
            return True
        if topic in self._beginning:
            self._beginning.discard(topic)
            self._last[topic] = push.before
        if int(push.epoch) < int(self._epoch):
            return True  # added by a node that has not noticed the loss of its epoch
        if push.epoch != self._epoch or push.before > self._last[topic]:
            return False
        for each in self._accept(topic, push.entries):
            self._arrive(each)
        return True

    def _accept(self, topic: Topic, entries: Sequence[Added]) -> list[Received]:
        """Note which entries of a topic were received; return those that are new."""
        fresh = [added for added in entries if added.id > self._last[topic]]
        if fresh:
            self._last[topic] = self._seen[topic] = fresh[-1].id
            self.received += len(fresh)
        return [Received(self._epoch, added.id, added.body) for added in fresh]

    async def _catch_up(self, channels: Collection[str]) -> None:
        """Read what is missing of these topics, in one order: up to now, since what comes later is received."""
        topics = [topic for channel in channels if (topic := self._streams.topic_of(channel)) in self._last]
        now = await self._check_epoch(topics)
        found: list[Received] = []
        for start in range(0, len(topics), TOPICS_AT_ONCE):
            found += await self._read(topics[start : start + TOPICS_AT_ONCE], now)
        for each in sorted(found, key=lambda each: each.id):
            self._arrive(each)

    async def _read(self, topics: Collection[Topic], until: StreamId) -> list[Received]:
        missing = {topic: self._last[topic] for topic in topics if topic in self._last}
        found: list[Received] = []
        while missing:
            more: dict[Topic, StreamId] = {}
            for topic, (state, entries) in (await self._streams.read(missing, until, READ_AT_ONCE)).items():
                if state.epoch != self._epoch or topic not in self._last:
                    continue  # what an earlier epoch left, or released meanwhile
                self._beginning.discard(topic)
                if state.trimmed > self._last[topic]:
                    found.append(Received(self._epoch, state.trimmed, None, frozenset([topic])))
                    self._last[topic] = state.trimmed
                found += self._accept(topic, entries)
                if len(entries) >= READ_AT_ONCE:
                    more[topic] = entries[-1].id
            missing = more
        return found

    async def _check_epoch(self, topics: Sequence[Topic]) -> StreamId:
        """Start anew if the streams were lost, as a whole or at their ends; return the server's time."""
        epoch, now = await self._streams.look()
        if epoch is not None and epoch == self._epoch:
            recent = [topic for topic in topics if self._seen.get(topic, NOTHING)[0] > now[0] - self._streams.window_ms]
            states = await self._streams.states(recent)
            if all(state.last >= self._seen[topic] for topic, state in zip(recent, states, strict=True)):
                return now
            epoch = None
        if epoch is None:
            epoch, now = await self._streams.open(self._epoch)
        if self._epoch == UNKNOWN:
            # Clients have read their snapshots meanwhile, and may know later events than those that are kept.
            start = (now[0] - CLOCKS_DIFFER_MS, 0) if self._streams.server.is_cluster else now
            self._arrive(Received(epoch, start, None, frozenset(self._last)))
            self._last = dict.fromkeys(self._last, start)
        else:
            _log.warning("earlier events are lost; the event streams start anew")
            if await self._streams.was_reset_since(self._epoch):
                self._arrive(Received(epoch, NOTHING, None, frozenset(self._last)))
            self._last = dict.fromkeys(self._last, NOTHING)
        self._seen.clear()
        self._beginning.clear()
        self._epoch = epoch
        return now

    async def _watch(self) -> None:
        """Check the epoch, move the position without events, and release topics that nobody needs."""
        looks = 0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            looks += 1
            try:
                epoch, now = await self._streams.look()
                await self._links.place()
                if epoch != self._epoch:
                    self._links.restart()
                elif await self._links.settle(id_text(now)) and epoch == self._epoch:
                    self._arrive(Received(self._epoch, now, None))
                if looks % RELEASED_EVERY == 0:
                    await self._release()
            except FOREIGN as error:
                _log.warning("Redis does not answer", why=f"{type(error).__name__}: {error}")

    async def _release(self) -> None:
        """Stop to receive the topics that have had no subscribers for a while."""
        async with self._changing:
            await self._release_idle()

    async def _release_idle(self) -> None:
        for topic in self._last:
            if self._is_needed(topic):
                self._idle.pop(topic, None)
            else:
                self._idle[topic] = self._idle.get(topic, 0) + 1
        over = [topic for topic, count in self._idle.items() if count * RELEASED_EVERY * LOOK_SECONDS > KEPT_SECONDS]
        for topic in over:
            del self._idle[topic]
            self._last.pop(topic, None)
            self._seen.pop(topic, None)
        if over:
            await self._links.unsubscribe([self._streams.channel_of(topic) for topic in over])
