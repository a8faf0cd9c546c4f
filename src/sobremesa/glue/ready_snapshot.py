"""The ready snapshot: what a client receives when it identifies, and what it must fetch after a gap.

It calls the same endpoints as clients, so that a list in the snapshot equals the list of the API.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgspec.structs import asdict

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Instant, instant
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.domains.accounts.views import Me
from sobremesa.domains.communities.access import MemberChannels
from sobremesa.domains.communities.entities import Channel, ChannelPointer
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.service import ChannelWithHead, Communities
from sobremesa.domains.communities.views import ChannelView, ServerView, channel_view, server_view
from sobremesa.domains.conversations.entities import conversations_of
from sobremesa.domains.conversations.service import Conversations
from sobremesa.domains.conversations.views import ConversationView, conversation_view
from sobremesa.domains.inboxes.entities import InboxConfig
from sobremesa.domains.inboxes.events import LiveCounts, live_counts
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.threads.views import ThreadView, thread_view
from sobremesa.domains.workspaces.views import OwnWorkspaceView
from sobremesa.http.endpoints import Endpoint, Listed, PageQuery
from sobremesa.live.events import EventType, Topic, channel, conversation, server, thread
from sobremesa.live.session_frames import READY, Gap, Identified, MissedRoom
from sobremesa.rooms.entities import Head
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.unread import RoomUnreadState
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Table

FIRST_PAGE = 50
COUNTED_CHANNELS = 200
"""In how many channels unread messages are counted; the others have `{count: 1, capped: true}`."""
COUNTED_AT_ONCE = 16
CLOCKS_DIFFER_MS = 70 * 60_000
"""Tolerance for clocks that were behind: a gap starts that much earlier."""


class ReadyChannel(ChannelView):
    """A channel, with the user's unread count and preferences."""

    unread: UnreadView
    last_read_message_id: MessageId | None
    muted: bool


class ReadyServer(ServerView, kw_only=True):
    """A server, with the user's role and all channels."""

    role: Role
    channels: list[ReadyChannel]


class ReadyInbox(LiveCounts):
    """The counts of an inbox, with its title and description."""

    title: str | None
    description: str | None


class Ready(Identified, kw_only=True):
    """The initial snapshot, read after the cursor of this frame: an event may repeat what is in it.

    The lists are as the API returns them: all servers, each with the user's role, its channels and their unread counts,
    and the first page of everything else.
    """

    user: Me
    servers: list[ReadyServer]
    conversations: list[ConversationView]
    threads: list[ThreadView]
    inboxes: list[ReadyInbox]
    workspaces: list[OwnWorkspaceView]


ready = EventType(READY, Ready, "You are identified; from here on you receive events.", durable=False)


class ReadySnapshots:
    """Builds ready snapshots."""

    def __init__(
        self,
        table: Table,
        endpoints: Iterable[Endpoint],
        communities: Communities,
        conversations: Conversations,
        threads: Threads,
        inboxes: Inboxes,
    ) -> None:
        self._table = table
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        self._communities = communities
        self._conversations = conversations
        self._threads = threads
        self._inboxes = inboxes

    async def snapshot(self, actor: Actor, session_id: str, expires_at: Instant) -> Ready:
        """Return the initial state: all servers with their channels, and the first page of every list."""
        user, servers, conversations, threads, inboxes, workspaces = await asyncio.gather(
            self._endpoints["accounts.getMe"].handler(actor=actor),
            self._servers(actor),
            self._conversations_of(actor),
            self._threads_of(actor),
            self._counted_inboxes(actor),
            self._first("workspaces.listWorkspaces", actor),
        )
        return Ready(
            session_id=session_id,
            expires_at=expires_at,
            user=user,
            servers=servers,
            conversations=conversations,
            threads=threads,
            inboxes=inboxes,
            workspaces=workspaces,
        )

    async def _servers(self, actor: Actor) -> list[ReadyServer]:
        found = await self._communities.overview(actor, cached=True)
        seats = [seat for _, channels in found for _, seat in channels]
        unread_states = {
            state.seat.room_id: state
            for state in await self._communities.unread_states(seats, counted=COUNTED_CHANNELS)
        }
        return [_ready_server(each, unread_states) for each in found]

    async def _conversations_of(self, actor: Actor) -> list[ConversationView]:
        """Return the first page; from the rows that the subscriptions were read from, if these are all."""
        rows = [row async for row in self._table.every(conversations_of(user_id=actor.user_id))]
        if len(rows) > FIRST_PAGE:
            return await self._first("conversations.listConversations", actor)
        return [conversation_view(row) for row in await self._conversations.list_all(actor, rows)]

    async def _threads_of(self, actor: Actor) -> list[ThreadView]:
        """Return the first page, by the heads: an index may miss what was published before the cursor."""
        listed, _ = await self._threads.list_threads(actor, limit=FIRST_PAGE, exact=True)
        return [thread_view(*each) for each in listed]

    async def _first(self, name: str, actor: Actor) -> list[Any]:
        endpoint = self._endpoints[name]
        query: PageQuery = endpoint.query(limit=FIRST_PAGE)
        listed: Listed[Any] = await endpoint.handler(actor=actor, query=query)
        return listed.items

    async def _counted_inboxes(self, actor: Actor) -> list[ReadyInbox]:
        configs = await self._inboxes.broadcasts.inboxes(actor.tenant)

        async def count(config: InboxConfig) -> LiveCounts:
            own = UserPartition(actor.tenant, actor.user_id, config.inbox)
            return live_counts(await self._inboxes.counting.count_at(own), own)

        counted = await gather_bounded(COUNTED_AT_ONCE, count, configs)
        return [
            ReadyInbox(**asdict(counts), title=config.title, description=config.description)
            for config, counts in zip(configs, counted, strict=True)
        ]


def _ready_server(found: MemberChannels, unread_states: dict[RoomId, RoomUnreadState]) -> ReadyServer:
    channels = [_ready_channel(channel, unread_states[seat.room_id]) for channel, seat in found.channels]
    return ReadyServer(**asdict(server_view(found.member.server)), role=found.member.role, channels=channels)


def _ready_channel(channel: Channel, state: RoomUnreadState) -> ReadyChannel:
    view = channel_view(ChannelWithHead(channel, state.seat.head.last_message_id))
    last_read = None if state.cursor is None else state.cursor.last_read_message_id
    return ReadyChannel(**asdict(view), unread=state.unread, last_read_message_id=last_read, muted=state.muted)


class Gaps:
    """Finds what a user missed."""

    def __init__(self, rooms: Sequence[Rooms]) -> None:
        self._rooms = rooms

    async def find(self, actor: Actor, since_ms: int, topics: Collection[Topic] | None = None) -> Gap:
        """Return the rooms with new messages since a time, and from where to where; only of these topics, if given."""
        after = MessageId(first_of(max(0, since_ms - CLOCKS_DIFFER_MS)))
        missed = [
            MissedRoom(rooms.kind.name, seat.room_id, after, seat.head.last_message_id)
            for rooms in self._rooms
            for seat in await rooms.seats_of(actor)
            if seat.head.last_message_id is not None
            and seat.head.last_message_id > after
            and (topics is None or not _topics_of(seat.head).isdisjoint(topics))
        ]
        return Gap(instant(since_ms), missed)


def _topics_of(head: Head) -> set[Topic]:
    """Return the topics that the events of a room may have."""
    if isinstance(head, ChannelPointer):
        return {server(head.server_id), channel(head.server_id, head.room_id)}
    return {conversation(head.room_id), thread(head.room_id)}
