"""Activity: conversations move up in people's inboxes when something was said.

It follows the change log, so it happens whoever wrote the message, and also when a process died right after it. A
place in an inbox only moves forward, so doing it twice is the same as once.
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
            # Another writer's seat has no place in the inbox.
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
        """Bring a conversation up to its last message in the inboxes of everybody in it."""
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        # Another writer spells times in its own way; in a key they have one width, or they would not sort.
        if conversation is None or conversation.is_big:
            return
        at = fixed_width(conversation.last_message_at)
        page = await self._table.query(participants_of(room_id=room_id), limit=BIG_ABOVE + 1, consistent=False)
        if len(page.items) > BIG_ABOVE:
            return
        moves = ((place, at or fixed_width(place.joined_at) or EPOCH) for place in page.items)
        behind = [(place, to) for place, to in moves if (place.last_message_at or "") < to]
        await asyncio.gather(*(self._move_for(place, to) for place, to in behind))

    async def _move_for(self, place: Participant, at: str) -> None:
        # A seat that had a place and has none now is in a group that grew big meanwhile: there it stays without.
        forward = less_if_present if place.last_message_at is None else less
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Update(place.own_key(), set_to(last_message_at=at), when=forward("last_message_at", at)),
                pattern=move_in_inbox,
            )
