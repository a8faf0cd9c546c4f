"""Authorization in servers and their channels.

Access fails closed: for a user who is not a member a server does not exist. Memberships, heads and access lists are
read consistently. In channels the row of the server may be a second old (`recent_servers`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.channel_lists import ChannelLists, ReadChannels
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelAccess,
    ChannelId,
    ChannelPointer,
    Server,
    ServerId,
    ServerMembership,
    access_lists_of,
    access_of,
    adopt_channel,
    channel_in_index,
    membership,
    pointer_of,
    server_by_id,
    servers_of,
)
from sobremesa.domains.communities.permissions import RIGHTS, Right, Role
from sobremesa.domains.communities.recent_servers import RecentServers
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions, backend_rights
from sobremesa.rooms.adopting import find_last
from sobremesa.rooms.entities import Message
from sobremesa.table import Check, Condition, Create, Operation, ReadCache, Table, absent_or_null, equals, present
from sobremesa.table.cache import Cache
from sobremesa.table.errors import ConditionFailed

CACHE_SIZE = 10_000
READ_AT_ONCE = 16

_ROOM_RIGHTS: tuple[RoomRight, ...] = ("read", "send", "pin", "moderate")


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a server, with their role."""

    actor: Actor
    server: Server
    role: Role
    row: ServerMembership
    """The membership row as it was read."""

    @property
    def user_id(self) -> UserId:
        return self.actor.user_id

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        if not self.may(right):
            raise Forbidden(right=right)


class MemberChannels(NamedTuple):
    """A member of a server, and its channels with the member's seat in each."""

    member: Member
    channels: list[tuple[Channel, Seat]]


class Access:
    """Authorizes actors in servers and channels."""

    def __init__(self, table: Table, audit: Audit, clock: Clock | None = None) -> None:
        self._table = table
        self._audit = audit
        self._clock = clock or SystemClock()
        self.channel_lists = ChannelLists(table)
        self.recent_servers = RecentServers(table)
        self._members: ReadCache[tuple[UserId, str, str | None, ServerId], Member | None] = ReadCache(table, CACHE_SIZE)
        self._pointers: Cache[RoomId, ChannelPointer] = Cache(CACHE_SIZE)
        """Possibly stale pointers: a channel never moves to another server, and the write checks the access list."""
        self._seats: ReadCache[tuple[UserId, str, str | None, RoomId], Seat] = ReadCache(table, CACHE_SIZE)

    # Servers

    async def require_member(self, actor: Actor, server_id: ServerId, right: Right = "read") -> Member:
        """Return the actor as a member; NotFound if they are none, Forbidden without the right."""
        if actor.is_system:
            return await self._system_member(actor, server_id)
        key = (actor.user_id, actor.username, actor.display_name, server_id)
        member = await self._members.get_or_load(key, lambda: self._find_member(actor, server_id))
        if member is None:
            raise NotFound
        member.require(right)
        return member

    async def _find_member(self, actor: Actor, server_id: ServerId) -> Member | None:
        row, server = await self._table.get_pair(
            membership(user_id=actor.user_id, server_id=server_id), server_by_id(server_id=server_id), consistent=True
        )
        return _member(actor, row, server)

    async def _system_member(self, actor: Actor, server_id: ServerId) -> Member:
        """Return a product's backend, which has the rights of an owner without a membership; NotFound elsewhere."""
        server = await self.require_server(actor, server_id)
        row = ServerMembership(user_id=actor.user_id, server_id=server_id, role="owner", joined_at=server.created_at)
        return Member(actor=actor, server=server, role="owner", row=row)

    async def require_server(self, actor: Actor, server_id: ServerId) -> Server:
        """Return a server of the actor's tenant, for a product's backend; NotFound if there is none."""
        server = await self._table.get(server_by_id(server_id=server_id))
        if server is None or server.deleted_at is not None:
            raise NotFound
        actor.require_tenant(server.tenant)
        return server

    def role_check(self, member: Member) -> Sequence[Operation]:
        """Return the check that the member still has the same role, for the transaction of an action."""
        if member.actor.is_system:
            return ()
        return (Check(member.row.own_key(), when=present() & has_role(member.row.role)),)

    async def find_membership(self, server: Server, user_id: UserId) -> ServerMembership | None:
        """Return the membership of a user with their true role, or None if they are not a member."""
        row = await self._table.get(membership(user_id=user_id, server_id=server.server_id))
        return None if row is None else with_true_role(row, server)

    # Channels

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        key = (actor.user_id, actor.username, actor.display_name, room_id)
        return await self._seats.get_or_load(key, lambda: self._find_seat(actor, room_id))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        pointer = self._pointers.find(room_id)
        if pointer is None:
            pointer = await self._pointer(room_id)
            self._pointers.keep(room_id, pointer)
        return await self._seat(await self._find_sender(actor, pointer.server_id), pointer)

    async def authorize_backend(self, actor: Actor, room_id: RoomId) -> Seat:
        pointer = await self._pointer(room_id)
        server = await self.require_server(actor, pointer.server_id)
        return Seat(
            actor=actor.as_system(),
            head=pointer,
            joined_at=server.created_at,
            rights=backend_rights(actor),
            scope=server.server_id,
            is_system=True,
        )

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self.authorize(actor, room_id)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """Return the checks that the sender is still a member, and that the access list is the same.

        The product's backend needs no access: the check is that there is a server.
        """
        server_id = ServerId(seat.scope)
        if seat.is_system:
            exists = present() & absent_or_null("deleted_at")
            return SendAdditions([Check(server_by_id(server_id=server_id), when=exists)])
        assert isinstance(seat.head, ChannelPointer)  # noqa: S101 - for the type checker
        access = seat.head.access
        is_same = _NO_ACCESS_LIST if access is None else equals("access", access)
        key = membership(user_id=seat.user_id, server_id=server_id)
        return SendAdditions(
            [Check(key, when=_PRESENT if seat.membership_when is None else seat.membership_when)], is_same
        )

    async def reauthorize(self, seat: Seat) -> Seat:
        if seat.is_system:
            raise NotFound  # the only condition of `send_additions` is that the server exists
        self._pointers.keep(seat.room_id, await self._pointer(seat.room_id))
        return await self.authorize(seat.actor, seat.room_id)

    async def _find_seat(self, actor: Actor, room_id: RoomId) -> Seat:
        known = self._pointers.find(room_id)
        if known is None or actor.is_system or self.recent_servers.are_exact(known.server_id):
            pointer = await self._pointer(room_id)
            self._pointers.keep(room_id, pointer)
            return await self._seat(await self.require_member(actor, pointer.server_id), pointer)

        server_id = known.server_id  # a channel never moves
        row, current = await self._table.get_pair(
            membership(user_id=actor.user_id, server_id=server_id), pointer_of(room_id=room_id), consistent=True
        )
        member = await self._member_of(actor, row, server_id)
        return await self._seat(member, await self._pointer(room_id) if current is None else current)

    async def _find_sender(self, actor: Actor, server_id: ServerId) -> Member:
        """Return the author of a message as a member; NotFound if they are none.

        The membership is a condition of the write: one that has just ended may be found here.
        """
        if actor.is_system or self.recent_servers.are_exact(server_id):
            return await self.require_member(actor, server_id)
        key = membership(user_id=actor.user_id, server_id=server_id)
        row = await self._table.get(key, consistent=False) or await self._table.get(key)
        return await self._member_of(actor, row, server_id)

    async def _member_of(self, actor: Actor, row: ServerMembership | None, server_id: ServerId) -> Member:
        """Return the member with this row, and a server that may be a second old; NotFound without one of the two."""
        member = None if row is None else _member(actor, row, await self.recent_servers.find(server_id))
        if member is None:
            raise NotFound
        return member

    async def _seat(self, member: Member, pointer: ChannelPointer) -> Seat:
        """Return a member's seat; NotFound if the access list of the channel excludes them."""
        if pointer.access is None:
            return _seat(member, pointer)
        access = await self._table.get(access_of(server_id=pointer.server_id, channel_id=pointer.room_id))
        if access is None or not access.allows(member.user_id, member.role):
            raise NotFound
        return _seat(member, pointer, access)

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        return [seat for _, channels in await self.overview(actor) for _, seat in channels]

    async def overview(self, actor: Actor, *, cached: bool = False) -> list[MemberChannels]:
        """Return the actor's servers, each with its channels and the actor's seats in them.

        `cached` lists of channels are current, unless another program has changed them in the last half minute.
        """
        rows = [row async for row in self._table.every(servers_of(user_id=actor.user_id))]
        servers = await self._table.get_many([server_by_id(server_id=row.server_id) for row in rows], consistent=True)
        members = [member for row, server in zip(rows, servers, strict=True) if (member := _member(actor, row, server))]
        read = self.channel_lists.get if cached else self.channel_lists.read
        return await gather_bounded(READ_AT_ONCE, lambda member: self._channels_of(member, read), members)

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        pointer = await self._pointer(room_id)
        server_id = pointer.server_id
        keys = [membership(user_id=user_id, server_id=server_id) for user_id in user_ids]
        rows = [row for row in await self._table.get_many(keys) if row is not None]
        if pointer.access is None:
            return {row.user_id for row in rows}
        server, access = await self._table.get_pair(
            server_by_id(server_id=server_id), access_of(server_id=server_id, channel_id=room_id), consistent=True
        )
        if server is None or access is None:
            return set()
        return {row.user_id for row in rows if access.allows(row.user_id, true_role(row, server))}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    async def channel_of(
        self, actor: Actor, channel_id: ChannelId, right: Right = "read"
    ) -> tuple[Member, ChannelPointer]:
        """Return the actor as a member, and the channel's pointer; NotFound if they do not see the channel."""
        pointer = await self._pointer(channel_id)
        member = await self.require_member(actor, pointer.server_id)
        await self._seat(member, pointer)
        member.require(right)
        return member, pointer

    async def access_lists(self, member: Member) -> dict[ChannelId, ChannelAccess]:
        """Return the access lists of a server that let the member in, by channel."""
        question = access_lists_of(server_id=member.server.server_id)
        rows = [row async for row in self._table.every(question)]
        return {row.channel_id: row for row in rows if row.allows(member.user_id, member.role)}

    async def visible(self, member: Member, channels: Sequence[Channel]) -> list[Channel]:
        """Return those of these channels of a server that the member sees."""
        if not any(channel.has_access_list for channel in channels):
            return list(channels)
        lists = await self.access_lists(member)
        return [channel for channel in channels if not channel.has_access_list or channel.channel_id in lists]

    async def _channels_of(self, member: Member, read: ReadChannels) -> MemberChannels:
        await asyncio.sleep(0)  # a user may be in many servers: yield to other tasks
        channels = list(await read(member.server))
        has_lists = any(channel.has_access_list for channel in channels)
        lists = await self.access_lists(member) if has_lists else {}
        channels = [channel for channel in channels if not channel.has_access_list or channel.channel_id in lists]
        pointers = await self._table.get_many(
            [pointer_of(room_id=channel.channel_id) for channel in channels], consistent=True
        )
        return MemberChannels(
            member,
            [
                (channel, _seat(member, pointer, lists.get(channel.channel_id)))
                for channel, pointer in zip(channels, pointers, strict=True)
                # A channel that became private meanwhile is left out, as one that was deleted is.
                if pointer is not None and (pointer.access is None) == (channel.channel_id not in lists)
            ],
        )

    async def _pointer(self, room_id: RoomId) -> ChannelPointer:
        pointer = await self._table.get(pointer_of(room_id=room_id))
        return pointer if pointer is not None else await self._adopted(room_id)

    async def _adopted(self, room_id: RoomId) -> ChannelPointer:
        """Create the pointer of a channel that another writer created without one; NotFound if there is no channel."""
        channels = (await self._table.query(channel_in_index(channel_id=room_id), limit=1)).items
        if not channels:
            raise NotFound

        # An index may still list a deleted channel; its own row decides.
        last = await find_last(CHANNELS, self._table, self._clock, room_id)
        last_id = None if last is None else last.message_id
        pointer = ChannelPointer(room_id=room_id, server_id=channels[0].server_id, last_message_id=last_id)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                pointer=Create(pointer), channel=Check(channels[0].own_key(), when=present()), pattern=adopt_channel
            )
        created = await self._table.get(pointer_of(room_id=room_id))
        if created is None:
            raise NotFound
        return created


def has_role(role: Role) -> Condition:
    """Return the condition that a membership has this role; a row without one has the role member."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


def _member(actor: Actor, row: ServerMembership | None, server: Server | None) -> Member | None:
    if row is None or server is None or server.deleted_at is not None:
        return None
    return Member(actor=actor, server=server, role=true_role(row, server), row=row)


def true_role(row: ServerMembership, server: Server) -> Role:
    """Return the effective role: the server row determines the owner, not the membership row."""
    if server.owner_id == row.user_id:
        return "owner"
    return "admin" if row.role == "owner" else row.role


def with_true_role(row: ServerMembership, server: Server) -> ServerMembership:
    """Return the membership with its effective role."""
    return msgspec.structs.replace(row, role=true_role(row, server))


_ROOM_RIGHTS_OF: dict[Role, frozenset[RoomRight]] = {
    role: frozenset(right for right in _ROOM_RIGHTS if right in rights) for role, rights in RIGHTS.items()
}


_PRESENT = present()
_NO_ACCESS_LIST = absent_or_null("access")


def _seat(member: Member, pointer: ChannelPointer, access: ChannelAccess | None = None) -> Seat:
    """Return a member's seat in a channel; with an access list, a send depends on its version and on their role."""
    if access is not None and access.version != pointer.access:
        pointer = msgspec.structs.replace(pointer, access=access.version)
    return Seat(
        actor=member.actor,
        head=pointer,
        joined_at=member.row.joined_at,
        rights=_ROOM_RIGHTS_OF[member.role],
        scope=member.server.server_id,
        is_restricted=access is not None,
        membership_when=None if access is None else _PRESENT & has_role(member.row.role),
    )
