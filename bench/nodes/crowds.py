"""What many clients do at once: they receive broadcasts, and come back after they were cut off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import NamedTuple

from bench.nodes.clients import Client
from bench.nodes.processes import Idle, Spent
from sobremesa.loadtest.connection import Connection, LoadFailed, Tally, connect
from sobremesa.loadtest.scenarios import Sender, broadcast
from sobremesa.loadtest.server import LOOPBACK, Process

CALMLY = 32
"""How many clients connect at the same time where that is not what is measured."""
IN_A_STORM = 1000
"""The same in a storm: the kernel's queue of connections to accept is limited, too."""
PATIENCE_SECONDS = 60.0
"""How long a client waits before it connects again by itself: longer than a server keeps it waiting."""
RETRY_SECONDS = 0.5
CONNECTED_WITHIN_SECONDS = 300.0
"""Later, the run fails: tokens are valid for ten minutes."""
BEAT_SECONDS = 20.0
WARM_UP_SECONDS = 0.5
ALL_WITHIN_SECONDS = 120.0
"""After this time, those who are not back are given up."""


class Crowd:
    """Clients that receive what is sent to one room, and their connections."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self.clients = clients
        self.tally = Tally()
        self.connections: list[Connection] = []
        self.asked_to_wait = 0
        self.failures = 0

    async def connect(self, port: int, turns: asyncio.Semaphore) -> None:
        """Connect all clients, in any order; those that were connected before resume."""
        await asyncio.gather(*(self._connect(each, port, turns) for each in self.clients))

    async def _connect(self, client: Client, port: int, turns: asyncio.Semaphore) -> None:
        while True:
            try:
                async with turns:
                    connected = await connect(LOOPBACK, port, client, self.tally, seconds=PATIENCE_SECONDS)
                self.connections.append(connected)
                return
            except LoadFailed:
                wait, client.retry_after = client.retry_after, None
            if wait is None:
                self.failures += 1
            else:
                self.asked_to_wait += 1
            await asyncio.sleep(RETRY_SECONDS if wait is None else wait)

    def disconnect(self) -> None:
        """Cut off all clients."""
        connections, self.connections = self.connections, []
        for connection in connections:
            connection.disconnect()


@asynccontextmanager
async def connected(crowds: Sequence[tuple[Crowd, int]]) -> AsyncIterator[None]:
    """Keep crowds connected, each to a port, during the block."""
    async with asyncio.TaskGroup() as group:
        beating = group.create_task(_beat([crowd for crowd, _ in crowds]))
        try:
            async with asyncio.timeout(CONNECTED_WITHIN_SECONDS):
                for crowd, port in crowds:
                    await crowd.connect(port, asyncio.Semaphore(CALMLY))
            yield
        finally:
            beating.cancel()
            for crowd, _ in crowds:
                crowd.disconnect()


async def _beat(crowds: Sequence[Crowd]) -> None:
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        for crowd in crowds:
            for connection in crowd.connections:
                crowd.clients[0].beat(connection)


class Delivered(NamedTuple):
    """What was delivered, and the CPU time of each server for it."""

    deliveries: int
    seconds: float
    cpu: list[float]

    @property
    def per_second(self) -> float:
        return self.deliveries / self.seconds

    @property
    def of_busiest(self) -> float:
        """Deliveries for each second of the CPU of the busiest server."""
        return self.deliveries / max(self.cpu)

    @property
    def microseconds_each(self) -> float:
        """CPU time of all servers for a delivery."""
        return sum(self.cpu) / self.deliveries * 1e6


async def deliver(
    crowds: Sequence[tuple[Crowd, Sequence[Sender]]], servers: Sequence[Process], *, in_flight: int, seconds: float
) -> Delivered:
    """Broadcast to all crowds at once, with so many messages in flight to each."""

    async def work(duration: float) -> None:
        async with asyncio.TaskGroup() as group:
            for crowd, senders in crowds:
                listeners = len(crowd.connections)
                group.create_task(broadcast(crowd.tally, listeners, senders, in_flight=in_flight, seconds=duration))

    await work(WARM_UP_SECONDS)
    before, spent, started = _count(crowds), Spent(servers), perf_counter()
    await work(seconds)
    return Delivered(_count(crowds) - before, perf_counter() - started, spent.seconds())


def _count(crowds: Sequence[tuple[Crowd, object]]) -> int:
    return sum(crowd.tally.count for crowd, _ in crowds)


class Storm(NamedTuple):
    """How the clients of a server came back."""

    sockets: int
    back: int
    """How many of them were back in the end: all, unless that took too long."""
    seconds: float
    """Until all had what they missed."""
    cpu: list[float]
    missed: int
    received: int
    """How many messages they had missed, and how many of them they received."""
    asked_to_wait: int
    failures: int
    """How many connections were reset, or not served within a minute."""
    idle: float
    """How many seconds the first server had nothing to do."""

    @property
    def milliseconds_each(self) -> float:
        """CPU time of all servers for a client that came back."""
        return sum(self.cpu) / max(self.back, 1) * 1000


async def come_back(
    crowds: Sequence[tuple[Crowd, int]], servers: Sequence[Process], missed: int, *, settle_seconds: float = 0.0
) -> Storm:
    """Connect all clients again at once, each crowd to a port, until each has the messages that it missed.

    The CPU time includes what the servers do for them in some more seconds.
    """
    for crowd, _ in crowds:
        crowd.asked_to_wait = crowd.failures = crowd.tally.count = 0
    turns = asyncio.Semaphore(IN_A_STORM)
    spent, idle, started = Spent(servers), Idle(servers[0]), perf_counter()
    coming = [asyncio.create_task(crowd.connect(port, turns)) for crowd, port in crowds]
    done, late = await asyncio.wait(coming, timeout=ALL_WITHIN_SECONDS)
    for task in late:
        task.cancel()
    for task in done:
        task.result()
    seconds, idle_seconds = perf_counter() - started, idle.seconds()
    await asyncio.sleep(settle_seconds)
    return Storm(
        sockets=sum(len(crowd.clients) for crowd, _ in crowds),
        back=sum(len(crowd.connections) for crowd, _ in crowds),
        seconds=seconds,
        cpu=spent.seconds(),
        missed=sum(missed * len(crowd.connections) for crowd, _ in crowds),
        received=_count(crowds),
        asked_to_wait=sum(crowd.asked_to_wait for crowd, _ in crowds),
        failures=sum(crowd.failures for crowd, _ in crowds),
        idle=idle_seconds,
    )


async def send_each(senders: Sequence[Sender], times: int) -> None:
    """Let each sender send so many messages, one after the other."""
    await asyncio.gather(*(_send(sender, times) for sender in senders))


async def _send(sender: Sender, times: int) -> None:
    for number in range(times):
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        sender.connection.on_answer = lambda is_good, _, answer=answer: answer.set_result(is_good)
        sender.send(number)
        if not await asyncio.wait_for(answer, PATIENCE_SECONDS):
            raise LoadFailed("a message was refused")
    sender.connection.on_answer = None
