"""Snapshots: the content of a tab, built from the records in one transaction, within the size limit of a tab."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.domains.records import amendments, documents, expenses
from sobremesa.domains.records.schema import panels
from sobremesa.domains.records.views import Tab

MAX_ENTRIES = 200
"""How many of the newest entries of each kind a tab has; the routes list all."""
MAX_BYTES = 200_000
"""A tab may have 256 KB; the rest is for its other attributes and for the table's own overhead."""

_encode = msgspec.json.Encoder().encode


class Snapshot(NamedTuple):
    """The content of a tab, and its version."""

    content: dict[str, Any]
    source_version: int


async def snapshot_of(connection: AsyncConnection, thread_id: str, tab: Tab) -> Snapshot | None:
    """Return the snapshot of a tab in this transaction; None if the thread has no records for it."""
    found = await connection.execute(
        select(panels.c.source_version).where(panels.c.thread_id == thread_id, panels.c.tab == tab)
    )
    source_version = found.scalar()
    if source_version is None:
        return None
    content = await (_docs if tab == "docs" else _expenses)(connection, thread_id)
    return Snapshot(content, source_version)


async def _docs(connection: AsyncConnection, thread_id: str) -> dict[str, Any]:
    counts = {
        "documents": await documents.count(connection, thread_id),
        "amendments": await amendments.count(connection, thread_id),
    }
    papers = msgspec.to_builtins(await documents.newest(connection, thread_id, limit=MAX_ENTRIES))
    changes = msgspec.to_builtins(await amendments.newest(connection, thread_id, limit=MAX_ENTRIES))
    for change in changes:
        del change["payload"]  # it may be as large as a card, and the routes return it
    shown_papers = _fitting(papers, MAX_BYTES // 2)
    shown_changes = _fitting(changes, MAX_BYTES // 2)
    return {
        "documents": shown_papers,
        "amendments": shown_changes,
        "counts": counts,
        "truncated": len(shown_papers) < counts["documents"] or len(shown_changes) < counts["amendments"],
    }


async def _expenses(connection: AsyncConnection, thread_id: str) -> dict[str, Any]:
    totals = await expenses.totals(connection, thread_id)
    count = sum(total.count for total in totals)
    spent = msgspec.to_builtins(await expenses.newest(connection, thread_id, limit=MAX_ENTRIES))
    shown = _fitting(spent, MAX_BYTES)
    return {
        "expenses": shown,
        "totals": msgspec.to_builtins(totals),
        "counts": {"expenses": count},
        "truncated": len(shown) < count,
    }


def _fitting(entries: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return as many of the first entries as fit into a number of bytes."""
    size = 0
    for index, entry in enumerate(entries):
        size += len(_encode(entry))
        if size > limit:
            return entries[:index]
    return entries
