"""Listening: all topics that a person listens to now.

Four questions at once tell where they may be, and one request where they are: indexes only list, and each place is
looked at where it stands.
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
from sobremesa.domains.communities.events import admission as server_admission
from sobremesa.domains.conversations import entities as conversations
from sobremesa.domains.conversations.events import admission as conversation_admission
from sobremesa.domains.threads import entities as threads
from sobremesa.domains.threads.events import admission as thread_admission
from sobremesa.domains.workspaces import entities as workspaces
from sobremesa.domains.workspaces.entities import WorkspaceId
from sobremesa.domains.workspaces.events import admission as workspace_admission
from sobremesa.live.events import Admission, Seat, conversation, parts_of, person, server, tenant, thread, workspace
from sobremesa.table import Entity, Key, Question, Table


class Listening:
    """Tells what people listen to."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def topics_of(self, actor: Actor) -> list[Admission]:
        """Everything that a person listens to: what is theirs alone, and each place that they are in now."""
        user_id = actor.user_id
        listed = await asyncio.gather(
            self._every(communities.servers_of(user_id=user_id)),
            self._every(conversations.conversations_of(user_id=user_id)),
            self._every(threads.inbox_of(user_id=user_id)),
            self._every(workspaces.workspaces_of(user_id=user_id)),
        )
        keys = list(dict.fromkeys(key for row in chain(*listed) for key in _keys_at(_seat(user_id, row))))
        found = await self._table.get_many(keys, consistent=True)

        own = [Admission(user_id, person(user_id)), Admission(user_id, tenant(actor.tenant))]
        return [*own, *_admissions([row for row in found if row is not None])]

    async def memberships(self, seats: Collection[Seat]) -> dict[Seat, Admission]:
        """Those of these memberships that there are now."""
        keys = list(dict.fromkeys(key for seat in seats for key in _keys_at(seat)))
        found = [row for row in await self._table.get_many(keys, consistent=True) if row is not None]
        return {Seat(each.user_id, each.topic): each for each in _admissions(found)}

    async def _every(self, question: Question[Any]) -> list[Entity]:
        return [row async for row in self._table.every(question)]


def _seat(user_id: UserId, row: Entity) -> Seat | None:
    """The seat at which an index lists a user."""
    match row:
        case communities.ServerMembership(server_id=server_id):
            return Seat(user_id, server(server_id))
        case conversations.Participant(room_id=room_id):
            return Seat(user_id, conversation(room_id))
        case threads.Participant(room_id=room_id):
            return Seat(user_id, thread(room_id))
        case workspaces.Member(workspace_id=workspace_id):
            return Seat(user_id, workspace(workspace_id))
        case _:
            return None  # a workspace as the first design lists it, for its maker


def _keys_at(seat: Seat | None) -> list[Key[Any]]:
    """The rows that say whether a user is at a seat, and with which rights."""
    if seat is None:
        return []
    user_id = seat.user_id
    match parts_of(seat.topic):
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


def _admissions(rows: Iterable[Entity]) -> list[Admission]:
    rows = list(rows)
    servers = {row.server_id: row for row in rows if isinstance(row, communities.Server)}
    talks = {row.room_id: row for row in rows if isinstance(row, conversations.Conversation)}
    admissions: list[Admission] = []
    for row in rows:
        match row:
            case communities.ServerMembership(server_id=server_id) if server_id in servers:
                if servers[server_id].deleted_at is None:
                    admissions.append(server_admission(row, servers[server_id]))
            case conversations.Participant(room_id=room_id) if room_id in talks:
                admissions.append(conversation_admission(row, talks[room_id]))
            case threads.Participant():
                admissions.append(thread_admission(row))
            case workspaces.Member():
                admissions.append(workspace_admission(row))
            case _:
                pass  # a server or a conversation itself
    return admissions
