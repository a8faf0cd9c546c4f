"""The wire: frames as a server writes them, on uvicorn and on any other server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from sobremesa.live.frames import payload_of, text_frame
from sobremesa.live.socket import MAX_WAITING_BYTES, Socket
from sobremesa.live.wire import UvicornWire, wire_of


@given(st.lists(st.text(max_size=200).map(str.encode) | st.sampled_from([125, 126, 65_535, 65_536]).map(bytes)))
def test_consecutive_frames_are_parsed_separately(payloads: list[bytes]) -> None:
    client = ClientProtocol(parse_uri("ws://localhost/"), max_size=None)
    client.state = type(client.state).OPEN
    client.parser = client.parse()
    next(client.parser)

    client.receive_data(b"".join(map(text_frame, payloads)))

    frames = client.events_received()
    assert [frame.data for frame in frames if isinstance(frame, Frame)] == payloads
    assert all(isinstance(frame, Frame) and frame.opcode is Opcode.TEXT and frame.fin for frame in frames)
    assert [payload_of(text_frame(payload)) for payload in payloads] == payloads


async def test_uvicorn_is_written_to_directly(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bytes] = []
    write = UvicornWire.write

    def note(wire: UvicornWire, frames: bytes, count: int) -> None:
        written.append(frames)
        write(wire, frames, count)

    monkeypatch.setattr(UvicornWire, "write", note)
    async with served.connect(shared.ana) as one, served.connect(shared.bea) as other:
        await one.identify()
        await other.identify()
        written.clear()
        await served.send(shared.carl, shared.channel_id, "once")
        await one.wait_for("message.created")
        await other.wait_for("message.created")

    frames = [frame for frame in written if b"message.created" in frame]
    assert len(frames) == 2
    assert frames[0] is frames[1]  # encoded once for all subscribers


class Recorder:
    """A wire whose other end is the test."""

    def __init__(self) -> None:
        self.written: list[bytes | int] = []

    def write(self, frames: bytes, count: int) -> None:
        self.written.append(frames)

    def waiting(self) -> int:
        return 0

    async def drained(self) -> None:
        pass

    def close(self, code: int, reason: str) -> None:
        self.written.append(code)

    def drop(self) -> None:
        pass


async def test_result_is_written_with_the_events_of_the_same_moment() -> None:
    socket = Socket(wire := Recorder(), "a")
    socket.write_soon(b"result")
    socket.pending.append(b"event")
    socket.flush()
    socket.write_soon(b"next")
    socket.write_soon(b"last")
    await asyncio.sleep(0)
    assert wire.written == [b"resultevent", b"nextlast"]


async def test_result_is_written_before_what_follows_it_and_before_a_close() -> None:
    socket = Socket(wire := Recorder(), "a")
    socket.write_soon(b"result")
    socket.write(b"heartbeat")
    socket.write_soon(b"last")
    socket.pending.append(b"event")
    socket.pending = []  # the hub withdraws events when a session ends
    socket.close(4004, "over")
    await asyncio.sleep(0)
    assert wire.written == [b"resultheartbeat", b"last", 4004]


class OtherServer:
    """An ASGI server that is not uvicorn, with two queues."""

    def __init__(self, site: Any) -> None:
        self._site = site
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def run(self) -> None:
        scope = {"type": "websocket", "path": "/v1/gateway", "headers": [], "client": ("127.0.0.1", 1)}
        await self._site(scope, self.incoming.get, self.outgoing.put)

    async def sent(self) -> Any:
        async with asyncio.timeout(60):
            message = await self.outgoing.get()
        return json.loads(message["text"]) if "text" in message else message


async def test_other_servers_get_the_same_frames_through_asgi(served: ServedApp, shared: SharedChannel) -> None:
    site = served.app.site()
    server = OtherServer(site.gateway)
    running = asyncio.create_task(server.run())
    await server.incoming.put({"type": "websocket.connect"})
    assert (await server.sent())["type"] == "websocket.accept"
    assert (await server.sent())["op"] == 10
    identify = {"op": 2, "d": {"token": shared.ana.access_token}}
    await server.incoming.put({"type": "websocket.receive", "text": json.dumps(identify)})
    assert (await server.sent())["t"] == "ready"
    texts = ["short", "x" * 3000]
    for text in texts:
        await served.send(shared.bea, shared.channel_id, text)
    assert [(await server.sent())["d"]["content"] for _ in texts] == texts
    await server.incoming.put({"type": "websocket.receive", "text": "nonsense"})
    assert (await server.sent())["code"] == 4002
    await server.incoming.put({"type": "websocket.disconnect", "code": 4002})
    await running


async def test_unread_bytes_of_another_server_are_counted() -> None:
    taken = asyncio.Event()

    async def send(message: Any) -> None:
        await taken.wait()

    wire = wire_of(send)
    frame = text_frame(b"x" * 1000)
    for _ in range(MAX_WAITING_BYTES // 1000 + 1):
        wire.write(frame, 1)
    assert wire.waiting() > MAX_WAITING_BYTES
    taken.set()
    await wire.drained()
    assert wire.waiting() == 0
    wire.close(1000, "")
