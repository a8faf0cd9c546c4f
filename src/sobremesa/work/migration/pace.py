"""Pace: so many units a second, and no more."""

from __future__ import annotations

import asyncio


class Pace:
    """Spreads what is used over time; without a number it never waits."""

    def __init__(self, units_a_second: float | None = None) -> None:
        self._rate = units_a_second
        self._free_at = 0.0
        self.units = 0.0
        """Everything that was used so far."""

    def spend(self, units: float) -> float:
        """Note what was used; how many seconds to wait before more may be."""
        self.units += units
        if self._rate is None:
            return 0.0
        now = asyncio.get_running_loop().time()
        self._free_at = max(now, self._free_at) + units / self._rate
        return self._free_at - now

    def portion(self, most: int, units_each: float) -> int:
        """How many rows to do at once, so that a second's worth is not used in one go."""
        if self._rate is None:
            return most
        return max(1, min(most, int(self._rate / units_each)))
