"""Times as the product stores and shows them, and the clocks that return them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NewType, Protocol

from sobremesa.table import clock as table_clock

__all__ = ["Clock", "Instant", "SetClock", "SystemClock", "fixed_width", "instant", "lenient_ms", "milliseconds"]

Instant = NewType("Instant", str)
"""A moment as fixed-width text, `2026-11-16T09:30:00.000Z`: it sorts as it reads, in a key too."""

_FIXED_WIDTH = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


class Clock(table_clock.Clock, Protocol):
    """Returns the time of day, as milliseconds or as text."""

    def now(self) -> Instant:
        """Return the present moment as fixed-width text."""
        return instant(self.now_ms())

    def now_seconds(self) -> int:
        """Return the seconds since 1970, as expiry times have them."""
        return self.now_ms() // 1000


class SystemClock(table_clock.SystemClock, Clock):
    """The machine's own clock."""


class SetClock(Clock):
    """A clock for tests, which advances only when it is moved."""

    def __init__(self, now_ms: int = 1_763_000_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def move(self, *, seconds: float) -> None:
        self._now_ms += round(seconds * 1000)


def instant(milliseconds: int) -> Instant:
    """Return a moment as fixed-width text."""
    seconds, rest = divmod(milliseconds, 1000)
    return Instant(f"{_second(seconds)}.{rest:03d}Z")


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    # Without the offset. `strftime` takes longer.
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]


def milliseconds(moment: Instant) -> int:
    """Return the milliseconds since 1970 of a fixed-width text; the inverse of `instant`."""
    parsed = datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    return int(parsed.timestamp()) * 1000 + parsed.microsecond // 1000


def lenient_ms(moment: str) -> int | None:
    """Return the milliseconds of an ISO 8601 time in any format; None if it cannot be parsed."""
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return round(parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp() * 1000)


def fixed_width(moment: str | None) -> Instant | None:
    """Return an ISO 8601 time in any format as the fixed-width text that keys use; None if it cannot be parsed."""
    if moment is not None and _FIXED_WIDTH.fullmatch(moment):
        return Instant(moment)
    read_ms = None if moment is None else lenient_ms(moment)
    return None if read_ms is None else instant(read_ms)


EPOCH = instant(0)
"""The time of a row that has none."""
