"""What imports of messages need of conversations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
    FormerSeat,
    conversation_by_id,
    note_authors,
    seat_of,
)
from sobremesa.rooms.importing import ImportRoom
from sobremesa.table import Create, Table
from sobremesa.table.errors import ConditionFailed

WRITES_AT_ONCE = 8


class ConversationImports:
    """Rooms of imports: conversations."""

    kind = CONVERSATIONS

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def find_room(self, room_id: RoomId) -> ImportRoom | None:
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        if conversation is None or conversation.participants == 0:
            return None
        return ImportRoom(self.kind, room_id, conversation.tenant or DEFAULT_TENANT)

    async def note_authors(self, room_id: RoomId, user_ids: Sequence[UserId]) -> None:
        found = await self._table.get_many([seat_of(room_id=room_id, user_id=user_id) for user_id in user_ids])
        inside = {row.user_id for row in found if row is not None}
        strangers = [user_id for user_id in user_ids if user_id not in inside]
        await gather_bounded(WRITES_AT_ONCE, partial(self._note, room_id), strangers)

    async def moved(self, room_id: RoomId) -> None:
        pass  # `activity` moves conversations in inboxes by the change stream

    async def _note(self, room_id: RoomId, user_id: UserId) -> None:
        former = FormerSeat(user_id=user_id, room_id=room_id, left_at=self._clock.now())
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Create(former), pattern=note_authors)
