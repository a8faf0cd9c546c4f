"""A thread with participants, and tabs in a table: the surroundings of records."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.records.outbox import Outbox
from sobremesa.domains.records.protocols import Files
from sobremesa.domains.records.service import Records
from sobremesa.domains.records.views import Expense, Tab
from sobremesa.table import Entity, Keys, Put, Table, less_if_present
from sobremesa.table.errors import ConditionFailed

THREAD = "01JGSYB3ZZ4Q0X5V6W7E8R9T0A"
BUYER = Actor.of_user(UserId("buyer-1"), "bea")
SELLER = Actor.of_user(UserId("seller-1"), "sol")
OTHER_SELLER = Actor.of_user(UserId("seller-2"), "sam")
ADMIN = Actor.of_user(UserId("admin-1"), "ada")
STRANGER = Actor.of_user(UserId("stranger-1"), "stan")
ROLES = {"buyer-1": "buyer", "seller-1": "seller", "seller-2": "seller", "admin-1": "admin"}
SOON_SECONDS = 60.0
DAY = date(2026, 11, 16)


class Roles:
    """The same participants in every thread."""

    async def require_party(self, actor: Actor, thread_id: str) -> str:
        if actor.user not in ROLES or not thread_id:
            raise NotFound
        return ROLES[actor.user_id]


class Shown(Entity):
    """A tab of a thread."""

    keys = Keys(pk="THR#{thread_id}", sk="TAB#{tab}")

    thread_id: str
    tab: str
    content: dict[str, Any]
    source_version: int


class TablePanels:
    """Tabs in a table, whose writes can be made to fail."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.broken = False
        self.failures = 0
        self.versions: list[int] = []
        self._happened = asyncio.Condition()

    async def put_snapshot(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
        try:
            return await self._put(thread_id, tab, content, source_version)
        finally:
            async with self._happened:
                self._happened.notify_all()

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait until a number of writes succeeded or failed."""
        async with asyncio.timeout(SOON_SECONDS), self._happened:
            await self._happened.wait_for(happened)

    async def _put(self, thread_id: str, tab: Tab, content: Any, source_version: int) -> bool:
        if self.broken:
            self.failures += 1
            raise RuntimeError("the table is on fire")
        shown = Shown(thread_id=thread_id, tab=tab, content=content, source_version=source_version)
        try:
            await self.table.write(Put(shown, when=less_if_present("source_version", source_version)))
        except ConditionFailed:
            return False
        self.versions.append(source_version)
        return True

    async def tab(self, tab: Tab, thread_id: str = THREAD) -> Shown | None:
        return await self.table.get(Shown.key(thread_id=thread_id, tab=tab), consistent=True)


class Environment:
    """Open records, and their tabs."""

    def __init__(self, store: RecordsStore, records: Records, outbox: Outbox, panels: TablePanels) -> None:
        self.store = store
        self.records = records
        self.outbox = outbox
        self.panels = panels

    async def spend(self, amount: int = 1250, *, by: Actor = SELLER, thread: str = THREAD, **given: Any) -> Expense:
        asked: dict[str, Any] = {"title": "Train", "currency": "EUR", "category": "travel", "incurred_on": DAY} | given
        return await self.records.add_expense(by, thread, amount=amount, **asked)

    async def source_version(self, tab: Tab, thread: str = THREAD) -> int:
        snapshot = await self.outbox.snapshot(thread, tab)
        return 0 if snapshot is None else snapshot.source_version


@asynccontextmanager
async def open_environment(
    address: RecordsAddress, table: Table, *, clock: Clock | None = None, files: Files | None = None
) -> AsyncIterator[Environment]:
    clock = clock or SystemClock()
    panels = TablePanels(table)
    store = RecordsStore(
        address, clock, Ids(clock), parties=Roles(), panels=panels, files=files, secret=b"a secret of the tests"
    )
    try:
        yield Environment(store, store.records, await store.outbox(), panels)
    finally:
        await store.close()
