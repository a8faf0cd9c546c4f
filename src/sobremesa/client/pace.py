"""Time and chance, as things that are handed over and can be set in a test; and how long to wait until a new try."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import msgspec

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0


class Pace(msgspec.Struct, frozen=True):
    """A clock that only goes forward, a way to wait, and a number from 0 to 1."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def backoff(self, attempt: int) -> float:
        """How long to wait before an attempt: anything up to a bound that doubles, so that a crowd spreads out."""
        return self.chance() * min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * (1 << min(attempt, 16)))
