"""Retries: what is tried again, how often, and after which pause.

Throttles and conflicts pass; a lost answer is asked for again only where asking twice does no harm. The pauses grow
and are random, so that those who collided do not collide again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreFailed, TableError, Throttled

T = TypeVar("T")

_PASSING: tuple[type[TableError], ...] = (Throttled, Conflict)
_UNLESS_DONE: tuple[type[TableError], ...] = (*_PASSING, OutcomeUnknown, StoreFailed)


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """How patient a table is."""

    attempts: int = 8
    first_pause: float = 0.025
    longest_pause: float = 1.0

    async def run(self, attempt: Callable[[], Awaitable[T]], *, repeatable: bool) -> T:
        """The result of an attempt, made again while its error may pass.

        `repeatable` says that doing it twice is the same as doing it once, so that a lost answer may be asked for
        again.
        """
        passing = _UNLESS_DONE if repeatable else _PASSING
        for tried in range(1, self.attempts + 1):
            try:
                return await attempt()
            except passing:
                if tried == self.attempts:
                    raise
            await self.pause(tried)
        raise AssertionError("the last attempt returns or raises")

    async def pause(self, tried: int) -> None:
        """Wait a random time that grows with the number of attempts."""
        longest: float = min(self.longest_pause, self.first_pause * 2 ** (tried - 1))
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - nothing secret
