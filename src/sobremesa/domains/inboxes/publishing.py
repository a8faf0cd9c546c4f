"""Publishing: a broadcast is one row, a few recipients are one transaction, many are a job.

Up to 1,000 recipients have the message when the call returns. A host system id makes a publish idempotent: a repeated
id returns the first message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound, UnknownUsers
from sobremesa.domains.accounts.tenancy import list_unknown
from sobremesa.domains.inboxes.configuring import Configuring, require_category, require_duration
from sobremesa.domains.inboxes.contents import Audience, Content, Taxonomy
from sobremesa.domains.inboxes.delivery import CHUNK, JOB, Delivery, subject_of
from sobremesa.domains.inboxes.entities import PUBLIC, InboxKey, PublicMessage
from sobremesa.domains.inboxes.errors import BadRecipients, EmptySegment, HostIdReused, MessageTooBig, NoSuchSegment
from sobremesa.domains.inboxes.message_counts import MessageCount
from sobremesa.domains.inboxes.message_ids import InboxMessageId, MessageIds
from sobremesa.domains.inboxes.partitions import (
    PublicPartition,
    advance_next_expiry,
    assume_next_expiry,
    count_operations,
    next_expiry_in,
)
from sobremesa.domains.inboxes.publish_entities import (
    Chunk,
    HostClaim,
    Publish,
    SegmentName,
    earlier_host_claim,
    host_claim,
    publish_to_everyone,
    publish_to_some,
    start_publish,
)
from sobremesa.domains.inboxes.segments import Segments
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Create, Put, Table, hash_part, less_if_present, set_to
from sobremesa.table.errors import BadKey, ConditionFailed, Conflict, OutcomeUnknown, Throttled
from sobremesa.table.keys import check_part
from sobremesa.work.jobs import Jobs
from sobremesa.work.keyed_lock import KeyedLocks

MAX_RECIPIENTS = 100_000
MAX_AT_ONCE = 1000
"""Recipients that are delivered to before the call returns."""
MAX_IN_ONE = 32
"""Recipients of a transaction that also writes the publish and its claim."""
MAX_MESSAGE_BYTES = 32 * 1024
MAX_USER_ID = 200
KEPT_SECONDS = 30 * 86400
CLAIM_SECONDS = 48 * 3600
ATTEMPTS = 40


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A message to publish."""

    sender: str
    title: str
    body: Any
    category: str | None = None
    cta_uri: str | None = None
    ttl: str | None = None
    host_system_id: str | None = None
    label: str | None = None


class Publishing:
    """Publishes messages."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: MessageIds,
        configuring: Configuring,
        segments: Segments,
        delivery: Delivery,
        jobs: Jobs,
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._configuring = configuring
        self._segments = segments
        self._delivery = delivery
        self._jobs = jobs
        self._locks = KeyedLocks(needed=not table.engine.keeps_order)

    async def publish_to_everyone(self, actor: Actor, tenant: Tenant, inbox: InboxKey, notice: Notice) -> Publish:
        """Publish a broadcast: one row, independent of the number of users."""
        claim, before = await self._check_and_claim(actor, tenant, inbox, notice, None)
        if before is not None:
            return before

        publish = await self._draft(tenant, inbox, notice, None)
        # Serialize broadcasts on this node: they would conflict at the total of the inbox.
        async with self._locks.of(PublicPartition(tenant, inbox).total().raw.pk):
            return await self._publish_to_all(publish, claim)

    async def publish_to_users(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, notice: Notice, user_ids: Sequence[UserId]
    ) -> Publish:
        """Publish to some users, once each. More than 1,000 are delivered by a job, and the state is `running`.

        UnknownUsers if some of them do not exist in the tenant; then none receives the message.
        """
        uids = _recipients(user_ids)
        claim, before = await self._check_and_claim(actor, tenant, inbox, notice, uids)
        if before is not None:
            return before
        # A user who is deleted after this may still get a copy, which cannot be read any more.
        unknown = await list_unknown(self._table, tenant, uids)
        if unknown:
            raise UnknownUsers.among(unknown)
        return await self._publish_to(tenant, inbox, notice, uids, claim)

    async def _publish_to(
        self, tenant: Tenant, inbox: InboxKey, notice: Notice, uids: list[UserId], claim: HostClaim | None
    ) -> Publish:
        publish = await self._draft(tenant, inbox, notice, uids)
        if len(uids) <= MAX_IN_ONE:
            whole = msgspec.structs.replace(publish, state="done", delivered=len(uids), uids=uids)
            first = [*_claims(claim, whole), Create(_without_content(whole))]
            if not await self._delivery.write(whole, uids, first, pattern=publish_to_some):
                return await self._replayed(claim)
            return whole
        return await self._publish_to_many(publish, claim, uids)

    async def publish_to_segment(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, notice: Notice, segment: SegmentName
    ) -> Publish:
        """Publish to the users who are in a segment now; NoSuchSegment if there is none, EmptySegment without users."""
        claim, before = await self._check_and_claim(actor, tenant, inbox, notice, f"segment {segment}")
        if before is not None:
            return before
        try:
            uids = await self._segments.list_users(tenant, segment)
        except NotFound:
            raise NoSuchSegment(segment=segment) from None
        if not uids:
            raise EmptySegment(segment=segment)
        counted = None if claim is None else msgspec.structs.replace(claim, recipients=len(uids))
        return await self._publish_to(tenant, inbox, notice, uids, counted)

    async def get_publish(self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId) -> Publish:
        """Return the progress of a publish; NotFound if there is none in this inbox."""
        require_key(actor, tenant, "inbox:publish", "inbox:read")
        publish = await self._delivery.find(tenant, message_id)
        if publish is None or publish.inbox != inbox:
            raise NotFound
        return publish

    # Internals

    async def _publish_to_all(self, publish: Publish, claim: HostClaim | None) -> Publish:
        """Write the broadcast, its counts and its claim in one transaction, with an id above all earlier ones."""
        step = assume_next_expiry(publish.expiredat)
        for _ in range(ATTEMPTS):
            newest = less_if_present("last_id", publish.message_id)
            total, *rest = count_operations(
                PublicPartition(publish.tenant, publish.inbox),
                {publish.category: MessageCount(1)},
                step.changes,
                set_to(last_id=publish.message_id),
                when=newest if step.when is None else newest & step.when,
            )
            try:
                await self._table.write(
                    total=total,
                    message=Create(_public(publish)),
                    publish=Create(_without_content(publish)),
                    claim=_claims(claim, publish),
                    categories=rest,
                    pattern=publish_to_everyone,
                )
            except ConditionFailed as failed:
                if "claim" in failed:
                    return await self._replayed(claim)
                item = failed.item("total") or {}
                # Later broadcasts have greater ids, also when two nodes publish at once.
                message_id = self._ids.mint_after(item.get("last_id"))
                publish = msgspec.structs.replace(publish, message_id=message_id)
                step = advance_next_expiry(next_expiry_in(item), publish.expiredat)
            else:
                return publish
        raise Busy

    async def _publish_to_many(self, publish: Publish, claim: HostClaim | None, uids: list[UserId]) -> Publish:
        chunks = [
            Chunk(
                tenant=publish.tenant,
                message_id=publish.message_id,
                n=n,
                uids=uids[n * CHUNK : (n + 1) * CHUNK],
                kept_until=self._clock.now_seconds() + KEPT_SECONDS,
            )
            for n in range(-(-len(uids) // CHUNK))
        ]
        # They are not read before the publish exists; if that is never written, they expire.
        await self._table.write_many(map(Put, chunks), pattern=start_publish)
        job = self._jobs.new(JOB, subject_of(publish.tenant, publish.message_id))
        try:
            await self._table.write(
                job=job, publish=Create(publish), claim=_claims(claim, publish), pattern=start_publish
            )
        except ConditionFailed:
            await self._delivery.delete_recipients(publish)
            return await self._replayed(claim)
        if len(uids) > MAX_AT_ONCE:
            self._jobs.nudge()
            return publish
        try:
            return await self._delivery.finish(publish)
        except (Busy, Conflict, OutcomeUnknown, Throttled):
            # It has started, and the job continues it.
            self._jobs.nudge()
            return publish

    async def _check_and_claim(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, notice: Notice, audience: list[UserId] | str | None
    ) -> tuple[HostClaim | None, Publish | None]:
        """Check the request; return the claim of its host system id, if any, and the earlier publish of that id.

        A segment is claimed by its name: its users may change between a request and its repetition.
        """
        require_key(actor, tenant, "inbox:publish")
        _check(notice)
        if notice.host_system_id is None:
            return None, None
        # The order of the recipients does not matter.
        body = [notice, sorted(audience) if isinstance(audience, list) else audience]
        claim = HostClaim(
            tenant=tenant,
            inbox=inbox,
            host_hash=hash_part(notice.host_system_id),
            message_id=InboxMessageId(""),
            body_hash=hash_part(msgspec.json.encode(body, order="deterministic").decode()),
            recipients=len(audience) if isinstance(audience, list) else None,
        )
        found = await self._find_claim(claim)
        return claim, None if found is None else await self._earlier(claim, found)

    async def _replayed(self, claim: HostClaim | None) -> Publish:
        """Return what a concurrent request published with the same host system id."""
        if claim is None:
            raise Busy
        found = await self._find_claim(claim)
        if found is None:
            raise Busy
        return await self._earlier(claim, found)

    async def _find_claim(self, claim: HostClaim) -> HostClaim | None:
        parts = {"tenant": claim.tenant, "inbox": claim.inbox, "host_hash": claim.host_hash}
        found = await self._table.get_pair(host_claim(**parts), earlier_host_claim(**parts), consistent=True)
        return found[0] or found[1]

    async def _earlier(self, claim: HostClaim, found: HostClaim) -> Publish:
        """Return the publish of a claim; HostIdReused if it had another body."""
        if found.body_hash != claim.body_hash:
            raise HostIdReused(message_id=found.message_id)
        publish = await self._delivery.find(found.tenant, found.message_id)
        return publish or Publish(
            tenant=found.tenant,
            message_id=found.message_id,
            inbox=found.inbox,
            state="done",
            recipients=found.recipients,
            delivered=found.recipients or 0,
        )

    async def _draft(self, tenant: Tenant, inbox: InboxKey, notice: Notice, uids: list[UserId] | None) -> Publish:
        """Return the publish to write."""
        rules = await self._configuring.rules(tenant, inbox)
        self._configuring.check_body(rules, notice.body)
        now_ms = self._clock.now_ms()
        lifetime = rules.lifetime(notice.ttl, notice.category)
        return Publish(
            tenant=tenant,
            message_id=self._ids.mint(),
            inbox=inbox,
            state="done" if uids is None else "running",
            recipients=None if uids is None else len(uids),
            host_system_id=notice.host_system_id,
            sender=notice.sender,
            label=notice.label,
            category=notice.category,
            message=Content(notice.title, notice.body, notice.cta_uri),
            received=now_ms,
            expiredat=None if lifetime is None else now_ms // 1000 + lifetime,
            kept_until=now_ms // 1000 + KEPT_SECONDS,
        )


def _check(notice: Notice) -> None:
    if notice.category is not None:
        require_category(notice.category)
    if notice.ttl is not None:
        require_duration(notice.ttl)
    check_size(notice)


def check_size(message: Any) -> None:
    """Raise MessageTooBig if what a message contains is too big."""
    if len(msgspec.json.encode(message)) > MAX_MESSAGE_BYTES:
        raise MessageTooBig(f"A message has at most {MAX_MESSAGE_BYTES} bytes.", limit=MAX_MESSAGE_BYTES)


def _recipients(user_ids: Sequence[UserId]) -> list[UserId]:
    """Return the recipients without duplicates, in order; BadRecipients if an id is invalid."""
    uids = list(dict.fromkeys(user_ids))
    if not 1 <= len(uids) <= MAX_RECIPIENTS:
        raise BadRecipients(f"A message has 1 to {MAX_RECIPIENTS} recipients.")
    for user_id in uids:
        try:
            check_part("userId", user_id)
        except BadKey as error:
            raise BadRecipients(str(error)) from None
        if len(user_id) > MAX_USER_ID:
            raise BadRecipients(f"A user id has at most {MAX_USER_ID} characters.")
    return uids


def _claims(claim: HostClaim | None, publish: Publish) -> list[Create[HostClaim]]:
    """Return the claim of this publish. It lasts as long as the message, and at least two days."""
    if claim is None:
        return []
    kept = None
    if publish.expiredat is not None:
        kept = max(publish.expiredat, publish.received // 1000 + CLAIM_SECONDS)
    return [Create(msgspec.structs.replace(claim, message_id=publish.message_id, kept_until=kept))]


def _without_content(publish: Publish) -> Publish:
    """Return a finished publish without its content, which is in the messages."""
    return msgspec.structs.replace(publish, sender="", label=None, message=Content())


def _public(publish: Publish) -> PublicMessage:
    return PublicMessage(
        tenant=publish.tenant,
        inbox=publish.inbox,
        message_id=publish.message_id,
        user_id=PUBLIC,
        host_system_id=publish.host_system_id,
        sender=publish.sender,
        audiences=Audience("everyone", publish.label),
        received=publish.received,
        delivered=publish.received,
        taxonomy=Taxonomy(publish.category),
        message=publish.message,
        expiredat=publish.expiredat,
    )
