"""Removal of the rows of empty groups and deleted accounts.

Each operation may restart at any time.
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
from sobremesa.domains.conversations.participants import Participants
from sobremesa.rooms.files import Files
from sobremesa.rooms.user_data import RoomUserData
from sobremesa.table import Delete, Table
from sobremesa.work.quotas import guard_of


class Cleanup:
    """Removes the rows of empty groups and deleted accounts."""

    def __init__(self, table: Table, participants: Participants, files: Files) -> None:
        self._table = table
        self._participants = participants
        self._user_data = RoomUserData(CONVERSATIONS, table, files, pattern=clean_up)

    async def clean_conversation(self, subject: str) -> None:
        """Remove a group without participants."""
        room_id = RoomId(subject)
        await self._user_data.discard_files(room_id)
        await self._table.delete_every(everything_in(room_id=room_id), pattern=clean_up)
        gone = [guard_of(quota="pins", owner_id=room_id), conversation_by_id(room_id=room_id)]
        await self._table.write_many([Delete(key) for key in gone], pattern=clean_up)

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return None: conversations never prevent the deletion of an account."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove a user from their groups, and their name from all their messages.

        In a direct conversation their seat remains for the other participant, without personal data.
        """
        for participant in await self._seats_of(user_id):
            conversation = await self._table.get(conversation_by_id(room_id=participant.room_id))
            if conversation is not None and conversation.type == "group":
                await self._participants.hand_over_and_leave(conversation, participant)
            else:
                await self._user_data.mask(participant.room_id, user_id)
        async for former in self._table.every(former_seats_of(user_id=user_id)):
            await self._user_data.mask(former.room_id, user_id)
            await self._table.write_many([Delete(former.own_key())], pattern=clean_up)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield a user's data in conversations: seats, read positions, messages and reactions."""
        rooms: list[RoomId] = []
        for participant in await self._seats_of(user_id):
            rooms.append(participant.room_id)
            yield {
                "kind": "participant",
                "convoId": participant.room_id,
                "role": participant.role,
                "joinedAt": participant.joined_at,
                "lastReadMessageId": participant.last_read_message_id,
            }
        async for former in self._table.every(former_seats_of(user_id=user_id)):
            rooms.append(former.room_id)
            yield {"kind": "formerParticipant", "convoId": former.room_id, "leftAt": former.left_at}
        for room_id in dict.fromkeys(rooms):
            async for line in self._user_data.export(room_id, user_id):
                yield line

    async def _seats_of(self, user_id: UserId) -> list[Participant]:
        """Return a user's seats, read consistently since the index may be stale."""
        listed = [participant async for participant in self._table.every(conversations_of(user_id=user_id))]
        found = await self._table.get_many(
            [seat_of(room_id=participant.room_id, user_id=user_id) for participant in listed], consistent=True
        )
        return [participant for participant in found if participant is not None]
