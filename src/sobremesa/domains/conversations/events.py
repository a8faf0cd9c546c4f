"""Events of conversations and their participants."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.conversations.access import RIGHTS
from sobremesa.domains.conversations.entities import (
    CONVERSATIONS,
    Conversation,
    ConversationId,
    ConversationType,
    Participant,
    conversation_by_id,
)
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType, Publication, TopicMembership, TopicRemoval, user, version_of
from sobremesa.live.events import conversation as topic_of
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms import events as rooms
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.events import LiveParticipant, ParticipantGone, RoomEvents, RoomTopic
from sobremesa.table import Key, Table
from sobremesa.table.cache import Cache

CACHE_SIZE = 10_000


class LiveConversation(Output):
    """A conversation as all its participants see it."""

    convo_id: ConversationId
    type: ConversationType
    name: str | None
    last_message_id: MessageId | None
    last_message_body: str | None
    last_message_sender: UserId | None
    last_message_at: Instant | None
    participant_count: int | None
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None
    data: dict[str, Any] | None


class ConversationGone(Output):
    """A deleted conversation."""

    convo_id: ConversationId


conversation_created = EventType(
    "conversation.created", LiveConversation, "A conversation with you was created, or you were added to one."
)
conversation_updated = EventType(
    "conversation.updated",
    LiveConversation,
    "The name, data or number of participants of a conversation changed. A new message alone does not cause it.",
    to="the participants of the conversation",
)
conversation_deleted = EventType(
    "conversation.deleted", ConversationGone, "A conversation was deleted.", to="the participants of the conversation"
)


class ConversationEvents:
    """Maps changed rows of conversations to events."""

    def __init__(self, table: Table, users: UserDirectory) -> None:
        self._table = table
        self._users = users
        self._empty: Cache[RoomId, bool] = Cache(CACHE_SIZE)
        """Conversations without participants, whose rows a job is still removing."""
        self.rooms = RoomEvents(CONVERSATIONS, table, users, self.find_topic)

    def register(self, translation: Translation) -> None:
        translation.on(Conversation, self._conversation, fields=("type", "name", "participants", "created_by", "data"))
        translation.on(Participant, self._participant, fields=("role",))
        self.rooms.register(translation)
        for kind, event in (("user", conversation_created), ("conversation", conversation_updated)):
            # It shows the last message, which may be deleted without another event of the conversation.
            translation.on_replay_by_row(kind, [event], _key_of, self._conversation, is_volatile=True)

    async def find_topic(self, room_id: RoomId) -> RoomTopic | None:
        """Return the topic of a conversation, or None if it has no participants."""
        return None if self._empty.find(room_id) else RoomTopic(topic_of(room_id))

    async def _conversation(self, seen: Seen[Conversation]) -> list[Publication]:
        old, new = seen
        room_id = seen.row.room_id
        if new is None or new.participants == 0:
            self._empty.keep(room_id, True)
        topic = topic_of(room_id)
        if new is None:
            return [conversation_deleted(ConversationGone(room_id), topic, removes=[TopicRemoval(None, topic)])]
        if old is None:
            return []  # participants are informed by the event of their own seat
        return [conversation_updated(_live(new), topic, subject=room_id)]

    async def _participant(self, seen: Seen[Participant]) -> list[Publication]:
        old, new = seen
        room_id, user_id = seen.row.room_id, seen.row.user_id
        topic = topic_of(room_id)
        if new is None:
            gone = ParticipantGone(CONVERSATIONS.name, room_id, user_id)
            removes = [TopicRemoval(user_id, topic, version_of(seen.row.joined_at))]
            return [rooms.participant_left(gone, topic, user(user_id), removes=removes)]
        conversation = await self._table.get(conversation_by_id(room_id=room_id))
        if conversation is None:
            return []

        profile = (await self._users.profiles([user_id]))[user_id]
        payload = LiveParticipant(
            CONVERSATIONS.name,
            room_id,
            user_id,
            profile.username,
            profile.display_name,
            profile.avatar_url,
            new.role,
            new.joined_at,
        )
        adds = [topic_membership(new, conversation)]
        if old is not None:
            return [rooms.participant_updated(payload, topic, adds=adds)]
        return [
            conversation_created(_live(conversation), user(user_id), subject=room_id, adds=adds),
            rooms.participant_joined(payload, topic),
        ]


def topic_membership(seat: Participant, conversation: Conversation) -> TopicMembership:
    """Return the audience change that subscribes a participant; only admins of groups are moderators."""
    moderates = conversation.type == "group" and "moderate" in RIGHTS[seat.role]
    return TopicMembership(seat.user_id, topic_of(seat.room_id), moderates, version_of(seat.joined_at))


def _key_of(payload: LiveConversation) -> Key[Conversation]:
    return conversation_by_id(room_id=payload.convo_id)


def _live(conversation: Conversation) -> LiveConversation:
    return LiveConversation(
        conversation.room_id,
        conversation.type,
        conversation.name,
        conversation.last_message_id,
        conversation.last_message_body,
        conversation.last_message_sender,
        conversation.last_message_at,
        conversation.participants,
        conversation.created_by,
        conversation.created_at,
        conversation.updated_at,
        conversation.data,
    )
