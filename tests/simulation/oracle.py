"""The oracle: what users did and what they were answered, so that what they see can be judged."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from simulation.history import History
from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId

if TYPE_CHECKING:
    from simulation.clients import Client, Connection, Frame

REMOTE_SECONDS = 1.0
"""How long after a removal was answered by one node others may deliver what is sent."""

Membership = Literal["in", "out", "unknown"]


class Removal(msgspec.Struct, frozen=True):
    """When the removal of a user, or the deletion of a message, was answered, and by which run of which node."""

    at: float
    by: str


class Send(msgspec.Struct):
    """A message that a user wanted to send, under one nonce."""

    nonce: str
    room: RoomId
    author: UserId
    tried_at: float = 0.0
    """When it was first tried."""
    message_id: MessageId | None = None
    """The id that was answered; None if there was no answer."""
    published_by: str | None = None
    """The run of the node that answered the first request for it; None if that was not answered."""
    version: int = 0
    """The last edit that was answered."""
    tried_version: int = 0
    """The last edit that was tried."""
    is_deleted: bool = False
    """Whether a deletion was answered."""
    may_be_deleted: bool = False
    deletion: Removal | None = None
    """When its deletion was answered."""

    @property
    def contents(self) -> set[str]:
        """What the message may show now."""
        return {content_of(self.nonce, version) for version in range(self.version, self.tried_version + 1)}


def content_of(nonce: str, version: int) -> str:
    """Return the content of a message after so many edits."""
    return f"{nonce} v{version}"


class Receiver(NamedTuple):
    """A connection, and the run of the node that it is to."""

    name: str
    user_id: UserId
    gateway: str


class Oracle:
    """Knows what was answered, and judges each delivery."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.sends: dict[str, Send] = {}
        self.members: dict[UserId, Membership] = {}
        self.rejoined: set[UserId] = set()
        """Users who were not members all the time."""
        self._removals: dict[UserId, Removal] = {}
        self.orders: dict[tuple[Receiver, RoomId], list[MessageId]] = {}
        """In which order each connection received the new messages of a room."""
        self.live_orders: dict[RoomId, dict[Receiver, list[MessageId]]] = {}
        """The same of each room, without what was missed before the connection."""

    def acknowledged(self, send: Send, message_id: MessageId) -> None:
        """A send was answered with a message."""
        if send.message_id not in (None, message_id):
            self._history.violate("exactly once", f"{send.nonce} is {send.message_id}, and then {message_id}")
        send.message_id = message_id

    def adding(self, user_id: UserId) -> None:
        """A user is about to be added: events may come from now on."""
        self.members[user_id] = "unknown"
        self.rejoined.add(user_id)
        self._removals.pop(user_id, None)

    def removed(self, user_id: UserId, by: str) -> None:
        """A removal was answered."""
        self.members[user_id] = "out"
        self._removals[user_id] = Removal(asyncio.get_running_loop().time(), by)

    def delivered(
        self, client: Client, connection: Connection, frame: Frame, *, is_known: bool, is_repeated: bool
    ) -> None:
        """Judge an event that a client has received; it may know the message, from its snapshot or another event."""
        if not frame.t.startswith("message."):
            return
        removal = self._removals.get(client.actor.user_id) if frame.d["roomKind"] == "channel" else None
        if removal is not None and self._is_over(removal, client, connection, frame):
            self._history.violate(
                "nothing after a removal", f"{client.name} received {frame.t} {frame.d.get('messageId')}"
            )
        if frame.t in ("message.created", "message.updated") and not is_repeated:
            self._judge_content(client, connection, frame)
        if frame.t == "message.created" and not is_known:
            receiver = Receiver(f"{client.name}#{connection.order}", client.actor.user_id, connection.gateway)
            room, message_id = RoomId(frame.d["roomId"]), MessageId(frame.d["messageId"])
            self.orders.setdefault((receiver, room), []).append(message_id)
            if connection.is_live:
                self.live_orders.setdefault(room, {}).setdefault(receiver, []).append(message_id)

    def _is_over(self, removal: Removal, client: Client, connection: Connection, frame: Frame) -> bool:
        """Return whether a removed member must not receive this.

        On the node that answered the removal, that is everything. On other gateways it is what was sent a second later,
        unless something is wrong with one of the two nodes or with the broker.
        """
        if removal.by == connection.gateway or not client.scenario.has_broker:
            return removal.by == connection.gateway
        send = self.sends.get(frame.d.get("content", "").split(" ")[0])
        is_later = send is not None and send.tried_at > removal.at + REMOTE_SECONDS
        remover = removal.by.split(".")[0]
        return is_later and client.scenario.is_calm_since(removal.at, remover, connection.node.name)

    def _judge_content(self, client: Client, connection: Connection, frame: Frame) -> None:
        """A message that a client was informed is deleted comes no more, nor one that was deleted before it connected.

        The latter only of what one process published and deleted; what comes with the stream first has the content of
        back then, right before its deletion.
        """
        if frame.d["messageId"] in client.deletions:
            self._history.violate("nothing after a deletion", f"{client.name} received {frame.t} {frame.d['content']}")
        send = self.sends.get(frame.d["content"].split(" ")[0]) if frame.t == "message.created" else None
        if send is None or send.deletion is None or send.published_by != connection.gateway:
            return
        if send.deletion.by == connection.gateway and send.deletion.at < connection.opened_at:
            self._history.violate("deleted content", f"{client.name} received {frame.t} {frame.d['content']}")
