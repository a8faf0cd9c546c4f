"""The protocol of the gateway: who may send what, when, and how a socket is closed."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
import websockets

from gateway.conftest import SharedChannel
from gateway.connection import Connection
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.clock import SetClock
from sobremesa.http.websocket import MAX_FRAME_BYTES
from sobremesa.live import gateway, identify


async def test_first_frame_is_hello_with_the_heartbeat_interval(served: ServedApp) -> None:
    async with served.connect() as connection:
        assert await connection.frame() == {"op": 10, "d": {"heartbeatInterval": 30_000}}


async def test_ready_has_a_cursor_and_a_snapshot(served: ServedApp, shared: SharedChannel) -> None:
    await served.send(shared.ana, shared.channel_id, "hello")

    async with served.connect(shared.bea) as connection:
        ready = await connection.identify()

    assert connection.s
    assert ready["user"]["username"] == "bea"
    [server] = ready["servers"]
    assert (server["serverId"], server["role"]) == (shared.server_id, "member")
    [channel] = server["channels"]
    assert channel["channelId"] == shared.channel_id
    assert channel["unread"] == {"count": 1, "capped": False, "mentions": 0}
    assert {"conversations", "threads", "inboxes", "workspaces", "sessionId"} <= ready.keys()


MALFORMED: list[tuple[str | bytes, int]] = [
    ('{"op":12,"id":1,"d":{"method":"accounts.getMe"}}', 4003),
    ('{"op":99}', 4001),
    ('{"op":0,"t":"ready","d":{}}', 4001),
    ("no json", 4002),
    ('["op",2]', 4002),
    ('{"op":2,"d":{"token":7}}', 4002),
    ('{"op":2}', 4002),
    (b'{"op":1}', 4002),
    ('{"op":2,"d":{"token":"nonsense"}}', 4004),
    ('{"op":6,"d":{"token":"nonsense","sessionId":"x","s":"y"}}', 4004),
    ("[" * 60_000, 4002),
]


async def test_malformed_frames_close_the_socket(served: ServedApp) -> None:
    for sent, code in MALFORMED:
        async with served.connect() as connection:
            await connection.socket.send(sent)
            assert (await connection.closed()).code == code, sent[:80]


async def test_socket_that_does_not_identify_is_closed(served: ServedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "IDENTIFY_SECONDS", 0.1)
    async with served.connect() as connection:
        assert (await connection.closed()).code == 4009


async def test_metrics_count_the_sockets_that_the_server_closes(served: ServedApp) -> None:
    async def counted(code: int) -> float:
        async with served.http.get(f"http://127.0.0.1:{served.metrics_port}/metrics") as answer:
            metrics = await answer.text()
        found = re.search(rf'^sobremesa_gateway_closes_total{{code="{code}"}} (\S+)$', metrics, re.MULTILINE)
        return float(found[1]) if found else 0.0

    before = await counted(4002)
    async with served.connect() as left:
        await left.frame()
    async with served.connect() as connection:
        await connection.socket.send("{")
        await connection.closed()

    assert await counted(4002) == before + 1
    assert await counted(1000) == await counted(1001) == 0, "a client that leaves is not counted"


async def test_silent_client_is_closed_and_heartbeats_keep_one_open(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "SILENCE_SECONDS", 1.2)
    monkeypatch.setattr(identify, "SILENCE_SECONDS", 1.2)
    async with served.connect(shared.ana) as silent, served.connect(shared.ana) as alive:
        await silent.identify()
        await alive.identify()

        closing = asyncio.create_task(silent.closed())
        while not closing.done():
            await alive.send(1, {"s": alive.s})
            assert await alive.frame() == {"op": 11}
            await asyncio.wait([closing], timeout=0.1)
        assert (await closing).code == 4009


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
async def test_a_page_of_another_origin_is_refused(served: ServedApp, origin: str) -> None:
    with pytest.raises(websockets.InvalidStatus) as refused:
        async with served.connect(origin=origin):
            pass
    assert refused.value.response.status_code == 403


async def test_own_origin_and_programs_without_an_origin_are_accepted(served: ServedApp, shared: SharedChannel) -> None:
    for origin in (None, served.url):
        async with served.connect(shared.ana, origin=origin) as connection:
            await connection.identify()


async def test_a_page_of_an_allowed_origin_is_accepted(store: str) -> None:
    async with serve_app(store, cors_origins=["https://app.example"]) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana, origin="https://app.example") as connection:
            await connection.identify()


async def test_a_frame_that_is_too_large_closes_the_socket(served: ServedApp) -> None:
    async with served.connect() as connection:
        await connection.frame()
        await connection.socket.send(json.dumps({"op": 1, "d": "x" * (1024 * 1024)}))
        assert (await connection.closed()).code == 1009


async def test_compression_is_not_negotiated(served: ServedApp) -> None:
    async with served.connect(compression="deflate") as connection:
        assert connection.socket.protocol.extensions == []
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.url.rpartition(":")[2]))
    writer.write(
        b"GET /v1/gateway HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\xc1\x84\x00\x00\x00\x00bomb")  # a compressed frame all the same
    raw = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    assert b"\x03\xea" in raw  # 1002: not of this protocol


async def test_a_socket_at_another_path_is_refused(served: ServedApp) -> None:
    with pytest.raises(websockets.InvalidStatus):
        await websockets.connect(served.url.replace("http", "ws") + "/v1/elsewhere")


async def test_a_token_is_renewed_on_the_open_socket(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with serve_app(store, clock=clock) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as connection:
            ready = await connection.identify()
            clock.move(seconds=400)
            fresh = await served.app.accounts.refresh(ana.refresh_token)
            await connection.send(2, {"token": fresh.access_token})
            renewed = await connection.wait_for("renewed")
            clock.move(seconds=400)  # the first token is over by now
            status, me = await connection.call("accounts.getMe")

    assert renewed["expiresAt"] > ready["expiresAt"]
    assert (status, me["username"]) == (200, "ana")


async def test_expired_token_closes_the_socket(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with serve_app(store, clock=clock) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as connection:
            await connection.identify()
            clock.move(seconds=601)
            assert (await connection.closed()).code == 4004


async def test_socket_cannot_change_its_user(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        await connection.send(2, {"token": shared.bea.access_token})
        assert (await connection.closed()).code == 4005


async def test_ended_session_closes_its_sockets(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection, served.connect(shared.ana) as other:
        await connection.identify()
        await other.identify()
        await served.app.accounts.logout(shared.bea.actor)
        assert (await connection.closed()).code == 4004
        await other.send(1)
        assert await other.frame() == {"op": 11}


async def test_deleted_user_is_disconnected_from_every_socket(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        status, _ = await connection.call("accounts.deleteMe", password="correct horse battery")
        assert status in (202, 204)
        assert (await connection.closed()).code == 4004


async def test_call_that_ends_its_own_session_gets_its_result_before_the_close(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        status, _ = await connection.call("accounts.logout")
        assert status == 204
        assert (await connection.closed()).code == 4004


async def test_too_many_frames_close_the_socket(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        for _ in range(gateway.MAX_QUIET_FRAMES + 1):
            await connection.send(1)
        assert (await connection.closed()).code == 4008


async def test_stopping_server_asks_clients_to_reconnect(store: str) -> None:
    async with serve_app(store) as served:
        ana = await served.create_user("ana")
        connection = Connection(served.url, ana.access_token)
        await connection.__aenter__()
        await connection.identify()
    assert await connection.frame() == {"op": 7, "d": {"retryAfter": 0, "spread": 1.0}}
    assert (await connection.closed()).code == 1012


async def test_frames_of_the_maximum_size_are_accepted(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        frame = json.dumps({"op": 1, "d": ""})
        await connection.socket.send(json.dumps({"op": 1, "d": "x" * (MAX_FRAME_BYTES - len(frame))}))
        assert await connection.frame() == {"op": 11}
