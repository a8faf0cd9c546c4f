"""The composition root: from settings to a store, from a store to services, from services to routes.

    async with Sobremesa.open("sqlite:///chat.db") as app:
        ana = await app.accounts.register(email="ana@example.com", username="ana", password="...")
        server = await app.communities.create_server(ana.actor, name="The long table")

This is the library's door; `app.site()` is the same behind HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

import msgspec

from sobremesa import __version__, idempotency
from sobremesa.accounts import adopting as accounts_adopting
from sobremesa.accounts import api as accounts_api
from sobremesa.accounts import entities as account_entities
from sobremesa.accounts.audit import Audit
from sobremesa.accounts.departures import JOB as DEPART
from sobremesa.accounts.keyring import Keyring, open_keyring
from sobremesa.accounts.mail import Mailer
from sobremesa.accounts.opening import open_accounts
from sobremesa.clock import Clock, SystemClock
from sobremesa.communities import adopting as communities_adopting
from sobremesa.communities import api as communities_api
from sobremesa.communities import entities as community_entities
from sobremesa.communities.access import Access
from sobremesa.communities.cleanup import Cleanup
from sobremesa.communities.entities import CHANNELS
from sobremesa.communities.membership import Membership
from sobremesa.communities.service import CLEAN_CHANNEL, CLEAN_SERVER, Communities
from sobremesa.conversations import access as conversations_access
from sobremesa.conversations import adopting as conversations_adopting
from sobremesa.conversations import api as conversations_api
from sobremesa.conversations import cleanup as conversations_cleanup
from sobremesa.conversations import entities as conversation_entities
from sobremesa.conversations.activity import Activity
from sobremesa.conversations.entities import CONVERSATIONS
from sobremesa.conversations.inbox import Inbox
from sobremesa.conversations.seats import CLEAN_CONVERSATION, Seats
from sobremesa.conversations.service import Conversations
from sobremesa.following import Follower
from sobremesa.following import entities as following_entities
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.limits import Limits, MemoryLimits, NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.site import Site
from sobremesa.idempotency import Idempotency
from sobremesa.ids import Ids
from sobremesa.invites import Invites
from sobremesa.invites import api as invites_api
from sobremesa.jobs import Handler, Jobs
from sobremesa.jobs import entities as job_entities
from sobremesa.migration import Migrations, Phases, Recipe, Watch, unwatched
from sobremesa.migration import entities as migration_entities
from sobremesa.rooms import api as rooms_api
from sobremesa.rooms import entities as room_entities
from sobremesa.rooms.service import Rooms
from sobremesa.settings import Settings
from sobremesa.table import Layout, Registry, Table, open_engine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import TableExists, TableMissing
from sobremesa.workspaces import access as workspaces_access
from sobremesa.workspaces import adopting as workspaces_adopting
from sobremesa.workspaces import api as workspaces_api
from sobremesa.workspaces import cleanup as workspaces_cleanup
from sobremesa.workspaces import entities as workspace_entities
from sobremesa.workspaces import moving
from sobremesa.workspaces.invitations import Invitations
from sobremesa.workspaces.items import Items
from sobremesa.workspaces.legacy import NAME as LEGACY_ROWS
from sobremesa.workspaces.legacy import Legacy
from sobremesa.workspaces.members import Members
from sobremesa.workspaces.options import WorkspaceSettings
from sobremesa.workspaces.service import CLEAN_WORKSPACE, Workspaces

REGISTRY = Registry.of(
    account_entities,
    community_entities,
    conversation_entities,
    workspace_entities,
    room_entities,
    job_entities,
    following_entities,
    migration_entities,
    idempotency,
)
"""Every kind of row and every question: docs, costs and tests are loops over it."""


class Sobremesa:
    """All services over one store."""

    def __init__(
        self,
        table: Table,
        keyring: Keyring,
        settings: Settings,
        *,
        clock: Clock,
        mailer: Mailer | None = None,
        setting_types: Mapping[str, Any] | None = None,
    ) -> None:
        self.table = table
        self.keyring = keyring
        self.settings = settings
        self._limits = _limits(settings)
        self._clock = clock
        self._ids = ids = Ids(clock)
        audit = Audit(table, clock, ids)
        repeats = Idempotency(table, clock)
        access = Access(table, audit)
        cleanup = Cleanup(table)

        self.jobs = Jobs(table, clock, ids)
        self._in_conversations = conversations_access.Access(table, audit)
        self.seats = Seats(table, clock, self._in_conversations, audit, self.jobs)
        conversations = conversations_cleanup.Cleanup(table, self.seats)
        workspace_door = workspaces_access.Access(table)
        self.members = Members(table, workspace_door, audit)
        in_workspaces = workspaces_cleanup.Cleanup(table, clock, self.members, self.jobs)
        self.accounts, self.authentication, self.server_keys = open_accounts(
            table,
            clock,
            ids,
            keyring=keyring,
            limits=self._limits,
            jobs=self.jobs,
            settings=settings,
            mailer=mailer,
            farewells=[cleanup, conversations, in_workspaces],
            exporters=[cleanup, conversations, in_workspaces],
        )
        self.communities = Communities(table, clock, ids, access, audit, repeats, self.jobs)
        self.membership = Membership(table, clock, access, audit, repeats)
        self.channels = Rooms(CHANNELS, table, clock, ids, door=access, people=self.accounts)
        self.conversations = Conversations(table, clock, ids, self._in_conversations, repeats)
        self.inbox = Inbox(table, self._in_conversations)
        self.talks = Rooms(CONVERSATIONS, table, clock, ids, door=self._in_conversations, people=self.accounts)
        legacy = Legacy(table, Phases(table, clock, LEGACY_ROWS))
        self.workspaces = Workspaces(table, clock, ids, workspace_door, audit, repeats, self.jobs, self.members, legacy)
        self.invitations = Invitations(table, clock, workspace_door, self.members, repeats)
        self.items = Items(table, clock, ids, workspace_door, repeats, legacy)
        self.workspace_settings = WorkspaceSettings(table, clock, workspace_door, legacy, setting_types)
        self.invites = Invites(self.membership, self.invitations)
        self.follower = Follower(table, clock, ids, "activity", [Activity(table)])
        self.handlers: dict[str, Handler] = {
            DEPART: self.accounts.depart,
            CLEAN_SERVER: cleanup.clean_server,
            CLEAN_CHANNEL: cleanup.clean_channel,
            CLEAN_CONVERSATION: conversations.clean_conversation,
            CLEAN_WORKSPACE: in_workspaces.clean_workspace,
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
        setting_types: Mapping[str, Any] | None = None,
        background: bool = True,
    ) -> AsyncIterator[Self]:
        """The services of a store, which is made where there is none; in the background jobs are done meanwhile.

        `setting_types` gives settings of workspaces a type that their values must fit, by name.
        """
        settings = settings or Settings()
        if store is not None:
            settings = msgspec.structs.replace(settings, store=store)
        engine = await open_engine(settings.store, layout=layout_of(settings), clock=clock, janitor=background)
        async with contextlib.AsyncExitStack() as closing:
            closing.push_async_callback(engine.close)
            await make_table(engine)
            clock = clock or SystemClock()
            table = Table(engine, clock=clock)
            keyring = await open_keyring(settings.store, table, clock)
            table.seal_cursors_with(keyring.secret("cursors"))
            app = cls(table, keyring, settings, clock=clock, mailer=mailer, setting_types=setting_types)
            closing.push_async_callback(app._limits.close)
            closing.push_async_callback(app.accounts.close)
            if background:
                await closing.enter_async_context(_running(app.jobs.run(app.handlers)))
                await closing.enter_async_context(_running(app.follower.run()))
            yield app

    def moving_workspaces(self, *, units_a_second: float | None = None, watch: Watch = unwatched) -> Migrations:
        """The migration of items and settings of before into a workspace."""
        return Migrations(
            self.table,
            self._clock,
            self._ids,
            moving.recipe(self.table.layout),
            units_a_second=units_a_second,
            watch=watch,
        )

    def adopting(self, *, units_a_second: float | None = None, watch: Watch = unwatched) -> Migrations:
        """What completes a table that others made: claims, pointers and keys that their rows lack."""
        moves = [
            *accounts_adopting.moves(self.table),
            *communities_adopting.moves(self.table, self._clock),
            *conversations_adopting.moves(self.table, self._clock),
            *workspaces_adopting.moves(self.members),
        ]
        recipe = Recipe("adopt", moves)
        return Migrations(self.table, self._clock, self._ids, recipe, units_a_second=units_a_second, watch=watch)

    def endpoints(self) -> list[Endpoint]:
        """Every route of the API, in the order of the documentation."""
        return [
            *accounts_api.routes(self.accounts).endpoints,
            *communities_api.routes(self.communities, self.membership, self.accounts).endpoints,
            *rooms_api.routes(self.channels, title="Channels").endpoints,
            *conversations_api.routes(
                self.conversations, self.seats, self.inbox, self._in_conversations, self.accounts
            ).endpoints,
            *rooms_api.routes(self.talks, title="Conversations").endpoints,
            *workspaces_api.routes(
                self.workspaces,
                self.members,
                self.invitations,
                self.items,
                self.workspace_settings,
                self.accounts,
            ).endpoints,
            *invites_api.routes(self.invites).endpoints,
            *rooms_api.shared_routes([self.channels, self.talks]).endpoints,
        ]

    def site(self) -> Site:
        """Everything behind HTTP."""
        metrics = Metrics()
        metrics.watch_table(self.table.meter.totals)
        dispatch = Dispatch(
            self.endpoints(),
            self.authentication,
            self._limits,
            max_body_bytes=self.settings.max_body_bytes,
            request_seconds=self.settings.request_seconds,
            show_units=self.settings.show_units,
        )
        return Site(
            dispatch,
            version=__version__,
            public_url=self.settings.public_url,
            ready=self._ready,
            metrics=metrics,
            cors_origins=self.settings.cors_origins,
        )

    async def _ready(self) -> None:
        """Fails unless the store answers."""
        await self.accounts.find_by_username("nobody-in-particular")


def layout_of(settings: Settings) -> Layout | None:
    """The layout of the name map, if one is set; BadSetting if our rows do not go with it."""
    if settings.names is None:
        return None
    layout = Layout.named(settings.names)
    REGISTRY.refuse_clashes(layout)
    return layout


async def make_table(engine: Engine) -> None:
    """Make the table of a store, unless it is there."""
    try:
        await engine.describe_table()
    except TableMissing:
        with contextlib.suppress(TableExists):
            await engine.create_table()


def _limits(settings: Settings) -> Limits:
    if settings.rate_limits == "off":
        return NoLimits()
    if settings.redis is None:
        return MemoryLimits()
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
