"""Idempotent creates: repeating a key returns what the first call created, also concurrently."""

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


class IdempotentCreate(NamedTuple):
    """One create with an idempotency key; without a key it claims nothing."""

    user_id: str
    key_hash: str | None
    body_hash: str
    now: Instant
    oldest: Instant

    @classmethod
    def of(cls, clock: Clock, user_id: str, key: str | None, verb: str, *body: object) -> IdempotentCreate:
        """Hash the method with the key, and all arguments as the body."""
        key_hash = None if key is None else _hash(f"{verb} {key}".encode())
        now_ms = clock.now_ms()
        oldest = instant(now_ms - KEPT_SECONDS * 1000)
        return cls(user_id, key_hash, _hash(msgspec.json.encode(body)), instant(now_ms), oldest)

    async def claim(self, connection: AsyncConnection, made_id: str) -> str | None:
        """Claim the key: None if it was free, or the id that the first call created; KeyReused for another body.

        Of two concurrent calls the second waits here until the first is done.
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
