"""Jobs: what is left to be done."""

from __future__ import annotations

from typing import NewType

from sobremesa.core.clock import Instant
from sobremesa.table import Entity, Keys, Pattern, WritePattern

JobId = NewType("JobId", str)


class Job(Entity):
    """A piece of work, there until it is done."""

    keys = Keys(pk="JOBS", sk="{job_id}")

    job_id: JobId
    kind: str
    subject: str
    created_at: Instant
    leased_until_ms: int = 0
    attempts: int = 0
    last_error: str | None = None


open_jobs = Pattern("JOB.1", "Which work is left to be done?", Job, consistent=True)

take_job = WritePattern("JOB.2", "Take a piece of work, or keep it longer", Job)
end_job = WritePattern("JOB.3", "Strike off a piece of work", Job)
