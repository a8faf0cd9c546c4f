"""Quotas: a limit on how many rows answer a question, which concurrent creations cannot exceed.

A creation counts the rows that are there and has `await quotas.reserve(...)` in its transaction, which `create` writes.
The reservation replaces a guard row, on the condition that no other creation under the same limit has replaced it since
before the count. The second of two creations fails that condition, counts again and retries. Removals need not
touch the guard: they only make room. So the count cannot drift, and there is no counter to repair.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.table import (
    Create,
    Entity,
    Keys,
    Lookup,
    Operation,
    Operations,
    Put,
    Question,
    Table,
    WritePattern,
    equals,
)
from sobremesa.table.errors import ConditionFailed

KEPT_SECONDS = 24 * 3600
"""No transaction takes as long as this between its count and its write."""
ATTEMPTS = 40


class QuotaGuard(Entity):
    """The last creation under a limit: creations under one limit are serialized by this row."""

    keys = Keys(pk="QUOTA#{quota}#{owner_id}", sk="QUOTA")
    expires = "ttl"

    quota: str
    owner_id: str
    token: str
    ttl: int


guard_of = Lookup("QUO.1", "What is the last creation under this limit?", QuotaGuard, consistent=True)


class CountChanged(Busy):
    """Another creation under the same limit was committed first: count again."""


class Quotas:
    """Limits on how many of something an owner has."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    async def reserve(self, quota: str, owner_id: str, question: Question[Any], limit: int) -> Operation | None:
        """Return the operation for the transaction of one more creation; None if there is no room for it.

        The guard is read before the rows are counted: a creation in between replaces it.
        """
        key = guard_of(quota=quota, owner_id=owner_id)
        before = await self._table.get(key)
        there = await self._table.count(question, at_most=limit, consistent=True)
        if there.count >= limit:
            return None
        ttl = self._clock.now_seconds() + KEPT_SECONDS
        guard = QuotaGuard(quota=quota, owner_id=owner_id, token=secrets.token_hex(8), ttl=ttl)
        return Create(guard) if before is None else Put(guard, when=equals("token", before.token))

    async def create(
        self, reserve: Callable[[], Awaitable[Operation]], *, pattern: WritePattern, **operations: Operations
    ) -> None:
        """Write a creation with its reservation; retry if another creation was committed first.

        Raise ConditionFailed if one of the operations failed, Busy after too many attempts.
        """
        for _ in range(ATTEMPTS):
            try:
                reservation = await reserve()
                await self._table.write(
                    reservation=reservation, **operations, token=None, pattern=pattern, retry_conflicts=True
                )
            except ConditionFailed as failed:
                if not failed.is_only("reservation"):
                    raise
            else:
                return
        raise Busy
