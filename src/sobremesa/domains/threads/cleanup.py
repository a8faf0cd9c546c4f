"""Removes a deleted account from threads: rows are deleted and names masked. Agreements stay."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Refusal
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import (
    THREADS,
    cards_in,
    clean_up,
    former_threads_of,
    inbox_of,
    participant_of,
    thread_by_id,
)
from sobremesa.domains.threads.participants import ATTEMPTS, departure_operations
from sobremesa.rooms.files import Files
from sobremesa.rooms.user_data import RoomUserData
from sobremesa.table import Delete, Table, equals
from sobremesa.table.errors import ConditionFailed


class Cleanup:
    """Removes and exports the data of users in threads."""

    def __init__(self, table: Table, clock: Clock, files: Files) -> None:
        self._table = table
        self._clock = clock
        self._user_data = RoomUserData(THREADS, table, files, pattern=clean_up)

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return None: threads never prevent the deletion of an account."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove a user from every thread, and their name from all of their messages.

        The removal comes first: another node may trust a session for a second, and could still send under the name.
        """
        async for participant in self._table.every(inbox_of(user_id=user_id)):
            await self._leave(participant.room_id, user_id)
        async for former in self._table.every(former_threads_of(user_id=user_id)):
            await self._user_data.mask(former.room_id, user_id)
            await self._table.write_many([Delete(former.own_key())], pattern=clean_up)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield all data of a user in threads: participations, messages, reactions and cards."""
        rooms: list[RoomId] = []
        async for participant in self._table.every(inbox_of(user_id=user_id)):
            rooms.append(participant.room_id)
            yield {
                "kind": "threadParticipant",
                "threadId": participant.room_id,
                "roleContext": participant.role_context,
                "joinedAt": participant.joined_at,
                "lastReadMessageId": participant.last_read_message_id,
                "muted": participant.muted,
            }
        async for former in self._table.every(former_threads_of(user_id=user_id)):
            rooms.append(former.room_id)
            yield {"kind": "formerThreadParticipant", "threadId": former.room_id, "leftAt": former.left_at}
        for room_id in dict.fromkeys(rooms):
            async for line in self._user_data.export(room_id, user_id):
                yield line
            async for card in self._table.every(cards_in(room_id=room_id), where=equals("created_by", user_id)):
                yield {
                    "kind": "card",
                    "threadId": room_id,
                    "messageId": card.message_id,
                    "type": card.type,
                    "state": card.state,
                    "payload": card.payload,
                    "createdAt": card.created_at,
                }

    async def _leave(self, room_id: RoomId, user_id: UserId) -> None:
        for _ in range(ATTEMPTS):
            thread, participant = await self._table.get_pair(
                thread_by_id(room_id=room_id), participant_of(room_id=room_id, user_id=user_id), consistent=True
            )
            if thread is None or participant is None:
                return
            try:
                await self._table.write(
                    departure=departure_operations(thread, participant, self._clock.now()), pattern=clean_up
                )
            except ConditionFailed:
                continue  # another participant joined or left
            return
        raise Busy
