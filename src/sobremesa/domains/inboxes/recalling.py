"""Recalls published messages: nobody sees or counts them any more, although they may still be delivered.

A broadcast becomes a tombstone in the transaction that changes the counts of the inbox. Receipts of users who have read
it leave the counts of these users when they are next read: a user's total stores with how many recalls it is settled.

Copies become tombstones too, and a recipient without a copy gets a tombstone, so that a delivery that is under way
creates none after the recall. Up to 1,000 recipients have none when the request returns; more are a job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.inboxes.contents import Content
from sobremesa.domains.inboxes.current_counts import is_expired, unchanged
from sobremesa.domains.inboxes.delivery import AT_ONCE, FIRST_PAUSE, MAX_WINDOW, Delivery, subject_of
from sobremesa.domains.inboxes.entities import (
    MESSAGE,
    RECALLED,
    Held,
    InboxKey,
    UserMessage,
    held_message,
    public_message,
)
from sobremesa.domains.inboxes.errors import RecipientsUnknown
from sobremesa.domains.inboxes.message_counts import NO_MESSAGES, category_of, row_count
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import PublicPartition, UserPartition, count_operations
from sobremesa.domains.inboxes.publish_entities import Publish, recall_broadcast, recall_copies, recall_publish
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Create, Operation, Table, Update, absent_or_null, add, differs, equals, set_to
from sobremesa.table.errors import ConditionFailed, Conflict, OutcomeUnknown, Throttled
from sobremesa.work.jobs import Jobs

JOB = "inboxes.recall"
MAX_AT_ONCE = 1000
"""Recipients whose copies are recalled before the call returns."""
TOMBSTONE_SECONDS = 2 * 86400
"""How long a delivery that was under way could go on."""
ATTEMPTS = 40

_IS_MESSAGE = equals("kind", MESSAGE) | absent_or_null("kind")


class Recalling:
    """Recalls messages."""

    def __init__(self, table: Table, clock: Clock, delivery: Delivery, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._delivery = delivery
        self._jobs = jobs

    async def recall(self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId) -> Publish:
        """Recall a message; again, it has no effect. NotFound if there is no such publish in the inbox."""
        require_key(actor, tenant, "inbox:publish")
        publish = await self._delivery.find(tenant, message_id)
        if publish is None or publish.inbox != inbox:
            raise NotFound
        if publish.state == "recalled":
            return publish
        if publish.recipients is None:
            return await self._recall_broadcast(publish)
        uids = await self._delivery.recipients(publish)
        if not uids:
            raise RecipientsUnknown
        publish = await self._start(publish)
        if len(uids) <= MAX_AT_ONCE:
            try:
                return await self._finish(publish, uids)
            except (Busy, Conflict, OutcomeUnknown, Throttled):
                pass  # it has started, and the job continues it
        self._jobs.nudge()
        return publish

    async def run(self, subject: str) -> None:
        """Run the job that recalls the copies of a publish."""
        tenant, _, message_id = subject.partition("#")
        publish = await self._delivery.find(Tenant(tenant), InboxMessageId(message_id))
        if publish is not None and publish.state == "recalling":
            await self._finish(publish, await self._delivery.recipients(publish))

    async def _recall_broadcast(self, publish: Publish) -> Publish:
        partition = PublicPartition(publish.tenant, publish.inbox)
        ended = Update(publish.own_key(), set_to(state="recalled"))
        for _ in range(ATTEMPTS):
            row = await self._table.get(public_message(**partition.parts(), message_id=publish.message_id))
            operations: list[Operation] = []
            if row is not None and row.is_message:
                gone = {category_of(row): NO_MESSAGES.minus(row_count(row))}
                counts = count_operations(partition, gone, add(recalls=1))
                operations = [Update(row.own_key(), self._tombstone(), when=_IS_MESSAGE), *counts]
            try:
                await self._table.write(publish=ended, message=operations, pattern=recall_broadcast)
            except ConditionFailed:
                continue  # a concurrent recall was faster
            return msgspec.structs.replace(publish, state="recalled")
        raise Busy

    async def _start(self, publish: Publish) -> Publish:
        """End the delivery, and create the job of the recall."""
        if publish.state == "recalling":
            return publish
        job = self._jobs.new(JOB, subject_of(publish.tenant, publish.message_id))
        open_ = differs("state", "recalling") & differs("state", "recalled")
        try:
            started = Update(publish.own_key(), set_to(state="recalling"), when=open_)
            await self._table.write(publish=started, job=job, pattern=recall_publish)
        except ConditionFailed:
            found = await self._table.get(publish.own_key(), consistent=True)
            if found is None:
                raise NotFound from None
            return found
        return msgspec.structs.replace(publish, state="recalling")

    async def _finish(self, publish: Publish, uids: Sequence[UserId]) -> Publish:
        batches = [uids[n : n + AT_ONCE] for n in range(0, len(uids), AT_ONCE)]
        await gather_bounded(MAX_WINDOW, lambda batch: self._recall_copies(publish, batch), batches)
        ended = Update(publish.own_key(), set_to(state="recalled"))
        await self._table.write(ended, pattern=recall_publish)
        await self._delivery.delete_recipients(publish)
        return msgspec.structs.replace(publish, state="recalled")

    async def _recall_copies(self, publish: Publish, uids: Sequence[UserId]) -> None:
        partitions = [UserPartition(publish.tenant, user_id, publish.inbox) for user_id in uids]
        keys = [held_message(**own.parts(), message_id=publish.message_id) for own in partitions]
        for attempt in range(ATTEMPTS):
            rows = await self._table.get_many(keys, consistent=True)
            operations = [
                operation
                for own, row in zip(partitions, rows, strict=True)
                for operation in self._recalled(publish, own, row)
            ]
            if not operations:
                return
            try:
                await self._table.write(copies=operations, pattern=recall_copies)
            except (ConditionFailed, Conflict, OutcomeUnknown, Throttled):
                # A user marked their copy, or it was delivered just now.
                await asyncio.sleep(FIRST_PAUSE * min(attempt, 20))
            else:
                return
        raise Busy

    def _recalled(self, publish: Publish, own: UserPartition, row: Held | None) -> Sequence[Operation]:
        """Return the operations that recall the copy of one recipient."""
        if row is None:
            missing = UserMessage(**own.parts(), message_id=publish.message_id)  # type: ignore[arg-type]
            return [Create(msgspec.structs.replace(missing, kind=RECALLED, expiredat=self._until()))]
        if not row.is_message or is_expired(row, self._clock.now_seconds()):
            return []
        key: Any = UserMessage.key(**own.parts(), message_id=publish.message_id)
        gone = {category_of(row): NO_MESSAGES.minus(row_count(row))}
        changed = Update(key, self._tombstone(), when=unchanged(row) & _IS_MESSAGE)
        return [changed, *count_operations(own, gone)]

    def _tombstone(self) -> Any:
        return set_to(
            kind=RECALLED,
            sender="",
            message=Content(),
            readat=None,
            archivedat=None,
            snoozeduntil=None,
            expiredat=self._until(),
        )

    def _until(self) -> int:
        return self._clock.now_seconds() + TOMBSTONE_SECONDS
