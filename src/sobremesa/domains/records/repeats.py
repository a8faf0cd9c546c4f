"""Idempotent creates: the same key again gives what the first call made, also when both come at once."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.domains.records.panels import upsert
from sobremesa.domains.records.schema import idempotency_keys
from sobremesa.work.idempotency import KEPT_SECONDS, KeyReused

_keys = idempotency_keys.c


class Repeat(NamedTuple):
    """One create under one key; without a key it claims nothing."""

    user_id: str
    key_hash: str | None
    body_hash: str
    now: Instant
    oldest: Instant

    @classmethod
    def of(cls, clock: Clock, user_id: str, key: str | None, verb: str, *body: object) -> Repeat:
        """The verb goes with the key, and everything that it was asked to make into the body's hash."""
        key_hash = None if key is None else _hash(f"{verb} {key}".encode())
        now_ms = clock.now_ms()
        oldest = instant(now_ms - KEPT_SECONDS * 1000)
        return cls(user_id, key_hash, _hash(msgspec.json.encode(body)), instant(now_ms), oldest)

    async def claim(self, connection: AsyncConnection, made_id: str) -> str | None:
        """None if this call is the one that makes it; the id of what was made before; KeyReused for another body.

        Of two at once the second waits here until the first is done.
        """
        if self.key_hash is None:
            return None
        await connection.execute(
            delete(idempotency_keys).where(_keys.user_id == self.user_id, _keys.created_at < self.oldest)
        )
        claimed = await connection.execute(
            upsert(connection, idempotency_keys)
            .values(
                user_id=self.user_id,
                key_hash=self.key_hash,
                body_hash=self.body_hash,
                made_id=made_id,
                created_at=self.now,
            )
            .on_conflict_do_nothing()
            .returning(_keys.made_id)
        )
        if claimed.scalar() is not None:
            return None
        found = await connection.execute(
            select(_keys.made_id, _keys.body_hash).where(_keys.user_id == self.user_id, _keys.key_hash == self.key_hash)
        )
        before = found.one()
        if before.body_hash != self.body_hash:
            raise KeyReused
        earlier: str = before.made_id
        return earlier


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
