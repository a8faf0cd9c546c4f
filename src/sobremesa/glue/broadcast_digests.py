"""Digests of broadcasts: a job walks the users of the tenant who can receive digests, and schedules a look at each.

The change stream starts the walk of a broadcast, once: with a row that has its progress and remains afterwards. The
progress is saved after each page, so that a walk that is killed continues there. A page that is walked again has no
effect, since a user who is scheduled is not scheduled again. Whether the broadcast concerns a user is decided when they
are due, by what their inbox shows then.
"""

from __future__ import annotations

import asyncio
import contextlib

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.domains.accounts.entities import DIGEST_SHARDS, User, users_for_digests
from sobremesa.domains.inboxes.entities import PUBLIC, PublicMessage, public_message
from sobremesa.domains.notifications.digests import address_of
from sobremesa.domains.notifications.entities import DigestWalk, continue_walk, start_walk, walk_of
from sobremesa.domains.notifications.schedule import KEPT_SECONDS, DigestSchedule
from sobremesa.table import Condition, Create, RawChange, Table, Update, absent_or_null, equals, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.jobs import Jobs

JOB = "notifications.broadcast"
PAGE = 200
PAGES_OF_A_JOB = 50
"""Then another job continues the walk, so that jobs that were created meanwhile run before it."""


class BroadcastDigests:
    """Starts the walks of broadcasts, and runs them."""

    def __init__(self, table: Table, clock: Clock, schedule: DigestSchedule, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._schedule = schedule
        self._jobs = jobs
        self._new: list[DigestWalk] = []

    # The change stream

    def collect(self, change: RawChange) -> None:
        pk, sk = change.key
        if change.old is not None or change.new is None or not sk.startswith("m#") or f"#{PUBLIC}#" not in pk:
            return
        broadcast = self._table.as_entity(change.new, PublicMessage)
        if broadcast is None:
            return
        received_ms = broadcast.received or change.at_ms
        walk = DigestWalk(
            tenant=broadcast.tenant,
            inbox=broadcast.inbox,
            message_id=broadcast.message_id,
            received_ms=received_ms,
            ttl=received_ms // 1000 + KEPT_SECONDS,
        )
        if walk.ttl > self._clock.now_seconds() and not self._is_over(walk, broadcast):
            self._new.append(walk)

    async def flush(self) -> None:
        for walk in self._new:
            with contextlib.suppress(ConditionFailed):  # it was started before
                job = self._jobs.new(JOB, _subject_of(walk.tenant, walk.inbox, walk.message_id, walk.part))
                await self._table.write(walk=Create(walk), job=job, pattern=start_walk)
                self._jobs.nudge()
        self._new.clear()

    # The job

    async def run(self, subject: str) -> None:
        """Walk some pages of users, and leave the rest to another job."""
        tenant, inbox, message_id, number = subject.split("#")
        key, part = walk_of(tenant=tenant, inbox=inbox, message_id=message_id), int(number)
        for _ in range(PAGES_OF_A_JOB):
            walk = await self._table.get(key)
            if walk is None or walk.part != part or walk.shard >= DIGEST_SHARDS:
                return
            await self._walk_page(walk)
            await asyncio.sleep(0)  # reads of a file do not wait
        with contextlib.suppress(ConditionFailed):  # the job that continues exists
            await self._table.write(
                walk=Update(key, set_to(part=part + 1), when=equals("part", part)),
                job=self._jobs.new(JOB, _subject_of(tenant, inbox, message_id, part + 1)),
                pattern=continue_walk,
            )
            self._jobs.nudge()

    async def _walk_page(self, walk: DigestWalk) -> None:
        """Schedule the users of the next page and save the progress; end the walk if the broadcast is over."""
        parts = {"tenant": walk.tenant, "inbox": walk.inbox, "message_id": walk.message_id}
        if self._is_over(walk, await self._table.get(public_message(**parts))):
            await self._save(walk, DIGEST_SHARDS, None)
            return
        question = users_for_digests(tenant=walk.tenant, digest_shard=walk.shard)
        start = None if walk.after is None else _user_at(walk, walk.after)
        page = await self._table.query(question, limit=PAGE, after=start)
        await self._schedule.add({user.user_id: walk.received_ms for user in page.items if self._is_able(user)})
        if page.last is None:
            await self._save(walk, walk.shard + 1, None)
        else:
            await self._save(walk, walk.shard, page.last.sk)

    async def _save(self, walk: DigestWalk, shard: int, after: str | None) -> None:
        with contextlib.suppress(ConditionFailed):  # another process was first: the walk continues where that one is
            step = Update(walk.own_key(), set_to(shard=shard, after=after), when=_as_far_as(walk))
            await self._table.write(step, pattern=continue_walk)

    def _is_able(self, user: User) -> bool:
        """Return whether a listed user receives digests, without the cost of reading their schedule."""
        return address_of(user) is not None and (user.digest_choice or self._schedule.default) != "off"

    def _is_over(self, walk: DigestWalk, broadcast: PublicMessage | None) -> bool:
        """Return whether nobody can have a digest of a broadcast: it does not exist any more, or expires before."""
        if broadcast is None:
            return True
        due_ms = max(walk.received_ms + self._schedule.after_ms, self._clock.now_ms())
        return broadcast.expiredat is not None and broadcast.expiredat * 1000 <= due_ms


def _subject_of(tenant: str, inbox: str, message_id: str, part: int) -> str:
    """Return the subject of a job; no part of a key contains a #."""
    return f"{tenant}#{inbox}#{message_id}#{part}"


def _user_at(walk: DigestWalk, user_id: str) -> User:
    """Return a user at this position of the listing, who need not exist."""
    return User(user_id=UserId(user_id), tenant=walk.tenant, digest_shard=walk.shard)


def _as_far_as(walk: DigestWalk) -> Condition:
    after = absent_or_null("after") if walk.after is None else equals("after", walk.after)
    return equals("part", walk.part) & equals("shard", walk.shard) & after
