"""A budget for reads in one iteration of the event loop, so that other tasks can run.

Reads run on the loop, since a thread costs more than most of them. A caller that reads page after page, or many callers
at once, would block the loop: no socket would be served until they are done.
"""

from __future__ import annotations

import asyncio

WORK_PER_ITERATION = 500
"""The reads of one iteration, in rows of ordinary size: about five milliseconds."""


class LoopBudget:
    """Counts the reads of the current iteration of the loop."""

    __slots__ = ("_work",)

    def __init__(self) -> None:
        self._work = 0

    def count(self, work: int) -> None:
        """Add to the reads of this iteration."""
        if not self._work:
            asyncio.get_running_loop().call_soon(self._reset)
        self._work += work

    async def wait(self) -> None:
        """Wait until the budget allows a read: at once, or in one of the next iterations."""
        while self._work >= WORK_PER_ITERATION:  # noqa: ASYNC110 - it waits for the next iteration itself
            await asyncio.sleep(0)

    def _reset(self) -> None:
        self._work = 0
