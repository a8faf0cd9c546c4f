"""Deadlines: no request takes longer than it may.

`asyncio.timeout` sets a timer for every request, which costs as much as a third of all that is done for one. All
requests have the same time here, so they end in the order in which they began, and one timer for the oldest is enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Deadlines:
    """Gives each piece of work the same time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def keep(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives; TimeoutError, and the work is cancelled, if it takes too long."""
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._ends[task] = end = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._cancel_late, loop)
        try:
            return await work
        except asyncio.CancelledError:
            # Somebody else may have cancelled it too: then it is not ours to turn into an answer.
            if task in self._late and task.uncancel() == 0:
                raise TimeoutError from None
            raise
        finally:
            del self._ends[task]
            self._late.discard(task)

    def _cancel_late(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        for task, end in self._ends.items():
            if end > now:
                self._timer = loop.call_at(end, self._cancel_late, loop)
                return
            if task not in self._late:
                self._late.add(task)
                task.cancel()
