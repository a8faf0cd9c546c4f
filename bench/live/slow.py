"""Slow readers: clients that take one byte a second, and what they cost the others and the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from base64 import b64encode
from collections.abc import Awaitable
from typing import NamedTuple

import psutil

from sobremesa.loadtest.connection import TEXT, Tally, frame
from sobremesa.loadtest.gateway import call
from sobremesa.loadtest.meter import Meter, Shares
from sobremesa.loadtest.scenarios import Rate, Sender, answered, paced
from sobremesa.loadtest.server import Process
from sobremesa.loadtest.stage import Stage

SMALL_BUFFER = 4096
LOOK_SECONDS = 0.02
MOST_SLICES = 12
STEADY_SLICES = 3
STEADY_BYTES = 200_000
"""A server that grew by less than this in each of some slices has reached its base size."""
READY = b'"t":"ready"'
LONG = "word " * 780
"""Nearly as long as a message may be, so that it does not take long to fill what a server keeps for a slow reader."""


class SlowReader:
    """Identifies, and then reads one byte a second."""

    def __init__(self, stage: Stage, token: str) -> None:
        self._stage = stage
        self._token = token
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        self._socket.setblocking(False)
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        loop, key = asyncio.get_running_loop(), b64encode(os.urandom(16)).decode()
        await loop.sock_connect(self._socket, (self._stage.host, self._stage.port))
        head = "GET /v1/gateway HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        await loop.sock_sendall(self._socket, head.encode())
        identify = b'{"op":2,"d":{"token":"%b","channelIds":["%b"]}}' % (
            self._token.encode(),
            self._stage.channel.encode(),
        )
        received, is_known = b"", False
        async with asyncio.timeout(20):
            while READY not in received:
                received += await loop.sock_recv(self._socket, 4096)
                if not is_known and b'"op":10' in received:
                    is_known = True
                    await loop.sock_sendall(self._socket, frame(TEXT, identify))
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while True:
            await asyncio.sleep(1)
            with contextlib.suppress(OSError):
                self._socket.recv(1)

    def disconnect(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._socket.close()


class Waited(NamedTuple):
    """The latency of a client, and the CPU time of others meanwhile."""

    rate: Rate
    shares: Shares


class Pair(NamedTuple):
    """How long others waited, without slow readers and with them."""

    without: Waited
    beside: Waited

    @property
    def ratio(self) -> float:
        return self.beside.rate.p99_ms / self.without.rate.p99_ms

    @property
    def is_quiet(self) -> bool:
        return self.beside.shares.doubt is None and self.without.shares.doubt is None


async def waits(stage: Stage, process: Process, sockets: int, seconds: float) -> Waited:
    """How long it takes at 20 messages a second until so many have each."""
    tally = Tally()
    listeners = await stage.listeners(sockets, tally)
    senders = await stage.open_senders(1, together=True)
    try:
        await paced(tally, sockets, senders[0], per_second=20, seconds=0.5)
        meter = Meter(process.pid)
        rate = await paced(tally, sockets, senders[0], per_second=20, seconds=seconds)
        return Waited(rate, meter.shares())
    finally:
        for connection in (*listeners, senders[0].connection):
            connection.disconnect()
        await asyncio.sleep(0.3)


async def waits_beside(stage: Stage, process: Process, slow: int, sockets: int, seconds: float) -> Waited:
    """The same, where some of the sockets are slow readers."""
    readers = [SlowReader(stage, stage.listener) for _ in range(slow)]
    try:
        await asyncio.gather(*(reader.open() for reader in readers))
        return await waits(stage, process, sockets - slow, seconds)
    finally:
        for reader in readers:
            reader.disconnect()


class Kept(NamedTuple):
    """What the server keeps for slow readers."""

    readers: int
    closed: int
    """How many of them it has closed in the end."""
    bytes_each: float


async def memory_of_slow(stage: Stage, process: Process, seconds: float) -> Kept:
    """How much more memory the server has, at most, while people who send have a second socket that hardly reads.

    That is: more than while their second sockets read as they should, and once what the server keeps for them all has
    its full size. Each is in a room of their own, so that no two of them are sent the same bytes.
    """
    speakers = await stage.connect_senders(len(stage.senders))
    senders = [
        Sender(connection, call("channels.sendMessage", roomId=channel, content=LONG))
        for connection, channel in zip(speakers, stage.own_channels, strict=True)
    ]
    steady = alone = 0
    for _ in range(MOST_SLICES):
        # Connecting costs memory too, so other clients connect all the time.
        quick = await stage.connect_senders(len(stage.senders))
        before, alone = alone, max(alone, await _most(process, answered(senders, seconds)))
        for connection in quick:
            connection.disconnect()
        steady = 0 if alone - before > STEADY_BYTES else steady + 1
        if steady == STEADY_SLICES:
            break
    readers = [SlowReader(stage, token) for token in stage.senders]
    beside = closed = 0
    try:
        await asyncio.gather(*(reader.open() for reader in readers))
        sockets = _sockets(process)
        for _ in range(MOST_SLICES):
            beside = max(beside, await _most(process, answered(senders, seconds)))
            closed = sockets - _sockets(process)
            if closed == len(readers):
                break
    finally:
        for reader in readers:
            reader.disconnect()
        for speaker in speakers:
            speaker.disconnect()
    return Kept(len(readers), closed, (beside - alone) / len(readers))


async def _most(process: Process, work: Awaitable[object]) -> int:
    """How much memory the server has at most meanwhile."""
    most = 0

    async def look() -> None:
        nonlocal most
        while True:
            most = max(most, process.rss() or 0)
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.create_task(look())
    try:
        await work
    finally:
        looking.cancel()
    return most


def _sockets(process: Process) -> int:
    """How many connections the server has."""
    return sum(each.status == "ESTABLISHED" for each in psutil.Process(process.pid).net_connections("tcp"))
