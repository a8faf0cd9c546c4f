"""A follower: hands every change of the table to whoever wants it, at least once, in the order of the log.

What it hands out is settled at most once a second, and only then counts as done. How far it has come is kept in the
table, so after a crash the next process goes on from there and nothing is missed; what was done twice must be the same
as once. Work that fails is tried again and keeps no other work waiting; how far all has come stays where it was
meanwhile. Of several processes one at a time has the work, by a lease.
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

SETTLE_SECONDS = 1.0
LEASE_SECONDS = 15.0
RENEW_SECONDS = 5.0
PAUSE_SECONDS = 5.0

_log = structlog.get_logger("sobremesa.work.consumers")


class ChangeHandler(Protocol):
    """Work that follows from changes."""

    def collect(self, change: RawChange) -> None:
        """Take note of a change; quick, since every change of the table comes here."""
        ...

    async def flush(self) -> None:
        """Do what was noted. If it fails, it is asked again, and what was noted must be noted still."""
        ...


class ChangeConsumer:
    """Follows one table on behalf of some kinds of work."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, name: str, work: Sequence[ChangeHandler]) -> None:
        self._table = table
        self._clock = clock
        self._name = name
        self._work = work
        self._holder = ids.mint()
        self._rests_until = [0.0] * len(work)

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            try:
                progress = await self._take()
                if progress is not None:
                    await self._follow(Position(progress.position) if progress.position else OLDEST)
            except Exception as error:  # whatever it is, the same changes come again
                _log.warning("the change log could not be followed", follower=self._name, why=_told(error))
            await asyncio.sleep(PAUSE_SECONDS)

    async def catch_up(self) -> None:
        """Do what there is to do now, and stop: for commands and tests."""
        progress = await self._take()
        if progress is None:
            return
        reader = await self._reader(Position(progress.position) if progress.position else OLDEST)
        try:
            while (batch := await reader.read(0)).changes:
                self._see(batch.changes)
            for work in self._work:
                await work.flush()
        finally:
            await reader.close()
        await self._keep(batch.position, lease_seconds=0)

    async def _follow(self, position: Position) -> None:
        """Hand out changes for as long as nobody else has the work."""
        loop = asyncio.get_running_loop()
        reader = await self._reader(position)
        settled = kept = loop.time()
        try:
            while True:
                batch = await reader.read(SETTLE_SECONDS)
                self._see(batch.changes)
                now = loop.time()
                if now - settled >= SETTLE_SECONDS or not batch.changes:
                    settled = now
                    if await self._settle():
                        position = batch.position
                if now - kept >= RENEW_SECONDS:
                    await self._keep(position)
                    kept = now
        except ConditionFailed:
            _log.info("another process follows the change log now", follower=self._name)
        finally:
            await reader.close()
            with contextlib.suppress(TableError):
                await self._keep(position, lease_seconds=0)

    def _see(self, changes: Sequence[RawChange]) -> None:
        for change in changes:
            for work in self._work:
                work.collect(change)

    async def _settle(self) -> bool:
        """Let all work be done; False if some of it failed, now or a moment ago, and has to be tried again."""
        now = asyncio.get_running_loop().time()
        is_done = True
        for place, work in enumerate(self._work):
            if now < self._rests_until[place]:
                is_done = False
                continue
            try:
                await work.flush()
            except Exception as error:  # whatever it is, it is tried again
                is_done = False
                self._rests_until[place] = now + PAUSE_SECONDS
                _log.warning("what follows from changes could not be done", follower=self._name, why=_told(error))
        return is_done

    async def _reader(self, position: Position) -> ChangeReader:
        """A reader from a position on; from the oldest change on, if the store does not know the position.

        It does not if it has forgotten it, or if the row that keeps it came from another store, by a copy.
        """
        try:
            return await self._table.changes(position)
        except PositionTrimmed as trimmed:
            _log.warning(
                "the position is forgotten: starting at the oldest change", follower=self._name, why=str(trimmed)
            )
            return await self._table.changes(Position(trimmed.oldest))
        except BadCursor as foreign:
            _log.warning(
                "the position is of another store: starting at the oldest change", follower=self._name, why=str(foreign)
            )
            return await self._table.changes(OLDEST)

    async def _take(self) -> Progress | None:
        """The progress so far, with the work for ourselves; None while somebody else has it."""
        now = self._clock.now_ms()
        lease = set_to(holder=self._holder, leased_until_ms=now + round(LEASE_SECONDS * 1000))
        free = less("leased_until_ms", now) | equals("holder", self._holder)
        try:
            return await self._table.write(
                Upsert(progress_of(name=self._name), lease, when=free), pattern=keep_progress
            )
        except ConditionFailed:
            return None

    async def _keep(self, position: Position, lease_seconds: float = LEASE_SECONDS) -> None:
        """Write down how far everything is settled; ConditionFailed if somebody else has taken the work."""
        until = self._clock.now_ms() + round(lease_seconds * 1000)
        await self._table.write(
            Upsert(
                progress_of(name=self._name),
                set_to(position=position, leased_until_ms=until),
                when=equals("holder", self._holder),
            ),
            pattern=keep_progress,
        )


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
