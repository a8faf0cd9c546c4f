"""Adoption of rooms that another program wrote: completes heads without a last message."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import Clock
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.rooms.entities import Head, Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.unread import LAST_ULID
from sobremesa.table import Table, Update, absent_or_null, set_to
from sobremesa.work.migration import Step


async def last_message(kind: RoomKind, table: Table, clock: Clock, head: Head) -> Sequence[Step]:
    """Return the step that writes the last message of a room into a head without one."""
    if head.last_message_id is not None:
        return ()
    last = await find_last(kind, table, clock, head.room_id)
    if last is None:
        return ()
    known = Update(head.own_key(), set_to(last_message_id=last.message_id), when=absent_or_null("last_message_id"))
    return (Step("it has no last message", [known]),)


async def find_last(kind: RoomKind, table: Table, clock: Clock, room_id: RoomId) -> Message | None:
    """Return the last message of a room.

    Other programs' ids may have any form. None for a message whose key or id sorts after all future messages: as a
    head it would block the room. An id that sorts after every ULID does not.
    """
    page = await table.query(kind.messages(room_id=room_id), limit=1)
    upcoming_id = MessageId(first_of(clock.now_ms() + 1))
    upcoming = kind.message_key(room_id, upcoming_id)
    last: Message | None = page.items[0] if page.items else None
    if last is None or last.own_key().raw.sk >= upcoming.raw.sk:
        return None
    return None if upcoming_id <= last.message_id <= LAST_ULID else last
