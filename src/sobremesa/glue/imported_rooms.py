"""Creates the servers and rooms that an import declares, by the verbs of their domains."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import Invalid, NotFound
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.communities.entities import ServerId, server_by_id
from sobremesa.domains.communities.importing import ChannelImports
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations.service import Conversations
from sobremesa.table import Table


class ImportedRoomCreation:
    """Creates servers, channels and conversations for imports."""

    def __init__(
        self,
        table: Table,
        accounts: Accounts,
        communities: Communities,
        conversations: Conversations,
        channels: ChannelImports,
    ) -> None:
        self._table = table
        self._accounts = accounts
        self._communities = communities
        self._conversations = conversations
        self._channels = channels

    async def create_server(self, owner: Actor, members: Sequence[UserId], *, name: str, key: str) -> str:
        server = await self._communities.create_server(owner, name=name, key=key)
        await self._channels.add_members(server.server_id, members)
        return server.server_id

    async def create_channel(self, tenant: Tenant, server_id: str, *, name: str, topic: str | None, key: str) -> RoomId:
        server = await self._table.get(server_by_id(server_id=ServerId(server_id)))
        if server is None or not Actor(tenant=tenant).is_of(server.tenant):
            raise NotFound("There is no such server in this tenant.")
        profile = (await self._accounts.profiles([server.owner_id]))[server.owner_id]
        owner = Actor.of_user(server.owner_id, profile.username, tenant)
        channel = await self._communities.create_channel(owner, server.server_id, name=name, topic=topic, key=key)
        return channel.channel.channel_id

    async def create_conversation(
        self, creator: Actor, others: Sequence[UserId], *, name: str | None, direct: bool, key: str
    ) -> RoomId:
        if not direct:
            return (await self._conversations.create_group(creator, others, name=name, key=key)).conversation_id
        if len(others) != 1:
            raise Invalid("A direct conversation has two members.")
        return (await self._conversations.create_direct(creator, others[0])).conversation_id
