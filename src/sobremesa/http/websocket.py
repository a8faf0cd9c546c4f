"""A WebSocket connection: uvicorn's protocol, with limits on the frames that the application never sees.

Pings, pongs and fragments are handled below the application, so its limits do not count them. Input is parsed in small
pieces, and paused while the application has a message to process or the client has data to read. A message that arrives
alone and whole, as most do, skips the parser, which costs more than many calls. This uses internal names of uvicorn and
of websockets that may change with a version, so a test compares both ways.
"""

from __future__ import annotations

from asyncio.transports import BaseTransport
from collections.abc import Callable
from typing import Any

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.frames import apply_mask as unmasked  # type: ignore[attr-defined]  # in C, if its extension is there
from websockets.protocol import OPEN
from websockets.streams import StreamReader

from sobremesa.http.timers import WriteDeadline

MAX_FRAME_BYTES = 65_536
"""The maximum size of a message from a client."""
MAX_CONTROL_FRAMES = 120
"""The maximum number of pings and pongs from a client per minute."""
MAX_FRAGMENTS = 64
"""The maximum number of frames of one message."""
MAX_MISSED_PONGS = 2
"""The connection is closed at the second in a row: while the process is very busy, one may be waiting to be read."""
LINGER_SECONDS = 5.0
"""How long a client may take to read the close frame."""
POLICY_VIOLATION = 1008
PIECE_BYTES = 4096

_WINDOW_SECONDS = 60
_FINAL_TEXT = 0x81
_MASKED = 0x80
_LENGTH_FOLLOWS = _MASKED | 126
_BETWEEN_FRAMES = StreamReader.at_eof.__code__
"""Where the parser waits when it has read whole frames only."""


class WebSocketConnection(WebSocketsSansIOProtocol):
    """Disconnects clients that send too many control frames or fragments, or do not read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.on_lost: Callable[[], None] | None = None
        """Called when the connection is lost."""
        self._unparsed = bytearray()
        self._is_refused = False
        self._window = 0
        self._unseen_frames = 0
        """The number of frames in the window that the application did not see."""
        self._fragments = 0
        self._missed_pongs = 0
        self._is_awaited = False
        """Whether the application waits for a message: it takes the next one at once, so that reading goes on."""

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self._write_deadline = WriteDeadline(self.transport, self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        self._write_deadline.stop()
        self._unparsed.clear()
        if self.on_lost is not None:
            self.on_lost()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Leave an open socket to the application, which asks its clients to reconnect a few at a time."""
        if self.close_sent or not self.handshake_complete:
            super().shutdown()

    # Reading

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        if not self._unparsed and self._is_between_frames() and (text := _whole_message(data)) is not None:
            self._deliver(text)
            return
        self._unparsed += data
        self._parse()
        if self._unparsed:
            self.transport.pause_reading()

    def _is_between_frames(self) -> bool:
        """Return whether a message may begin now, and the application may have it."""
        conn = self.conn
        if conn.state is not OPEN or conn.current_size is not None or not self._may_parse():
            return False
        parser: Any = conn.parser
        frames = parser.gi_yieldfrom  # None until the handshake is read
        waits_in = None if frames is None else frames.gi_yieldfrom
        return waits_in is not None and waits_in.gi_code is _BETWEEN_FRAMES

    def _deliver(self, text: str) -> None:
        self.queue.put_nowait({"type": "websocket.receive", "text": text})
        if self._is_awaited:
            self._is_awaited = False
        else:
            self.read_paused = True
            self.transport.pause_reading()

    def _parse(self) -> None:
        """Parse what has arrived, unless parsing is paused."""
        while self._unparsed and self._may_parse():
            piece = bytes(self._unparsed[:PIECE_BYTES])
            del self._unparsed[:PIECE_BYTES]
            super().data_received(piece)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            # uvicorn leaves a connection open whose handshake is malformed.
            self.transport.abort()

    def _may_parse(self) -> bool:
        is_waiting = self.read_paused or not self.writable.is_set()
        return not (is_waiting or self._is_refused or self.transport.is_closing())

    async def receive(self) -> ASGIReceiveEvent:
        self._is_awaited = self.queue.empty()
        message = await super().receive()
        self._is_awaited = False
        if self.writable.is_set():
            self._parse()
        else:
            self.transport.pause_reading()
        return message

    # Writing

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            # uvicorn treats a handshake that was refused in this way as incomplete.
            self.handshake_complete = True

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline.watch()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._write_deadline.watch()
        if not (self.read_paused or self._is_refused):
            self.transport.resume_reading()
            self._parse()

    def keepalive_timeout(self) -> None:
        is_unread = self.read_paused  # then the pong may have arrived: reading is paused on our side
        self._missed_pongs += not is_unread
        if is_unread or self._missed_pongs < MAX_MISSED_PONGS:
            self.pong_timer = None
            self.schedule_ping()
            return
        super().keepalive_timeout()
        self._write_deadline.watch()

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self._write_deadline.watch()

    # Frames that the application does not see

    def handle_ping(self) -> None:
        if self._is_allowed():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        self._missed_pongs = 0
        if self._is_allowed():
            super().handle_pong(event)

    def handle_text(self, event: Frame) -> None:
        self._fragments = 1
        if not self.close_sent or self._is_allowed():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        self._fragments = 1
        if not self.close_sent or self._is_allowed():
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        self._fragments += 1
        if self._fragments > MAX_FRAGMENTS:
            self._refuse(f"A message may have at most {MAX_FRAGMENTS} frames.")
        else:
            super().handle_cont(event)

    def _is_allowed(self) -> bool:
        """Count one more frame that the application does not see: a ping, a pong, a message after the close."""
        window = int(self.loop.time() // _WINDOW_SECONDS)
        self._unseen_frames = self._unseen_frames + 1 if window == self._window else 1
        self._window = window
        if self._unseen_frames > MAX_CONTROL_FRAMES:
            self._refuse(f"A client may send at most {MAX_CONTROL_FRAMES} pings and pongs per minute.")
        return not self._is_refused

    def _refuse(self, reason: str) -> None:
        """Close the connection, and stop reading, so that the client is slowed down."""
        if self._is_refused:
            return
        self._is_refused = True
        self._unparsed.clear()
        close_at_once(self, POLICY_VIOLATION, reason)
        self.transport.pause_reading()


def _whole_message(data: bytes) -> str | None:
    """Return the text of a message in exactly one frame; None for everything else, also for invalid text."""
    if len(data) < 6 or data[0] != _FINAL_TEXT:
        return None
    if data[1] == _LENGTH_FOLLOWS:
        start, size = 8, int.from_bytes(data[2:4], "big")
    else:
        start, size = 6, data[1] - _MASKED
    if not _MASKED <= data[1] <= _LENGTH_FOLLOWS or len(data) != start + size:
        return None
    try:
        return unmasked(data[start:], data[start - 4 : start]).decode()
    except UnicodeDecodeError:
        return None  # the parser refuses it


def close_at_once(protocol: WebSocketsSansIOProtocol, code: int, reason: str) -> None:
    """Close as uvicorn does, but without waiting for unread data, and abort soon after."""
    transport = protocol.transport
    if not protocol.handshake_complete:
        transport.abort()
        return
    if protocol.close_sent or transport.is_closing():
        return
    protocol.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
    protocol.conn.send_close(code, reason)
    transport.write(b"".join(protocol.conn.data_to_send()))
    protocol.close_sent = True
    if protocol.read_paused:
        protocol.read_paused = False
        transport.resume_reading()
    protocol.close_timer = protocol.loop.call_later(LINGER_SECONDS, transport.abort)
