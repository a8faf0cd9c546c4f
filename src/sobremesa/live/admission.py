"""Admission: a limited number of clients is brought up to date at a time, and the others wait or come back later.

After a node has stopped, its clients connect to the others all at once. Each of them is served within seconds, or gets
a time to come back at. Those times follow each other at the rate at which clients were served, so that the returning
clients neither pile up nor leave the server idle.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from sobremesa.core.errors import SobremesaError

AT_ONCE = 32
"""For how many clients the table is read at the same time."""
MAX_WAIT_SECONDS = 20.0
"""How long a client waits for its turn. Less than the interval of heartbeats, which are not read meanwhile."""
LONGEST_RETRY_SECONDS = 60.0
SECONDS_EACH = 0.02
"""How long a client takes at full load, until that is measured."""
SHARE = 0.5
"""Of the measured time for each client, which the connections of all others lengthen at first: a client that comes back
too early waits in line, but one that comes back too late leaves the server idle.
"""
WEIGHT = 0.1
"""The weight of a new measurement in the moving average."""


class ServerBusy(SobremesaError):
    """There is no turn soon; come back after this many seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"busy for {retry_after:.1f} s")
        self.retry_after = retry_after


class Admission:
    """The turns of clients that identify or resume, first come, first served."""

    def __init__(self, at_once: int = AT_ONCE, *, now: Callable[[], float] = monotonic) -> None:
        self._at_once = at_once
        self._now = now
        self._turns = asyncio.Semaphore(at_once)
        self._active = 0
        self._waiting = 0
        self._seconds_each: float | None = None
        """The average time between two clients that have been served, while all turns were taken."""
        self._next_return = 0.0
        """When the next client that is sent away should come back."""

    @property
    def waiting(self) -> int:
        """How many clients wait for their turn."""
        return self._waiting

    @asynccontextmanager
    async def turn(self, *, is_admitted: bool = False) -> AsyncIterator[None]:
        """Hold a turn during the block; raises ServerBusy unless the client is already admitted."""
        if not is_admitted and self._expected_wait() > MAX_WAIT_SECONDS:
            raise ServerBusy(self.next_return())
        await self._wait_for_turn(None if is_admitted else MAX_WAIT_SECONDS)
        self._active += 1
        is_full, started = self._active == self._at_once, self._now()
        try:
            yield
        finally:
            self._active -= 1
            self._turns.release()
            if is_full:
                self._measured((self._now() - started) / self._at_once)

    def next_return(self) -> float:
        """Return after how many seconds the next client that is sent away should come back."""
        now, each = self._now(), self._expected_each or SECONDS_EACH
        at = max(self._next_return, now + self._waiting * each + 1)
        self._next_return = min(at + each, now + LONGEST_RETRY_SECONDS)
        return min(at - now, LONGEST_RETRY_SECONDS)

    def _expected_wait(self) -> float:
        """Return how long a client that comes now would wait; 0 until that is measured."""
        return self._waiting * self._expected_each

    @property
    def _expected_each(self) -> float:
        return SHARE * (self._seconds_each or 0.0)

    async def _wait_for_turn(self, seconds: float | None) -> None:
        self._waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._turns.acquire()
        except TimeoutError:
            raise ServerBusy(self.next_return()) from None
        finally:
            self._waiting -= 1

    def _measured(self, seconds_each: float) -> None:
        before = self._seconds_each
        self._seconds_each = seconds_each if before is None else before + WEIGHT * (seconds_each - before)
