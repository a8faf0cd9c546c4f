"""The order of threads in the inboxes of their participants, which every message changes.

A send updates the rows of up to `AT_ONCE` participants in its own transaction, and the rest right after it. Since the
process can stop in between, a change-stream consumer does it as well. A row only moves forward, so repeating it is
harmless.
"""

from __future__ import annotations

import asyncio
import contextlib

import structlog

from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import Participant, Thread, move_inboxes, participants_in, thread_by_id
from sobremesa.table import RawChange, Table, Update, less_if_present, set_to
from sobremesa.table.errors import BadRow, ConditionFailed, TableError

AT_ONCE = 20
"""How many participants' rows a send updates in its own transaction."""

MOVED_TOGETHER = 10

_LAST_MESSAGE_AT = Thread.shape.attribute("last_message_at")

_log = structlog.get_logger("sobremesa.domains.threads")


class Inboxes:
    """Moves threads up in the inboxes of their participants."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._running: dict[RoomId, asyncio.Task[None]] = {}
        self._again: set[RoomId] = set()
        self._waiting: set[RoomId] = set()

    # Consuming the change stream

    def collect(self, change: RawChange) -> None:
        new, old = change.new, change.old
        if new is None or _LAST_MESSAGE_AT not in new:
            return
        if old is not None and old.get(_LAST_MESSAGE_AT) == new[_LAST_MESSAGE_AT]:
            return
        thread = self._table.as_entity(new, Thread)
        if thread is not None and not 0 < len(thread.participants) <= AT_ONCE:
            self._waiting.add(thread.room_id)

    async def flush(self) -> None:
        for room_id in list(self._waiting):
            try:
                await self.bump(room_id)
            except BadRow as error:
                # It would fail again the next time, and must not hold up all other threads forever.
                _log.warning("could not update inboxes", room_id=room_id, error=str(error))
            self._waiting.discard(room_id)

    # Moving

    async def bump(self, room_id: RoomId) -> None:
        """Update the rows of all participants to the last message. Idempotent."""
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None or thread.last_message_at is None:
            return
        at = thread.last_message_at
        turns = asyncio.Semaphore(MOVED_TOGETHER)

        async def move(participant: Participant) -> None:
            is_older = less_if_present("last_message_at", at)
            update = Update(participant.own_key(), set_to(last_message_at=at), when=is_older)
            async with turns:
                with contextlib.suppress(ConditionFailed):
                    await self._table.write(update, pattern=move_inboxes)

        rows = [row async for row in self._table.every(participants_in(room_id=room_id))]
        await asyncio.gather(*(move(row) for row in rows if row.last_message_at is None or row.last_message_at < at))

    def bump_soon(self, room_id: RoomId) -> None:
        """Bump in the background. Calls during a running bump cause one more."""
        if room_id in self._running:
            self._again.add(room_id)
            return
        self._running[room_id] = asyncio.create_task(self._run(room_id))

    async def close(self) -> None:
        """Wait for running bumps."""
        while self._running:
            await asyncio.gather(*self._running.values())

    async def _run(self, room_id: RoomId) -> None:
        try:
            again = True
            while again:
                self._again.discard(room_id)
                await self.bump(room_id)
                again = room_id in self._again
        except TableError as error:
            _log.warning("could not update inboxes", room_id=room_id, error=str(error))
        finally:
            self._again.discard(room_id)
            del self._running[room_id]
