"""Builders of the services that have no `opening` module of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from sobremesa.app.store import Store
from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.deletion_hooks import JOB as DELETE_ACCOUNT
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.communities.cleanup import Cleanup as CommunityCleanup
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.communities.service import CLEAN_CHANNEL, CLEAN_SERVER
from sobremesa.domains.communities.summaries import channel_summaries
from sobremesa.domains.conversations.cleanup import Cleanup as ConversationCleanup
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.conversations.seats import CLEAN_CONVERSATION
from sobremesa.domains.inboxes import delivery as inbox_delivery
from sobremesa.domains.inboxes.opening import Inboxes
from sobremesa.domains.moderation.review import Review
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.threads.reviewing import ThreadReview
from sobremesa.domains.workspaces.cleanup import Cleanup as WorkspaceCleanup
from sobremesa.domains.workspaces.service import CLEAN_WORKSPACE
from sobremesa.glue.event_catalog import RoomTyping, translation_of
from sobremesa.glue.node_registry import TableNodeRegistry
from sobremesa.glue.ready_snapshot import counts_in
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.http.limits import Limits, MemoryLimits, NoLimits
from sobremesa.live import opening as live_opening
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.opening import Live, LiveOptions
from sobremesa.live.presence import Presence
from sobremesa.live.typing import Typing
from sobremesa.rooms.access import RoomAccess
from sobremesa.rooms.judging import Judge
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.readers import RoomReaders
from sobremesa.rooms.service import Rooms
from sobremesa.table import Table
from sobremesa.table.opening import require_extra
from sobremesa.work.jobs import Handler, Jobs


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

    async def counts(tenant: Tenant, user_id: UserId, inbox: str) -> bytes:
        return msgspec.json.encode(await counts_in(inboxes, tenant, user_id, inbox))

    live = live_opening.open_live(
        table,
        clock,
        translation_of(table, clock, accounts),
        count=counts,
        memberships=subscriptions.memberships_at,
        cursors=EventCursors(store.keyring.secret("gateway")),
        settings=settings,
        node_id=(node_id := ids.mint()),
        options=options,
    )
    is_alone = settings.redis is None or settings.store.startswith("sqlite")
    node_registry = TableNodeRegistry(table, clock, node_id, options.presence, alone=is_alone)
    return OpenedLive(live, node_registry, Presence(live.hub, live.ephemeral, node_registry, options.presence))


def open_review(table: Table, clock: Clock, audit: Audit, accounts: Accounts) -> Review:
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


class RoomFactory(NamedTuple):
    """What the services of all kinds of room share."""

    store: Store
    ids: Ids
    accounts: Accounts
    attachments: Attachments
    jobs: Jobs
    typing: Typing
    readers: RoomReaders
    judge: Judge | None

    def build(self, kind: RoomKind, *, access: RoomAccess) -> Rooms:
        """Build the service of one kind of room, whose access rules are those of `access`."""
        self.readers.add(kind, access)
        return Rooms(
            kind,
            self.store.table,
            self.store.clock,
            self.ids,
            access,
            self.accounts,
            self.attachments,
            self.jobs,
            RoomTyping(self.typing),
            judge=self.judge,
            judge_seconds=self.store.settings.moderation_seconds,
            has_own_clock=self.store.has_own_clock,
        )


def job_handlers(
    accounts: Accounts,
    inboxes: Inboxes,
    communities: CommunityCleanup,
    conversations: ConversationCleanup,
    workspaces: WorkspaceCleanup,
    rooms: Iterable[Rooms],
) -> dict[str, Handler]:
    """Return what runs each kind of background job, by the name of the job."""
    return {
        DELETE_ACCOUNT: accounts.finish_deletion,
        CLEAN_SERVER: communities.clean_server,
        CLEAN_CHANNEL: communities.clean_channel,
        CLEAN_CONVERSATION: conversations.clean_conversation,
        inbox_delivery.JOB: inboxes.delivery.run,
        CLEAN_WORKSPACE: workspaces.clean_workspace,
        **{room.cleanup.job: room.cleanup.clean for room in rooms},
    }
