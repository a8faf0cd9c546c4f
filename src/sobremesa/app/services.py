"""Builders of the services that need more than one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sobremesa.app.store import Store
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts import opening as accounts_opening
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.deletion_hooks import JOB as DELETE_ACCOUNT
from sobremesa.domains.accounts.deletion_hooks import UserDataOfDomains
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.communities.importing import ChannelImports
from sobremesa.domains.communities.service import CLEAN_CHANNEL, CLEAN_SERVER, Communities
from sobremesa.domains.communities.summaries import channel_summaries
from sobremesa.domains.communities.watching import ChannelWatching
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.conversations.importing import ConversationImports
from sobremesa.domains.conversations.participants import CLEAN_CONVERSATION
from sobremesa.domains.conversations.service import Conversations
from sobremesa.domains.imports.downloads import Downloads
from sobremesa.domains.imports.service import Imports
from sobremesa.domains.inboxes import delivery as inbox_delivery
from sobremesa.domains.inboxes import editing as inbox_editing
from sobremesa.domains.inboxes import recalling as inbox_recalling
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.incoming_webhooks.rooms import HookChannels, HookConversations, HookThreads
from sobremesa.domains.incoming_webhooks.service import IncomingWebhooks
from sobremesa.domains.mail.mailers import Transport
from sobremesa.domains.moderation.http_judge import SECONDS as HTTP_JUDGE_SECONDS
from sobremesa.domains.moderation.http_judge import HttpJudge
from sobremesa.domains.moderation.policy import open_policy
from sobremesa.domains.moderation.review import Review
from sobremesa.domains.notifications.digests import Digests
from sobremesa.domains.notifications.schedule import DigestSchedule
from sobremesa.domains.notifications.service import Notifications
from sobremesa.domains.notifications.sweeping import DigestSweeper
from sobremesa.domains.notifications.unsubscribing import UnsubscribeTokens
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.threads.card_types import CardType
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.threads.importing import ThreadImports
from sobremesa.domains.threads.reviewing import ThreadReview
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.webhooks import replaying as webhook_replaying
from sobremesa.domains.webhooks.delivery import Deliveries
from sobremesa.domains.webhooks.event_names import EventNames
from sobremesa.domains.webhooks.outcomes import Outcomes
from sobremesa.domains.webhooks.queueing import EventQueue
from sobremesa.domains.webhooks.replaying import Replaying
from sobremesa.domains.webhooks.requests import WebhookRequests
from sobremesa.domains.webhooks.sending import Sender
from sobremesa.domains.webhooks.service import Webhooks
from sobremesa.domains.webhooks.stored_secrets import StoredSecrets
from sobremesa.domains.webhooks.usage import WebhookUsage
from sobremesa.domains.workspaces.cleanup import CLEAN_WORKSPACE
from sobremesa.glue import broadcast_digests
from sobremesa.glue.amendment_records import AmendmentRecords, ThreadFiles
from sobremesa.glue.broadcast_digests import BroadcastDigests
from sobremesa.glue.event_catalog import WEBHOOK_EVENTS, RoomTyping, recipient_payloads, translation_of
from sobremesa.glue.imported_rooms import ImportedRoomCreation
from sobremesa.glue.node_registry import TableNodeRegistry
from sobremesa.glue.topic_tenants import TopicTenants
from sobremesa.glue.unread_changes import UnreadChanges
from sobremesa.glue.unread_places import DigestPlaces
from sobremesa.http.limits import Limits, MemoryLimits, NoLimits
from sobremesa.http.outgoing import AddressRules
from sobremesa.live import opening as live_opening
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.opening import Live, LiveOptions
from sobremesa.live.presence import Presence
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.judging import Judge, TimedJudge
from sobremesa.rooms.readers import RoomReaders
from sobremesa.table import Table
from sobremesa.table.opening import parse_store, require_extra
from sobremesa.work.consumers import PUBLISHER, ChangeConsumer, ChangeHandler, ReaderTimes
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Handler, Jobs
from sobremesa.work.table_origin import Origin

if TYPE_CHECKING:
    from sobremesa.app.application import Sobremesa

EMBEDDED_LEASE_SECONDS = 15.0
"""One process usually has the file to itself: a lease that is renewed less often costs fewer writes."""


def limits_of(settings: Settings) -> Limits:
    """Return the rate limits of the settings: none, those of one process, or shared through Redis."""
    if settings.rate_limits == "off":
        return NoLimits()
    if settings.redis is None:
        return MemoryLimits()
    require_extra("redis", "redis", "the setting redis")
    from sobremesa.http.redis_limits import RedisLimits

    return RedisLimits(settings.redis)


def open_accounts(app: Sobremesa, domains: UserDataOfDomains) -> Accounts:
    """Build the service of users; `domains` returns the other domains that store data of users."""
    return accounts_opening.open_accounts(
        app.table,
        app.clock,
        app.ids,
        keyring=app.store.keyring,
        limits=app.limits,
        jobs=app.jobs,
        settings=app.settings,
        transport=app.mail,
        origin=app.store.origin,
        domains=domains,
        data_checks=app.data_schemas,
    )


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


def open_live(app: Sobremesa, options: LiveOptions) -> OpenedLive:
    """Build the services that deliver events and presence to the clients of this node."""
    table, clock, settings = app.table, app.clock, app.settings

    live = live_opening.open_live(
        table,
        clock,
        translation_of(table, clock, app.accounts),
        payloads=recipient_payloads(app.inboxes.counting),
        memberships=app.subscriptions.memberships_at,
        cursors=EventCursors(app.store.keyring.secret("gateway")),
        settings=settings,
        node_id=(node_id := app.ids.mint()),
        options=options,
    )
    is_alone = settings.redis is None or parse_store(settings.store).is_embedded
    node_registry = TableNodeRegistry(table, clock, node_id, options.presence, alone=is_alone)
    return OpenedLive(live, node_registry, Presence(live.hub, live.ephemeral, node_registry, options.presence))


def open_watching(app: Sobremesa) -> ChannelWatching:
    """Build what notes which channels are watched."""
    return ChannelWatching(
        app.table,
        app.clock,
        app.communities.access,
        app.accounts,
        app.live.hub,
        app.node_registry,
        app.settings.max_watched_channels,
    )


class RoomKinds(NamedTuple):
    """The services of the three kinds of room."""

    communities: Communities
    conversations: Conversations
    threads: Threads


def room_context(app: Sobremesa, readers: RoomReaders, judge: TimedJudge | None) -> RoomContext:
    """Return what the services of all kinds of room share."""
    return RoomContext(
        app.table,
        app.clock,
        app.ids,
        app.accounts,
        app.attachments,
        app.jobs,
        readers,
        RoomTyping(app.live.typing),
        judge,
        app.store.has_own_clock,
        app.data_schemas,
        app.store.room_nonces_until,
    )


def open_rooms(
    context: RoomContext, origin: Origin, audit: Audit, idempotency: Idempotency, card_types: Iterable[CardType]
) -> RoomKinds:
    """Build the services of all kinds of room."""
    communities = Communities(context, audit=audit, idempotency=idempotency)
    share_server = communities.members.share_server
    return RoomKinds(
        communities,
        Conversations(context, audit=audit, idempotency=idempotency, origin=origin, share_server=share_server),
        Threads(context, audit=audit, idempotency=idempotency, card_types=card_types),
    )


class OpenedWebhooks(NamedTuple):
    """The webhooks of tenants, and what sends events to them."""

    webhooks: Webhooks
    queue: EventQueue
    sender: Sender
    replaying: Replaying
    requests: WebhookRequests
    usage: WebhookUsage


def open_webhooks(
    store: Store, ids: Ids, accounts: Accounts, inboxes: Inboxes, audit: Audit, jobs: Jobs
) -> OpenedWebhooks:
    """Build the webhooks of tenants, and what sends events to them."""
    table, clock = store.table, store.clock
    rules = AddressRules(store.settings.webhook_allow_networks)
    usage, requests = WebhookUsage(), WebhookRequests(rules)
    secrets = StoredSecrets(store.keyring.secret("webhooks"))
    deliveries = Deliveries(table, clock, requests, Outcomes(table, clock, ids, audit), secrets, usage)
    sender = Sender(table, clock, ids, deliveries, usage)
    queue = EventQueue(
        table,
        clock,
        ids,
        translation_of(table, clock, accounts),
        TopicTenants(table),
        recipient_payloads(inboxes.counting),
        usage,
        queued=sender.nudge,
    )
    names = EventNames(event.name for event in WEBHOOK_EVENTS)
    webhooks = Webhooks(
        table, clock, ids, audit=audit, jobs=jobs, addresses=rules, event_names=names, secrets=secrets, sender=sender
    )
    replaying = Replaying(table, clock, ids, queue, sender.nudge)
    return OpenedWebhooks(webhooks, queue, sender, replaying, requests, usage)


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


def open_notifications(store: Store, accounts: Accounts) -> Notifications:
    """Build the service of notification settings."""
    tokens = UnsubscribeTokens(store.keyring.secret("unsubscribe"))
    return Notifications(store.table, store.clock, accounts, tokens, store.settings.digest)


class OpenedDigests(NamedTuple):
    """The parts of digests: what schedules them, and what sends them."""

    changes: UnreadChanges
    broadcasts: BroadcastDigests
    sweeper: DigestSweeper

    async def run(self) -> None:
        """Look at the users who are due, until cancelled."""
        await self.sweeper.run()

    async def close(self) -> None:
        """Wait for the digests that are being sent."""
        await self.sweeper.close()


def open_digests(app: Sobremesa, transport: Transport) -> OpenedDigests:
    """Build what schedules and sends digests by this transport."""
    table, clock, settings = app.table, app.clock, app.settings
    schedule = DigestSchedule(table, clock, after_minutes=settings.digest_after_minutes, default=settings.digest)
    digests = Digests(
        table,
        clock,
        schedule=schedule,
        accounts=app.accounts,
        places=DigestPlaces(table, app.communities, app.conversations, app.threads, app.inboxes),
        connections=app.presence,
        transport=transport,
        tokens=UnsubscribeTokens(app.store.keyring.secret("unsubscribe")),
        public_url=settings.address,
    )
    return OpenedDigests(
        UnreadChanges(table, schedule),
        BroadcastDigests(table, clock, schedule, app.jobs),
        DigestSweeper(table, clock, digests, schedule, app.ids.mint()),
    )


def http_judge_of(settings: Settings, clock: Clock, ids: Ids) -> HttpJudge | None:
    """Return the judge at the URL of the settings, if there is one."""
    if settings.moderation_url is None or settings.moderation_secret is None:
        return None
    policy = open_policy(settings, clock)
    return HttpJudge(settings.moderation_url, settings.moderation_secret, clock, ids, policy)


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
    # The judge at a URL has a limit of its own, which keeps the verdict of the policy.
    least_seconds = HTTP_JUDGE_SECONDS + 0.5 if isinstance(judge, HttpJudge) else 0
    judge = judge or open_policy(settings, clock)
    return None if judge is None else TimedJudge(judge, max(settings.moderation_seconds, least_seconds))


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


def open_imports(app: Sobremesa, judge: TimedJudge | None) -> Imports:
    """Build the service that imports messages."""
    table, clock = app.table, app.clock
    channels = ChannelImports(table, clock)
    return Imports(
        table,
        clock,
        kinds=[channels, ConversationImports(table, clock), ThreadImports(table, clock, app.threads.inboxes)],
        creation=ImportedRoomCreation(table, app.accounts, app.communities, app.conversations, channels),
        directory=app.accounts,
        files=app.attachments,
        downloads=Downloads(AddressRules(app.settings.import_allow_networks)),
        audit=app.audit,
        judge=judge,
    )


CHANGE_CONSUMERS = ("conversations", "threads", "records", "inboxes", "webhooks", "digests", "broadcasts", PUBLISHER)
"""The names of all consumers of the change stream."""


def open_change_consumer(app: Sobremesa) -> ChangeConsumer:
    """Build what reads the changes of the table; the names of the handlers are stored."""
    handlers: dict[str, ChangeHandler] = {
        "conversations": app.conversations.activity,
        "threads": app.threads.inboxes,
        "records": AmendmentRecords(app.table, app.records_store),
        "inboxes": app.inboxes.expiring,
        "webhooks": app.webhook_delivery.queue,
    }
    if app.digests is not None:
        handlers |= {"digests": app.digests.changes, "broadcasts": app.digests.broadcasts}
    relay = app.live.relay
    is_embedded = parse_store(app.settings.store).is_embedded
    times = ReaderTimes(lease_seconds=EMBEDDED_LEASE_SECONDS) if is_embedded else ReaderTimes()
    consumer = ChangeConsumer(app.table, app.clock, app.ids, handlers, publisher=relay, times=times)
    if relay is not None:
        relay.prepare, relay.nudge = consumer.prepare, consumer.nudge
        relay.is_reading = lambda: bool(consumer.shards)
    return consumer


def job_handlers(app: Sobremesa) -> dict[str, Handler]:
    """Return what runs each kind of background job, by the name of the job."""
    hooks = app.incoming_webhooks
    # Without mail, the walks of broadcasts wait until there is.
    walks = {} if app.digests is None else {broadcast_digests.JOB: app.digests.broadcasts.run}
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
        inbox_delivery.EARLIER_JOB: app.inboxes.delivery.run,
        inbox_editing.JOB: app.inboxes.editing.run,
        inbox_recalling.JOB: app.inboxes.recalling.run,
        webhook_replaying.JOB: app.webhook_delivery.replaying.run,
        CLEAN_WORKSPACE: app.workspaces.cleanup.clean_workspace,
        **walks,
        **{rooms.reaction_cleanup.job: rooms.reaction_cleanup.clean for rooms in app.room_kinds},
    }


def in_order(*handlers: Handler) -> Handler:
    """Return a handler that runs others one after the other; each can be repeated."""

    async def handle(subject: str) -> None:
        for handler in handlers:
            await handler(subject)

    return handle
