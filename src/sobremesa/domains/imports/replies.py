"""The messages that imported messages reply to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sobremesa.core.ids import MessageId, RoomId, is_ulid
from sobremesa.domains.imports.records import MessageRecord
from sobremesa.domains.imports.rooms import OpenRoom
from sobremesa.rooms.errors import ReplyMissing
from sobremesa.rooms.importing import imported_id
from sobremesa.table import Table

MAX_NONCES = 200_000
"""How many messages an import remembers the nonces of, which replies may name."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Placed(NamedTuple):
    """A message of an import with its room and its id."""

    number: int
    """The number of its line."""
    record: MessageRecord
    room: OpenRoom
    message_id: MessageId


def microseconds_of(time: datetime) -> int:
    """Return the microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


class Replies:
    """Finds the messages that others reply to: by nonce in the same import, by nonce and time, or by id."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._ids: dict[int, MessageId] = {}
        """By a hash of room and nonce; the oldest are dropped."""

    def remember(self, message: Placed) -> None:
        """Let later messages reply to this one by its nonce."""
        if len(self._ids) >= MAX_NONCES:
            del self._ids[next(iter(self._ids))]
        self._ids[_hash(message.room.room_id, message.record.nonce)] = message.message_id

    async def find(self, batch: Sequence[Placed]) -> dict[MessageId, MessageId | ReplyMissing]:
        """Return the message that each message of a batch replies to, by its own id; it also remembers the batch."""
        found: dict[MessageId, MessageId | ReplyMissing] = {}
        unsure: list[tuple[Placed, MessageId]] = []
        for each in batch:
            if each.record.reply_to is not None:
                known = self._ids.get(_hash(each.room.room_id, each.record.reply_to))
                found[each.message_id] = known or ReplyMissing()
                candidate = None if known else _derived(each)
                unsure += [] if candidate is None else [(each, candidate)]
            self.remember(each)
        here = {each.message_id for each in batch}
        there = await self._existing([pair for pair in unsure if pair[1] not in here])
        return found | {each.message_id: candidate for each, candidate in unsure if candidate in here | there}

    async def _existing(self, pairs: Sequence[tuple[Placed, MessageId]]) -> set[MessageId]:
        keys = {each.room.imports.kind.message_key(each.room.room_id, candidate) for each, candidate in pairs}
        rows = await self._table.get_many(list(keys), consistent=True)
        return {row.message_id for row in rows if row is not None}


def _derived(message: Placed) -> MessageId | None:
    """Return the id that a reply names by nonce and time, or by itself."""
    record = message.record
    if record.reply_to is None:
        return None
    if record.reply_to_created_at is not None:
        return imported_id(message.room.room_id, record.reply_to, microseconds_of(record.reply_to_created_at))
    return MessageId(record.reply_to) if is_ulid(record.reply_to) else None


def _hash(room_id: RoomId, nonce: str) -> int:
    return hash((room_id, nonce))
