"""When a WebSocket connection reads: not while its client has something to read, nor after it was refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from gateway.raw import CLOSE, CONTINUATION, PING, PONG, TEXT, frame
from sobremesa.http import timers, websocket
from sobremesa.http.websocket import MAX_CONTROL_FRAMES, MAX_MISSED_PONGS, WebSocketConnection

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Line(asyncio.Transport):
    """A transport whose other end is the test."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unread = 0
        """How much the client has not read."""
        self._is_reading = True
        self.is_aborted = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.unread

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        self._is_reading = True

    def is_reading(self) -> bool:
        return self._is_reading

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True

    close = abort


class Conversation:
    """A connection whose application takes a message only when the test lets it."""

    def __init__(self) -> None:
        self.line = Line()
        self.taken: list[str] = []
        self.take = asyncio.Semaphore(0)
        config = uvicorn.Config(self._talk, interface="asgi3", ws_ping_interval=None, log_config=None)
        self.connection = WebSocketConnection(config=config, server_state=ServerState(), app_state={})

    async def open(self) -> None:
        self.connection.connection_made(self.line)
        self.connection.data_received(HANDSHAKE)
        await self.settle()
        self.line.written.clear()

    async def settle(self) -> None:
        """Let everything happen that waits for nothing."""
        for _ in range(20):
            await asyncio.sleep(0)

    @property
    def pongs(self) -> int:
        return b"".join(self.line.written).count(bytes([0x80 | PONG, 2]) + b"hi")

    async def _talk(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            await self.take.acquire()
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            self.taken.append(message["text"])


@pytest.fixture
async def connection() -> AsyncIterator[Conversation]:
    conversation = Conversation()
    await conversation.open()
    yield conversation
    conversation.connection.connection_lost(None)
    conversation.take.release()
    await conversation.settle()


async def test_pings_wait_while_the_client_does_not_read(connection: Conversation) -> None:
    connection.connection.pause_writing()
    assert not connection.line.is_reading()
    connection.connection.data_received(frame(PING, b"hi") * 3)
    assert connection.pongs == 0

    connection.connection.resume_writing()
    assert connection.line.is_reading()
    assert connection.pongs == 3


async def test_taking_a_message_does_not_read_on_while_the_client_does_not_read(connection: Conversation) -> None:
    connection.connection.data_received(frame(TEXT, b"one"))
    assert not connection.line.is_reading()
    connection.connection.pause_writing()
    connection.take.release()
    await connection.settle()
    assert connection.taken == ["one"]
    assert not connection.line.is_reading()

    connection.connection.resume_writing()
    assert connection.line.is_reading()


async def test_messages_are_parsed_as_the_application_takes_them(connection: Conversation) -> None:
    large = [letter * 5000 for letter in "abc"]
    connection.connection.data_received(b"".join(frame(TEXT, text.encode()) for text in large))
    assert connection.connection.queue.qsize() == 1
    for _ in large:
        connection.take.release()
        await connection.settle()
    assert connection.taken == large
    assert connection.line.is_reading()


LONG = "é" * 3000
INPUTS = {
    "empty": [frame(TEXT)],
    "short": [frame(TEXT, b"one")],
    "two in turn": [frame(TEXT, b"one"), frame(TEXT, b"two")],
    "masked": [bytes([0x81, 0x83, 1, 2, 3, 4]) + bytes([ord("a") ^ 1, ord("b") ^ 2, ord("c") ^ 3])],
    "largest short": [frame(TEXT, b"x" * 125)],
    "long": [frame(TEXT, LONG.encode())],
    "longest": [frame(TEXT, b"x" * 65_535)],
    "not text": [frame(TEXT, b"\xff\xfe"), frame(TEXT, b"next")],
    "not masked": [bytes([0x81, 3]) + b"one"],
    "reserved bit": [bytes([0xC1]) + frame(TEXT, b"one")[1:]],
    "unknown opcode": [frame(3, b"one")],
    "very long form": [b"\x81\xff" + (3).to_bytes(8, "big") + bytes(4) + b"one"],
    "fragments": [frame(TEXT, b"one", fin=False), frame(CONTINUATION, b"two")],
    "text within fragments": [frame(TEXT, b"one", fin=False), frame(TEXT, b"two")],
    "head, then what looks like a frame": [frame(TEXT, bytes(9))[:2], bytes(4) + frame(TEXT, b"one")],
    "text after a close": [frame(CLOSE, b"\x03\xe8"), frame(TEXT, b"one")],
    "ping between": [frame(TEXT, b"one"), frame(PING, b"hi"), frame(TEXT, b"two")],
}


@pytest.mark.parametrize("name", INPUTS)
async def test_message_in_one_piece_is_taken_as_one_that_arrives_byte_by_byte(name: str) -> None:
    whole, parsed = Conversation(), Conversation()
    for conversation, size in ((whole, 1 << 20), (parsed, 1)):
        await conversation.open()
        for _ in range(len(INPUTS[name]) + 1):
            conversation.take.release()
        await conversation.settle()
        for piece in INPUTS[name]:
            for start in range(0, len(piece), size):
                conversation.connection.data_received(piece[start : start + size])
            await conversation.settle()
    assert whole.taken == parsed.taken
    assert b"".join(whole.line.written) == b"".join(parsed.line.written)


async def test_reading_goes_on_only_while_the_application_waits(connection: Conversation) -> None:
    connection.take.release()
    await connection.settle()
    connection.connection.data_received(frame(TEXT, b"one"))
    assert connection.line.is_reading()
    connection.connection.data_received(frame(TEXT, b"two"))
    assert not connection.line.is_reading()
    connection.connection.data_received(frame(TEXT, b"three"))
    assert connection.connection.queue.qsize() == 2

    for _ in range(3):
        connection.take.release()
    await connection.settle()
    assert connection.taken == ["one", "two", "three"]
    assert connection.line.is_reading()


async def test_a_client_that_does_not_read_is_broken_off(
    connection: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "WRITE_SECONDS", 0.01)
    connection.line.unread = 65_537
    connection.connection.pause_writing()
    async with asyncio.timeout(60):
        while not connection.line.is_aborted:  # noqa: ASYNC110 - a timer does it
            await asyncio.sleep(timers.WRITE_SECONDS)


async def test_a_client_that_reads_on_stays(connection: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "WRITE_SECONDS", 0.01)
    connection.line.unread = 65_537
    connection.connection.pause_writing()
    connection.line.unread = 0
    connection.connection.resume_writing()
    await asyncio.sleep(timers.WRITE_SECONDS)  # begun after it, so that its end would come first
    await connection.settle()
    assert not connection.line.is_aborted


async def test_nothing_is_read_after_too_many_control_frames(connection: Conversation) -> None:
    connection.connection.data_received(frame(PING, b"hi") * (MAX_CONTROL_FRAMES + 1))
    assert not connection.line.is_reading()
    written = len(connection.line.written)
    connection.connection.data_received(frame(PING, b"hi") * 10)
    connection.connection.resume_writing()
    assert not connection.line.is_reading()
    assert len(connection.line.written) == written


async def test_messages_after_the_close_are_counted(connection: Conversation) -> None:
    connection.connection.data_received(frame(PING, b"hi"))
    websocket.close_at_once(connection.connection, 4002, "")
    connection.connection.data_received(frame(TEXT, b"x") * MAX_CONTROL_FRAMES)
    assert not connection.line.is_reading()


async def test_a_pong_that_we_do_not_read_is_not_missed(connection: Conversation) -> None:
    """While the application has a message to take, nothing is read, so a pong may be waiting."""
    connection.connection.data_received(frame(TEXT, b"one"))
    connection.connection.ping_interval = 60
    connection.connection.keepalive_timeout()
    assert not connection.line.is_aborted
    assert connection.connection.ping_timer is not None

    connection.take.release()
    await connection.settle()
    for _ in range(MAX_MISSED_PONGS):
        connection.connection.keepalive_timeout()
    assert connection.line.is_aborted


async def test_connection_ends_with_the_second_missed_pong_in_a_row(connection: Conversation) -> None:
    """A process that is too busy to read for a while closes no client for it."""
    connection.connection.ping_interval = 60
    connection.connection.keepalive_timeout()
    connection.connection.data_received(frame(PONG, b"late"))
    connection.connection.keepalive_timeout()
    assert not connection.line.is_aborted

    connection.connection.keepalive_timeout()
    assert connection.line.is_aborted
