"""The schedule of digests: each user has at most one valid row in a time bucket, so that nothing scans all users.

A row is valid if the state of its user has the same time. Both are written in one transaction; a row that lost its
validity is dropped when it is due.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Mapping

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.accounts.entities import DigestChoice
from sobremesa.domains.notifications.entities import (
    DigestState,
    DueDigest,
    digest_state_of,
    drop_digest,
    schedule_digest,
)
from sobremesa.table import (
    Condition,
    Create,
    Delete,
    Key,
    Put,
    Table,
    Update,
    Upsert,
    absent_or_null,
    equals,
    less,
    set_to,
)
from sobremesa.table.cache import Cache
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

BUCKET_MS = 10 * 60_000
SHARDS = 4
KEPT_SECONDS = 7 * 86_400
LOST_MS = 86_400_000
"""A row that is this late is lost: another is scheduled in its place."""
BATCH = 100
AT_ONCE = 16
CACHED = 20_000


class DigestSchedule:
    """Schedules looks at users."""

    def __init__(self, table: Table, clock: Clock, *, after_minutes: int, default: DigestChoice) -> None:
        self._table = table
        self._clock = clock
        self.after_ms = after_minutes * 60_000
        """How long something must be unread."""
        self.default = default
        self._scheduled: Cache[UserId, int] = Cache(CACHED)
        """Until when users are scheduled, as far as this process knows."""

    async def add(self, unread_since: Mapping[UserId, int]) -> None:
        """Schedule a look at users who have something unread since these times, unless one is scheduled. Idempotent."""
        now = self._clock.now_ms()
        waiting = [user_id for user_id in unread_since if (self._scheduled.find(user_id) or 0) <= now]
        for start in range(0, len(waiting), BATCH):
            some = waiting[start : start + BATCH]
            states = await self._table.get_many([digest_state_of(user_id=user_id) for user_id in some])
            due = [
                (user_id, state, self._due(unread_since[user_id], state, now))
                for user_id, state in zip(some, states, strict=True)
                if not self._is_settled(user_id, state, now)
            ]
            await gather_bounded(AT_ONCE, lambda each: self._schedule(*each), due)

    async def move(self, row: DueDigest, to_ms: int) -> None:
        """Replace a row that is due by a later one; nothing happens if it is not valid any more."""
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                state=Update(_key(row.user_id), set_to(due_ms=to_ms), when=equals("due_ms", row.due_ms)),
                old=Delete(row.own_key()),
                new=Put(due_digest(row.user_id, to_ms)),
                pattern=schedule_digest,
            )

    async def drop(self, row: DueDigest, *changes: Changes) -> None:
        """Remove a row that is due, and its time from the user's state if it is the valid one."""
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                state=Update(_key(row.user_id), set_to(due_ms=None), *changes, when=equals("due_ms", row.due_ms)),
                old=Delete(row.own_key()),
                pattern=drop_digest,
            )
            return
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(row.own_key()), pattern=drop_digest)

    def _is_settled(self, user_id: UserId, state: DigestState | None, now: int) -> bool:
        """Return whether nothing is to schedule for this user."""
        if state is None:
            return self.default == "off"
        if (state.choice or self.default) == "off" or state.rests_until_ms > now:
            return True
        if state.due_ms is None or state.due_ms < now - LOST_MS:
            return False
        self._scheduled.keep(user_id, state.due_ms)
        return True

    def _due(self, since_ms: int, state: DigestState | None, now: int) -> int:
        # Never before now: the sweep may have passed that bucket.
        return max(since_ms + self.after_ms, now, 0 if state is None else state.window_ends_ms)

    async def _schedule(self, user_id: UserId, state: DigestState | None, due_ms: int) -> None:
        try:
            await self._table.write(
                state=Upsert(_key(user_id), set_to(due_ms=due_ms), when=_unscheduled(state)),
                due=Create(due_digest(user_id, due_ms)),
                pattern=schedule_digest,
            )
        except ConditionFailed:
            return  # another process was first
        self._scheduled.keep(user_id, due_ms)


def due_digest(user_id: UserId, due_ms: int) -> DueDigest:
    """Return the row of a look at a user."""
    shard = zlib.crc32(user_id.encode()) % SHARDS
    ttl = due_ms // 1000 + KEPT_SECONDS
    return DueDigest(bucket=due_ms // BUCKET_MS, shard=shard, due_ms=due_ms, user_id=user_id, ttl=ttl)


def _unscheduled(state: DigestState | None) -> Condition:
    free = absent_or_null("due_ms")
    return free if state is None or state.due_ms is None else free | less("due_ms", state.due_ms + 1)


def _key(user_id: UserId) -> Key[DigestState]:
    return DigestState.key(user_id=user_id)
