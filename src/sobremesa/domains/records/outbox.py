"""The outbox: writes changed records to the tabs of threads, with retries.

A transaction that changes records adds an outbox row. A replay reads the tab's snapshot and version in one transaction,
writes it to the tab, and marks the rows that it included. A crash in between leaves them pending. Writing twice, late
or out of order changes nothing, since a tab accepts only a higher version than its own.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Row, Select, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import SobremesaError
from sobremesa.core.waiting import wait_for_event
from sobremesa.domains.records.database import Database
from sobremesa.domains.records.panels import touch
from sobremesa.domains.records.protocols import Panels
from sobremesa.domains.records.schema import outbox, panels
from sobremesa.domains.records.snapshots import Snapshot, snapshot_of
from sobremesa.domains.records.views import Tab
from sobremesa.table.errors import TableError

POLL_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 300.0
PANELS_A_PAGE = 100
KEPT_SECONDS = 7 * 86400
"""How long applied rows are kept for inspection."""

_row = outbox.c
_log = structlog.get_logger("sobremesa.domains.records")


class Panel(NamedTuple):
    """One tab of one thread."""

    thread_id: str
    tab: Tab


class ReplayResult(NamedTuple):
    """How many tabs were written, and how many failed."""

    written: int
    failed: int


class RebuiltTab(NamedTuple):
    """A rebuilt tab; not `written` if the thread does not exist."""

    panel: Panel
    written: bool


class Status(NamedTuple):
    """The number of pending changes, and the time of the oldest."""

    pending: int
    oldest: str | None


class Outbox:
    """Writes changed records to tabs."""

    def __init__(self, database: Database, clock: Clock, panels: Panels, *, poll_seconds: float = POLL_SECONDS) -> None:
        self._database = database
        self._clock = clock
        self._panels = panels
        self._look_every = poll_seconds
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        """Replay now instead of at the next poll."""
        self._nudged.set()

    async def run(self) -> None:
        """Replay until cancelled. While something fails, the pauses grow."""
        pause = self._look_every
        while True:
            self._nudged.clear()
            if await self._replay_safely():
                pause = self._look_every
                await wait_for_event(self._nudged, pause)
            else:
                # A nudge does not shorten this pause: the replay would fail again.
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def replay(self) -> ReplayResult:
        """Write all pending tabs. A tab that fails stays pending and delays no other."""
        written = failed = 0
        async for panel in self._pending():
            try:
                written += await self._apply(panel) is True
            except Exception as error:  # the rows stay pending and are retried
                failed += 1
                # As text: a renderer that shows local variables would log the content of contracts.
                trace = "".join(traceback.format_exception(error))
                _log.error("could not write a tab; it will be retried", thread=panel.thread_id, trace=trace)
        return ReplayResult(written, failed)

    async def rebuild(self, thread_id: str | None = None) -> AsyncIterator[RebuiltTab]:
        """Write the tabs of a thread, or of all threads, again, with a version that every tab accepts.

        The version is at least the time in milliseconds: after the records were restored from a backup, tabs may have
        versions that the records have lost.
        """
        async for panel in self._all_panels(thread_id):
            now_ms = self._clock.now_ms()

            async def renew(connection: AsyncConnection, panel: Panel = panel, now_ms: int = now_ms) -> None:
                await touch(connection, panel.thread_id, panel.tab, instant(now_ms), at_least=now_ms)

            await self._database.write(renew)
            yield RebuiltTab(panel, await self._apply(panel) is not False)

    async def count_panels(self, thread_id: str | None = None) -> int:
        """Return how many tabs `rebuild` would write."""
        question = select(func.count()).select_from(panels)
        if thread_id is not None:
            question = question.where(panels.c.thread_id == thread_id)

        async def load(connection: AsyncConnection) -> int:
            return (await connection.execute(question)).scalar_one()

        return await self._database.read(load)

    async def snapshot(self, thread_id: str, tab: Tab) -> Snapshot | None:
        """Return the current snapshot of a tab."""
        return await self._database.read(lambda connection: snapshot_of(connection, thread_id, tab))

    async def _replay_safely(self) -> bool:
        try:
            return (await self.replay()).failed == 0
        except (SobremesaError, TableError) as error:
            _log.warning("could not read the outbox", error=str(error))
            return False

    async def _pending(self) -> AsyncIterator[Panel]:
        """Yield the tabs with pending rows, oldest first."""
        first = func.min(_row.id).label("first")
        waiting = select(_row.thread_id, _row.tab, first).where(_row.applied_at.is_(None))
        waiting = waiting.group_by(_row.thread_id, _row.tab).order_by(first).limit(PANELS_A_PAGE)
        after = 0
        while True:
            page = waiting.having(first > after)
            rows = await self._database.read(partial(_rows, question=page))
            for row in rows:
                yield Panel(row.thread_id, row.tab)
            if len(rows) < PANELS_A_PAGE:
                return
            after = rows[-1].first

    async def _all_panels(self, thread_id: str | None) -> AsyncIterator[Panel]:
        position = tuple_(panels.c.thread_id, panels.c.tab)
        every = select(panels.c.thread_id, panels.c.tab).order_by(panels.c.thread_id, panels.c.tab).limit(PANELS_A_PAGE)
        if thread_id is not None:
            every = every.where(panels.c.thread_id == thread_id)
        page = every
        while True:
            rows = await self._database.read(partial(_rows, question=page))
            for row in rows:
                yield Panel(row.thread_id, row.tab)
            if len(rows) < PANELS_A_PAGE:
                return
            page = every.where(position > (rows[-1].thread_id, rows[-1].tab))

    async def _apply(self, panel: Panel) -> bool | None:
        """Write one tab, mark its pending rows as applied, and return whether the tab accepted the snapshot.

        None if no rows are pending: another process handles or has handled them.
        """
        if self._database.is_postgres:
            return await self._apply_locked(panel)

        async def load(connection: AsyncConnection) -> tuple[Sequence[int], Snapshot | None]:
            return await _pending_rows(connection, panel), await snapshot_of(connection, *panel)

        waiting, snapshot = await self._database.read(load)
        if not waiting:
            return None
        written = await self._write(panel, snapshot)
        await self._database.write(lambda connection: self._mark(connection, panel, waiting))
        return written

    async def _apply_locked(self, panel: Panel) -> bool | None:
        """Do the same with the rows locked, so that other processes skip them."""
        async with self._database.locked() as connection:
            waiting = await _pending_rows(connection, panel)
            if not waiting:
                return None
            # Read after the rows were locked, so that the snapshot includes the change of each row.
            written = await self._write(panel, await self.snapshot(*panel))
            await self._mark(connection, panel, waiting)
            return written

    async def _write(self, panel: Panel, snapshot: Snapshot | None) -> bool:
        return snapshot is not None and await self._panels.put_snapshot(
            *panel, snapshot.content, snapshot.source_version
        )

    async def _mark(self, connection: AsyncConnection, panel: Panel, waiting: Sequence[int]) -> None:
        now_ms = self._clock.now_ms()
        await connection.execute(
            update(outbox).where(_row.id.in_(waiting), _row.applied_at.is_(None)).values(applied_at=instant(now_ms))
        )
        await connection.execute(
            delete(outbox).where(
                _row.thread_id == panel.thread_id,
                _row.tab == panel.tab,
                _row.applied_at < instant(now_ms - KEPT_SECONDS * 1000),
            )
        )


async def status_of(connection: AsyncConnection) -> Status:
    """Return the status of the outbox."""
    found = await connection.execute(select(func.count(), func.min(_row.created_at)).where(_row.applied_at.is_(None)))
    pending, oldest = found.one()
    return Status(pending, oldest)


async def _pending_rows(connection: AsyncConnection, panel: Panel) -> Sequence[int]:
    """Return the pending rows of a tab. PostgreSQL locks them, and skips those that another process has locked."""
    found = await connection.execute(
        select(_row.id)
        .where(_row.thread_id == panel.thread_id, _row.tab == panel.tab, _row.applied_at.is_(None))
        .with_for_update(skip_locked=True)
    )
    return found.scalars().all()


async def _rows(connection: AsyncConnection, question: Select[Any]) -> Sequence[Row[Any]]:
    found: Sequence[Row[Any]] = (await connection.execute(question)).all()
    return found
