"""The order of threads in the inboxes of their participants, which every message changes.

A send updates the rows of up to `AT_ONCE` participants in its own transaction, and the rest right after it. Since the
process can stop in between, the consumer of the change stream does it as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import Thread, move_inboxes, participants_in, thread_by_id
from sobremesa.rooms.inbox_moves import InboxMove, InboxMoves
from sobremesa.table import Table
from sobremesa.table.errors import TableError

AT_ONCE = 20
"""How many participants' rows a send updates in its own transaction."""

_LAST_MESSAGE_AT = Thread.shape.attribute("last_message_at")

_log = structlog.get_logger("sobremesa.domains.threads")


class Inboxes(InboxMoves):
    """Moves threads in inboxes."""

    pattern = move_inboxes

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._running: dict[RoomId, asyncio.Task[None]] = {}
        self._again: set[RoomId] = set()

    def find_room(self, new: dict[str, Any], old: dict[str, Any] | None) -> RoomId | None:
        if _LAST_MESSAGE_AT not in new or (old is not None and old.get(_LAST_MESSAGE_AT) == new[_LAST_MESSAGE_AT]):
            return None
        thread = self._table.as_entity(new, Thread)
        return None if thread is None or 0 < len(thread.participants) <= AT_ONCE else thread.room_id

    async def list_moves(self, room_id: RoomId) -> Sequence[InboxMove]:
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None or thread.last_message_at is None:
            return ()
        at = thread.last_message_at
        seats = self._table.every(participants_in(room_id=room_id))
        return [InboxMove(seat, seat.last_message_at, at) async for seat in seats]

    def move_soon(self, room_id: RoomId) -> None:
        """Move a thread in the background. Calls during a running move cause one more."""
        if room_id in self._running:
            self._again.add(room_id)
            return
        self._running[room_id] = asyncio.create_task(self._run(room_id))

    async def close(self) -> None:
        """Wait for running moves."""
        while self._running:
            await asyncio.gather(*self._running.values())

    async def _run(self, room_id: RoomId) -> None:
        try:
            again = True
            while again:
                self._again.discard(room_id)
                await self.move(room_id)
                again = room_id in self._again
        except TableError as error:
            _log.warning("could not update inboxes", room_id=room_id, error=str(error))
        finally:
            self._again.discard(room_id)
            del self._running[room_id]
