"""The turns of a storm, in virtual time: the server is busy until all are back, however fast it is."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

import pytest

from simulation import virtual_time
from sobremesa.live.admission import (
    LONGEST_RETRY_SECONDS,
    LONGEST_WAIT_SECONDS,
    MAX_WAIT_SECONDS,
    MEASURED,
    Admission,
    ServerBusy,
)
from sobremesa.live.identify import SHORTEST_SPREAD_SECONDS, SPREAD_SHARE

T = TypeVar("T")

CLIENTS = 5000
STEPS = 4
"""In how many pieces of work a client is served, between which others are."""


class Server:
    """A server with one processor."""

    def __init__(self) -> None:
        self.turns = Admission(now=asyncio.get_running_loop().time)
        self.busy_seconds = 0.0
        self.connected = 0
        self.waits: list[float] = []
        self._processor = asyncio.Lock()

    async def work(self, seconds: float) -> None:
        async with self._processor:
            await asyncio.sleep(seconds)
            self.busy_seconds += seconds

    async def serve(self, handshake_seconds: float, seconds: float, latency: float) -> None:
        """Serve a client, however often it has to come back."""
        loop = asyncio.get_running_loop()
        while True:
            await self.work(handshake_seconds)
            self.connected += 1
            came = loop.time()
            try:
                async with self.turns.turn():
                    self.waits.append(loop.time() - came)
                    for _ in range(STEPS):
                        await asyncio.sleep(latency)
                        await self.work(seconds / STEPS)
                return
            except ServerBusy as busy:
                self.waits.append(loop.time() - came)
                spread = max(SHORTEST_SPREAD_SECONDS, busy.retry_after * SPREAD_SHARE)
                await asyncio.sleep(busy.retry_after + spread * random.random())


class Storm(NamedTuple):
    busy_share: float
    """Of the time until all were back, how much the server worked."""
    handshakes: float
    """How often a client connected."""
    longest_wait: float


async def storm(server: Server, clients: int, handshake_seconds: float, seconds: float, latency: float = 0.0) -> Storm:
    loop = asyncio.get_running_loop()
    began, server.busy_seconds, server.connected = loop.time(), 0.0, 0
    await asyncio.gather(*(server.serve(handshake_seconds, seconds, latency) for _ in range(clients)))
    took = loop.time() - began
    return Storm(server.busy_seconds / took, server.connected / clients, max(server.waits))


def simulated(main: Coroutine[Any, Any, T]) -> T:
    return virtual_time.run(main, seed=1)


@pytest.mark.parametrize(
    ("handshake_ms", "ms", "latency_ms"), [(0.4, 1.1, 0), (0.4, 6, 0), (1, 8, 5), (2, 12, 0), (1, 30, 0)]
)
def test_server_is_busy_until_all_are_back(handshake_ms: float, ms: float, latency_ms: float) -> None:
    async def measured() -> Storm:
        return await storm(Server(), CLIENTS, handshake_ms / 1000, ms / 1000, latency_ms / 1000)

    found = simulated(measured())
    assert found.busy_share > 0.97
    assert found.handshakes < 3
    assert found.longest_wait <= LONGEST_WAIT_SECONDS


def test_server_that_has_become_faster_is_busy_as_well() -> None:
    async def measured() -> Storm:
        server = Server()
        await storm(server, 1000, 0.002, 0.03)
        return await storm(server, CLIENTS, 0.0004, 0.0015)

    assert simulated(measured()).busy_share > 0.97


def test_client_whose_turn_would_come_too_late_is_sent_away_as_soon_as_that_is_known() -> None:
    each = 2 * MAX_WAIT_SECONDS / CLIENTS

    async def measured() -> list[float]:
        server, sent_away = Server(), []
        loop = asyncio.get_running_loop()

        async def client() -> None:
            try:
                async with server.turns.turn():
                    await server.work(each)
            except ServerBusy:
                sent_away.append(loop.time())

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        return sent_away

    sent_away = simulated(measured())
    assert len(sent_away) == pytest.approx(CLIENTS / 2, rel=0.1)
    assert max(sent_away) < 3 * MEASURED * each


def test_times_to_come_back_are_bounded() -> None:
    turns = Admission(now=lambda: 100.0)

    assert max(turns.next_return() for _ in range(100_000)) <= LONGEST_RETRY_SECONDS


def test_client_that_leaves_when_it_is_its_turn_passes_it_on() -> None:
    async def leave() -> None:
        turns = Admission(at_once=1, now=asyncio.get_running_loop().time)
        held, served = asyncio.Event(), []

        async def client(number: int, until: asyncio.Event) -> None:
            async with turns.turn():
                served.append(number)
                await until.wait()

        first = asyncio.create_task(client(1, held))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(client(number, held)) for number in (2, 3, 4)]
        await asyncio.sleep(0)
        assert turns.waiting == 3
        waiting[0].cancel()  # it has not got its turn yet
        held.set()
        await asyncio.sleep(0)
        assert turns.waiting == 1
        waiting[1].cancel()  # it has, and does not know it yet
        await asyncio.gather(first, *waiting, return_exceptions=True)
        assert served == [1, 4]
        assert turns.waiting == 0
        async with turns.turn():
            pass

    simulated(leave())
