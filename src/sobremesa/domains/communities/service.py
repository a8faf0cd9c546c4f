"""Create, find, update and delete servers and channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

from sobremesa.core.actor import Actor, Tenant, UserId, stored_tenant
from sobremesa.core.clock import Instant
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import MessageId
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import AuditEntry, user_by_id
from sobremesa.domains.accounts.errors import require_own_picture
from sobremesa.domains.communities.access import Access, Member, MemberChannels
from sobremesa.domains.communities.channel_lists import channels_changed
from sobremesa.domains.communities.cleanup import Cleanup
from sobremesa.domains.communities.entities import (
    CHANNELS,
    DIRECTORY_SHARDS,
    Channel,
    ChannelAccess,
    ChannelId,
    ChannelPointer,
    Server,
    ServerId,
    ServerMembership,
    access_of,
    change_channel,
    change_server,
    channel_by_key,
    channels_of,
    create_channel,
    create_server,
    delete_channel,
    delete_server,
    directory,
    pointer_of,
    server_by_id,
    servers_of,
    tenant_directory,
)
from sobremesa.domains.communities.errors import TooManyChannels
from sobremesa.domains.communities.invites import ServerInviteKind, ServerInvites, reserve_server
from sobremesa.domains.communities.members import Members
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import AccessList, Privacy, server_with_lists
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.service import Rooms
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Shards,
    Update,
    absent_or_null,
    equals,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Claim, Idempotency
from sobremesa.work.quotas import Quotas

MAX_CHANNELS = 500
COUNTED_AT_ONCE = 16

CLEAN_SERVER = "communities.server"
CLEAN_CHANNEL = "communities.channel"


class ServerWithRole(NamedTuple):
    """A server, and the actor's role in it."""

    server: Server
    role: Role


class ChannelWithHead(NamedTuple):
    """A channel, and its last message."""

    channel: Channel
    last_message_id: MessageId | None


class Communities(Rooms):
    """Servers and their channels, with the messages of channels."""

    _access: Access

    def __init__(self, context: RoomContext, *, audit: Audit, idempotency: Idempotency) -> None:
        table, clock = context.table, context.clock
        access, quotas = Access(table, audit, clock), Quotas(table, clock)
        super().__init__(CHANNELS, access, context)
        self.access = access
        self._audit = audit
        self._idempotency = idempotency
        self._quotas = quotas
        self.members = Members(table, clock, access, audit, quotas)
        self.privacy = Privacy(table, clock, context.ids, access, audit)
        self.invites = ServerInvites(ServerInviteKind(table, access, quotas), table, clock, audit, idempotency)
        self.cleanup = Cleanup(table, context.files)
        self._directory = Shards(table, DIRECTORY_SHARDS, directory, _position, _at)
        self._tenant_directory = Shards(table, DIRECTORY_SHARDS, tenant_directory, _position, _at)

    # Servers

    async def create_server(
        self,
        actor: Actor,
        *,
        name: str,
        icon_url: str | None = None,
        data: dict[str, Any] | None = None,
        key: str | None = None,
    ) -> Server:
        """Create a server, owned by the actor. Invalid if the icon is not the address of an upload."""
        actor.require_person()
        require_own_picture("iconUrl", icon_url)
        await self._data_checks.check(actor.tenant, "server", data)
        claim = self._idempotency.claim(actor, key, "server", [name, icon_url, data])
        before = await claim.find()
        if before is not None:
            return (await self.get_server(actor, ServerId(before))).server

        now = self._clock.now()
        server_id = ServerId(self._ids.mint())
        server = Server(
            server_id=server_id,
            name=name,
            owner_id=actor.user_id,
            tenant=stored_tenant(actor.tenant),
            icon_url=icon_url,
            data=data,
            created_at=now,
            updated_at=now,
            shard=shard_of(server_id),
        )
        existing = await self._write_server(actor, server, claim)
        return server if existing is None else (await self.get_server(actor, ServerId(existing))).server

    async def _write_server(self, actor: Actor, server: Server, claim: Claim) -> str | None:
        """Write a new server and its owner; return the id of the server if a repeated request created it before."""
        owner = ServerMembership(
            user_id=actor.user_id, server_id=server.server_id, role="owner", joined_at=server.created_at
        )
        try:
            await self._quotas.create(
                partial(reserve_server, self._quotas, actor.user_id),
                server=Create(server),
                owner=Create(owner),
                # A user who deletes their account at the same time must not own a server that no other user can reach.
                user=Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")),
                idempotency=claim.operations(server.server_id),
                pattern=create_server,
            )
        except ConditionFailed as failed:
            return await _created_before(claim, failed)
        return None

    async def get_server(self, actor: Actor, server_id: ServerId) -> ServerWithRole:
        """Return a server that the actor is a member of."""
        actor = actor.or_system("rooms:read")
        member = await self._access.require_member(actor, server_id)
        return ServerWithRole(member.server, member.role)

    async def list_servers(
        self, actor: Actor, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Server], str | None]:
        """Return a page of the actor's servers."""
        page = await self._table.query(servers_of(user_id=actor.user_id), limit=limit, cursor=cursor)
        servers = await self._table.get_many([server_by_id(server_id=row.server_id) for row in page.items])
        return [server for server in servers if server is not None and server.deleted_at is None], page.cursor

    async def count_channels(self, actor: Actor, servers: Sequence[Server]) -> list[int]:
        """Return the number of channels that the actor sees in each of their servers, in order."""

        async def count(server: Server) -> int:
            question = channels_of(server_id=server.server_id)
            if server.has_access_lists:
                member = await self._access.require_member(actor, server.server_id)
                channels = [channel async for channel in self._table.every(question)]
                return len(await self._access.visible(member, channels))
            return (await self._table.count(question, at_most=MAX_CHANNELS, consistent=False)).count

        return await gather_bounded(COUNTED_AT_ONCE, count, servers)

    async def overview(self, actor: Actor, *, cached: bool = False) -> list[MemberChannels]:
        """Return the actor's servers, each with its channels and the actor's seats in them.

        `cached` lists of channels are current, unless another program has changed them in the last half minute.
        """
        return await self._access.overview(actor, cached=cached)

    def cached_channels(self, server: Server) -> Sequence[Channel] | None:
        """Return the channels of a server whose row was just read, if the list is cached and current."""
        return self._access.channel_lists.find(server)

    async def change_server(self, actor: Actor, server_id: ServerId, changes: Mapping[str, Any]) -> Server:
        """Update a server's name, icon or custom data."""
        require_own_picture("iconUrl", changes.get("icon_url"))
        await self._data_checks.check(actor.tenant, "server", changes.get("data"))
        member = await self._access.require_member(actor, server_id, "manage_server")
        if not changes:
            return member.server

        key = server_by_id(server_id=server_id)
        details = {"fields": ",".join(sorted(changes))}
        try:
            await self._table.write(
                server=Update(key, set_to(**changes, updated_at=self._clock.now()), when=absent_or_null("deleted_at")),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "server.change", details=details),
                pattern=change_server,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self._get(server_id)

    async def delete_server(self, actor: Actor, server_id: ServerId) -> None:
        """Delete a server. It is invisible at once, and a job removes its rows."""
        member = await self._access.require_member(actor, server_id, "delete_server")

        gone = set_to(deleted_at=self._clock.now(), shard=None, tenant=member.server.tenant)
        try:
            await self._table.write(
                server=Update(
                    server_by_id(server_id=server_id),
                    gone,
                    when=equals("owner_id", actor.user_id) & absent_or_null("deleted_at"),
                ),
                job=self._jobs.new(CLEAN_SERVER, server_id),
                audit=self._audit.entry(server_id, actor, "server.delete"),
                pattern=delete_server,
            )
        except ConditionFailed:
            raise NotFound from None
        self._jobs.nudge()

    async def list_all_servers(
        self, actor: Actor, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Server], str | None]:
        """Return a page of all servers of the actor's tenant, newest first. For administrators."""
        actor.require_scope("admin")
        tenant = stored_tenant(actor.tenant)
        if tenant is None:
            return await self._directory.newest(limit=limit, cursor=cursor)
        return await self._tenant_directory.newest(limit=limit, cursor=cursor, tenant=tenant)

    async def list_audit(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[AuditEntry], str | None]:
        """Return a page of the audit log of a server, newest first."""
        member = await self._access.require_member(actor, server_id, "see_audit")
        return await self._audit.list_entries(server_id, since=member.server.created_at, limit=limit, cursor=cursor)

    # Channels

    async def create_channel(
        self,
        actor: Actor,
        server_id: ServerId,
        *,
        name: str,
        topic: str | None = None,
        data: dict[str, Any] | None = None,
        access: AccessList | None = None,
        key: str | None = None,
    ) -> ChannelWithHead:
        """Create a channel, private if it has an access list."""
        actor = actor.or_system("rooms:write")
        await self._data_checks.check(actor.tenant, "channel", data)
        member = await self._access.require_member(actor, server_id, "manage_channels")
        claim = self._idempotency.claim(actor, key, "channel", [server_id, name, topic, data, access])
        before = await claim.find()
        if before is not None:
            return await self.get_channel(actor, ChannelId(before))

        now = self._clock.now()
        channel_id = ChannelId(self._ids.mint())
        allowed = None if access is None else await self.privacy.new_list(member, channel_id, access)
        channel = Channel(
            server_id=server_id,
            channel_id=channel_id,
            name=name,
            topic=topic,
            data=data,
            private=None if allowed is None else True,
            created_at=now,
            updated_at=now,
        )
        found = await self._write_channel(member, channel, allowed, claim)
        return ChannelWithHead(channel, None) if found is None else await self.get_channel(actor, ChannelId(found))

    async def _write_channel(
        self, member: Member, channel: Channel, allowed: ChannelAccess | None, claim: Claim
    ) -> str | None:
        """Write a new channel; return the id of the channel if a repeated request created it before."""
        server_id, channel_id = channel.server_id, channel.channel_id
        version = None if allowed is None else allowed.version
        try:
            await self._quotas.create(
                partial(self._reserve_channel, server_id),
                channel=Create(channel),
                pointer=Create(ChannelPointer(room_id=channel_id, server_id=server_id, access=version)),
                access=None if allowed is None else Create(allowed),
                server=channels_changed(server_id, channel_id)
                if version is None
                else server_with_lists(member.server, version),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, member.actor, "channel.create", target=channel_id),
                idempotency=claim.operations(channel_id),
                pattern=create_channel,
            )
        except ConditionFailed as failed:
            return await _created_before(claim, failed)
        return None

    async def _reserve_channel(self, server_id: ServerId) -> Operation:
        """Return the operation that counts one more channel; TooManyChannels if the server has the maximum."""
        reserved = await self._quotas.reserve("channels", server_id, channels_of(server_id=server_id), MAX_CHANNELS)
        if reserved is None:
            raise TooManyChannels(limit=MAX_CHANNELS)
        return reserved

    async def get_channel(self, actor: Actor, channel_id: ChannelId) -> ChannelWithHead:
        """Return a channel of a server that the actor is a member of."""
        actor = actor.or_system("rooms:read")
        member, pointer = await self._access.channel_of(actor, channel_id)
        channel = await self._table.get(channel_by_key(server_id=member.server.server_id, channel_id=channel_id))
        if channel is None:
            raise NotFound
        return ChannelWithHead(channel, pointer.last_message_id)

    async def list_channels(
        self, actor: Actor, server_id: ServerId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[ChannelWithHead], str | None]:
        """Return a page of the channels of a server, each with its last message."""
        actor = actor.or_system("rooms:read")
        member = await self._access.require_member(actor, server_id)

        page = await self._table.query(channels_of(server_id=server_id), limit=limit, cursor=cursor)
        channels = await self._access.visible(member, page.items)
        pointers = await self._table.get_many([pointer_of(room_id=channel.channel_id) for channel in channels])

        heads = [None if pointer is None else pointer.last_message_id for pointer in pointers]
        return [ChannelWithHead(*pair) for pair in zip(channels, heads, strict=True)], page.cursor

    async def change_channel(self, actor: Actor, channel_id: ChannelId, changes: Mapping[str, Any]) -> ChannelWithHead:
        """Update a channel's name, topic or custom data."""
        await self._data_checks.check(actor.tenant, "channel", changes.get("data"))
        member, _ = await self._access.channel_of(actor, channel_id, "manage_channels")
        if not changes:
            return await self.get_channel(actor, channel_id)

        server_id = member.server.server_id
        key = channel_by_key(server_id=server_id, channel_id=channel_id)
        details = {"fields": ",".join(sorted(changes))}
        try:
            await self._table.write(
                channel=Update(key, set_to(**changes, updated_at=self._clock.now())),
                server=channels_changed(server_id, self._ids.mint()),
                actor=self._access.role_check(member),
                audit=self._audit.entry(server_id, actor, "channel.change", target=channel_id, details=details),
                pattern=change_channel,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self.get_channel(actor, channel_id)

    async def delete_channel(self, actor: Actor, channel_id: ChannelId) -> None:
        """Delete a channel. It is invisible at once, and a job removes its messages."""
        member, pointer = await self._access.channel_of(actor, channel_id, "manage_channels")

        server_id = member.server.server_id
        try:
            await self._table.write(
                channel=Delete(channel_by_key(server_id=server_id, channel_id=channel_id)),
                pointer=Delete(pointer.own_key(), when=_has_access(pointer)),
                access=None
                if pointer.access is None
                else Delete(access_of(server_id=server_id, channel_id=channel_id)),
                server=channels_changed(server_id, self._ids.mint()),
                actor=self._access.role_check(member),
                job=self._jobs.new(CLEAN_CHANNEL, channel_id),
                audit=self._audit.entry(server_id, actor, "channel.delete", target=channel_id),
                pattern=delete_channel,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None
        self._jobs.nudge()

    async def _get(self, server_id: ServerId) -> Server:
        server = await self._table.get(server_by_id(server_id=server_id))
        if server is None:
            raise NotFound
        return server


async def _created_before(claim: Claim, failed: ConditionFailed) -> str:
    """Return the id that a repeated request created before; ChangedMeanwhile if another condition failed."""
    existing = await claim.created(failed)
    if existing is None:
        raise ChangedMeanwhile from None
    return existing


def _has_access(pointer: ChannelPointer) -> Condition:
    """Return the condition that the channel still has, or still lacks, an access list."""
    return absent_or_null("access") if pointer.access is None else equals("access", pointer.access)


def shard_of(server_id: ServerId) -> int:
    """Return the shard of the directory that lists a server."""
    return crc32(server_id.encode()) % DIRECTORY_SHARDS


def _position(server: Server) -> tuple[str, str]:
    return server.created_at, server.server_id


def _at(created_at: Instant, server_id: ServerId, *, shard: int, tenant: Tenant | None = None) -> Server:
    return Server(server_id=server_id, name="", owner_id=UserId(""), tenant=tenant, created_at=created_at, shard=shard)
