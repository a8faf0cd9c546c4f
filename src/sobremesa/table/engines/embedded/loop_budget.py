"""LoopBudget of the event loop: how much may be read before everything else gets a chance to run.

Reads happen on the loop, since a thread costs more than most of them. A caller that reads page after page, or many
callers at once, would keep the loop to themselves: no socket would be served until they are done.
"""

from __future__ import annotations

import asyncio

WORK_PER_ITERATION = 500
"""How much is read in one turn, in rows of ordinary size; about five milliseconds."""


class LoopBudget:
    """Counts what is read in this turn of the loop."""

    __slots__ = ("_work",)

    def __init__(self) -> None:
        self._work = 0

    def count(self, work: int) -> None:
        """So much was read."""
        if not self._work:
            asyncio.get_running_loop().call_soon(self._begin)
        self._work += work

    async def wait(self) -> None:
        """Return when there is room for a read: at once, or in one of the next turns."""
        while self._work >= WORK_PER_ITERATION:  # noqa: ASYNC110 - what it waits for is the next turn itself
            await asyncio.sleep(0)

    def _begin(self) -> None:
        self._work = 0
