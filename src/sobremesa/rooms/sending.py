"""Sending: what is written for a message after all others of its room.

The room's head takes the message's id on the condition that it only grows, so a room has one order. What a kind of room
adds (a cursor update, a check of the seat) comes from its `MessageAccess`; what a larger action adds (a card that
changes with the message) comes with the call. `writing` and `batching` write it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids, MessageId, time_of
from sobremesa.rooms.access import MessageAccess, Seat, SendAdditions
from sobremesa.rooms.entities import Flags, Head, Message
from sobremesa.rooms.errors import ClockBehind
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.nonces import Nonce, NonceOf
from sobremesa.rooms.unread import moves_forward
from sobremesa.table import Condition, Create, Operation, Update, WritePattern, hash_part, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

OWN_CLOCK_TOLERANCE_MS = 1000

Extras: TypeAlias = Callable[[Message], Sequence[Operation]]
"""Returns the other operations of an action that a message is part of."""


class Draft(NamedTuple):
    """A message to send."""

    content: str
    nonce: str | None = None
    reply_to: MessageId | None = None
    attachments: Sequence[str] = ()
    """The ids of uploaded files."""
    type: str = "text"
    data: dict[str, Any] | None = None
    """Custom data of the author."""
    more: dict[str, Any] = {}
    """Fields that only some kinds of room have."""
    replied_author_id: UserId | None = None
    """The author of the message that it replies to, once that is read."""

    @property
    def hash(self) -> str:
        """The hash of the fields that a nonce is bound to."""
        parts = [self.content, self.reply_to or "", msgspec.json.encode(list(self.attachments)).decode()]
        if self.data is not None:
            parts.append(msgspec.json.encode(self.data, order="deterministic").decode())
        return hash_part(*parts)


class JudgedDraft(NamedTuple):
    """A draft with its mentions, files and verdict."""

    draft: Draft
    mentions: Sequence[UserId] = ()
    files: Sequence[dict[str, Any]] = ()
    """What the message stores about its attachments."""
    flags: Flags | None = None
    nsfw_band: int | None = None


class HeadChange(NamedTuple):
    """A further change of the room's head with a message, and its condition."""

    changes: Changes
    when: Condition
    pattern: WritePattern
    """The action that the message is part of."""


def no_extras(message: Message) -> Sequence[Operation]:
    """Return no other operations."""
    return ()


class Send(NamedTuple):
    """A message to write, by an author who is authorized."""

    seat: Seat
    judged: JudgedDraft
    extras: Extras = no_extras


class ComposedSend(NamedTuple):
    """The operations of a send, except the update of the room's head."""

    message: Message
    create: Create[Message]
    nonce: Create[Nonce] | None
    additions: SendAdditions
    extras: Sequence[Operation]

    @property
    def operations(self) -> Sequence[Operation]:
        nonce = () if self.nonce is None else (self.nonce,)
        return [self.create, *nonce, *self.additions.operations, *self.extras]


class Composer:
    """Composes messages for rooms of one kind."""

    def __init__(self, kind: RoomKind, clock: Clock, ids: Ids, access: MessageAccess, *, has_own_clock: bool) -> None:
        self._kind = kind
        self._clock = clock
        self._ids = ids
        self._access = access
        # If the machine's clock steps back, messages get later times. An application's own clock is taken literally.
        self._has_own_clock = has_own_clock

    def compose(self, send: Send, last: MessageId | None) -> ComposedSend:
        """Return a message that follows `last`, and what is written with it."""
        message = self._message(send.seat, send.judged, last)
        return ComposedSend(
            message,
            Create(message),
            self._nonce(send.seat, send.judged.draft, message),
            self._access.send_additions(send.seat, message, last),
            send.extras(message),
        )

    def head_update(
        self, seat: Seat, first: Message, last: ComposedSend, when: Condition | None, change: HeadChange | None = None
    ) -> Update[Head]:
        """Return the update that makes a message the last one of its room, after others that start with the first.

        It requires that the first one, which may be the same, follows all messages of the room.
        """
        is_newer = moves_forward(first.message_id, "last_message_id")
        changes = set_to(last_message_id=last.message.message_id, **seat.head.message_fields(last.message))
        changes += last.additions.head_changes
        if change is not None:
            is_newer, changes = is_newer & change.when, changes + change.changes
        if when is not None:
            is_newer &= when
        return Update(self._kind.head.key(room_id=seat.room_id), changes, when=is_newer)

    def _message(self, seat: Seat, judged: JudgedDraft, last: MessageId | None) -> Message:
        draft, mentions, files, flags, nsfw_band = judged
        now = self._clock.now_ms()
        message_id = MessageId(self._ids.mint() if last is None else self._ids.mint_after(last))
        if self._has_own_clock and time_of(message_id) > now + OWN_CLOCK_TOLERANCE_MS:
            raise ClockBehind(last=instant(time_of(message_id)))
        parts = self._kind.message.time_parts(message_id)
        return self._kind.message(
            room_id=seat.room_id,
            message_id=message_id,
            author_id=seat.user_id,
            username=seat.actor.username,
            display_name=seat.actor.display_name,
            nonce=draft.nonce,
            type="asset" if files and draft.type == "text" else draft.type,
            content=draft.content,
            reply_to=draft.reply_to,
            replied_author_id=draft.replied_author_id,
            mentions=list(mentions) or None,
            attachments=list(files) or None,
            data=draft.data,
            is_bot=seat.actor.is_bot or None,
            **self._kind.stored_verdict(flags, nsfw_band),
            # The time of the id: in a room it only moves forward, even if the clocks of nodes differ.
            created_at=(at := instant(time_of(message_id))),
            updated_at=at if self._kind.stores_update else None,
            **draft.more,
            **seat.head.marks_of_message(),
            **parts,
        )

    def _nonce(self, seat: Seat, draft: Draft, message: Message) -> Create[Nonce] | None:
        """Return the creation of the row that binds the draft's nonce to this message."""
        if draft.nonce is None:
            return None
        nonce = NonceOf(seat, draft.nonce)
        return nonce.creation(message.message_id, draft.hash, self._clock.now_seconds())


def faster_message(failed: ConditionFailed, kind: RoomKind, last: MessageId | None) -> MessageId | None:
    """Return the room's last message if it is not `last`, else None; NotFound if the room was deleted."""
    if "head" not in failed:
        return None
    head = failed.item("head")
    if head is None:
        raise NotFound
    found: MessageId | None = head.get(kind.head.shape.attribute("last_message_id"))
    return found if found != last else None
