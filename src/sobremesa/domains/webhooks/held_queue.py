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
        self._lanes: dict[str, list[QueuedEvent]] = {}
        self._loaded_at = 0.0
        self.version: str | None = None
        """The version of the queue that was read, None before that."""
        self._is_partial = False

    @property
    def held(self) -> int:
        return sum(map(len, self._lanes.values()))

    @property
    def oldest_ms(self) -> int | None:
        """The time of the oldest event that is held."""
        return min((lane[0].at_ms for lane in self._lanes.values()), default=None)

    async def refresh(self, version: str, now_ms: int) -> None:
        """Read the queue again if it may have more; `version` must have been read before."""
        has_more = version != self.version or self._is_partial
        is_recent = asyncio.get_running_loop().time() - self._loaded_at < RELOAD_SECONDS
        if has_more and not (is_recent and self.due(now_ms)):
            await self._load(version)

    async def _load(self, version: str) -> None:
        self._lanes, self._is_partial, self.version = {}, False, version
        self._loaded_at = asyncio.get_running_loop().time()
        held = scanned = 0
        async for queued in self._table.every(queue_of(hook_id=self._hook_id)):
            scanned += 1
            lane = self._lanes.setdefault(queued.lane, [])
            if len(lane) < MAX_HELD_OF_ROOM:
                lane.append(queued)
                held += 1
            else:
                self._is_partial = True
            if held >= MAX_HELD or scanned >= MAX_SCANNED:
                self._is_partial = True
                return

    def due(self, now_ms: int) -> list[str]:
        """Return the rooms whose first event may be sent now, in the order of those events."""
        return [name for name, lane in self._lanes.items() if lane[0].next_ms <= now_ms]

    def next_ms(self) -> int | None:
        """Return when the next event may be sent; None if none is held."""
        return min((lane[0].next_ms for lane in self._lanes.values()), default=None)

    def first(self, name: str) -> QueuedEvent | None:
        """Return the first event of a room, if any is left."""
        lane = self._lanes.get(name)
        return lane[0] if lane else None

    def remove(self, queued: QueuedEvent) -> None:
        """Remove the first event of a room."""
        lane = self._lanes[queued.lane]
        del lane[0]
        if not lane:
            del self._lanes[queued.lane]

    def replace(self, queued: QueuedEvent) -> None:
        """Replace the first event of a room, which was tried."""
        self._lanes[queued.lane][0] = queued
