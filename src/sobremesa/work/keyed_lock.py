"""KeyedLocks: senders of one process queue up in front of one room, where the store would turn them away otherwise.

A store that applies transactions in the order in which they were asked for needs none of it, and commits many at once.
DynamoDB refuses transactions that meet at one item, and charges for them; senders on other nodes still meet there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

_FREE = nullcontext()


class _Lane(asyncio.Lock):
    """A lock that knows how many want it."""

    def __init__(self) -> None:
        super().__init__()
        self.people = 0


class KeyedLocks:
    """One at a time for each name."""

    def __init__(self, *, needed: bool) -> None:
        self._needed = needed
        self._locks: dict[str, _Lane] = {}

    def of(self, name: str) -> AbstractAsyncContextManager[None]:
        """The lane of this name, for the time of the block."""
        return self._lane(name) if self._needed else _FREE

    @asynccontextmanager
    async def _lane(self, name: str) -> AsyncIterator[None]:
        lane = self._locks.setdefault(name, _Lane())
        lane.people += 1
        try:
            async with lane:
                yield
        finally:
            lane.people -= 1
            if not lane.people:
                del self._locks[name]
