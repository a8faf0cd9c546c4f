"""The relational store: transactions, and foreign errors turned into ours at this border.

A transaction runs in a task of its own and goes on to its end even if whoever waits for it is cancelled: a connection
is never left in the middle of something.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, NoReturn, TypeAlias, TypeVar

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
"""The option of a connection that is going to write."""
# PostgreSQL's codes: a serialisation failure, a deadlock.
LOST_RACES = ("40001", "40P01")
# Connection, user, database, resources, a lock that took too long, an operator: the server, not the statement.
UNUSABLE_CLASSES = ("08", "28", "3D", "53", "55", "57", "58")
DATA_CLASS = "22"
FOREIGN = (DBAPIError, NoConnection, OSError)

_encode = msgspec.json.Encoder(decimal_format="number").encode


class Database:
    """An open relational store."""

    def __init__(self, address: RecordsAddress, engine: AsyncEngine, foreign: tuple[type[Exception], ...] = ()) -> None:
        """`foreign` are errors of the driver that SQLAlchemy lets through."""
        self.address = address
        self.is_postgres = address.postgres is not None
        self._engine = engine
        self._writing = engine.execution_options(**{WRITES: True})
        self._reading = engine
        if self.is_postgres:
            self._reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._under_way: set[asyncio.Task[Any]] = set()

    async def write(self, work: Work[T]) -> T:
        """Do the work in one transaction that is committed when it ends, and undone when it raises.

        The work may be done again from the start where the store asks for that, so it must touch nothing else.
        """
        return await self._kept(self._repeated(self._writing, work))

    async def read(self, work: Work[T]) -> T:
        """Do the work in one transaction that sees one moment of the store."""
        return await self._kept(self._repeated(self._reading, work))

    @asynccontextmanager
    async def holding(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of PostgreSQL that holds its locks while other things are done."""
        try:
            async with self._writing.begin() as connection:
                yield connection
        except FOREIGN as error:
            self._tell(error)

    async def revision(self) -> str | None:
        """The revision of the schema; None of an empty store."""

        async def look(connection: AsyncConnection) -> str | None:
            return await connection.run_sync(revision_of)

        return await self.read(look)

    async def close(self) -> None:
        """Let what is under way end, and close every connection."""
        while self._under_way:
            await asyncio.wait(self._under_way)
        await self._engine.dispose()

    async def _kept(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited may be gone, and then nobody else takes it

    async def _repeated(self, engine: AsyncEngine, work: Work[T]) -> T:
        attempt = 1
        while True:
            try:
                async with engine.begin() as connection:
                    return await work(connection)
            except FOREIGN as error:
                if attempt == ATTEMPTS or _sqlstate(error) not in LOST_RACES:
                    self._tell(error)
            await asyncio.sleep(PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311 - only jitter
            attempt += 1

    def _tell(self, error: Exception) -> NoReturn:
        """Raise what a caller can understand; the error itself if it is a mistake of ours."""
        state = _sqlstate(error)
        if isinstance(error, DataError) or state.startswith(DATA_CLASS):
            raise Invalid("A text has a character, or a number a size, that the records cannot keep.") from error
        known = not isinstance(error, DBAPIError) or isinstance(error, (OperationalError, InterfaceError))
        if known or state in LOST_RACES or state[:2] in UNUSABLE_CLASSES or _is_broken(error):
            reason = getattr(error, "orig", None) or error
            raise RecordsUnavailable(f"the records at {self.address} cannot be used: {reason}") from error
        raise error


def revision_of(connection: Connection) -> str | None:
    """The revision of the schema; None of an empty store."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def to_json(value: object) -> str:
    """The text of a column of JSON."""
    return _encode(value).decode()


def _sqlstate(error: BaseException) -> str:
    return getattr(getattr(error, "orig", error), "sqlstate", None) or ""


def _is_broken(error: Exception) -> bool:
    """Is the connection gone, or the file no database?"""
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or "file is not a database" in str(error.orig)
    )
