"""Time, passed in so that a test can set it."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Returns the time of day in milliseconds since 1970."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000
