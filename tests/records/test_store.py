"""The relational store: its schema, its migrations, and failures."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import structlog
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, inspect, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from records.conftest import migrated_file
from records.environment import BUYER, SELLER, SOON_SECONDS, THREAD, Environment, Roles, TablePanels, open_environment
from servers import Endpoint
from sobremesa.core.clock import SystemClock, instant
from sobremesa.core.errors import Busy
from sobremesa.core.ids import Ids
from sobremesa.domains.records import opening, sqlite
from sobremesa.domains.records.address import RecordsAddress, parse_records
from sobremesa.domains.records.database import Database
from sobremesa.domains.records.errors import RecordsTooNew, RecordsUnavailable
from sobremesa.domains.records.opening import RecordsStore, open_database
from sobremesa.domains.records.outbox import Outbox
from sobremesa.domains.records.panels import touch
from sobremesa.domains.records.schema import APPEND_ONLY, METADATA, REVISIONS
from sobremesa.domains.records.schema_upgrade import revisions
from sobremesa.table import Table

FIRST_PAUSE = 0.02
LOOK: dict[str, Callable[[Connection], Any]] = {
    "differences": lambda connection: compare_metadata(MigrationContext.configure(connection), METADATA),
    "checks": lambda connection: {
        (table, check["name"])
        for table in inspect(connection).get_table_names()
        for check in inspect(connection).get_check_constraints(table)
    },
}


async def look(database: Database, what: str) -> Any:
    async def work(connection: AsyncConnection) -> Any:
        return await connection.run_sync(LOOK[what])

    return await database.read(work)


async def run(database: Database, statement: str) -> None:
    async def work(connection: AsyncConnection) -> None:
        await connection.execute(text(statement))

    await database.write(work)


async def test_an_empty_store_gets_the_newest_schema_and_keeps_it(empty_address: RecordsAddress) -> None:
    for _ in range(3):
        database = await open_database(empty_address)
        assert await database.revision() == REVISIONS[-1]
        assert await look(database, "differences") == []
        await database.close()


async def test_migrations_create_every_constraint_of_the_schema(empty_address: RecordsAddress) -> None:
    database = await open_database(empty_address)

    found = await look(database, "checks")

    await database.close()
    wanted = {
        (table.name, constraint.name)
        for table in METADATA.tables.values()
        for constraint in table.constraints
        if isinstance(constraint, CheckConstraint)
    }
    assert found == wanted


def test_every_migration_is_listed_in_order() -> None:
    assert revisions() == REVISIONS


async def test_concurrent_opens_migrate_an_empty_store_once(empty_address: RecordsAddress) -> None:
    databases = await asyncio.gather(*(open_database(empty_address) for _ in range(6)))

    for database in databases:
        assert await database.revision() == REVISIONS[-1]
        await database.close()


async def test_a_store_of_a_newer_version_is_refused_and_left_alone(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table) as env:
        await env.spend()
        await run(env.outbox._database, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(RecordsTooNew, match=r"have schema 9999, which is newer"):
        await open_database(address)
    store = archive_of(address, table)
    with pytest.raises(RecordsTooNew):
        await store.prepare()


async def test_append_only_rows_cannot_be_changed_or_deleted(env: Environment) -> None:
    created = await env.records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it.")
    await env.records.sign(BUYER, THREAD, created.document_id, version=1)
    await env.records.record_amendment(
        THREAD,
        card_message_id="01JCARD",
        summary="A day more",
        payload={},
        accepted_by="buyer-1",
        accepted_at=created.created_at,
    )
    columns = {"document_versions": "note", "signatures": "role", "amendments": "summary", "history": "action"}

    for name in APPEND_ONLY:
        for statement in (f"UPDATE {name} SET {columns[name]} = 'buyer'", f"DELETE FROM {name}"):
            with pytest.raises(DBAPIError, match=f"{name} is append-only"):
                await run(env.outbox._database, statement)


async def test_the_store_itself_refuses_an_expense_that_breaks_a_rule(env: Environment) -> None:
    await env.spend()

    for change in (
        "amount = 0",
        "currency = 'eur'",
        "state = 'paid'",
        "state = 'approved'",
        "state = 'approved', decided_by = created_by, decided_at = created_at",
    ):
        with pytest.raises(IntegrityError):
            await run(env.outbox._database, f"UPDATE expenses SET {change}")


async def test_sqlite_writes_through_a_rollback_journal_to_the_disk(tmp_path: Path) -> None:
    database = await open_database(RecordsAddress(file=str(tmp_path / "records.db")))

    async def pragmas(connection: AsyncConnection) -> list[Any]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return [(await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in names]

    assert await database.read(pragmas) == ["delete", 2, 1, 10_000]
    await database.close()


async def test_records_in_memory_are_one_store_for_all_callers(table: Table) -> None:
    async with open_environment(RecordsAddress(), table) as env:
        await asyncio.gather(*(env.spend() for _ in range(10)))

        assert (await env.records.list_expenses(BUYER, THREAD)).totals[0].count == 10


async def cancel_some(env: Environment) -> None:
    """Add expenses, cancelled at every possible point."""
    for turns in range(12):
        spending = asyncio.create_task(env.spend())
        for _ in range(turns):
            await asyncio.sleep(0)
        spending.cancel()
        await asyncio.wait([spending])


async def test_cancelled_caller_leaves_whole_transactions(address: RecordsAddress, table: Table) -> None:
    async with open_environment(address, table) as env:
        await cancel_some(env)
        await env.spend()

    async with open_environment(address, table) as env:
        page = await env.records.list_expenses(BUYER, THREAD)
        assert page.totals[0].count == len(page.items) == await env.source_version("expenses")


async def test_cancelled_caller_does_not_lose_records_in_memory(table: Table) -> None:
    async with open_environment(RecordsAddress(), table) as env:
        first = await env.spend()
        await cancel_some(env)
        await env.spend()

        page = await env.records.list_expenses(BUYER, THREAD)
        assert page.items[-1] == first
        assert len(page.items) == await env.source_version("expenses")


async def test_transactions_that_read_before_they_write_wait_for_each_other(address: RecordsAddress) -> None:
    one, two = await open_database(address), await open_database(address)
    met = asyncio.Barrier(2)

    async def write(database: Database) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(text("SELECT count(*) FROM panels"))
            await asyncio.sleep(0.005)
            await touch(connection, THREAD, "docs", instant(0))

        for _ in range(5):
            await met.wait()
            await database.write(work)

    await asyncio.gather(write(one), write(two))

    async def versions(connection: AsyncConnection) -> Any:
        return (await connection.execute(text("SELECT source_version FROM panels"))).scalar()

    assert await one.read(versions) == 10
    await one.close()
    await two.close()


async def test_file_locked_by_another_process_is_busy(
    tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    path = tmp_path / "records.db"
    async with open_environment(RecordsAddress(file=str(path)), table) as env:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordsUnavailable, match="locked"):
            await env.spend()
        holder.execute("ROLLBACK")
        holder.close()

        assert (await env.spend()).amount == 1250


async def test_closed_connections_are_reopened(address: RecordsAddress, table: Table, postgres: Endpoint) -> None:
    async with open_environment(address, table) as env:
        await asyncio.gather(*(env.spend() for _ in range(5)))
        if address.postgres:
            name = address.postgres.rpartition("/")[2]
            connection = await asyncpg.connect(postgres.url)
            await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
            await connection.close()

        await asyncio.gather(*(env.spend() for _ in range(5)))

        assert await env.source_version("expenses") == 10


def archive_of(address: RecordsAddress, table: Table) -> RecordsStore:
    clock = SystemClock()
    return RecordsStore(address, clock, Ids(clock), parties=Roles(), panels=TablePanels(table))


def unreachable(kind: str, tmp_path: Path, postgres: Endpoint) -> RecordsAddress:
    match kind:
        case "no server":
            return parse_records("postgresql://ana:hunter2@127.0.0.1:1/chat")
        case "no database":
            return parse_records(postgres.url.replace("postgres@", "postgres:hunter2@").removesuffix("postgres") + "x")
        case "no such user":
            return parse_records(postgres.url.replace("postgres@", "nobody:hunter2@"))
        case "no folder":
            return RecordsAddress(file=str(tmp_path / "nowhere" / "records.db"))
        case _:
            (tmp_path / "chat.txt").write_text("This is no database. " * 100)
            return RecordsAddress(file=str(tmp_path / "chat.txt"))


@pytest.mark.parametrize("kind", ["no server", "no database", "no such user", "no folder", "another file"])
async def test_unavailable_store_is_one_error_without_a_password(
    kind: str, tmp_path: Path, postgres: Endpoint, table: Table
) -> None:
    address = unreachable(kind, tmp_path, postgres)
    store = archive_of(address, table)

    with pytest.raises(RecordsUnavailable, match="the records at") as refused:
        await store.outbox()

    assert isinstance(refused.value, Busy)
    assert "hunter2" not in str(refused.value)
    await store.prepare()
    await store.close()


async def test_nothing_is_created_before_first_use(tmp_path: Path, table: Table) -> None:
    path = tmp_path / "records.db"
    store = archive_of(RecordsAddress(file=str(path)), table)
    running = asyncio.create_task(store.run())
    await store.prepare()
    await asyncio.sleep(0)

    assert not path.exists()
    await store.outbox()
    assert path.exists()
    running.cancel()
    await asyncio.wait([running])
    await store.close()


async def test_libraries_are_loaded_only_when_they_are_needed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = (
        "import asyncio, sys\n"
        "import sobremesa.app, sobremesa.domains.records.api\n"
        "from sobremesa.domains.records.address import RecordsAddress\n"
        "from sobremesa.domains.records.opening import open_database\n"
        "async def main():\n"
        "    for file in (None, *sys.argv[1:]):\n"
        "        if file is not None:\n"
        "            await (await open_database(RecordsAddress(file=file))).close()\n"
        "        names = ('sqlalchemy', 'aiosqlite', 'alembic', 'asyncpg')\n"
        "        print(*(name for name in names if name in sys.modules), sep=', ')\n"
        "asyncio.run(main())\n"
    )
    files = [str(await migrated_file(tmp_path_factory.getbasetemp())), str(tmp_path / "new.db")]

    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, *files, stdout=subprocess.PIPE)
    output, _ = await process.communicate()

    # Nothing without records, no alembic where the schema is up to date, and no asyncpg with SQLite.
    assert output.decode().splitlines() == ["", "sqlalchemy, aiosqlite", "sqlalchemy, aiosqlite, alembic"]


async def test_background_task_finds_records_created_later(
    postgres: Endpoint, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "FIRST_PAUSE_SECONDS", FIRST_PAUSE)
    address = parse_records(postgres.url.removesuffix("postgres") + "later")
    connection = await asyncpg.connect(postgres.url)
    store = archive_of(address, table)
    panels = store._panels
    assert isinstance(panels, TablePanels)
    with structlog.testing.capture_logs() as logged:
        running = asyncio.create_task(store.run())
        async with asyncio.timeout(SOON_SECONDS):
            while not logged:
                await asyncio.wait([running], timeout=FIRST_PAUSE)
        await connection.execute("CREATE DATABASE later")
        records = store.records
        await records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it.")
        await panels.until(lambda: panels.versions == [1])

    assert {line["event"] for line in logged} == {"could not open the records"}
    running.cancel()
    await asyncio.wait([running])
    await store.close()
    await connection.execute("DROP DATABASE later")
    await connection.close()


async def test_unreadable_outbox_is_read_later(tmp_path: Path, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    path = tmp_path / "records.db"
    async with open_environment(RecordsAddress(file=str(path)), table) as env:
        await env.spend()
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        patient = Outbox(env.outbox._database, SystemClock(), env.panels, poll_seconds=FIRST_PAUSE)
        with structlog.testing.capture_logs() as logged:
            running = asyncio.create_task(patient.run())
            async with asyncio.timeout(SOON_SECONDS):
                while not logged:
                    await asyncio.wait([running], timeout=FIRST_PAUSE)
            holder.execute("ROLLBACK")
            holder.close()
            await env.panels.until(lambda: env.panels.versions == [1])

        assert {line["event"] for line in logged} == {"could not read the outbox"}
        running.cancel()
        await asyncio.wait([running])
