"""Time and randomness, which tests can replace, and the backoff between attempts."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import msgspec

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0


class Pace(msgspec.Struct, frozen=True):
    """A monotonic clock, a way to sleep, and a random number from 0 to 1."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def backoff(self, attempt: int) -> float:
        """Return how long to wait before an attempt: random up to a bound that doubles, so that clients spread out."""
        return self.chance() * min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * (1 << min(attempt, 16)))
