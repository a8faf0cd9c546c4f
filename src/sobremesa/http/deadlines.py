"""Deadlines of requests.

`asyncio.timeout` sets a timer for every request, which costs up to a third of its processing time. All requests have
the same timeout here, so they expire in the order in which they started, and one timer for the oldest is enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Deadlines:
    """Runs coroutines with the same timeout."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the coroutine; cancel it and raise TimeoutError if it takes too long."""
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._ends[task] = end = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._cancel_late, loop)
        try:
            return await work
        except asyncio.CancelledError:
            # Another cancellation may have happened, too: then it must not become a response.
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
