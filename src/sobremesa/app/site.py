"""The services behind HTTP: the routes, the gateway and the pages, as one ASGI application."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from sobremesa import __version__
from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.domains.accounts import api as accounts_api
from sobremesa.domains.accounts import audit_api, tenant_user_api
from sobremesa.domains.attachments import api as attachments_api
from sobremesa.domains.attachments.errors import AttachmentMissing
from sobremesa.domains.bots import api as bots_api
from sobremesa.domains.commands import api as commands_api
from sobremesa.domains.communities import api as communities_api
from sobremesa.domains.communities import watching as channel_watching
from sobremesa.domains.conversations import api as conversations_api
from sobremesa.domains.conversations.errors import BlockedByRecipient
from sobremesa.domains.data_schemas import api as data_schemas_api
from sobremesa.domains.explorer import api as explorer_api
from sobremesa.domains.imports import api as imports_api
from sobremesa.domains.inboxes import api as inboxes_api
from sobremesa.domains.incoming_webhooks import api as hooks_api
from sobremesa.domains.moderation import api as moderation_api
from sobremesa.domains.notifications import api as notifications_api
from sobremesa.domains.records import api as records_api
from sobremesa.domains.threads import api as threads_api
from sobremesa.domains.threads import project_api
from sobremesa.domains.threads.errors import Blocked, ThreadNotOpen
from sobremesa.domains.webhooks import api as webhooks_api
from sobremesa.domains.workspaces import api as workspaces_api
from sobremesa.glue.event_catalog import WEBHOOK_EVENTS
from sobremesa.glue.invite_routes import routes as invite_routes
from sobremesa.glue.ready_prefetch import ReadyPrefetch
from sobremesa.glue.ready_snapshot import ReadySnapshots
from sobremesa.http.calls import Calls
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.metrics import Metrics, WebhookMetrics
from sobremesa.http.site import Site
from sobremesa.live import api as live_api
from sobremesa.live import presence_api
from sobremesa.live.gateway import Gateway
from sobremesa.live.identify import GatewayBackend
from sobremesa.live.polling import Polling
from sobremesa.live.sessions import GatewaySessions
from sobremesa.live.socket_limits import MaxSockets
from sobremesa.rooms import api as rooms_api
from sobremesa.web import Client, read_build

if TYPE_CHECKING:
    from sobremesa.app.application import Sobremesa


def build_site(app: Sobremesa, client: Client | None = None) -> Site:
    """Build the ASGI application that serves everything; `client` replaces the built web client."""
    settings = app.settings
    metrics = Metrics()
    metrics.watch_table(app.table.meter.totals)
    metrics.watch_calls(app.table.call_stats)
    endpoints = list_endpoints(app)
    dispatch = Dispatch(
        endpoints,
        app.accounts.authenticate,
        app.limits,
        max_body_bytes=settings.max_body_bytes,
        request_seconds=settings.request_seconds,
        show_units=settings.show_units,
        users=app.accounts,
    )
    gateway = build_gateway(app, endpoints, metrics)
    metrics.watch_gateway(lambda: gateway.sockets, lambda: app.live.hub.delivered, lambda: gateway.closes)
    metrics.watch_webhooks(partial(webhook_metrics, app))
    metrics.watch_change_stream(lambda: len(app.change_consumer.shards), app.change_consumer.lags)
    return Site(
        dispatch,
        version=__version__,
        public_url=settings.public_url,
        ready=partial(check_ready, app),
        metrics=metrics,
        cors_origins=settings.cors_origins,
        client=client or Client(read_build()),
        gateway=gateway,
        webhooks=WEBHOOK_EVENTS,
        on_start=[app.accounts.prepare, app.presence.start, gateway.start],
        on_stop=[app.presence.stop, gateway.stop],
    )


def list_endpoints(app: Sobremesa) -> list[Endpoint]:
    """Return every endpoint of the API, in the order of the documentation."""
    room_routes = partial(rooms_api.routes, refusals=[AttachmentMissing])
    count_unread = rooms_api.unread_counts(app.room_kinds, inboxes_api.totals(app.inboxes))
    polling = Polling(
        app.live.hub,
        app.live.feed,
        app.subscriptions.memberships_of,
        app.gaps.find,
        app.watching.watched_by_polling,
    )
    routes = [
        accounts_api.routes(app.accounts),
        audit_api.routes(app.audit, app.clock),
        tenant_user_api.routes(app.accounts, count_unread),
        communities_api.routes(app.communities, app.accounts),
        room_routes(app.communities, title="Channels"),
        bots_api.routes(app.bots),
        commands_api.routes(app.commands),
        conversations_api.routes(app.conversations, app.accounts),
        room_routes(app.conversations, title="Conversations", silences=[BlockedByRecipient]),
        threads_api.routes(app.threads, app.accounts),
        project_api.routes(app.threads),
        room_routes(app.threads, title="Threads", silences=[Blocked, ThreadNotOpen]),
        hooks_api.routes(app.incoming_webhooks, app.settings.address),
        records_api.routes(app.records_store),
        workspaces_api.routes(app.workspaces, app.accounts),
        invite_routes(app.invites),
        rooms_api.shared_routes(app.room_kinds, count_unread),
        inboxes_api.routes(app.inboxes),
        notifications_api.routes(app.notifications),
        webhooks_api.routes(app.webhooks, app.clock),
        attachments_api.routes(app.attachments),
        data_schemas_api.routes(app.data_schemas),
        moderation_api.routes(app.moderation),
        imports_api.routes(app.imports),
        explorer_api.routes(app.explorer),
        live_api.routes(polling),
        presence_api.routes(app.presence),
        channel_watching.routes(app.watching),
    ]
    return [endpoint for part in routes for endpoint in part.endpoints]


def build_gateway(app: Sobremesa, endpoints: Sequence[Endpoint], metrics: Metrics) -> Gateway:
    """Build the gateway: live events, and the same endpoints over WebSocket."""
    settings = app.settings
    snapshots = ReadySnapshots(app.table, endpoints, app.communities, app.conversations, app.threads, app.inboxes)
    return Gateway(
        app.live,
        GatewayBackend(
            authenticate=app.accounts.authenticate,
            verify=app.accounts.authenticate_until,
            users=app.accounts,
            memberships=app.subscriptions.memberships_of,
            snapshot=snapshots.snapshot,
            gap=app.gaps.find,
            presences=app.presence.among,
            prefetched=ReadyPrefetch(app.table, app.communities, app.inboxes.broadcasts),
            watching=app.watching,
        ),
        Calls(endpoints, app.limits, metrics, request_seconds=settings.request_seconds, users=app.accounts),
        GatewaySessions(app.ids, app.store.keyring.secret("gateway")),
        app.limits,
        app.clock,
        origins=[settings.origin, *settings.cors_origins],
        max_sockets=MaxSockets.of(settings),
        drain_seconds=settings.drain_seconds,
        appeared=app.presence.watch,
    )


def webhook_metrics(app: Sobremesa) -> WebhookMetrics:
    """Return what the metrics show about webhooks."""
    usage = app.webhook_delivery.usage
    lag = usage.lag_seconds(app.clock.now_ms())
    return WebhookMetrics(usage.attempts, usage.pending, lag, usage.queued_lag_seconds, usage.failed_changes)


async def check_ready(app: Sobremesa) -> None:
    """Raise unless the store answers reads and accepted the last write.

    Every node writes its own row every few seconds, so this recovers even where no user writes anything.
    """
    await app.accounts.find_by_usernames(["nobody-in-particular"], DEFAULT_TENANT)
    if app.table.write_error is not None:
        raise app.table.write_error
