"""An HTTP client for load: one connection, which repeats a request and looks only at status and length of responses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self, cast

_LENGTH = b"content-length: "


class HttpConnection(asyncio.Protocol):
    """One connection, kept alive."""

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.on_answer: Callable[[bool, bytes], None] | None = None
        self._received = b""

    @classmethod
    async def open(cls, host: str, port: int, path: str, token: str, body: bytes) -> Self:
        """Connect, and prepare the request to post a body."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: cls(head.encode() + body), host, port
        )
        return connection

    def write(self, data: bytes) -> None:
        """Send a request, after the response to the one before."""
        self._transport.write(data)

    def disconnect(self) -> None:
        """Close the connection."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        _, _, length = head.lower().partition(_LENGTH)
        if len(body) < int(length.partition(b"\r\n")[0]):
            return
        answer, self._received = self._received, b""
        if self.on_answer is not None:
            self.on_answer(answer.startswith(b"HTTP/1.1 20"), answer)
