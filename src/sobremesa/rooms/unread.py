"""Unread counts: messages of others after a reader's cursor, up to a limit.

A room whose head is not newer than the cursor costs no read. Otherwise at most `MAX_ROWS_READ` rows are read and at
most `MAX_COUNTED` counted; beyond that the count is capped and a badge shows "99+". Imported messages and the user's
own never count. Where nothing that was read counts, up to `MAX_PAGES` times as many rows are read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant, lenient_ms, milliseconds
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import MessageId, RoomId, encode, first_of, is_ulid, time_of
from sobremesa.http.large_requests import LargeRequests
from sobremesa.rooms.access import Seat
from sobremesa.rooms.entities import CLEAN, Flags, Message, ReadCursor
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.tails import Tails
from sobremesa.rooms.views import UnreadView
from sobremesa.rooms.visibility import withholds
from sobremesa.table import (
    Condition,
    IndexKey,
    Key,
    Page,
    RawKey,
    ReadCache,
    Table,
    all_of,
    greater,
    less_if_present,
)

MAX_COUNTED = 100
MAX_ROWS_READ = 200
MAX_PAGES = 5
"""How many times that many rows are read where messages that never count follow the cursor."""
COUNTED_AT_ONCE = 16
CACHED_COUNTS = 10_000
ROOM_BATCH = 100
MANY_ROOMS = 100

NOTHING_UNREAD = UnreadView(0, False, 0)
SOME_UNREAD = UnreadView(1, True, 0)
"""Unread messages exist, but were not counted."""

LAST_ULID = encode((1 << 128) - 1)


def moves_forward(message_id: MessageId, field: str = "last_read_message_id") -> Condition:
    """Return the condition that a cursor or a head moves forward. Ids that sort after all ULIDs have no order."""
    return less_if_present(field, message_id) | greater(field, LAST_ULID)


def cursor_moves_forward(message: Message, fields: Mapping[str, Any]) -> Condition:
    """Return the condition that a cursor moves forward: by id, or by time if another writer minted the id."""
    if is_ulid(message.message_id) or not fields:
        return moves_forward(message.message_id)
    return all_of(*(less_if_present(field, value) for field, value in fields.items()))


class MessageToCount(msgspec.Struct, frozen=True):
    """The fields of a message that decide whether it counts as unread."""

    message_id: MessageId
    author_id: UserId
    type: str = "text"
    deleted: bool = False
    mentions: list[UserId] | None = None
    flags: Flags | None = None
    nsfw_band: int | None = None
    created_at: Instant | None = None
    imported: bool | None = None


class RoomUnreadState(NamedTuple):
    """A user's seat in a room, their read position and their unread count."""

    seat: Seat
    cursor: ReadCursor | None
    unread: UnreadView

    @property
    def muted(self) -> bool:
        return self.cursor is not None and self.cursor.muted


class Unread:
    """Counts unread messages in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, tails: Tails) -> None:
        self._kind = kind
        self._table = table
        self._tails = tails
        self._in_order_of_time = kind.has_time_in_keys
        self._large_requests = LargeRequests()
        self._counts: ReadCache[tuple[RoomId, UserId, MessageId, MessageId | None, bool], UnreadView] = ReadCache(
            table, CACHED_COUNTS
        )
        """Counts of rooms in which nothing has changed: a list of rooms has many of them."""

    async def count(self, seat: Seat, cursor: ReadCursor | None) -> UnreadView:
        """Return the unread count of a seat with this cursor."""
        if is_read(seat, cursor):
            return NOTHING_UNREAD
        floor = read_up_to(seat, cursor)
        key = (seat.room_id, seat.user_id, floor, seat.head.last_unread_id, seat.safe_mode)
        return await self._counts.get_or_load(key, lambda: self._count(seat, floor))

    async def _count(self, seat: Seat, floor: MessageId) -> UnreadView:
        others: list[MessageToCount] = []
        has_more = reads_on = False
        start = self._kind.message_key(seat.room_id, floor)
        after: Key[Message] | RawKey | IndexKey | None = start
        for _ in range(MAX_PAGES):
            page: Page[Any] | None = None
            if after is start:
                page = await self._tails.find_page(seat.head, after=start, limit=MAX_ROWS_READ, newest_first=False)
            if page is None:
                page = await self._table.query(
                    self._kind.messages(room_id=seat.room_id),
                    into=MessageToCount,
                    limit=MAX_ROWS_READ,
                    after=after,
                    newest_first=False,
                    consistent=False,
                )
            rows = page.items if self._in_order_of_time else [row for row in page.items if _is_after(row, floor)]
            others += [row for row in rows if row.author_id != seat.user_id and not _is_gone(seat, row)]
            # If the last row was read before, so were those after it: they have other writers' ids.
            has_more = page.last is not None and bool(rows) and rows[-1] is page.items[-1]
            has_imports = any(row.imported for row in rows)
            if has_more and has_imports and rows[-1].message_id >= (seat.head.last_unread_id or floor):
                has_more = False  # only imported messages follow
            reads_on = has_imports or not others
            if not has_more or not reads_on or len(others) > MAX_COUNTED:
                break
            after = page.last
        if has_more and not others:
            return SOME_UNREAD
        counted = others[:MAX_COUNTED]
        mentions = sum(seat.user_id in (row.mentions or ()) for row in counted)
        return UnreadView(len(counted), len(others) > MAX_COUNTED or has_more, mentions)

    async def everywhere(self, seats: Sequence[Seat]) -> list[RoomUnreadState]:
        """Return the unread states of all rooms of a user; with many rooms, only one request of the user at a time."""
        if len(seats) <= MANY_ROOMS:
            return await self.unread_states(seats)
        with self._large_requests.one_at_a_time(seats[0].user_id):
            return await self.unread_states(seats)

    async def unread_states(self, seats: Sequence[Seat], *, counted: int | None = None) -> list[RoomUnreadState]:
        """Return the unread states of some rooms of a user.

        With `counted`, unread messages are counted in that many rooms; the others only state that there are some.
        """
        found: list[RoomUnreadState] = []
        for start in range(0, len(seats), ROOM_BATCH):
            some = seats[start : start + ROOM_BATCH]
            left = None if counted is None else counted - sum(each.unread.count > 0 for each in found)
            found += await self._some(some, left)
            await asyncio.sleep(0)  # a user may be in thousands of rooms: yield to other tasks
        return found

    async def _some(self, seats: Sequence[Seat], counted: int | None) -> list[RoomUnreadState]:
        without = [seat for seat in seats if seat.cursor is None]
        found = await self._table.get_many([self._kind.cursor_key(seat.room_id, seat.user_id) for seat in without])
        cursors = {seat.room_id: cursor for seat, cursor in zip(without, found, strict=True)}
        pairs = [(seat, seat.cursor or cursors[seat.room_id]) for seat in seats]
        unread = [pair for pair in pairs if not is_read(*pair)]
        first = unread if counted is None else unread[: max(counted, 0)]
        counts = await gather_bounded(COUNTED_AT_ONCE, lambda pair: self.count(*pair), first)
        views = {seat.room_id: SOME_UNREAD for seat, _ in unread}
        views |= {seat.room_id: count for (seat, _), count in zip(first, counts, strict=True)}
        return [RoomUnreadState(seat, cursor, views.get(seat.room_id, NOTHING_UNREAD)) for seat, cursor in pairs]


def is_read(seat: Seat, cursor: ReadCursor | None) -> bool:
    """Return whether everything is read, without a read of the messages."""
    last = seat.head.last_unread_id
    return not seat.head.is_incomplete if last is None else is_ulid(last) and last <= read_up_to(seat, cursor)


def read_up_to(seat: Seat, cursor: ReadCursor | None) -> MessageId:
    """Return the id above which messages are unread: the cursor, but at least the time of joining."""
    joined = max(_first_id_at(seat.joined_at), seat.head.read_by(seat.user_id) or MessageId(""))
    if cursor is None:
        return joined
    read = cursor.last_read_message_id
    if read is None or not is_ulid(read):
        # Another writer's id has no order; the time stored with it has.
        read = joined if cursor.read_ms is None else MessageId(first_of(cursor.read_ms + 1))
    return max(read, joined)


def _is_after(row: MessageToCount, floor: MessageId) -> bool:
    """Return whether a message is newer than this id, since another writer's id may sort after all ULIDs.

    A message without a time, in its id or stored, counts as newer.
    """
    if is_ulid(row.message_id):
        return True
    written_ms = lenient_ms(row.created_at) if row.created_at else None
    return written_ms is None or written_ms >= time_of(floor)


def _is_gone(seat: Seat, row: MessageToCount) -> bool:
    """Return whether a message never counts as unread: deleted, imported, withheld, or a system notice."""
    if row.imported:
        return True
    moderation = (row.flags.moderation if row.flags else None) or CLEAN
    return row.deleted or row.type == "system" or withholds(moderation, row.nsfw_band, safe_mode=seat.safe_mode)


@lru_cache(maxsize=CACHED_COUNTS)
def _first_id_at(joined_at: Instant) -> MessageId:
    """Return the least id of a time, that at which a user joined; parsing it costs more than the rest of a check."""
    try:
        return MessageId(first_of(milliseconds(joined_at)))
    except ValueError:
        return MessageId(first_of(0))  # a time in another writer's format
