"""What inbox rows of other writers lack: the time to live that the table itself looks at."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import Clock
from sobremesa.domains.inboxes.entities import Held, HeldPublic, Message, PublicMessage, UserMessage
from sobremesa.table import Key, Table, Update, equals, set_to
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table, clock: Clock) -> Sequence[Move]:
    """What completes messages and receipts.

    What has expired already is left alone: counting the inbox removes it, together with its share of the counts.
    """
    ttl = table.layout.ttl

    async def missing(row: Held | HeldPublic) -> Sequence[Step]:
        expires = row.expiredat
        if expires is None or expires <= clock.now_ms() // 1000 or Held.shape.attribute("expiredat") == ttl:
            return ()
        if row.other.get(ttl) is not None:
            return ()
        parts = {"tenant": row.tenant, "inbox": row.inbox, "message_id": row.message_id}
        # By the kind that expires: setting its time sets the table's own attribute too.
        key: Key[Message] = (
            UserMessage.key(**parts, user_id=row.user_id) if isinstance(row, Held) else PublicMessage.key(**parts)
        )
        timed = Update(key, set_to(expiredat=int(expires)), when=equals("expiredat", expires))
        return (Step("the table does not know when it expires", [timed]),)

    return (Companions(Held, missing), Companions(HeldPublic, missing))
