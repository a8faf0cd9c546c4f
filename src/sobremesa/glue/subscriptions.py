"""Subscriptions: the topics that a user is subscribed to.

Four queries list where the user may be a member, and one consistent request reads those memberships: indexes may lag.
In servers with access lists one more query each reads the lists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities import entities as communities
from sobremesa.domains.communities.entities import ServerId
from sobremesa.domains.communities.events import channel_membership
from sobremesa.domains.communities.events import topic_membership as server_membership
from sobremesa.domains.conversations import entities as conversations
from sobremesa.domains.conversations.events import topic_membership as conversation_membership
from sobremesa.domains.threads import entities as threads
from sobremesa.domains.threads.events import topic_membership as thread_membership
from sobremesa.domains.workspaces import entities as workspaces
from sobremesa.domains.workspaces.entities import WorkspaceId
from sobremesa.domains.workspaces.events import topic_membership as workspace_membership
from sobremesa.live.events import (
    MembershipKey,
    TopicMembership,
    conversation,
    parts_of,
    server,
    tenant,
    thread,
    user,
    workspace,
)
from sobremesa.table import Entity, Key, Question, Table

READ_AT_ONCE = 16


class Subscriptions:
    """Reads the memberships of users."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def memberships_of(self, actor: Actor) -> list[TopicMembership]:
        """Return all topics of a user: their own, their tenant's, and one for each current membership."""
        user_id = actor.user_id
        listed = await asyncio.gather(
            self._every(communities.servers_of(user_id=user_id)),
            self._every(conversations.conversations_of(user_id=user_id)),
            self._every(threads.inbox_of(user_id=user_id)),
            self._every(workspaces.workspaces_of(user_id=user_id)),
        )
        keys = list(dict.fromkeys(key for row in chain(*listed) for key in _row_keys(_membership_key(user_id, row))))
        found = await self._table.get_many(keys, consistent=True)

        rows = [row for row in found if row is not None]

        own = [TopicMembership(user_id, user(user_id)), TopicMembership(user_id, tenant(actor.tenant))]
        return [*own, *_memberships(rows), *await self._channels(rows)]

    async def _channels(self, rows: Sequence[Entity]) -> list[TopicMembership]:
        """Return the channels with an access list in a user's servers, also those that the user does not see."""
        memberships = {row.server_id: row for row in rows if isinstance(row, communities.ServerMembership)}
        servers = [
            row
            for row in rows
            if isinstance(row, communities.Server) and row.has_access_lists and row.server_id in memberships
        ]

        async def channels_in(server: communities.Server) -> list[TopicMembership]:
            lists = await self._every(communities.access_lists_of(server_id=server.server_id))
            found = [row for row in lists if isinstance(row, communities.ChannelAccess)]
            return [channel_membership(memberships[server.server_id], server, row) for row in found]

        return list(chain(*await gather_bounded(READ_AT_ONCE, channels_in, servers)))

    async def memberships_at(self, keys: Collection[MembershipKey]) -> dict[MembershipKey, TopicMembership]:
        """Return those of these memberships that exist now."""
        rows = list(dict.fromkeys(row for key in keys for row in _row_keys(key)))
        found = [row for row in await self._table.get_many(rows, consistent=True) if row is not None]
        here = [each for each in (*_memberships(found), *_channel_memberships(found)) if not each.is_hidden]
        return {MembershipKey(each.user_id, each.topic): each for each in here}

    async def _every(self, question: Question[Any]) -> list[Entity]:
        return [row async for row in self._table.every(question)]


def _membership_key(user_id: UserId, row: Entity) -> MembershipKey | None:
    """Return the membership that an index row lists."""
    match row:
        case communities.ServerMembership(server_id=server_id):
            return MembershipKey(user_id, server(server_id))
        case conversations.Participant(room_id=room_id):
            return MembershipKey(user_id, conversation(room_id))
        case threads.Participant(room_id=room_id):
            return MembershipKey(user_id, thread(room_id))
        case workspaces.Member(workspace_id=workspace_id):
            return MembershipKey(user_id, workspace(workspace_id))
        case _:
            return None  # a workspace as the first design lists it, for its creator


def _row_keys(key: MembershipKey | None) -> list[Key[Any]]:
    """Return the keys of the rows that decide a membership and its rights."""
    if key is None:
        return []
    user_id = key.user_id
    match parts_of(key.topic):
        case "server", id:
            server_id = ServerId(id)
            return [
                communities.membership(user_id=user_id, server_id=server_id),
                communities.server_by_id(server_id=server_id),
            ]
        case "channel", id:
            of, _, channel_id = id.partition("/")
            return [
                communities.membership(user_id=user_id, server_id=ServerId(of)),
                communities.server_by_id(server_id=ServerId(of)),
                communities.access_of(server_id=ServerId(of), channel_id=RoomId(channel_id)),
            ]
        case "conversation", id:
            return [
                conversations.seat_of(room_id=RoomId(id), user_id=user_id),
                conversations.conversation_by_id(room_id=RoomId(id)),
            ]
        case "thread", id:
            return [threads.participant_of(room_id=RoomId(id), user_id=user_id)]
        case "workspace", id:
            return [workspaces.membership(workspace_id=WorkspaceId(id), user_id=user_id)]
        case _:
            return []


def _channel_memberships(rows: Sequence[Entity]) -> list[TopicMembership]:
    """Return the memberships in channels that follow from memberships in servers and from access lists."""
    servers = {row.server_id: row for row in rows if isinstance(row, communities.Server) and row.deleted_at is None}
    members = [row for row in rows if isinstance(row, communities.ServerMembership) and row.server_id in servers]
    lists = [row for row in rows if isinstance(row, communities.ChannelAccess)]
    return [
        channel_membership(member, servers[member.server_id], access)
        for access in lists
        for member in members
        if member.server_id == access.server_id
    ]


def _memberships(rows: Iterable[Entity]) -> list[TopicMembership]:
    rows = list(rows)
    servers = {row.server_id: row for row in rows if isinstance(row, communities.Server)}
    talks = {row.room_id: row for row in rows if isinstance(row, conversations.Conversation)}
    memberships: list[TopicMembership] = []
    for row in rows:
        match row:
            case communities.ServerMembership(server_id=server_id) if server_id in servers:
                if servers[server_id].deleted_at is None:
                    memberships.append(server_membership(row, servers[server_id]))
            case conversations.Participant(room_id=room_id) if room_id in talks:
                memberships.append(conversation_membership(row, talks[room_id]))
            case threads.Participant():
                memberships.append(thread_membership(row))
            case workspaces.Member():
                memberships.append(workspace_membership(row))
            case _:
                pass  # a server or a conversation itself
    return memberships
