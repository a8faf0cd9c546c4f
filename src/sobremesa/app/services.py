"""Builders of the services that need more than one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sobremesa.app.store import Store
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.deletion_hooks import JOB as DELETE_ACCOUNT
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.communities.service import CLEAN_CHANNEL, CLEAN_SERVER
from sobremesa.domains.communities.summaries import channel_summaries
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.conversations.participants import CLEAN_CONVERSATION
from sobremesa.domains.inboxes import delivery as inbox_delivery
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.incoming_webhooks.rooms import HookChannels, HookConversations, HookThreads
from sobremesa.domains.incoming_webhooks.service import IncomingWebhooks
from sobremesa.domains.moderation.policy import open_policy
from sobremesa.domains.moderation.review import Review
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.threads.reviewing import ThreadReview
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.workspaces.cleanup import CLEAN_WORKSPACE
from sobremesa.glue.amendment_records import ThreadFiles
from sobremesa.glue.event_catalog import recipient_payloads, translation_of
from sobremesa.glue.node_registry import TableNodeRegistry
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.http.limits import Limits, MemoryLimits, NoLimits
from sobremesa.live import opening as live_opening
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.opening import Live, LiveOptions
from sobremesa.live.presence import Presence
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.judging import Judge, TimedJudge
from sobremesa.rooms.readers import RoomReaders
from sobremesa.table import Table
from sobremesa.table.opening import parse_store, require_extra
from sobremesa.work.jobs import Handler

if TYPE_CHECKING:
    from sobremesa.app.application import Sobremesa


def limits_of(settings: Settings) -> Limits:
    """Return the rate limits of the settings: none, those of one process, or shared through Redis."""
    if settings.rate_limits == "off":
        return NoLimits()
    if settings.redis is None:
        return MemoryLimits()
    require_extra("redis", "redis", "the setting redis")
    from sobremesa.http.redis_limits import RedisLimits

    return RedisLimits(settings.redis)


def open_attachments(store: Store, ids: Ids, readers: RoomReaders) -> Attachments:
    """Build the service of uploaded files."""
    return Attachments(
        store.table,
        store.clock,
        ids,
        store=store.files,
        readers=readers,
        secret=store.keyring.secret("files"),
        max_bytes=store.settings.max_upload_bytes,
    )


class OpenedLive(NamedTuple):
    """The services that deliver events and presence."""

    live: Live
    node_registry: TableNodeRegistry
    presence: Presence


def open_live(
    store: Store, ids: Ids, accounts: Accounts, inboxes: Inboxes, subscriptions: Subscriptions, options: LiveOptions
) -> OpenedLive:
    """Build the services that deliver events and presence to the clients of this node."""
    table, clock, settings = store.table, store.clock, store.settings

    live = live_opening.open_live(
        table,
        clock,
        translation_of(table, clock, accounts),
        payloads=recipient_payloads(inboxes.counting),
        memberships=subscriptions.memberships_at,
        cursors=EventCursors(store.keyring.secret("gateway")),
        settings=settings,
        node_id=(node_id := ids.mint()),
        options=options,
    )
    is_alone = settings.redis is None or parse_store(settings.store).is_embedded
    node_registry = TableNodeRegistry(table, clock, node_id, options.presence, alone=is_alone)
    return OpenedLive(live, node_registry, Presence(live.hub, live.ephemeral, node_registry, options.presence))


def open_moderation(table: Table, clock: Clock, audit: Audit, accounts: Accounts) -> Review:
    """Build the moderators' service over all kinds of room."""
    return Review(
        table,
        clock,
        audit,
        accounts,
        kinds=[CHANNELS, CONVERSATIONS, THREADS],
        summaries={CHANNELS.name: channel_summaries(table)},
        reviewed={THREADS.name: ThreadReview(table)},
    )


def open_incoming_webhooks(app: Sobremesa, context: RoomContext, audit: Audit) -> IncomingWebhooks:
    """Build the service of incoming webhooks over all kinds of room."""
    rooms = (
        HookChannels(context.table, app.communities.access),
        HookConversations(context.table, app.conversations.access),
        HookThreads(app.threads.access),
    )
    return IncomingWebhooks(context, rooms=rooms, audit=audit, limits=app.limits)


def judge_of(judge: Judge | None, settings: Settings, clock: Clock) -> TimedJudge | None:
    """Return the judge of messages, by default the policy of the settings, with the time limit of the settings."""
    judge = judge or open_policy(settings, clock)
    return None if judge is None else TimedJudge(judge, settings.moderation_seconds)


def open_records(store: Store, ids: Ids, threads: Threads, files: Attachments) -> RecordsStore:
    """Build the store of records, which is opened on first use."""
    return RecordsStore(
        records_address(store.settings),
        store.clock,
        ids,
        parties=threads,
        panels=threads.tabs,
        files=ThreadFiles(files),
        secret=store.keyring.secret("cursors"),
    )


def job_handlers(app: Sobremesa) -> dict[str, Handler]:
    """Return what runs each kind of background job, by the name of the job."""
    hooks = app.incoming_webhooks
    return {
        DELETE_ACCOUNT: app.accounts.finish_deletion,
        CLEAN_SERVER: in_order(
            hooks.clean_server,
            app.commands.clean_server,
            app.bots.clean_server,
            app.communities.cleanup.clean_server,
        ),
        CLEAN_CHANNEL: in_order(hooks.clean_room, app.communities.cleanup.clean_channel),
        CLEAN_CONVERSATION: in_order(hooks.clean_room, app.conversations.cleanup.clean_conversation),
        inbox_delivery.JOB: app.inboxes.delivery.run,
        CLEAN_WORKSPACE: app.workspaces.cleanup.clean_workspace,
        **{rooms.reaction_cleanup.job: rooms.reaction_cleanup.clean for rooms in app.room_kinds},
    }


def in_order(*handlers: Handler) -> Handler:
    """Return a handler that runs others one after the other; each can be repeated."""

    async def handle(subject: str) -> None:
        for handler in handlers:
            await handler(subject)

    return handle
