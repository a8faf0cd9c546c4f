"""A limit on the units used per second."""

from __future__ import annotations

import asyncio


class Pace:
    """Limits the units used per second; without a limit it never waits."""

    def __init__(self, units_a_second: float | None = None) -> None:
        self._rate = units_a_second
        self._free_at = 0.0
        self.units = 0.0
        """The units used so far."""

    def spend(self, units: float) -> float:
        """Record units that were used, and return how many seconds to wait before using more."""
        self.units += units
        if self._rate is None:
            return 0.0
        now = asyncio.get_running_loop().time()
        self._free_at = max(now, self._free_at) + units / self._rate
        return self._free_at - now

    def portion(self, most: int, units_each: float) -> int:
        """Return how many rows to process at once, so that no batch uses more than a second's units."""
        if self._rate is None:
            return most
        return max(1, min(most, int(self._rate / units_each)))
