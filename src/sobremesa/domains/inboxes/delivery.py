"""Delivery of a message to a list of users, in batches side by side, exactly once to each.

A transaction writes the copies of some recipients and their total and category counts, on the condition that they have
no copy yet. So a delivery can be interrupted anywhere and resumed, and two workers on the same delivery repeat nothing.
The progress is saved after each part of the recipients; what is repeated after an interruption is refused row by row.

How many transactions run at once grows while they succeed, and is halved when the table refuses some as too many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import chain

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.inboxes.contents import Audience, Taxonomy
from sobremesa.domains.inboxes.entities import UserMessage
from sobremesa.domains.inboxes.message_counts import MessageCount
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import (
    UserPartition,
    advance_next_expiry,
    assume_next_expiry,
    count_operations,
    next_expiry_in,
)
from sobremesa.domains.inboxes.publish_entities import (
    Chunk,
    Publish,
    PublishState,
    chunk_of,
    chunks_of,
    clear_chunks,
    deliver,
    earlier_publish_by_id,
    publish_by_id,
)
from sobremesa.table import (
    Condition,
    Create,
    Operation,
    Table,
    Update,
    WritePattern,
    add,
    equals,
    set_if_absent,
    set_to,
)
from sobremesa.table.errors import ConditionFailed, Conflict, OutcomeUnknown, Throttled

JOB = "inboxes.publish"
EARLIER_JOB = "inboxes.deliver"
"""The name of jobs of earlier versions, which do not find publishes of this one."""
AT_ONCE = 33
"""Recipients per transaction: three rows each, and one more, make a hundred."""
CHUNK = 1000
ATTEMPTS = 12
FIRST_WINDOW = 4
MAX_WINDOW = 16
"""How many transactions run side by side."""
FIRST_PAUSE = 0.05


def subject_of(tenant: Tenant, message_id: InboxMessageId) -> str:
    """Return the subject of the job; neither part contains a #."""
    return f"{tenant}#{message_id}"


class Delivery:
    """Delivers messages to their recipients."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._window = FIRST_WINDOW

    async def run(self, subject: str) -> None:
        """Run the job that delivers the rest of a publish."""
        tenant, _, message_id = subject.partition("#")
        publish = await self.find(Tenant(tenant), InboxMessageId(message_id))
        if publish is not None:
            await self.finish(publish)

    async def find(self, tenant: Tenant, message_id: InboxMessageId) -> Publish | None:
        """Return a publish, or None if there is none or it is no longer stored."""
        found = await self._table.get(publish_by_id(tenant=tenant, message_id=message_id))
        return found or await self._table.get(earlier_publish_by_id(tenant=tenant, message_id=message_id))

    async def finish(self, publish: Publish) -> Publish:
        """Deliver to all remaining recipients."""
        chunk: Chunk | None = None
        while publish.state == "running":
            n, start = divmod(publish.delivered, CHUNK)
            if chunk is None or chunk.n != n:
                chunk = await self._table.get(chunk_of(tenant=publish.tenant, message_id=publish.message_id, n=n))
            publish = await self._step(publish, [] if chunk is None else chunk.uids[start:])
        return publish

    async def recipients(self, publish: Publish) -> list[UserId]:
        """Return the recipients of a publish; none if an earlier version did not keep them."""
        if publish.uids is not None:
            return publish.uids
        chunks = self._table.every(chunks_of(tenant=publish.tenant, message_id=publish.message_id))
        return [user_id async for chunk in chunks for user_id in chunk.uids]

    async def delete_recipients(self, publish: Publish) -> None:
        """Delete the list of recipients."""
        await self._table.delete_every(
            chunks_of(tenant=publish.tenant, message_id=publish.message_id), pattern=clear_chunks
        )

    async def _step(self, publish: Publish, uids: Sequence[UserId]) -> Publish:
        """Deliver to a part of the recipients. The publish is done after the last, or once the message has expired."""
        if not uids or self._is_over(publish):
            step = Update(publish.own_key(), set_to(state="done"), when=_as_far_as(publish))
            try:
                return await self._table.write(step, pattern=deliver)
            except ConditionFailed:
                return await self._reload(publish)
        batches = [uids[n : n + AT_ONCE] for n in range(0, len(uids), AT_ONCE)]
        await gather_bounded(min(self._window, MAX_WINDOW), partial(self._batch, publish), batches)
        delivered = publish.delivered + len(uids)
        state: PublishState = "done" if delivered == publish.recipients else "running"
        step = Update(publish.own_key(), add(delivered=len(uids)), set_to(state=state), when=_as_far_as(publish))
        try:
            return await self._table.write(step, pattern=deliver)
        except ConditionFailed:
            return await self._reload(publish)

    async def _batch(self, publish: Publish, uids: Sequence[UserId]) -> None:
        """Deliver to the recipients of one transaction, again after a pause where the table is too busy for it."""
        for attempt in range(ATTEMPTS):
            try:
                await self.write(publish, uids, (), pattern=deliver)
            except (Conflict, OutcomeUnknown, Throttled):
                if attempt == ATTEMPTS - 1:
                    raise
                self._window = max(1, self._window // 2)
                await asyncio.sleep(FIRST_PAUSE * 2 ** min(attempt, 6))
            else:
                self._window = min(MAX_WINDOW, self._window + 1)
                return

    async def write(
        self, publish: Publish, uids: Sequence[UserId], first: Sequence[Operation], *, pattern: WritePattern
    ) -> bool:
        """Write copies and counts after the operations `first`, in one transaction; False if one of those failed."""
        known: dict[UserId, int | None] = {}
        left = list(uids)
        for _ in range(ATTEMPTS):
            if not left and not first:
                return True
            deliveries = {user_id: self._deliver(publish, user_id, known) for user_id in left}
            try:
                await self._table.write(
                    first=first, deliveries=list(chain.from_iterable(deliveries.values())), pattern=pattern
                )
            except ConditionFailed as failed:
                if "first" in failed:
                    return False
                # The user has the copy already, or their next expiry differs.
                for user_id, (copy, total, *_) in deliveries.items():
                    if copy in failed:
                        left.remove(user_id)
                    elif total in failed:
                        known[user_id] = next_expiry_in(failed.item(total))
            else:
                return True
        raise Busy

    def _deliver(self, publish: Publish, user_id: UserId, known: dict[UserId, int | None]) -> list[Operation]:
        """Return the operations of one recipient: the copy, the total, the category."""
        own = UserPartition(publish.tenant, user_id, publish.inbox)
        copy = UserMessage(
            tenant=publish.tenant,
            user_id=user_id,
            inbox=publish.inbox,
            message_id=publish.message_id,
            host_system_id=publish.host_system_id,
            sender=publish.sender,
            audiences=Audience("users", publish.label, [user_id]),
            received=publish.received,
            delivered=self._clock.now_ms(),
            taxonomy=Taxonomy(publish.category),
            message=publish.message,
            edition=publish.edition,
            expiredat=publish.expiredat,
        )
        at = publish.expiredat
        step = advance_next_expiry(known[user_id], at) if user_id in known else assume_next_expiry(at)
        first = set_if_absent(first_addressed=publish.received)
        return [
            Create(copy),
            *count_operations(own, {publish.category: MessageCount(1)}, first, step.changes, when=step.when),
        ]

    async def _reload(self, publish: Publish) -> Publish:
        """Read the publish again after a concurrent change."""
        found = await self._table.get(publish.own_key(), consistent=True)
        return found or msgspec.structs.replace(publish, state="done")

    def _is_over(self, publish: Publish) -> bool:
        return publish.expiredat is not None and publish.expiredat <= self._clock.now_seconds()


def _as_far_as(publish: Publish) -> Condition:
    return equals("delivered", publish.delivered) & equals("state", "running")
