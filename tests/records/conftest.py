"""`address` is a store without records, once in SQLite and once in PostgreSQL, and `empty_address` one without tables;
`table` is a table on a file."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from records.environment import Environment, open_environment
from servers import Endpoint
from sobremesa.domains.records.address import RecordsAddress, parse_records
from sobremesa.domains.records.opening import open_database
from sobremesa.domains.records.schema import METADATA, REVISIONS
from sobremesa.table import Table, open_engine

MIGRATED = "records_migrated"
"""The database, or the file, whose schema is created once for each worker."""


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordsAddress]:
    if request.param == "sqlite":
        yield RecordsAddress(file=str(tmp_path / "chat.db.records"))
        return
    server: Endpoint = request.getfixturevalue("postgres")
    name = f"records_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server.url)
    await connection.execute(f"CREATE DATABASE {name}")
    try:
        yield database_of(server, name)
    finally:
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await connection.close()


@pytest.fixture(params=["sqlite", "postgres"])
async def address(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> RecordsAddress:
    if request.param == "sqlite":
        file = tmp_path / "chat.db.records"
        shutil.copy(await migrated_file(tmp_path_factory.getbasetemp()), file)
        return RecordsAddress(file=str(file))
    return await emptied_database(request.getfixturevalue("postgres"))


async def migrated_file(folder: Path) -> Path:
    file = folder / MIGRATED
    if not file.exists():
        await (await open_database(RecordsAddress(file=str(file)))).close()
    return file


async def emptied_database(server: Endpoint) -> RecordsAddress:
    """Return the same database for each test, without the rows of the last one.

    The first connection to a new database takes a tenth of a second: PostgreSQL has nothing cached for it.
    """
    address = database_of(server, MIGRATED)
    connection = await asyncpg.connect(server.url)
    if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", MIGRATED):
        await connection.execute(f"CREATE DATABASE {MIGRATED}")
        await (await open_database(address)).close()
    await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", MIGRATED)
    await connection.close()
    connection = await asyncpg.connect(f"{server.url.removesuffix('postgres')}{MIGRATED}")
    # A replica runs no triggers, which would refuse to delete rows that are never to be deleted.
    deletions = [f"DELETE FROM {table}" for table in METADATA.tables]
    restarts = [f"ALTER SEQUENCE {table}_id_seq RESTART" for table in ("history", "outbox")]
    revision = f"UPDATE alembic_version SET version_num = '{REVISIONS[-1]}'"
    await connection.execute("; ".join(["SET session_replication_role = replica", *deletions, *restarts, revision]))
    await connection.close()
    return address


def database_of(server: Endpoint, name: str) -> RecordsAddress:
    return parse_records(f"{server.url.removesuffix('postgres')}{name}")


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    engine = await open_engine(f"sqlite:///{tmp_path / 'chat.db'}", janitor=False)
    await engine.create_table()
    table = Table(engine)
    yield table
    await table.close()


@pytest.fixture
async def env(address: RecordsAddress, table: Table) -> AsyncIterator[Environment]:
    async with open_environment(address, table) as env:
        yield env
