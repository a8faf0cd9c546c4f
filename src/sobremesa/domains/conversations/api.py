"""The routes of conversations."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.domains.conversations.entities import ConversationId, ConversationType, SeatRole
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
from sobremesa.domains.conversations.inbox import Inbox
from sobremesa.domains.conversations.seats import Seats
from sobremesa.domains.conversations.service import MAX_OTHERS, Conversations
from sobremesa.domains.conversations.views import (
    ConversationView,
    ParticipantView,
    conversation_view,
    participant_view,
)
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
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
        return Answer(conversation_view(row), status=201 if created.is_new else 200)

    @api.get("/conversations")
    async def list_conversations(actor: Actor, query: PageQuery) -> Listed[ConversationView]:
        """One's inbox: the conversations that one is in, the newest activity first."""
        rows, cursor = await inbox.list(actor, limit=query.limit, cursor=query.cursor)
        return Listed([conversation_view(row) for row in rows], cursor)

    @api.get(convo)
    async def get_conversation(actor: Actor, convo_id: ConversationId) -> ConversationView:
        """A conversation that one is in."""
        return conversation_view(await inbox.get(actor, convo_id))

    @api.patch(convo, errors=[ChangedMeanwhile, DirectIsFixed])
    async def change_conversation(
        actor: Actor, convo_id: ConversationId, body: ConversationChanges
    ) -> ConversationView:
        """Rename a group: its admins."""
        await conversations.rename(actor, convo_id, name=body.name)
        return conversation_view(await inbox.get(actor, convo_id))

    @api.get(f"{convo}/participants", cacheable=True)
    async def list_participants(actor: Actor, convo_id: ConversationId, query: PageQuery) -> Listed[ParticipantView]:
        """Who is in the conversation."""
        places, cursor = await seats.list_participants(actor, convo_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([place.user_id for place in places])
        return Listed([participant_view(place, profiles[place.user_id]) for place in places], cursor)

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
        return participant_view(place, (await users.profiles([place.user_id]))[place.user_id])

    @api.patch(f"{convo}/participants/{{user_id}}", errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin])
    async def change_participant(
        actor: Actor, convo_id: ConversationId, user_id: UserId, body: NewSeatRole
    ) -> ParticipantView:
        """Make somebody in a group an admin, or no longer one: its admins."""
        place = await seats.change_role(actor, convo_id, user_id, role=body.role)
        return participant_view(place, (await users.profiles([user_id]))[user_id])

    @api.delete(f"{convo}/participants/{{user_id}}", errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin])
    async def remove_participant(actor: Actor, convo_id: ConversationId, user_id: UserId) -> None:
        """Leave a group, or as an admin take somebody out of it."""
        await seats.remove(actor, convo_id, user_id)

    return api
