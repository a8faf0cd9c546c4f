"""`address` is a store without records, once in SQLite and once in PostgreSQL; `table` is a table on a file."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from records.world import World, open_world
from servers import Endpoint
from sobremesa.domains.records.address import RecordsAddress, parse_records
from sobremesa.domains.records.opening import open_database
from sobremesa.table import Table, open_engine

TEMPLATE = "records_template"


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordsAddress]:
    if request.param == "sqlite":
        yield RecordsAddress(file=str(tmp_path / "chat.db.records"))
        return
    async with new_database(request.getfixturevalue("postgres")) as created:
        yield created


@pytest.fixture(params=["sqlite", "postgres"])
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordsAddress]:
    if request.param == "sqlite":
        yield RecordsAddress(file=str(tmp_path / "chat.db.records"))
        return
    async with new_database(request.getfixturevalue("postgres"), migrated=True) as created:
        yield created


@asynccontextmanager
async def new_database(server: Endpoint, *, migrated: bool = False) -> AsyncIterator[RecordsAddress]:
    """A database of its own: an empty one, or a copy of one that was migrated once, which is faster."""
    name = f"records_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server.url)
    if migrated and not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", TEMPLATE):
        await connection.execute(f"CREATE DATABASE {TEMPLATE}")
        await (await open_database(parse_records(f"{server.url.removesuffix('postgres')}{TEMPLATE}"))).close()
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE if migrated else 'template1'}")
    try:
        yield parse_records(f"{server.url.removesuffix('postgres')}{name}")
    finally:
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await connection.close()


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    engine = await open_engine(f"sqlite:///{tmp_path / 'chat.db'}", janitor=False)
    await engine.create_table()
    table = Table(engine)
    yield table
    await table.close()


@pytest.fixture
async def world(address: RecordsAddress, table: Table) -> AsyncIterator[World]:
    async with open_world(address, table) as world:
        yield world
