"""Snapshots: what a tab shows, made of the records at one moment, and never larger than a tab may be."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.domains.records import amendments, documents, expenses
from sobremesa.domains.records.schema import panels
from sobremesa.domains.records.views import Tab

MAX_ENTRIES = 200
"""Of each kind, the newest; the routes page through the rest."""
MAX_BYTES = 200_000
"""A tab holds 256 KB; the rest is left for its other attributes and for how a table counts."""

_encode = msgspec.json.Encoder().encode


class Snapshot(NamedTuple):
    """The content of a tab, and the version of the records that it shows."""

    content: dict[str, Any]
    source_version: int


async def snapshot_of(connection: AsyncConnection, thread_id: str, tab: Tab) -> Snapshot | None:
    """The snapshot of a tab at this transaction's moment; None if the thread has no records of it."""
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
        del change["payload"]  # it is as large as a card may be, and the routes have it
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
    """As many of the first entries as stay within so many bytes."""
    size = 0
    for place, entry in enumerate(entries):
        size += len(_encode(entry))
        if size > limit:
            return entries[:place]
    return entries
