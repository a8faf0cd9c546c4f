"""Sweeping: one process at a time looks at the users of a shard who are due, bucket by bucket.

The sweep stays a few minutes behind the time, since another process with a slower clock may still add to a bucket.
"""

from __future__ import annotations

import asyncio

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.domains.notifications.digests import HOUR_MS, Digests
from sobremesa.domains.notifications.entities import DueDigest, due_digests, keep_sweep, sweep_of
from sobremesa.domains.notifications.schedule import BUCKET_MS, KEPT_SECONDS, SHARDS, DigestSchedule
from sobremesa.table import Table, set_to
from sobremesa.table.errors import BadRow, TableError

SWEEP_SECONDS = 60.0
LEASE_SECONDS = 60.0
BEHIND_MS = 15 * 60_000
FIRST_MS = 2 * HOUR_MS
"""How far the first sweep of a table goes back."""
MAX_BUCKETS = 300
MAX_USERS = 500
"""The users of a shard that one sweep looks at."""
AT_ONCE = 8

_log = structlog.get_logger("sobremesa.notifications")


class DigestSweeper:
    """Looks at the users who are due."""

    def __init__(self, table: Table, clock: Clock, digests: Digests, schedule: DigestSchedule, holder: str) -> None:
        self._table = table
        self._clock = clock
        self._digests = digests
        self._schedule = schedule
        self._holder = holder

    async def run(self) -> None:
        """Sweep until cancelled."""
        while True:
            try:
                await self.sweep()
            except TableError as error:
                _log.warning("digests are swept later", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Look at all users who are due, in the shards that no other process sweeps; return how many."""
        return sum([await self._sweep_shard(shard) for shard in range(SHARDS) if not self._digests.is_paused])

    async def close(self) -> None:
        """Wait for the digests that are being sent."""
        await self._digests.close()

    async def _sweep_shard(self, shard: int) -> int:
        lease = Lease(
            self._table,
            self._clock,
            sweep_of(shard=shard),
            seconds=LEASE_SECONDS,
            pattern=keep_sweep,
            creates=True,
        )
        sweep = await lease.acquire(set_to(holder=self._holder))
        if sweep is None:
            return 0
        seen, bucket = 0, self._start(sweep.bucket)
        try:
            async with lease.renewing():
                seen, bucket = await self._look_at_shard(shard, bucket)
        except LeaseLost:
            _log.info("another process sweeps the digests of this shard now", shard=shard)
            return seen
        finally:
            await lease.release(set_to(bucket=bucket))
        return seen

    def _start(self, bucket: int | None) -> int:
        now = self._clock.now_ms()
        if bucket is None:
            return (now - FIRST_MS) // BUCKET_MS
        return max(bucket, (now - KEPT_SECONDS * 1000) // BUCKET_MS)

    async def _look_at_shard(self, shard: int, start: int) -> tuple[int, int]:
        """Look at users from a bucket on; return how many, and the bucket to continue with."""
        now = self._clock.now_ms()
        last = now // BUCKET_MS
        seen = 0
        for bucket in range(start, min(last, start + MAX_BUCKETS) + 1):
            page = await self._table.query(due_digests(bucket=bucket, shard=shard), limit=MAX_USERS - seen)
            due = [row for row in page.items if row.due_ms <= now]
            await gather_bounded(AT_ONCE, self._look_at, due)
            seen += len(due)
            if seen >= MAX_USERS or page.last is not None or self._digests.is_paused:
                return seen, min(bucket, self._behind(now))
        return seen, min(last, start + MAX_BUCKETS, self._behind(now))

    def _behind(self, now: int) -> int:
        return (now - BEHIND_MS) // BUCKET_MS

    async def _look_at(self, row: DueDigest) -> None:
        if self._digests.is_paused:
            return  # the sweep ends with this bucket, and the next one starts with it
        try:
            await self._digests.look_at(row)
        except Exception as error:  # it must not delay all others
            if isinstance(error, TableError) and not isinstance(error, BadRow):
                raise  # the same users are looked at in the next sweep
            _log.error("a digest failed", user_id=row.user_id, why=f"{type(error).__name__}: {error}")
            await self._schedule.move(row, self._clock.now_ms() + HOUR_MS)
