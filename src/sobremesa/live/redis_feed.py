"""The feed of several nodes over one DynamoDB table: all read one stream of events in Redis or Valkey.

The nodes that read the change stream (`relay`) copy its changes to that stream. The node that writes a new message adds
it at once, and the relay's copy repeats it. So there is one order for all, and a position is an id of the stream, valid
at every node. What is no longer kept there, or was lost with the server, is reported as a gap.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import msgspec
import structlog

from sobremesa.core.clock import Clock
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.events import Publication
from sobremesa.live.fast_path import FastPath
from sobremesa.live.feed import Cursor, Entry, FeedBatch, FeedPosition, Page, Trimmed
from sobremesa.live.redis_channel import RedisChannel
from sobremesa.live.redis_stream import FOREIGN, NOTHING, Added, Lost, RedisStream, StreamId
from sobremesa.live.relay import Relay
from sobremesa.live.translation import Translation
from sobremesa.table import Operation, Table
from sobremesa.table.cache import Cache

HINT = "wrote"
ADDED_AT_ONCE = 500
MAX_WAITING = 10_000
PAUSE_SECONDS = 0.2
PAGE_MS = 10_000
CACHED_ENTRIES = 50_000
LAG_MS = 60_000
"""How much later than it happened an event may be published; gaps start that much earlier."""
UNKNOWN: Final = "0"
"""The epoch while Redis has not answered yet."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Publication).decode
_log = structlog.get_logger("sobremesa.live")


class RedisFeed:
    """The events of the stream in Redis."""

    repeats = True

    def __init__(
        self,
        table: Table,
        clock: Clock,
        translation: Translation,
        stream: RedisStream,
        channel: RedisChannel,
        relay: Relay | None,
        cursors: EventCursors,
        *,
        fast: bool = True,
    ) -> None:
        self._cursors = cursors
        self._table = table
        self._clock = clock
        self._stream = stream
        self._channel = channel
        self._relay = relay
        self._fast = fast
        self._fast_path = FastPath(translation)
        self._epochs: list[str] = [UNKNOWN]
        """The epochs that this node has seen; the last is current."""
        self._here: StreamId = NOTHING
        self._opened_ms = 0
        self._is_started = False
        self._wrote = asyncio.Event()
        self._is_open = False
        self._tasks: list[asyncio.Task[None]] = []
        self._pages: Cache[tuple[str, int], Sequence[Entry]] = Cache(CACHED_ENTRIES)
        self._followed: Cache[tuple[str, int], StreamId] = Cache(CACHED_ENTRIES)
        self._fetching = asyncio.Lock()

    async def open(self) -> FeedPosition:
        self._channel.on(HINT, self._hinted)
        self._channel.open()
        if self._relay is not None:
            await self._relay.prepare()
        self._tasks.append(asyncio.create_task(self._publish_fast_path()))
        try:
            epoch, self._here = await self._stream.open()
            self._epochs = [epoch]
            self._is_started = True
        except FOREIGN as error:
            _log.warning("events wait for Redis", why=f"{type(error).__name__}: {error}")
        self._opened_ms = self._clock.now_ms()
        self._is_open = True
        self._table.watch(self._note)
        return self._position(self._here)

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        while True:
            if not self._is_started:
                await self._start()
            try:
                found = await self._stream.read(self._epochs[-1], self._here)
            except (*FOREIGN, Lost) as error:
                self._is_started = False
                if isinstance(error, Lost):
                    continue
                raise
            if found:
                self._here = found[-1].id
            is_complete = has_subscribers()
            entries = self._entries(found) if is_complete else []
            return FeedBatch(entries, self._position(self._here), is_complete)

    async def _start(self) -> None:
        """Continue at the last position; or with all of a new stream, which starts with what was published last."""
        epoch, _ = await self._stream.open(self._here)
        before = self._epochs[-1]
        if epoch != before:
            _log.warning("earlier events are lost; the event stream starts anew")
            self._epochs.append(epoch)
            self._here = (self._opened_ms - LAG_MS, 0) if before == UNKNOWN else NOTHING
        self._is_started = True

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        return self._cursors.format(position, position.number)

    def cursor_of(self, s: str) -> Cursor:
        position, at_ms = self._cursors.parse(s)
        known = None
        if position.run in self._epochs:
            known = position._replace(generation=self._epochs.index(position.run))
        return Cursor(known, max(0, at_ms - LAG_MS))

    async def history(self, after: FeedPosition, until: FeedPosition) -> AsyncIterator[Page]:
        if after.run != until.run or after.run != self._epochs[-1]:
            raise Trimmed("the stream of this position is lost")
        epoch = self._epochs[-1]
        try:
            oldest = await self._stream.between("-", "+", 1)
            if not oldest or self._position(oldest[0].id) > after:
                raise Trimmed("the events after this position are no longer kept")
            number = after.number // PAGE_MS
            while True:
                entries = [entry for entry in await self._page(epoch, number) if after < entry.position <= until]
                yield Page(entries, entries[-1].position if entries else after)
                following = await self._following(epoch, number)
                if following is None or self._position(following) > until:
                    return
                number = following[0] // PAGE_MS
        except FOREIGN as error:
            raise Trimmed(f"{type(error).__name__}: {error}") from None

    async def close(self) -> None:
        self._is_open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._channel.close()
        await self._stream.close()

    # Writes of this process

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        if not self._is_open:
            return
        if self._fast:
            self._fast_path.add(operations)
        self._wrote.set()

    async def _publish_fast_path(self) -> None:
        """Add new messages of this node to the stream, and notify the nodes that read the change stream."""
        waiting: list[bytes] = []
        while True:
            await self._wrote.wait()
            self._wrote.clear()
            self._channel.publish(HINT)
            waiting += [_encode(publication) for _, publication in await self._fast_path.take()]
            try:
                while waiting:
                    await self._stream.add(self._epochs[-1], waiting[:ADDED_AT_ONCE])
                    del waiting[:ADDED_AT_ONCE]
            except (*FOREIGN, Lost) as error:
                # The relay adds it too, only later. Retried all the same, so that later messages stay behind it.
                _log.warning("new messages are published later", why=f"{type(error).__name__}: {error}")
                del waiting[: max(0, len(waiting) - MAX_WAITING)]
                await asyncio.sleep(PAUSE_SECONDS)
                self._wrote.set()

    def _hinted(self, _: bytes) -> None:
        if self._relay is not None:
            self._relay.nudge()

    # History

    async def _page(self, epoch: str, number: int) -> Sequence[Entry]:
        """Return the events of some seconds; cached once nothing can be added to them."""
        key = (epoch, number)
        known = self._pages.find(key)
        if known is not None:
            return known
        async with self._fetching:
            known = self._pages.find(key)
            if known is None:
                now_ms = await self._stream.now_ms()
                known = self._entries(
                    await self._stream.between(f"{number * PAGE_MS}", f"{(number + 1) * PAGE_MS - 1}")
                )
                if now_ms >= (number + 1) * PAGE_MS:
                    self._pages.keep(key, known, weight=len(known) + 1)
            return known

    async def _following(self, epoch: str, number: int) -> StreamId | None:
        """Return the first id after a page; cached once there is one."""
        known = self._followed.find((epoch, number))
        if known is None:
            found = await self._stream.between(f"{(number + 1) * PAGE_MS}", "+", 1)
            if not found:
                return None
            known = found[0].id
            self._followed.keep((epoch, number), known)
        return known

    def _entries(self, found: Sequence[Added]) -> list[Entry]:
        entries: list[Entry] = []
        for added in found:
            if added.body is not None:
                position = self._position(added.id)
                entries.append(Entry(position, self.s_of(position), position.number, _decode(added.body)))
        return entries

    def _position(self, id: StreamId) -> FeedPosition:
        ms, number = id
        return FeedPosition(len(self._epochs) - 1, 0, self._epochs[-1], ms, offset=number)
