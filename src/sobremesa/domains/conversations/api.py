"""Routes of conversations."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, PersonRequired, UserId
from sobremesa.core.custom_data import BadData, CustomData
from sobremesa.core.errors import AlreadyMember, ChangedMeanwhile, UnknownUsers
from sobremesa.domains.conversations.entities import ConversationId, ConversationType, SeatRole
from sobremesa.domains.conversations.errors import (
    BlockedByRecipient,
    DirectIsFixed,
    InvalidParticipants,
    LastAdmin,
    TooManyParticipants,
)
from sobremesa.domains.conversations.service import MAX_OTHERS, Conversations
from sobremesa.domains.conversations.views import (
    ConversationView,
    ParticipantView,
    conversation_view,
    participant_view,
)
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, NamedUser, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.work.idempotency import KeyReused

GroupName = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S", examples=["Lunch on Friday"])]
PersonRef = Annotated[UserId, msgspec.Meta(min_length=1, max_length=200)]


class NewConversation(Input):
    """A conversation to create, direct or group. Its creator is a participant.

    A server key names all participants; its `ownerId` creates the conversation, or else the system does.
    """

    type: ConversationType
    user_ids: Annotated[list[PersonRef], msgspec.Meta(max_length=MAX_OTHERS)]
    name: GroupName | None = None
    data: CustomData | None = None
    owner_id: NamedUser | None = None


class ConversationChanges(Input):
    """The new name or custom data of a group; what is omitted stays, and null removes it."""

    name: GroupName | msgspec.UnsetType | None = msgspec.UNSET
    data: CustomData | msgspec.UnsetType | None = msgspec.UNSET


class NewParticipant(Input):
    """A user to add to a group."""

    user_id: PersonRef
    role: SeatRole = "member"


class NewSeatRole(Input):
    """The new role of a participant."""

    role: SeatRole


def routes(conversations: Conversations, users: UserDirectory) -> Routes:
    """Return the routes of conversations and their participants."""
    api = Routes("Conversations", "Direct and group conversations, their participants and messages.")
    convo = "/conversations/{convo_id}"

    @api.post(
        "/conversations",
        status=201,
        also_status=200,
        errors=[
            *(BadData, BlockedByRecipient, ChangedMeanwhile, KeyReused, PersonRequired, UnknownUsers),
            InvalidParticipants,
        ],
        key_scope="rooms:write",
        key_acts_as="owner_id",
    )
    async def create_conversation(
        actor: Actor, body: NewConversation, idempotency_key: IdempotencyKey | None
    ) -> Answer[ConversationView]:
        """Create a conversation.

        Each pair of users has one direct conversation: an existing one is returned with status 200.
        """
        if body.type == "direct":
            others = [user_id for user_id in dict.fromkeys(body.user_ids) if user_id != actor.user]
            if body.name is not None:
                raise InvalidParticipants
            match others:
                case [one, other] if actor.user is None:
                    created = await conversations.create_direct_between(actor, one, other, data=body.data)
                case [other] if actor.user is not None:
                    created = await conversations.create_direct(actor, other, data=body.data)
                case _:
                    raise InvalidParticipants
        else:
            created = await conversations.create_group(
                actor, body.user_ids, name=body.name, data=body.data, key=idempotency_key
            )
        row = await conversations.get(actor, created.conversation_id)
        return Answer(conversation_view(row), status=201 if created.is_new else 200)

    @api.get("/conversations")
    async def list_conversations(actor: Actor, query: PageQuery) -> Listed[ConversationView]:
        """List your conversations, most recent activity first."""
        rows, cursor = await conversations.list_conversations(actor, limit=query.limit, cursor=query.cursor)
        return Listed([conversation_view(row) for row in rows], cursor)

    @api.get(convo, key_scope="rooms:read")
    async def get_conversation(actor: Actor, convo_id: ConversationId) -> ConversationView:
        """Get a conversation that you are in."""
        return conversation_view(await conversations.get(actor, convo_id))

    @api.patch(convo, errors=[BadData, ChangedMeanwhile, DirectIsFixed])
    async def change_conversation(
        actor: Actor, convo_id: ConversationId, body: ConversationChanges
    ) -> ConversationView:
        """Change the name or the custom data of a group. Requires the admin role."""
        given = {name: value for name in ("name", "data") if (value := getattr(body, name)) is not msgspec.UNSET}
        await conversations.change(actor, convo_id, given)
        return conversation_view(await conversations.get(actor, convo_id))

    @api.get(f"{convo}/participants", cacheable=True, key_scope="rooms:read")
    async def list_participants(actor: Actor, convo_id: ConversationId, query: PageQuery) -> Listed[ParticipantView]:
        """List the participants of a conversation."""
        rows, cursor = await conversations.participants.list_participants(
            actor, convo_id, limit=query.limit, cursor=query.cursor
        )
        profiles = await users.profiles([row.user_id for row in rows])
        return Listed([participant_view(row, profiles[row.user_id]) for row in rows], cursor)

    @api.post(
        f"{convo}/participants",
        status=201,
        errors=[
            AlreadyMember,
            BlockedByRecipient,
            ChangedMeanwhile,
            DirectIsFixed,
            TooManyParticipants,
            UnknownUsers,
        ],
        key_scope="rooms:write",
    )
    async def add_participant(actor: Actor, convo_id: ConversationId, body: NewParticipant) -> ParticipantView:
        """Add a user to a group. Requires the admin role."""
        participant = await conversations.participants.add(actor, convo_id, body.user_id, role=body.role)
        return participant_view(participant, (await users.profiles([participant.user_id]))[participant.user_id])

    @api.patch(
        f"{convo}/participants/{{user_id}}",
        errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin],
        key_scope="rooms:write",
    )
    async def change_participant(
        actor: Actor, convo_id: ConversationId, user_id: UserId, body: NewSeatRole
    ) -> ParticipantView:
        """Change the role of a participant of a group. Requires the admin role."""
        participant = await conversations.participants.change_role(actor, convo_id, user_id, role=body.role)
        return participant_view(participant, (await users.profiles([user_id]))[user_id])

    @api.delete(
        f"{convo}/participants/{{user_id}}",
        errors=[ChangedMeanwhile, DirectIsFixed, LastAdmin],
        key_scope="rooms:write",
    )
    async def remove_participant(actor: Actor, convo_id: ConversationId, user_id: UserId) -> None:
        """Leave a group, or as an admin remove a participant."""
        await conversations.participants.remove(actor, convo_id, user_id)

    return api
