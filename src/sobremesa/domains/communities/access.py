"""Who is in a server and with which rights; and the door of its channels.

Everything here is read consistently and fails closed: a stranger learns no more than that there is nothing.
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
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelId,
    ChannelPointer,
    Server,
    ServerId,
    ServerMembership,
    adopt_channel,
    channel_in_index,
    channels_of,
    membership,
    pointer_of,
    server_by_id,
    servers_of,
)
from sobremesa.domains.communities.permissions import RIGHTS, Right, Role
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions
from sobremesa.rooms.adopting import find_last
from sobremesa.rooms.entities import Message
from sobremesa.table import Check, Condition, Create, Operation, ReadCache, Table, absent_or_null, equals, present
from sobremesa.table.cache import Cache
from sobremesa.table.errors import ConditionFailed

CACHE_SIZE = 10_000

_ROOM_RIGHTS: tuple[RoomRight, ...] = ("read", "send", "pin", "moderate")


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A person inside of a server."""

    actor: Actor
    server: Server
    role: Role
    place: ServerMembership
    """Their own row, as it was read."""

    @property
    def user_id(self) -> UserId:
        return self.actor.user_id

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        if not self.may(right):
            raise Forbidden(right=right)


class MemberChannels(NamedTuple):
    """A member of a server, and the channels of it with their seat in each."""

    member: Member
    channels: list[tuple[Channel, Seat]]


class Access:
    """Lets people into servers and channels."""

    def __init__(self, table: Table, audit: Audit, clock: Clock | None = None) -> None:
        self._table = table
        self._audit = audit
        self._clock = clock or SystemClock()
        self._members: ReadCache[tuple[UserId, str, ServerId], Member | None] = ReadCache(table, CACHE_SIZE)
        self._homes: Cache[RoomId, ChannelPointer] = Cache(CACHE_SIZE)
        """Pointers as they once were: a channel never moves to another server."""
        self._seats: ReadCache[tuple[UserId, str, RoomId], Seat] = ReadCache(table, CACHE_SIZE)

    # Servers

    async def require_member(self, actor: Actor, server_id: ServerId, right: Right = "read") -> Member:
        """The person as a member with a right; NotFound for a stranger, Forbidden without the right."""
        key = (actor.user_id, actor.username, server_id)
        member = await self._members.get_or_load(key, lambda: self._find_member(actor, server_id))
        if member is None:
            raise NotFound
        member.require(right)
        return member

    async def _find_member(self, actor: Actor, server_id: ServerId) -> Member | None:
        place, server = await self._table.get_pair(
            membership(user_id=actor.user_id, server_id=server_id), server_by_id(server_id=server_id), consistent=True
        )
        return _member(actor, place, server)

    def still(self, member: Member) -> Operation:
        """That who acts has the same role when it happens as when they asked; for the transaction of the act."""
        return Check(member.place.own_key(), when=present() & has_role(member.place.role))

    async def find_role(self, server: Server, user_id: UserId) -> Role | None:
        """Somebody's role in a server, or None if they are not in it."""
        place = await self._table.get(membership(user_id=user_id, server_id=server.server_id))
        return None if place is None else true_role(place, server)

    # The door of channels

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        key = (actor.user_id, actor.username, room_id)
        return await self._seats.get_or_load(key, lambda: self._find_seat(actor, room_id))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        pointer = self._homes.find(room_id)
        if pointer is None:
            pointer = await self._pointer(room_id)
            self._homes.keep(room_id, pointer)
        return _seat(await self.require_member(actor, pointer.server_id), pointer)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self.authorize(actor, room_id)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """That the sender is still a member when the message is written."""
        return SendAdditions([Check(membership(user_id=seat.user_id, server_id=ServerId(seat.scope)), when=present())])

    async def reauthorize(self, seat: Seat) -> Seat:
        return await self.authorize(seat.actor, seat.room_id)

    async def _find_seat(self, actor: Actor, room_id: RoomId) -> Seat:
        pointer = await self._pointer(room_id)
        member = await self.require_member(actor, pointer.server_id)
        return _seat(member, pointer)

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        return [seat for _, channels in await self.overview(actor) for _, seat in channels]

    async def overview(self, actor: Actor) -> list[MemberChannels]:
        """All servers that one is in, each with its channels and one's seat in each of them."""
        places = [place async for place in self._table.every(servers_of(user_id=actor.user_id))]
        servers = await self._table.get_many(
            [server_by_id(server_id=place.server_id) for place in places], consistent=True
        )
        members = [
            member for place, server in zip(places, servers, strict=True) if (member := _member(actor, place, server))
        ]
        return await asyncio.gather(*map(self._channels_of, members))

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        server_id = (await self._pointer(room_id)).server_id
        keys = [membership(user_id=user_id, server_id=server_id) for user_id in user_ids]
        return {place.user_id for place in await self._table.get_many(keys) if place is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    async def channel_of(
        self, actor: Actor, channel_id: ChannelId, right: Right = "read"
    ) -> tuple[Member, ChannelPointer]:
        """The server's member and the channel's pointer; NotFound for a stranger."""
        pointer = await self._pointer(channel_id)
        return await self.require_member(actor, pointer.server_id, right), pointer

    async def _channels_of(self, member: Member) -> MemberChannels:
        await asyncio.sleep(0)  # a person may be in many servers: let others have their turn
        channels = [channel async for channel in self._table.every(channels_of(server_id=member.server.server_id))]
        pointers = await self._table.get_many(
            [pointer_of(room_id=channel.channel_id) for channel in channels], consistent=True
        )
        seated = zip(channels, pointers, strict=True)
        return MemberChannels(member, [(channel, _seat(member, at)) for channel, at in seated if at is not None])

    async def _pointer(self, room_id: RoomId) -> ChannelPointer:
        pointer = await self._table.get(pointer_of(room_id=room_id))
        return pointer if pointer is not None else await self._adopted(room_id)

    async def _adopted(self, room_id: RoomId) -> ChannelPointer:
        """The pointer of a channel that another writer made without one; NotFound if there is no such channel."""
        channels = (await self._table.query(channel_in_index(channel_id=room_id), limit=1)).items
        if not channels:
            raise NotFound

        # An index may still show a channel that is gone; its own row decides.
        last = await find_last(CHANNELS, self._table, self._clock, room_id)
        last_id = None if last is None else last.message_id
        pointer = ChannelPointer(room_id=room_id, server_id=channels[0].server_id, last_message_id=last_id)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Create(pointer), Check(channels[0].own_key(), when=present()), pattern=adopt_channel
            )
        made = await self._table.get(pointer_of(room_id=room_id))
        if made is None:
            raise NotFound
        return made


def has_role(role: Role) -> Condition:
    """That somebody has this role; where another writer says nothing, they are a member."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


def _member(actor: Actor, place: ServerMembership | None, server: Server | None) -> Member | None:
    if place is None or server is None or server.deleted_at is not None:
        return None
    return Member(actor=actor, server=server, role=true_role(place, server), place=place)


def true_role(place: ServerMembership, server: Server) -> Role:
    """The server's own word about its owner counts, whatever a membership says."""
    if server.owner_id == place.user_id:
        return "owner"
    return "admin" if place.role == "owner" else place.role


_ROOM_RIGHTS_OF: dict[Role, frozenset[RoomRight]] = {
    role: frozenset(right for right in _ROOM_RIGHTS if right in rights) for role, rights in RIGHTS.items()
}


def _seat(member: Member, pointer: ChannelPointer) -> Seat:
    return Seat(
        actor=member.actor,
        head=pointer,
        joined_at=member.place.joined_at,
        rights=_ROOM_RIGHTS_OF[member.role],
        scope=member.server.server_id,
    )
