"""Reads cards: completes those of other writers, and withholds payloads that a reader may not see."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.clock import EPOCH, Instant, fixed_width
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.access import ThreadSeat
from sobremesa.domains.threads.card_types import CardTypes
from sobremesa.domains.threads.entities import THREADS, Card, ThreadId, card_by_id, participant_of
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.visibility import may_see
from sobremesa.table import Table


class CardReader:
    """Finds cards and completes those of other writers."""

    def __init__(self, table: Table, types: CardTypes) -> None:
        self._table = table
        self._types = types

    async def find(self, thread_id: ThreadId, message_id: MessageId) -> Card | None:
        """Return a card, or None."""
        card = await self._table.get(card_by_id(room_id=thread_id, message_id=message_id))
        return None if card is None else await self.complete(card)

    async def complete(self, card: Card) -> Card:
        """Add what the row of another writer lacks: the documented attributes do not include the creator."""
        if card.created_by is not None:
            return card
        message = await find_message(THREADS, self._table, card.room_id, card.message_id)
        author = None if message is None else message.author_id
        participant = None
        if author is not None:
            participant = await self._table.get(participant_of(room_id=card.room_id, user_id=author))
        at = EPOCH if message is None else message.sent_at
        return msgspec.structs.replace(
            card,
            created_by=author,
            created_as=None if participant is None else participant.role_context,
            expires_at=card.expires_at or self._expiry(card),
            created_at=at if card.created_at == EPOCH else card.created_at,
            updated_at=at if card.updated_at == EPOCH else card.updated_at,
        )

    def _expiry(self, card: Card) -> Instant | None:
        """Return the expiry time in the payload, if the card can expire in its state."""
        ends = card.payload.get("expiresAt")
        is_ended_by_time = self._types.knows(card.type) and self._types.get(card.type).expires_in(card.state)
        return fixed_width(ends) if is_ended_by_time and isinstance(ends, str) else None


def may_see_card(seat: ThreadSeat, card: Card) -> bool:
    """Return whether a reader may see the payload. The system, which has no row in the thread, may see all."""
    return seat.participant is None or may_see(seat, card)


def as_seen_by(seat: ThreadSeat, card: Card) -> Card:
    """Return the card as a reader may see it: complete, or without its payload."""
    return card if may_see_card(seat, card) else withheld(card)


def withheld(card: Card) -> Card:
    """Return the card without its payload and the reasons of its verdict."""
    changes: dict[str, Any] = {"payload": {}}
    if card.flags is not None:
        changes["flags"] = msgspec.structs.replace(card.flags, policy_hints=[])
    return msgspec.structs.replace(card, **changes)
