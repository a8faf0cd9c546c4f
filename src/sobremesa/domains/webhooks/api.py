"""The routes of webhooks, for a product's backend with a server key."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import ChangedMeanwhile
from sobremesa.domains.webhooks.entities import HookId
from sobremesa.domains.webhooks.errors import BadWebhookUrl, TooManyWebhooks, UnknownEvents, WebhookDisabled
from sobremesa.domains.webhooks.service import SCOPE, Webhooks
from sobremesa.domains.webhooks.views import (
    DeliveryView,
    ReplayView,
    WebhookView,
    WebhookWithSecret,
    delivery_view,
    webhook_view,
    webhook_with_secret,
)
from sobremesa.http.endpoints import Input, Listed, PageQuery, Routes
from sobremesa.http.outgoing import MAX_URL

Url = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_URL, examples=["https://example.com/hooks/chat"])]
EventPattern = Annotated[str, msgspec.Meta(min_length=1, max_length=100, examples=["message.*"])]
Events = Annotated[
    list[EventPattern],
    msgspec.Meta(min_length=1, max_length=100, description="Names of events, prefixes such as `message.*`, or `*`."),
]
Room = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
Rooms = Annotated[
    list[Room],
    msgspec.Meta(min_length=1, max_length=100, description="Only events of these channels, conversations or threads."),
]


class NewWebhook(Input):
    """An address, and which events it receives."""

    url: Url
    events: Events
    rooms: Rooms | None = None


class WebhookChange(Input):
    """What to change. `rooms: null` is all rooms."""

    url: Url | UnsetType = UNSET
    events: Events | UnsetType = UNSET
    rooms: Rooms | UnsetType | None = UNSET
    disabled: bool | UnsetType = UNSET


class ReplaySince(Input):
    """The time of the first event to send again."""

    since: Annotated[datetime, msgspec.Meta(tz=True)]


def routes(webhooks: Webhooks, clock: Clock) -> Routes:
    """The routes of webhooks."""
    api = Routes("Webhooks", "Events of a tenant, sent to addresses of your own and signed by Standard Webhooks.")
    at = "/tenants/{tenant}/webhooks"
    one = f"{at}/{{hook_id}}"

    @api.post(at, status=201, scope=SCOPE, errors=[BadWebhookUrl, UnknownEvents, TooManyWebhooks])
    async def create_webhook(actor: Actor, tenant: Tenant, body: NewWebhook) -> WebhookWithSecret:
        """Create a webhook: events that happen from now on are sent to it. Its secret is shown only here."""
        created = await webhooks.create(actor, tenant, url=body.url, events=body.events, rooms=body.rooms)
        return webhook_with_secret(created.hook, created.secret, clock)

    @api.get(at, scope=SCOPE)
    async def list_webhooks(actor: Actor, tenant: Tenant, query: PageQuery) -> Listed[WebhookView]:
        """List the webhooks of a tenant, oldest first."""
        page = await webhooks.list_webhooks(actor, tenant, limit=query.limit, cursor=query.cursor)
        return Listed([webhook_view(hook, clock) for hook in page.items], page.cursor)

    @api.get(one, scope=SCOPE)
    async def get_webhook(actor: Actor, tenant: Tenant, hook_id: HookId) -> WebhookView:
        """Return a webhook, and why it is disabled if it is."""
        return webhook_view(await webhooks.get(actor, tenant, hook_id), clock)

    @api.patch(one, scope=SCOPE, errors=[BadWebhookUrl, UnknownEvents])
    async def change_webhook(actor: Actor, tenant: Tenant, hook_id: HookId, body: WebhookChange) -> WebhookView:
        """Change a webhook, disable it or enable it again. Enabling one sends what is still in its queue."""
        hook = await webhooks.change(
            actor, tenant, hook_id, url=body.url, events=body.events, rooms=body.rooms, disabled=body.disabled
        )
        return webhook_view(hook, clock)

    @api.delete(one, scope=SCOPE)
    async def delete_webhook(actor: Actor, tenant: Tenant, hook_id: HookId) -> None:
        """Delete a webhook, with its queue and its delivery log."""
        await webhooks.delete(actor, tenant, hook_id)

    @api.get(f"{one}/deliveries", scope=SCOPE)
    async def list_deliveries(actor: Actor, tenant: Tenant, hook_id: HookId, query: PageQuery) -> Listed[DeliveryView]:
        """List the events of the last seven days that were sent, with the last attempts; newest first."""
        page = await webhooks.list_deliveries(actor, tenant, hook_id, limit=query.limit, cursor=query.cursor)
        return Listed([delivery_view(delivery) for delivery in page.items], page.cursor)

    @api.post(f"{one}/replay", status=202, scope=SCOPE, errors=[WebhookDisabled])
    async def replay_webhook(actor: Actor, tenant: Tenant, hook_id: HookId, body: ReplaySince) -> ReplayView:
        """Send all events since a time again, with the same ids. Events of the last 24 hours are kept for this."""
        since_ms = round(body.since.timestamp() * 1000)
        replay = await webhooks.replay(actor, tenant, hook_id, since_ms=since_ms)
        return ReplayView(instant(replay.since_ms), "running")

    @api.post(f"{one}/rotate", scope=SCOPE, errors=[ChangedMeanwhile])
    async def rotate_secret(actor: Actor, tenant: Tenant, hook_id: HookId) -> WebhookWithSecret:
        """Replace the secret. Requests carry signatures of both secrets for 24 hours."""
        rotated = await webhooks.rotate(actor, tenant, hook_id)
        return webhook_with_secret(rotated.hook, rotated.secret, clock)

    return api
