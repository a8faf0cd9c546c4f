"""Recounts of rooms: reaction summaries, pins, and the last message of each head."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.ids import is_ulid
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.entities import Head, Message, Pin, Reaction, ReactionSummary
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.reaction_cleanup import ReactionCleanup
from sobremesa.rooms.rendering import MAX_SHOWN_REACTORS
from sobremesa.rooms.unread import moves_forward
from sobremesa.table import Create, Delete, Operation, Table, Update, equals, present, set_to, unhex_part
from sobremesa.work.recounts import Check, Drift, Found, Recount


def recounts(
    kind: RoomKind, table: Table, cleanup: ReactionCleanup, check: Check[Any] | None = None
) -> Sequence[Recount[Any]]:
    """Return the recounts of one kind of room; `check` is for kinds whose heads store more than the last message."""
    reactions = _Reactions(kind, table, cleanup)

    def label(row: Reaction | ReactionSummary) -> str:
        return f"{kind.name} {row.room_id} message {row.message_id} {unhex_part(row.emoji_hex)}"

    def group(row: Reaction | ReactionSummary) -> tuple[str, str, str]:
        return row.room_id, row.message_id, row.emoji_hex

    def pinned(row: Pin) -> str:
        return f"{kind.name} {row.room_id} pin {row.message_id}"

    def room(row: Head) -> str:
        return f"{kind.name} {row.room_id}"

    return (
        Recount(kind.reaction, reactions.check_rows, label=label, once_for=group),
        Recount(kind.summary, reactions.check_summary, label=label, once_for=group),
        Recount(kind.pin, partial(_check_pin, kind, table), label=pinned, once_for=pinned),
        Recount(kind.head, check or partial(check_head, kind, table), label=room, once_for=room),
    )


class _Reactions:
    """Recounts reactions."""

    def __init__(self, kind: RoomKind, table: Table, cleanup: ReactionCleanup) -> None:
        self._kind = kind
        self._table = table
        self._cleanup = cleanup

    async def check_rows(self, row: Reaction) -> Found | None:
        """Check rows without a summary; the others are checked with their summary."""
        if await self._is_deleted(row):
            return self._left(row)
        return None if await self._summary(row) is not None else await self._compare(row, None)

    async def check_summary(self, row: ReactionSummary) -> Found | None:
        if await self._is_deleted(row):
            return self._left(row)
        summary = await self._summary(row)
        return None if summary is None else await self._compare(row, summary)

    async def _compare(self, row: Reaction | ReactionSummary, summary: ReactionSummary | None) -> Found | None:
        question = self._kind.reactors(room_id=row.room_id, message_id=row.message_id, emoji_hex=row.emoji_hex)
        rows: list[Reaction] = [one async for one in self._table.every(question, consistent=True)]
        stored = 0 if summary is None else summary.count
        users = {one.user_id for one in rows}
        named = set[UserId]() if summary is None else set(summary.user_ids)
        drift = [Drift("reactions", stored, len(rows))] if stored != len(rows) else []
        if not named <= users or (rows and not named):
            first = sorted(rows, key=lambda one: one.created_at)[:MAX_SHOWN_REACTORS]
            shown = (named & users) or {one.user_id for one in first}
            drift.append(Drift("users", sorted(named), sorted(shown)))
            named = shown
        if not drift:
            return None
        repair = self._repair(row, rows, summary, named)
        return Found(drift, partial(self._table.write, repair, token=None, pattern=self._kind.react))

    def _repair(
        self,
        row: Reaction | ReactionSummary,
        rows: Sequence[Reaction],
        summary: ReactionSummary | None,
        named: set[UserId],
    ) -> Operation:
        parts: dict[str, Any] = {"room_id": row.room_id, "message_id": row.message_id, "emoji_hex": row.emoji_hex}
        if summary is None:
            first_at = min(one.created_at for one in rows)
            return Create(self._kind.summary(**parts, count=len(rows), user_ids=frozenset(named), first_at=first_at))
        as_seen = equals("count", summary.count)
        if summary.user_ids:
            as_seen &= equals("user_ids", summary.user_ids)
        if not rows:
            return Delete(summary.own_key(), when=as_seen)
        return Update(summary.own_key(), set_to(count=len(rows), user_ids=frozenset(named)), when=as_seen)

    def _left(self, row: Reaction | ReactionSummary) -> Found:
        removal = partial(self._cleanup.remove_reactions, row.room_id, row.message_id)
        return Found([Drift("reactions of a deleted message", "there", "none")], removal)

    async def _summary(self, row: Reaction | ReactionSummary) -> ReactionSummary | None:
        question = self._kind.reactions_of_message(room_id=row.room_id, message_id=row.message_id)
        found: list[ReactionSummary] = [
            one async for one in self._table.every(question, consistent=True) if one.emoji_hex == row.emoji_hex
        ]
        return found[0] if found else None

    async def _is_deleted(self, row: Reaction | ReactionSummary) -> bool:
        message = await find_message(self._kind, self._table, row.room_id, row.message_id)
        return message is not None and message.deleted


async def _check_pin(kind: RoomKind, table: Table, pin: Pin) -> Found | None:
    message = await find_message(kind, table, pin.room_id, pin.message_id)
    if message is None or not message.deleted:
        return None
    removal = partial(table.write, Delete(pin.own_key()), token=None, pattern=kind.set_pin)
    return Found([Drift("pin of a deleted message", "there", "none")], removal)


async def check_head(kind: RoomKind, table: Table, row: Head) -> Found | None:
    """Check that a room's head has its last message, which unread counts depend on."""
    head = await table.get(kind.head_by_key(room_id=row.room_id), consistent=True)
    newest = (await table.query(kind.messages(room_id=row.room_id), limit=1, consistent=True)).items
    if head is None or not newest:
        return None
    message: Message = newest[0]
    last = head.last_message_id
    # Only ULIDs have an order; a head with another writer's message id is completed by adoption.
    if not is_ulid(message.message_id) or (last is not None and (not is_ulid(last) or last >= message.message_id)):
        return None
    changes = set_to(last_message_id=message.message_id, **head.message_fields(message))
    named = Update(head.own_key(), changes, when=present() & moves_forward(message.message_id, "last_message_id"))
    drift = [Drift("last message", last, message.message_id)]
    return Found(drift, partial(table.write, named, token=None, pattern=kind.send))
