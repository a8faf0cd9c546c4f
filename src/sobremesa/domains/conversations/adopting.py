"""What conversations of another writer lack: the claim of a pair, numbers, the last message, places in inboxes."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import EPOCH, Clock, fixed_width
from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
    Conversation,
    Participant,
    conversation_by_id,
    direct_between,
    direct_claim,
    participants_of,
)
from sobremesa.domains.conversations.service import BIG_ABOVE
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
    """What completes conversations and seats."""

    async def conversation(row: Conversation) -> Sequence[Step]:
        last = await last_message(CONVERSATIONS, table, clock, row)
        if row.participants is not None and row.type == "group":
            return last
        places = [place async for place in table.every(participants_of(room_id=row.room_id))]
        if row.type == "group":
            return (*last, *_numbers(row, places))
        return (*last, *await _pair(table, row, places))

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
                "it has no place in the inbox",
                [placed, Check(head.own_key(), when=present() & differs("is_big", True))],
            ),
        )

    return (Companions(Conversation, conversation), Companions(Participant, seat))


async def _pair(table: Table, row: Conversation, places: Sequence[Participant]) -> Sequence[Step]:
    """One direct conversation for each pair; of two that another writer made, the second is told of."""
    if len(places) != 2:
        return (Step("a direct conversation is between two people"),)
    one, other = (place.user_id for place in places)
    lower, higher = sorted((one, other))
    claim = await table.get(direct_between(lower=lower, higher=higher))
    if claim is not None and claim.room_id != row.room_id:
        return (Step("these two have another conversation already"),)
    steps: list[Step] = []
    if claim is None:
        still = Check(row.own_key(), when=equals("type", "direct"))
        steps.append(Step("its pair is not claimed", [Create(direct_claim(one, other, row.room_id)), still]))
    for place, another in zip(places, (other, one), strict=True):
        if place.other_id is None:
            told = Update(place.own_key(), set_to(other_id=another), when=absent_or_null("other_id"))
            steps.append(Step("a seat does not tell the other one", [told]))
    if row.participants is None:
        counted = Update(row.own_key(), set_to(participants=2), when=absent_or_null("participants"))
        steps.append(Step("its people are not counted", [counted]))
    return steps


def _numbers(row: Conversation, places: Sequence[Participant]) -> Sequence[Step]:
    """A group counts its people; in a big one the seats stand where no message moves them."""
    is_big = len(places) > BIG_ABOVE
    admins = sum(place.role == "admin" for place in places)
    numbers = set_to(participants=len(places), admins=admins, is_big=is_big)
    counted = Step("its people are not counted", [Update(row.own_key(), numbers, when=absent_or_null("participants"))])
    out = set_to(last_message_at=None)
    moved = [Step("a seat is not where big groups are", [Update(place.own_key(), out)]) for place in places]
    return (*(moved if is_big else ()), counted)


async def _is_big(table: Table, head: Conversation) -> bool:
    if head.is_big or head.participants is not None:
        return head.is_big
    counted = await table.count(participants_of(room_id=head.room_id), at_most=BIG_ABOVE + 1)
    return counted.count > BIG_ABOVE
