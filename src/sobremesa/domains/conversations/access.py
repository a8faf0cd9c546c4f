"""Authorization in conversations.

All reads are consistent, and access fails closed: for a user who is not in it a conversation does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

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
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions, backend_rights
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
    """A participant's seat in a conversation."""

    conversation: Conversation
    participant: Participant
    """The participant row as it was read."""

    @property
    def cursor(self) -> Participant:
        return self.participant

    def require_admin(self) -> None:
        """Raise Forbidden unless this is an admin of a group, DirectIsFixed in a direct conversation."""
        if self.conversation.type == "direct":
            raise DirectIsFixed
        if self.participant.role != "admin":
            raise Forbidden("Only an admin of the group can do this.")

    def role_check(self) -> Sequence[Operation]:
        """Return the check that the participant still has the same role, for the transaction of an action."""
        if self.is_system:
            return ()
        return (Check(self.participant.own_key(), when=has_role(self.participant.role)),)


class Access:
    """Authorizes actors in conversations."""

    def __init__(self, table: Table, audit: Audit) -> None:
        self._table = table
        self._audit = audit
        self._seats: ReadCache[tuple[UserId, str, str | None, RoomId], ConversationSeat | None] = ReadCache(
            table, CACHE_SIZE
        )

    async def authorize(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        if actor.is_system:
            return await self._system_seat(actor, room_id)
        key = (actor.user_id, actor.username, actor.display_name, room_id)
        seat = await self._seats.get_or_load(key, lambda: self._find_seat(actor, room_id))
        if seat is None:
            raise NotFound
        return seat

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        return await self.authorize(actor, room_id)

    async def authorize_backend(self, actor: Actor, room_id: RoomId) -> Seat:
        seat = await self._system_seat(actor.as_system(), room_id)
        return msgspec.structs.replace(seat, rights=backend_rights(actor))

    async def _system_seat(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        """Return the seat of a product's backend, which has the rights of an admin without being a participant."""
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        if conversation is None:
            raise NotFound
        actor.require_tenant(conversation.tenant)
        joined_at = conversation.created_at
        nobody = Participant(room_id=room_id, user_id=actor.user_id, role="admin", joined_at=joined_at)
        return msgspec.structs.replace(_seat(actor, conversation, nobody), is_system=True)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> ConversationSeat:
        return await self.authorize(actor, room_id)

    async def reauthorize(self, seat: Seat) -> ConversationSeat:
        if seat.is_system:
            raise NotFound  # its sends have no condition but that the conversation exists
        return await self.authorize(seat.actor, seat.room_id)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """Return the check that the sender is a participant, and what a sender who had read everything has now read.

        The head stores that, on the condition that it is unchanged: a message sent in between would otherwise count as
        read. The sender's cursor follows when the conversation moves in inboxes anyway.
        """
        if not isinstance(seat, ConversationSeat) or seat.is_system:
            return SendAdditions()
        key = seat_of(room_id=seat.room_id, user_id=seat.user_id)
        # Nobody leaves a direct conversation: who was in it when they were authorized still is.
        inside: list[Operation] = [] if _is_fixed(seat.conversation) else [Check(key, when=present())]
        if not _has_read_all(seat, last):
            return SendAdditions(inside)
        place = seat.participant.last_message_at
        if place is not None and seat.conversation.moves_with(message):
            moved = set_to(
                last_message_at=max(place, message.created_at),
                last_read_message_id=message.message_id,
                last_read_at=message.created_at,
            )
            # A group that becomes big removes all positions.
            still = equals("last_message_at", place) & less_if_present("last_read_message_id", message.message_id)
            inside = [Update(key, moved, when=still)]
        return SendAdditions(
            inside,
            absent_or_null("last_message_id") if last is None else equals("last_message_id", last),
            head_changes=set_to(caught_up_user=seat.user_id, caught_up_id=message.message_id),
        )

    async def seats_of(self, actor: Actor) -> Sequence[ConversationSeat]:
        listed = self._table.every(conversations_of(user_id=actor.user_id))
        seats, _ = await self.seats_and(actor, [participant.room_id async for participant in listed], [])
        return seats

    async def seats_and(
        self, actor: Actor, room_ids: Sequence[ConversationId], more: Sequence[Key[E]]
    ) -> tuple[list[ConversationSeat], list[E]]:
        """Return the actor's seats in some conversations, and other rows, by one request; the index may be stale."""
        heads = [conversation_by_id(room_id=room_id) for room_id in room_ids]
        participants = [seat_of(room_id=room_id, user_id=actor.user_id) for room_id in room_ids]
        keys: list[Key[Any]] = [*heads, *participants, *more]
        found = await self._table.get_many(keys, consistent=True)
        both = zip(found[: len(heads)], found[len(heads) : 2 * len(heads)], strict=True)
        return (
            [_seat(actor, head, row) for head, row in both if head is not None and row is not None],
            [row for row in found[2 * len(heads) :] if row is not None],
        )

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [seat_of(room_id=room_id, user_id=user_id) for user_id in user_ids]
        return {participant.user_id for participant in await self._table.get_many(keys) if participant is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    async def _find_seat(self, actor: Actor, room_id: RoomId) -> ConversationSeat | None:
        conversation, participant = await self._table.get_pair(
            conversation_by_id(room_id=room_id), seat_of(room_id=room_id, user_id=actor.user_id), consistent=True
        )
        if conversation is None or participant is None:
            return None
        silenced = None
        other_id = await self.find_other(conversation, participant)
        if other_id is not None:
            block = await self._table.get(block_of(user_id=other_id, blocked_id=actor.user_id))
            silenced = BlockedByRecipient() if block is not None else None
        return _seat(actor, conversation, participant, silenced)

    async def find_other(self, conversation: Conversation, participant: Participant) -> UserId | None:
        """Return the other participant of a direct conversation, whom rows of other writers do not store."""
        if conversation.type == "group" or participant.other_id is not None:
            return participant.other_id
        two = await self._table.query(participants_of(room_id=participant.room_id), limit=2)
        return next((one.user_id for one in two.items if one.user_id != participant.user_id), None)


def has_role(role: SeatRole) -> Condition:
    """Return the condition that a participant has this role; a row without one, or with null, has the role member."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


def _is_fixed(conversation: Conversation) -> bool:
    """Return whether it has the participants that it was created with; another writer's may not be counted."""
    return conversation.type == "direct" and conversation.participants == 2


def _has_read_all(seat: ConversationSeat, last: MessageId | None) -> bool:
    if last is not None:
        return read_up_to(seat, seat.participant) >= last
    # A head that another writer wrote may lack the id of its last message.
    return seat.conversation.last_message_at is None


def _seat(
    actor: Actor, conversation: Conversation, participant: Participant, silenced: Refusal | None = None
) -> ConversationSeat:
    return ConversationSeat(
        actor=actor,
        head=conversation,
        conversation=conversation,
        participant=participant,
        joined_at=participant.joined_at,
        rights=RIGHTS["member" if conversation.type == "direct" else participant.role],
        scope=conversation.room_id,
        silenced=silenced,
    )
