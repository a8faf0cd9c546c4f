"""Subscriptions: the topics that a user is subscribed to.

Four queries list where the user may be a member, and one consistent request reads those memberships: indexes may lag.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities import entities as communities
from sobremesa.domains.communities.entities import ServerId
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

        own = [TopicMembership(user_id, user(user_id)), TopicMembership(user_id, tenant(actor.tenant))]
        return [*own, *_memberships([row for row in found if row is not None])]

    async def memberships_at(self, keys: Collection[MembershipKey]) -> dict[MembershipKey, TopicMembership]:
        """Return those of these memberships that exist now."""
        rows = list(dict.fromkeys(row for key in keys for row in _row_keys(key)))
        found = [row for row in await self._table.get_many(rows, consistent=True) if row is not None]
        return {MembershipKey(each.user_id, each.topic): each for each in _memberships(found)}

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
