"""Retries: what is tried again, how often, and after which pause.

Throttles and conflicts pass; a lost answer is asked for again only where asking twice does no harm. The pauses grow
and are random, so that those who collided do not collide again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import msgspec

from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreDenied, StoreFailed, TableError, Throttled

P = ParamSpec("P")
T = TypeVar("T")

_PASSING: tuple[type[TableError], ...] = (Throttled, Conflict)
_PASSING_IF_REPEATABLE: tuple[type[TableError], ...] = (*_PASSING, OutcomeUnknown, StoreFailed)


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """How patient a table is."""

    attempts: int = 8
    first_pause: float = 0.025
    longest_pause: float = 1.0

    async def repeatable(self, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        """The result of a call that may be made twice, so that a lost answer may be asked for again."""
        try:
            return await call(*args, **options)
        except _PASSING_IF_REPEATABLE as error:
            return await self._again(error, _PASSING_IF_REPEATABLE, lambda: call(*args, **options))

    async def once(self, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        """The result of a call that is made again only after a refusal: never after a lost answer."""
        try:
            return await call(*args, **options)
        except _PASSING as error:
            return await self._again(error, _PASSING, lambda: call(*args, **options))

    async def pause(self, tried: int) -> None:
        """Wait a random time that grows with the number of attempts."""
        longest: float = min(self.longest_pause, self.first_pause * 2 ** (tried - 1))
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - nothing secret

    async def _again(
        self, error: TableError, passing: tuple[type[TableError], ...], attempt: Callable[[], Awaitable[T]]
    ) -> T:
        """The result of one of the further attempts, after the first has failed."""
        for tried in range(1, self.attempts):
            if isinstance(error, StoreDenied):
                break
            await self.pause(tried)
            try:
                return await attempt()
            except passing as next_error:
                error = next_error
        raise error
