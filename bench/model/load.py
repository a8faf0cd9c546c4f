"""Load in virtual time: at a rate, or from callers that wait for their answers; and what came of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sobremesa.core.errors import SobremesaError
from sobremesa.http.problems import problem_of
from sobremesa.table.errors import TableError

MOST = 10_000
"""Requests of one scenario: what has no limit ends with these."""

Call = Callable[[int], Awaitable[object]]
"""A request, given its number."""


class Outcome(NamedTuple):
    """The answers to some requests."""

    seconds: float
    """Between the first request and the last one."""
    accepted: int
    refused: Counter[str]
    """How often each answer was given that is not a success: its status, its code, and when to come again."""
    waits: list[float]
    """How long each accepted request took, in ascending order."""

    @property
    def rate(self) -> float:
        """The accepted requests of a second."""
        return self.accepted / self.seconds

    def quantile(self, share: float) -> float:
        """Return the time within which this share of the accepted requests was answered."""
        return self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))] if self.waits else 0.0


class _Asked:
    """Collects the answers."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.refused: Counter[str] = Counter()

    async def ask(self, call: Call, number: int) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            await call(number)
        except (SobremesaError, TableError) as error:
            problem = problem_of(error)
            again = dict(problem.headers).get(b"retry-after")
            wait = "" if again is None else f", Retry-After {again.decode()}"
            self.refused[f"{problem.status} {problem.code}{wait}"] += 1
        else:
            self.waits.append(loop.time() - started)

    def outcome(self, seconds: float) -> Outcome:
        return Outcome(seconds, len(self.waits), self.refused, sorted(self.waits))


async def at_rate(rate: float, seconds: float, call: Call) -> Outcome:
    """Send requests at a rate, whatever the answers are, and wait for all of these."""
    asked = _Asked()
    async with asyncio.TaskGroup() as group:
        for number in range(round(rate * seconds)):
            group.create_task(asked.ask(call, number))
            await asyncio.sleep(1 / rate)
    return asked.outcome(seconds)


async def from_callers(callers: int, seconds: float, call: Call, *, most: int = MOST) -> Outcome:
    """Let callers send one request after the other, for so long or so many; a refused one is not repeated."""
    asked = _Asked()
    numbers = iter(range(most))
    loop = asyncio.get_running_loop()
    started = loop.time()

    async def caller() -> None:
        while loop.time() < started + seconds and (number := next(numbers, None)) is not None:
            await asked.ask(call, number)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return asked.outcome(loop.time() - started)
