"""Adoption of conversations that another program wrote: pair claims, counts, last messages, inbox positions."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import EPOCH, Clock, fixed_width
from sobremesa.domains.conversations.entities import (
    BIG_ABOVE,
    CONVERSATIONS,
    Conversation,
    Participant,
    conversation_by_id,
    direct_between,
    direct_claim,
    participants_of,
)
from sobremesa.rooms.adopting import last_message
from sobremesa.table import (
    Check,
    Create,
    Table,
    Update,
    absent_or_null,
    differs,
    equals,
    present,
    set_to,
)
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table, clock: Clock) -> Sequence[Move]:
    """Return the steps that complete conversations and seats."""

    async def conversation(row: Conversation) -> Sequence[Step]:
        last = await last_message(CONVERSATIONS, table, clock, row)
        if row.participants is not None and row.type == "group":
            return last
        participants = [participant async for participant in table.every(participants_of(room_id=row.room_id))]
        if row.type == "group":
            return (*last, *_numbers(row, participants))
        return (*last, *await _pair(table, row, participants))

    async def seat(row: Participant) -> Sequence[Step]:
        if row.last_message_at is not None:
            return ()
        head = await table.get(conversation_by_id(room_id=row.room_id))
        if head is None or await _is_big(table, head):
            return ()
        at = fixed_width(head.last_message_at) or fixed_width(row.joined_at) or EPOCH
        placed = Update(row.own_key(), set_to(last_message_at=at), when=absent_or_null("last_message_at"))
        return (
            Step(
                "it has no position in the inbox",
                [placed, Check(head.own_key(), when=present() & differs("is_big", True))],
            ),
        )

    return (Companions(Conversation, conversation), Companions(Participant, seat))


async def _pair(table: Table, row: Conversation, participants: Sequence[Participant]) -> Sequence[Step]:
    """Return the steps of a direct conversation: each pair has one, and a second one is reported."""
    if len(participants) != 2:
        return (Step("a direct conversation has two participants"),)
    one, other = (participant.user_id for participant in participants)
    lower, higher = sorted((one, other))
    claim = await table.get(direct_between(lower=lower, higher=higher))
    if claim is not None and claim.room_id != row.room_id:
        return (Step("these two users have another conversation already"),)
    steps: list[Step] = []
    if claim is None:
        still = Check(row.own_key(), when=equals("type", "direct"))
        steps.append(Step("its pair is not claimed", [Create(direct_claim(one, other, row.room_id)), still]))
    for participant, another in zip(participants, (other, one), strict=True):
        if participant.other_id is None:
            named = Update(participant.own_key(), set_to(other_id=another), when=absent_or_null("other_id"))
            steps.append(Step("a seat does not name the other participant", [named]))
    if row.participants is None:
        counted = Update(row.own_key(), set_to(participants=2), when=absent_or_null("participants"))
        steps.append(Step("its participants are not counted", [counted]))
    return steps


def _numbers(row: Conversation, participants: Sequence[Participant]) -> Sequence[Step]:
    """Return the steps that count the participants; in a big group they also remove inbox positions."""
    is_big = len(participants) > BIG_ABOVE
    admins = sum(participant.role == "admin" for participant in participants)
    numbers = set_to(participants=len(participants), admins=admins, is_big=is_big)
    count = Update(row.own_key(), numbers, when=absent_or_null("participants"))
    counted = Step("its participants are not counted", [count])
    out = set_to(last_message_at=None)
    moved = [Step("a seat of a big group has a position", [Update(seat.own_key(), out)]) for seat in participants]
    return (*(moved if is_big else ()), counted)


async def _is_big(table: Table, head: Conversation) -> bool:
    if head.is_big or head.participants is not None:
        return head.is_big
    counted = await table.count(participants_of(room_id=head.room_id), at_most=BIG_ABOVE + 1)
    return counted.count > BIG_ABOVE
