"""A busy event loop: a load that uses half of it, and the latency of other tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

SLICE_SECONDS = 0.001
SHARE = 0.5
BUSY_TASKS = 8
TICK_SECONDS = 0.002


class Lag:
    """The latency of a task that wakes every two milliseconds."""

    def __init__(self) -> None:
        self.late: list[float] = []

    def p99_ms(self) -> float:
        ordered = sorted(self.late)
        return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]

    async def watch(self) -> None:
        while True:
            due = perf_counter() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self.late.append(perf_counter() - due)


@asynccontextmanager
async def watched_loop(*, busy: bool) -> AsyncIterator[Lag]:
    """Measures the lag of the loop in the block, optionally with a load."""
    lag = Lag()
    tasks = [asyncio.create_task(lag.watch())]
    if busy:
        other = Busy()
        tasks += [asyncio.create_task(other.work()) for _ in range(BUSY_TASKS)]
    try:
        yield lag
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Busy:
    """Tasks that work in slices of a millisecond, until together they have worked half of all time since the start.

    There are many of them, because the loop gives each task one turn while a batch of sends has its own.
    """

    def __init__(self) -> None:
        self._started = perf_counter()
        self._worked = 0.0

    async def work(self) -> None:
        while True:
            now = perf_counter()
            if self._worked < SHARE * (now - self._started):
                while perf_counter() < now + SLICE_SECONDS:
                    pass
                self._worked += perf_counter() - now
                await asyncio.sleep(0)
            else:
                await asyncio.sleep(SLICE_SECONDS)
