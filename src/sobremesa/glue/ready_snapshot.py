"""The ready snapshot: what a client receives when it identifies, and what it must fetch after a gap.

It calls the same endpoints as clients, so that a list in the snapshot equals the list of the API.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId, own_picture
from sobremesa.core.clock import Instant, instant
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.domains.communities.access import MemberChannels
from sobremesa.domains.communities.entities import Channel
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.inboxes.entities import InboxKey, inboxes_of
from sobremesa.domains.inboxes.events import LiveCounts
from sobremesa.domains.inboxes.opening import Inboxes
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.views import counts_view
from sobremesa.http.endpoints import Endpoint, Listed, Output, PageQuery
from sobremesa.live.session_frames import Gap, MissedRoom, Ready
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.unread import RoomUnreadState
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Table

FIRST_PAGE = 50
COUNTED_CHANNELS = 200
"""In how many channels unread messages are counted; the others have `{count: 1, capped: true}`."""
CLOCKS_DIFFER_MS = 70 * 60_000
"""Tolerance for clocks that were behind: a gap starts that much earlier."""


class ReadyChannel(Output):
    """A channel, with the user's unread count and preferences."""

    channel_id: str
    server_id: str
    name: str
    topic: str | None
    last_message_id: MessageId | None
    created_at: Instant
    updated_at: Instant | None
    unread: UnreadView
    last_read_message_id: MessageId | None
    muted: bool


class ReadySnapshots:
    """Builds ready snapshots."""

    def __init__(
        self,
        table: Table,
        endpoints: Iterable[Endpoint],
        communities: Communities,
        inboxes: Inboxes,
        channels: Rooms,
    ) -> None:
        self._table = table
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        self._communities = communities
        self._inboxes = inboxes
        self._channels = channels

    async def snapshot(self, actor: Actor, session_id: str, expires_at: Instant) -> Ready:
        """Return the initial state: all servers with their channels, and the first page of every list."""
        user, servers, conversations, threads, inboxes, workspaces = await asyncio.gather(
            self._endpoints["accounts.getMe"].handler(actor=actor),
            self._servers(actor),
            self._first("conversations.listConversations", actor),
            self._first("threads.listThreads", actor),
            self._counted_inboxes(actor),
            self._first("workspaces.listWorkspaces", actor),
        )
        return Ready(session_id, expires_at, user, servers, conversations, threads, inboxes, workspaces)

    async def _servers(self, actor: Actor) -> list[dict[str, Any]]:
        found = await self._communities.overview(actor)
        seats = [seat for _, channels in found for _, seat in channels]
        unread_states = {
            state.seat.room_id: state for state in await self._channels.unread_states(seats, counted=COUNTED_CHANNELS)
        }
        return [_server_view(each, unread_states) for each in found]

    async def _first(self, name: str, actor: Actor) -> list[Any]:
        endpoint = self._endpoints[name]
        query: PageQuery = endpoint.query(limit=FIRST_PAGE)
        listed: Listed[Any] = await endpoint.handler(actor=actor, query=query)
        return listed.items

    async def _counted_inboxes(self, actor: Actor) -> list[dict[str, Any]]:
        configs = [config async for config in self._table.every(inboxes_of(tenant=actor.tenant))]
        counted = await asyncio.gather(
            *(counts_in(self._inboxes, actor.tenant, actor.user_id, config.inbox) for config in configs)
        )
        return [
            {**msgspec.to_builtins(counts), "title": config.title, "description": config.description}
            for config, counts in zip(configs, counted, strict=True)
        ]


def _server_view(found: MemberChannels, unread_states: dict[RoomId, RoomUnreadState]) -> dict[str, Any]:
    """Return a server as the API shows it, with the user's role and the channels."""
    server = found.member.server
    return {
        "serverId": server.server_id,
        "name": server.name,
        "ownerId": server.owner_id,
        "iconUrl": own_picture(server.icon_url),
        "createdAt": server.created_at,
        "updatedAt": server.updated_at,
        "role": found.member.role,
        "channels": [_channel_view(channel, unread_states[seat.room_id]) for channel, seat in found.channels],
    }


def _channel_view(channel: Channel, state: RoomUnreadState) -> ReadyChannel:
    read = state.cursor
    return ReadyChannel(
        channel.channel_id,
        channel.server_id,
        channel.name,
        channel.topic,
        state.seat.head.last_message_id,
        channel.created_at,
        channel.updated_at,
        state.unread,
        None if read is None else read.last_read_message_id,
        state.muted,
    )


class Gaps:
    """Finds what a user missed."""

    def __init__(self, rooms: Sequence[Rooms]) -> None:
        self._rooms = rooms

    async def find(self, actor: Actor, since_ms: int) -> Gap:
        """Return the rooms with new messages since a time, and from where to where."""
        after = first_of(since_ms - CLOCKS_DIFFER_MS)
        missed = [
            MissedRoom(rooms.kind.name, seat.room_id, after, seat.head.last_message_id)
            for rooms in self._rooms
            for seat in await rooms.seats_of(actor)
            if seat.head.last_message_id is not None and seat.head.last_message_id > after
        ]
        return Gap(instant(since_ms), missed)


async def counts_in(inboxes: Inboxes, tenant: Tenant, user_id: UserId, inbox: str) -> LiveCounts:
    """Return the counts of a user in one inbox."""
    found = await inboxes.counting.count_at(UserPartition(tenant, user_id, InboxKey(inbox)))
    return LiveCounts(**msgspec.structs.asdict(counts_view(found)), tenant=tenant, inbox=InboxKey(inbox))
