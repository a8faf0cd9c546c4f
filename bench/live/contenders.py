"""The contenders: each a process on the server's core, and the client's protocol."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.live.fan_out import HELLO
from servers import find_node
from sobremesa.loadtest.connection import TEXT, Connection, Dialect, Tally, connect_all, frame
from sobremesa.loadtest.gateway import content
from sobremesa.loadtest.run import Contender
from sobremesa.loadtest.scenarios import Sender
from sobremesa.loadtest.server import LOOPBACK, Cores, Process, free_port, own_server, running
from sobremesa.loadtest.stage import Stage, prepare, users_of_store

SOCKETIO = Path(__file__).resolve().parent.parent / "socketio/server.js"
OURS, THEIRS, BOUND = "Sobremesa", "socket.io", "bound"
NUMBER = b"00000000"


@asynccontextmanager
async def our_server(
    cores: Cores, senders: int, data: Path | None, **settings: object
) -> AsyncIterator[tuple[Stage, Process]]:
    """`sobremesa serve` on a fresh file, without limits."""
    with tempfile.TemporaryDirectory(prefix="sobremesa-bench-", dir=data) as folder:
        store = f"sqlite:///{folder}/live.db"
        tokens = await users_of_store(store, senders + 1)
        with own_server(store, cores, **settings) as process:
            yield await prepare(f"http://{LOOPBACK}:{process.port}", tokens), process


@asynccontextmanager
async def socketio(cores: Cores, event_bytes: int) -> AsyncIterator[tuple[Contender, Process]]:
    """socket.io, with events as long as ours."""
    if not SOCKETIO.with_name("node_modules").is_dir():
        raise FileNotFoundError(f"socket.io is not installed: run `npm ci` in {SOCKETIO.parent}")
    content = message(event_bytes - len(b'42["m",]'))
    port = free_port()
    with running([find_node(), str(SOCKETIO), str(port)], port, cores, {}) as process:
        yield Plain(port, SocketIo(), b'421["say",%b]' % content, b'421["say to myself",%b]' % content), process


@asynccontextmanager
async def bound(cores: Cores, event_bytes: int) -> AsyncIterator[tuple[Contender, Process]]:
    """The same web stack, which stores nothing."""
    content = message(event_bytes - len(b'{"to":"all","m":}'))
    port = free_port()
    with running([sys.executable, "-m", "bench.live.fan_out", str(port)], port, cores, {}) as process:
        yield Plain(port, FanOut(), b'{"to":"all","m":%b}' % content, b'{"to":"me","m":%b}' % content), process


def message(size: int) -> bytes:
    """A message as JSON, of this size, with a number in it."""
    start = b'{"content":"%b","more":"' % content(0).encode()
    return start + b"." * (size - len(start) - 2) + b'"}'


async def event_bytes(stage: Stage) -> int:
    """How long an event of ours is."""
    size: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    tally = Tally()
    tally.on_event = lambda _, start, stop: None if size.done() else size.set_result(stop - start)
    listeners = await stage.listeners(1, tally)
    senders = await stage.open_senders(1, together=True)
    senders[0].send(1)
    found = await asyncio.wait_for(size, 10)
    for connection in (*listeners, senders[0].connection):
        connection.disconnect()
    return found


class Plain(NamedTuple):
    """A server without users and rooms: every client receives everything."""

    port: int
    dialect: Dialect
    to_all: bytes
    to_oneself: bytes

    async def listeners(self, count: int, tally: Tally) -> list[Connection]:
        return await connect_all(LOOPBACK, self.port, [self.dialect] * count, tally)

    async def open_senders(self, count: int, *, together: bool) -> list[Sender]:
        before, _, after = frame(TEXT, self.to_all if together else self.to_oneself).partition(NUMBER)
        return [Sender(connection, before, after) for connection in await self.listeners(count, Tally())]

    async def readers(self, count: int) -> list[Sender]:
        return []


class SocketIo:
    """Engine.IO and socket.io, as far as a client needs them."""

    path = "/socket.io/?EIO=4&transport=websocket"
    event = b'42["m"'

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if payload.startswith(b"43"):
            connection.on_result(b"201" in payload, payload)
        elif payload.startswith(b"40"):
            connection.ready.set_result(None)
        elif payload.startswith(b"0"):
            connection.send_text(b"40")
        elif payload == b"2":
            connection.send_text(b"3")


class FanOut:
    """The protocol of the bound."""

    path = "/"
    event = b'{"to":'

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if connection.ready.done():
            connection.on_result(True, payload)
        elif payload == HELLO.encode():
            connection.ready.set_result(None)
