"""Updates the content of published messages, although they may still be delivered.

A publish counts its editions, and each copy has the edition of its content, which only grows: after concurrent updates
all copies have the content of the last one. An update of a publish that is still delivered also creates the copies that
do not exist yet, so that a delivery that is under way creates none with the old content after it. Up to 1,000
recipients have the new content when the request returns; more are a job.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.inboxes.configuring import Configuring
from sobremesa.domains.inboxes.contents import Content
from sobremesa.domains.inboxes.current_counts import is_expired
from sobremesa.domains.inboxes.delivery import AT_ONCE, FIRST_PAUSE, MAX_WINDOW, Delivery, subject_of
from sobremesa.domains.inboxes.entities import (
    MESSAGE,
    Held,
    InboxKey,
    Message,
    UserMessage,
    held_message,
    public_message,
)
from sobremesa.domains.inboxes.errors import RecipientsUnknown
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import PublicPartition, UserPartition
from sobremesa.domains.inboxes.publish_entities import Publish, deliver, edit_broadcast, edit_copies, edit_publish
from sobremesa.domains.inboxes.publishing import check_size
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Condition, Table, Update, absent_or_null, differs, equals, less, set_to
from sobremesa.table.errors import ConditionFailed, Conflict, OutcomeUnknown, Throttled
from sobremesa.table.updates import Changes
from sobremesa.work.jobs import Jobs

JOB = "inboxes.edit"
MAX_AT_ONCE = 1000
"""Recipients whose copies are updated before the call returns."""
ATTEMPTS = 40

_IS_MESSAGE = equals("kind", MESSAGE)


class Edit(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a published message to replace; unset ones stay."""

    sender: str | msgspec.UnsetType = msgspec.UNSET
    title: str | msgspec.UnsetType = msgspec.UNSET
    body: Any = msgspec.UNSET
    cta_uri: str | msgspec.UnsetType | None = msgspec.UNSET


class _Shown(NamedTuple):
    """What a message shows."""

    sender: str
    content: Content

    def edited(self, edit: Edit) -> _Shown:
        fields = {name: value for name, value in msgspec.structs.asdict(edit).items() if value is not msgspec.UNSET}
        sender = fields.pop("sender", self.sender)
        return _Shown(sender, msgspec.structs.replace(self.content, **fields))

    def changes(self, edition: int) -> Changes:
        return set_to(sender=self.sender, message=self.content, edition=edition)


class Editing:
    """Updates published messages."""

    def __init__(self, table: Table, clock: Clock, configuring: Configuring, delivery: Delivery, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._configuring = configuring
        self._delivery = delivery
        self._jobs = jobs

    async def update(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId, edit: Edit
    ) -> Publish:
        """Update a message; again, it has no effect. NotFound if there is none, or it was recalled or has expired."""
        require_key(actor, tenant, "inbox:publish")
        if edit.body is not msgspec.UNSET:
            self._configuring.check_body(await self._configuring.rules(tenant, inbox), edit.body)
        publish = await self._delivery.find(tenant, message_id)
        if publish is None or publish.inbox != inbox:
            raise NotFound
        if publish.recipients is None:
            return await self._edit_broadcast(publish, edit)
        uids = await self._delivery.recipients(publish)
        if not uids:
            raise RecipientsUnknown
        publish = await self._start(publish, uids, edit)
        if publish.edited == publish.edition:
            return publish
        if len(uids) <= MAX_AT_ONCE:
            try:
                return await self._finish(publish, uids)
            except (Busy, Conflict, OutcomeUnknown, Throttled):
                pass  # it has started, and the job continues it
        self._jobs.nudge()
        return publish

    async def run(self, subject: str) -> None:
        """Run the job that updates the copies of a publish."""
        tenant, _, message_id = subject.partition("#")
        publish = await self._delivery.find(Tenant(tenant), InboxMessageId(message_id))
        if publish is not None and publish.edited != publish.edition and _is_there(publish):
            await self._finish(publish, await self._delivery.recipients(publish))

    async def _edit_broadcast(self, publish: Publish, edit: Edit) -> Publish:
        key = public_message(**PublicPartition(publish.tenant, publish.inbox).parts(), message_id=publish.message_id)
        for _ in range(ATTEMPTS):
            row = await self._table.get(key, consistent=True)
            if row is None or not row.is_message:
                raise NotFound
            before = _shown(row)
            after = _checked(before.edited(edit))
            if after == before:
                return publish
            changed = Update(row.own_key(), after.changes((row.edition or 0) + 1), when=_IS_MESSAGE & _still(row))
            try:
                await self._table.write(changed, pattern=edit_broadcast)
            except ConditionFailed:
                continue  # another update or a recall was faster
            return publish
        raise Busy

    async def _start(self, publish: Publish, uids: Sequence[UserId], edit: Edit) -> Publish:
        """Store the new content, and create the job of the update; unless the message has this content already."""
        job = self._jobs.new(JOB, subject_of(publish.tenant, publish.message_id))
        for _ in range(ATTEMPTS):
            if not _is_there(publish) or self._is_over(publish):
                raise NotFound
            before = await self._shown_of(publish, uids)
            after = _checked(before.edited(edit))
            if after == before:
                return publish
            edition = (publish.edition or 0) + 1
            open_ = differs("state", "recalling") & differs("state", "recalled")
            started = Update(publish.own_key(), after.changes(edition), when=open_ & _still(publish))
            with contextlib.suppress(ConditionFailed):  # another update or a recall was faster
                await self._table.write(publish=started, job=job, pattern=edit_publish)
            found = await self._delivery.find(publish.tenant, publish.message_id)
            if found is None:
                raise NotFound
            publish = found
        raise Busy

    async def _shown_of(self, publish: Publish, uids: Sequence[UserId]) -> _Shown:
        """Return the content of a publish; a finished one that was never updated has it in its copies only."""
        if publish.state == "running" or publish.edition is not None or publish.sender:
            return _Shown(publish.sender, publish.message)
        for start in range(0, len(uids), AT_ONCE):
            rows = await self._table.get_many(self._keys(publish, uids[start : start + AT_ONCE]), consistent=True)
            for row in rows:
                if row is not None and row.is_message:
                    return _shown(row)
        raise NotFound  # all recipients are gone

    async def _finish(self, publish: Publish, uids: Sequence[UserId]) -> Publish:
        batches = [uids[n : n + AT_ONCE] for n in range(0, len(uids), AT_ONCE)]
        await gather_bounded(MAX_WINDOW, lambda batch: self._edit_copies(publish, batch), batches)
        ended = Update(publish.own_key(), set_to(edited=publish.edition), when=_still(publish))
        try:
            return await self._table.write(ended, pattern=edit_publish)
        except ConditionFailed:
            return publish  # a later update has started, and finishes by itself

    async def _edit_copies(self, publish: Publish, uids: Sequence[UserId]) -> None:
        """Update copies, and create those that do not exist while the message is delivered."""
        edition = publish.edition or 0
        older = _IS_MESSAGE & (absent_or_null("edition") | less("edition", edition))
        changes = _Shown(publish.sender, publish.message).changes(edition)
        for attempt in range(ATTEMPTS):
            if self._is_over(publish):
                return
            rows = dict(zip(uids, await self._table.get_many(self._keys(publish, uids), consistent=True), strict=True))
            missing = [user_id for user_id, row in rows.items() if row is None and publish.state == "running"]
            old = [user_id for user_id, row in rows.items() if row is not None and self._is_old(row, edition)]
            updates = [Update(self._key(publish, user_id), changes, when=older) for user_id in old]
            if not missing and not updates:
                return
            try:
                await self._delivery.write(publish, missing, (), pattern=deliver)
                if updates:
                    await self._table.write(copies=updates, pattern=edit_copies)
            except (ConditionFailed, Conflict, OutcomeUnknown, Throttled):
                # A copy was delivered, updated or recalled just now.
                await asyncio.sleep(FIRST_PAUSE * min(attempt, 20))
        raise Busy

    def _is_old(self, row: Held, edition: int) -> bool:
        is_there = row.is_message and not is_expired(row, self._clock.now_seconds())
        return is_there and (row.edition or 0) < edition

    def _keys(self, publish: Publish, uids: Sequence[UserId]) -> list[Any]:
        partitions = [UserPartition(publish.tenant, user_id, publish.inbox) for user_id in uids]
        return [held_message(**own.parts(), message_id=publish.message_id) for own in partitions]

    def _key(self, publish: Publish, user_id: UserId) -> Any:
        own = UserPartition(publish.tenant, user_id, publish.inbox)
        return UserMessage.key(**own.parts(), message_id=publish.message_id)

    def _is_over(self, publish: Publish) -> bool:
        return publish.expiredat is not None and publish.expiredat <= self._clock.now_seconds()


def _shown(row: Message) -> _Shown:
    return _Shown(row.sender, row.message)


def _checked(shown: _Shown) -> _Shown:
    check_size(shown)
    return shown


def _still(row: Message | Publish) -> Condition:
    """Return the condition that no other update came in between."""
    return absent_or_null("edition") if row.edition is None else equals("edition", row.edition)


def _is_there(publish: Publish) -> bool:
    return publish.state not in ("recalling", "recalled")
