"""Retries: which errors are retried, how often, and after which pause.

Throttles and conflicts are temporary; a call whose response was lost is repeated only if it is idempotent. The pauses
grow and are random, so that calls that collided do not collide again.
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

_TEMPORARY: tuple[type[TableError], ...] = (Throttled, Conflict)
_TEMPORARY_IF_REPEATABLE: tuple[type[TableError], ...] = (*_TEMPORARY, OutcomeUnknown, StoreFailed)


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """The retry policy of a table."""

    attempts: int = 8
    first_pause: float = 0.025
    longest_pause: float = 1.0

    async def repeatable(self, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        """Return the result of an idempotent call, which is also repeated after a lost response."""
        try:
            return await call(*args, **options)
        except _TEMPORARY_IF_REPEATABLE as error:
            return await self._again(error, _TEMPORARY_IF_REPEATABLE, lambda: call(*args, **options))

    async def once(self, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        """Return the result of a call that is repeated only if it was rejected, never after a lost response."""
        try:
            return await call(*args, **options)
        except _TEMPORARY as error:
            return await self._again(error, _TEMPORARY, lambda: call(*args, **options))

    async def pause(self, tried: int) -> None:
        """Wait a random time that grows with the number of attempts."""
        longest: float = min(self.longest_pause, self.first_pause * 2 ** (tried - 1))
        await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - nothing secret

    async def _again(
        self, error: TableError, temporary: tuple[type[TableError], ...], attempt: Callable[[], Awaitable[T]]
    ) -> T:
        """Return the result of a further attempt, after the first has failed."""
        for tried in range(1, self.attempts):
            if isinstance(error, StoreDenied):
                break
            await self.pause(tried)
            try:
                return await attempt()
            except temporary as next_error:
                error = next_error
        raise error
