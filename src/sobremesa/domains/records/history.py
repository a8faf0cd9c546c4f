"""History: who did what, when; only ever added to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.schema import history


async def note(
    connection: AsyncConnection, thread_id: str, subject_id: str, action: str, actor: str, now: Instant, **details: Any
) -> None:
    """Add a line, in the transaction of what it tells about."""
    await connection.execute(
        insert(history).values(
            thread_id=thread_id, subject_id=subject_id, action=action, actor=actor, at=now, details=details
        )
    )
