"""Authorization in rooms: each domain implements `RoomAccess` for its kind of room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from sobremesa.core.actor import Actor, PublicProfile, Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.errors import Forbidden, Refusal
from sobremesa.core.ids import MessageId, RoomId, RoomKindName, is_ulid
from sobremesa.rooms.entities import Head, Message, ReadCursor
from sobremesa.table import Condition, Operation
from sobremesa.table.updates import Changes

RoomRight: TypeAlias = Literal["read", "send", "pin", "moderate"]

_BACKEND_RIGHTS: Mapping[str, RoomRight] = {
    "rooms:read": "read",
    "messages:send": "send",
    "messages:moderate": "moderate",
}


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A user in a room, with their rights."""

    actor: Actor
    head: Head
    """The room's head as it was read for the authorization."""
    joined_at: Instant
    """Earlier messages can be read, and do not count as unread."""
    rights: frozenset[RoomRight]
    scope: str
    """The scope of the audit log for moderators' actions in this room."""
    silenced: Refusal | None = None
    """The refusal of sends, if this user or all users cannot send now."""
    safe_mode: bool = False
    """Whether sensitive messages are withheld in this room."""
    is_system: bool = False
    """Whether this is the product's backend, which has no membership."""
    is_restricted: bool = False
    """Whether the room has an access list, so that a user may be mentioned who does not see it."""
    membership_when: Condition | None = None
    """The condition on the user's membership under which an access list gave the seat, for a send."""

    @property
    def room_id(self) -> RoomId:
        return self.head.room_id

    @property
    def user_id(self) -> UserId:
        return self.actor.user_id

    @property
    def tenant(self) -> Tenant:
        """The tenant of the room, which is that of every user in it."""
        return self.actor.tenant

    @property
    def cursor(self) -> ReadCursor | None:
        """The user's read cursor, in kinds of room whose seats have it; else None."""
        return None

    def require(self, right: RoomRight) -> None:
        if right not in self.rights:
            raise Forbidden(right=right)
        if right == "send":
            self.require_not_silenced()

    def require_not_silenced(self) -> None:
        """Raise the refusal of sends, if there is one."""
        if self.silenced is not None:
            # A new instance each time: an error keeps its traceback, and seats are cached.
            raise type(self.silenced)(str(self.silenced), **self.silenced.data)


class SendAdditions(NamedTuple):
    """What a kind of room adds to the transaction of a send."""

    operations: Sequence[Operation] = ()
    head: Condition | None = None
    """A further condition on the room's head."""
    after: Callable[[], None] | None = None
    """Called after the write. It is lost if the process dies, so something else must repair its effect."""
    head_changes: Changes = ()
    """Further changes of the head, if this message is the last one of its transaction."""


class MessageAccess(Protocol):
    """Authorizes the authors of messages in rooms of one kind."""

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        """Return the seat for a send. Its head may be stale: the write checks that the room still exists."""
        ...

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """Return what the transaction of a message after `last` also contains."""
        ...

    async def reauthorize(self, seat: Seat) -> Seat:
        """Return the current seat, after a condition of `send_additions` failed."""
        ...

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        """Return which of these users are in the room now."""
        ...


class RoomAccess(MessageAccess, Protocol):
    """Authorizes actors in rooms of one kind."""

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        """Return the actor's seat, by consistent reads; NotFound if they are not in the room or it does not exist."""
        ...

    async def authorize_backend(self, actor: Actor, room_id: RoomId) -> Seat:
        """Return the seat of a product's backend, as the author `system`; NotFound for rooms of other tenants."""
        ...

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> Seat:
        """Return the seat for a visible action other than a message, with the refusal of sends if there is one."""
        ...

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        """Return the actor's seats in all rooms of this kind."""
        ...

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        """Return the audit log entry of a privileged action, for its transaction."""
        ...


class UserDirectory(Protocol):
    """What rooms need to know about users."""

    async def profiles(self, user_ids: Sequence[UserId]) -> dict[UserId, PublicProfile]: ...

    async def find_by_usernames(self, usernames: Sequence[str], tenant: Tenant) -> dict[str, UserId]:
        """Return users of a tenant by user name; the keys are the names as they were given."""
        ...

    async def find_tenant(self, user_id: UserId) -> Tenant | None:
        """Return the tenant of a user, or None if there is no such profile."""
        ...

    async def users_being_deleted(self) -> frozenset[UserId]:
        """Return the users whose accounts are being deleted, whose names are not shown meanwhile."""
        ...


class TypingPublisher(Protocol):
    """Publishes typing events, which are not stored."""

    async def typing(self, room_kind: RoomKindName, seat: Seat) -> None: ...

    async def stopped_typing(self, room_kind: RoomKindName, seat: Seat) -> None: ...


class NoTypingPublisher:
    """Publishes nothing."""

    async def typing(self, room_kind: RoomKindName, seat: Seat) -> None:
        pass

    async def stopped_typing(self, room_kind: RoomKindName, seat: Seat) -> None:
        pass


def backend_rights(actor: Actor) -> frozenset[RoomRight]:
    """Return the rights of a server key in the rooms of its tenant, by its scopes."""
    return frozenset(right for scope, right in _BACKEND_RIGHTS.items() if actor.has_scope(scope))


def newest(one: MessageId | None, other: MessageId | None) -> MessageId | None:
    """Return the later of two message ids, either of which may be None. Ids in another writer's form sort first."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda message_id: (is_ulid(message_id), message_id))
