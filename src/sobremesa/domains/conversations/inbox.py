"""A user's inbox: conversations by most recent activity, with previews and unread counts.

Small conversations are in an index by their last activity, which `activity` updates soon after each message. Big
groups are not moved in it and are merged in here, since a user is in few of them. The conversations have the exact
time of their last message, so each page is sorted again by that time.

Regardless of the number of conversations, a page costs two queries and one batch get, and one bounded count for each
conversation with a message after the reader's cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.clock import EPOCH, Instant, fixed_width
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import User, profile_of, user_by_id
from sobremesa.domains.conversations.access import Access, ConversationSeat
from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
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

    def __init__(self, table: Table, access: Access, origin: Origin) -> None:
        self._table = table
        self._access = access
        self._origin = origin
        self._unread = Unread(CONVERSATIONS, table)

    async def list_conversations(
        self, actor: Actor, *, limit: int, cursor: str | None = None
    ) -> tuple[list[InboxRow], str | None]:
        """Return a page of the actor's conversations, most recent activity first."""
        asked = f"conversations {actor.user_id}".encode()
        before = None if cursor is None else _position(*self._table.cursors.open(cursor, asked, 2))

        small = await self._small(actor.user_id, before, limit)
        merged = await self._merged(actor.user_id)
        seats, others = await self._seats(actor, [*small, *merged])

        in_index = {row.room_id: InboxPosition(row.last_message_at or row.joined_at, row.room_id) for row in small}
        positions = {seat.room_id: in_index.get(seat.room_id) or _last_activity(seat) for seat in seats}
        # The index was not read beyond the last of them: older big groups belong to a later page.
        floor = in_index[small[-1].room_id] if len(small) > limit else None
        listed = [
            seat
            for seat in sorted(seats, key=lambda seat: positions[seat.room_id], reverse=True)
            if (before is None or positions[seat.room_id] < before)
            and (floor is None or positions[seat.room_id] >= floor)
        ]

        page = listed[:limit]
        last = positions[page[-1].room_id] if len(listed) > limit else floor
        newest_first = await self._newest_first(page, others)
        return newest_first, None if last is None else self._table.cursors.seal(last, asked)

    async def list_all(self, actor: Actor, rows: Sequence[Participant]) -> list[InboxRow]:
        """Return all conversations of the actor, given their rows in any order, most recent activity first."""
        return await self._newest_first(*await self._seats(actor, rows))

    async def _seats(
        self, actor: Actor, rows: Sequence[Participant]
    ) -> tuple[list[ConversationSeat], dict[UserId, User]]:
        """Return the seats that exist, and the other users of direct conversations."""
        room_ids = list(dict.fromkeys(row.room_id for row in rows))
        profiles = [user_by_id(user_id=row.other_id) for row in rows if row.other_id is not None]
        seats, users = await self._access.seats_and(actor, room_ids, profiles)
        return seats, {user.user_id: user for user in users}

    async def _newest_first(self, seats: Sequence[ConversationSeat], others: dict[UserId, User]) -> list[InboxRow]:
        rows = await gather_bounded(COUNTED_AT_ONCE, lambda seat: self._row(seat, others), seats)
        return sorted(rows, key=lambda row: _last_activity(row.seat), reverse=True)

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
        return (await self._table.query(question, limit=limit + 1, after=start)).items

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
    times = (seat.conversation.last_message_at, seat.participant.joined_at)
    return InboxPosition(next(filter(None, map(fixed_width, times)), EPOCH), seat.room_id)


def _at(position: InboxPosition, user_id: UserId) -> Participant:
    """Return a row with this position, as the start of a query: it need not exist."""
    return Participant(room_id=position.room_id, user_id=user_id, last_message_at=position.at)


def _position(at: str, room_id: str) -> InboxPosition:
    return InboxPosition(Instant(at), RoomId(room_id))
