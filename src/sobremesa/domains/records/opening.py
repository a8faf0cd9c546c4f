"""Opens the records on first use, which loads SQLAlchemy."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.errors import RecordsTooNew, RecordsUnavailable
from sobremesa.domains.records.protocols import Files, Panels, Parties

if TYPE_CHECKING:
    from sobremesa.domains.records.database import Database, Work
    from sobremesa.domains.records.outbox import Outbox
    from sobremesa.domains.records.service import Records

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0

_log = structlog.get_logger("sobremesa.domains.records")


class Opened(NamedTuple):
    """The parts of an open records store."""

    database: Database
    outbox: Outbox


class RecordsStore:
    """The records of one table, opened (and created) on first use."""

    def __init__(
        self,
        address: RecordsAddress,
        clock: Clock,
        ids: Ids,
        *,
        parties: Parties,
        panels: Panels,
        files: Files | None = None,
        secret: bytes = b"",
    ) -> None:
        """`secret` seals the cursors of lists, so that clients cannot forge one."""
        self.address = address
        self._clock = clock
        self._ids = ids
        self._parties = parties
        self._panels = panels
        self._files = files
        self._secret = secret
        self._opened: Opened | None = None
        self._opening = asyncio.Lock()
        self._is_open = asyncio.Event()

    @cached_property
    def records(self) -> Records:
        """The service, whose verbs open the store on first use; RecordsUnavailable if it cannot be opened."""
        from sobremesa.domains.records.service import Records

        return Records(
            self,
            self._clock,
            self._ids,
            parties=self._parties,
            files=self._files,
            nudge=self._nudge,
            secret=self._secret,
        )

    async def write(self, work: Work[T]) -> T:
        """Run the work in a transaction; RecordsUnavailable if the store cannot be opened."""
        return await (await self._open()).database.write(work)

    async def read(self, work: Work[T]) -> T:
        """Run the work in a read transaction; RecordsUnavailable if the store cannot be opened."""
        return await (await self._open()).database.read(work)

    async def outbox(self) -> Outbox:
        """Return the outbox; RecordsUnavailable if the store cannot be opened."""
        return (await self._open()).outbox

    async def prepare(self) -> None:
        """Raise RecordsTooNew at startup. A store that is not available may come back, and is only logged."""
        if not self.address.may_exist():
            return
        try:
            await self._open()
        except RecordsTooNew:
            raise
        except RecordsUnavailable as error:
            _log.warning("the records are not available yet", error=str(error))

    async def run(self) -> None:
        """Run the outbox until cancelled. Where there are no records yet, wait for the first."""
        if not self.address.may_exist():
            await self._is_open.wait()
        await (await self._open_with_retries()).outbox.run()

    async def close(self) -> None:
        """Wait for running transactions, and close all connections."""
        if self._opened is not None:
            await self._opened.database.close()
            self._opened = None

    async def _open_with_retries(self) -> Opened:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self._open()
            except RecordsUnavailable as error:
                _log.warning("could not open the records", error=str(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _open(self) -> Opened:
        if self._opened is None:
            async with self._opening:
                if self._opened is None:
                    self._opened = await self._open_parts()
                    self._is_open.set()
        return self._opened

    async def _open_parts(self) -> Opened:
        database = await open_database(self.address)
        from sobremesa.domains.records.outbox import Outbox

        return Opened(database, Outbox(database, self._clock, self._panels))

    def _nudge(self) -> None:
        if self._opened is not None:
            self._opened.outbox.nudge()


async def open_database(address: RecordsAddress, *, migrate: bool = True) -> Database:
    """Open a database and upgrade its schema; RecordsTooNew if its schema is newer than this version.

    Without `migrate` the schema is left as it is, and may lack what the service needs.
    """
    database = _database(address)
    try:
        await _check_schema(database, migrate=migrate)
    except BaseException:
        await database.close()
        raise
    return database


def _database(address: RecordsAddress) -> Database:
    if address.postgres is not None:
        from sobremesa.domains.records.postgres import postgres_database

        return postgres_database(address)
    from sobremesa.domains.records.sqlite import sqlite_database

    return sqlite_database(address)


async def _check_schema(database: Database, *, migrate: bool) -> None:
    from sobremesa.domains.records.schema import REVISIONS

    revision = await database.revision()
    if revision is not None and revision not in REVISIONS:
        raise RecordsTooNew(
            f"the records at {database.address} have schema {revision}, which is newer than this version of"
            f" Sobremesa knows ({REVISIONS[-1]}): use the version that wrote them, or a later one"
        )
    if migrate and revision != REVISIONS[-1]:
        # Alembic is loaded only if there is something to upgrade.
        from sobremesa.domains.records.schema_upgrade import upgrade

        await database.write(lambda connection: connection.run_sync(upgrade))
