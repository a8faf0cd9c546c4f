"""Who is in a conversation, and its door.

Everything here is read consistently and fails closed: a stranger learns no more than that there is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Forbidden, NotFound, Refusal
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import block_of
from sobremesa.domains.conversations.entities import (
    Conversation,
    ConversationId,
    Participant,
    SeatRole,
    conversation_by_id,
    conversations_of,
    participants_of,
    seat_of,
)
from sobremesa.domains.conversations.errors import BlockedByRecipient, DirectIsFixed
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions
from sobremesa.rooms.entities import Message
from sobremesa.rooms.unread import read_up_to
from sobremesa.table import (
    Check,
    Condition,
    Entity,
    Key,
    Operation,
    ReadCache,
    Table,
    Update,
    absent_or_null,
    equals,
    less_if_present,
    present,
    set_to,
)

E = TypeVar("E", bound=Entity)

CACHE_SIZE = 10_000

RIGHTS: dict[SeatRole, frozenset[RoomRight]] = {
    "member": frozenset({"read", "send", "pin"}),
    "admin": frozenset({"read", "send", "pin", "moderate"}),
}


class ConversationSeat(Seat, frozen=True, kw_only=True):
    """A person inside of a conversation."""

    conversation: Conversation
    place: Participant
    """Their own row, as it was read."""

    def require_admin(self) -> None:
        """Forbidden unless this is an admin of a group; DirectIsFixed where nobody is."""
        if self.conversation.type == "direct":
            raise DirectIsFixed
        if self.place.role != "admin":
            raise Forbidden("Only an admin of the group does this.")

    def still(self) -> Operation:
        """That who acts has the same role when it happens as when they asked; for the transaction of the act."""
        return Check(self.place.own_key(), when=has_role(self.place.role))


class Access:
    """Lets people into conversations."""

    def __init__(self, table: Table, audit: Audit) -> None:
        self._table = table
        self._audit = audit
        self._seats: ReadCache[tuple[UserId, str, RoomId], ConversationSeat | None] = ReadCache(table, CACHE_SIZE)

    async def authorize(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        key = (actor.user_id, actor.username, room_id)
        seat = await self._seats.get_or_load(key, lambda: self._find_seat(actor, room_id))
        if seat is None:
            raise NotFound
        return seat

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        return await self.authorize(actor, room_id)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        return await self.authorize(actor, room_id)

    async def reauthorize(self, seat: Seat) -> ConversationSeat:
        return await self.authorize(seat.actor, seat.room_id)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """That the sender is inside; and, if they had seen everything, that they have seen their own message too.

        Then nobody may have said anything in between, or it would count as seen: the head must be as it was.
        """
        key = seat_of(room_id=seat.room_id, user_id=seat.user_id)
        place = seat.place if isinstance(seat, ConversationSeat) else None
        if not _has_seen_all(seat, place, last):
            return SendAdditions([Check(key, when=present())])
        moved = set_to(last_read_message_id=message.message_id, last_read_at=message.created_at)
        return SendAdditions(
            [Update(key, moved, when=less_if_present("last_read_message_id", message.message_id))],
            absent_or_null("last_message_id") if last is None else equals("last_message_id", last),
        )

    async def seats_of(self, actor: Actor) -> Sequence[ConversationSeat]:
        listed = self._table.every(conversations_of(user_id=actor.user_id))
        seats, _ = await self.seats_and(actor, [place.room_id async for place in listed], [])
        return seats

    async def seats_and(
        self, actor: Actor, room_ids: Sequence[ConversationId], more: Sequence[Key[E]]
    ) -> tuple[list[ConversationSeat], list[E]]:
        """Their seats in some conversations, and other rows, by one request; an index may list what they have left."""
        heads = [conversation_by_id(room_id=room_id) for room_id in room_ids]
        places = [seat_of(room_id=room_id, user_id=actor.user_id) for room_id in room_ids]
        keys: list[Key[Any]] = [*heads, *places, *more]
        found = await self._table.get_many(keys, consistent=True)
        both = zip(found[: len(heads)], found[len(heads) : 2 * len(heads)], strict=True)
        return (
            [_seat(actor, head, place) for head, place in both if head is not None and place is not None],
            [row for row in found[2 * len(heads) :] if row is not None],
        )

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [seat_of(room_id=room_id, user_id=user_id) for user_id in user_ids]
        return {place.user_id for place in await self._table.get_many(keys) if place is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    async def _find_seat(self, actor: Actor, room_id: RoomId) -> ConversationSeat | None:
        conversation, place = await self._table.get_pair(
            conversation_by_id(room_id=room_id), seat_of(room_id=room_id, user_id=actor.user_id), consistent=True
        )
        if conversation is None or place is None:
            return None
        silenced = None
        other_id = await self.find_other(conversation, place)
        if other_id is not None:
            block = await self._table.get(block_of(user_id=other_id, blocked_id=actor.user_id))
            silenced = BlockedByRecipient() if block is not None else None
        return _seat(actor, conversation, place, silenced)

    async def find_other(self, conversation: Conversation, place: Participant) -> UserId | None:
        """The other one of a direct conversation; a row of another writer does not name them."""
        if conversation.type == "group" or place.other_id is not None:
            return place.other_id
        two = await self._table.query(participants_of(room_id=place.room_id), limit=2)
        return next((one.user_id for one in two.items if one.user_id != place.user_id), None)


def has_role(role: SeatRole) -> Condition:
    """That a participant has this role; where another writer stored none, or null, they are a member."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


def _has_seen_all(seat: Seat, place: Participant | None, last: MessageId | None) -> bool:
    if last is not None:
        return read_up_to(seat, place) >= last
    # Where another writer has been, there may be messages that the head does not name.
    return not isinstance(seat, ConversationSeat) or seat.conversation.last_message_at is None


def _seat(
    actor: Actor, conversation: Conversation, place: Participant, silenced: Refusal | None = None
) -> ConversationSeat:
    return ConversationSeat(
        actor=actor,
        head=conversation,
        conversation=conversation,
        place=place,
        joined_at=place.joined_at,
        rights=RIGHTS["member" if conversation.type == "direct" else place.role],
        scope=conversation.room_id,
        silenced=silenced,
    )
