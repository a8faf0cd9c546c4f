"""Jobs: work that outlives the request that asked for it, and a process that is killed in the middle of it.

A verb puts `jobs.new(...)` into its transaction, so the work is asked for exactly when the verb happened. Any process
with the handlers does it: a lease keeps two from doing it at once, and what a killed one left is taken up when its
lease runs out. A handler is idempotent: it may run again from the start.
"""

from sobremesa.work.jobs.entities import Job
from sobremesa.work.jobs.service import Handler, Jobs

__all__ = ["Handler", "Job", "Jobs"]
