"""Idempotent creates: a repeated key returns what the first call created.

A create puts `claim.operations(...)` into its transaction. If the claim fails, an earlier call created the resource,
and `claim.created()` returns its id.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Clash
from sobremesa.table import Create, Entity, Keys, Lookup, Operation, Table, hash_part
from sobremesa.table.errors import ConditionFailed

KEPT_SECONDS = 48 * 3600


class KeyReused(Clash):
    code = "idempotency_key_reused"
    default_detail = "This idempotency key was already used for a request with a different body."


class Made(Entity):
    """What a user's idempotency key has created."""

    keys = Keys(pk="IDEM#{user_id}#{key_hash}", sk="IDEM")
    expires = "ttl"

    user_id: UserId
    key_hash: str
    made_id: str
    body_hash: str
    ttl: int


made_by = Lookup("IDEM.1", "What has this idempotency key created?", Made, consistent=True)


class Claim:
    """One create with one idempotency key; without a key it claims nothing."""

    def __init__(self, table: Table, now_seconds: int, actor: Actor, key: str | None, verb: str, body: object) -> None:
        self._table = table
        self._now_seconds = now_seconds
        # All backends are the same system: each has its own keys.
        self._user_id = UserId(str(actor.key_id)) if actor.is_system else actor.user_id
        self._key_hash = None if key is None else hash_part(verb, key)
        self._body_hash = hash_part(msgspec.json.encode(body).decode())

    def operations(self, made_id: str) -> Sequence[Operation]:
        """Return the last operations of the create's transaction."""
        if self._key_hash is None:
            return ()
        created = Made(
            user_id=self._user_id,
            key_hash=self._key_hash,
            made_id=made_id,
            body_hash=self._body_hash,
            ttl=self._now_seconds + KEPT_SECONDS,
        )
        return (Create(created),)

    async def find(self) -> str | None:
        """Return the id of what this key created before, or None; raise KeyReused for a different body."""
        if self._key_hash is None:
            return None
        created = await self._table.get(made_by(user_id=self._user_id, key_hash=self._key_hash))
        return None if created is None else self._same(created)

    def _same(self, created: Made) -> str:
        if created.body_hash != self._body_hash:
            raise KeyReused
        return created.made_id

    async def created(self, failed: ConditionFailed) -> str | None:
        """Return the id of what this key created before, or None if it was not the claim that failed.

        Raise KeyReused for a different body.
        """
        if self._key_hash is None:
            return None
        key = made_by(user_id=self._user_id, key_hash=self._key_hash)
        if not any(failure.key == key.raw for failure in failed.failures):
            return None
        created = await self._table.get(key)
        if created is None:
            raise Busy
        return self._same(created)


class Idempotency:
    """Creates the claims of idempotency keys."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def claim(self, actor: Actor, key: str | None, verb: str, body: object) -> Claim:
        """Return the claim of one create: the key applies to this verb and this body."""
        return Claim(self._table, self._clock.now_seconds(), actor, key, verb, body)
