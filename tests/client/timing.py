"""Time that a test advances: no sleep ends before the test advances it."""

from __future__ import annotations

import asyncio

from sobremesa.client import Pace

WITHIN_SECONDS = 10.0
SHORT_SECONDS = 8.0


class ManualTime:
    """Records sleeps, and ends them when time is advanced."""

    def __init__(self, chance: float = 0.5) -> None:
        self.time = 1000.0
        self.slept: list[float] = []
        """All sleeps, in the order in which they started."""
        self.chance = chance
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._lies_down = asyncio.Condition()

    @property
    def pace(self) -> Pace:
        return Pace(now=lambda: self.time, sleep=self._sleep, chance=lambda: self.chance)

    async def _sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        sleeper = (self.time + seconds, woken)
        self._sleepers.append(sleeper)
        self.slept.append(seconds)
        async with self._lies_down:
            self._lies_down.notify_all()
        try:
            await woken
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)

    def turn(self, seconds: float) -> None:
        """Advance the time."""
        self.time += seconds
        for until, woken in self._sleepers:
            if until <= self.time and not woken.done():
                woken.set_result(None)

    async def sleeping(self, seconds: float) -> None:
        """Wait until there is a sleep of this length."""
        async with asyncio.timeout(WITHIN_SECONDS), self._lies_down:
            await self._lies_down.wait_for(
                lambda: any(abs(until - self.time - seconds) < 1e-6 for until, _ in self._sleepers)
            )

    async def wake(self, seconds: float) -> None:
        """Wait for a sleep of this length, and advance the time to its end."""
        await self.sleeping(seconds)
        self.turn(seconds)


class Hurried(ManualTime):
    """Time in which every short sleep ends at once, and is recorded; long ones, of heartbeats, go on."""

    async def _sleep(self, seconds: float) -> None:
        if seconds > SHORT_SECONDS:
            await super()._sleep(seconds)
        self.slept.append(seconds)
        await asyncio.sleep(0)
