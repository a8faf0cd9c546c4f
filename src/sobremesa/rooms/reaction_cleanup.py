"""Removal of the reactions to deleted messages, by a job in bounded batches since there may be many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.entities import Message
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Operation, Table

_SEPARATOR = "#"
"""No id has one: ids are parts of keys."""


class JobQueue(Protocol):
    """The queue of background jobs."""

    def new(self, kind: str, subject: str) -> Operation:
        """Return the operation that enqueues a job, for the transaction that requires it."""
        ...

    def nudge(self) -> None:
        """Wake the workers, since there is a new job."""
        ...


class ReactionCleanup:
    """Removes the reactions to deleted messages in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, jobs: JobQueue) -> None:
        self._kind = kind
        self._table = table
        self._jobs = jobs
        self.job = f"rooms.{kind.name}.reactions"
        """The kind of job whose handler is `clean`."""

    async def removal(self, message: Message) -> Sequence[Operation]:
        """Return the job that removes a message's reactions, for its deletion; nothing if it has none."""
        question = self._kind.reactions_of_message(room_id=message.room_id, message_id=message.message_id)
        if not (await self._table.query(question, limit=1, consistent=True)).items:
            return ()
        return (self._jobs.new(self.job, f"{message.room_id}{_SEPARATOR}{message.message_id}"),)

    def nudge(self) -> None:
        """Wake the workers."""
        self._jobs.nudge()

    async def clean(self, subject: str) -> None:
        """Remove the reactions to a deleted message. The handler is idempotent."""
        room_id, _, message_id = subject.partition(_SEPARATOR)
        await self.remove_reactions(RoomId(room_id), MessageId(message_id))

    async def remove_reactions(self, room_id: RoomId, message_id: MessageId) -> int:
        """Remove all reactions to a message in batches, and return the number of rows."""
        parts = {"room_id": room_id, "message_id": message_id}
        removed = await self._table.delete_every(self._kind.reactions_to(**parts), pattern=self._kind.delete)
        return removed + await self._table.delete_every(
            self._kind.reactions_of_message(**parts), pattern=self._kind.delete
        )
