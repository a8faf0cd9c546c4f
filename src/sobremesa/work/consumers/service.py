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
from sobremesa.table import OLDEST, ChangeReader, Position, RawChange, Table, Upsert, equals, less, set_to
from sobremesa.table.errors import BadCursor, ConditionFailed, PositionTrimmed, TableError
from sobremesa.work.consumers.entities import Progress, keep_progress, progress_of

FLUSH_SECONDS = 1.0
LEASE_SECONDS = 15.0
RENEW_SECONDS = 5.0
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
        self._clock = clock
        self._name = name
        self._handlers = handlers
        self._holder = ids.mint()
        self._paused_until = [0.0] * len(handlers)

    async def run(self) -> None:
        """Consume changes until cancelled."""
        while True:
            try:
                progress = await self._take()
                if progress is not None:
                    await self._consume(Position(progress.position) if progress.position else OLDEST)
            except Exception as error:  # any error: the same changes are read again
                _log.warning("cannot read the change log", consumer=self._name, why=_error_text(error))
            await asyncio.sleep(PAUSE_SECONDS)

    async def catch_up(self) -> None:
        """Process all pending changes, then stop: for commands and tests."""
        progress = await self._take()
        if progress is None:
            return
        reader = await self._reader(Position(progress.position) if progress.position else OLDEST)
        try:
            while (batch := await reader.read(0)).changes:
                self._collect(batch.changes)
            for handler in self._handlers:
                await handler.flush()
        finally:
            await reader.close()
        await self._save(batch.position, lease_seconds=0)

    async def _consume(self, position: Position) -> None:
        """Consume changes for as long as this process holds the lease."""
        loop = asyncio.get_running_loop()
        reader = await self._reader(position)
        flushed = kept = loop.time()
        try:
            while True:
                batch = await reader.read(FLUSH_SECONDS)
                self._collect(batch.changes)
                now = loop.time()
                if now - flushed >= FLUSH_SECONDS or not batch.changes:
                    flushed = now
                    if await self._flush():
                        position = batch.position
                if now - kept >= RENEW_SECONDS:
                    await self._save(position)
                    kept = now
        except ConditionFailed:
            _log.info("another process consumes the change log now", consumer=self._name)
        finally:
            await reader.close()
            with contextlib.suppress(TableError):
                await self._save(position, lease_seconds=0)

    def _collect(self, changes: Sequence[RawChange]) -> None:
        for change in changes:
            for handler in self._handlers:
                handler.collect(change)

    async def _flush(self) -> bool:
        """Flush all handlers; return False if one failed, now or a moment ago, and must be retried."""
        now = asyncio.get_running_loop().time()
        is_done = True
        for number, handler in enumerate(self._handlers):
            if now < self._paused_until[number]:
                is_done = False
                continue
            try:
                await handler.flush()
            except Exception as error:  # any error: it is retried
                is_done = False
                self._paused_until[number] = now + PAUSE_SECONDS
                _log.warning("a change handler failed", consumer=self._name, why=_error_text(error))
        return is_done

    async def _reader(self, position: Position) -> ChangeReader:
        """Return a reader from a position; from the oldest change if the store does not know the position.

        That is so if it was trimmed, or if the row with the position was copied from another store.
        """
        try:
            return await self._table.changes(position)
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

    async def _take(self) -> Progress | None:
        """Acquire the lease and return the progress; None while another process holds it."""
        now = self._clock.now_ms()
        lease = set_to(holder=self._holder, leased_until_ms=now + round(LEASE_SECONDS * 1000))
        free = less("leased_until_ms", now) | equals("holder", self._holder)
        try:
            return await self._table.write(
                Upsert(progress_of(name=self._name), lease, when=free), pattern=keep_progress
            )
        except ConditionFailed:
            return None

    async def _save(self, position: Position, lease_seconds: float = LEASE_SECONDS) -> None:
        """Save the position and renew the lease; raise ConditionFailed if another process has acquired it."""
        until = self._clock.now_ms() + round(lease_seconds * 1000)
        await self._table.write(
            Upsert(
                progress_of(name=self._name),
                set_to(position=position, leased_until_ms=until),
                when=equals("holder", self._holder),
            ),
            pattern=keep_progress,
        )


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
