"""Records in SQLite.

Transactions take turns on one connection: with a rollback journal nothing can be read while a commit ends, so more
connections would only wait for each other in worse ways.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from sqlalchemy import AsyncAdaptedQueuePool, Connection, event
from sqlalchemy.ext.asyncio import create_async_engine

from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.database import WRITES, Database, to_json
from sobremesa.domains.records.errors import RecordsUnavailable

BUSY_SECONDS = 10
OWNER_ONLY = 0o600
TURN_SECONDS = 30


def sqlite_database(address: RecordsAddress) -> Database:
    """Return the database of a file or in memory; RecordsUnavailable if the file cannot be used."""
    _check_file(address)
    if address.file is not None:
        _make_private(Path(address.file))
    engine = create_async_engine(
        f"sqlite+aiosqlite:///{address.file}" if address.file else "sqlite+aiosqlite://",
        poolclass=AsyncAdaptedQueuePool,
        pool_size=1,
        max_overflow=0,
        pool_timeout=TURN_SECONDS,
        json_serializer=to_json,
    )
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return Database(address, engine)


def _check_file(address: RecordsAddress) -> None:
    """Refuse a file that cannot be opened: the driver would leave a thread behind."""
    if address.file is None:
        return
    file = Path(address.file)
    if not file.parent.is_dir():
        raise RecordsUnavailable(f"the records at {address} cannot be used: there is no folder {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.R_OK | os.W_OK):
        raise RecordsUnavailable(f"the records at {address} cannot be used: no permission to read and write there")


def _make_private(file: Path) -> None:
    """Create an empty file that only its owner can read, if there is none; its journal gets the same mode."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def _prepare(connection: Any, _record: Any) -> None:
    # Python would start transactions itself, and late; `_begin` starts them as reads or as writes.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_SECONDS * 1000}",
        "journal_mode=DELETE",  # some SQLite versions bundled with Python can corrupt a write-ahead log
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A write locks at once: of two transactions that first read and then write, one would fail.
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
