"""Admission: a limited number of clients is brought up to date at a time, and the others wait or come back later.

After a node has stopped, its clients connect to the others all at once. Each of them is served within seconds, or gets
a time to come back at. Those times follow each other at the rate at which clients are served, and begin before the line
is empty, so that the returning clients neither pile up nor leave the server idle.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from sobremesa.core.errors import SobremesaError

AT_ONCE = 32
"""For how many clients the table is read at the same time."""
MAX_WAIT_SECONDS = 20.0
"""How long a client may expect to wait for its turn."""
LONGEST_WAIT_SECONDS = 25.0
"""How long it waits if that was too optimistic. Less than the interval of heartbeats, which are not read meanwhile."""
LONGEST_RETRY_SECONDS = 60.0
SHORTEST_RETRY_SECONDS = 1.0
SECONDS_EACH = 0.002
"""How long a client takes at full load, until that is measured: little, since a client that comes back too early waits
in line, but one that comes back too late leaves the server idle.
"""
SHARE = 0.6
"""Of the measured time, for the same reason."""
CONNECTING = 0.3
"""How long a connection takes, of the time of a client that has one: it is spent on those who are sent away, too."""
AHEAD_SECONDS = 5.0
"""How long before those in line have been served the others come back."""
MEASURED = 64
"""How many clients are served for one measurement."""
WEIGHT = 0.3
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
        self._active = 0
        self._came = 0
        self._line: dict[asyncio.Future[float | None], float] = {}
        """Those who wait, in their order, and until when: they get a turn, or the seconds until they come back."""
        self._rate = _Rate()
        self._next_return = 0.0
        """When the next client that is sent away should come back."""

    @property
    def waiting(self) -> int:
        """How many clients wait for their turn."""
        return len(self._line)

    @asynccontextmanager
    async def turn(self, *, is_admitted: bool = False) -> AsyncIterator[None]:
        """Hold a turn during the block; raises ServerBusy unless the client is already admitted."""
        self._came += 1
        if self._active < self._at_once:
            self._active += 1
        else:
            await self._wait_in_line(math.inf if is_admitted else MAX_WAIT_SECONDS)
        try:
            yield
        finally:
            self._pass_on()

    def next_return(self) -> float:
        """Return after how many seconds the next client that is sent away should come back."""
        now, each = self._now(), self._rate.seconds_each
        in_line = self.waiting * each - AHEAD_SECONDS
        at = max(self._next_return, now + SHORTEST_RETRY_SECONDS, now + in_line)
        self._next_return = min(at + SHARE * each, now + LONGEST_RETRY_SECONDS)
        return min(at - now, LONGEST_RETRY_SECONDS)

    async def _wait_in_line(self, seconds: float) -> None:
        if self.waiting * self._rate.seconds_each > seconds:
            raise ServerBusy(self.next_return())
        waiter = asyncio.get_running_loop().create_future()
        self._line[waiter] = self._now() + seconds
        try:
            async with asyncio.timeout(None if math.isinf(seconds) else LONGEST_WAIT_SECONDS):
                await waiter
        except TimeoutError:
            if waiter.cancelled():
                raise ServerBusy(self.next_return()) from None
        except BaseException:
            if not waiter.cancelled() and waiter.done() and waiter.result() is None:
                self._pass_on()  # it had just got its turn
            raise
        finally:
            self._line.pop(waiter, None)
        retry_after = waiter.result()
        if retry_after is not None:
            raise ServerBusy(retry_after)

    def _pass_on(self) -> None:
        """Give a turn that is over to the first in line."""
        while self._line:
            waiter = next(iter(self._line))
            del self._line[waiter]
            if not waiter.done():  # it has not just given up
                waiter.set_result(None)
                if self._rate.served(self._now(), self._came):
                    self._send_away()
                return
        self._active -= 1
        self._rate.forget()

    def _send_away(self) -> None:
        """Send away those in line whose turn would come too late, as soon as that is known."""
        now, each, ahead = self._now(), self._rate.seconds_each, 0
        late: list[asyncio.Future[float | None]] = []
        for waiter, until in self._line.items():
            if now + ahead * each > until:
                late.append(waiter)
            else:
                ahead += 1
        for waiter in late:
            del self._line[waiter]
        for waiter in late:
            if not waiter.done():
                waiter.set_result(self.next_return())


class _Rate:
    """How fast clients are served while others wait."""

    def __init__(self) -> None:
        self.seconds_each = SECONDS_EACH
        """The average time between two clients that have been served."""
        self._is_measured = False
        self._count = 0
        self._began = 0.0
        self._came_before = 0

    def forget(self) -> None:
        """Nobody waits: what was measured need not hold for those who come next."""
        self.seconds_each, self._is_measured, self._count = SECONDS_EACH, False, 0

    def served(self, now: float, came: int) -> bool:
        """Count a client, and how many had come until then; return whether that gives a new measurement."""
        if self._count == 0:
            self._began, self._came_before = now, came
        self._count += 1
        if self._count <= MEASURED:
            return False
        # While many more clients come than are served, most of the time goes into their connections.
        connected = came - self._came_before
        is_steady = connected <= 2 * MEASURED
        if is_steady:
            self._measured((now - self._began) / (MEASURED + CONNECTING * connected))
        self._count, self._began, self._came_before = 1, now, came
        return is_steady

    def _measured(self, seconds: float) -> None:
        weight = WEIGHT if self._is_measured else 1.0
        self.seconds_each += weight * (seconds - self.seconds_each)
        self._is_measured = True
