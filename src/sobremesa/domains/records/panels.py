"""What a change of records does to its tab: the tab's version grows, and the outbox takes note, in one transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table, func, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.schema import outbox, panels
from sobremesa.domains.records.views import Tab


async def touch(connection: AsyncConnection, thread_id: str, tab: Tab, now: Instant, *, at_least: int = 1) -> int:
    """The next version of a tab, noted in the outbox.

    The row of the tab stays locked until the transaction ends, so that writers of one tab come one after the other. A
    verb that looks before it writes therefore touches first.
    """
    grown = panels.c.source_version + 1
    next_version = grown if at_least == 1 else _greatest(connection, grown, at_least)
    made = await connection.execute(
        upsert(connection, panels)
        .values(thread_id=thread_id, tab=tab, source_version=at_least)
        .on_conflict_do_update(index_elements=["thread_id", "tab"], set_={"source_version": next_version})
        .returning(panels.c.source_version)
    )
    source_version: int = made.scalar_one()
    await connection.execute(
        insert(outbox).values(thread_id=thread_id, tab=tab, source_version=source_version, created_at=now)
    )
    return source_version


def upsert(connection: AsyncConnection, table: Table) -> Any:
    """An insert that may say what to do about a row that is there: both dialects spell it alike."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def _greatest(connection: AsyncConnection, grown: Any, at_least: int) -> Any:
    function = func.greatest if connection.dialect.name == "postgresql" else func.max
    return function(grown, at_least)
