"""A WebSocket client for load: it counts events as they arrive, and passes on only other frames.

The key that masks what a client sends is zero here, which leaves the bytes as they are. It ought to be random, so that
no page can make a proxy see what it wants; between a load test and its own server there is neither.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import Callable
from typing import Any, Protocol, cast

from sobremesa.core.errors import SobremesaError

MAX_FRAME_BYTES = 4 * 1024 * 1024
READ_BYTES = 256 * 1024
OPEN_SECONDS = 30.0
NEVER = 1 << 60

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

# One buffer for all connections: what was read is counted before another connection reads.
_buffer = bytearray(MAX_FRAME_BYTES + READ_BYTES)
_view = memoryview(_buffer)


class LoadFailed(SobremesaError):
    """The load test failed; the message states the reason."""


class Dialect(Protocol):
    """The protocol of one client: how it identifies, and how it handles frames."""

    path: str
    """The path to connect to."""
    event: bytes
    """The first bytes of the frames that are counted."""

    def handle_open(self, connection: Connection) -> None:
        """Send the first frame, if it is the client that does."""
        ...

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        """Handle a frame that is not counted."""
        ...


class Tally:
    """The number of events that the connections of one scenario received."""

    __slots__ = ("count", "failed", "on_event", "on_target", "target")

    def __init__(self) -> None:
        self.count = 0
        self.reset()

    def reset(self) -> None:
        """Continue counting without callbacks."""
        self.target = NEVER
        """The count at which `on_target` is called."""
        self.on_target: Callable[[], None] = _nothing
        self.on_event: Callable[[bytearray, int, int], None] | None = None
        """Called with each event and its position in the buffer; it is slow, so it is not set for counting."""
        self.failed: asyncio.Future[Any] | None = None

    def fail(self, why: str) -> None:
        """Fail the scenario that waits."""
        if self.failed is not None and not self.failed.done():
            self.failed.set_exception(LoadFailed(why))


def _nothing() -> None:
    pass


class Connection(asyncio.BufferedProtocol):
    """One client."""

    def __init__(self, dialect: Dialect, tally: Tally) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.tally = tally
        self.on_answer: Callable[[bool, bytes], None] | None = None
        self.closed: str | None = None
        """Why the server closed it."""
        self._dialect = dialect
        self._event = dialect.event
        self._rest = b""
        self._key = base64.b64encode(os.urandom(16))
        self._is_open = False
        self._is_closing = False
        self._transport: asyncio.Transport | None = None

    # Sending

    def send_text(self, payload: bytes) -> None:
        """Send a text frame."""
        self.write(frame(TEXT, payload))

    def write(self, data: bytes) -> None:
        """Send an encoded frame."""
        if self._transport is not None:
            self._transport.write(data)

    def on_result(self, is_good: bool, payload: bytes) -> None:
        """Handle the response to what was sent."""
        if self.on_answer is not None:
            self.on_answer(is_good, payload)

    def disconnect(self) -> None:
        """Close the connection."""
        self._is_closing = True
        if self._transport is not None:
            self._transport.abort()

    # Receiving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(
            b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %b\r\n\r\n" % (self._dialect.path.encode(), self._key)
        )

    def get_buffer(self, sizehint: int) -> memoryview:
        rest = self._rest
        if not rest:
            return _view
        _buffer[: len(rest)] = rest
        return _view[len(rest) :]

    def buffer_updated(self, nbytes: int) -> None:
        end = len(self._rest) + nbytes
        pos = 0 if self._is_open else self._opened(end)
        buffer, event, tally, on_event, count = _buffer, self._event, self.tally, self.tally.on_event, 0
        while end - pos >= 2:
            size = buffer[pos + 1]
            start = pos + 2
            if size == 126:
                start = pos + 4
                size = buffer[pos + 2] << 8 | buffer[pos + 3]
            elif size == 127:
                start = pos + 10
                size = int.from_bytes(buffer[pos + 2 : start], "big")
            stop = start + size
            if stop > end or start > end:
                break
            if buffer.startswith(event, start):
                count += 1
                if on_event is not None:
                    on_event(buffer, start, stop)
            else:
                self._handle(buffer[pos] & 15, bytes(buffer[start:stop]))
            pos = stop
        self._rest = bytes(buffer[pos:end]) if pos < end else b""
        if count:
            tally.count += count
            if tally.count >= tally.target:
                tally.on_target()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._is_closing:
            return
        why = f"the server closed a connection: {self.closed or error or 'without a reason'}"
        if not self.ready.done():
            self.ready.set_exception(LoadFailed(why))
        self.tally.fail(why)

    def _opened(self, end: int) -> int:
        """Return the position of the first frame, after the server has accepted the handshake."""
        stop = _buffer.find(b"\r\n\r\n", 0, end)
        if stop < 0:
            return 0
        head = bytes(_buffer[:stop])
        accept = base64.b64encode(hashlib.sha1(self._key + _ACCEPT, usedforsecurity=False).digest())
        if not head.startswith(b"HTTP/1.1 101") or accept not in head:
            self._close(head.split(b"\r\n")[0].decode("latin-1"))
            return end
        self._is_open = True
        self._dialect.handle_open(self)
        return stop + 4

    def _close(self, why: str) -> None:
        """Handle a close by the server, without a closing handshake."""
        self.closed = why
        if self._transport is not None:
            self._transport.abort()

    def _handle(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self.write(frame(PONG, payload))
        elif opcode == CLOSE:
            self._close(f"{int.from_bytes(payload[:2], 'big')} {payload[2:].decode(errors='replace')}")
        elif opcode == TEXT:
            self._dialect.handle_frame(self, payload)


def frame(opcode: int, payload: bytes) -> bytes:
    """Return a complete frame from a client, masked with zero."""
    size = len(payload)
    first = bytes((0x80 | opcode,))
    if size < 126:
        return first + bytes((0x80 | size, 0, 0, 0, 0)) + payload
    if size < 65536:
        return first + b"\xfe" + size.to_bytes(2, "big") + b"\0\0\0\0" + payload
    return first + b"\xff" + size.to_bytes(8, "big") + b"\0\0\0\0" + payload


async def connect(host: str, port: int, dialect: Dialect, tally: Tally, *, seconds: float = OPEN_SECONDS) -> Connection:
    """Open a connection, and wait until it is ready."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            _, connection = await loop.create_connection(lambda: Connection(dialect, tally), host, port)
            await connection.ready
    except TimeoutError:
        raise LoadFailed(f"a connection was not ready within {seconds:.0f} s") from None
    except OSError as error:
        raise LoadFailed(f"cannot connect to {host}:{port}: {error.strerror or error}") from None
    return connection


async def connect_all(
    host: str, port: int, dialects: list[Dialect], tally: Tally, *, at_once: int = 64
) -> list[Connection]:
    """Open one connection for each dialect, some at a time."""
    connections: list[Connection] = []
    for place in range(0, len(dialects), at_once):
        some = dialects[place : place + at_once]
        connections += await asyncio.gather(*(connect(host, port, dialect, tally) for dialect in some))
    return connections
