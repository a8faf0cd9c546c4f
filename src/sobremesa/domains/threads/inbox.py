"""The inboxes: where a thread stands in everybody's list, which every message moves.

A send moves the rows of up to `AT_ONCE` people in its own transaction. The rest is moved right after it; because that
can be lost with the process, a follower of the change log does it as well. A place in an inbox only moves forward, so
doing it twice is the same as once.
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
"""How many people's rows a send moves in its own transaction."""

MOVED_TOGETHER = 10

_LAST_MESSAGE_AT = Thread.shape.attribute("last_message_at")

_log = structlog.get_logger("sobremesa.domains.threads")


class Inboxes:
    """Moves threads up in the lists of their participants."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._running: dict[RoomId, asyncio.Task[None]] = {}
        self._again: set[RoomId] = set()
        self._waiting: set[RoomId] = set()

    # Following the change log

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
                # It would be as unreadable the next time, and must not keep all other threads waiting for ever.
                _log.warning("inboxes could not be moved", room_id=room_id, error=str(error))
            self._waiting.discard(room_id)

    # Moving

    async def bump(self, room_id: RoomId) -> None:
        """Bring the rows of all participants up to the last message. Doing it twice is the same as once."""
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None or thread.last_message_at is None:
            return
        at = thread.last_message_at
        turns = asyncio.Semaphore(MOVED_TOGETHER)

        async def move(place: Participant) -> None:
            update = Update(place.own_key(), set_to(last_message_at=at), when=less_if_present("last_message_at", at))
            async with turns:
                with contextlib.suppress(ConditionFailed):
                    await self._table.write(update, pattern=move_inboxes)

        places = [place async for place in self._table.every(participants_in(room_id=room_id))]
        await asyncio.gather(
            *(move(place) for place in places if place.last_message_at is None or place.last_message_at < at)
        )

    def soon(self, room_id: RoomId) -> None:
        """Bump in the background; what comes while one is under way is done by one more."""
        if room_id in self._running:
            self._again.add(room_id)
            return
        self._running[room_id] = asyncio.create_task(self._run(room_id))

    async def close(self) -> None:
        """Wait for what is under way."""
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
            _log.warning("inboxes could not be moved", room_id=room_id, error=str(error))
        finally:
            self._again.discard(room_id)
            del self._running[room_id]
