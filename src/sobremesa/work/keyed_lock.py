"""Keyed locks: writers of one process take turns at one room, where the store would reject concurrent transactions.

A store that applies transactions in the order of the calls does not need them, and commits many at once. DynamoDB
rejects transactions that conflict on one item, and charges for them; writers on other nodes can still conflict.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

_FREE = nullcontext()


class _Lock(asyncio.Lock):
    """A lock that counts its users."""

    def __init__(self) -> None:
        super().__init__()
        self.users = 0


class KeyedLocks:
    """A lock for each name."""

    def __init__(self, *, needed: bool) -> None:
        self._needed = needed
        self._locks: dict[str, _Lock] = {}

    def of(self, name: str) -> AbstractAsyncContextManager[None]:
        """Hold the lock of this name for the block."""
        return self._locked(name) if self._needed else _FREE

    @asynccontextmanager
    async def _locked(self, name: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault(name, _Lock())
        lock.users += 1
        try:
            async with lock:
                yield
        finally:
            lock.users -= 1
            if not lock.users:
                del self._locks[name]
