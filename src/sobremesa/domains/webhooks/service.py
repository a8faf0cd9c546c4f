"""Webhooks of a tenant: what its backend does with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.core.ids import Ids
from sobremesa.core.webhook_signature import new_secret
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.webhooks.entities import (
    LOG_SECONDS,
    Delivery,
    EventOrder,
    HookId,
    Webhook,
    change_webhook,
    create_webhook,
    delete_webhook,
    deliveries_of,
    roster,
    start_replay,
    webhook_by_id,
    webhooks_of,
)
from sobremesa.domains.webhooks.errors import BadWebhookUrl, TooManyWebhooks, WebhookDisabled
from sobremesa.domains.webhooks.event_names import EventNames
from sobremesa.domains.webhooks.queueing import REPLAY_SECONDS, announcement
from sobremesa.domains.webhooks.replaying import JOB, ReplayJob
from sobremesa.domains.webhooks.sending import Sender
from sobremesa.domains.webhooks.stored_secrets import StoredSecrets, UnreadableSecret
from sobremesa.http.outgoing import AddressRules, BadUrl
from sobremesa.table import Condition, Create, Delete, Operation, Page, Table, Update, Upsert, add, equals, set_to
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.table.updates import Changes
from sobremesa.work.jobs import Jobs
from sobremesa.work.quotas import Quotas

SCOPE = "webhooks:admin"
MAX_WEBHOOKS = 20
ROTATION_SECONDS = 24 * 3600
"""How long the secret before a rotation also signs."""


class Replay(NamedTuple):
    """A replay that was started, and from when on."""

    since_ms: int


class WebhookSecret(NamedTuple):
    """A webhook, and its secret, which is not shown again."""

    hook: Webhook
    secret: str


class Webhooks:
    """The webhooks of all tenants."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        *,
        audit: Audit,
        jobs: Jobs,
        addresses: AddressRules,
        event_names: EventNames,
        secrets: StoredSecrets,
        sender: Sender,
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._audit = audit
        self._jobs = jobs
        self._addresses = addresses
        self._event_names = event_names
        self._secrets = secrets
        self._sender = sender
        self._quotas = Quotas(table, clock)

    async def create(
        self, actor: Actor, tenant: Tenant, *, url: str, events: Sequence[str], rooms: Sequence[str] | None = None
    ) -> WebhookSecret:
        """Create a webhook. The result has its secret, which is not shown again."""
        _require(actor, tenant)
        events = self._event_names.require_known(events)
        url = await self._require_url(url)
        now = self._clock.now()
        hook_id, secret = HookId(self._ids.mint()), new_secret()
        hook = Webhook(
            tenant=tenant,
            hook_id=hook_id,
            url=url,
            events=events,
            rooms=_unique(rooms),
            secret=self._secrets.encrypt(hook_id, secret),
            created_at=now,
            updated_at=now,
        )
        await self._quotas.create(
            partial(self._reserve, tenant),
            hook=Create(hook),
            roster=self._roster(hooks=1),
            audit=self._audit.entry(tenant_scope(tenant), actor, "webhook.create", target=hook.hook_id),
            pattern=create_webhook,
        )
        return WebhookSecret(hook, secret)

    async def list_webhooks(
        self, actor: Actor, tenant: Tenant, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Webhook]:
        """Return a page of the webhooks of a tenant, oldest first."""
        _require(actor, tenant)
        return await self._table.query(webhooks_of(tenant=tenant), limit=limit, cursor=cursor)

    async def get(self, actor: Actor, tenant: Tenant, hook_id: HookId) -> Webhook:
        """Return a webhook."""
        _require(actor, tenant)
        try:
            hook = await self._table.get(webhook_by_id(tenant=tenant, hook_id=hook_id))
        except BadKey:
            raise NotFound from None
        if hook is None:
            raise NotFound
        return hook

    async def change(
        self,
        actor: Actor,
        tenant: Tenant,
        hook_id: HookId,
        *,
        url: str | UnsetType = UNSET,
        events: Sequence[str] | UnsetType = UNSET,
        rooms: Sequence[str] | UnsetType | None = UNSET,
        disabled: bool | UnsetType = UNSET,
    ) -> Webhook:
        """Change a webhook. Enabling one sends what is still in its queue."""
        await self.get(actor, tenant, hook_id)
        changes: Changes = ()
        if url is not UNSET:
            changes += set_to(url=await self._require_url(url))
        if events is not UNSET:
            changes += set_to(events=self._event_names.require_known(events))
        if rooms is not UNSET:
            changes += set_to(rooms=_unique(rooms))
        if disabled is not UNSET:
            at, reason = (self._clock.now(), "requested") if disabled else (None, None)
            changes += set_to(disabled_at=at, disabled_reason=reason, failing_since=None)
        return await self._change(actor, tenant, hook_id, "webhook.update", changes)

    async def rotate(self, actor: Actor, tenant: Tenant, hook_id: HookId) -> WebhookSecret:
        """Replace the secret. Requests are signed with both for a day, unless the old one cannot be decrypted."""
        hook = await self.get(actor, tenant, hook_id)
        secret = new_secret()
        try:
            previous = self._secrets.encrypt(hook_id, self._secrets.decrypt(hook_id, hook.secret))
        except UnreadableSecret:
            previous = None
        changes = set_to(
            secret=self._secrets.encrypt(hook_id, secret),
            previous_secret=previous,
            previous_until_ms=self._clock.now_ms() + ROTATION_SECONDS * 1000 if previous else 0,
        )
        not_rotated = equals("secret", hook.secret)
        return WebhookSecret(
            await self._change(actor, tenant, hook_id, "webhook.rotate", changes, when=not_rotated), secret
        )

    async def delete(self, actor: Actor, tenant: Tenant, hook_id: HookId) -> None:
        """Delete a webhook, with its queue and its delivery log."""
        hook = await self.get(actor, tenant, hook_id)
        try:
            await self._table.write(
                hook=Delete(hook.own_key()),
                roster=self._roster(hooks=-1),
                work=announcement(self._ids, hook_id, tenant),
                audit=self._audit.entry(tenant_scope(tenant), actor, "webhook.delete", target=hook_id),
                pattern=delete_webhook,
            )
        except ConditionFailed:
            raise NotFound from None
        self._sender.nudge()

    async def list_deliveries(
        self, actor: Actor, tenant: Tenant, hook_id: HookId, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Delivery]:
        """Return a page of the delivery log of the last seven days, newest event first."""
        await self.get(actor, tenant, hook_id)
        return await self._table.query(deliveries_of(hook_id=hook_id), limit=limit, cursor=cursor)

    async def replay(self, actor: Actor, tenant: Tenant, hook_id: HookId, *, since_ms: int) -> Replay:
        """Send all events since a time again, at most those of the last day, with the same ids."""
        hook = await self.get(actor, tenant, hook_id)
        if hook.disabled_at is not None:
            raise WebhookDisabled
        now_ms = self._clock.now_ms()
        failed_since_ms = max(since_ms, now_ms - LOG_SECONDS * 1000)
        since_ms = max(since_ms, now_ms - REPLAY_SECONDS * 1000)
        job = ReplayJob(tenant, hook_id, since_ms, EventOrder(self._ids.mint()), failed_since_ms)
        await self._table.write(
            job=self._jobs.new(JOB, msgspec.json.encode(job).decode()),
            audit=self._audit.entry(tenant_scope(tenant), actor, "webhook.replay", target=hook_id),
            pattern=start_replay,
        )
        self._jobs.nudge()
        return Replay(since_ms)

    async def _change(
        self,
        actor: Actor,
        tenant: Tenant,
        hook_id: HookId,
        action: str,
        changes: Changes,
        when: Condition | None = None,
    ) -> Webhook:
        key = webhook_by_id(tenant=tenant, hook_id=hook_id)
        try:
            await self._table.write(
                hook=Update(key, changes, set_to(updated_at=self._clock.now()), when=when),
                roster=self._roster(),
                work=announcement(self._ids, hook_id, tenant),
                audit=self._audit.entry(tenant_scope(tenant), actor, action, target=hook_id),
                pattern=change_webhook,
            )
        except ConditionFailed:
            await self.get(actor, tenant, hook_id)
            raise ChangedMeanwhile from None
        self._sender.nudge()
        return await self.get(actor, tenant, hook_id)

    def _roster(self, *, hooks: int = 0) -> Operation:
        """Return the operation that makes every node read the webhooks again."""
        return Upsert(roster(), add(hooks=hooks), set_to(version=self._ids.mint()))

    async def _require_url(self, url: str) -> str:
        try:
            return await self._addresses.require_url(url)
        except BadUrl as refusal:
            raise BadWebhookUrl(str(refusal)) from None

    async def _reserve(self, tenant: Tenant) -> Operation:
        reserved = await self._quotas.reserve("webhooks", tenant, webhooks_of(tenant=tenant), MAX_WEBHOOKS)
        if reserved is None:
            raise TooManyWebhooks
        return reserved


def _require(actor: Actor, tenant: Tenant) -> None:
    """Raise NotFound in another tenant, and Forbidden without the scope."""
    actor.require_tenant(tenant)
    actor.require_scope(SCOPE)


def _unique(rooms: Sequence[str] | None) -> list[str] | None:
    return None if rooms is None else list(dict.fromkeys(rooms))
