"""What incoming webhooks need of each kind of room: who manages it, and the seat of a program in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.communities.access import Access as ChannelAccess
from sobremesa.domains.communities.entities import CHANNELS, pointer_of
from sobremesa.domains.conversations.access import Access as ConversationAccess
from sobremesa.domains.conversations.entities import CONVERSATIONS, conversation_by_id
from sobremesa.domains.threads.access import Access as ThreadAccess
from sobremesa.domains.threads.entities import THREADS
from sobremesa.rooms.access import MessageAccess, RoomRight, Seat, SendAdditions
from sobremesa.rooms.entities import Head, Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Operation, Table

SENDS: frozenset[RoomRight] = frozenset({"read", "send"})


class Managed(NamedTuple):
    """A room that the actor manages."""

    scope: str
    """The scope of its audit log."""
    still: Sequence[Operation]
    """The check that the actor still manages it, for the transaction of a change."""


class HookRooms(MessageAccess, Protocol):
    """The rooms of one kind. In place of a membership, a post depends on the row of its webhook."""

    kind: RoomKind

    async def require_manager(self, actor: Actor, room_id: RoomId) -> Managed:
        """Return the room; NotFound if the actor is not in it, Forbidden if they do not manage it."""
        ...

    async def reauthorize(self, seat: Seat) -> Seat:
        return await self.authorize_send(seat.actor, seat.room_id)


class HookChannels(HookRooms):
    """Channels: members who manage channels manage their webhooks."""

    kind = CHANNELS

    def __init__(self, table: Table, access: ChannelAccess) -> None:
        self._table = table
        self._access = access

    async def require_manager(self, actor: Actor, room_id: RoomId) -> Managed:
        member, _ = await self._access.channel_of(actor, room_id, "manage_channels")
        return Managed(member.server.server_id, self._access.role_check(member))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        head = await self._table.get(pointer_of(room_id=room_id))
        if head is None:
            raise NotFound
        return _seat(actor, head, head.server_id, is_restricted=head.access is not None)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        return SendAdditions()

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        return await self._access.current_members(room_id, user_ids)


class HookConversations(HookRooms):
    """Groups: their admins manage their webhooks. A direct conversation has none."""

    kind = CONVERSATIONS

    def __init__(self, table: Table, access: ConversationAccess) -> None:
        self._table = table
        self._access = access

    async def require_manager(self, actor: Actor, room_id: RoomId) -> Managed:
        seat = await self._access.authorize(actor, room_id)
        seat.require_admin()
        return Managed(seat.scope, seat.role_check())

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        head = await self._table.get(conversation_by_id(room_id=room_id))
        if head is None:
            raise NotFound
        return _seat(actor, head, room_id)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        return SendAdditions()

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        return await self._access.current_members(room_id, user_ids)


class HookThreads(HookRooms):
    """Threads: their admins manage their webhooks. A message needs an open thread, and moves it up in all inboxes."""

    kind = THREADS

    def __init__(self, access: ThreadAccess) -> None:
        self._access = access

    async def require_manager(self, actor: Actor, room_id: RoomId) -> Managed:
        caller = await self._access.require(actor, room_id)
        if not caller.is_admin:
            raise Forbidden("Only an admin of the thread can do this.")
        return Managed(room_id, caller.still())

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        seat = await self._access.system_seat(room_id)
        return msgspec.structs.replace(seat, actor=actor)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        return self._access.send_additions(seat, message, last)

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        return await self._access.current_members(room_id, user_ids)


def _seat(author: Actor, head: Head, scope: str, *, is_restricted: bool = False) -> Seat:
    return Seat(actor=author, head=head, joined_at=EPOCH, rights=SENDS, scope=scope, is_restricted=is_restricted)
