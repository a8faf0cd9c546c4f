"""Conversations and their participants as clients see them."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import PublicProfile, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.conversations.entities import ConversationId, ConversationType, Participant, SeatRole
from sobremesa.domains.conversations.inbox import InboxRow
from sobremesa.http.endpoints import Output
from sobremesa.rooms.views import UnreadView


class PersonView(Output):
    """A user's public profile."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None


class ConversationView(Output):
    """A conversation in the reader's inbox. In a direct one, `other` is the other participant."""

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
    data: dict[str, Any] | None


class ParticipantView(Output):
    """A participant of a conversation."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    convo_id: ConversationId
    role: SeatRole
    joined_at: Instant
    last_read_message_id: MessageId | None
    last_read_at: Instant | None


def conversation_view(row: InboxRow) -> ConversationView:
    conversation, participant, other = row.seat.conversation, row.seat.participant, row.other
    return ConversationView(
        conversation.room_id,
        conversation.type,
        conversation.name,
        None if other is None else PersonView(other.user_id, other.username, other.display_name, other.avatar_url),
        conversation.last_message_id,
        conversation.last_message_body,
        conversation.last_message_sender,
        conversation.last_message_at,
        row.unread,
        participant.muted,
        participant.role,
        conversation.participants,
        conversation.created_by,
        conversation.created_at,
        conversation.updated_at,
        conversation.data,
    )


def participant_view(participant: Participant, profile: PublicProfile) -> ParticipantView:
    return ParticipantView(
        participant.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        participant.room_id,
        participant.role,
        participant.joined_at,
        participant.last_read_message_id,
        participant.last_read_at,
    )
