"""Counts of an engine's calls, by operation: latency, throttles, conflicts, failures and retries.

An operation is a call of the engine protocol: `get`, `query`, `transact` and so on. Everything is counted on the event
loop, so no locks are needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate

from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreError, TableError, Throttled

ATTEMPT_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the latency of one attempt, in seconds."""


class Histogram:
    """Counts durations by their upper bound."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self.total += seconds

    @property
    def count(self) -> int:
        return sum(self._counts)

    def cumulative(self) -> list[tuple[str, float]]:
        """Return the number of durations up to each bound, as Prometheus expects it."""
        labels = (*map(str, self._bounds), "+Inf")
        return list(zip(labels, accumulate(self._counts), strict=True))


class OperationStats:
    """What the calls of one operation met."""

    __slots__ = ("conflicts", "failures", "latency", "refused_retries", "retries", "throttles")

    def __init__(self) -> None:
        self.latency = Histogram(ATTEMPT_BUCKETS)
        """Of each attempt, also of those that failed. Empty for reads of the change stream, which wait for changes."""
        self.throttles = 0
        self.conflicts = 0
        self.failures = 0
        """Attempts without a response, and those that the store failed to answer."""
        self.retries = 0
        self.refused_retries = 0
        """Retries that were not made because the retry budget was spent."""


class CallStats:
    """What the calls of one table met, by operation."""

    def __init__(self) -> None:
        self.by_operation: defaultdict[str, OperationStats] = defaultdict(OperationStats)

    def count_error(self, operation: str, error: TableError) -> None:
        """Count an attempt that failed; an expected outcome such as a failed condition is not counted."""
        stats = self.by_operation[operation]
        match error:
            case Throttled():
                stats.throttles += 1
            case Conflict():
                stats.conflicts += 1
            case OutcomeUnknown() | StoreError():
                stats.failures += 1
            case _:
                pass
