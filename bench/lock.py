"""A lock that several benchmarks on one machine can share, held only while time is measured."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


class Lock:
    """Held by one process at a time; without a file it does nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        if self._path is None:
            yield
            return
        with self._path.open("a") as file:
            await asyncio.to_thread(fcntl.flock, file, fcntl.LOCK_EX)
            yield
