"""Rewriting: a message that is there changes, together with what the room's head keeps of it while it is the last."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, instant, milliseconds
from sobremesa.core.errors import Busy, NotFound
from sobremesa.rooms.access import Seat
from sobremesa.rooms.archive import Archive
from sobremesa.rooms.cases import Cases
from sobremesa.rooms.entities import BLOCKED, CLEAN, FLAGGED, Flags, Head, Message
from sobremesa.rooms.judging import REVIEWED, Verdict, settled
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import (
    Condition,
    Delete,
    Operation,
    Table,
    Update,
    WritePattern,
    always,
    differs,
    equals,
    remove,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

EDIT_ATTEMPTS = 8

_MODERATION = ("flags", "moderation")


async def rewrite(
    kind: RoomKind,
    table: Table,
    head: Head | None,
    message: Message,
    changes: Changes,
    *more: Operation,
    when: Condition,
    pattern: WritePattern,
) -> None:
    """Change a message, given as it will be, and with it the head while it is the last one.

    ConditionFailed tells what did not hold: the message is at 0, the other operations follow.
    """
    update = Update(message.own_key(), changes, when=when)
    marks = head.marks(message) if head is not None and head.last_message_id == message.message_id else {}
    if marks:
        still_last = equals("last_message_id", message.message_id)
        preview = Update(kind.head.key(room_id=message.room_id), set_to(**marks), when=still_last)
        try:
            await table.write(update, *more, preview, pattern=pattern)
        except ConditionFailed as failed:
            if any(failed.at(place) for place in range(1 + len(more))):
                raise
            # It is the last one no longer, and will never be again.
        else:
            return
    await table.write(update, *more, token=None, pattern=pattern)


class Rewriting:
    """Edits and takes back messages in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, clock: Clock, archive: Archive, cases: Cases) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._archive = archive
        self._cases = cases

    async def edit(
        self, seat: Seat, message: Message, content: str, mentions: list[UserId], verdict: Verdict | None
    ) -> Message:
        """The message with another text, and with what was found out about that; NotFound if it is gone by now."""
        for attempt in range(EDIT_ATTEMPTS):
            # A case of the same millisecond would be in the way: then this edit is a moment later.
            now = instant(max(self._clock.now_ms(), _next_ms(message)) + attempt)
            changes: dict[str, Any] = {
                "content": content,
                "edited": True,
                "edited_at": now,
                "updated_at": now,
                "mentions": mentions or None,
                **self._moderation(message, verdict),
            }
            edited = msgspec.structs.replace(message, **changes)
            try:
                await self._write(seat, edited, set_to(**changes), message, *self._cases.operations_for(seat, edited))
            except ConditionFailed:
                # A person decided about it meanwhile, or it is gone.
                message = await self._archive.get(seat, message.message_id)
            else:
                return edited
        raise Busy

    async def delete(self, seat: Seat, message: Message, *more: Operation) -> None:
        """Leave a tombstone, and no pin; NotFound if there is one already.

        ConditionFailed if one of the others did not hold. The pin is removed whether or not there is one: looking first
        would miss one that is made at the same moment, and after this none can be made.
        """
        gone = remove("mentions", "attachments", "reactions", "reply_to")
        now = self._clock.now()
        changes = set_to(deleted=True, content="", updated_at=now) + gone
        tombstone = msgspec.structs.replace(message, deleted=True, content="", updated_at=now)
        is_there = differs("deleted", True)
        pin = self._kind.pin_by_key(room_id=seat.room_id, message_id=message.message_id)
        more = (*more, Delete(pin, when=always()))
        try:
            await rewrite(
                self._kind, self._table, seat.head, tombstone, changes, *more, when=is_there, pattern=self._kind.delete
            )
        except ConditionFailed as failed:
            if failed.at(0):
                raise NotFound from None
            raise

    async def _write(self, seat: Seat, edited: Message, changes: Changes, before: Message, *case: Operation) -> None:
        await rewrite(
            self._kind,
            self._table,
            seat.head,
            edited,
            changes,
            *case,
            when=differs("deleted", True) & _still(before.moderation),
            pattern=self._kind.edit,
        )

    def _moderation(self, message: Message, verdict: Verdict | None) -> dict[str, Any]:
        """What an edit changes about the flags: nothing where nobody judges."""
        if verdict is None:
            return {}
        verdict = settled(message.moderation, verdict)
        flags = verdict.flags
        if flags is not None and message.flags is not None and REVIEWED in message.flags.policy_hints:
            flags = Flags(moderation=flags.moderation, policy_hints=[*flags.policy_hints, REVIEWED])
        return self._kind.stored_verdict(flags, verdict.band)


def _next_ms(message: Message) -> int:
    """The moment after a message was written or edited last: no edit is earlier, whatever the clock says."""
    try:
        return milliseconds(message.edited_at or message.created_at) + 1
    except ValueError:
        return 0  # another writer's time, in another form


def _still(moderation: str) -> Condition:
    """That moderation says no other thing of a message than it did; clean is also what has no flags."""
    if moderation == CLEAN:
        return differs(_MODERATION, FLAGGED) & differs(_MODERATION, BLOCKED)
    return equals(_MODERATION, moderation)
