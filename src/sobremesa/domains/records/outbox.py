"""The outbox: what changed in the records is shown in the tabs, however often it takes.

A transaction that changes records leaves a row here. Replaying builds the tab's snapshot together with its version, at
one moment, shows it, and marks the rows that this moment included. A crash in between leaves them; showing twice, late
or in another order changes nothing, since a tab takes only a version that is higher than its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Row, Select, delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Clock, instant
from sobremesa.core.errors import SobremesaError
from sobremesa.domains.records.database import Database
from sobremesa.domains.records.neighbours import Panels
from sobremesa.domains.records.panels import touch
from sobremesa.domains.records.schema import outbox, panels
from sobremesa.domains.records.snapshots import Snapshot, snapshot_of
from sobremesa.domains.records.views import Tab
from sobremesa.table.errors import TableError

LOOK_EVERY_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 300.0
PANELS_A_PAGE = 100
KEPT_SECONDS = 7 * 86400
"""How long a row that was applied can still be looked at."""

_row = outbox.c
_log = structlog.get_logger("sobremesa.domains.records")


class Panel(NamedTuple):
    """One tab of one thread."""

    thread_id: str
    tab: Tab


class Replayed(NamedTuple):
    """How many tabs were shown, and how many could not be."""

    shown: int
    failed: int


class Rebuilt(NamedTuple):
    """A tab that was made again; not `shown` if the thread is gone."""

    panel: Panel
    shown: bool


class Status(NamedTuple):
    """How many changes wait to be shown, and since when the oldest of them."""

    pending: int
    oldest: str | None


class Outbox:
    """Shows what changed."""

    def __init__(
        self, database: Database, clock: Clock, shows: Panels, *, look_every: float = LOOK_EVERY_SECONDS
    ) -> None:
        self._database = database
        self._clock = clock
        self._panels = shows
        self._look_every = look_every
        self._nudged = asyncio.Event()

    def nudge(self) -> None:
        """There is something to show: do not wait for the next look."""
        self._nudged.set()

    async def run(self) -> None:
        """Show what changes, until cancelled. While something fails, the pauses grow."""
        pause = self._look_every
        while True:
            self._nudged.clear()
            if await self._replay_safely():
                pause = self._look_every
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._nudged.wait(), pause)
            else:
                # A nudge does not shorten this one: what fails now would fail for it too.
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def replay(self) -> Replayed:
        """Show everything that is pending. A tab that cannot be shown stays pending and holds up no other."""
        shown = failed = 0
        async for panel in self._pending():
            try:
                shown += await self._apply(panel) is True
            except Exception as error:  # whatever it is, the rows stay and are tried again
                failed += 1
                # As text: a renderer that shows local variables would show what people agreed upon.
                trace = "".join(traceback.format_exception(error))
                _log.error("a tab could not be shown and will be tried again", thread=panel.thread_id, trace=trace)
        return Replayed(shown, failed)

    async def rebuild(self, thread_id: str | None = None) -> AsyncIterator[Rebuilt]:
        """Make the tabs of a thread again, or of all threads, under a version that every tab takes.

        That is at least the time: a tab may know versions that the records have lost, after they were restored from a
        copy.
        """
        async for panel in self._all_panels(thread_id):
            now_ms = self._clock.now_ms()

            async def renew(connection: AsyncConnection, panel: Panel = panel, now_ms: int = now_ms) -> None:
                await touch(connection, panel.thread_id, panel.tab, instant(now_ms), at_least=now_ms)

            await self._database.write(renew)
            yield Rebuilt(panel, await self._apply(panel) is not False)

    async def count_panels(self, thread_id: str | None = None) -> int:
        """How many tabs `rebuild` would make."""
        question = select(func.count()).select_from(panels)
        if thread_id is not None:
            question = question.where(panels.c.thread_id == thread_id)

        async def look(connection: AsyncConnection) -> int:
            return (await connection.execute(question)).scalar_one()

        return await self._database.read(look)

    async def snapshot(self, thread_id: str, tab: Tab) -> Snapshot | None:
        """What a tab should show now."""
        return await self._database.read(lambda connection: snapshot_of(connection, thread_id, tab))

    async def _replay_safely(self) -> bool:
        try:
            return (await self.replay()).failed == 0
        except (SobremesaError, TableError) as error:
            _log.warning("the outbox could not be read", error=str(error))
            return False

    async def _pending(self) -> AsyncIterator[Panel]:
        """The tabs that have something to show, those that wait longest first."""
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
        place = tuple_(panels.c.thread_id, panels.c.tab)
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
            page = every.where(place > (rows[-1].thread_id, rows[-1].tab))

    async def _apply(self, panel: Panel) -> bool | None:
        """Show one tab as it is now, and mark what that included: did the tab take it?

        None if nothing is left to show: another process does it, or has done it.
        """
        if self._database.is_postgres:
            return await self._apply_holding(panel)

        async def look(connection: AsyncConnection) -> tuple[Sequence[int], Snapshot | None]:
            return await _waiting(connection, panel), await snapshot_of(connection, *panel)

        waiting, snapshot = await self._database.read(look)
        if not waiting:
            return None
        shown = await self._show(panel, snapshot)
        await self._database.write(lambda connection: self._mark(connection, panel, waiting))
        return shown

    async def _apply_holding(self, panel: Panel) -> bool | None:
        """The same, while other processes leave these rows to us: they skip what is locked."""
        async with self._database.holding() as connection:
            waiting = await _waiting(connection, panel)
            if not waiting:
                return None
            # Read after the rows were locked, so it includes what each of them stands for.
            shown = await self._show(panel, await self.snapshot(*panel))
            await self._mark(connection, panel, waiting)
            return shown

    async def _show(self, panel: Panel, snapshot: Snapshot | None) -> bool:
        return snapshot is not None and await self._panels.show(*panel, snapshot.content, snapshot.source_version)

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
    """What waits in the outbox."""
    found = await connection.execute(select(func.count(), func.min(_row.created_at)).where(_row.applied_at.is_(None)))
    pending, oldest = found.one()
    return Status(pending, oldest)


async def _waiting(connection: AsyncConnection, panel: Panel) -> Sequence[int]:
    """The pending rows of a tab. PostgreSQL locks them, and leaves out those that another process works on."""
    found = await connection.execute(
        select(_row.id)
        .where(_row.thread_id == panel.thread_id, _row.tab == panel.tab, _row.applied_at.is_(None))
        .with_for_update(skip_locked=True)
    )
    return found.scalars().all()


async def _rows(connection: AsyncConnection, question: Select[Any]) -> Sequence[Row[Any]]:
    found: Sequence[Row[Any]] = (await connection.execute(question)).all()
    return found
