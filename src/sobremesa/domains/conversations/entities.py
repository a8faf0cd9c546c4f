"""Conversations: who talks with whom, and what can be asked about it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH, Instant, fixed_width, lenient_ms
from sobremesa.core.ids import RoomId
from sobremesa.rooms.entities import Head, Message, Nonce, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.visibility import shown_text
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1, gsi2

ConversationId: TypeAlias = RoomId
ConversationType: TypeAlias = Literal["direct", "group"]
SeatRole: TypeAlias = Literal["admin", "member"]

MAX_PREVIEW = 200


class Conversation(Head):
    """A conversation, and its last message: what an inbox shows of it."""

    keys = Keys(pk="CONVO#{room_id}", sk="#METADATA")

    room_id: RoomId = msgspec.field(name="convoId")
    type: ConversationType = "group"
    name: str | None = None
    last_message_body: str | None = None
    last_message_sender: UserId | None = None
    last_message_at: Instant | None = None
    participants: int | None = None
    """How many people are in it; unknown in a row of another writer."""
    admins: int | None = None
    """How many of them are admins: a group is never without one."""
    is_big: bool = False
    """Has it grown beyond what is moved in everybody's inbox with each message? It stays so."""
    created_by: UserId | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None

    @property
    def title(self) -> str | None:
        return self.name

    @property
    def is_incomplete(self) -> bool:
        return self.last_message_id is None and (self.last_message_at or self.last_message_sender) is not None

    def marks(self, message: Message) -> dict[str, Any]:
        text = shown_text(message, safe_mode=False)
        return {
            "last_message_body": None if text is None else text[:MAX_PREVIEW],
            "last_message_sender": message.author_id,
            **_time_of(message, "last_message_at"),
            # A new message updates the conversation; the preview that follows an edit or a deletion does not.
            **(_time_of(message, "updated_at") if message.updated_at is None else {}),
        }


class Participant(ReadCursor):
    """A person's seat in a conversation, with how far they have read, and when they last heard something."""

    keys = Keys(pk="CONVO#{room_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{room_id}")
    by_activity = Index(gsi2, pk="USER#{user_id}", sk="CONVO#{last_message_at}#{room_id}")
    in_big_group = Index(gsi2, pk="USER#{user_id}", sk="BIGCONVO#{room_id}")

    room_id: RoomId = msgspec.field(name="convoId")
    role: SeatRole = "member"
    joined_at: Instant = EPOCH
    last_read_at: Instant | None = None
    last_message_at: Instant | None = None
    """The place in the person's inbox: the last activity, or when they joined; none in a big group."""
    other_id: UserId | None = None
    """In a direct conversation, the other one."""

    @classmethod
    def marks(cls, message: Message) -> dict[str, Any]:
        return _time_of(message, "last_read_at")

    @property
    def read_ms(self) -> int | None:
        return None if self.last_read_at is None else lenient_ms(self.last_read_at)

    @property
    def read_at(self) -> Instant | None:
        return self.last_read_at


class ConversationMessage(Message):
    """What somebody said in a conversation."""

    entity_type = "Message"
    keys = Keys(pk="CONVO#{room_id}", sk="MSG#{message_id}")

    room_id: RoomId = msgspec.field(name="convoId")
    author_id: UserId = msgspec.field(name="senderId")
    content: str = msgspec.field(name="body", default="")


class ConversationNonce(Nonce):
    entity_type = "Nonce"
    keys = Keys(pk="CONVO#{room_id}", sk="NONCE#{user_id}#{nonce_hash}")


class ConversationPin(Pin):
    entity_type = "Pin"
    keys = Keys(pk="CONVO#{room_id}", sk="PIN#{message_id}")


class ConversationReaction(Reaction):
    entity_type = "Reaction"
    keys = Keys(pk="CONVO#{room_id}", sk="REACT#{message_id}#{emoji_hex}#{user_id}")


class ConversationReactionSummary(ReactionSummary):
    entity_type = "ReactionSummary"
    keys = Keys(pk="CONVO#{room_id}", sk="RSUM#{message_id}#{emoji_hex}")


class DirectClaim(Entity):
    """That two people have a conversation of their own: there is one for each pair."""

    keys = Keys(pk="DM#{lower}#{higher}", sk="UNIQUE")

    lower: UserId
    higher: UserId
    room_id: RoomId = msgspec.field(name="convoId")


class FormerSeat(Entity):
    """A conversation that a person has left: where their name still stands, should they want it gone."""

    keys = Keys(pk="USER#{user_id}", sk="FORMER#CONVO#{room_id}")

    user_id: UserId
    room_id: RoomId = msgspec.field(name="convoId")
    left_at: Instant


# Conversations and who is in them

conversation_by_id = Lookup("S3.1", "What is this conversation, and what was said last?", Conversation, consistent=True)
conversations_of = Pattern(
    "S3.2", "Which conversations is this person in?", Participant, index="by_user", prefix="CONVO#"
)
participants_of = Pattern("S3.3", "Who is in this conversation?", Participant, consistent=True)
inbox_of = Pattern(
    "CON.1",
    "Which conversations is this person in, the newest activity first?",
    Participant,
    index="by_activity",
    newest_first=True,
)
big_groups_of = Pattern("CON.2", "Which big groups is this person in?", Participant, index="in_big_group")
seat_of = Lookup(
    "CON.3", "Is this person in this conversation, and how far did they read?", Participant, consistent=True
)
direct_between = Lookup("CON.4", "Which conversation do these two have?", DirectClaim, consistent=True)
former_seats_of = Pattern("CON.5", "Which conversations has this person left?", FormerSeat, consistent=True)

# Messages

messages_in = Pattern(
    "S3.4",
    "What was said in this conversation, the newest first?",
    ConversationMessage,
    newest_first=True,
    consistent=True,
)
message_by_id = Lookup("S3.5", "What does this message say?", ConversationMessage, consistent=True)
messages_since = Pattern(
    "S3.6",
    "What was said in this conversation after a message?",
    ConversationMessage,
    between=("MSG#{last_read}$", "MSG$"),
)
nonce_by_key = Lookup("CON.6", "Which message did this nonce make?", ConversationNonce, consistent=True)
pins_in = Pattern("CON.7", "What is pinned in this conversation?", ConversationPin, newest_first=True)
pin_by_key = Lookup("CON.8", "Is this message pinned?", ConversationPin)
reactions_of_page = Pattern(
    "CON.9",
    "How did people react to the messages from one to another?",
    ConversationReactionSummary,
    between=("RSUM#{oldest}", "RSUM#{newest}$"),
)
reactions_of_message = Pattern(
    "CON.10",
    "How did people react to this message?",
    ConversationReactionSummary,
    prefix="RSUM#{message_id}#",
    consistent=True,
)
reaction_by_key = Lookup("CON.11", "Did this person react with this emoji?", ConversationReaction)
reactors_of = Pattern(
    "CON.12", "Who reacted with this emoji?", ConversationReaction, prefix="REACT#{message_id}#{emoji_hex}#"
)
reactions_in = Pattern("CON.13", "Who reacted to what in this conversation?", ConversationReaction)
reactions_to = Pattern(
    "CON.33", "Who reacted to this message?", ConversationReaction, prefix="REACT#{message_id}#", consistent=True
)
everything_in = Pattern(
    "CON.14",
    "What is there in this conversation, beside itself?",
    ConversationMessage,
    Participant,
    ConversationPin,
    ConversationReaction,
    ConversationReactionSummary,
    ConversationNonce,
)

# Writes

send_message = WritePattern(
    "S3.7", "Send a message to a conversation", ConversationMessage, Conversation, Participant, ConversationNonce
)
create_conversation = WritePattern("CON.20", "Begin a conversation", Conversation, Participant, DirectClaim)
change_conversation = WritePattern("CON.21", "Rename a group", Conversation)
add_participant = WritePattern("CON.22", "Take somebody into a group", Conversation, Participant)
remove_participant = WritePattern(
    "CON.23", "Leave a group, or take somebody out of it", Conversation, Participant, FormerSeat
)
change_role = WritePattern("CON.24", "Give somebody in a group another role", Conversation, Participant)
move_in_inbox = WritePattern("CON.25", "Move a conversation up in somebody's inbox", Participant)
edit_message = WritePattern("CON.26", "Edit a message, and the preview of it", ConversationMessage, Conversation)
delete_message = WritePattern(
    "CON.27",
    "Delete a message, leaving a tombstone without pin and reactions, and the preview of it",
    ConversationMessage,
    Conversation,
    ConversationPin,
    ConversationReaction,
    ConversationReactionSummary,
)
react = WritePattern("CON.28", "Add or take back a reaction", ConversationReaction, ConversationReactionSummary)
set_pin = WritePattern("CON.29", "Pin a message, or let go of it", ConversationPin, ConversationMessage)
mark_read = WritePattern("CON.30", "Move a read cursor forward, or mute a conversation", Participant)
clean_up = WritePattern("CON.31", "Take away what a deleted account left", ConversationMessage, Participant)
count_seats = WritePattern("CON.32", "Write down how many are in a group that another writer made", Conversation)

CONVERSATIONS = RoomKind(
    name="conversation",
    plural="conversations",
    message=ConversationMessage,
    head=Conversation,
    cursor=Participant,
    cursor_is_seat=True,
    nonce=ConversationNonce,
    pin=ConversationPin,
    reaction=ConversationReaction,
    summary=ConversationReactionSummary,
    messages=messages_in,
    messages_by_id=None,
    rooms_of=conversations_of,
    message_by_key=message_by_id,
    head_by_key=conversation_by_id,
    read_cursor=seat_of,
    readers=participants_of,
    nonce_by_key=nonce_by_key,
    pins=pins_in,
    pin_by_key=pin_by_key,
    reactions_of_page=reactions_of_page,
    reactions_of_message=reactions_of_message,
    reaction_by_key=reaction_by_key,
    reactors=reactors_of,
    reactions=reactions_in,
    reactions_to=reactions_to,
    send=send_message,
    edit=edit_message,
    delete=delete_message,
    react=react,
    set_pin=set_pin,
    mark_read=mark_read,
)


def _time_of(message: Message, field: str) -> dict[str, Any]:
    """When it was written, in the one form that sorts; nothing where another writer's row does not tell."""
    at = fixed_width(message.created_at)
    return {} if at is None or at == EPOCH else {field: at}


def direct_claim(one: UserId, other: UserId, room_id: RoomId) -> DirectClaim:
    """The claim of a pair, whoever is named first."""
    lower, higher = sorted((one, other))
    return DirectClaim(lower=lower, higher=higher, room_id=room_id)
