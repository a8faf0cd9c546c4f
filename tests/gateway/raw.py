"""A gateway client that writes frames byte by byte, including frames that no library would write."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import Any, Self

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
WITHIN_SECONDS = 10.0

_HANDSHAKE = (
    "GET /v1/gateway HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True) -> bytes:
    """A frame of a client, masked with zeros."""
    assert len(payload) < 65_536
    size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return bytes([opcode | (0x80 if fin else 0)]) + size + bytes(4) + payload


class RawSocket:
    """One connection, after its handshake."""

    def __init__(self, url: str, *headers: str, receive_bytes: int | None = None) -> None:
        self._port = int(url.rpartition(":")[2])
        self._headers = headers
        self._receive_bytes = receive_bytes
        """How much the kernel buffers for a client that does not read."""

    async def __aenter__(self) -> Self:
        connected = socket.socket()
        connected.setblocking(False)
        if self._receive_bytes is not None:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._receive_bytes)
        await asyncio.get_running_loop().sock_connect(connected, ("127.0.0.1", self._port))
        self.reader, self.writer = await asyncio.open_connection(sock=connected)
        self.writer.write((_HANDSHAKE + "".join(f"{header}\r\n" for header in self._headers) + "\r\n").encode())
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def handshake(self) -> int:
        """Return the status of the handshake's response; 0 if the connection is closed without one."""
        try:
            async with asyncio.timeout(WITHIN_SECONDS):
                head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return 0
        return int(head.split()[1])

    def stop_reading(self) -> None:
        """Read nothing more of what the server sends."""
        self._transport.pause_reading()

    def read_again(self) -> None:
        self._transport.resume_reading()

    @property
    def _transport(self) -> asyncio.ReadTransport:
        transport = self.writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        return transport

    async def send(self, *frames: bytes) -> None:
        """Write; it is not an error if the server has closed the connection."""
        with contextlib.suppress(ConnectionError):
            self.writer.write(b"".join(frames))
            await self.writer.drain()

    async def next(self) -> tuple[int, bytes]:
        """Return opcode and payload of the next frame of the server."""
        async with asyncio.timeout(WITHIN_SECONDS):
            first, size = await self.reader.readexactly(2)
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            return first & 0x0F, await self.reader.readexactly(size)

    async def event(self) -> Any:
        """Return the next text frame."""
        while True:
            opcode, payload = await self.next()
            if opcode == TEXT:
                return json.loads(payload)

    async def close_code(self) -> int:
        """Return the close code of the server, whatever it sends before."""
        while True:
            opcode, payload = await self.next()
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], "big")
