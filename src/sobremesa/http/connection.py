"""An HTTP connection: uvicorn's protocol, with limits on everything that a client could make large or slow.

The parser has no limits. So it is fed in pieces, and between two pieces the bytes that are not part of a body are
counted: the head, chunk sizes and their extensions, trailers. Trailers are dropped; uvicorn would add them to the
headers of a request that is already being processed.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, cast
from urllib.parse import unquote

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sobremesa.http.connection_limits import ConnectionLimits
from sobremesa.http.problems import TITLES, Problem
from sobremesa.http.request_cycle import RequestCycle
from sobremesa.http.timers import Timer, WriteDeadline
from sobremesa.http.websocket import WebSocketConnection

HEAD_SECONDS = 20
"""How long a client may take to send a request line and its headers."""
MAX_HEAD_BYTES = 32_768
"""The maximum size of everything but the body: request line, headers, chunk extensions and trailers."""
CHUNK_BYTES = 16
"""The bytes of a chunk's size and line ends, which do not count."""
MAX_PIPELINED = 64
"""The maximum number of pipelined requests that wait on a connection."""
LINGER_SECONDS = 5.0
"""How long the rest of a request may arrive after its response."""
MAX_LINGER_BYTES = 1_048_576
"""The maximum number of bytes that are read after a refusal."""
PIECE_BYTES = 16_384

_UNREADABLE = Problem(status=400, code="malformed", detail="The request is malformed.")
_HEAD_TOO_LARGE = Problem(
    status=431,
    code="too_large",
    detail=f"The request line, the headers and the trailers may have at most {MAX_HEAD_BYTES} bytes.",
)


class _TooManyPipelined(Exception):
    """Too many pipelined requests."""


class HttpConnection(HttpToolsProtocol):
    """Limits the size and the duration of heads, framing, bodies and reads."""

    def __init__(self, *, server_state: ConnectionLimits, **options: Any) -> None:
        super().__init__(server_state=server_state, **options)
        self._limits = server_state
        self._is_counted = False
        self._is_in_head = True
        self._is_refused = False
        self._overhead = 0
        """Bytes of the current request outside its body."""
        self._body_bytes = 0
        self._chunks = 0
        self._has_ended = False
        """What the current piece contained: bytes of a body, starts of chunks, the end of a request."""
        self._lingered = 0
        self._head_timer = Timer(self.loop)
        self._linger_timer = Timer(self.loop)
        self._idle_timer = Timer(self.loop)
        self._idle_since: float | None = None
        """Since when no request has arrived; None while one is read or processed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._write_deadline = WriteDeadline(transport, self.loop)
        problem = self._limits.admit(transport, self._host)
        if problem is not None:
            self._refuse(problem)
            return
        self._is_counted = True
        self._idle_since = self.loop.time()
        self._idle_timer.start(self.timeout_keep_alive, self._close_if_idle)

    def handle_websocket_upgrade(self) -> None:
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        assert isinstance(protocol, WebSocketConnection)  # noqa: S101 - the server is set up so
        # A socket is long-lived: it must not keep this object, with its parser and the request, in memory.
        protocol.on_lost = partial(self._limits.release, self._host) if self._is_counted else None
        self._is_counted = False
        self._idle_timer.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._release()
        self._head_timer.stop()
        self._linger_timer.stop()
        self._idle_timer.stop()
        self._write_deadline.stop()
        super().connection_lost(exc)

    def _release(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._limits.release(self._host)

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else "unknown"

    # Idle connections

    def _unset_keepalive_if_required(self) -> None:
        """Note that data has arrived. uvicorn calls it for each piece."""
        self._idle_since = None

    def _close_if_idle(self) -> None:
        """Close the connection if it has been idle for long enough, or look again when it may have been.

        A timer for each response would cost more than the rest of its bookkeeping.
        """
        wait: float = self.timeout_keep_alive
        if self._idle_since is not None:
            wait += self._idle_since - self.loop.time()
        if wait > 0:
            self._idle_timer.start(wait, self._close_if_idle)
        else:
            self.timeout_keep_alive_handler()

    # Reading

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            self._drop(data)
            return
        while True:
            size = MAX_HEAD_BYTES - self._overhead if self._is_in_head else PIECE_BYTES
            if size <= 0:
                self._refuse(_HEAD_TOO_LARGE)
                return
            if len(data) <= size:
                break
            self._feed(data[:size])
            data = data[size:]
            if not self._is_read():
                return
        self._feed(data)
        # Most heads arrive in one piece: only an incomplete one needs a timer.
        if self._overhead and self._is_in_head and not self._head_timer.is_running:
            self._head_timer.start(HEAD_SECONDS, self.transport.abort)

    def _is_read(self) -> bool:
        """Return whether the parser still receives data: not after an upgrade, nor after the end."""
        return not (self._is_refused or self.transport.is_closing()) and self.transport.get_protocol() is self

    def _feed(self, piece: bytes) -> None:
        self._body_bytes = self._chunks = 0
        self._has_ended = False
        super().data_received(piece)
        if self._has_ended:
            self._overhead = 0
            return
        self._overhead += max(0, len(piece) - self._body_bytes - CHUNK_BYTES * self._chunks)
        if self._overhead > MAX_HEAD_BYTES and self._is_read():
            self._refuse(_HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            raise _TooManyPipelined
        self._is_in_head = False
        if self._head_timer.is_running:
            self._head_timer.stop()
        if self.parser.should_upgrade():
            super().on_headers_complete()
            return
        self._start_request()
        # The request has its headers. Later headers are trailers: they go to a list that is never read.
        self.headers = []

    def _start_request(self) -> None:
        """Start the request whose head was read, or let it wait for those before it.

        It is what uvicorn does, apart from the class of the cycle and from a limit that is not used.
        """
        parser, scope = self.parser, self.scope
        is_waiting = self._has_cycle() and not self.cycle.response_complete
        version = parser.get_http_version()
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        scope["method"] = parser.get_method().decode("ascii")
        scope["http_version"] = version
        scope["path"] = self.root_path + (unquote(path) if "%" in path else path)
        scope["raw_path"] = self.root_path.encode("ascii") + url.path
        scope["query_string"] = url.query or b""
        self.cycle = RequestCycle(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if is_waiting:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))
        else:
            self._start_asgi_task(self.cycle, self.app)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Run a request in a task that removes itself at its end: a callback would be one more for the event loop."""
        self.tasks.add(self.loop.create_task(self._run(cycle, app)))

    async def _run(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        try:
            await cycle.run_asgi(app)
        finally:
            self.tasks.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def on_chunk_header(self) -> None:
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_head = self._has_ended = True
        self._overhead = 0
        if self._linger_timer.is_running:
            self._linger_timer.stop()
        super().on_message_complete()

    # Responding

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
            else:
                self._idle_since = self.loop.time()
        if self.transport.get_write_buffer_size() or self._write_deadline.is_running:
            self._write_deadline.watch()
        is_body_missing = not self._is_in_head and self.cycle.response_complete
        if is_body_missing and not self._linger_timer.is_running:
            self._linger_timer.start(LINGER_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._write_deadline.watch()

    def send_400_response(self, msg: str) -> None:
        self._refuse(_UNREADABLE)

    def _refuse(self, problem: Problem) -> None:
        """Respond to a request that will not be read to its end, and close the connection."""
        self._is_refused = True
        if self.transport.is_closing():
            return
        if self.pipeline or self._is_response_due():
            # Another response must be sent first, or a part of one was.
            self.transport.abort()
            return
        if self._has_cycle():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(_response(problem))
        # If it were closed at once, a reset could reach the client before this response.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._linger_timer.start(LINGER_SECONDS, self.transport.abort)

    def _is_response_due(self) -> bool:
        """Return whether a response to an earlier request, or a part of this one's, is still due."""
        if not self._has_cycle() or self.cycle.response_complete:
            return False
        return self._is_in_head or self.cycle.response_started

    def _has_cycle(self) -> bool:
        """Return whether there was a request; uvicorn's annotation omits that there may be none."""
        return bool(self.cycle)

    def _drop(self, data: bytes) -> None:
        self._lingered += len(data)
        if self._lingered > MAX_LINGER_BYTES:
            self.transport.abort()


def _response(problem: Problem) -> bytes:
    body = problem.body
    status = f"HTTP/1.1 {problem.status} {TITLES[problem.status]}"
    head = f"{status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n"
    headers = b"".join(b"%b: %b\r\n" % header for header in problem.headers)
    return head.encode() + headers + b"\r\n" + body
