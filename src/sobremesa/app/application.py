"""The application: all services over one store, and the background work that they need."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from sobremesa.app import maintenance
from sobremesa.app.registry import REGISTRY
from sobremesa.app.services import (
    http_judge_of,
    job_handlers,
    judge_of,
    limits_of,
    open_accounts,
    open_attachments,
    open_change_consumer,
    open_digests,
    open_imports,
    open_incoming_webhooks,
    open_live,
    open_moderation,
    open_notifications,
    open_records,
    open_rooms,
    open_watching,
    open_webhooks,
    room_context,
)
from sobremesa.app.site import build_site, list_endpoints
from sobremesa.app.store import Store, open_store
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.deletion_hooks import UserData
from sobremesa.domains.bots.service import Bots
from sobremesa.domains.commands.service import Commands
from sobremesa.domains.data_schemas.service import DataSchemas
from sobremesa.domains.explorer.service import TableExplorer
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.mail.mailers import Mailer, Transport
from sobremesa.domains.mail.opening import open_transport
from sobremesa.domains.threads.card_types import CardType
from sobremesa.domains.workspaces.service import Workspaces
from sobremesa.glue.disconnects import Disconnects
from sobremesa.glue.invite_routes import InviteDirectory
from sobremesa.glue.ready_snapshot import Gaps
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.site import Site
from sobremesa.live.opening import LiveOptions
from sobremesa.rooms.judging import Judge
from sobremesa.rooms.nonces import NoncesOfUsers
from sobremesa.rooms.readers import RoomReaders
from sobremesa.web import Client
from sobremesa.work.consumers import ChangeConsumer
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Handler, Jobs
from sobremesa.work.migration import Migrations, Recipe, Watch, no_watch
from sobremesa.work.recounts import Recounts

if TYPE_CHECKING:
    from sobremesa.domains.records.service import Records


class Sobremesa:
    """All services over one store."""

    def __init__(
        self,
        store: Store,
        *,
        mailer: Mailer | Transport | None = None,
        judge: Judge | None = None,
        card_types: Iterable[CardType] = (),
        setting_types: Mapping[str, Any] | None = None,
        live: LiveOptions = LiveOptions(),  # noqa: B008 - frozen
    ) -> None:
        settings, table, clock = store.settings, store.table, store.clock
        self.store, self.settings, self.table, self.clock = store, settings, table, clock
        self.ids = ids = Ids(clock)
        self.limits = limits_of(settings)
        self.jobs = jobs = Jobs(table, clock, ids)
        self.audit = audit = Audit(table, clock, ids)
        idempotency, readers = Idempotency(table, clock), RoomReaders(table)

        self.mail = open_transport(settings, clock, mailer)
        self.data_schemas = DataSchemas(table, clock)
        self.accounts = open_accounts(self, self._user_data)
        self.inboxes = Inboxes(table, clock, ids, jobs)
        self.attachments = open_attachments(store, ids, readers)
        self.moderation = open_moderation(table, clock, audit, self.accounts)
        self.notifications = open_notifications(store, self.accounts)
        self.subscriptions = Subscriptions(table)
        self.live, self.node_registry, self.presence = open_live(self, live)
        table.watch(Disconnects(self.live.hub, self.live.ephemeral))

        self.http_judge = http_judge_of(settings, clock, ids)
        context = room_context(self, readers, judge_of(judge or self.http_judge, settings, clock))
        self.room_kinds = open_rooms(context, store.origin, audit, idempotency, card_types)
        self.communities, self.conversations, self.threads = self.room_kinds
        self.gaps = Gaps(self.room_kinds)
        self.watching = open_watching(self)
        self.bots = Bots(table, clock, accounts=self.accounts, access=self.communities.access, audit=audit)
        self.commands = Commands(
            table, clock, ids, accounts=self.accounts, communities=self.communities, idempotency=idempotency
        )
        self.incoming_webhooks = open_incoming_webhooks(self, context, audit)
        self.workspaces = Workspaces(
            table, clock, ids, audit=audit, idempotency=idempotency, jobs=jobs, setting_types=setting_types
        )
        self.invites = InviteDirectory(self.communities.invites, self.workspaces.invites)
        self.digests = None if self.mail is None else open_digests(self, self.mail)
        self.webhook_delivery = open_webhooks(store, ids, self.accounts, self.inboxes, audit, jobs)
        self.webhooks = self.webhook_delivery.webhooks
        self.records_store = open_records(store, ids, self.threads, self.attachments)
        self.imports = open_imports(self, context.judge)
        self.explorer = TableExplorer(table, REGISTRY, audit, clock, operator_tenant=settings.operator_tenant)

    @property
    def records(self) -> Records:
        """Documents, amendments and expenses of threads; their database is opened on first use."""
        return self.records_store.records

    def _user_data(self) -> Sequence[UserData]:
        """Return what deletes and exports the data of a user, in each domain."""
        return (
            self.communities.cleanup,
            self.conversations.cleanup,
            self.threads.cleanup,
            NoncesOfUsers(self.table),
            self.workspaces.cleanup,
            self.moderation,
            self.inboxes.cleanup,
            self.notifications,
        )

    @cached_property
    def handlers(self) -> dict[str, Handler]:
        """What runs each kind of background job, by the name of the job."""
        return job_handlers(self)

    @cached_property
    def change_consumer(self) -> ChangeConsumer:
        """What reads the changes of the table, for updates that need not be in the same transaction."""
        return open_change_consumer(self)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        store: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        mailer: Mailer | Transport | None = None,
        judge: Judge | None = None,
        card_types: Iterable[CardType] = (),
        setting_types: Mapping[str, Any] | None = None,
        background: bool = True,
        create: bool = True,
        live: LiveOptions | None = None,
    ) -> AsyncIterator[Self]:
        """Open a store and yield its services, with background jobs running until the block ends.

        A store that does not exist is created; with `create=False` it is TableMissing instead. BadSetting if the
        settings cannot work together, such as several nodes with files of their own; `background=False` is for programs
        that are no nodes, and does not check that.

        `judge` checks every message in place of the moderation policy of the settings. `card_types` adds types of
        action cards, and `setting_types` maps names of workspace settings to the types that their values must have.
        """
        settings = settings or Settings()
        if store is not None:
            settings = msgspec.structs.replace(settings, store=store)
        if background:
            settings.require_workable()
        async with contextlib.AsyncExitStack() as closing:
            app = cls(
                await closing.enter_async_context(open_store(settings, clock, create=create, janitor=background)),
                mailer=mailer,
                judge=judge,
                card_types=card_types,
                setting_types=setting_types,
                live=live or LiveOptions(),
            )
            for part in (app.limits, app.accounts, app.threads, app.records_store, app.webhook_delivery.requests):
                closing.push_async_callback(part.close)
            if app.digests is not None:
                closing.push_async_callback(app.digests.close)
            if app.http_judge is not None:
                closing.push_async_callback(app.http_judge.close)
            if background:
                await app.records_store.prepare()
                for work in app._background_work():
                    await closing.enter_async_context(_running(work))
            yield app

    def _background_work(self) -> list[Coroutine[Any, Any, None]]:
        work = [
            self.records_store.run(),
            self.jobs.run(self.handlers),
            self.webhook_delivery.sender.run(),
            self.attachments.sweep_periodically(),
        ]
        if self.live.reads_changes:
            work.append(self.change_consumer.run())
        return work if self.digests is None else [*work, self.digests.run()]

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the API, in the order of the documentation."""
        return list_endpoints(self)

    def site(self, *, client: Client | None = None) -> Site:
        """Return the ASGI application that serves everything; `client` replaces the built web client."""
        return build_site(self, client)

    def recounts(self) -> Recounts:
        """Return the recounts of stored counters; inboxes have `inboxes.reconciling`."""
        return maintenance.recounts(self)

    def moving_workspaces(self, *, units_a_second: float | None = None, watch: Watch = no_watch) -> Migrations:
        """Return the migration of items and settings of the older design into workspaces."""
        return self._migrations(maintenance.workspace_recipe(self), units_a_second, watch)

    def adopting(self, *, units_a_second: float | None = None, watch: Watch = no_watch) -> Migrations:
        """Return the migration that completes a table created by another program."""
        return self._migrations(maintenance.adoption_recipe(self), units_a_second, watch)

    def _migrations(self, recipe: Recipe, units_a_second: float | None, watch: Watch) -> Migrations:
        return Migrations(self.table, self.clock, self.ids, recipe, units_a_second=units_a_second, watch=watch)


@asynccontextmanager
async def _running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine in the background until the end of the block."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
