"""What an emptied group or a deleted account leaves behind in conversations, taken away row by row.

Each of these may start again from the beginning at any time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.errors import Refusal
from sobremesa.core.ids import RoomId
from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
    Participant,
    clean_up,
    conversation_by_id,
    conversations_of,
    everything_in,
    former_seats_of,
    seat_of,
)
from sobremesa.domains.conversations.seats import Seats
from sobremesa.rooms.files import Files
from sobremesa.rooms.user_data import RoomUserData
from sobremesa.table import Delete, Table
from sobremesa.work.quotas import guard_of


class Cleanup:
    """Takes away what people leave behind in conversations."""

    def __init__(self, table: Table, seats: Seats, files: Files) -> None:
        self._table = table
        self._seats = seats
        self._user_data = RoomUserData(CONVERSATIONS, table, files, pattern=clean_up)

    async def clean_conversation(self, subject: str) -> None:
        """Take away a group that nobody is in any more."""
        room_id = RoomId(subject)
        await self._user_data.discard_files(room_id)
        await self._table.delete_every(everything_in(room_id=room_id), pattern=clean_up)
        gone = [guard_of(quota="pins", owner_id=room_id), conversation_by_id(room_id=room_id)]
        await self._table.write_many([Delete(key) for key in gone], pattern=clean_up)

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Nothing in a conversation keeps a person from leaving."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Take a person out of their groups, and their name out of everything they said.

        In a direct conversation their seat stays, for the other one's sake: it says no more than that they were there.
        """
        for place in await self._places(user_id):
            conversation = await self._table.get(conversation_by_id(room_id=place.room_id))
            if conversation is not None and conversation.type == "group":
                await self._seats.hand_over_and_leave(conversation, place)
            else:
                await self._user_data.mask(place.room_id, user_id)
        async for former in self._table.every(former_seats_of(user_id=user_id)):
            await self._user_data.mask(former.room_id, user_id)
            await self._table.write_many([Delete(former.own_key())], pattern=clean_up)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Everything that a person has in conversations: their seats, how far they read, what they said and did."""
        rooms: list[RoomId] = []
        for place in await self._places(user_id):
            rooms.append(place.room_id)
            yield {
                "kind": "participant",
                "convoId": place.room_id,
                "role": place.role,
                "joinedAt": place.joined_at,
                "lastReadMessageId": place.last_read_message_id,
            }
        async for former in self._table.every(former_seats_of(user_id=user_id)):
            rooms.append(former.room_id)
            yield {"kind": "formerParticipant", "convoId": former.room_id, "leftAt": former.left_at}
        for room_id in dict.fromkeys(rooms):
            async for line in self._user_data.export(room_id, user_id):
                yield line

    async def _places(self, user_id: UserId) -> list[Participant]:
        """A person's seats; an index may list one that is gone."""
        listed = [place async for place in self._table.every(conversations_of(user_id=user_id))]
        found = await self._table.get_many(
            [seat_of(room_id=place.room_id, user_id=user_id) for place in listed], consistent=True
        )
        return [place for place in found if place is not None]
