"""The application: all services over one store, and the background work that they need."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

import msgspec

from sobremesa.app import maintenance
from sobremesa.app.services import (
    RoomFactory,
    job_handlers,
    limits_of,
    open_attachments,
    open_live,
    open_review,
)
from sobremesa.app.site import build_site, list_endpoints
from sobremesa.app.store import Store, open_store
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.mail import Mailer
from sobremesa.domains.accounts.opening import open_accounts
from sobremesa.domains.communities.opening import open_communities
from sobremesa.domains.conversations.opening import open_conversations
from sobremesa.domains.inboxes.opening import open_inboxes
from sobremesa.domains.moderation.policy import open_policy
from sobremesa.domains.records.address import records_address
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.threads.card_types import CardType
from sobremesa.domains.threads.cleanup import Cleanup as ThreadCleanup
from sobremesa.domains.threads.opening import open_threads
from sobremesa.domains.workspaces.opening import open_workspaces
from sobremesa.glue.amendment_records import AmendmentRecords, ThreadFiles
from sobremesa.glue.disconnects import Disconnects
from sobremesa.glue.invite_routes import InviteDirectory
from sobremesa.glue.ready_snapshot import Gaps
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.site import Site
from sobremesa.live.opening import LiveOptions
from sobremesa.rooms.judging import Judge
from sobremesa.rooms.readers import RoomReaders
from sobremesa.web import Client
from sobremesa.work.consumers import ChangeConsumer, ChangeHandler
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Jobs
from sobremesa.work.migration import Migrations, Recipe, Watch, no_watch
from sobremesa.work.recounts import Recounts


class Sobremesa:
    """All services over one store."""

    def __init__(
        self,
        store: Store,
        *,
        mailer: Mailer | None = None,
        judge: Judge | None = None,
        card_types: Iterable[CardType] = (),
        setting_types: Mapping[str, Any] | None = None,
        live: LiveOptions = LiveOptions(),  # noqa: B008 - frozen
    ) -> None:
        self.store = store
        self.settings, self.table, self.keyring = settings, table, keyring = store.settings, store.table, store.keyring
        self.clock, self.origin = clock, origin = store.clock, store.origin
        self.ids = ids = Ids(clock)
        self.limits = limits_of(settings)
        self.jobs = jobs = Jobs(table, clock, ids)
        audit, idempotency, readers = Audit(table, clock, ids), Idempotency(table, clock), RoomReaders(table)

        self.accounts, self.authentication, self.server_keys = open_accounts(
            table,
            clock,
            ids,
            keyring=keyring,
            limits=self.limits,
            jobs=jobs,
            settings=settings,
            mailer=mailer,
            origin=origin,
        )
        self.inboxes = open_inboxes(table, clock, ids, jobs)
        self.attachments = files = open_attachments(store, ids, readers)
        self.subscriptions = Subscriptions(table)
        self.live, self.node_registry, self.presence = open_live(
            store, ids, self.accounts, self.inboxes, self.subscriptions, live
        )
        table.watch(Disconnects(self.live.hub))
        self.review = open_review(table, clock, audit, self.accounts)
        rooms = RoomFactory(
            store, ids, self.accounts, files, jobs, self.live.typing, readers, judge or open_policy(settings, clock)
        )

        servers = open_communities(
            table, clock, ids, audit=audit, idempotency=idempotency, jobs=jobs, files=files, rooms=rooms.build
        )
        self.communities, self.membership, self.server_invites, self.channels, _ = servers
        conversations = open_conversations(
            table,
            clock,
            ids,
            audit=audit,
            idempotency=idempotency,
            jobs=jobs,
            files=files,
            rooms=rooms.build,
            origin=origin,
        )
        self.conversations, self.conversation_rooms = conversations.conversations, conversations.rooms
        self.conversation_participants, self.conversation_inbox = conversations.seats, conversations.inbox
        threads = open_threads(
            table, clock, ids, audit=audit, idempotency=idempotency, rooms=rooms.build, card_types=card_types
        )
        self.threads, self.thread_participants, self.thread_rooms, self.cards, self.tabs, _ = threads
        workspaces = open_workspaces(
            table, clock, ids, audit=audit, idempotency=idempotency, jobs=jobs, setting_types=setting_types
        )
        self.workspaces, self.workspace_members = workspaces.workspaces, workspaces.members
        self.workspace_invites, self.workspace_items = workspaces.invites, workspaces.items
        self.workspace_settings = workspaces.settings
        self.invites = InviteDirectory(self.server_invites, self.workspace_invites)
        self.gaps = Gaps([self.channels, self.conversation_rooms, self.thread_rooms])
        self.archive = RecordsStore(
            records_address(settings),
            clock,
            ids,
            parties=self.threads,
            panels=self.tabs,
            files=ThreadFiles(files),
            secret=keyring.secret("cursors"),
        )

        # Accounts come first, since rooms need them; what a deleted account leaves in other domains is known only now.
        thread_cleanup = ThreadCleanup(table, clock, files)
        cleanups = (
            servers.cleanup,
            conversations.cleanup,
            thread_cleanup,
            workspaces.cleanup,
            self.review,
            self.inboxes.cleanup,
        )
        self.accounts.deletion_hooks.extend(cleanups)
        self.accounts.exporters.extend(cleanups)
        change_handlers: list[ChangeHandler] = [
            conversations.activity,
            threads.inboxes,
            AmendmentRecords(table, self.archive),
            self.inboxes.expiring,
        ]
        self.change_consumer = ChangeConsumer(table, clock, ids, "activity", change_handlers)
        self.handlers = job_handlers(
            self.accounts,
            self.inboxes,
            servers.cleanup,
            conversations.cleanup,
            workspaces.cleanup,
            (self.channels, self.conversation_rooms, self.thread_rooms),
        )

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
        """Open a store and yield its services, with background jobs running until the block ends.

        A store that does not exist is created; with `create=False` it is TableMissing instead.

        `judge` checks every message in place of the moderation policy of the settings. `card_types` adds types of
        action cards, and `setting_types` maps names of workspace settings to the types that their values must have.
        """
        settings = settings or Settings()
        if store is not None:
            settings = msgspec.structs.replace(settings, store=store)
        async with contextlib.AsyncExitStack() as closing:
            app = cls(
                await closing.enter_async_context(open_store(settings, clock, create=create, janitor=background)),
                mailer=mailer,
                judge=judge,
                card_types=card_types,
                setting_types=setting_types,
                live=live or LiveOptions(),
            )
            for part in (app.limits, app.accounts, app.threads, app.archive):
                closing.push_async_callback(part.close)
            if background:
                await app.archive.prepare()
                for work in (
                    app.archive.run(),
                    app.jobs.run(app.handlers),
                    app.change_consumer.run(),
                    app.attachments.sweep_periodically(),
                ):
                    await closing.enter_async_context(_running(work))
            yield app

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
