"""A person's inbox: their conversations, the newest activity first, with previews and what is unread.

Small conversations stand in an index by their last activity, which `activity` moves forward soon after each message.
Big groups stay where they are in it and are merged in here, since a person is in few of them. The conversations
themselves tell the exact time of their last message, so each page is put in order once more by what they say.

Whatever the number of conversations, a page costs two queries and one batch get, and one bounded count for each
conversation that has something newer than the reader's cursor.
"""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.clock import EPOCH, Instant, fixed_width
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
from sobremesa.rooms.unread import Unread
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Table
from sobremesa.table.errors import BadCursor, BadKey
from sobremesa.table.keys import check_part
from sobremesa.work.table_origin import Origin


class Place(NamedTuple):
    """Where a conversation stands in an inbox."""

    at: Instant
    room_id: ConversationId


class InboxRow(NamedTuple):
    """A conversation as its reader finds it in the inbox."""

    seat: ConversationSeat
    unread: UnreadView
    other: PublicProfile | None
    """In a direct conversation, the other one."""


class Inbox:
    """Lists conversations."""

    def __init__(self, table: Table, access: Access, origin: Origin) -> None:
        self._table = table
        self._access = access
        self._origin = origin
        self._unread = Unread(CONVERSATIONS, table)

    async def list(self, actor: Actor, *, limit: int, cursor: str | None = None) -> tuple[list[InboxRow], str | None]:
        """The conversations that one is in, the newest activity first."""
        before = None if cursor is None else _place(cursor)

        small = await self._small(actor.user_id, before, limit)
        merged = await self._merged(actor.user_id)
        room_ids = list(dict.fromkeys(place.room_id for place in (*small, *merged)))
        profiles = [user_by_id(user_id=place.other_id) for place in small if place.other_id is not None]
        seats, users = await self._access.seats_and(actor, room_ids, profiles)
        others = {user.user_id: user for user in users}

        in_index = {place.room_id: Place(place.last_message_at or place.joined_at, place.room_id) for place in small}
        places = {seat.room_id: in_index.get(seat.room_id) or _last_activity(seat) for seat in seats}
        # Below the last of them the index was not read: big groups from there on belong to a later page.
        floor = in_index[small[-1].room_id] if len(small) > limit else None
        listed = [
            seat
            for seat in sorted(seats, key=lambda seat: places[seat.room_id], reverse=True)
            if (before is None or places[seat.room_id] < before) and (floor is None or places[seat.room_id] >= floor)
        ]

        page = listed[:limit]
        last = places[page[-1].room_id] if len(listed) > limit else floor
        rows = await asyncio.gather(*(self._row(seat, others) for seat in page))
        newest_first = sorted(rows, key=lambda row: _last_activity(row.seat), reverse=True)
        return newest_first, None if last is None else _cursor(last)

    async def _merged(self, user_id: UserId) -> Sequence[Participant]:
        """The seats without a place in the order: in big groups and, until a table is adopted, of other writers."""
        big = [place async for place in self._table.every(big_groups_of(user_id=user_id))]
        if await self._origin.is_complete():
            return big
        listed = self._table.every(conversations_of(user_id=user_id))
        return [*big, *[place async for place in listed if place.last_message_at is None]]

    async def get(self, actor: Actor, room_id: ConversationId) -> InboxRow:
        """One conversation that one is in, as it would stand in the list."""
        seat = await self._access.authorize(actor, room_id)
        return await self._row(seat, {})

    async def _small(self, user_id: UserId, before: Place | None, limit: int) -> Sequence[Participant]:
        question = inbox_of(user_id=user_id)
        start = None if before is None else question.position_of(_at(before, user_id))
        return (await self._table.query(question, limit=limit + 1, after=start)).items

    async def _row(self, seat: ConversationSeat, others: dict[UserId, User]) -> InboxRow:
        other_id = await self._access.find_other(seat.conversation, seat.place)
        other = None
        if other_id is not None:
            user = others.get(other_id) or await self._table.get(user_by_id(user_id=other_id))
            other = profile_of(other_id, user)
        return InboxRow(seat, await self._unread.count(seat, seat.place), other)


def _last_activity(seat: ConversationSeat) -> Place:
    times = (seat.conversation.last_message_at, seat.place.joined_at)
    return Place(next(filter(None, map(fixed_width, times)), EPOCH), seat.room_id)


def _at(place: Place, user_id: UserId) -> Participant:
    """A row at a place of the inbox, only to point there: it need not exist."""
    return Participant(room_id=place.room_id, user_id=user_id, last_message_at=place.at)


def _cursor(place: Place) -> str:
    return urlsafe_b64encode("#".join(place).encode()).decode()


def _place(cursor: str) -> Place:
    try:
        at, room_id = urlsafe_b64decode(cursor).decode("ascii").split("#")
        check_part("at", at)
        check_part("room_id", room_id)
    except (ValueError, BadKey):
        raise BadCursor("this is no cursor of the inbox") from None
    return Place(Instant(at), RoomId(room_id))
