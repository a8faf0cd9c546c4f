"""All scenarios, one after the other, against one server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from sobremesa.loadtest.connection import Connection, Tally
from sobremesa.loadtest.meter import Meter, Shares
from sobremesa.loadtest.scenarios import Rate, Sender, answered, broadcast, paced

T = TypeVar("T")

SETTLE_SECONDS = 0.3
"""How long the server has to clean up after closed connections."""
WARM_UP = 0.1
"""The share of a scenario's duration that it runs before it counts."""

Rss = Callable[[], Awaitable[int | None]]
ReportStep = Callable[[str, str], None]
"""Receives the name and the result of each measurement."""


class Contender(Protocol):
    """A system that can be measured."""

    async def listeners(self, count: int, tally: Tally) -> list[Connection]:
        """Open sockets that receive every broadcast."""
        ...

    async def open_senders(self, count: int, *, together: bool) -> list[Sender]:
        """Open senders, all to one channel or each to its own."""
        ...

    async def readers(self, count: int) -> list[Sender]:
        """Open readers of the newest page; none where there are no pages."""
        ...


class Plan(NamedTuple):
    """The sizes of one run."""

    senders: int = 32
    sockets: tuple[int, ...] = (200, 1000)
    """The numbers of sockets for broadcasts; the last one is also used for the latency."""
    idle: tuple[int, ...] = (1000, 2000)
    in_flight: tuple[int, ...] = (1, 4)
    per_second: float = 20.0
    seconds: float = 4.0
    paced_seconds: float = 8.0
    tries: int = 1
    """The maximum number of tries while other programs disturb a measurement; the quietest counts."""

    @property
    def steps(self) -> int:
        """The number of measurements."""
        return len(self.idle) + 2 + (self.senders > 1) * 2 + len(self.sockets) * len(self.in_flight) + 1

    @property
    def most_sockets(self) -> int:
        return max(*self.sockets, *self.idle) + self.senders


QUICK = Plan(sockets=(200,), idle=(200,), seconds=0.5, paced_seconds=1.0)


class Memory(NamedTuple):
    """The memory of the server with a number of idle sockets, in bytes."""

    sockets: int
    idle: int
    with_sockets: int

    @property
    def of_each(self) -> float:
        return (self.with_sockets - self.idle) / self.sockets


class Results(NamedTuple):
    """All results."""

    plan: Plan
    memory: list[Memory]
    sends_1: Rate
    sends_apart: Rate | None
    sends_together: Rate | None
    pages: Rate | None
    broadcasts: dict[tuple[int, int], float]
    """Deliveries per second, by the number of sockets and of messages in flight."""
    waits: Rate
    shares: dict[str, Shares]


class Run:
    """One run, which reports each result."""

    def __init__(self, contender: Contender, plan: Plan, rss: Rss, server_pid: int | None, report: ReportStep) -> None:
        self._contender = contender
        self._plan = plan
        self._rss = rss
        self._pid = server_pid
        self._report = report
        self._shares: dict[str, Shares] = {}

    async def all(self) -> Results:
        """Run everything; memory first, while the server is fresh."""
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
                self._report(f"memory, {sockets:,} idle sockets", "not available")
                continue
            found.append(Memory(sockets, idle, rss))
            self._report(f"memory, {sockets:,} idle sockets", f"{found[-1].of_each / 1024:.1f} KB per socket")
        await self._leave(connections)
        return found

    async def _sends(self, senders: int, *, together: bool) -> Rate:
        where = "one channel" if together else "a channel each"
        opened = await self._contender.open_senders(senders, together=together)
        return await self._answered(f"sends, {senders} senders, {where}" if senders > 1 else "sends, 1 sender", opened)

    async def _pages(self) -> Rate | None:
        senders = await self._contender.readers(self._plan.senders)
        if not senders:
            return None
        return await self._answered(f"newest 50, {self._plan.senders} readers", senders)

    async def _answered(self, name: str, senders: Sequence[Sender]) -> Rate:
        await answered(senders, self._plan.seconds * WARM_UP)
        rate = await self._metered(name, lambda: answered(senders, self._plan.seconds))
        self._report(name, format_rate(rate))
        await self._leave(sender.connection for sender in senders)
        return rate

    async def _broadcasts(self, sockets: int) -> dict[tuple[int, int], float]:
        tally, found = Tally(), {}
        listeners = await self._contender.listeners(sockets, tally)
        senders = await self._contender.open_senders(min(max(self._plan.in_flight), self._plan.senders), together=True)
        for in_flight in self._plan.in_flight:
            name = f"broadcast to {sockets:,}, {in_flight} in flight"

            async def work(seconds: float, in_flight: int = in_flight) -> float:
                return await broadcast(tally, sockets, senders[:in_flight], in_flight=in_flight, seconds=seconds)

            await work(self._plan.seconds * WARM_UP)
            rate = await self._metered(name, partial(work, self._plan.seconds))
            found[sockets, in_flight] = rate
            self._report(name, f"{rate:,.0f} deliveries/s")
        await self._leave([*listeners, *(sender.connection for sender in senders)])
        return found

    async def _waits(self) -> Rate:
        plan, tally, sockets = self._plan, Tally(), self._plan.sockets[-1]
        listeners = await self._contender.listeners(sockets, tally)
        senders = await self._contender.open_senders(1, together=True)
        name = f"{plan.per_second:.0f} messages/s to {sockets:,}"
        work = partial(paced, tally, sockets, senders[0], per_second=plan.per_second, seconds=plan.paced_seconds)
        rate = await self._metered(name, work)
        self._report(name, f"p50 {rate.p50_ms:.1f} ms, p99 {rate.p99_ms:.1f} ms")
        await self._leave([*listeners, senders[0].connection])
        return rate

    async def _metered(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Run a measurement, again if other programs disturb it; return the least disturbed result."""
        found: list[tuple[T, Shares]] = []
        while not found or (len(found) < self._plan.tries and found[-1][1].is_disturbed):
            meter = Meter(self._pid)
            found.append((await work(), meter.shares()))
        result, self._shares[name] = min(found, key=lambda each: each[1].others or 0.0)
        return result

    async def _leave(self, connections: Iterable[Connection]) -> None:
        for connection in connections:
            connection.disconnect()
        await asyncio.sleep(min(SETTLE_SECONDS, self._plan.seconds))


def format_rate(rate: Rate) -> str:
    """Return a rate as text."""
    return f"{rate.per_second:,.0f}/s, p50 {rate.p50_ms:.1f} ms, p99 {rate.p99_ms:.1f} ms"
