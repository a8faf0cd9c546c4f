"""Connections to one endpoint: the part of HTTP/1.1 that a POST with a short response needs.

Each connection carries one request at a time, is kept alive and reused. A general HTTP client took twice the CPU time
of the rest of a call: here a request is one write, and httptools parses the response.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import httptools

KEEP_ALIVE_SECONDS = 20.0
"""Less than DynamoDB keeps an idle connection, so that a request rarely uses a connection that was just closed."""

MAX_CONNECTIONS = 128
PIECE_BYTES = 256 * 1024
"""How much of a large body is written at once: more would block the event loop."""


UPLOAD_BYTES_A_SECOND = 1024 * 1024
"""The time to respond begins when a body of this size per second would have been sent."""


class TimeLimits(NamedTuple):
    """How long the parts of one attempt may take, in seconds."""

    slot: float
    """Waiting for one of the connections, when all are in use."""
    connect: float
    respond: float
    """From the request to the first byte of its response."""
    receive: float
    """From there to the end of the response, which can have 16 MB."""


class NotSent(Exception):
    """The request was certainly not sent."""


class BrokenOff(Exception):
    """The request was sent, and no complete response arrived."""


class Reply(NamedTuple):
    """A complete response."""

    status: int
    headers: dict[bytes, bytes]
    """By name, in lower case."""
    body: bytes


class Address(NamedTuple):
    """The address of an endpoint."""

    host: str
    port: int
    is_secure: bool

    @classmethod
    def of(cls, url: str) -> Address:
        """Return the address of a URL; raise ValueError if it is invalid."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} does not start with http:// or https:// and a host")
        is_secure = parts.scheme == "https"
        return cls(parts.hostname, parts.port or _usual_port(is_secure), is_secure)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def host_header(self) -> str:
        """The value of the Host header, without a default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _usual_port(self.is_secure) else f"{host}:{self.port}"


def _usual_port(is_secure: bool) -> int:
    return 443 if is_secure else 80


class Connections:
    """The connections to one address."""

    def __init__(self, address: Address, limits: TimeLimits) -> None:
        self._address = address
        self._tls = ssl.create_default_context() if address.is_secure else None
        self._limits = limits
        self._places = asyncio.Semaphore(MAX_CONNECTIONS)
        self._idle: list[_Connection] = []
        self._open: set[_Connection] = set()
        self._closed = False

    async def post(self, headers: Mapping[str, str], body: bytes) -> Reply:
        """Return the response; raise NotSent if the request was not sent, BrokenOff if no complete response arrived."""
        head = _head(headers, len(body)) + body[:PIECE_BYTES]
        await self._acquire_slot()
        try:
            connection = self._find_idle() or await self._connect()
            reply = await connection.send(head, body, self._limits)
            if connection.is_open:
                self._idle.append(connection)
            return reply
        finally:
            self._places.release()

    async def close(self) -> None:
        """Close every connection; requests in progress fail."""
        self._closed = True
        self._idle.clear()
        for connection in list(self._open):
            connection.abort()
        await asyncio.sleep(0)  # transports close in the next iteration of the loop

    async def _acquire_slot(self) -> None:
        if not self._places.locked():
            await self._places.acquire()
            return
        try:
            async with asyncio.timeout(self._limits.slot):
                await self._places.acquire()
        except TimeoutError:
            raise NotSent(f"all {MAX_CONNECTIONS} connections to {self._address} are taken") from None

    def _find_idle(self) -> _Connection | None:
        """Return the connection that was used last; if it has been idle for too long, so have all others."""
        oldest = asyncio.get_running_loop().time() - KEEP_ALIVE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and connection.used_at > oldest:
                return connection
            connection.abort()
        return None

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limits.connect):
                _, connection = await loop.create_connection(
                    lambda: _Connection(self._open), self._address.host, self._address.port, ssl=self._tls
                )
        except OSError as error:  # also of names, certificates and time-outs
            problem = f"{type(error).__name__} {error}".rstrip()
            raise NotSent(f"no connection to {self._address}: {problem}") from error
        if self._closed:
            connection.abort()
            raise NotSent(f"the connections to {self._address} have been closed")
        return connection


class _Connection(asyncio.Protocol):
    """One connection, and the response that is being read."""

    def __init__(self, open_ones: set[_Connection]) -> None:
        self.is_open = False
        self.used_at = 0.0
        self._open_ones = open_ones
        self._transport: asyncio.Transport
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[Reply] | None = None
        self._headers: dict[bytes, bytes] = {}
        self._pieces: list[bytes] = []
        self._ends_with_connection = False
        self._receive_seconds = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def send(self, head: bytes, body: bytes, limits: TimeLimits) -> Reply:
        """Send a request, whose first piece is `head`, and wait for the response as long as the limits allow."""
        answer: asyncio.Future[Reply] = self._loop.create_future()
        self._answer = answer
        self._receive_seconds = limits.receive
        self._await_data(limits.respond + len(body) / UPLOAD_BYTES_A_SECOND)
        try:
            self._transport.write(head)
            for start in range(PIECE_BYTES, len(body), PIECE_BYTES):
                await asyncio.sleep(0)
                if not self.is_open:
                    break
                self._transport.write(body[start : start + PIECE_BYTES])
            return await answer
        except BaseException:
            # The response may still arrive, and must not be taken for that of another request.
            self.abort()
            raise
        finally:
            self._stop_timer()
            self._answer = None

    def abort(self) -> None:
        self.is_open = False
        self._transport.abort()

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._open_ones.add(self)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._break_off(error)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        self._open_ones.discard(self)
        if error is None and self._ends_with_connection:
            self._complete()
        self._break_off(error or ConnectionResetError("the connection was closed"))

    # Called by the parser

    def on_message_begin(self) -> None:
        self._headers, self._pieces = {}, []
        if self._answer is None or self._answer.done():
            self.abort()  # no request is in progress
        elif self._receive_seconds:  # once: interim responses must not extend it
            self._await_data(self._receive_seconds)
            self._receive_seconds = 0.0

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        self._ends_with_connection = self._headers.keys().isdisjoint((b"content-length", b"transfer-encoding"))

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:
            return  # an interim response
        if not self._parser.should_keep_alive():
            self.abort()
        self._complete()

    def _complete(self) -> None:
        self._ends_with_connection = False
        self.used_at = self._loop.time()
        if self._answer is not None and not self._answer.done():
            body = b"".join(self._pieces)
            self._answer.set_result(Reply(self._parser.get_status_code(), self._headers, body))

    def _await_data(self, seconds: float) -> None:
        """Fail the request in progress unless its response goes on within this time."""
        self._stop_timer()
        self._timer = self._loop.call_later(seconds, self._break_off, TimeoutError())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _break_off(self, error: BaseException) -> None:
        """Fail the request in progress."""
        self.is_open = False
        self._transport.abort()
        if self._answer is not None and not self._answer.done():
            problem = f"{type(error).__name__} {error}".rstrip()
            self._answer.set_exception(BrokenOff(problem))


def _head(headers: Mapping[str, str], length: int) -> bytes:
    """Return the lines before the body; raise NotSent if a header would start another line."""
    if not "".join(headers.values()).isprintable():
        raise NotSent("a header has a line break or another control character in it")
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    return f"POST / HTTP/1.1\r\n{lines}Content-Length: {length}\r\n\r\n".encode()
