"""The part of a webhook's queue that a node holds in memory while it sends it.

Only the holder of the lease removes or changes queued events, so they need not be read again before each attempt. What
is queued meanwhile changes the version of the queue, and the holder reads it again.
"""

from __future__ import annotations

import asyncio

from sobremesa.domains.webhooks.entities import HookId, QueuedEvent, queue_of
from sobremesa.table import Table

MAX_HELD = 2000
MAX_HELD_OF_ROOM = 500
MAX_SCANNED = 10_000
"""How far into the queue a node looks for rooms that do not wait for a retry."""
RELOAD_SECONDS = 1.0
"""How often the queue is read again at most, while there is something to send."""


class HeldQueue:
    """The first queued events of each room, in order."""

    def __init__(self, table: Table, hook_id: HookId) -> None:
        self._table = table
        self._hook_id = hook_id
        self._rooms: dict[str, list[QueuedEvent]] = {}
        self._loaded_at = 0.0
        self.version: str | None = None
        """The version of the queue that was read, None before that."""
        self._is_partial = False

    @property
    def held(self) -> int:
        return sum(map(len, self._rooms.values()))

    @property
    def oldest_ms(self) -> int | None:
        """The time of the oldest event that is held."""
        return min((room[0].at_ms for room in self._rooms.values()), default=None)

    async def refresh(self, version: str, now_ms: int) -> None:
        """Read the queue again if it may have more; `version` must have been read before."""
        has_more = version != self.version or self._is_partial
        is_recent = asyncio.get_running_loop().time() - self._loaded_at < RELOAD_SECONDS
        if has_more and not (is_recent and self.due(now_ms)):
            await self._load(version)

    async def _load(self, version: str) -> None:
        self._rooms, self._is_partial, self.version = {}, False, version
        self._loaded_at = asyncio.get_running_loop().time()
        held = scanned = 0
        async for queued in self._table.every(queue_of(hook_id=self._hook_id)):
            scanned += 1
            room = self._rooms.setdefault(queued.room_key, [])
            if len(room) < MAX_HELD_OF_ROOM:
                room.append(queued)
                held += 1
            else:
                self._is_partial = True
            if held >= MAX_HELD or scanned >= MAX_SCANNED:
                self._is_partial = True
                return

    def due(self, now_ms: int) -> list[str]:
        """Return the rooms whose first event may be sent now, in the order of those events."""
        return [name for name, room in self._rooms.items() if room[0].next_ms <= now_ms]

    def next_ms(self) -> int | None:
        """Return when the next event may be sent; None if none is held."""
        return min((room[0].next_ms for room in self._rooms.values()), default=None)

    def first(self, name: str) -> QueuedEvent | None:
        """Return the first event of a room, if any is left."""
        room = self._rooms.get(name)
        return room[0] if room else None

    def remove(self, queued: QueuedEvent) -> None:
        """Remove the first event of a room."""
        room = self._rooms[queued.room_key]
        del room[0]
        if not room:
            del self._rooms[queued.room_key]

    def replace(self, queued: QueuedEvent) -> None:
        """Replace the first event of a room, which was tried."""
        self._rooms[queued.room_key][0] = queued
