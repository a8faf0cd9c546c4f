"""Many clients at once: each is served, or gets a time to come back; none is closed because the server is slow."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from gateway.connection import Closed, Connection
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.actor import Actor
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.live import admission, draining, gateway
from sobremesa.live.admission import LONGEST_RETRY_SECONDS

SOCKETS = 500
AT_A_TIME = 250
"""How many handshakes are in progress at the same time, so that none waits longer than TCP does."""


async def test_time_in_which_nothing_was_read_does_not_count(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that had no chance to answer the hello, since the server was busy, keeps its time to identify."""
    monkeypatch.setattr(gateway, "IDENTIFY_SECONDS", 5.0)
    monkeypatch.setattr(gateway, "SWEEP_SECONDS", 0.05)
    async with serve_app(store) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as connection:
            time.sleep(6)  # noqa: ASYNC251 - the event loop is busy
            await asyncio.sleep(0.2)  # several sweeps
            assert (await connection.identify())["user"]["username"] == "ana"


class Gate:
    """Lets tokens be verified only once it is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened = asyncio.Event()
        self.reached = asyncio.Event()
        until = Authentication.authenticate_until

        async def slow(authentication: Authentication, token: str) -> tuple[Actor, int]:
            self.reached.set()
            await self.opened.wait()
            return await until(authentication, token)

        monkeypatch.setattr(Authentication, "authenticate_until", slow)


async def test_client_that_gets_no_turn_soon_gets_a_time_to_come_back(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    monkeypatch.setattr(admission, "LONGEST_WAIT_SECONDS", 0.2)
    async with serve_app(store) as served:
        monkeypatch.setattr(_gateway_of(served).admission, "_at_once", 1)
        ana = await served.create_user("ana")
        async with served.connect(ana) as first, served.connect(ana) as second:
            served_first = asyncio.create_task(first.identify())
            await gate.reached.wait()
            assert (await second.frame())["op"] == 10
            await second.send(2, {"token": ana.access_token})
            asked = await second.frame()
            assert asked["op"] == 7
            assert 0 < asked["d"]["retryAfter"] <= LONGEST_RETRY_SECONDS
            assert asked["d"]["spread"] >= 1
            assert (await second.closed()).code == 4013
            gate.opened.set()
            assert await served_first
        async with served.connect(ana) as again:
            await again.identify()


def _gateway_of(served: ServedApp) -> gateway.Gateway:
    assert isinstance(served.gateway, gateway.Gateway)
    return served.gateway


async def test_clients_are_asked_to_reconnect_a_few_at_a_time(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "RECONNECTS_PER_SECOND", 4)
    sockets: list[Connection] = []
    async with AsyncExitStack() as opened:
        async with serve_app(store) as served:
            ana = await served.create_user("ana")
            for _ in range(12):
                sockets.append(await opened.enter_async_context(served.connect(ana)))
                await sockets[-1].identify()
            leaving = [asyncio.create_task(_leave(each)) for each in sockets]
            _gateway_of(served).drain()
            await asyncio.wait(leaving, return_when=asyncio.FIRST_COMPLETED)
            assert sum(task.done() for task in leaving) < 6
        assert await asyncio.gather(*leaving) == [1012] * 12


async def _leave(connection: Connection) -> int:
    """Return the close code of a socket that is asked to reconnect."""
    while (found := await connection.frame())["op"] != 7:
        pass
    assert found["d"] == {"retryAfter": 0, "spread": 1.0}
    return (await connection.closed()).code


@asynccontextmanager
async def crowd(served: ServedApp) -> AsyncIterator[Counter[str]]:
    """Yield how all clients of a storm fared, who come at once and come back when they are asked to."""
    ana = await served.create_user("ana")
    fates: Counter[str] = Counter()
    handshakes = asyncio.Semaphore(AT_A_TIME)
    async with AsyncExitStack() as opened:

        async def client() -> None:
            while True:
                connection = served.connect(ana)
                async with handshakes:
                    await opened.enter_async_context(connection)
                    await connection.frame()
                    await connection.send(2, {"token": ana.access_token})
                try:
                    received = await connection.frame()
                except Closed as closed:
                    fates[f"closed {closed.code}"] += 1
                    return
                if received["op"] != 7:
                    fates[received["t"]] += 1
                    return
                fates["asked to come back"] += 1
                await asyncio.sleep(received["d"]["retryAfter"])

        await asyncio.gather(*(client() for _ in range(SOCKETS)))
        yield fates


async def test_storm_of_clients_is_served(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MAX_WAIT_SECONDS", 0.5)
    monkeypatch.setattr(admission, "LONGEST_WAIT_SECONDS", 0.5)
    async with serve_app(store) as served, crowd(served) as fates:
        assert fates["ready"] == SOCKETS
        assert set(fates) <= {"ready", "asked to come back"}
