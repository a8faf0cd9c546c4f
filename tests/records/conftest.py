"""`address` is an empty store, once in SQLite and once in PostgreSQL; `table` is a table on a file."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from records.world import World, open_world
from servers import Endpoint
from servers.postgres import start_postgres
from sobremesa.records.address import RecordsAddress, parse_records
from sobremesa.table import Table, open_engine


@pytest.fixture(scope="session")
def postgres() -> Iterator[Endpoint]:
    with start_postgres() as endpoint:
        yield endpoint


@pytest.fixture(params=["sqlite", "postgres"])
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RecordsAddress]:
    if request.param == "sqlite":
        yield RecordsAddress(file=str(tmp_path / "chat.db.records"))
        return
    server: Endpoint = request.getfixturevalue("postgres")
    name = f"records_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server.url)
    await connection.execute(f"CREATE DATABASE {name}")
    yield parse_records(server.url.removesuffix("postgres") + name)
    await connection.execute(f"DROP DATABASE {name}")
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
