"""The copy of a modelled table that indexes and inconsistent reads show: each partition lags behind by its own time."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections import deque

from sobremesa.table.engines.protocol import MAX_BATCH_WRITE, DeleteItem, Engine, PutItem, RawChange, RawKey

PARTS = 4
"""How many parts of the table lag behind independently."""


class LaggingCopy:
    """Applies the changes of a table to another engine, some time later and in the order of each partition."""

    def __init__(self, engine: Engine, lag: tuple[float, float], chance: random.Random) -> None:
        self.engine = engine
        self._lag = lag
        self._chance = chance
        self._parts = [_Part(engine) for _ in range(PARTS)]
        self._tasks = [asyncio.create_task(part.apply()) for part in self._parts]

    def append(self, change: RawChange) -> None:
        """Apply a change when its time has come."""
        part = self._parts[zlib.crc32(change.key.pk.encode()) % PARTS]
        part.append(change, asyncio.get_running_loop().time() + self._chance.uniform(*self._lag))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.engine.close()


class _Part:
    """One part of the table, whose changes are applied in their order."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: deque[tuple[float, RawChange]] = deque()
        self._last_due = 0.0
        self._arrived = asyncio.Event()

    def append(self, change: RawChange, due: float) -> None:
        self._last_due = max(due, self._last_due)
        self._waiting.append((self._last_due, change))
        self._arrived.set()

    async def apply(self) -> None:
        """Apply the changes that are due, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._arrived.wait()
            await asyncio.sleep(self._waiting[0][0] - loop.time())
            # What is due at the same time is one batch, each row in its last state.
            batch: dict[RawKey, PutItem | DeleteItem] = {}
            while self._waiting and self._waiting[0][0] <= loop.time() and len(batch) < MAX_BATCH_WRITE:
                change = self._waiting.popleft()[1]
                batch[change.key] = _write_of(change)
            if batch:
                await self._engine.batch_write(list(batch.values()))
            if not self._waiting:
                self._arrived.clear()


def _write_of(change: RawChange) -> PutItem | DeleteItem:
    return DeleteItem(change.key) if change.new is None else PutItem(change.key, change.new)
