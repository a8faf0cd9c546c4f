"""The wire: how bytes get to one client. The one file that knows how the server writes to a socket.

A frame for many subscribers is made once and written as it is, past the server's own framing: that takes a third of
the time. It uses internal names of uvicorn that may change with a version, so a test checks the bytes, and a server
of another kind gets its frames in the ordinary way.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Protocol

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from sobremesa.http.asgi import Send
from sobremesa.http.websocket import LINGER_SECONDS, close_at_once
from sobremesa.live.frames import payload_of


class Wire(Protocol):
    """Writes whole frames, without ever waiting for the client."""

    def write(self, frames: bytes, count: int) -> None:
        """Send these consecutive frames."""
        ...

    def waiting(self) -> int:
        """Return how many bytes the client has not read yet."""
        ...

    async def drained(self) -> None:
        """Wait until the client has read most of it, or is gone."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Send a close frame, and close the connection soon after, whatever the client does."""
        ...

    def drop(self) -> None:
        """The client is gone."""
        ...


def wire_of(send: Send) -> Wire:
    """Return the wire behind the `send` of an ASGI server."""
    protocol = getattr(send, "__self__", None)
    return UvicornWire(protocol) if isinstance(protocol, WebSocketsSansIOProtocol) else OrdinaryWire(send)


class UvicornWire:
    """Writes to the transport of a uvicorn connection."""

    __slots__ = ("_protocol", "_transport")

    def __init__(self, protocol: WebSocketsSansIOProtocol) -> None:
        self._protocol = protocol
        self._transport = protocol.transport

    def write(self, frames: bytes, count: int) -> None:
        if not (self._protocol.close_sent or self._transport.is_closing()):
            self._transport.write(frames)

    def waiting(self) -> int:
        return self._transport.get_write_buffer_size()

    async def drained(self) -> None:
        await self._protocol.writable.wait()

    def close(self, code: int, reason: str) -> None:
        close_at_once(self._protocol, code, reason)

    def drop(self) -> None:
        pass


class OrdinaryWire:
    """Passes frames to the server one by one, in a task of its own."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting = 0
        self._queue: asyncio.Queue[tuple[bytes | None, int, str]] = asyncio.Queue()
        self._room = asyncio.Event()
        self._room.set()
        self._task = asyncio.create_task(self._run())

    def write(self, frames: bytes, count: int) -> None:
        for _ in range(count):
            payload = payload_of(frames)
            size = _payload_size(frames)
            head = len(frames) - len(payload)
            self._queue.put_nowait((payload[:size], 0, ""))
            self._waiting += size
            frames = frames[head + size :]
        self._room.clear()

    def waiting(self) -> int:
        return self._waiting

    async def drained(self) -> None:
        await self._room.wait()

    def close(self, code: int, reason: str) -> None:
        self._queue.put_nowait((None, code, reason))
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._task.cancel)

    def drop(self) -> None:
        if self._queue.empty():
            self._task.cancel()

    async def _run(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):  # the client is gone
            while True:
                payload, code, reason = await self._queue.get()
                if payload is None:
                    await self._send({"type": "websocket.close", "code": code, "reason": reason})
                    return
                await self._send({"type": "websocket.send", "text": payload.decode()})
                self._waiting -= len(payload)
                if not self._waiting:
                    self._room.set()


def _payload_size(frame: bytes) -> int:
    short = frame[1]
    if short < 126:
        return short
    return int.from_bytes(frame[2:4] if short == 126 else frame[2:10], "big")
