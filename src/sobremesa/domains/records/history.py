"""The append-only history of records: who did what, and when."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.schema import history


async def add_entry(
    connection: AsyncConnection, thread_id: str, subject_id: str, action: str, actor: str, now: Instant, **details: Any
) -> None:
    """Add an entry, in the transaction of the change."""
    await connection.execute(
        insert(history).values(
            thread_id=thread_id, subject_id=subject_id, action=action, actor=actor, at=now, details=details
        )
    )
