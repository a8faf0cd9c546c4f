"""The export of a user's data: one JSON value after the other, without hashes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from sobremesa.domains.accounts.deletion_hooks import UserData
from sobremesa.domains.accounts.entities import User, blocks_of, sessions_of
from sobremesa.table import Table


async def export_user(table: Table, user: User, domains: Sequence[UserData]) -> AsyncGenerator[Any, None]:
    """Yield the profile, sessions and blocks, then the data of every other domain."""
    yield {
        "kind": "profile",
        "userId": user.user_id,
        "username": user.username,
        "displayName": user.display_name,
        "email": user.email,
        "contactEmail": user.contact_email,
        "avatarUrl": user.avatar_url,
        "tenant": user.tenant,
        "externalId": user.external_id,
        "data": user.data,
        "locale": user.locale,
        "timeZone": user.time_zone,
        "isAdmin": user.is_admin,
        "createdAt": user.created_at,
        "updatedAt": user.updated_at,
    }
    async for session in table.every(sessions_of(user_id=user.user_id)):
        yield {
            "kind": "session",
            "sessionId": session.session_id,
            "device": session.device,
            "createdAt": session.created_at,
            "lastUsedAt": session.rotated_at,
        }
    async for block in table.every(blocks_of(user_id=user.user_id)):
        yield {"kind": "block", "userId": block.blocked_id, "createdAt": block.created_at}
    for domain in domains:
        async for value in domain.export(user.user_id):
            yield value
