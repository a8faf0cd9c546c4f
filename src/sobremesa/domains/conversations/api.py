"""The routes of conversations."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.conversations.entities import ConversationId, ConversationType, Participant, SeatRole
from sobremesa.domains.conversations.errors import (
    AlreadyParticipant,
    BlockedByRecipient,
    ChangedMeanwhile,
    DirectIsFixed,
    InvalidParticipants,
    LastAdmin,
    TooManyParticipants,
    UnknownUsers,
)
from sobremesa.domains.conversations.inbox import Inbox, InboxRow
from sobremesa.domains.conversations.seats import Seats
from sobremesa.domains.conversations.service import MAX_OTHERS, Conversations
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, Output, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.views import UnreadView
from sobremesa.work.idempotency import KeyReused

GroupName = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S", examples=["Lunch on Friday"])]
PersonRef = Annotated[UserId, msgspec.Meta(min_length=1, max_length=200)]


class NewConversation(Input):
    """A conversation to begin: with one other person, or as a group. Who begins it is in it."""

    type: ConversationType
    user_ids: Annotated[list[PersonRef], msgspec.Meta(max_length=MAX_OTHERS)]
    name: GroupName | None = None


class ConversationChanges(Input):
    """What a group should be called; null takes its name away."""

    name: GroupName | None


class NewParticipant(Input):
    """Somebody to take in."""

    user_id: PersonRef
    role: SeatRole = "member"


class NewSeatRole(Input):
    """The role to give."""

    role: SeatRole


class PersonView(Output):
    """Somebody."""

    user_id: UserId
    username: str
    avatar_url: str | None


class ConversationView(Output):
    """A conversation as its reader has it in their inbox. In a direct one, `other` is the other person."""

    convo_id: ConversationId
    type: ConversationType
    name: str | None
    other: PersonView | None
    last_message_id: MessageId | None
    last_message_body: str | None
    last_message_sender: UserId | None
    last_message_at: Instant | None
    unread: UnreadView
    muted: bool
    role: SeatRole
    participant_count: int | None
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None


class ParticipantView(Output):
    """Somebody in a conversation."""

    user_id: UserId
    username: str
    avatar_url: str | None
    convo_id: ConversationId
    role: SeatRole
    joined_at: Instant
    last_read_message_id: MessageId | None
    last_read_at: Instant | None


def routes(conversations: Conversations, seats: Seats, inbox: Inbox, users: UserDirectory) -> Routes:
    """The routes of conversations and of who is in them."""
    api = Routes("Conversations")
    convo = "/conversations/{convo_id}"

    @api.post(
        "/conversations",
        status=201,
        also_status=200,
        errors=[BlockedByRecipient, ChangedMeanwhile, KeyReused, UnknownUsers, InvalidParticipants],
    )
    async def create_conversation(
        actor: Actor, body: NewConversation, idempotency_key: IdempotencyKey | None
    ) -> Answer[ConversationView]:
        """Begin a conversation.

        There is one direct conversation for each pair of people: one that exists comes back with 200.
        """
        if body.type == "direct":
            if len(set(body.user_ids)) != 1 or body.name is not None:
                raise InvalidParticipants
            created = await conversations.create_direct(actor, body.user_ids[0])
        else:
            created = await conversations.create_group(actor, body.user_ids, name=body.name, key=idempotency_key)
        row = await inbox.get(actor, created.conversation_id)
        return Answer(_conversation_view(row), status=201 if created.is_new else 200)

    @api.get("/conversations")
    async def list_conversations(actor: Actor, query: PageQuery) -> Listed[ConversationView]:
        """One's inbox: the conversations that one is in, the newest activity first."""
        rows, cursor = await inbox.list(actor, limit=query.limit, cursor=query.cursor)
        return Listed([_conversation_view(row) for row in rows], cursor)

    @api.get(convo)
    async def get_conversation(actor: Actor, convo_id: ConversationId) -> ConversationView:
        """A conversation that one is in."""
        return _conversation_view(await inbox.get(actor, convo_id))

    @api.patch(convo, errors=[ChangedMeanwhile, DirectIsFixed])
    async def change_conversation(
        actor: Actor, convo_id: ConversationId, body: ConversationChanges
    ) -> ConversationView:
        """Rename a group: its admins."""
        await conversations.rename(actor, convo_id, name=body.name)
        return _conversation_view(await inbox.get(actor, convo_id))

    @api.get(f"{convo}/participants", cacheable=True)
    async def list_participants(actor: Actor, convo_id: ConversationId, query: PageQuery) -> Listed[ParticipantView]:
        """Who is in the conversation."""
        places, cursor = await seats.list_participants(actor, convo_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([place.user_id for place in places])
        return Listed([_participant_view(place, profiles[place.user_id]) for place in places], cursor)

    @api.post(
        f"{convo}/participants",
        status=201,
        errors=[
            AlreadyParticipant,
            BlockedByRecipient,
            ChangedMeanwhile,
            DirectIsFixed,
            TooManyParticipants,
            UnknownUsers,
        ],
    )
    async def add_participant(actor: Actor, convo_id: ConversationId, body: NewParticipant) -> ParticipantView:
        """Take somebody into a group: its admins."""
        place = await seats.add(actor, convo_id, body.user_id, role=body.role)
        return _participant_view(place, (await users.profiles([place.user_id]))[place.user_id])

    @api.patch(f"{convo}/participants/{{user_id}}", errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin])
    async def change_participant(
        actor: Actor, convo_id: ConversationId, user_id: UserId, body: NewSeatRole
    ) -> ParticipantView:
        """Make somebody in a group an admin, or no longer one: its admins."""
        place = await seats.change_role(actor, convo_id, user_id, role=body.role)
        return _participant_view(place, (await users.profiles([user_id]))[user_id])

    @api.delete(f"{convo}/participants/{{user_id}}", errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin])
    async def remove_participant(actor: Actor, convo_id: ConversationId, user_id: UserId) -> None:
        """Leave a group, or as an admin take somebody out of it."""
        await seats.remove(actor, convo_id, user_id)

    return api


def _conversation_view(row: InboxRow) -> ConversationView:
    conversation, place, other = row.seat.conversation, row.seat.place, row.other
    return ConversationView(
        conversation.room_id,
        conversation.type,
        conversation.name,
        None if other is None else PersonView(other.user_id, other.username, other.avatar_url),
        conversation.last_message_id,
        conversation.last_message_body,
        conversation.last_message_sender,
        conversation.last_message_at,
        row.unread,
        place.muted,
        place.role,
        conversation.participants,
        conversation.created_by,
        conversation.created_at,
        conversation.updated_at,
    )


def _participant_view(place: Participant, profile: PublicProfile) -> ParticipantView:
    return ParticipantView(
        place.user_id,
        profile.username,
        profile.avatar_url,
        place.room_id,
        place.role,
        place.joined_at,
        place.last_read_message_id,
        place.last_read_at,
    )
