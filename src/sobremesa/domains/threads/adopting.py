"""Completes threads of other writers: index and inbox attributes, the last message, the inquiry claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sobremesa.core.clock import EPOCH, Clock, fixed_width
from sobremesa.domains.threads.copies import participants_unchanged
from sobremesa.domains.threads.entities import (
    THREADS,
    InquiryClaim,
    MessagePointer,
    Participant,
    Thread,
    ThreadMessage,
    ThreadReference,
    inquiry_of,
    participants_in,
    pointer_to,
    reference_of,
    thread_by_id,
)
from sobremesa.rooms.adopting import last_message
from sobremesa.table import Check, Create, Table, Update, equals, present, set_to
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table, clock: Clock) -> Sequence[Move]:
    """Return the moves that complete threads and their participants."""

    async def thread(row: Thread) -> Sequence[Step]:
        return (
            *await last_message(THREADS, table, clock, row),
            *await _participants(table, row),
            *await _reference(table, row),
            *await _claim(table, row),
        )

    async def index_parts(row: Thread) -> Mapping[str, Any]:
        created_at = fixed_width(row.created_at) or EPOCH
        return {"lbg_id": row.lbg_id, "leg_id": row.leg_id, "created_at": created_at}

    async def complete(row: Participant) -> Sequence[Step]:
        return ()

    async def inbox_parts(row: Participant) -> Mapping[str, Any]:
        head = None if row.last_message_at is not None else await table.get(thread_by_id(room_id=row.room_id))
        times = [row.last_message_at]
        if head is not None:
            times += [head.last_message_at, row.joined_at if row.joined_at != EPOCH else head.created_at]
        return {"last_message_at": next(filter(None, map(fixed_width, times)), EPOCH)}

    async def message(row: ThreadMessage) -> Sequence[Step]:
        return await _pointer(table, row)

    return (
        Companions(Thread, thread, indexed_by=index_parts),
        Companions(ThreadMessage, message),
        Companions(Participant, complete, indexed_by=inbox_parts),
    )


async def _participants(table: Table, row: Thread) -> Sequence[Step]:
    if row.participants:
        return ()
    inside = [participant.user_id async for participant in table.every(participants_in(room_id=row.room_id))]
    if not inside:
        return (Step("it has no participants"),)
    listed = Update(row.own_key(), set_to(participants=inside), when=present() & participants_unchanged(row))
    return (Step("it does not list its participants", [listed]),)


async def _pointer(table: Table, row: ThreadMessage) -> Sequence[Step]:
    """Add a pointer to a message whose id does not contain its time."""
    try:
        if ThreadMessage.time_parts(row.message_id)["iso"] == row.iso:
            return ()
    except ValueError:
        pass  # an id in another format
    if await table.get(pointer_to(room_id=row.room_id, message_id=row.message_id)) is not None:
        return ()
    pointer = MessagePointer(room_id=row.room_id, message_id=row.message_id, iso=row.iso)
    return (Step("it is not found by its id", [Create(pointer), Check(row.own_key(), when=present())]),)


async def _reference(table: Table, row: Thread) -> Sequence[Step]:
    """Add the row that lists a thread of an lbg and a leg under its leg; the index lists it under its lbg."""
    if row.lbg_id is None or row.leg_id is None:
        return ()
    if await table.get(reference_of(room_id=row.room_id, leg_id=row.leg_id)) is not None:
        return ()
    created_at = fixed_width(row.created_at) or EPOCH
    reference = ThreadReference(room_id=row.room_id, leg_id=row.leg_id, created_at=created_at)
    still = Check(row.own_key(), when=equals("leg_id", row.leg_id))
    return (Step("it is not found by its leg", [Create(reference), still]),)


async def _claim(table: Table, row: Thread) -> Sequence[Step]:
    """Claim the one inquiry per buyer, seller and listing; a second one of another writer is reported."""
    if row.kind != "inquiry" or row.listing_id is None:
        return ()
    claim = InquiryClaim(
        buyer_user_id=row.buyer_user_id,
        seller_user_id=row.seller_user_id,
        listing_id=row.listing_id,
        room_id=row.room_id,
    )
    parts = {"buyer_user_id": row.buyer_user_id, "seller_user_id": row.seller_user_id, "listing_id": row.listing_id}
    held = await table.get(inquiry_of(**parts))
    if held is not None:
        return (
            ()
            if held.room_id == row.room_id
            else (Step("another thread is the inquiry of this buyer about this listing"),)
        )
    still = Check(row.own_key(), when=equals("kind", "inquiry") & equals("listing_id", row.listing_id))
    return (Step("its inquiry is not claimed", [Create(claim), still]),)
