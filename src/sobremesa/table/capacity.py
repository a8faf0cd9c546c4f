"""Capacity: the cost of each call in DynamoDB's read and write units, on every engine.

A read unit is 4 KB read consistently, half of one eventually. A write unit is 1 KB written, in the table and again
in each index that the item enters, leaves or changes in; a transaction doubles the table's part. DynamoDB reports
its own figures; the embedded engine computes them here, and the differential test holds the two together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
TRANSACTION_FACTOR = 2
UNNAMED = "unnamed"
"""The name of calls without a pattern."""


class Capacity(NamedTuple):
    """Read and write units."""

    read: float = 0.0
    write: float = 0.0

    def plus(self, other: Capacity) -> Capacity:
        return Capacity(self.read + other.read, self.write + other.write)


NOTHING = Capacity()


def read_units(size: int, *, consistent: bool) -> float:
    """Return the units of reading this many bytes in one call; reading nothing costs one unit."""
    steps = -(-size // READ_UNIT_BYTES) or 1
    return float(steps) if consistent else steps / 2


def write_units(size: int) -> int:
    """Return the units of writing this many bytes."""
    return -(-size // WRITE_UNIT_BYTES) or 1


def index_write_units(
    old_key: tuple[str, str] | None, new_key: tuple[str, str] | None, old_size: int, new_size: int, *, changed: bool
) -> int:
    """Return the units of one write in one index, given the item's old and new key there (None: not in it)."""
    if old_key is None and new_key is None:
        return 0
    if old_key == new_key:
        return write_units(max(old_size, new_size)) if changed else 0
    units = 0
    if old_key is not None:
        units += write_units(old_size)
    if new_key is not None:
        units += write_units(new_size)
    return units


class Meter:
    """Sums the capacity used, by access pattern."""

    def __init__(self) -> None:
        self._totals: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])

    def record(self, pattern: str, used: Capacity) -> None:
        total = self._totals[pattern]
        total[0] += 1
        total[1] += used.read
        total[2] += used.write
        measuring = _measuring.get()
        if measuring is not None:
            measuring.add(used)

    def record_all(self, calls: Iterable[tuple[str, Capacity]]) -> None:
        """Record several calls, as `record` does one."""
        measuring = _measuring.get()
        for pattern, used in calls:
            total = self._totals[pattern]
            total[0] += 1
            total[1] += used.read
            total[2] += used.write
            if measuring is not None:
                measuring.add(used)

    def totals(self) -> dict[str, Usage]:
        """Return the calls, read units and write units of every pattern that was used."""
        return {
            pattern: Usage(int(calls), Capacity(read, write)) for pattern, (calls, read, write) in self._totals.items()
        }


class Usage(NamedTuple):
    calls: int
    capacity: Capacity


class Measured:
    """The capacity that the calls inside one `measure()` used."""

    def __init__(self) -> None:
        self.calls = 0
        self.read = 0.0
        self.write = 0.0

    def add(self, used: Capacity) -> None:
        self.calls += 1
        self.read += used.read
        self.write += used.write


_measuring: ContextVar[Measured | None] = ContextVar("measuring", default=None)


@contextmanager
def measure() -> Iterator[Measured]:
    """Measure the capacity that this task, and the tasks that it starts, use until the end of the block."""
    measured = Measured()
    token = _measuring.set(measured)
    try:
        yield measured
    finally:
        _measuring.reset(token)
