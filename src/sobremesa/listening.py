"""Listening: what a person hears, because of who they are and what they are in."""

from __future__ import annotations

import asyncio

from sobremesa.communities.entities import server_by_id, servers_of
from sobremesa.communities.events import admission
from sobremesa.conversations.entities import conversations_of
from sobremesa.live.events import Admission, conversation, person, tenant, thread, workspace
from sobremesa.people import Actor
from sobremesa.table import Table
from sobremesa.threads.entities import inbox_of
from sobremesa.workspaces.entities import Member, workspaces_of


class Listening:
    """Finds out what people listen to."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def admissions(self, actor: Actor) -> list[Admission]:
        """Every topic that a person listens to now."""
        user_id = actor.user_id
        found = await asyncio.gather(
            self._servers(actor), self._conversations(actor), self._threads(actor), self._workspaces(actor)
        )
        own = [Admission(user_id, person(user_id)), Admission(user_id, tenant(actor.tenant))]
        return [*own, *(each for some in found for each in some)]

    async def _servers(self, actor: Actor) -> list[Admission]:
        places = [place async for place in self._table.every(servers_of(user_id=actor.user_id))]
        keys = [server_by_id(server_id=place.server_id) for place in places]
        servers = await self._table.get_many(keys, consistent=True) if keys else []
        return [
            admission(place, server)
            for place, server in zip(places, servers, strict=True)
            if server is not None and server.deleted_at is None
        ]

    async def _conversations(self, actor: Actor) -> list[Admission]:
        return [
            Admission(place.user_id, conversation(place.room_id), place.role == "admin")
            async for place in self._table.every(conversations_of(user_id=actor.user_id))
        ]

    async def _threads(self, actor: Actor) -> list[Admission]:
        return [
            Admission(place.user_id, thread(place.room_id), place.role_context == "admin")
            async for place in self._table.every(inbox_of(user_id=actor.user_id))
        ]

    async def _workspaces(self, actor: Actor) -> list[Admission]:
        return [
            Admission(actor.user_id, workspace(place.workspace_id))
            async for place in self._table.every(workspaces_of(user_id=actor.user_id))
            if isinstance(place, Member)
        ]
