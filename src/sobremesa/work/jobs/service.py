"""Running jobs: one at a time in each process, with a lease that is renewed while the job runs."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.core.waiting import wait_for_event
from sobremesa.table import Create, Delete, Table, add, set_to
from sobremesa.table.errors import ConditionFailed, TableError
from sobremesa.work.jobs.entities import Job, JobId, end_job, open_jobs, take_job

LEASE_SECONDS = 60
POLL_SECONDS = 30
LONGEST_PAUSE_SECONDS = 300

Handler: TypeAlias = Callable[[str], Awaitable[None]]
"""Does all the work for a subject; must be idempotent."""

_log = structlog.get_logger("sobremesa.work.jobs")


class Jobs:
    """The jobs of one table."""

    def __init__(self, table: Table, clock: Clock, ids: Ids) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._nudged = asyncio.Event()

    def new(self, kind: str, subject: str) -> Create[Job]:
        """Return the operation that creates a job; put it into the transaction that requires it."""
        now = self._clock.now()
        return Create(Job(job_id=JobId(self._ids.mint()), kind=kind, subject=subject, created_at=now))

    def nudge(self) -> None:
        """Check for jobs now instead of at the next interval."""
        self._nudged.set()

    async def run(self, handlers: Mapping[str, Handler]) -> None:
        """Run jobs until cancelled."""
        while True:
            self._nudged.clear()
            try:
                await self.run_pending(handlers)
            except TableError as error:
                _log.warning("cannot read jobs", error=str(error))
            await wait_for_event(self._nudged, POLL_SECONDS)

    async def run_pending(self, handlers: Mapping[str, Handler]) -> int:
        """Run every job that no other process holds, and return how many were finished."""
        done = 0
        async for job in self._table.every(open_jobs()):
            handler = handlers.get(job.kind)
            if handler is None:
                continue
            lease = Lease(self._table, self._clock, job.own_key(), seconds=LEASE_SECONDS, pattern=take_job)
            if await lease.acquire(add(attempts=1)) is not None:
                done += await self._do(job, handler, lease)
        return done

    async def _do(self, job: Job, handler: Handler, lease: Lease[Job]) -> bool:
        try:
            async with lease.renewing():
                await handler(job.subject)
        except LeaseLost:
            _log.warning("the lease of a job was lost", kind=job.kind, subject=job.subject)
            return False
        except Exception as error:  # any error: the job stays and is retried
            # As text: a renderer that shows local variables would log the content of messages.
            trace = "".join(traceback.format_exception(error))
            _log.error("a job failed and will be retried", kind=job.kind, subject=job.subject, trace=trace)
            failed = set_to(last_error=f"{type(error).__name__}: {error}"[:500])
            await lease.release(failed, after=min(2**job.attempts, LONGEST_PAUSE_SECONDS))
            return False
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(job.own_key()), pattern=end_job)
        return True
