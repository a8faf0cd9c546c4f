"""Retries: which errors are retried, how often, for how long, and after which pause.

Throttles and conflicts are temporary; a call whose response was lost is repeated only if it is idempotent. The pauses
grow and are random, so that calls that collided do not collide again. A budget for all calls of a table bounds the
retries of throttles and failures: during an outage each call soon makes one attempt, and the load is not multiplied.
"""

from __future__ import annotations

import asyncio
import copy
import random
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

import msgspec

from sobremesa.table.call_stats import CallStats
from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreDenied, StoreFailed, TableError, Throttled

P = ParamSpec("P")
T = TypeVar("T")

_TEMPORARY: tuple[type[TableError], ...] = (Throttled, Conflict)
_TEMPORARY_IF_REPEATABLE: tuple[type[TableError], ...] = (*_TEMPORARY, OutcomeUnknown, StoreFailed)

THROTTLE_COST = 5
FAILURE_COST = 10
"""A failure may have cost the time of a whole attempt, and is more likely to be an outage."""
SUCCESS_REFUND = 1


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """The retry policy of a table."""

    attempts: int = 8
    first_pause: float = 0.025
    longest_pause: float = 1.0
    deadline: float = 10.0
    """No attempt begins later than this many seconds after the first. One in progress is never cancelled: its outcome
    would be lost. The engine bounds the time of each."""
    budget: int = 500
    """The tokens for the retries of all calls, as in the standard mode of AWS's SDKs."""

    async def pause(self, tried: int) -> None:
        """Wait a random time that grows with the number of attempts."""
        await asyncio.sleep(self.pause_after(tried))

    def pause_after(self, tried: int) -> float:
        """Return a random pause that grows with the number of attempts."""
        longest: float = min(self.longest_pause, self.first_pause * 2 ** (tried - 1))
        return random.uniform(0, longest)  # noqa: S311 - nothing secret


class RetryBudget:
    """The tokens of all calls: retries take them, successes return them.

    A conflict takes none. It shows that the store answers, and only writers of the same items cause it.
    """

    def __init__(self, tokens: int) -> None:
        self._capacity = tokens
        self._tokens = tokens
        self.is_spent_in_part = False

    def take(self, error: TableError) -> int | None:
        """Return the tokens taken for a retry after this error; None if there are too few."""
        cost = _cost(error)
        if cost > self._tokens:
            return None
        self._tokens -= cost
        self.is_spent_in_part = self._tokens < self._capacity
        return cost

    def refund(self, tokens: int) -> None:
        """Return tokens after a success: those of its last retry, or one if it needed none."""
        self._tokens = min(self._capacity, self._tokens + (tokens or SUCCESS_REFUND))
        self.is_spent_in_part = self._tokens < self._capacity


class RetryingCalls:
    """Calls that are retried by one policy, within one budget."""

    def __init__(self, policy: Retries, stats: CallStats, *, is_timed: bool = True) -> None:
        self.policy = policy
        self._stats = stats
        self._budget = RetryBudget(policy.budget)
        self._is_timed = is_timed
        self._retries_conflicts = True

    def raising_conflicts(self) -> RetryingCalls:
        """Return calls with the same policy and budget that raise a conflict at once, unless the write may be done."""
        calls = copy.copy(self)
        calls._retries_conflicts = False
        return calls

    async def repeatable(
        self, operation: str, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs
    ) -> T:
        """Return the result of an idempotent call, which is also repeated after a lost response."""
        now = asyncio.get_running_loop().time
        started = now()
        try:
            result = await call(*args, **options)
        except TableError as error:
            temporary = _TEMPORARY_IF_REPEATABLE
            return await self._again(operation, temporary, error, started, lambda: call(*args, **options))
        self._note_success(operation, now() - started)
        return result

    async def once(self, operation: str, call: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> T:
        """Return the result of a call that is repeated only if it was rejected, never after a lost response."""
        now = asyncio.get_running_loop().time
        started = now()
        try:
            result = await call(*args, **options)
        except TableError as error:
            return await self._again(operation, _TEMPORARY, error, started, lambda: call(*args, **options))
        self._note_success(operation, now() - started)
        return result

    def allow_retry(self, operation: str, error: TableError) -> int | None:
        """Return the tokens taken for a retry; None if the budget is spent, which is counted."""
        taken = self._budget.take(error)
        stats = self._stats.by_operation[operation]
        if taken is None:
            stats.refused_retries += 1
        else:
            stats.retries += 1
        return taken

    async def _again(
        self,
        operation: str,
        temporary: tuple[type[TableError], ...],
        error: TableError,
        started: float,
        attempt: Callable[[], Awaitable[T]],
    ) -> T:
        """Return the result of a further attempt, after the first, which started at this time, has failed."""
        now = asyncio.get_running_loop().time
        deadline = started + self.policy.deadline
        tried = 1
        may_be_done = False
        while True:
            self._note_failure(operation, now() - started, error)
            if not isinstance(error, temporary) or isinstance(error, StoreDenied) or tried >= self.policy.attempts:
                raise error
            may_be_done = may_be_done or not isinstance(error, _TEMPORARY)
            if isinstance(error, Conflict) and not self._retries_conflicts and not may_be_done:
                raise error
            pause = self.policy.pause_after(tried)
            if now() + pause > deadline:
                raise error
            taken = self._retry_cost(operation, error)
            await asyncio.sleep(pause)
            started = now()
            try:
                result = await attempt()
            except TableError as next_error:
                error = next_error
                tried += 1
                continue
            self._note_success(operation, now() - started, taken)
            return result

    def _note_success(self, operation: str, seconds: float, taken: int = 0) -> None:
        if self._is_timed:
            self._stats.by_operation[operation].latency.add(seconds)
        if self._budget.is_spent_in_part:
            self._budget.refund(taken)

    def _note_failure(self, operation: str, seconds: float, error: TableError) -> None:
        if self._is_timed:
            self._stats.by_operation[operation].latency.add(seconds)
        self._stats.count_error(operation, error)

    def _retry_cost(self, operation: str, error: TableError) -> int:
        """Return the tokens of a retry; raise the error of the attempt, with the reason, if the budget is spent."""
        taken = self.allow_retry(operation, error)
        if taken is None:
            raise type(error)(f"{error} (not retried: the retry budget of the table is spent)") from error
        return taken


def _cost(error: TableError) -> int:
    match error:
        case Conflict():
            return 0
        case Throttled():
            return THROTTLE_COST
        case _:
            return FAILURE_COST
