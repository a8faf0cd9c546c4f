"""Tails: the newest messages of rooms that are looked at, each proven to be current by the head of its room.

A reader of a room has read its head, consistently, to be authorized. Every change of its messages changes the head in
the same transaction: a new last message its id, all others its revision. So messages that were read after a head are
current for all who find the same head. If only the last message differs, what follows the end of the tail is read; if
the revision differs, the tail is read again.

A reader of DynamoDB may see a part of a transaction before the rest, for the moment in which it is carried out: the new
head, but not yet the new message. So a head proves only what was read a second after this node saw it first. Until
then a read serves those who wait for it, and is not kept.

Rows that other programs write without the head are seen when the tail is read again, within a minute. Engines that know
the versions of their partitions cache reads themselves, and need no tails.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import msgspec

from sobremesa.core.ids import MessageId, RoomId, is_ulid
from sobremesa.rooms.entities import Head, Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Key, Page, RawKey, SharedLoads, Table, Window

TAIL = 100
"""The messages of a tail."""
SETTLED_MS = 1000
"""After this time nobody sees a part of a transaction of which a part has been seen."""
LIFE_MS = 60_000
"""How long a tail lives without being read from the table again."""
MAX_ROOMS = 10_000
MAX_BYTES = 64 * 1024 * 1024

ROW_BYTES = 2_500
"""What a message takes in memory, besides its text and its nested values; as measured."""
BYTES_A_CHARACTER = 4
BYTES_A_NESTED_CHARACTER = 10


class Mark(NamedTuple):
    """What a head says about the messages of its room."""

    last: MessageId
    revision: int


class _Seen:
    """A mark, and when this node saw it first."""

    __slots__ = ("mark", "since_ms")

    def __init__(self, mark: Mark, since_ms: int) -> None:
        self.mark = mark
        self.since_ms = since_ms

    def is_settled(self, now_ms: int) -> bool:
        self.since_ms = min(self.since_ms, now_ms)  # a clock may step back
        return now_ms - self.since_ms >= SETTLED_MS


class _Tail(NamedTuple):
    """The newest messages. Up to `end`, the key of the last message of a mark, they are proven by that mark."""

    mark: Mark
    end: RawKey
    window: Window[Message]
    read_ms: int

    def is_alive(self, now_ms: int) -> bool:
        return 0 <= now_ms - self.read_ms < LIFE_MS


class _Room:
    """What is known of a room."""

    __slots__ = ("bytes", "revision", "room_id", "seen", "tail")

    def __init__(self, room_id: RoomId) -> None:
        self.room_id = room_id
        self.revision: int | None = None
        self.tail: _Tail | None = None
        self.seen: _Seen | None = None
        """The mark that the tail will have next."""
        self.bytes = 0

    def note(self, mark: Mark, now_ms: int) -> None:
        """Note the mark of a head that was just read; what it disproves or outlives is forgotten."""
        if mark.revision != self.revision:
            self.revision, self.tail, self.seen = mark.revision, None, None
        elif self.tail is not None and not self.tail.is_alive(now_ms):
            self.seen = _Seen(self.tail.mark, now_ms - SETTLED_MS)
            self.tail = None

    def settled(self, mark: Mark, now_ms: int) -> _Seen | None:
        """Return what a read that begins now proves, or None; this mark is the next to be proven if no other is."""
        if self.revision != mark.revision:
            return None
        if self.seen is None:
            self.seen = _Seen(mark, now_ms)
        return self.seen if self.seen.is_settled(now_ms) else None


class _Rooms:
    """The rooms that were looked at last, up to a number and to a size of their tails."""

    def __init__(self) -> None:
        self._rooms: dict[RoomId, _Room] = {}
        self._bytes = 0

    def find(self, room_id: RoomId) -> _Room | None:
        room = self._rooms.pop(room_id, None)
        if room is not None:
            self._rooms[room_id] = room
        return room

    def add(self, room_id: RoomId) -> _Room:
        room = self._rooms[room_id] = _Room(room_id)
        self._limit()
        return room

    def weigh(self, room: _Room) -> None:
        """Count the current size of a room's tail."""
        if self._rooms.get(room.room_id) is not room:
            return
        self._bytes -= room.bytes
        room.bytes = 0 if room.tail is None else sum(map(_weight, room.tail.window.rows))
        self._bytes += room.bytes
        self._limit()

    def _limit(self) -> None:
        while len(self._rooms) > MAX_ROOMS or self._bytes > MAX_BYTES:
            room = self._rooms.pop(next(iter(self._rooms)))
            self._bytes -= room.bytes


class Tails:
    """The tails of rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table) -> None:
        self._kind = kind
        self._table = table
        self._loads = SharedLoads(table)
        self._rooms = _Rooms()

    async def newest(self, head: Head, limit: int) -> Page[Message]:
        """Return the newest messages of a room whose head was just read."""
        question = self._kind.messages(room_id=head.room_id)
        window = await self._window(head, reads=True)
        page = None if window is None else window.page(limit=limit, newest_first=True)
        if page is not None:
            return page
        return await self._loads.following(
            question.pk,
            limit,
            lambda: self._table.query(question, limit=limit, newest_first=True, consistent=True),
        )

    async def find_page(
        self,
        head: Head,
        *,
        limit: int,
        newest_first: bool,
        after: Key[Message] | None = None,
        cursor: str | None = None,
    ) -> Page[Message] | None:
        """Return a page of a room whose head was just read, after a key or a cursor; None unless a tail contains it."""
        noted = self._noted(head)
        tail = None if noted is None else noted[0].tail
        start = None if tail is None else self._start(head, newest_first, after, cursor)
        if tail is None or start is None:
            return None
        page = tail.window.page(limit=limit, newest_first=newest_first, start=start)
        if page is None or (newest_first and start.sk <= tail.end.sk):
            return page
        window = await self._window(head, reads=False)
        return None if window is None else window.page(limit=limit, newest_first=newest_first, start=start)

    def _start(self, head: Head, newest_first: bool, after: Key[Message] | None, cursor: str | None) -> RawKey | None:
        if after is not None:
            return self._table.stored(after)
        question = self._kind.messages(room_id=head.room_id)
        start = None if cursor is None else self._table.start_of(question, cursor, newest_first=newest_first)
        return start if isinstance(start, RawKey) else None

    def _noted(self, head: Head, *, is_new: bool = False) -> tuple[_Room, Mark] | None:
        """Return the room of a head, and what the head proves; None if the room is not known, unless it `is_new`."""
        mark = _mark_of(head)
        pk = self._kind.messages(room_id=head.room_id).pk
        if mark is None or self._table.engine.version_of(pk) is not None:
            return None
        room = self._rooms.find(head.room_id)
        if room is None:
            if not is_new:
                return None
            room = self._rooms.add(head.room_id)
        room.note(mark, self._now_ms())
        if room.tail is None and room.bytes:
            self._rooms.weigh(room)
        return room, mark

    async def _window(self, head: Head, *, reads: bool) -> Window[Message] | None:
        """Return the newest messages, at least as new as the head; None where only the table has them.

        Without a tail, `reads` reads one if it can be kept.
        """
        noted = self._noted(head, is_new=reads)
        if noted is None:
            return None
        room, mark = noted
        tail = room.tail
        if tail is not None:
            if self._covers(room, tail, mark):
                return tail.window
            window = await self._read(room, mark, tail)
            if window is not None:
                return window
        if not reads or room.settled(mark, self._now_ms()) is None:
            return None
        return await self._read(room, mark, None)

    async def _read(self, room: _Room, mark: Mark, tail: _Tail | None) -> Window[Message] | None:
        """Read what a tail lacks, or a new one, together with all who ask the same at this moment."""
        pk = self._kind.messages(room_id=room.room_id).pk
        load = partial(self._load, room, mark, tail)
        settled = room.settled(mark, self._now_ms())
        if settled is not None and settled.mark == mark:
            # What is under way began after this very mark had settled: it is current for all who found it.
            return await self._loads.running(pk, (mark, tail is None), load)
        return await self._loads.following(pk, (mark.revision, tail is None), load)

    async def _load(self, room: _Room, mark: Mark, tail: _Tail | None) -> Window[Message] | None:
        """Return the newest messages, or a tail with those after its end, and keep what is settled.

        None if a tail lacks too many, which is then given up.
        """
        question = self._kind.messages(room_id=room.room_id)
        now_ms = self._now_ms()
        settled = room.settled(mark, now_ms)
        if tail is None:
            page = await self._table.query(question, limit=TAIL, newest_first=True, consistent=True)
            window = Window(self._table, question, page.items[::-1], is_whole=page.last is None)
        else:
            page = await self._table.query(question, limit=TAIL, after=tail.end, newest_first=False, consistent=True)
            if page.last is not None:
                if room.tail is tail:
                    room.tail = None
                    self._rooms.weigh(room)
                return None
            window = tail.window.continued(tail.end, page.items, limit=TAIL)
        if settled is not None and room.seen is settled and not page.unreadable:
            self._keep(room, settled.mark, window, now_ms if tail is None else tail.read_ms)
        return window

    def _keep(self, room: _Room, mark: Mark, window: Window[Message], read_ms: int) -> None:
        room.seen = None
        end = self._key_of(room, mark)
        last = window.find(end)
        if last is not None and last.message_id == mark.last:
            room.tail = _Tail(mark, end, window, read_ms)
        self._rooms.weigh(room)

    def _covers(self, room: _Room, tail: _Tail, mark: Mark) -> bool:
        """Return whether a tail has all messages up to the last one of a head with the same revision."""
        if tail.mark == mark:
            return True
        key = self._key_of(room, mark)
        found = tail.window.find(key) if key.sk <= tail.end.sk else None
        return found is not None and found.message_id == mark.last

    def _now_ms(self) -> int:
        return self._table.engine.clock.now_ms()

    def _key_of(self, room: _Room, mark: Mark) -> RawKey:
        return self._table.stored(self._kind.message_key(room.room_id, mark.last))


def _mark_of(head: Head) -> Mark | None:
    """Return the mark of a head; None without a last message of ours, whose key follows those of all before."""
    last = head.last_message_id
    return None if last is None or not is_ulid(last) else Mark(last, head.revision or 0)


def _weight(message: Message) -> int:
    """Return about how many bytes a message takes in memory."""
    nested = [value for value in (message.data, message.attachments, message.acted, message.other) if value]
    size = len(msgspec.json.encode(nested)) if nested else 0
    return ROW_BYTES + BYTES_A_CHARACTER * len(message.content) + BYTES_A_NESTED_CHARACTER * size
