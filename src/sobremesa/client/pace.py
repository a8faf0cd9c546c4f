"""Time and randomness, which tests can replace, and the backoff between attempts."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import msgspec

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
LONGEST_ASKED_SECONDS = 300.0
"""A server cannot make a client wait longer than this before it reconnects."""


class Pace(msgspec.Struct, frozen=True):
    """A monotonic clock, a way to sleep, and a random number from 0 to 1."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def asked(self, retry_after: float, spread: float) -> float:
        """Return how long to wait when the server says after what time to come back: that, and a part of the spread."""
        return min(max(0.0, retry_after) + self.chance() * max(0.0, spread), LONGEST_ASKED_SECONDS)

    def backoff(self, attempt: int) -> float:
        """Return how long to wait before an attempt: random up to a bound that doubles, so that clients spread out."""
        return self.chance() * min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * (1 << min(attempt, 16)))
