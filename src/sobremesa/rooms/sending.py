"""Sending: one transaction that writes a message after all others of its room.

The room's head takes the message's id on the condition that it only grows. A send that loses this race mints a newer
id and retries, so a room has one order. What a kind of room adds (a cursor update, a check of the seat) comes from its
`MessageAccess`; what a larger action adds (a card that changes with the message) comes with the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.ids import Ids, MessageId, time_of
from sobremesa.rooms.access import MessageAccess, Seat, SendAdditions, newest
from sobremesa.rooms.entities import Flags, Head, Message, Nonce
from sobremesa.rooms.errors import ClockBehind, NonceReused
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.unread import moves_forward
from sobremesa.table import Condition, Create, Operation, Table, Update, WritePattern, hash_part, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes
from sobremesa.work.keyed_lock import KeyedLocks

NONCE_SECONDS = 48 * 3600
SEND_ATTEMPTS = 40
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


class MessageWriter:
    """Writes messages into rooms of one kind."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        clock: Clock,
        ids: Ids,
        access: MessageAccess,
        locks: KeyedLocks,
        *,
        has_own_clock: bool,
    ) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._ids = ids
        self._access = access
        self._locks = locks
        # If the machine's clock steps back, messages get later times. An application's own clock is taken literally.
        self._has_own_clock = has_own_clock

    async def write(
        self,
        seat: Seat,
        judged: JudgedDraft,
        extras: Extras = no_extras,
        head: HeadChange | None = None,
    ) -> Message | None:
        """Write a message after all others of its room; None if its nonce created one before.

        ConditionFailed if a condition of `extras` or of `head` failed.
        """
        async with self._locks.of(seat.room_id):
            return await self._write(seat, judged, extras, head)

    async def find_created(self, seat: Seat, draft: Draft) -> MessageId | None:
        """Return the message that this nonce created, or None; NonceReused if its body was different."""
        if draft.nonce is None:
            return None
        key = self._kind.nonce_by_key(room_id=seat.room_id, user_id=seat.user_id, nonce_hash=hash_part(draft.nonce))
        nonce = await self._table.get(key)
        if nonce is None:
            return None
        if nonce.body_hash != draft.hash:
            raise NonceReused(message_id=nonce.message_id)
        return nonce.message_id

    async def _write(self, seat: Seat, judged: JudgedDraft, extras: Extras, head: HeadChange | None) -> Message | None:
        last = seat.head.last_message_id
        for _ in range(SEND_ATTEMPTS):
            message = self._compose(seat, judged, last)
            additions = self._access.send_additions(seat, message, last)
            try:
                await self._table.write(
                    message=Create(message),
                    head=self._head_update(seat, message, additions, head),
                    additions=additions.operations,
                    nonce=self._nonce(seat, judged.draft, message),
                    extras=extras(message),
                    pattern=self._kind.send if head is None else head.pattern,
                )
            except ConditionFailed as failed:
                if "nonce" in failed:
                    return None
                if "extras" in failed:
                    raise
                faster = self._faster(failed, last)
                if faster is None and head is not None and "head" in failed:
                    raise
                if faster is None:
                    # Another condition: the seat or the room has changed.
                    seat = await self._access.reauthorize(seat)
                    seat.require("send")
                    judged = await self._with_mentions_inside(seat, judged)
                    faster = seat.head.last_message_id
                # Another send was faster: this message takes an id after it, so that the room has one order.
                last = newest(last, faster)
            else:
                if additions.after is not None:
                    additions.after()
                return message
        raise Busy("This room is too busy: try again later.")

    async def _with_mentions_inside(self, seat: Seat, judged: JudgedDraft) -> JudgedDraft:
        """Return the draft with the mentions of those who see the room; its access list may have changed."""
        if not seat.is_restricted or not judged.mentions:
            return judged
        inside = await self._access.current_members(seat.room_id, judged.mentions)
        return judged._replace(mentions=[user_id for user_id in judged.mentions if user_id in inside])

    def _compose(self, seat: Seat, judged: JudgedDraft, last: MessageId | None) -> Message:
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

    def _head_update(
        self, seat: Seat, message: Message, additions: SendAdditions, head: HeadChange | None
    ) -> Update[Head]:
        """Return the update that makes a message the last one of its room."""
        is_newest = moves_forward(message.message_id, "last_message_id")
        changes = set_to(last_message_id=message.message_id, **seat.head.message_fields(message))
        if head is not None:
            is_newest, changes = is_newest & head.when, changes + head.changes
        if additions.head is not None:
            is_newest &= additions.head
        return Update(self._kind.head.key(room_id=seat.room_id), changes, when=is_newest)

    def _nonce(self, seat: Seat, draft: Draft, message: Message) -> Create[Nonce] | None:
        """Return the creation of the row that binds the draft's nonce to this message."""
        if draft.nonce is None:
            return None
        return Create(
            self._kind.nonce(
                room_id=seat.room_id,
                user_id=seat.user_id,
                nonce_hash=hash_part(draft.nonce),
                message_id=message.message_id,
                body_hash=draft.hash,
                ttl=self._clock.now_seconds() + NONCE_SECONDS,
            )
        )

    def _faster(self, failed: ConditionFailed, last: MessageId | None) -> MessageId | None:
        """Return the room's last message if it is not `last`, else None; NotFound if the room was deleted."""
        if "head" not in failed:
            return None
        head = failed.item("head")
        if head is None:
            raise NotFound
        found: MessageId | None = head.get(self._kind.head.shape.attribute("last_message_id"))
        return found if found != last else None
