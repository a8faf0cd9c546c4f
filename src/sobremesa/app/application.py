"""The composition root: from settings to a store, from a store to services, from services to routes.

    async with Sobremesa.open("sqlite:///chat.db") as app:
        ana = await app.accounts.register(email="ana@example.com", username="ana", password="...")
        server = await app.communities.create_server(ana.actor, name="The long table")

This is the library's door; `app.site()` is the same behind HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Self

import msgspec

from sobremesa import __version__
from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts import adopting as accounts_adopting
from sobremesa.domains.accounts import api as accounts_api
from sobremesa.domains.accounts import entities as account_entities
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.deletion_hooks import JOB as DELETE_ACCOUNT
from sobremesa.domains.accounts.deletion_hooks import DeletionHook, Exporter
from sobremesa.domains.accounts.entities import signing_keys
from sobremesa.domains.accounts.keyring import Keyring, open_keyring
from sobremesa.domains.accounts.mail import Mailer
from sobremesa.domains.accounts.opening import open_accounts
from sobremesa.domains.attachments import api as attachments_api
from sobremesa.domains.attachments import entities as attachment_entities
from sobremesa.domains.attachments.errors import AttachmentMissing
from sobremesa.domains.attachments.opening import open_files
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.attachments.stores import FileStore
from sobremesa.domains.communities import adopting as communities_adopting
from sobremesa.domains.communities import api as communities_api
from sobremesa.domains.communities import entities as community_entities
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.cleanup import Cleanup
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.communities.invites import ServerInviteKind
from sobremesa.domains.communities.membership import Membership
from sobremesa.domains.communities.service import CLEAN_CHANNEL, CLEAN_SERVER, Communities
from sobremesa.domains.communities.summaries import channel_summaries
from sobremesa.domains.conversations import adopting as conversations_adopting
from sobremesa.domains.conversations import api as conversations_api
from sobremesa.domains.conversations import entities as conversation_entities
from sobremesa.domains.conversations import recounting as conversations_recounting
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.conversations.errors import BlockedByRecipient
from sobremesa.domains.conversations.opening import open_conversations
from sobremesa.domains.conversations.seats import CLEAN_CONVERSATION
from sobremesa.domains.inboxes import adopting as inboxes_adopting
from sobremesa.domains.inboxes import api as inboxes_api
from sobremesa.domains.inboxes import delivery as inbox_delivery
from sobremesa.domains.inboxes import entities as inbox_entities
from sobremesa.domains.inboxes.opening import open_inboxes
from sobremesa.domains.invites import Invites
from sobremesa.domains.moderation import api as moderation_api
from sobremesa.domains.moderation import entities as moderation_entities
from sobremesa.domains.moderation.policy import open_policy
from sobremesa.domains.moderation.review import Review
from sobremesa.domains.records import api as records_api
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.opening import Archive
from sobremesa.domains.threads import adopting as threads_adopting
from sobremesa.domains.threads import api as threads_api
from sobremesa.domains.threads import entities as thread_entities
from sobremesa.domains.threads import project_api
from sobremesa.domains.threads import recounting as threads_recounting
from sobremesa.domains.threads.card_types import CardType
from sobremesa.domains.threads.cleanup import Cleanup as ThreadCleanup
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.threads.errors import Blocked, ThreadNotOpen
from sobremesa.domains.threads.opening import open_threads
from sobremesa.domains.threads.reviewing import ThreadReview
from sobremesa.domains.workspaces import adopting as workspaces_adopting
from sobremesa.domains.workspaces import api as workspaces_api
from sobremesa.domains.workspaces import entities as workspace_entities
from sobremesa.domains.workspaces import moving
from sobremesa.domains.workspaces import recounting as workspaces_recounting
from sobremesa.domains.workspaces.opening import open_workspaces
from sobremesa.domains.workspaces.service import CLEAN_WORKSPACE
from sobremesa.glue.amendment_records import AmendmentRecords, ThreadFiles
from sobremesa.glue.disconnects import Disconnects
from sobremesa.glue.event_catalog import RoomTyping, translation_of
from sobremesa.glue.invite_routes import InviteDirectory
from sobremesa.glue.invite_routes import routes as invite_routes
from sobremesa.glue.node_registry import TableNodeRegistry
from sobremesa.glue.ready_snapshot import Gaps, ReadySnapshots, counts_in
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.http.calls import Calls
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.limits import Limits, MemoryLimits, NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.site import Site
from sobremesa.live import api as live_api
from sobremesa.live import entities as live_entities
from sobremesa.live import presence_api
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.gateway import Gateway
from sobremesa.live.identify import GatewayBackend
from sobremesa.live.opening import LiveOptions, open_live
from sobremesa.live.polling import Polling
from sobremesa.live.presence import Presence
from sobremesa.live.sessions import GatewaySessions
from sobremesa.live.socket_limits import MaxSockets
from sobremesa.rooms import api as rooms_api
from sobremesa.rooms import entities as room_entities
from sobremesa.rooms.access import RoomAccess
from sobremesa.rooms.judging import Judge
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.readers import RoomReaders
from sobremesa.rooms.recounting import recounts as room_recounts
from sobremesa.rooms.service import Rooms
from sobremesa.table import Layout, Registry, Table, open_engine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import TableExists, TableMissing
from sobremesa.table.opening import require_extra, require_file
from sobremesa.web import Client, read_build
from sobremesa.work import idempotency
from sobremesa.work import quotas as quota_entities
from sobremesa.work import table_origin as origin_entities
from sobremesa.work.consumers import ChangeConsumer, ChangeHandler
from sobremesa.work.consumers import entities as following_entities
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Handler, Jobs
from sobremesa.work.jobs import entities as job_entities
from sobremesa.work.migration import Migrations, Recipe, Watch, no_watch
from sobremesa.work.migration import entities as migration_entities
from sobremesa.work.quotas import Quotas
from sobremesa.work.recounts import Recounts
from sobremesa.work.table_origin import ADOPTION, Origin, has_rows

REGISTRY = Registry.of(
    account_entities,
    community_entities,
    conversation_entities,
    thread_entities,
    workspace_entities,
    room_entities,
    inbox_entities,
    moderation_entities,
    attachment_entities,
    job_entities,
    following_entities,
    live_entities,
    migration_entities,
    idempotency,
    origin_entities,
    quota_entities,
)
"""Every kind of row and every question: docs, costs and tests are loops over it."""


class Sobremesa:
    """All services over one store."""

    def __init__(
        self,
        table: Table,
        keyring: Keyring,
        settings: Settings,
        files: FileStore,
        *,
        clock: Clock,
        has_own_clock: bool = False,
        mailer: Mailer | None = None,
        judge: Judge | None = None,
        card_types: Iterable[CardType] = (),
        setting_types: Mapping[str, Any] | None = None,
        live: LiveOptions = LiveOptions(),  # noqa: B008 - frozen
        origin: Origin | None = None,
    ) -> None:
        self.table, self.origin = table, origin or Origin(table)
        self.keyring = keyring
        self.settings = settings
        self._limits = _limits(settings)
        self._clock = clock
        self._ids = ids = Ids(clock)
        audit = Audit(table, clock, ids)
        repeats = Idempotency(table, clock)
        readers = RoomReaders(table)
        deletion_hooks: list[DeletionHook] = []
        exporters: list[Exporter] = []

        self.jobs = Jobs(table, clock, ids)
        self.inboxes = open_inboxes(table, clock, ids, self.jobs)
        self.accounts, self.authentication, self.server_keys = open_accounts(
            table,
            clock,
            ids,
            keyring=keyring,
            limits=self._limits,
            jobs=self.jobs,
            settings=settings,
            mailer=mailer,
            deletion_hooks=deletion_hooks,
            exporters=exporters,
            origin=self.origin,
        )
        self.attachments = Attachments(
            table,
            clock,
            ids,
            store=files,
            readers=readers,
            secret=keyring.secret("files"),
            max_bytes=settings.max_upload_bytes,
        )
        self._subscriptions = Subscriptions(table)
        self.live = open_live(
            table,
            clock,
            translation_of(table, clock, self.accounts),
            count=self._counts,
            memberships=self._subscriptions.memberships_at,
            cursors=EventCursors(keyring.secret("gateway")),
            settings=settings,
            node_id=(node_id := ids.mint()),
            options=live,
        )
        self.node_registry = TableNodeRegistry(
            table, clock, node_id, live.presence, alone=settings.redis is None or settings.store.startswith("sqlite")
        )
        self.presence = Presence(self.live.hub, self.live.ephemeral, self.node_registry, live.presence)
        table.watch(Disconnects(self.live.hub))
        self.review = Review(
            table,
            clock,
            audit,
            self.accounts,
            kinds=[CHANNELS, CONVERSATIONS, THREADS],
            summaries={CHANNELS.name: channel_summaries(table)},
            reviewed={THREADS.name: ThreadReview(table)},
        )
        judge = judge or open_policy(settings, clock)

        def rooms(kind: RoomKind, *, access: RoomAccess) -> Rooms:
            """The verbs of one kind of room."""
            readers.add(kind, access)
            return Rooms(
                kind,
                table,
                clock,
                ids,
                access,
                self.accounts,
                self.attachments,
                self.jobs,
                RoomTyping(self.live.typing),
                judge=judge,
                judge_seconds=settings.moderation_seconds,
                has_own_clock=has_own_clock,
            )

        access = Access(table, audit, clock)
        cleanup = Cleanup(table, self.attachments)
        quotas = Quotas(table, clock)
        self.communities = Communities(table, clock, ids, access, audit, repeats, self.jobs, quotas)
        self.server_invites = Invites(ServerInviteKind(table, access, quotas), table, clock, audit, repeats)
        self.membership = Membership(table, clock, access, audit, self.server_invites)
        self.channels = rooms(CHANNELS, access=access)

        talks = open_conversations(
            table,
            clock,
            ids,
            audit=audit,
            idempotency=repeats,
            jobs=self.jobs,
            files=self.attachments,
            rooms=rooms,
            origin=self.origin,
        )
        self.conversations, self.seats, self.inbox = talks.conversations, talks.seats, talks.inbox
        self.talks = talks.rooms

        threads = open_threads(table, clock, ids, audit=audit, idempotency=repeats, rooms=rooms, card_types=card_types)
        self.threads, self.thread_participants = threads.threads, threads.participants
        self.thread_rooms, self.cards, self.tabs = threads.rooms, threads.cards, threads.tabs
        self._gaps = Gaps([self.channels, self.talks, self.thread_rooms])
        self.archive = Archive(
            records_address(settings),
            clock,
            ids,
            parties=self.threads,
            panels=self.tabs,
            files=ThreadFiles(self.attachments),
            secret=keyring.secret("cursors"),
        )

        shared = open_workspaces(
            table, clock, ids, audit=audit, idempotency=repeats, jobs=self.jobs, setting_types=setting_types
        )
        self.workspaces, self.members, self.workspace_invites = shared.workspaces, shared.members, shared.invites
        self.items, self.workspace_settings = shared.items, shared.settings
        self.invites = InviteDirectory(self.server_invites, self.workspace_invites)

        thread_cleanup = ThreadCleanup(table, clock, self.attachments)
        deletion_hooks += [cleanup, talks.cleanup, thread_cleanup, shared.cleanup, self.review, self.inboxes.cleanup]
        exporters += [cleanup, talks.cleanup, thread_cleanup, shared.cleanup, self.review, self.inboxes.cleanup]
        change_handlers: list[ChangeHandler] = [
            talks.activity,
            threads.inboxes,
            AmendmentRecords(table, self.archive),
            self.inboxes.expiring,
        ]
        self.change_consumer = ChangeConsumer(table, clock, ids, "activity", change_handlers)
        self.handlers: dict[str, Handler] = {
            DELETE_ACCOUNT: self.accounts.finish_deletion,
            CLEAN_SERVER: cleanup.clean_server,
            CLEAN_CHANNEL: cleanup.clean_channel,
            CLEAN_CONVERSATION: talks.cleanup.clean_conversation,
            inbox_delivery.JOB: self.inboxes.delivery.run,
            CLEAN_WORKSPACE: shared.cleanup.clean_workspace,
            **{room.cleanup.job: room.cleanup.clean for room in (self.channels, self.talks, self.thread_rooms)},
        }

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        store: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        mailer: Mailer | None = None,
        judge: Judge | None = None,
        card_types: Iterable[CardType] = (),
        setting_types: Mapping[str, Any] | None = None,
        background: bool = True,
        create: bool = True,
        live: LiveOptions | None = None,
    ) -> AsyncIterator[Self]:
        """The services of a store, which is made where there is none; in the background jobs are done meanwhile.

        With `create=False` a store that does not exist is TableMissing, and nothing is made.

        A judge of one's own looks at what is said, in place of the policy of the settings. `card_types` are types of
        cards of one's own; `setting_types` gives settings of workspaces a type that their values must fit, by name.
        """
        settings = settings or Settings()
        if store is not None:
            settings = msgspec.structs.replace(settings, store=store)
        layout = layout_of(settings)
        if not create:
            require_file(settings.store)
        engine = await open_engine(settings.store, layout=layout, clock=clock, janitor=background)
        async with contextlib.AsyncExitStack() as closing:
            closing.push_async_callback(engine.close)
            is_new = create and await make_table(engine)
            if not create:
                await engine.describe_table()
            has_own_clock = clock is not None
            clock = clock or SystemClock()
            table = Table(engine, clock=clock)
            origin = await origin_of(table, clock, settings.store, is_new=is_new)
            keyring = await open_keyring(settings.store, table, clock)
            table.seal_cursors_with(keyring.secret("cursors"))
            files = await open_files(settings.files, settings.store, clock)
            closing.push_async_callback(files.close)
            app = cls(
                table,
                keyring,
                settings,
                files,
                clock=clock,
                has_own_clock=has_own_clock,
                mailer=mailer,
                judge=judge,
                card_types=card_types,
                setting_types=setting_types,
                live=live or LiveOptions(),
                origin=origin,
            )
            closing.push_async_callback(app._limits.close)
            closing.push_async_callback(app.accounts.close)
            closing.push_async_callback(app.threads.close)
            closing.push_async_callback(app.archive.close)
            if background:
                await app.archive.prepare()
                await closing.enter_async_context(_running(app.archive.run()))
                await closing.enter_async_context(_running(app.jobs.run(app.handlers)))
                await closing.enter_async_context(_running(app.change_consumer.run()))
                await closing.enter_async_context(_running(app.attachments.sweep_periodically()))
            yield app

    def moving_workspaces(self, *, units_a_second: float | None = None, watch: Watch = no_watch) -> Migrations:
        """The migration of items and settings of before into a workspace."""
        return Migrations(
            self.table,
            self._clock,
            self._ids,
            moving.recipe(self.table.layout),
            units_a_second=units_a_second,
            watch=watch,
        )

    def recounts(self) -> Recounts:
        """Everything that rows keep of other rows, counted again; inboxes have `inboxes.reconciling`."""
        table = self.table
        return Recounts(
            table,
            [
                *room_recounts(CHANNELS, table, self.channels.cleanup),
                *room_recounts(
                    CONVERSATIONS, table, self.talks.cleanup, partial(conversations_recounting.check, table)
                ),
                *room_recounts(THREADS, table, self.thread_rooms.cleanup, partial(threads_recounting.check, table)),
                workspaces_recounting.recount(table),
            ],
        )

    def adopting(self, *, units_a_second: float | None = None, watch: Watch = no_watch) -> Migrations:
        """What completes a table that others made: claims, pointers and keys that their rows lack."""
        moves = [
            *accounts_adopting.moves(self.table),
            *communities_adopting.moves(self.table, self._clock),
            *conversations_adopting.moves(self.table, self._clock),
            *threads_adopting.moves(self.table, self._clock),
            *workspaces_adopting.moves(self.members),
            *inboxes_adopting.moves(self.table, self._clock),
        ]
        recipe = Recipe(ADOPTION, moves)
        return Migrations(self.table, self._clock, self._ids, recipe, units_a_second=units_a_second, watch=watch)

    def endpoints(self) -> list[Endpoint]:
        """Every route of the API, in the order of the documentation."""
        talk = partial(rooms_api.routes, refusals=[AttachmentMissing])
        return [
            *accounts_api.routes(self.accounts).endpoints,
            *communities_api.routes(self.communities, self.membership, self.accounts).endpoints,
            *talk(self.channels, title="Channels").endpoints,
            *conversations_api.routes(self.conversations, self.seats, self.inbox, self.accounts).endpoints,
            *talk(self.talks, title="Conversations", silences=[BlockedByRecipient]).endpoints,
            *threads_api.routes(self.threads, self.thread_participants, self.accounts).endpoints,
            *project_api.routes(self.cards, self.tabs).endpoints,
            *talk(self.thread_rooms, title="Threads", silences=[Blocked, ThreadNotOpen]).endpoints,
            *records_api.routes(self.archive).endpoints,
            *workspaces_api.routes(
                self.workspaces,
                self.members,
                self.workspace_invites,
                self.items,
                self.workspace_settings,
                self.accounts,
            ).endpoints,
            *invite_routes(self.invites).endpoints,
            *rooms_api.shared_routes(
                [self.channels, self.talks, self.thread_rooms], inboxes_api.totals(self.inboxes)
            ).endpoints,
            *inboxes_api.routes(self.inboxes).endpoints,
            *attachments_api.routes(self.attachments).endpoints,
            *moderation_api.routes(self.review).endpoints,
            *live_api.routes(
                Polling(self.live.hub, self.live.feed, self._subscriptions.memberships_of, self._gaps.find)
            ).endpoints,
            *presence_api.routes(self.presence).endpoints,
        ]

    def site(self, *, client: Client | None = None) -> Site:
        """Everything behind HTTP; `client` in place of the built web client."""
        metrics = Metrics()
        metrics.watch_table(self.table.meter.totals)
        endpoints = self.endpoints()
        dispatch = Dispatch(
            endpoints,
            self.authentication,
            self._limits,
            max_body_bytes=self.settings.max_body_bytes,
            request_seconds=self.settings.request_seconds,
            show_units=self.settings.show_units,
        )
        gateway = self._gateway(endpoints, metrics)
        metrics.watch_gateway(lambda: gateway.sockets, lambda: self.live.hub.delivered)
        return Site(
            dispatch,
            version=__version__,
            public_url=self.settings.public_url,
            ready=self._ready,
            metrics=metrics,
            cors_origins=self.settings.cors_origins,
            client=client or Client(read_build()),
            gateway=gateway,
            on_start=[self.accounts.prepare, self.presence.start, gateway.start],
            on_stop=[self.presence.stop, gateway.stop],
        )

    def _gateway(self, endpoints: Sequence[Endpoint], metrics: Metrics) -> Gateway:
        """The same endpoints over WebSocket, and everything that happens."""
        snapshots = ReadySnapshots(self.table, endpoints, self.communities, self.inboxes, self.channels)
        return Gateway(
            self.live,
            GatewayBackend(
                authenticate=self.authentication,
                verify=self.authentication.until,
                memberships=self._subscriptions.memberships_of,
                snapshot=snapshots.snapshot,
                gap=self._gaps.find,
                presences=self.presence.among,
            ),
            Calls(endpoints, self._limits, metrics, request_seconds=self.settings.request_seconds),
            GatewaySessions(self._ids, self.keyring.secret("gateway")),
            self._limits,
            self._clock,
            origins=[self.settings.address, *self.settings.cors_origins],
            max_sockets=MaxSockets.of(self.settings),
            watch=self.presence.watch,
        )

    async def _counts(self, tenant: Tenant, user_id: UserId, inbox: str) -> bytes:
        return msgspec.json.encode(await counts_in(self.inboxes, tenant, user_id, inbox))

    async def _ready(self) -> None:
        """Fails unless the store answers, and took the last write.

        The node's own row is written every few seconds, so this recovers also where nobody writes anything else.
        """
        await self.accounts.find_by_usernames(["nobody-in-particular"])
        if self.table.write_error is not None:
            raise self.table.write_error


def layout_of(settings: Settings) -> Layout | None:
    """The layout of the name map, if one is set; BadSetting if our rows do not go with it."""
    if settings.names is None:
        return None
    layout = Layout.named(settings.names)
    REGISTRY.refuse_clashes(layout)
    return layout


async def make_table(engine: Engine) -> bool:
    """Make the table of a store, unless it is there; whether it was made."""
    try:
        await engine.describe_table()
    except TableMissing:
        with contextlib.suppress(TableExists):
            await engine.create_table()
        return True
    return False


async def origin_of(table: Table, clock: Clock, store: str, *, is_new: bool) -> Origin:
    """Who made the table. A file is ours, so is an empty table; in DynamoDB our keys show that we were here before."""
    # Rows first, keys second: another node of ours that starts at this moment writes its keys before anything else.
    is_ours = is_new or store.startswith("sqlite") or not await has_rows(table)
    is_ours = is_ours or bool((await table.query(signing_keys(), limit=1)).items)
    return await Origin.of(table, clock, is_foreign=not is_ours)


def _limits(settings: Settings) -> Limits:
    if settings.rate_limits == "off":
        return NoLimits()
    if settings.redis is None:
        return MemoryLimits()
    require_extra("redis", "redis", "the setting redis")
    from sobremesa.http.redis_limits import RedisLimits

    return RedisLimits(settings.redis)


@asynccontextmanager
async def _running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Work in the background, until the end of the block."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
