"""The contenders in turn, several times over, each round in the other direction.

The machine is noisy, and not evenly so: figures of one round belong together, so ratios are taken round by round, and
what is reported is the median of the rounds with the least and the greatest.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from bench.beside import watched_loop
from bench.contender import Contender, Question, Rate
from bench.lock import Lock
from bench.plan import Plan
from bench.progress import Steps
from bench.raw import RawContender
from bench.results import Series
from bench.stage import Stage

SENDS_1 = "sends/s, 1 sender"
SENDS_32 = "sends/s, 32 senders"
SENDS_BUSY = "sends/s, 32 senders, busy loop"
LAG = "loop lag p99, 32 senders (ms)"
LAG_BUSY = "loop lag p99, 32 senders, busy loop (ms)"
PAGES_1 = "pages/s, 1 reader"
PAGES_32 = "pages/s, 32 readers"
GETS_32 = "gets/s, 32 readers"
COUNTS_32 = "counts/s, 32 readers"

MEASURES = (SENDS_1, SENDS_32, SENDS_BUSY, LAG, LAG_BUSY, PAGES_1, PAGES_32, GETS_32, COUNTS_32)
IDLE = "(nobody sends)"

Figures: TypeAlias = dict[str, float]


class Idle:
    """Does nothing, to measure the lag of the loop without load."""

    name = IDLE

    async def send(self, senders: int, seconds: float) -> Rate:
        await asyncio.sleep(seconds)
        return Rate(0, seconds)

    async def read(self, question: Question, readers: int, seconds: float) -> Rate:
        return await self.send(readers, seconds)


class Slice(NamedTuple):
    """A short time given to each contender in turn."""

    contenders: Sequence[Contender]
    measure: Callable[[Contender], Awaitable[Figures]]


async def run_rounds(stage: Stage, plan: Plan, lock: Lock, steps: Steps) -> dict[str, dict[str, Series]]:
    """Every measure of every contender, as each round gave it."""
    found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    slices = _slices(stage, plan)
    for number in range(plan.rounds):
        for contenders, measure in slices:
            for contender in contenders if number % 2 else reversed(contenders):
                async with lock.held():
                    figures = await measure(contender)
                for name, figure in figures.items():
                    found[name][contender.name].append(figure)
                steps.done(contender.name)
    return {
        name: {contender: Series(tuple(values)) for contender, values in by_contender.items()}
        for name, by_contender in found.items()
    }


def count_slices(stage: Stage, plan: Plan) -> int:
    return plan.rounds * sum(len(contenders) for contenders, _ in _slices(stage, plan))


def _slices(stage: Stage, plan: Plan) -> list[Slice]:
    # The bound has no event loop that could be busy or late.
    on_a_loop: list[Contender] = [each for each in stage.senders if not isinstance(each, RawContender)]
    return [
        Slice(stage.senders, _sends(SENDS_1, 1, plan.send_seconds)),
        Slice(stage.senders, _sends(SENDS_32, 32, plan.send_seconds)),
        Slice([*on_a_loop, Idle()], _watched(None, LAG, plan.send_seconds / 2, busy=False)),
        Slice([*on_a_loop, Idle()], _watched(SENDS_BUSY, LAG_BUSY, plan.send_seconds, busy=True)),
        Slice(stage.readers, _reads(PAGES_1, "page", 1, plan.read_seconds)),
        Slice(stage.readers, _reads(PAGES_32, "page", 32, plan.read_seconds)),
        Slice(stage.readers, _reads(GETS_32, "get", 32, plan.read_seconds)),
        Slice(stage.readers, _reads(COUNTS_32, "count", 32, plan.read_seconds)),
    ]


def _sends(name: str, senders: int, seconds: float) -> Callable[[Contender], Awaitable[Figures]]:
    async def measure(contender: Contender) -> Figures:
        return {name: (await contender.send(senders, seconds)).per_second}

    return measure


def _watched(sends: str | None, lag: str, seconds: float, *, busy: bool) -> Callable[[Contender], Awaitable[Figures]]:
    async def measure(contender: Contender) -> Figures:
        async with watched_loop(busy=busy) as watched:
            rate = await contender.send(32, seconds)
        return {lag: watched.p99_ms()} | ({sends: rate.per_second} if sends and rate.done else {})

    return measure


def _reads(name: str, question: Question, readers: int, seconds: float) -> Callable[[Contender], Awaitable[Figures]]:
    async def measure(contender: Contender) -> Figures:
        return {name: (await contender.read(question, readers, seconds)).per_second}

    return measure
