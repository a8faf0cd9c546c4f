"""The tenant of an event, by the topics that it is published to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from sobremesa.core.actor import DEFAULT_TENANT, Tenant, UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.communities.entities import ServerId, pointer_of, server_by_id
from sobremesa.domains.conversations.entities import conversation_by_id
from sobremesa.domains.threads.entities import thread_by_id
from sobremesa.domains.workspaces.entities import WorkspaceId, workspace_by_id
from sobremesa.live.events import Event, Topic, parts_of
from sobremesa.table import RawChange, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadKey, BadRow

CACHE_SIZE = 50_000


class TopicTenants:
    """Finds tenants by topics. None of them ever moves to another tenant, so they are cached."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: Cache[Topic, Tenant] = Cache(CACHE_SIZE)
        self._finders: Mapping[str, Callable[[str], Awaitable[Tenant | None]]] = {
            "tenant": self._of_tenant,
            "server": self._of_server,
            "channel": self._of_channel,
            "conversation": self._of_conversation,
            "thread": self._of_thread,
            "workspace": self._of_workspace,
            "user": self._of_user,
        }
        self._attributes: Mapping[str, Callable[[str], Awaitable[Tenant | None]]] = {
            "tenant": self._of_tenant,
            "tenant_key": self._of_tenant,
            "createdBy": self._of_user,
            "serverId": self._of_server,
            "channelId": self._of_pointer,
            "convoId": self._of_conversation,
            "threadId": self._of_thread,
            "workspaceId": self._of_workspace,
            "userId": self._of_user,
        }
        """What names the tenant in a row, the nearest first."""

    async def tenant_of(self, event: Event | None, change: RawChange) -> Tenant | None:
        """Return the tenant of an event, or of the changed row; None if nothing of what it is about exists any more."""
        for topic in () if event is None else event.topics:
            tenant = self._known.find(topic)
            if tenant is None:
                kind, id = parts_of(topic)
                tenant = await _found(self._finders[kind], id)
            if tenant is not None:
                self._known.keep(topic, tenant)
                return tenant
        return await self._of_row(change)

    async def _of_tenant(self, id: str) -> Tenant | None:
        return Tenant(id)

    async def _of_server(self, id: str) -> Tenant | None:
        server = await self._table.get(server_by_id(server_id=ServerId(id)))
        return None if server is None else _tenant(server.tenant)

    async def _of_pointer(self, id: str) -> Tenant | None:
        pointer = await self._table.get(pointer_of(room_id=RoomId(id)))
        return None if pointer is None else await self._of_server(pointer.server_id)

    async def _of_channel(self, id: str) -> Tenant | None:
        return await self._of_server(id.partition("/")[0])

    async def _of_conversation(self, id: str) -> Tenant | None:
        conversation = await self._table.get(conversation_by_id(room_id=RoomId(id)))
        return None if conversation is None else _tenant(conversation.tenant)

    async def _of_thread(self, id: str) -> Tenant | None:
        thread = await self._table.get(thread_by_id(room_id=RoomId(id)))
        return None if thread is None else _tenant(thread.tenant)

    async def _of_workspace(self, id: str) -> Tenant | None:
        workspace = await self._table.get(workspace_by_id(workspace_id=WorkspaceId(id)))
        return None if workspace is None else _tenant(workspace.tenant)

    async def _of_user(self, id: str) -> Tenant | None:
        user = await self._table.get(user_by_id(user_id=UserId(id)))
        return None if user is None else user.tenant

    async def _of_row(self, change: RawChange) -> Tenant | None:
        """Return the tenant that the changed row has, or that of what it names: the row may be all that is left."""
        row = change.old or change.new or {}
        for attribute, find in self._attributes.items():
            named = row.get(attribute)
            if isinstance(named, str) and (tenant := await _found(find, named)) is not None:
                return tenant
        return None


async def _found(find: Callable[[str], Awaitable[Tenant | None]], id: str) -> Tenant | None:
    """Return the tenant of what has this id; None if its row does not exist or is unreadable."""
    try:
        return await find(id)
    except (BadRow, BadKey):
        return None


def _tenant(stored: Tenant | None) -> Tenant:
    """Return the tenant of a row; one without belongs to the default tenant."""
    return DEFAULT_TENANT if stored is None else stored
