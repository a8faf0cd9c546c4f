"""Copying all records from one database to another, also between SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.errors import SobremesaError
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.database import Database
from sobremesa.domains.records.opening import open_database
from sobremesa.domains.records.schema import METADATA

ROWS_AT_ONCE = 500


class RecordsNotEmpty(SobremesaError):
    """The database to copy to has records."""


async def copy_records(source: RecordsAddress, target: RecordsAddress) -> int:
    """Copy all rows in one transaction into a database without records; return how many."""
    one = await open_database(source)
    try:
        other = await open_database(target)
        try:
            return await other.write(lambda connection: _copy(one, other, connection))
        finally:
            await other.close()
    finally:
        await one.close()


async def _copy(one: Database, other: Database, target: AsyncConnection) -> int:
    copied = 0

    async def copy_all(source: AsyncConnection) -> None:
        nonlocal copied
        copied = 0
        for table in METADATA.sorted_tables:
            if (await target.execute(select(func.count()).select_from(table))).scalar_one():
                raise RecordsNotEmpty(f"the records at {other.address} are not empty: choose a new database")
            rows = await source.stream(select(table).execution_options(yield_per=ROWS_AT_ONCE))
            async for some in rows.mappings().partitions(ROWS_AT_ONCE):
                await target.execute(insert(table), [dict(row) for row in some])
                copied += len(some)

    await one.read(copy_all)
    if other.is_postgres:
        await _continue_numbers(target)
    return copied


async def _continue_numbers(target: AsyncConnection) -> None:
    """Let the numbers that PostgreSQL gives to new rows continue after the copied ones."""
    for table in METADATA.sorted_tables:
        if table.autoincrement_column is not None and table.autoincrement_column.autoincrement is True:
            column = table.autoincrement_column.name
            await target.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', '{column}'), "  # noqa: S608 - our own names
                    f"(SELECT coalesce(max({column}), 0) + 1 FROM {table.name}), false)"
                )
            )
