"""LoopBudget of the event loop, counted while something else is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any


class Heartbeat:
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.turns = 0

    async def beat(self) -> None:
        while True:
            self.turns += 1
            await asyncio.sleep(0)

    async def during(self, work: Awaitable[Any]) -> int:
        """How many turns the loop made while this was done."""
        beating = asyncio.create_task(self.beat())
        await asyncio.sleep(0)
        before = self.turns
        await work
        created = self.turns - before
        beating.cancel()
        return created
