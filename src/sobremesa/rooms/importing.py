"""Importing: writes messages of the past into rooms, with their own times and ids that follow from the import.

The id of an imported message is a ULID of its own time whose other bits are a hash of the room and the nonce. So a
repeated import creates the same rows again, which their conditions refuse, and needs no row that remembers the nonce.
An older message goes to its place among the others. The room's head changes only if a message is newer than it, on the
condition that the head is as it was read: a message that is sent at the same time is neither lost nor overtaken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import instant
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.ids import RANDOM_BITS, MessageId, RoomId, encode, is_ulid, time_of
from sobremesa.rooms.entities import REVISED, Head, Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.unread import LAST_ULID
from sobremesa.table import Create, Operation, Table, Update, absent_or_null, equals, present, set_to
from sobremesa.table.errors import ConditionFailed, Conflict

MICROSECOND_BITS = 10
HASH_BITS = RANDOM_BITS - MICROSECOND_BITS
HASH_BYTES = 9
ATTEMPTS = 40
OPERATIONS_AT_ONCE = 99
"""The operations of one transaction besides that of the head; it may have 100 in all."""


class ImportedMessage(NamedTuple):
    """A message to import, with the operations that belong to it."""

    message: Message
    others: Sequence[Operation] = ()
    """Such as the attachment of its files, and its moderation case."""


class Imported(NamedTuple):
    """What became of some messages."""

    created: int
    repeated: int
    """The messages that were there."""
    orphans: Sequence[MessageId]
    """Those that were refused, since their authors' accounts were deleted."""


class ImportRoom(NamedTuple):
    """A room that messages are imported into."""

    kind: RoomKind
    room_id: RoomId
    tenant: Tenant


class RoomImports(Protocol):
    """What imports need to know about rooms of one kind."""

    kind: RoomKind

    async def find_room(self, room_id: RoomId) -> ImportRoom | None:
        """Return a room with its tenant, or None if there is none."""
        ...

    async def note_authors(self, room_id: RoomId, user_ids: Sequence[UserId]) -> None:
        """Store which authors are not in the room, so that a deleted account is removed from their messages."""
        ...

    async def moved(self, room_id: RoomId) -> None:
        """Update what follows the time of a room's last message, if its kind does so only when a message is sent."""
        ...


class ImportAuthors(Protocol):
    """What imports need to know about users, read consistently."""

    async def find_present(self, user_ids: Sequence[UserId]) -> set[UserId]:
        """Return those of the users who have an account."""
        ...

    async def list_departing(self) -> frozenset[UserId]:
        """Return the users whose accounts are deleted and whose data is being removed."""
        ...


class ImportWriter:
    """Writes imported messages into one room.

    An account may be deleted meanwhile, and no message may keep its name. The deletion counts itself in the head before
    it masks the messages of a room. So it is enough to read each author once after the head: a write on the condition
    that the count is the same comes before the masking, which then finds its messages. Between the deletion and its
    masking, the one row of running deletions, which is read before each write, refuses the author.
    """

    def __init__(self, table: Table, imports: RoomImports, room_id: RoomId, users: ImportAuthors) -> None:
        self._table = table
        self._imports = imports
        self._kind = imports.kind
        self._room_id = room_id
        self._users = users
        self._head: Head | None = None
        """The head as it was last read or written."""
        self._mask_count: int | None = None
        self._authors: set[UserId] = set()
        """The authors who had an account after `mask_count` was read, and of whom the room knows."""

    async def write(self, messages: Sequence[ImportedMessage]) -> Imported:
        """Write messages in the order of their ids; NotFound if the room was deleted."""
        created = repeated = 0
        orphans: list[MessageId] = []
        for batch in _batches(sorted(messages, key=lambda each: each.message.message_id)):
            done = await self._write(batch)
            created, repeated = created + done.created, repeated + done.repeated
            orphans += done.orphans
        return Imported(created, repeated, orphans)

    async def _write(self, batch: Sequence[ImportedMessage]) -> Imported:
        waiting = [(Create(each.message), each) for each in batch]
        orphans: list[MessageId] = []
        for _ in range(ATTEMPTS):
            if not waiting:
                break
            head = await self._read_head()
            gone = await self._find_gone({each.message.author_id for _, each in waiting})
            if gone:
                orphans += [each.message.message_id for _, each in waiting if each.message.author_id in gone]
                waiting = [pair for pair in waiting if pair[1].message.author_id not in gone]
                continue
            newest = waiting[-1][1].message
            try:
                await self._table.write(
                    messages=[create for create, _ in waiting],
                    head=_head_operation(head, waiting[0][1].message, newest),
                    others=[operation for _, each in waiting for operation in each.others],
                    pattern=self._kind.import_messages,
                )
            except Conflict:
                continue
            except ConditionFailed as failed:
                failures = {failure.operation for failure in failed.failures}
                left = [pair for pair in waiting if pair[0] not in failures]
                if "head" in failed:
                    self._head = None
                elif len(left) == len(waiting):
                    raise Busy from None  # a file was attached or deleted meanwhile
                waiting = left
            else:
                self._head = _with_last(head, newest)
                return Imported(len(waiting), len(batch) - len(waiting) - len(orphans), orphans)
        if waiting:
            raise Busy("This room is too busy: try again later.")
        return Imported(0, len(batch) - len(orphans), orphans)

    async def _read_head(self) -> Head:
        if self._head is None:
            self._head = await self._table.get(self._kind.head_by_key(room_id=self._room_id), consistent=True)
            if self._head is None:
                raise NotFound
            if self._head.mask_count != self._mask_count:
                self._mask_count = self._head.mask_count
                self._authors.clear()
        return self._head

    async def _find_gone(self, authors: set[UserId]) -> set[UserId]:
        """Return the authors whose accounts were deleted. It reads only the accounts that are new in this room."""
        new = sorted(authors - self._authors)
        if new:
            # In this order: an account that exists after it was noted is masked here when it is deleted.
            await self._imports.note_authors(self._room_id, new)
            self._authors |= await self._users.find_present(new)
        return (authors - self._authors) | (authors & await self._users.list_departing())


def imported_id(room_id: RoomId, nonce: str, microseconds: int) -> MessageId:
    """Return the id of an imported message: of its time, and the same for the same room, nonce and time.

    Microseconds follow the millisecond of the ULID, so the messages of a source with finer times keep their order.
    """
    ms, rest = divmod(microseconds, 1000)
    digest = hashlib.blake2b(f"{room_id}\0{nonce}".encode(), digest_size=HASH_BYTES, person=b"import").digest()
    tail = int.from_bytes(digest, "big") >> (HASH_BYTES * 8 - HASH_BITS)
    return MessageId(encode((ms << RANDOM_BITS) | (rest << HASH_BITS) | tail))


def imported_row(kind: RoomKind, message_id: MessageId, **fields: Any) -> Message:
    """Return the row of an imported message, with the time of its id."""
    at = instant(time_of(message_id))
    return kind.message(
        message_id=message_id,
        created_at=at,
        updated_at=at if kind.stores_update else None,
        imported=True,
        **kind.message.time_parts(message_id),
        **fields,
    )


def is_newer(head: Head, message_id: MessageId) -> bool:
    """Return whether a message becomes the last one of its room. Ids that sort after all ULIDs have no order."""
    last = head.last_message_id
    if last is None:
        return not head.is_incomplete  # another writer's head, which has the time of a message without its id
    return last < message_id or last > LAST_ULID


def _batches(messages: Sequence[ImportedMessage]) -> list[list[ImportedMessage]]:
    """Return the messages in groups, each of which is one transaction."""
    batches: list[list[ImportedMessage]] = [[]]
    operations = 0
    for each in messages:
        operations += 1 + len(each.others)
        if operations > OPERATIONS_AT_ONCE:
            batches.append([])
            operations = 1 + len(each.others)
        batches[-1].append(each)
    return batches


def _head_operation(head: Head, oldest: Message, newest: Message) -> Operation:
    """Return the update that makes the newest message the last one of its room, if it is.

    It changes the revision, unless all messages follow the last one. It requires that the room still exists, and that
    no account was masked in it since the head was read.
    """
    count = head.mask_count
    same_count = absent_or_null("mask_count") if count is None else equals("mask_count", count)
    if not is_newer(head, newest.message_id):
        return Update(head.own_key(), REVISED, when=present() & same_count)
    last = head.last_message_id
    unchanged = absent_or_null("last_message_id") if last is None else equals("last_message_id", last)
    changes = set_to(**_last_ids(head, newest), **head.message_fields(newest))
    if last is None or not is_ulid(last) or oldest.message_id < last:
        changes += REVISED
    return Update(head.own_key(), changes, when=unchanged & same_count)


def _last_ids(head: Head, newest: Message) -> dict[str, MessageId | None]:
    return {
        "last_message_id": newest.message_id,
        "last_imported_id": newest.message_id,
        "last_sent_id": head.last_unread_id,
    }


def _with_last(head: Head, newest: Message) -> Head:
    """Return the head as the write of this message left it."""
    if not is_newer(head, newest.message_id):
        return head
    return msgspec.structs.replace(head, **_last_ids(head, newest))
