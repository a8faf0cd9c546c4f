"""Edits and deletions of messages, which also update the head of the room: its revision, and the preview."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock, instant, milliseconds
from sobremesa.core.errors import Busy, NotFound
from sobremesa.rooms.access import Seat
from sobremesa.rooms.archive import Archive
from sobremesa.rooms.batching import CONFLICT_PAUSE_SECONDS
from sobremesa.rooms.cases import Cases
from sobremesa.rooms.entities import BLOCKED, CLEAN, FLAGGED, REVISED, Flags, Head, Message
from sobremesa.rooms.judging import REVIEWED, Verdict, keep_blocked
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
from sobremesa.table.errors import ConditionFailed, Conflict
from sobremesa.table.updates import Changes
from sobremesa.work.keyed_lock import KeyedLocks

EDIT_ATTEMPTS = 8
CONFLICT_ATTEMPTS = 80
"""How often a change is written while sends of other nodes hold the head, which takes a second or two."""

_MODERATION = ("flags", "moderation")


async def rewrite(
    kind: RoomKind,
    table: Table,
    head: Head | None,
    message: Message,
    changes: Changes,
    others: Sequence[Operation] = (),
    *,
    when: Condition,
    pattern: WritePattern,
    locks: KeyedLocks | None = None,
) -> None:
    """Change a message, given in its new state, and the revision of the head, with its preview if it is the last one.

    ConditionFailed names the failed operations `message` and `others`. Sends write the head, too: with the `locks` of
    rooms, those of this process do not conflict.
    """
    update = Update(message.own_key(), changes, when=when)

    async def write(head_update: Update[Head] | None) -> None:
        async with nullcontext() if locks is None else locks.of(message.room_id):
            await table.write(message=update, others=others, head=head_update, pattern=pattern, retry_conflicts=False)

    for head_update in _head_updates(kind, head, message):
        try:
            return await _through_conflicts(partial(write, head_update))
        except ConditionFailed as failed:
            # It is no longer the last one, and never will be again; or the room was deleted.
            if not failed.is_only("head"):
                raise


async def _through_conflicts(write: Callable[[], Awaitable[None]]) -> None:
    """Write, again and again while sends hold the head. As in `batching`, the pause does not grow."""
    for _ in range(CONFLICT_ATTEMPTS - 1):
        with contextlib.suppress(Conflict):
            return await write()
        await asyncio.sleep(random.uniform(0, CONFLICT_PAUSE_SECONDS))  # noqa: S311 - nothing secret
    return await write()


def _head_updates(kind: RoomKind, head: Head | None, message: Message) -> Iterator[Update[Head] | None]:
    """Yield the updates of the head for a changed message, each for the case that the one before is refused."""
    if head is not None:
        key = kind.head.key(room_id=message.room_id)
        fields = head.message_fields(message) if head.last_message_id == message.message_id else {}
        if fields:
            yield Update(key, set_to(**fields) + REVISED, when=equals("last_message_id", message.message_id))
        yield Update(key, REVISED)
    yield None


class MessageEditor:
    """Edits and deletes messages in rooms of one kind."""

    def __init__(
        self, kind: RoomKind, table: Table, clock: Clock, archive: Archive, cases: Cases, locks: KeyedLocks
    ) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._archive = archive
        self._cases = cases
        self._locks = locks

    async def edit(
        self,
        seat: Seat,
        message: Message,
        content: str,
        data: dict[str, Any] | None,
        mentions: list[UserId],
        verdict: Verdict | None,
    ) -> Message:
        """Replace the content of a message, its custom data and its verdict; NotFound if it was deleted."""
        for attempt in range(EDIT_ATTEMPTS):
            # A case of the same millisecond would conflict: then this edit gets a later time.
            now = instant(max(self._clock.now_ms(), _next_ms(message)) + attempt)
            changes: dict[str, Any] = {
                "content": content,
                "data": data,
                "edited": True,
                "edited_at": now,
                "updated_at": now,
                "mentions": mentions or None,
                **self._moderation(message, verdict),
            }
            edited = msgspec.structs.replace(message, **changes)
            try:
                await self._write(seat, edited, set_to(**changes), message, self._cases.operations_for(seat, edited))
            except ConditionFailed:
                # A moderator decided about it, or it was deleted.
                message = await self._archive.get(seat, message.message_id)
            else:
                return edited
        raise Busy

    async def delete(self, seat: Seat, message: Message, others: Sequence[Operation]) -> None:
        """Replace a message by a tombstone and unpin it; NotFound if it was deleted already.

        ConditionFailed if a condition of `others` failed. The pin is deleted unconditionally: a check would miss one
        that is created at the same time, and a deleted message cannot be pinned.
        """
        gone = remove("mentions", "attachments", "reactions", "reply_to", "replied_author_id", "nonce", "data")
        now = self._clock.now()
        changes = set_to(deleted=True, content="", updated_at=now) + gone
        tombstone = msgspec.structs.replace(message, deleted=True, content="", updated_at=now)
        is_there = differs("deleted", True)
        pin = self._kind.pin_by_key(room_id=seat.room_id, message_id=message.message_id)
        others = [*others, Delete(pin, when=always())]
        try:
            await rewrite(
                self._kind,
                self._table,
                seat.head,
                tombstone,
                changes,
                others,
                when=is_there,
                pattern=self._kind.delete,
                locks=self._locks,
            )
        except ConditionFailed as failed:
            if "message" in failed:
                raise NotFound from None
            raise

    async def _write(
        self, seat: Seat, edited: Message, changes: Changes, before: Message, case: Sequence[Operation]
    ) -> None:
        await rewrite(
            self._kind,
            self._table,
            seat.head,
            edited,
            changes,
            case,
            when=differs("deleted", True) & _still(before.moderation),
            pattern=self._kind.edit,
            locks=self._locks,
        )

    def _moderation(self, message: Message, verdict: Verdict | None) -> dict[str, Any]:
        """Return the changes of an edit to the flags: none without a judge."""
        if verdict is None:
            return {}
        verdict = keep_blocked(message.moderation, verdict)
        flags = verdict.flags
        if flags is not None and message.flags is not None and REVIEWED in message.flags.policy_hints:
            flags = Flags(moderation=flags.moderation, policy_hints=[*flags.policy_hints, REVIEWED])
        return self._kind.stored_verdict(flags, verdict.band)


def _next_ms(message: Message) -> int:
    """Return the millisecond after the last write of a message: no edit is earlier, even if the clock is."""
    try:
        return milliseconds(message.edited_at or message.created_at) + 1
    except ValueError:
        return 0  # a time in another writer's format


def _still(moderation: str) -> Condition:
    """Return the condition that the moderation state is unchanged; a message without flags is clean."""
    if moderation == CLEAN:
        return differs(_MODERATION, FLAGGED) & differs(_MODERATION, BLOCKED)
    return equals(_MODERATION, moderation)
