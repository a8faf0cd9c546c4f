"""SQL statements for amendments."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.domains.records.panels import upsert
from sobremesa.domains.records.schema import amendments, documents
from sobremesa.domains.records.views import Amendment

_amendment = amendments.c


async def add(connection: AsyncConnection, amendment: Amendment) -> bool:
    """Insert an amendment; False if its card has one already.

    A document of another thread is left out: a card may name anything, and the amendment is valid without it.
    """
    known = await connection.execute(
        select(documents.c.id).where(
            documents.c.id == amendment.document_id, documents.c.thread_id == amendment.thread_id
        )
    )
    added = await connection.execute(
        upsert(connection, amendments)
        .values(
            id=amendment.amendment_id,
            thread_id=amendment.thread_id,
            document_id=known.scalar(),
            card_message_id=amendment.card_message_id,
            summary=amendment.summary,
            payload=amendment.payload,
            accepted_by=amendment.accepted_by,
            accepted_at=amendment.accepted_at,
        )
        .on_conflict_do_nothing()
        .returning(_amendment.id)
    )
    return added.scalar() is not None


async def get_by_card(connection: AsyncConnection, card_message_id: str) -> Amendment:
    """Return the amendment of a card."""
    found = await connection.execute(select(amendments).where(_amendment.card_message_id == card_message_id))
    return _view(found.one())


async def newest(
    connection: AsyncConnection, thread_id: str, *, limit: int, before: str | None = None
) -> list[Amendment]:
    """List amendments of a thread, newest first."""
    question = select(amendments).where(_amendment.thread_id == thread_id).order_by(_amendment.id.desc()).limit(limit)
    rows = await connection.execute(question if before is None else question.where(_amendment.id < before))
    return [_view(row) for row in rows]


async def count(connection: AsyncConnection, thread_id: str) -> int:
    """Return the number of amendments of a thread."""
    counted = await connection.execute(
        select(func.count()).select_from(amendments).where(_amendment.thread_id == thread_id)
    )
    return counted.scalar_one()


def _view(row: Row[Any]) -> Amendment:
    return Amendment(
        amendment_id=row.id,
        thread_id=row.thread_id,
        document_id=row.document_id,
        card_message_id=row.card_message_id,
        summary=row.summary,
        payload=row.payload,
        accepted_by=row.accepted_by,
        accepted_at=row.accepted_at,
    )
