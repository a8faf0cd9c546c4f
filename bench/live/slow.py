"""Slow readers: clients that take one byte a second, and what they cost the others and the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from base64 import b64encode
from typing import NamedTuple

from sobremesa.loadtest.connection import TEXT, Tally, frame
from sobremesa.loadtest.gateway import call
from sobremesa.loadtest.run import Contender
from sobremesa.loadtest.scenarios import Rate, Voice, paced
from sobremesa.loadtest.server import Process
from sobremesa.loadtest.stage import Stage

SMALL_BUFFER = 4096
READY = b'"t":"ready"'
LONG = "word " * 780
"""Nearly as long as a message may be, so that it does not take long to fill what a server keeps for a slow reader."""


class SlowReader:
    """Says who it is, and from then on reads one byte a second."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
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
        identify = b'{"op":2,"d":{"token":"%b"}}' % self._stage.listener.encode()
        heard, is_known = b"", False
        async with asyncio.timeout(20):
            while READY not in heard:
                heard += await loop.sock_recv(self._socket, 4096)
                if not is_known and b'"op":10' in heard:
                    is_known = True
                    await loop.sock_sendall(self._socket, frame(TEXT, identify))
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while True:
            await asyncio.sleep(1)
            with contextlib.suppress(OSError):
                self._socket.recv(1)

    def leave(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._socket.close()


class Pair(NamedTuple):
    """How long others waited, without slow readers and with them."""

    without: Rate
    beside: Rate

    @property
    def ratio(self) -> float:
        return self.beside.p99_ms / self.without.p99_ms


async def waits(stage: Contender, sockets: int, seconds: float) -> Rate:
    """How long it takes at 20 messages a second until so many have each."""
    tally = Tally()
    listeners = await stage.listeners(sockets, tally)
    voices = await stage.voices(1, together=True)
    try:
        await paced(tally, sockets, voices[0], per_second=20, seconds=0.5)
        return await paced(tally, sockets, voices[0], per_second=20, seconds=seconds)
    finally:
        for connection in (*listeners, voices[0].connection):
            connection.leave()
        await asyncio.sleep(0.3)


async def waits_beside(stage: Stage, slow: int, sockets: int, seconds: float) -> Rate:
    """The same, where some of the sockets are slow readers."""
    readers = [SlowReader(stage) for _ in range(slow)]
    try:
        await asyncio.gather(*(reader.open() for reader in readers))
        return await waits(stage, sockets - slow, seconds)
    finally:
        for reader in readers:
            reader.leave()


async def memory_of_slow(stage: Stage, process: Process, slow: int, messages: int) -> float:
    """How many bytes the server has at most for each slow reader: with them, less what the same takes without them."""
    voices = await stage.voices(1, together=True)
    alone = await _growth(voices[0], stage, process, messages)
    readers = [SlowReader(stage) for _ in range(slow)]
    try:
        await asyncio.gather(*(reader.open() for reader in readers))
        beside = await _growth(voices[0], stage, process, messages)
    finally:
        for reader in readers:
            reader.leave()
        voices[0].connection.leave()
    return (beside - alone) / slow


async def _growth(voice: Voice, stage: Stage, process: Process, messages: int) -> int:
    """By how much the server grows at most while long messages are sent, one after the other."""
    before = most = process.rss() or 0
    answered = asyncio.Event()
    voice.connection.on_answer = lambda is_good, payload: answered.set()
    said = call("channels.sendMessage", roomId=stage.channel, content=LONG)
    for _ in range(messages):
        answered.clear()
        voice.connection.write(said)
        async with asyncio.timeout(20):
            await answered.wait()
        most = max(most, process.rss() or 0)
    return most - before
