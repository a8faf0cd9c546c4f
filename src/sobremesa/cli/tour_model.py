"""The data model of the tour: conversations, in one file."""

from __future__ import annotations

from typing import Literal, NewType

from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, Registry, WritePattern, gsi1

ConversationId = NewType("ConversationId", str)
UserId = NewType("UserId", str)
MessageId = NewType("MessageId", str)


class Conversation(Entity):
    """A direct or group conversation, with a preview of its last message."""

    keys = Keys(pk="CONVO#{convo_id}", sk="#METADATA")

    convo_id: ConversationId
    name: str | None = None
    messages: int = 0
    last_message_id: MessageId | None = None
    last_message_body: str | None = None


class Participant(Entity):
    """A user's participation in a conversation, with their read cursor."""

    keys = Keys(pk="CONVO#{convo_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{convo_id}")

    convo_id: ConversationId
    user_id: UserId
    role: Literal["admin", "member"] = "member"
    last_read_message_id: MessageId | None = None


class Message(Entity):
    """One message; ids sort by time."""

    keys = Keys(pk="CONVO#{convo_id}", sk="MSG#{message_id}")

    convo_id: ConversationId
    message_id: MessageId
    sender_id: UserId
    body: str
    created_at: Instant


conversation_by_id = Lookup("AP1", "What is this conversation?", Conversation)
conversations_of = Pattern("AP2", "Which conversations is this user in?", Participant, index="by_user", prefix="CONVO#")
participants_of = Pattern("AP3", "Who is in this conversation?", Participant, prefix="PARTICIPANT#")
messages_of = Pattern("AP4", "What are the newest messages?", Message, prefix="MSG#", newest_first=True)
message_by_id = Lookup("AP5", "What is this message?", Message)
send_message = WritePattern("AP7", "Send a message", Message, Conversation, Participant)

registry = Registry(
    (Conversation, Participant, Message),
    (conversation_by_id, conversations_of, participants_of, messages_of, message_by_id, send_message),
)
