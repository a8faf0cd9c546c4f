"""Jobs: background work that survives the request that started it, and a process that is killed.

A service puts `jobs.new(...)` into its transaction, so that the job exists exactly if that was committed. Any
process with the handlers runs it: a lease prevents two from running it at once, and a killed process's job is run again
when its lease expires. Handlers are idempotent: a job may run again from the start.
"""

from sobremesa.work.jobs.entities import Job
from sobremesa.work.jobs.service import Handler, Jobs

__all__ = ["Handler", "Job", "Jobs"]
