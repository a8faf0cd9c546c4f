"""The workload that every contender gets: conversations with four participants each, and users who send.

A send is one transaction of three operations: the message is put where there is none, the conversation takes its id
and a preview if the id is newer (a room has one order), and the sender's seat takes it as read. A message stands in one
index, a seat in two; a send changes no index key of the seat. `Rooms` counts what was sent, so that every contender can
be sent the same, and knows the resulting rows without a read.
"""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.clock import Instant, instant
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, RawKey, gsi1, gsi2
from sobremesa.table.conditions import Absent, AllOf, AnyOf, Attribute, Compare, Condition, Present
from sobremesa.table.engines.protocol import ItemWrite, PutItem, QueryRequest, SortPrefix, UpdateItem
from sobremesa.table.updates import Action, Add, Set
from sobremesa.table.values import Item

SEATS = 4
PAGE = 50
COUNT = 100
EPOCH_MS = 1_790_000_000_000
WORDS = (
    "the talk goes on at the table after the meal and somebody asks for the bread while another one tells how it was "
    "when the trains still ran on time and nobody had to look at a clock to know that supper was ready "
)


class Conversation(Entity):
    """The head of a conversation, with its last message."""

    keys = Keys(pk="CONVO#{convo_id}", sk="#METADATA")

    convo_id: str
    name: str
    created_at: Instant
    last_message_id: str | None = None
    last_message_at: Instant | None = None
    preview: str | None = None


class Participant(Entity):
    """A participant's seat in a conversation, with the last message read."""

    keys = Keys(pk="CONVO#{convo_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{convo_id}")
    by_activity = Index(gsi2, pk="USER#{user_id}", sk="CONVO#{active_at}#{convo_id}")

    convo_id: str
    user_id: str
    role: str
    active_at: Instant
    sent: int = 0
    last_read_message_id: str | None = None
    last_read_at: Instant | None = None


class Message(Entity):
    """A message."""

    keys = Keys(pk="CONVO#{convo_id}", sk="MSG#{message_id}")
    by_id = Index(gsi1, pk="MSG#{message_id}", sk="CONVO#{convo_id}")

    convo_id: str
    message_id: str
    sender_id: str
    created_at: Instant
    content: str


newest_messages = Pattern(
    "AP1", "What are the newest messages?", Message, prefix="MSG#", newest_first=True, page=PAGE, consistent=True
)
message_by_id = Lookup("AP2", "What was this message?", Message, consistent=True)


class Send(NamedTuple):
    """One message, not yet sent: the number of its conversation, and its own number there, from 0."""

    room: int
    number: int
    message_id: str
    at: Instant

    @property
    def convo_id(self) -> str:
        return convo_id(self.room)

    @property
    def user_id(self) -> str:
        return user_id(self.room, self.number % SEATS)

    @property
    def content(self) -> str:
        start = (self.number * 7) % 64
        return WORDS[start : start + 40 + (self.number * 13) % 100]


def message_id(minted: int) -> str:
    return f"01M{minted:023d}"


def convo_id(room: int) -> str:
    return f"01K{room:023d}"


def user_id(room: int, seat: int) -> str:
    return f"01U{room * SEATS + seat:023d}"


class Rooms:
    """The conversations of one contender: the next message of each."""

    def __init__(self, count: int) -> None:
        self.sent = [0] * count
        self.minted = 0
        self._second = ""

    def next_send(self, room: int) -> Send:
        """The next message of a conversation. Ids are minted in one order, as in a process of its own."""
        number = self.sent[room]
        self.sent[room] = number + 1
        self.minted += 1
        rest = self.minted % 1000
        if rest == 0 or not self._second:
            self._second = instant(EPOCH_MS + self.minted)[:-4]
        return Send(room, number, message_id(self.minted), Instant(f"{self._second}{rest:03d}Z"))


def head_key(room: int) -> RawKey:
    return RawKey(f"CONVO#{convo_id(room)}", "#METADATA")


def seat_key(room: int, seat: int) -> RawKey:
    return RawKey(f"CONVO#{convo_id(room)}", f"PARTICIPANT#{user_id(room, seat)}")


def message_key(room: int, message_id: str) -> RawKey:
    return RawKey(f"CONVO#{convo_id(room)}", f"MSG#{message_id}")


def first_items(room: int) -> list[Item]:
    """Return the rows of a conversation before its first message."""
    convo = convo_id(room)
    at = instant(EPOCH_MS)
    head = {
        "pk": f"CONVO#{convo}",
        "sk": "#METADATA",
        "entityType": "Conversation",
        "convoId": convo,
        "name": f"Table {room}",
        "createdAt": at,
    }
    return [head, *(_first_seat(convo, user_id(room, seat), at) for seat in range(SEATS))]


def _first_seat(convo: str, user: str, at: Instant) -> Item:
    return {
        "pk": f"CONVO#{convo}",
        "sk": f"PARTICIPANT#{user}",
        "entityType": "Participant",
        "gsi1pk": f"USER#{user}",
        "gsi1sk": f"CONVO#{convo}",
        "gsi2pk": f"USER#{user}",
        "gsi2sk": f"CONVO#{at}#{convo}",
        "convoId": convo,
        "userId": user,
        "role": "member",
        "activeAt": at,
        "sent": 0,
    }


def message_item(send: Send) -> Item:
    """The message as it is stored."""
    convo = send.convo_id
    return {
        "pk": f"CONVO#{convo}",
        "sk": f"MSG#{send.message_id}",
        "entityType": "Message",
        "gsi1pk": f"MSG#{send.message_id}",
        "gsi1sk": f"CONVO#{convo}",
        "convoId": convo,
        "messageId": send.message_id,
        "senderId": send.user_id,
        "createdAt": send.at,
        "content": send.content,
    }


_ABSENT: Condition = Absent(None)
_PRESENT: Condition = Present(None)
_LAST_MESSAGE = Attribute("lastMessageId")
_NO_MESSAGE = Absent("lastMessageId")
_ONE_MORE: Action = Add("sent", 1)


def operations(send: Send) -> list[ItemWrite]:
    """Return the send as one transaction."""
    item = message_item(send)
    pk = item["pk"]
    message_id = send.message_id
    newer = AllOf((_PRESENT, AnyOf((_NO_MESSAGE, Compare(_LAST_MESSAGE, "<", message_id)))))
    head: tuple[Action, ...] = (
        Set("lastMessageId", message_id),
        Set("lastMessageAt", send.at),
        Set("preview", item["content"][:80]),
    )
    seat: tuple[Action, ...] = (Set("lastReadMessageId", message_id), Set("lastReadAt", send.at), _ONE_MORE)
    return [
        PutItem(RawKey(pk, item["sk"]), item, _ABSENT),
        UpdateItem(RawKey(pk, "#METADATA"), head, newer),
        UpdateItem(RawKey(pk, f"PARTICIPANT#{item['senderId']}"), seat, _PRESENT),
    ]


def newest(room: int, *, start: RawKey | None = None) -> QueryRequest:
    """The newest 50 messages, or the 50 before one of them."""
    return QueryRequest(
        pk=f"CONVO#{convo_id(room)}",
        sort=SortPrefix("MSG#"),
        backward=True,
        limit=PAGE,
        start=start,
        consistent=True,
    )


def count_of_100(room: int) -> QueryRequest:
    """How many messages there are, up to 100: the unread badge."""
    return QueryRequest(
        pk=f"CONVO#{convo_id(room)}", sort=SortPrefix("MSG#"), backward=True, limit=COUNT, count_only=True
    )
