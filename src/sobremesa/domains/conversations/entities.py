"""Entities and access patterns of conversations."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant, fixed_width, instant, lenient_ms
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.entities import Head, Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import PatternIds, RoomKind
from sobremesa.rooms.nonces import Nonce, RoomNonce
from sobremesa.rooms.visibility import shown_text
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1, gsi2

ConversationId: TypeAlias = RoomId
ConversationType: TypeAlias = Literal["direct", "group"]
SeatRole: TypeAlias = Literal["admin", "member"]

MAX_PREVIEW = 200
BIG_ABOVE = 10
"""Groups with more participants than this are not moved in inboxes."""
PLACE_MS = 5 * 60_000
"""How much newer than its position in inboxes a conversation's last message may be."""


class Conversation(Head):
    """A conversation with the preview of its last message, for the inbox."""

    keys = Keys(pk="CONVO#{room_id}", sk="#METADATA")

    room_id: RoomId = msgspec.field(name="convoId")
    type: ConversationType = "group"
    tenant: Tenant | None = None
    """The tenant of all participants; absent for the default one."""
    name: str | None = None
    last_message_body: str | None = None
    last_message_sender: UserId | None = None
    last_message_at: Instant | None = None
    participants: int | None = None
    """The number of participants; None in a row of another writer."""
    admins: int | None = None
    """The number of admins: a group always has one, unless a product's backend created it in its own name."""
    is_big: bool = False
    """Whether it has too many participants to be moved in inboxes. Never reset."""
    inbox_at: Instant | None = None
    """Its position in inboxes: the time of a message that is at most `PLACE_MS` older than the last one."""
    caught_up_user: UserId | None = None
    """A sender who had read all messages before their own."""
    caught_up_id: MessageId | None = None
    """Their message."""
    data: dict[str, Any] | None = None
    created_by: UserId | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None

    @property
    def title(self) -> str | None:
        return self.name

    @property
    def is_incomplete(self) -> bool:
        return self.last_message_id is None and (self.last_message_at or self.last_message_sender) is not None

    @property
    def place(self) -> Instant | None:
        """Its position in inboxes; the last message of a program that does not store one is one by itself."""
        last = fixed_width(self.last_message_at)
        return self.inbox_at if last is not None and not self._needs_place(last) else last

    def read_by(self, user_id: UserId) -> MessageId | None:
        return self.caught_up_id if user_id == self.caught_up_user else None

    def moves_with(self, message: Message) -> bool:
        """Return whether the conversation moves in inboxes with a new message.

        Imports write many messages with one change of the head: it moves with each, wherever an import is interrupted.
        """
        at = fixed_width(message.created_at)
        return not self.is_big and at is not None and at != EPOCH and (message.imported or self._needs_place(at))

    def message_fields(self, message: Message) -> dict[str, Any]:
        text = shown_text(message, safe_mode=False)
        fields = {
            "last_message_body": None if text is None else text[:MAX_PREVIEW],
            "last_message_sender": message.author_id,
            **_time_of(message, "last_message_at"),
        }
        if message.updated_at is None:
            # A new message updates the conversation; the preview that follows an edit or a deletion does not.
            fields |= _time_of(message, "updated_at")
            if self.moves_with(message):
                fields |= _time_of(message, "inbox_at")
        return fields

    def _needs_place(self, at: Instant) -> bool:
        placed_ms = None if self.inbox_at is None else lenient_ms(self.inbox_at)
        return placed_ms is None or at > instant(placed_ms + PLACE_MS)


class Participant(ReadCursor):
    """A user's seat in a conversation, with their read position and their position in the inbox."""

    keys = Keys(pk="CONVO#{room_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{room_id}")
    by_activity = Index(gsi2, pk="USER#{user_id}", sk="CONVO#{last_message_at}#{room_id}")
    in_big_group = Index(gsi2, pk="USER#{user_id}", sk="BIGCONVO#{room_id}")

    room_id: RoomId = msgspec.field(name="convoId")
    role: SeatRole = "member"
    joined_at: Instant = EPOCH
    last_read_at: Instant | None = None
    last_message_at: Instant | None = None
    """The position in the user's inbox: the last activity or the time of joining; none in a big group."""
    other_id: UserId | None = None
    """In a direct conversation, the other participant."""

    @classmethod
    def message_fields(cls, message: Message) -> dict[str, Any]:
        return _time_of(message, "last_read_at")

    @property
    def read_ms(self) -> int | None:
        return None if self.last_read_at is None else lenient_ms(self.last_read_at)

    @property
    def read_at(self) -> Instant | None:
        return self.last_read_at


class ConversationMessage(Message):
    """A message in a conversation."""

    entity_type = "Message"
    keys = Keys(pk="CONVO#{room_id}", sk="MSG#{message_id}")

    room_id: RoomId = msgspec.field(name="convoId")
    author_id: UserId = msgspec.field(name="senderId")
    content: str = msgspec.field(name="body", default="")


class ConversationNonce(RoomNonce):
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
    """The claim of a pair of users to their direct conversation: each pair has one."""

    keys = Keys(pk="DM#{lower}#{higher}", sk="UNIQUE")

    lower: UserId
    higher: UserId
    room_id: RoomId = msgspec.field(name="convoId")


class FormerSeat(Entity):
    """A conversation that a user has left, whose messages still have their name if they delete the account."""

    keys = Keys(pk="USER#{user_id}", sk="FORMER#CONVO#{room_id}")

    user_id: UserId
    room_id: RoomId = msgspec.field(name="convoId")
    left_at: Instant


# Conversations and participants

conversation_by_id = Lookup("S3.1", "What is this conversation, and its last message?", Conversation, consistent=True)
conversations_of = Pattern(
    "S3.2", "Which conversations is this user in?", Participant, index="by_user", prefix="CONVO#"
)
participants_of = Pattern("S3.3", "Who is in this conversation?", Participant, consistent=True)
inbox_of = Pattern(
    "CON.1",
    "Which conversations is this user in, most recent activity first?",
    Participant,
    index="by_activity",
    newest_first=True,
)
big_groups_of = Pattern("CON.2", "Which big groups is this user in?", Participant, index="in_big_group")
seat_of = Lookup(
    "CON.3", "Is this user in this conversation, and how far have they read?", Participant, consistent=True
)
direct_between = Lookup("CON.4", "Which direct conversation do these two users have?", DirectClaim, consistent=True)
former_seats_of = Pattern("CON.5", "Which conversations has this user left?", FormerSeat, consistent=True)

# Messages

messages_in = Pattern(
    "S3.4",
    "What are the messages of this conversation, newest first?",
    ConversationMessage,
    newest_first=True,
    consistent=True,
)
message_by_id = Lookup("S3.5", "What is this message?", ConversationMessage, consistent=True)
# Of the original design, for other readers of the table: no service uses it.
messages_since = Pattern(
    "S3.6",
    "What are the messages of this conversation after one?",
    ConversationMessage,
    between=("MSG#{last_read}$", "MSG$"),
)
everything_in = Pattern(
    "CON.14",
    "What are the rows of this conversation, except its head?",
    ConversationMessage,
    Participant,
    ConversationPin,
    ConversationReaction,
    ConversationReactionSummary,
    ConversationNonce,
)

# Writes

send_message = WritePattern(
    "S3.7", "Send a message to a conversation", ConversationMessage, Conversation, Participant, Nonce
)
import_messages = WritePattern("CON.50", "Import messages into a conversation", ConversationMessage, Conversation)
note_authors = WritePattern("CON.51", "Note the authors of imported messages who are not participants", FormerSeat)
create_conversation = WritePattern("CON.20", "Create a conversation", Conversation, Participant, DirectClaim)
change_conversation = WritePattern("CON.21", "Rename a group", Conversation)
add_participant = WritePattern("CON.22", "Add a participant to a group", Conversation, Participant)
remove_participant = WritePattern(
    "CON.23", "Leave a group, or remove a participant", Conversation, Participant, FormerSeat
)
change_role = WritePattern("CON.24", "Change the role of a participant", Conversation, Participant)
move_in_inbox = WritePattern("CON.25", "Move a conversation up in an inbox", Participant)
clean_up = WritePattern(
    "CON.31", "Remove the rows of a deleted account", ConversationMessage, Conversation, Participant
)
count_seats = WritePattern("CON.32", "Count the participants of a group that another writer created", Conversation)

CONVERSATIONS = RoomKind(
    name="conversation",
    plural="conversations",
    ids=PatternIds("CON", reads=(*range(6, 14), 33), writes=range(26, 31)),
    message=ConversationMessage,
    head=Conversation,
    cursor=Participant,
    nonce=ConversationNonce,
    pin=ConversationPin,
    reaction=ConversationReaction,
    summary=ConversationReactionSummary,
    has_preview=True,
    cursor_is_seat=True,
    messages=messages_in,
    rooms_of=conversations_of,
    head_by_key=conversation_by_id,
    message_by_key=message_by_id,
    read_cursor=seat_of,
    readers=participants_of,
    send=send_message,
    import_messages=import_messages,
)


def _time_of(message: Message, field: str) -> dict[str, Any]:
    """Return the time of a message in the format that sorts; nothing if another writer's row has none."""
    at = fixed_width(message.created_at)
    return {} if at is None or at == EPOCH else {field: at}


def direct_claim(one: UserId, other: UserId, room_id: RoomId) -> DirectClaim:
    """Return the claim of a pair, in either order."""
    lower, higher = sorted((one, other))
    return DirectClaim(lower=lower, higher=higher, room_id=room_id)
