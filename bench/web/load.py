"""Load: some connections that each send the next request as soon as the last response has arrived."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple, cast

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Figures(NamedTuple):
    """What one slice of load showed."""

    per_second: float
    p50_ms: float
    p99_ms: float


class BadAnswer(Exception):
    """An unexpected response."""


async def run(port: int, requests: Callable[[], bytes], *, connections: int, seconds: float) -> Figures:
    """Requests a second and how long they took, over so many connections for so long."""
    loop = asyncio.get_running_loop()
    end = perf_counter() + seconds
    clients = [_Client(requests, end, loop.create_future()) for _ in range(connections)]
    started = perf_counter()
    for client in clients:
        await loop.create_connection(lambda client=client: client, "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.wait_for(asyncio.gather(*(client.finished for client in clients)), seconds + 30)
    spent = perf_counter() - started
    took = sorted(time for client in clients for time in client.took)
    return Figures(len(took) / spent, 1000 * took[len(took) // 2], 1000 * took[len(took) * 99 // 100])


def request(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"authorization: Bearer {token}"]
    if body:
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def in_turn(choices: list[bytes]) -> Callable[[], bytes]:
    """One request after the other, over and over."""

    def endless() -> Iterator[bytes]:
        while True:
            yield from choices

    following = endless()
    return lambda: next(following)


class _Client(asyncio.Protocol):
    def __init__(self, requests: Callable[[], bytes], end: float, finished: asyncio.Future[None]) -> None:
        self.took: list[float] = []
        self.finished = finished
        self._requests = requests
        self._end = end
        self._transport: asyncio.Transport | None = None
        self._missing = -1
        self._head = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        if self._missing < 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            status = _STATUS.match(self._head)
            length = _LENGTH.search(self._head, 0, end)
            if status is None or not status[1].startswith(b"2") or length is None:
                self._fail(self._head)
                return
            self._missing = int(length[1]) - (len(self._head) - end - 4)
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self._answered()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(error or BadAnswer("the server closed the connection"))

    def _answered(self) -> None:
        now = perf_counter()
        self.took.append(now - self._sent_at)
        if now < self._end:
            self._send()
            return
        self.finished.set_result(None)
        if self._transport is not None:
            self._transport.close()

    def _send(self) -> None:
        self._missing = -1
        self._head = b""
        self._sent_at = perf_counter()
        if self._transport is not None:
            self._transport.write(self._requests())

    def _fail(self, head: bytes) -> None:
        if not self.finished.done():
            self.finished.set_exception(BadAnswer(head[:300].decode("latin-1")))
        if self._transport is not None:
            self._transport.close()
