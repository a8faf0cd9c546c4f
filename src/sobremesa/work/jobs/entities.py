"""The stored jobs."""

from __future__ import annotations

from typing import NewType

from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Pattern, WritePattern

JobId = NewType("JobId", str)


class Job(Entity):
    """A job, stored until it is done."""

    keys = Keys(pk="JOBS", sk="{job_id}")

    job_id: JobId
    kind: str
    subject: str
    created_at: Instant
    leased_until_ms: int = 0
    attempts: int = 0
    last_error: str | None = None


open_jobs = Pattern("JOB.1", "Which jobs are pending?", Job, consistent=True)

take_job = WritePattern("JOB.2", "Acquire or renew the lease of a job", Job)
end_job = WritePattern("JOB.3", "Remove a finished job", Job)
