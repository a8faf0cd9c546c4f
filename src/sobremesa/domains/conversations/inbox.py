"""A user's inbox: conversations by most recent activity, with previews and unread counts.

Small conversations are in an index by their position, which `activity` moves soon after a message that is more than
`PLACE_MS` newer. Big groups are not moved in it and are merged in here, since a user is in few of them. The heads,
which are read for the previews, have the exact times. The index is therefore read until all that follows is older than
the page by more than that, and the page is exact.

A page costs two queries and one batch get, and one bounded count for each conversation with a message after the
reader's cursor; only where more conversations than a page shows were active in the same minutes, it reads on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.clock import EPOCH, Instant, fixed_width, instant, lenient_ms
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import User, profile_of, user_by_id
from sobremesa.domains.conversations.access import Access, ConversationSeat
from sobremesa.domains.conversations.entities import (
    PLACE_MS,
    ConversationId,
    Participant,
    big_groups_of,
    conversations_of,
    inbox_of,
)
from sobremesa.rooms.unread import COUNTED_AT_ONCE, NOTHING_UNREAD, Unread
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Table
from sobremesa.work.table_origin import Origin

MAX_READINGS = 4
"""How often the index is read for a page, each time for twice as many rows."""


class InboxPosition(NamedTuple):
    """The position of a conversation in an inbox."""

    at: Instant
    room_id: ConversationId


class InboxRow(NamedTuple):
    """A conversation in its reader's inbox."""

    seat: ConversationSeat
    unread: UnreadView
    other: PublicProfile | None
    """In a direct conversation, the other participant."""


class Inbox:
    """Lists a user's conversations."""

    def __init__(self, table: Table, access: Access, origin: Origin, unread: Unread) -> None:
        self._table = table
        self._access = access
        self._origin = origin
        self._unread = unread

    async def list_conversations(
        self, actor: Actor, *, limit: int, cursor: str | None = None
    ) -> tuple[list[InboxRow], str | None]:
        """Return a page of the actor's conversations, most recent activity first."""
        asked = f"conversations {actor.user_id}".encode()
        before = None if cursor is None else _position(*self._table.cursors.open(cursor, asked, 2))

        rows = await self._merged(actor.user_id)
        found, others = dict[ConversationId, ConversationSeat](), dict[UserId, User]()
        places: dict[ConversationId, InboxPosition] = {}
        start, listed, end = before, list[ConversationSeat](), before
        for reading in range(MAX_READINGS):
            # Mostly the first reading suffices; a busy inbox takes few.
            asked_for = limit * 2**reading + 1
            small = await self._small(actor.user_id, start, asked_for)
            seats, users = await self._seats(actor, [*rows, *small])
            found |= {seat.room_id: seat for seat in seats}
            places |= {seat.room_id: _last_activity(seat) for seat in seats}
            others |= users
            rows = []
            newest_first = sorted(found.values(), key=lambda seat: places[seat.room_id], reverse=True)
            listed = [seat for seat in newest_first if before is None or places[seat.room_id] < before]
            end = _place(small[-1]) if len(small) == asked_for else None
            if end is None or (len(listed) > limit and _latest(end) < places[listed[limit - 1].room_id].at):
                break
            start = end

        page = listed[:limit]
        last = end if len(listed) <= limit else places[page[-1].room_id]
        return await self._rows(page, others), None if last is None else self._table.cursors.seal(last, asked)

    async def list_all(self, actor: Actor, rows: Sequence[Participant]) -> list[InboxRow]:
        """Return all conversations of the actor, given their rows in any order, most recent activity first."""
        seats, others = await self._seats(actor, rows)
        return await self._rows(sorted(seats, key=_last_activity, reverse=True), others)

    async def _seats(
        self, actor: Actor, rows: Sequence[Participant]
    ) -> tuple[list[ConversationSeat], dict[UserId, User]]:
        """Return the seats that exist, and the other users of direct conversations."""
        room_ids = list(dict.fromkeys(row.room_id for row in rows))
        profiles = [user_by_id(user_id=row.other_id) for row in rows if row.other_id is not None]
        seats, users = await self._access.seats_and(actor, room_ids, profiles)
        return seats, {user.user_id: user for user in users}

    async def _rows(self, seats: Sequence[ConversationSeat], others: dict[UserId, User]) -> list[InboxRow]:
        return await gather_bounded(COUNTED_AT_ONCE, lambda seat: self._row(seat, others), seats)

    async def _merged(self, user_id: UserId) -> Sequence[Participant]:
        """Return the seats without a position: in big groups and, until the table is adopted, of other writers."""
        big = [row async for row in self._table.every(big_groups_of(user_id=user_id))]
        if await self._origin.is_complete():
            return big
        listed = self._table.every(conversations_of(user_id=user_id))
        return [*big, *[row async for row in listed if row.last_message_at is None]]

    async def get(self, actor: Actor, room_id: ConversationId) -> InboxRow:
        """Return one of the actor's conversations, as it is in the list."""
        seat = await self._access.authorize(actor.or_system("rooms:read", "rooms:write"), room_id)
        return await self._row(seat, {})

    async def _small(self, user_id: UserId, before: InboxPosition | None, limit: int) -> Sequence[Participant]:
        question = inbox_of(user_id=user_id)
        start = None if before is None else question.position_of(_at(before, user_id))
        return (await self._table.query(question, limit=limit, after=start)).items

    async def _row(self, seat: ConversationSeat, others: dict[UserId, User]) -> InboxRow:
        if seat.is_system:
            return InboxRow(seat, NOTHING_UNREAD, None)
        other_id = await self._access.find_other(seat.conversation, seat.participant)
        other = None
        if other_id is not None:
            user = others.get(other_id) or await self._table.get(user_by_id(user_id=other_id))
            other = profile_of(other_id, user)
        return InboxRow(seat, await self._unread.count(seat, seat.participant), other)


def _last_activity(seat: ConversationSeat) -> InboxPosition:
    """Return the time of the last message or, if there is none since the user joined, of joining."""
    times = (seat.conversation.last_message_at, seat.participant.joined_at)
    return InboxPosition(max(filter(None, map(fixed_width, times)), default=EPOCH), seat.room_id)


def _place(row: Participant) -> InboxPosition:
    return InboxPosition(row.last_message_at or row.joined_at, row.room_id)


def _latest(place: InboxPosition) -> Instant:
    """Return the latest time of a last message of conversations at this position and before it."""
    return instant((lenient_ms(place.at) or 0) + PLACE_MS)


def _at(position: InboxPosition, user_id: UserId) -> Participant:
    """Return a row with this position, as the start of a query: it need not exist."""
    return Participant(room_id=position.room_id, user_id=user_id, last_message_at=position.at)


def _position(at: str, room_id: str) -> InboxPosition:
    return InboxPosition(Instant(at), RoomId(room_id))
