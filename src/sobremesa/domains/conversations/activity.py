"""Activity: moves conversations up in the inboxes of their participants after a message.

It consumes the change stream, so it works for messages of every writer, and after a crash. A position in an inbox only
moves forward, so the move is idempotent.
"""

from __future__ import annotations

import asyncio
import contextlib

from sobremesa.core.clock import EPOCH, fixed_width
from sobremesa.domains.conversations.entities import (
    Conversation,
    ConversationId,
    Participant,
    conversation_by_id,
    move_in_inbox,
    participants_of,
)
from sobremesa.domains.conversations.service import BIG_ABOVE
from sobremesa.table import RawChange, Table, Update, less, less_if_present, set_to
from sobremesa.table.errors import ConditionFailed

AT_ONCE = 8

_LAST_MESSAGE_AT = Conversation.shape.attribute("last_message_at")


class Activity:
    """Moves conversations in inboxes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._waiting: set[ConversationId] = set()

    def collect(self, change: RawChange) -> None:
        new, old = change.new, change.old
        if new is None:
            return
        if _LAST_MESSAGE_AT not in new:
            # Another writer's seat has no position in the inbox.
            seat = self._table.as_entity(new, Participant) if old is None else None
            if seat is not None:
                self._waiting.add(seat.room_id)
            return
        if old is not None and old.get(_LAST_MESSAGE_AT) == new[_LAST_MESSAGE_AT]:
            return
        conversation = self._table.as_entity(new, Conversation)
        if conversation is not None and not conversation.is_big:
            self._waiting.add(conversation.room_id)

    async def flush(self) -> None:
        at_once = asyncio.Semaphore(AT_ONCE)

        async def move(room_id: ConversationId) -> None:
            async with at_once:
                await self.move(room_id)

        async with asyncio.TaskGroup() as group:
            for room_id in self._waiting:
                group.create_task(move(room_id))
        self._waiting.clear()

    async def move(self, room_id: ConversationId) -> None:
        """Move a conversation to the time of its last message in the inboxes of all participants."""
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        # Another writer's times may have another format; in a key they need a fixed width to sort.
        if conversation is None or conversation.is_big:
            return
        at = fixed_width(conversation.last_message_at)
        page = await self._table.query(participants_of(room_id=room_id), limit=BIG_ABOVE + 1, consistent=False)
        if len(page.items) > BIG_ABOVE:
            return
        moves = ((participant, at or fixed_width(participant.joined_at) or EPOCH) for participant in page.items)
        behind = [(participant, to) for participant, to in moves if (participant.last_message_at or "") < to]
        await asyncio.gather(*(self._move_for(participant, to) for participant, to in behind))

    async def _move_for(self, participant: Participant, at: str) -> None:
        # A seat that lost its position is in a group that became big meanwhile, and stays without one.
        forward = less_if_present if participant.last_message_at is None else less
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Update(participant.own_key(), set_to(last_message_at=at), when=forward("last_message_at", at)),
                pattern=move_in_inbox,
            )
