"""Conversations and their participants as clients see them."""

from __future__ import annotations

from sobremesa.core.actor import PublicProfile, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.conversations.entities import ConversationId, ConversationType, Participant, SeatRole
from sobremesa.domains.conversations.inbox import InboxRow
from sobremesa.http.endpoints import Output
from sobremesa.rooms.views import UnreadView


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


def conversation_view(row: InboxRow) -> ConversationView:
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


def participant_view(place: Participant, profile: PublicProfile) -> ParticipantView:
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
