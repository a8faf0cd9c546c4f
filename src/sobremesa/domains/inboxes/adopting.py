"""Completes the inbox rows of other writers with the table's own time-to-live attribute."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import Clock
from sobremesa.domains.inboxes.entities import Held, HeldPublic, Message, PublicMessage, UserMessage
from sobremesa.table import Key, Table, Update, equals, set_to
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table, clock: Clock) -> Sequence[Move]:
    """Return what completes messages and receipts.

    Expired rows are left alone: counting the inbox removes them together with their share of the counts.
    """
    ttl = table.layout.ttl

    async def missing(row: Held | HeldPublic) -> Sequence[Step]:
        expires = row.expiredat
        if expires is None or expires <= clock.now_seconds() or Held.shape.attribute("expiredat") == ttl:
            return ()
        if row.other.get(ttl) is not None:
            return ()
        parts = {"tenant": row.tenant, "inbox": row.inbox, "message_id": row.message_id}
        # By the entity that expires, so that the update also sets the table's own attribute.
        key: Key[Message] = (
            UserMessage.key(**parts, user_id=row.user_id) if isinstance(row, Held) else PublicMessage.key(**parts)
        )
        timed = Update(key, set_to(expiredat=int(expires)), when=equals("expiredat", expires))
        return (Step("it lacks the time-to-live attribute of the table", [timed]),)

    return (Companions(Held, missing), Companions(HeldPublic, missing))
