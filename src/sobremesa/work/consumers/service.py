"""The change consumer: passes every change of the table to handlers, at least once, in the order of the log.

Handlers collect changes, and flush them at most once a second; only then are the changes processed. The position is
stored in the table, so that after a crash the next process resumes there; handlers must be idempotent. A handler that
fails is retried and does not delay the others; the stored position does not advance meanwhile. A lease lets one process
at a time consume.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Protocol

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.table import OLDEST, ChangeReader, Position, RawChange, Table, set_to
from sobremesa.table.errors import BadCursor, PositionTrimmed, TableError
from sobremesa.table.updates import Changes
from sobremesa.work.consumers.entities import keep_progress, progress_of

FLUSH_SECONDS = 1.0
LEASE_SECONDS = 15.0
PAUSE_SECONDS = 5.0

_log = structlog.get_logger("sobremesa.work.consumers")


class ChangeHandler(Protocol):
    """Processes changes of the table."""

    def collect(self, change: RawChange) -> None:
        """Collect a change. Must be quick, since it is called for every change of the table."""
        ...

    async def flush(self) -> None:
        """Process the collected changes. If it raises, it is called again and must still have them."""
        ...


class ChangeConsumer:
    """Reads the change log of one table for several handlers."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, name: str, handlers: Sequence[ChangeHandler]) -> None:
        self._table = table
        self._name = name
        self._handlers = handlers
        self._holder = ids.mint()
        key = progress_of(name=name)
        self._lease = Lease(table, clock, key, seconds=LEASE_SECONDS, pattern=keep_progress, creates=True)
        self._processed: Position = OLDEST
        self._paused_until = [0.0] * len(handlers)

    async def run(self) -> None:
        """Consume changes until cancelled."""
        while True:
            try:
                if await self._acquire():
                    await self._consume()
            except Exception as error:  # any error: the same changes are read again
                _log.warning("cannot read the change log", consumer=self._name, why=_error_text(error))
            await asyncio.sleep(PAUSE_SECONDS)

    async def catch_up(self) -> None:
        """Process all pending changes, then stop: for commands and tests."""
        if not await self._acquire():
            return
        reader = await self._reader()
        try:
            while (batch := await reader.read(0)).changes:
                self._collect(batch.changes)
            for handler in self._handlers:
                await handler.flush()
        finally:
            await reader.close()
        await self._lease.release(set_to(position=batch.position))

    async def _consume(self) -> None:
        """Consume changes for as long as this process holds the lease."""
        loop = asyncio.get_running_loop()
        reader = await self._reader()
        flushed = loop.time()
        try:
            async with self._lease.renewing(self._progress):
                while True:
                    batch = await reader.read(FLUSH_SECONDS)
                    self._collect(batch.changes)
                    now = loop.time()
                    if now - flushed >= FLUSH_SECONDS or not batch.changes:
                        flushed = now
                        if await self._flush():
                            self._processed = batch.position
        except LeaseLost:
            _log.info("another process consumes the change log now", consumer=self._name)
        finally:
            await reader.close()
            with contextlib.suppress(TableError):
                await self._lease.release(self._progress())

    def _collect(self, changes: Sequence[RawChange]) -> None:
        for change in changes:
            for handler in self._handlers:
                handler.collect(change)

    async def _flush(self) -> bool:
        """Flush all handlers, at the same time; return False if one failed, now or a moment ago."""
        return all(await asyncio.gather(*map(self._flush_handler, range(len(self._handlers)))))

    async def _flush_handler(self, number: int) -> bool:
        now = asyncio.get_running_loop().time()
        if now < self._paused_until[number]:
            return False
        try:
            await self._handlers[number].flush()
        except Exception as error:  # any error: it is retried
            self._paused_until[number] = now + PAUSE_SECONDS
            _log.warning("a change handler failed", consumer=self._name, why=_error_text(error))
            return False
        return True

    async def _reader(self) -> ChangeReader:
        """Return a reader from the saved position; from the oldest change if the store does not know the position.

        That is so if it was trimmed, or if the row with the position was copied from another store.
        """
        try:
            return await self._table.changes(self._processed)
        except PositionTrimmed as trimmed:
            _log.warning(
                "the position was trimmed: starting at the oldest change", consumer=self._name, why=str(trimmed)
            )
            return await self._table.changes(Position(trimmed.oldest))
        except BadCursor as foreign:
            _log.warning(
                "the position is of another store: starting at the oldest change", consumer=self._name, why=str(foreign)
            )
            return await self._table.changes(OLDEST)

    async def _acquire(self) -> bool:
        """Acquire the lease and load the saved position; return False while another process holds it."""
        progress = await self._lease.acquire(set_to(holder=self._holder))
        if progress is not None:
            self._processed = Position(progress.position) if progress.position else OLDEST
        return progress is not None

    def _progress(self) -> Changes:
        return set_to(position=self._processed)


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
