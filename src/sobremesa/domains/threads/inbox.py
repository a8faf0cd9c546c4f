"""The order of threads in the inboxes of their participants, and their copies there, which every message changes.

A send updates the rows of up to `AT_ONCE` participants in its own transaction, and the rest right after it. Since the
process can stop in between, the consumer of the change stream does it as well. It also removes the copies of a thread
that changed without a message.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.copies import COPIED
from sobremesa.domains.threads.entities import (
    Thread,
    move_inboxes,
    participant_of,
    participants_in,
    remove_copies,
    thread_by_id,
)
from sobremesa.rooms.inbox_moves import ROOMS_AT_ONCE, SEATS_AT_ONCE, InboxMove, InboxMoves
from sobremesa.table import RawChange, Table, Update, present, set_to
from sobremesa.table.errors import ConditionFailed, TableError

AT_ONCE = 20
"""How many participants' rows a send updates in its own transaction."""

_LAST_MESSAGE_AT = Thread.shape.attribute("last_message_at")
_ID = Thread.shape.attribute("room_id")
_COPIED = tuple(Thread.shape.attribute(name) for name in COPIED)

_log = structlog.get_logger("sobremesa.domains.threads")


class _CopyOwner(msgspec.Struct, frozen=True):
    """A participant whose row has a copy, however other programs wrote the rest of it."""

    user_id: UserId


class Inboxes(InboxMoves):
    """Moves threads in inboxes."""

    pattern = move_inboxes

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._running: dict[RoomId, asyncio.Task[None]] = {}
        self._again: set[RoomId] = set()
        self._outdated: set[RoomId] = set()
        """The threads that changed without a message."""

    def collect(self, change: RawChange) -> None:
        super().collect(change)
        new, old = change.new, change.old
        if new is None or old is None or new.get(_LAST_MESSAGE_AT) != old.get(_LAST_MESSAGE_AT):
            return
        if _ID in new and any(new.get(name) != old.get(name) for name in _COPIED):
            thread = self._table.as_entity(new, Thread)
            if thread is not None:
                self._outdated.add(thread.room_id)

    async def flush(self) -> None:
        await super().flush()
        await gather_bounded(ROOMS_AT_ONCE, self._remove_outdated, self._outdated)

    async def remove_copies(self, room_id: RoomId) -> None:
        """Remove the copies of a thread from the rows of its participants."""
        rows = self._table.every(participants_in(room_id=room_id), into=_CopyOwner, where=present("thread"))
        user_ids = [row.user_id async for row in rows]
        await gather_bounded(SEATS_AT_ONCE, partial(self._remove_copy, room_id), user_ids)

    async def _remove_outdated(self, room_id: RoomId) -> None:
        await self.remove_copies(room_id)
        self._outdated.discard(room_id)

    async def _remove_copy(self, room_id: RoomId, user_id: UserId) -> None:
        removal = Update(participant_of(room_id=room_id, user_id=user_id), set_to(thread=None), when=present())
        with contextlib.suppress(ConditionFailed):
            await self._table.write(removal, pattern=remove_copies)

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
