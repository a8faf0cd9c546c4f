"""The relational database: transactions, with driver errors translated to the application's own.

A transaction runs in its own task and completes even if its caller is cancelled, so that no connection is left in the
middle of one.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar

import msgspec
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sobremesa.core.errors import Invalid
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.errors import RecordsUnavailable

T = TypeVar("T")
Work: TypeAlias = Callable[[AsyncConnection], Awaitable[T]]

ATTEMPTS = 5
PAUSE_SECONDS = 0.02

WRITES = "sobremesa_writes"
"""The execution option of connections that will write."""
# PostgreSQL's codes: a serialization failure, a deadlock.
LOST_RACES = ("40001", "40P01")
# Connection, user, database, resources, lock timeout, operator: faults of the server, not of the statement.
UNUSABLE_CLASSES = ("08", "28", "3D", "53", "55", "57", "58")
DATA_CLASS = "22"
DRIVER_ERRORS = (DBAPIError, NoConnection, OSError)

_encode = msgspec.json.Encoder(decimal_format="number").encode


class Transactions(Protocol):
    """Runs work in transactions."""

    async def write(self, work: Work[T]) -> T: ...

    async def read(self, work: Work[T]) -> T: ...


class Database:
    """An open relational database."""

    def __init__(self, address: RecordsAddress, engine: AsyncEngine) -> None:
        self.address = address
        self.is_postgres = address.postgres is not None
        self._engine = engine
        self._writing = engine.execution_options(**{WRITES: True})
        self._reading = engine
        if self.is_postgres:
            self._reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._running: set[asyncio.Task[Any]] = set()

    async def write(self, work: Work[T]) -> T:
        """Run the work in a transaction, which is committed when it returns and rolled back when it raises.

        After a lost race the work runs again from the start, so it must have no other side effects.
        """
        return await self._shielded(self._with_retries(self._writing, work))

    async def read(self, work: Work[T]) -> T:
        """Run the work in a read transaction, with one consistent snapshot."""
        return await self._shielded(self._with_retries(self._reading, work))

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[AsyncConnection]:
        """Open a PostgreSQL transaction that keeps its row locks inside the block."""
        try:
            async with self._writing.begin() as connection:
                yield connection
        except DRIVER_ERRORS as error:
            self._raise_known(error)

    async def revision(self) -> str | None:
        """Return the revision of the schema; None for an empty database."""

        async def load(connection: AsyncConnection) -> str | None:
            return await connection.run_sync(revision_of)

        return await self.read(load)

    async def close(self) -> None:
        """Wait for running transactions, and close all connections."""
        while self._running:
            await asyncio.wait(self._running)
        await self._engine.dispose()

    async def _shielded(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._on_done)
        return await asyncio.shield(task)

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may be gone, and asyncio would log an unretrieved exception

    async def _with_retries(self, engine: AsyncEngine, work: Work[T]) -> T:
        attempt = 1
        while True:
            try:
                async with engine.begin() as connection:
                    return await work(connection)
            except DRIVER_ERRORS as error:
                if attempt == ATTEMPTS or _sqlstate(error) not in LOST_RACES:
                    self._raise_known(error)
            await asyncio.sleep(PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311 - only jitter
            attempt += 1

    def _raise_known(self, error: Exception) -> NoReturn:
        """Raise the application's error for a driver error; the error itself if it is a bug."""
        state = _sqlstate(error)
        if isinstance(error, DataError) or state.startswith(DATA_CLASS):
            raise Invalid("The records cannot store a character of a text, or a number of this size.") from error
        known = not isinstance(error, DBAPIError) or isinstance(error, (OperationalError, InterfaceError))
        if known or state in LOST_RACES or state[:2] in UNUSABLE_CLASSES or _is_broken(error):
            reason = getattr(error, "orig", None) or error
            raise RecordsUnavailable(f"the records at {self.address} cannot be used: {reason}") from error
        raise error


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the schema; None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def to_json(value: object) -> str:
    """Encode the value of a JSON column."""
    return _encode(value).decode()


def _sqlstate(error: BaseException) -> str:
    return getattr(getattr(error, "orig", error), "sqlstate", None) or ""


def _is_broken(error: Exception) -> bool:
    """Return whether the connection is lost, or the file is not a database."""
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or "file is not a database" in str(error.orig)
    )
