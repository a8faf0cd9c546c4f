"""All scenarios, one after the other, against one server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from sobremesa.loadtest.connection import Connection, Tally
from sobremesa.loadtest.meter import Meter, Shares
from sobremesa.loadtest.scenarios import Rate, Voice, answered, broadcast, paced

T = TypeVar("T")

SETTLE_SECONDS = 0.3
"""How long the server gets to see that somebody has gone, and to tidy up."""
WARM_UP = 0.1
"""How much of the time of a scenario it is run before it counts."""

Rss = Callable[[], Awaitable[int | None]]
Tell = Callable[[str, str], None]
"""Told what was measured, and what came out."""


class Contender(Protocol):
    """Somebody who can be put under load."""

    async def listeners(self, count: int, tally: Tally) -> list[Connection]:
        """So many sockets that hear what is said to all."""
        ...

    async def voices(self, count: int, *, together: bool) -> list[Voice]:
        """So many who send, to all or each to themselves."""
        ...

    async def readers(self, count: int) -> list[Voice]:
        """So many who ask for the newest page; nobody where there are no pages."""
        ...


class Plan(NamedTuple):
    """The sizes of one run."""

    senders: int = 32
    sockets: tuple[int, ...] = (200, 1000)
    """To how many is broadcast; the last is also how many wait for what is said now and then."""
    idle: tuple[int, ...] = (1000, 2000)
    in_flight: tuple[int, ...] = (1, 4)
    per_second: float = 20.0
    seconds: float = 4.0
    paced_seconds: float = 8.0
    tries: int = 1
    """How often something is measured while other programs disturb it; the quietest counts."""

    @property
    def steps(self) -> int:
        """How many things are measured."""
        return len(self.idle) + 2 + (self.senders > 1) * 2 + len(self.sockets) * len(self.in_flight) + 1

    @property
    def most_sockets(self) -> int:
        return max(*self.sockets, *self.idle) + self.senders


QUICK = Plan(sockets=(200,), idle=(200,), seconds=0.5, paced_seconds=1.0)


class Memory(NamedTuple):
    """How much memory the server had with so many idle sockets, in bytes."""

    sockets: int
    idle: int
    with_sockets: int

    @property
    def of_each(self) -> float:
        return (self.with_sockets - self.idle) / self.sockets


class Results(NamedTuple):
    """Everything that was measured."""

    plan: Plan
    memory: list[Memory]
    sends_1: Rate
    sends_apart: Rate | None
    sends_together: Rate | None
    pages: Rate | None
    broadcasts: dict[tuple[int, int], float]
    """Deliveries a second, by how many listen and how many messages are in flight."""
    waits: Rate
    shares: dict[str, Shares]


class Run:
    """One run: tells each figure when it is known."""

    def __init__(self, contender: Contender, plan: Plan, rss: Rss, server_pid: int | None, tell: Tell) -> None:
        self._contender = contender
        self._plan = plan
        self._rss = rss
        self._pid = server_pid
        self._tell = tell
        self._shares: dict[str, Shares] = {}

    async def all(self) -> Results:
        """Everything; memory first, while the server is fresh."""
        plan = self._plan
        memory = await self._memory()
        sends_1 = await self._sends(1, together=False)
        many = plan.senders > 1
        return Results(
            plan=plan,
            memory=memory,
            sends_1=sends_1,
            sends_apart=await self._sends(plan.senders, together=False) if many else None,
            sends_together=await self._sends(plan.senders, together=True) if many else None,
            pages=await self._pages(),
            broadcasts={
                key: rate for sockets in plan.sockets for key, rate in (await self._broadcasts(sockets)).items()
            },
            waits=await self._waits(),
            shares=self._shares,
        )

    async def _memory(self) -> list[Memory]:
        found: list[Memory] = []
        idle = await self._rss()
        tally, connections = Tally(), list[Connection]()
        for sockets in self._plan.idle:
            connections += await self._contender.listeners(sockets - len(connections), tally)
            await asyncio.sleep(min(SETTLE_SECONDS, self._plan.seconds))
            rss = await self._rss()
            if idle is None or rss is None:
                self._tell(f"memory, {sockets:,} idle sockets", "the server does not tell")
                continue
            found.append(Memory(sockets, idle, rss))
            self._tell(f"memory, {sockets:,} idle sockets", f"{found[-1].of_each / 1024:.1f} KB a socket")
        await self._leave(connections)
        return found

    async def _sends(self, senders: int, *, together: bool) -> Rate:
        where = "one channel" if together else "a channel each"
        voices = await self._contender.voices(senders, together=together)
        return await self._answered(f"sends, {senders} senders, {where}" if senders > 1 else "sends, 1 sender", voices)

    async def _pages(self) -> Rate | None:
        voices = await self._contender.readers(self._plan.senders)
        if not voices:
            return None
        return await self._answered(f"newest 50, {self._plan.senders} readers", voices)

    async def _answered(self, name: str, voices: Sequence[Voice]) -> Rate:
        await answered(voices, self._plan.seconds * WARM_UP)
        rate = await self._metered(name, lambda: answered(voices, self._plan.seconds))
        self._tell(name, told_rate(rate))
        await self._leave(voice.connection for voice in voices)
        return rate

    async def _broadcasts(self, sockets: int) -> dict[tuple[int, int], float]:
        tally, found = Tally(), {}
        listeners = await self._contender.listeners(sockets, tally)
        voices = await self._contender.voices(min(max(self._plan.in_flight), self._plan.senders), together=True)
        for in_flight in self._plan.in_flight:
            name = f"broadcast to {sockets:,}, {in_flight} in flight"

            async def work(seconds: float, in_flight: int = in_flight) -> float:
                return await broadcast(tally, sockets, voices[:in_flight], in_flight=in_flight, seconds=seconds)

            await work(self._plan.seconds * WARM_UP)
            rate = await self._metered(name, partial(work, self._plan.seconds))
            found[sockets, in_flight] = rate
            self._tell(name, f"{rate:,.0f} deliveries/s")
        await self._leave([*listeners, *(voice.connection for voice in voices)])
        return found

    async def _waits(self) -> Rate:
        plan, tally, sockets = self._plan, Tally(), self._plan.sockets[-1]
        listeners = await self._contender.listeners(sockets, tally)
        voices = await self._contender.voices(1, together=True)
        name = f"{plan.per_second:.0f} messages/s to {sockets:,}"
        work = partial(paced, tally, sockets, voices[0], per_second=plan.per_second, seconds=plan.paced_seconds)
        rate = await self._metered(name, work)
        self._tell(name, f"p50 {rate.p50_ms:.1f} ms, p99 {rate.p99_ms:.1f} ms")
        await self._leave([*listeners, voices[0].connection])
        return rate

    async def _metered(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do it, again if others disturb; the figure of the quietest time, and who used the processor then."""
        found: list[tuple[T, Shares]] = []
        while not found or (len(found) < self._plan.tries and found[-1][1].is_disturbed):
            meter = Meter(self._pid)
            found.append((await work(), meter.shares()))
        result, self._shares[name] = min(found, key=lambda each: each[1].others or 0.0)
        return result

    async def _leave(self, connections: Iterable[Connection]) -> None:
        for connection in connections:
            connection.leave()
        await asyncio.sleep(min(SETTLE_SECONDS, self._plan.seconds))


def told_rate(rate: Rate) -> str:
    """A rate as a person reads it."""
    return f"{rate.per_second:,.0f}/s, p50 {rate.p50_ms:.1f} ms, p99 {rate.p99_ms:.1f} ms"
