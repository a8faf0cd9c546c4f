"""Whatever fails, every client that resumes receives each acknowledged message once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence, Set, Sized
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import websockets

from api.running import serving
from communities.conftest import Ahead
from gateway.conftest import SharedChannel, shared_channel
from gateway.connection import Closed, Connection
from gateway.served_app import ServedApp, serve_app
from lengths import CUT_SOCKETS
from sobremesa.app import Sobremesa
from sobremesa.core.ids import MessageId

SENDERS = 8
CLIENTS = 20
KILLS = 3
SOON_SECONDS = 60.0


class Client:
    """A client that reconnects after every failure, and records each event once."""

    def __init__(self, url: Callable[[], str], token: str) -> None:
        self._url = url
        self._token = token
        self._last: Connection | None = None
        self.received: dict[str, dict[str, Any]] = {}
        self.doubled = 0
        """How often an event was repeated on one socket: never."""
        self.is_subscribed = asyncio.Event()

    async def run(self) -> None:
        while True:
            with contextlib.suppress(OSError, websockets.WebSocketException, Closed, TimeoutError):
                await self._listen()
            await asyncio.sleep(0.02)

    async def _listen(self) -> None:
        connection = Connection(self._url(), self._token, open_timeout=5)
        async with connection:
            here: set[str] = set()
            if self._last is None:
                await connection.identify()
            else:
                assert (await connection.frame())["op"] == 10
                connection.session_id, connection.s = self._last.session_id, self._last.s
                await connection.send(6, {"token": self._token, "sessionId": connection.session_id, "s": connection.s})
            self._last = connection
            self.is_subscribed.set()
            while True:
                frame = await connection.frame(SOON_SECONDS)
                if "id" in frame and frame["op"] == 0:
                    self.doubled += frame["id"] in here
                    here.add(frame["id"])
                    self.received.setdefault(frame["id"], frame)


async def test_server_killed_under_load_loses_no_message_and_no_event(store: str, tmp_path: Path) -> None:
    async with Sobremesa.open(store, background=False) as app:
        shared = await with_members(app)
    acknowledged: dict[str, str] = {}
    url = ""
    kept: dict[str, str] = {}
    stop = asyncio.Event()

    async def send(sender: int) -> None:
        number = 0
        while not stop.is_set():
            with contextlib.suppress(OSError, websockets.WebSocketException, Closed, TimeoutError):
                async with Connection(url, shared.ana.access_token, open_timeout=5) as connection:
                    await connection.identify()
                    while not stop.is_set():
                        content = f"{sender}/{number}"
                        status, body = await connection.call(
                            "channels.sendMessage", roomId=shared.channel_id, content=content, nonce=content
                        )
                        assert status in (200, 201), body
                        acknowledged[body["messageId"]] = content
                        number += 1
            await asyncio.sleep(0.02)

    subscribers = [Client(lambda: url, shared.bea.access_token) for _ in range(CLIENTS)]
    tasks: list[asyncio.Task[None]] = []
    for life in range(KILLS + 1):
        with serving(store, tmp_path / f"server-{life}.log") as server:
            url = server.url
            if not tasks:
                tasks = [asyncio.create_task(subscriber.run()) for subscriber in subscribers]
                await asyncio.gather(*(subscriber.is_subscribed.wait() for subscriber in subscribers))
                tasks += [asyncio.create_task(send(sender)) for sender in range(SENDERS)]
            enough = len(acknowledged) + 300
            await until(partial(has_grown_to, acknowledged, enough))
            if life < KILLS:
                server.kill()
            else:
                stop.set()
                await asyncio.gather(*tasks[CLIENTS:])
                kept = await everything_in(store, shared)
                await until(partial(have_received, subscribers, kept.keys()))
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    assert acknowledged.items() <= kept.items()
    for subscriber in subscribers:
        assert subscriber.doubled == 0
        created = [frame["d"]["messageId"] for frame in subscriber.received.values() if frame["t"] == "message.created"]
        assert created == sorted(created)
        assert set(created) == kept.keys()


@pytest.mark.long
async def test_sockets_cut_at_the_same_time_all_resume(store: str, tmp_path: Path) -> None:
    async with Sobremesa.open(store, background=False) as app:
        shared = await with_members(app)
    users = [shared.ana, shared.bea, shared.carl]
    turns = asyncio.Semaphore(64)

    with serving(store, tmp_path / "server.log") as server:
        connections = [
            Connection(server.url, users[number % 3].access_token, open_timeout=60) for number in range(CUT_SOCKETS)
        ]

        async def come(connection: Connection) -> None:
            async with turns:
                await connection.__aenter__()
                await connection.identify()
                await connection.watch(shared.channel_id)  # there are many

        async def come_back(before: Connection) -> list[str]:
            async with turns, Connection(server.url, before.token, open_timeout=60) as connection:
                missed = await connection.resume(before, channelIds=[shared.channel_id])
                return [frame["d"]["messageId"] for frame in missed if frame["t"] == "message.created"]

        await asyncio.gather(*map(come, connections))
        async with Connection(server.url, shared.ana.access_token) as sender:
            await sender.identify()

            async def send(content: str) -> str:
                status, body = await sender.call("channels.sendMessage", roomId=shared.channel_id, content=content)
                assert status == 201
                return str(body["messageId"])

            received = await send("before the cut")
            for connection in connections:
                assert (await connection.wait_for("message.created"))["messageId"] == received
            for connection in connections:
                connection.socket.transport.abort()
            missed = [await send(f"{number}") for number in range(20)]
            back = asyncio.gather(*map(come_back, connections))
            missed += [await send(f"meanwhile {number}") for number in range(20)]
            got = await back

    for each in got:
        assert each == missed[: len(each)]  # in order, none twice, and those of before the resume at least
        assert len(each) >= 20


async def test_a_clock_that_is_set_back_an_hour_loses_no_event(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ahead()
    monkeypatch.setattr("sobremesa.app.store.SystemClock", lambda: clock)  # the clock of the machine
    async with serve_app(store) as served:
        shared = await shared_channel(served)
        async with served.connect(shared.bea) as before:
            await before.identify()
            await served.send(shared.ana, shared.channel_id, "before")
            await before.wait_for("message.created")
        clock.move(seconds=-3600)
        sent = [await served.send(shared.ana, shared.channel_id, f"{number}") for number in range(50)]
        async with served.connect(shared.bea) as after:
            missed = [frame["d"]["messageId"] for frame in await after.resume(before)]
            live = await served.send(shared.ana, shared.channel_id, "live")
            received = (await after.wait_for("message.created"))["messageId"]

    assert missed == sent == sorted(sent)
    assert received == live


async def with_members(app: Sobremesa) -> SharedChannel:
    """The shared channel, before there is a server."""
    async with aiohttp.ClientSession() as http:
        return await shared_channel(ServedApp(app, "", http))


def have_received(subscribers: Sequence[Client], ids: Set[str]) -> bool:
    return all(ids <= subscriber.received.keys() for subscriber in subscribers)


def has_grown_to(things: Sized, size: int) -> bool:
    return len(things) > size


async def everything_in(store: str, shared: SharedChannel) -> dict[str, str]:
    """Return the contents of all messages of the channel, by id."""
    kept: dict[str, str] = {}
    before: MessageId | None = None
    async with Sobremesa.open(store, background=False) as app:
        while page := (
            await app.communities.page(shared.ana.actor, shared.channel_id, limit=100, before=before)
        ).messages:
            kept |= {message.message_id: message.content for message in page}
            before = page[-1].message_id
    return kept


async def until(holds: Callable[[], bool], seconds: float = SOON_SECONDS) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in several places
            await asyncio.sleep(0.01)
