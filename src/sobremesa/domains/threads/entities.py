"""The rows of threads, their cards and tabs, and their access patterns."""

from __future__ import annotations

from typing import Any, Literal, NewType, TypeAlias

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant, instant, milliseconds
from sobremesa.core.ids import MessageId, RoomId, time_of
from sobremesa.rooms.entities import CLEAN, Flags, Head, Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import PatternIds, RoomKind
from sobremesa.rooms.nonces import Nonce, RoomNonce
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1, gsi2

ThreadId: TypeAlias = RoomId
ListingId = NewType("ListingId", str)
LbgId = NewType("LbgId", str)
LegId = NewType("LegId", str)

ThreadKind: TypeAlias = Literal["inquiry", "project"]
Status: TypeAlias = Literal["open", "archived", "locked"]
RoleContext: TypeAlias = Literal["buyer", "seller", "admin"]
TabName: TypeAlias = Literal["brief", "moodboard", "shotlist", "files", "docs", "expenses", "actions"]


class Thread(Head):
    """A thread between a buyer and a seller. `participants` is a cache: the participants' own rows are the truth."""

    keys = Keys(pk="THR#{room_id}", sk="THR")
    by_lbg = Index(gsi2, pk="LBG#{lbg_id}", sk="{created_at}")
    by_leg = Index(gsi2, pk="LEG#{leg_id}", sk="{created_at}")

    room_id: RoomId = msgspec.field(name="threadId")
    kind: ThreadKind
    tenant: Tenant | None = None
    """The tenant of the buyer, who created it; absent for the default one."""
    lbg_id: LbgId | None = None
    leg_id: LegId | None = None
    listing_id: ListingId | None = None
    buyer_user_id: UserId
    seller_user_id: UserId
    participants: list[UserId] = []
    city: str | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None
    status: Status = "open"
    locked_by: UserId | None = None
    last_message_at: Instant | None = None
    safe_mode_required: bool = False
    data: dict[str, Any] | None = None

    @property
    def is_incomplete(self) -> bool:
        return self.last_message_id is None and self.last_message_at is not None

    def message_fields(self, message: Message) -> dict[str, Any]:
        if message.message_id == self.last_message_id:
            return {}  # only the time is stored, and an edit does not change it
        at = _time_in_key(message)
        return {"last_message_at": at, "updated_at": at}


class ThreadReference(Entity):
    """The second index entry of a thread that belongs to both an lbg and a leg."""

    keys = Keys(pk="THR#{room_id}", sk="REF#LEG#{leg_id}")
    by_leg = Index(gsi2, pk="LEG#{leg_id}", sk="{created_at}")

    room_id: RoomId = msgspec.field(name="threadId")
    leg_id: LegId
    created_at: Instant = EPOCH


class ThreadCopy(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a list shows of a thread, in the row of each participant, as of the message that wrote it."""

    kind: ThreadKind
    tenant: Tenant | None = None
    lbg_id: LbgId | None = None
    leg_id: LegId | None = None
    listing_id: ListingId | None = None
    buyer_user_id: UserId
    seller_user_id: UserId
    participants: list[UserId] | None = None
    """Absent if they are the buyer and the seller."""
    city: str | None = None
    created_at: Instant
    status: Status = "open"
    locked_by: UserId | None = None
    last_message_id: MessageId | None = None
    safe_mode_required: bool = False
    data: dict[str, Any] | None = None

    @property
    def at(self) -> Instant:
        """The time of the last message; of a thread without messages its own."""
        return self.created_at if self.last_message_id is None else instant(time_of(self.last_message_id))


class Participant(ReadCursor):
    """A participant of a thread: their role, their read cursor, and the position of the thread in their inbox."""

    keys = Keys(pk="THR#{room_id}", sk="PART#{user_id}")
    by_user = Index(gsi1, pk="PARTICIPANT#{user_id}", sk="{last_message_at}#{room_id}")

    room_id: RoomId = msgspec.field(name="threadId")
    role_context: RoleContext
    last_read_message_id: MessageId | None = msgspec.field(name="lastReadMsgId", default=None)
    last_read_at: Instant | None = None
    blocked_until: Instant | None = None
    blocked_as: RoleContext | None = None
    """The role of who blocked them: the other side cannot lift the block of an admin."""
    joined_at: Instant = EPOCH
    last_message_at: Instant | None = None
    thread: ThreadCopy | None = None
    """Absent where the head must be read: in rows of other writers, for example, and of threads with much data."""

    @classmethod
    def message_fields(cls, message: Message) -> dict[str, Any]:
        return {"last_read_at": _time_in_key(message)}

    @property
    def read_ms(self) -> int | None:
        try:
            return None if self.last_read_at is None else milliseconds(self.last_read_at)
        except ValueError:
            return None  # another writer's time, in another format

    @property
    def read_at(self) -> Instant | None:
        return self.updated_at or self.last_read_at


class FormerParticipant(Entity):
    """A thread that a user has left, where their name still appears until their account is deleted."""

    keys = Keys(pk="USER#{user_id}", sk="FORMER#THR#{room_id}")

    user_id: UserId
    room_id: RoomId = msgspec.field(name="threadId")
    left_at: Instant


class ThreadMessage(Message):
    """A message or an action in a thread."""

    entity_type = "Message"
    keys = Keys(pk="THR#{room_id}", sk="MSG#{iso}#{message_id}")

    room_id: RoomId = msgspec.field(name="threadId")
    author_id: UserId = msgspec.field(name="authorUserId")
    content: str = msgspec.field(name="body", default="")
    action: dict[str, Any] | None = None
    iso: Instant

    @classmethod
    def time_parts(cls, message_id: MessageId) -> dict[str, Any]:
        return {"iso": instant(time_of(message_id))}

    @property
    def is_fixed(self) -> bool:
        return self.type in ("action", "system")

    @property
    def acted(self) -> dict[str, Any] | None:
        return self.action


class MessagePointer(Entity):
    """The time of another writer's message whose id does not contain it; `table adopt` writes them."""

    keys = Keys(pk="THR#{room_id}", sk="MSGREF#{message_id}")

    room_id: RoomId = msgspec.field(name="threadId")
    message_id: MessageId
    iso: Instant

    @property
    def key_parts(self) -> dict[str, Any]:
        return {"room_id": self.room_id, "iso": self.iso, "message_id": self.message_id}


class ThreadNonce(RoomNonce):
    entity_type = "Nonce"
    keys = Keys(pk="THR#{room_id}", sk="NONCE#{user_id}#{nonce_hash}")


class ThreadPin(Pin):
    entity_type = "Pin"
    keys = Keys(pk="THR#{room_id}", sk="PIN#{message_id}")


class ThreadReaction(Reaction):
    entity_type = "Reaction"
    keys = Keys(pk="THR#{room_id}", sk="REACT#{message_id}#{emoji_hex}#{user_id}")


class ThreadReactionSummary(ReactionSummary):
    entity_type = "ReactionSummary"
    keys = Keys(pk="THR#{room_id}", sk="RSUM#{message_id}#{emoji_hex}")


class Card(Entity):
    """The current state of an action card; the messages that created and moved it are its history."""

    keys = Keys(pk="THR#{room_id}", sk="CARD#{message_id}")

    room_id: RoomId = msgspec.field(name="threadId")
    message_id: MessageId
    type: str
    state: str
    version: int = 1
    payload: dict[str, Any] = {}
    created_by: UserId | None = None
    """Absent in a row of another writer: then it is the author of the card's message."""
    created_as: RoleContext | None = None
    """The role of its creator."""
    expires_at: Instant | None = None
    moved_by: UserId | None = None
    """The user who moved it last."""
    payload_of: MessageId | None = None
    """The message that replaced the payload; absent while it is the one of the card's own message."""
    payload_by: UserId | None = None
    """The user who replaced the payload."""
    flags: Flags | None = None
    """What moderation found in the payload; absent for a clean one."""
    nsfw_band: int | None = None
    created_at: Instant = EPOCH
    updated_at: Instant = EPOCH

    @property
    def moderation(self) -> str:
        return CLEAN if self.flags is None else self.flags.moderation

    @property
    def author_id(self) -> UserId | None:
        """The author of the payload."""
        return self.payload_by or self.created_by


class Tab(Entity):
    """One tab of the panel: a snapshot, so that it opens fast."""

    keys = Keys(pk="THR#{room_id}", sk="TAB#{tab}")

    room_id: RoomId = msgspec.field(name="threadId")
    tab: TabName
    content: Any = None
    """JSON as text, so that the engines handle 256 KB as one value and not part by part. The actions tab, and rows of
    other writers, have the value itself."""
    source_version: int = 0
    updated_at: Instant | None = None
    updated_by: UserId | None = None
    flags: Flags | None = None
    """What moderation found in the content; absent for a clean one."""
    nsfw_band: int | None = None

    @property
    def moderation(self) -> str:
        return CLEAN if self.flags is None else self.flags.moderation

    @property
    def author_id(self) -> UserId | None:
        return self.updated_by

    @property
    def shown(self) -> Any:
        """The content as a value, in whichever form it is stored."""
        if not isinstance(self.content, str):
            return self.content
        try:
            return msgspec.json.decode(self.content)
        except msgspec.DecodeError:
            return self.content  # another writer's text


class InquiryClaim(Entity):
    """Makes a thread the only inquiry of a buyer to a seller about a listing."""

    keys = Keys(pk="UNIQ#THR#{buyer_user_id}#{seller_user_id}#{listing_id}", sk="UNIQUE")

    buyer_user_id: UserId
    seller_user_id: UserId
    listing_id: ListingId
    room_id: RoomId = msgspec.field(name="threadId")


def _time_in_key(message: Message) -> Instant:
    return message.iso if isinstance(message, ThreadMessage) else message.created_at


# The access patterns of the document

thread_by_id = Lookup("S0.1", "What is this thread?", Thread, consistent=True)
participant_of = Lookup(
    "S0.2", "Is this user in this thread, and how far have they read?", Participant, consistent=True
)
messages_in = Pattern(
    "S0.3", "Which messages are in this thread, newest first?", ThreadMessage, newest_first=True, consistent=True
)
card_by_id = Lookup("S0.4", "What is the state of this card?", Card, consistent=True)
tab_by_name = Lookup("S0.5", "What does this tab show?", Tab, consistent=True)
inbox_of = Pattern(
    "S0.6",
    "Which threads is this user in, newest message first?",
    Participant,
    index="by_user",
    newest_first=True,
)
threads_of_lbg = Pattern(
    "S0.7", "Which threads belong to this lbg, newest first?", Thread, index="by_lbg", newest_first=True
)
threads_of_leg = Pattern(
    "S0.8",
    "Which threads belong to this leg, newest first?",
    ThreadReference,
    Thread,
    index="by_leg",
    newest_first=True,
)

# Threads and participants

participants_in = Pattern("THR.1", "Who is in this thread?", Participant, consistent=True)
inquiry_of = Lookup("THR.2", "Which thread is this buyer's inquiry about this listing?", InquiryClaim, consistent=True)
former_threads_of = Pattern("THR.3", "Which threads has this user left?", FormerParticipant, consistent=True)
cards_in = Pattern("THR.4", "Which cards are in this thread, newest first?", Card, newest_first=True, consistent=True)
reference_of = Lookup("THR.15", "Is this thread listed by its leg?", ThreadReference, consistent=True)
panel_of = Pattern("THR.5", "What do the tabs of this thread show?", Tab, consistent=True)

# Messages

message_by_key = Lookup("THR.6", "What is this message of this thread?", ThreadMessage, consistent=True)
pointer_to = Lookup("THR.17", "When was this message of another writer sent?", MessagePointer, consistent=True)

# Writes

create_thread = WritePattern("THR.20", "Create a thread", Thread, Participant, ThreadReference, InquiryClaim)
change_status = WritePattern(
    "THR.21", "Archive, lock or reopen a thread, with a notice in it", Thread, Participant, ThreadMessage
)
change_data = WritePattern("THR.45", "Change the custom data of a thread", Thread)
add_participant = WritePattern(
    "THR.22", "Add a participant to a thread, with a notice in it", Thread, Participant, ThreadMessage
)
change_participant = WritePattern("THR.23", "Block a participant for a time, or mute a thread", Participant)
remove_participant = WritePattern(
    "THR.24", "Remove a participant, with a notice", Thread, Participant, FormerParticipant, ThreadMessage
)
move_inboxes = WritePattern("THR.25", "Move a thread up in the inboxes of its participants", Participant)
remove_copies = WritePattern("THR.52", "Remove outdated copies of a thread from the rows of participants", Participant)
write_tab = WritePattern("THR.26", "Write a tab", Tab, Thread, Participant)
clean_up = WritePattern("THR.27", "Remove a deleted account from threads", ThreadMessage, Thread, Participant)

send_message = WritePattern(
    "THR.30", "Send a message to a thread, or move a card", ThreadMessage, Thread, Participant, Nonce, Card, Tab
)
import_messages = WritePattern("THR.50", "Import messages into a thread", ThreadMessage, Thread)
note_authors = WritePattern(
    "THR.51", "Note the authors of imported messages who are not participants", FormerParticipant
)

THREADS = RoomKind(
    name="thread",
    plural="threads",
    ids=PatternIds("THR", reads=(*range(7, 15), 16), writes=range(31, 36)),
    questions={
        "reactions_of_page": "How did users react to a range of messages?",
        "reactions_of_message": "How did users react to this message?",
    },
    message=ThreadMessage,
    head=Thread,
    cursor=Participant,
    nonce=ThreadNonce,
    pin=ThreadPin,
    reaction=ThreadReaction,
    summary=ThreadReactionSummary,
    stores_clean=True,
    cursor_is_seat=True,
    messages=messages_in,
    rooms_of=inbox_of,
    head_by_key=thread_by_id,
    message_by_key=message_by_key,
    pointer_by_id=pointer_to,
    read_cursor=participant_of,
    readers=participants_in,
    send=send_message,
    import_messages=import_messages,
)
