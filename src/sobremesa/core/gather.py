"""Run one call for each of many items, a limited number at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def gather_bounded(limit: int, call: Callable[[T], Awaitable[R]], items: Iterable[T]) -> list[R]:
    """Return the result of `call` for each item, in order; at most `limit` calls run at a time.

    If one raises, the others are cancelled, and it is raised when they have ended.
    """
    inputs = list(items)
    results: dict[int, R] = {}
    waiting = iter(enumerate(inputs))

    async def work() -> None:
        for index, item in waiting:
            results[index] = await call(item)
            await asyncio.sleep(0)  # the calls may all return at once: yield to other tasks

    workers = [asyncio.create_task(work()) for _ in range(min(limit, len(inputs)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[index] for index in range(len(inputs))]
