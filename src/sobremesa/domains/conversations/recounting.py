"""Recounts of conversations: participants and admins."""

from __future__ import annotations

from functools import partial

from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
    Conversation,
    conversation_by_id,
    count_seats,
    participants_of,
)
from sobremesa.rooms.recounting import check_head
from sobremesa.table import Table, Update, absent_or_null, equals, set_to
from sobremesa.work.recounts import Drift, Found


async def check(table: Table, row: Conversation) -> Found | None:
    """Compare the counts of a conversation with its participants; one without counts is completed by adoption."""
    conversation = await table.get(conversation_by_id(room_id=row.room_id))
    if conversation is None or conversation.participants is None:
        return await check_head(CONVERSATIONS, table, row)
    seats = [seat async for seat in table.every(participants_of(room_id=row.room_id))]
    stored = {"participants": conversation.participants, "admins": conversation.admins}
    true = {"participants": len(seats), "admins": sum(seat.role == "admin" for seat in seats)}
    if conversation.type == "direct":
        del stored["admins"], true["admins"]
    drift = [Drift(name, stored[name], number) for name, number in true.items() if stored[name] != number]
    if not drift:
        return await check_head(CONVERSATIONS, table, row)
    as_seen = equals("participants", conversation.participants)
    as_seen &= absent_or_null("admins") if conversation.admins is None else equals("admins", conversation.admins)
    counted = Update(conversation.own_key(), set_to(**true), when=as_seen)
    return Found(drift, partial(table.write, counted, token=None, pattern=count_seats))
