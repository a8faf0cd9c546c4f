"""The positions of conversations in the inboxes of their participants, unless they are big.

A conversation moves with the first message that is more than `PLACE_MS` newer than its position: what moves every
participant's row is paid once for all messages of a few minutes. The heads have the exact order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sobremesa.core.clock import EPOCH, fixed_width
from sobremesa.core.ids import RoomId
from sobremesa.domains.conversations.entities import (
    BIG_ABOVE,
    Conversation,
    Participant,
    conversation_by_id,
    move_in_inbox,
    participants_of,
)
from sobremesa.rooms.inbox_moves import InboxMove, InboxMoves

_LAST_MESSAGE_AT = Conversation.shape.attribute("last_message_at")


class Activity(InboxMoves):
    """Moves conversations in inboxes."""

    pattern = move_in_inbox

    def find_room(self, new: dict[str, Any], old: dict[str, Any] | None) -> RoomId | None:
        if _LAST_MESSAGE_AT not in new:
            # Another writer's seat has no position in the inbox.
            seat = self._table.as_entity(new, Participant) if old is None else None
            return None if seat is None else seat.room_id
        if old is not None and old.get(_LAST_MESSAGE_AT) == new[_LAST_MESSAGE_AT]:
            return None
        conversation = self._table.as_entity(new, Conversation)
        if conversation is None or conversation.is_big:
            return None
        before = None if old is None else self._table.as_entity(old, Conversation)
        return None if before is not None and before.place == conversation.place else conversation.room_id

    async def list_moves(self, room_id: RoomId) -> Sequence[InboxMove]:
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        if conversation is None or conversation.is_big:
            return ()
        at = conversation.place
        page = await self._table.query(participants_of(room_id=room_id), limit=BIG_ABOVE + 1, consistent=False)
        if len(page.items) > BIG_ABOVE:
            return ()
        return [
            InboxMove(seat, seat.last_message_at, at or fixed_width(seat.joined_at) or EPOCH) for seat in page.items
        ]
