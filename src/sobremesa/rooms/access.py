"""The door of a room: who comes in, and with which rights. Each domain has its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from sobremesa.core.actor import Actor, PublicProfile, Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.errors import Forbidden, Refusal
from sobremesa.core.ids import MessageId, RoomId, is_ulid
from sobremesa.rooms.entities import Head, Message
from sobremesa.table import Condition, Operation

RoomRight: TypeAlias = Literal["read", "send", "pin", "moderate"]


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A person inside of a room."""

    actor: Actor
    head: Head
    """The room's head as it was when they came in."""
    joined_at: Instant
    """What was said before is history: it can be read, and is not unread."""
    rights: frozenset[RoomRight]
    scope: str
    """Whose audit log tells what a moderator does here."""
    silenced: Refusal | None = None
    """Why nothing can be said here now, by this person or by anybody."""
    safe_mode: bool = False
    """Is what may not be for everybody withheld in this room?"""

    @property
    def room_id(self) -> RoomId:
        return self.head.room_id

    @property
    def user_id(self) -> UserId:
        return self.actor.user_id

    def require(self, right: RoomRight) -> None:
        if right not in self.rights:
            raise Forbidden(right=right)
        if right == "send":
            self.refuse_silenced()

    def refuse_silenced(self) -> None:
        """Raise the reason for which nothing can be added here now, if there is one."""
        if self.silenced is not None:
            # A fresh one each time: an error keeps the trace of where it was raised, and a seat is remembered.
            raise type(self.silenced)(str(self.silenced), **self.silenced.data)


class SendAdditions(NamedTuple):
    """What a kind of room adds to the transaction of a send."""

    operations: Sequence[Operation] = ()
    head: Condition | None = None
    """What must also be true of the room's head."""
    after: Callable[[], None] | None = None
    """What is started once it is written; it may be lost with the process, so something else must mend that."""


class RoomAccess(Protocol):
    """Lets people into the rooms of one kind."""

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        """Their seat, by consistent reads; NotFound for a stranger, the same as for no room."""
        ...

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        """Their seat, whose head may be an old one: that the room is still there shows when the message is written."""
        ...

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> Seat:
        """Their seat for something that others see and that is no message, with whatever silences them."""
        ...

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """What goes into the transaction of a message that follows `last`."""
        ...

    async def reauthorize(self, seat: Seat) -> Seat:
        """Their seat as it is by now, after something beside a send did not hold."""
        ...

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        """Their seats in all rooms of this kind."""
        ...

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        """Which of these people are in the room now."""
        ...

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        """The row that remembers a privileged act, for its transaction."""
        ...


class UserDirectory(Protocol):
    """What a room needs to know of people."""

    async def profiles(self, user_ids: Sequence[UserId]) -> dict[UserId, PublicProfile]: ...

    async def find_by_usernames(self, usernames: Sequence[str]) -> dict[str, UserId]:
        """Those who have these names; names are as they were written."""
        ...

    async def find_tenant(self, user_id: UserId) -> Tenant | None:
        """Return the tenant of a user, or None if there is no such profile."""
        ...

    async def users_being_deleted(self) -> frozenset[UserId]:
        """Those whose names are being taken out of the rooms, and are not to be shown meanwhile."""
        ...


class TypingPublisher(Protocol):
    """Where typing goes: to those who look now, and nowhere else."""

    async def typing(self, room_kind: str, seat: Seat) -> None: ...

    async def stopped_typing(self, room_kind: str, seat: Seat) -> None: ...


class NoTypingPublisher:
    """Publishes nothing."""

    async def typing(self, room_kind: str, seat: Seat) -> None:
        pass

    async def stopped_typing(self, room_kind: str, seat: Seat) -> None:
        pass


def newest(one: MessageId | None, other: MessageId | None) -> MessageId | None:
    """The later of two message ids, either of which may be missing; another writer's form has no place in the order."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda message_id: (is_ulid(message_id), message_id))
