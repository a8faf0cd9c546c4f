"""Increments the version of a tab and adds an outbox row, in the transaction of a change."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table, func, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.schema import outbox, panels
from sobremesa.domains.records.views import Tab


async def touch(connection: AsyncConnection, thread_id: str, tab: Tab, now: Instant, *, at_least: int = 1) -> int:
    """Increment the version of a tab, add it to the outbox, and return it.

    The row of the tab stays locked until the transaction ends, so that writers of one tab are serialized. A method
    that reads before it writes therefore calls this first.
    """
    grown = panels.c.source_version + 1
    next_version = grown if at_least == 1 else _greatest(connection, grown, at_least)
    updated = await connection.execute(
        upsert(connection, panels)
        .values(thread_id=thread_id, tab=tab, source_version=at_least)
        .on_conflict_do_update(index_elements=["thread_id", "tab"], set_={"source_version": next_version})
        .returning(panels.c.source_version)
    )
    source_version: int = updated.scalar_one()
    await connection.execute(
        insert(outbox).values(thread_id=thread_id, tab=tab, source_version=source_version, created_at=now)
    )
    return source_version


def upsert(connection: AsyncConnection, table: Table) -> Any:
    """Return an insert with `on_conflict_...` methods, which both dialects spell alike."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def _greatest(connection: AsyncConnection, grown: Any, at_least: int) -> Any:
    function = func.greatest if connection.dialect.name == "postgresql" else func.max
    return function(grown, at_least)
