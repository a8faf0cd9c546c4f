"""One request and its response: uvicorn's, which writes most responses in one piece.

uvicorn checks and renders each header of each response, and writes the head and the body separately. Here the headers
that all responses share are rendered once, and the head of a response of known length waits for the body, as the ASGI
specification asks for. Everything else is left to uvicorn.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

from sobremesa.http.invocation import JSON
from sobremesa.http.middleware import ALWAYS, UNLESS_SET

_BY_UVICORN = (b"connection", b"transfer-encoding")
"""Headers that change how a response is sent."""


class RequestCycle(RequestResponseCycle):
    """Writes the head of a response with the first piece of its body."""

    _head = b""
    """The head that waits for the body."""

    async def send(self, message: ASGISendEvent) -> None:
        if self._head:
            head, self._head = self._head, b""
            body = self._whole_body(message)
            if body is None:
                if not self.disconnected:
                    self.transport.write(head)
                await super().send(message)
                return
            self.transport.write(head + body)
            self.response_complete = True
            self.message_event.set()
            self.on_response()
        elif self.response_started or not self._start(message):
            await super().send(message)

    def _start(self, message: ASGISendEvent) -> bool:
        """Prepare the head of a response of known length; return False if uvicorn is to send it."""
        if message["type"] != "http.response.start" or not self.keep_alive or self.scope["method"] == "HEAD":
            return False
        if self.disconnected or self.flow.write_paused:
            return False
        found = _head_of(message["status"], self.default_headers, message.get("headers", ()))
        if found is None:
            return False
        self._head, self.expected_content_length = found
        self.response_started = True
        self.waiting_for_100_continue = self.chunked_encoding = False
        return True

    def _whole_body(self, message: ASGISendEvent) -> bytes | None:
        """Return the body if this message has all of it, and it can be written at once."""
        if message["type"] != "http.response.body" or message.get("more_body", False):
            return None
        body: bytes = message.get("body", b"")
        is_whole = len(body) == self.expected_content_length
        return body if is_whole and not (self.disconnected or self.flow.write_paused) else None


def _head_of(
    status: int, defaults: Iterable[tuple[bytes, bytes]], headers: Iterable[tuple[bytes, bytes]]
) -> tuple[bytes, int] | None:
    """Return the head of a response and the length of its body; None if the length is unknown, or a header unusual."""
    length = None
    lines = [STATUS_LINE[status], _server_lines(tuple(defaults))]
    for header in headers:
        line = _COMMON_LINES.get(header)
        if line is None:
            name, value = header
            if name == b"content-length" and value.isdigit():
                length = int(value)
            elif name in _BY_UVICORN or HEADER_VALUE_RE.search(value):
                return None
            if not _is_plain(name):
                return None
            line = b"%b: %b\r\n" % header
        lines.append(line)
    if length is None:
        return None
    lines.append(b"\r\n")
    return b"".join(lines), length


@lru_cache(maxsize=256)
def _is_plain(name: bytes) -> bool:
    """Return whether uvicorn accepts the name of a header, and writes it as it is."""
    return not HEADER_RE.search(name) and name.islower()


@lru_cache(maxsize=16)
def _server_lines(headers: tuple[tuple[bytes, bytes], ...]) -> bytes:
    """Return the lines of the headers of the server, of which the date changes every second."""
    return b"".join(b"%b: %b\r\n" % header for header in headers)


_COMMON_LINES = {header: b"%b: %b\r\n" % header for header in (JSON, *ALWAYS, *UNLESS_SET)}
