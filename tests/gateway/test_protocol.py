"""The conversation with the gateway: who may speak, when, and how it ends."""

from __future__ import annotations

import asyncio
import json

import pytest
import websockets

from gateway.conftest import LongTable
from gateway.talking import Talk
from gateway.town import Town, town_of
from sobremesa.core.clock import SetClock
from sobremesa.http.websocket import MAX_FRAME_BYTES
from sobremesa.live import gateway, identify


async def test_the_first_word_is_a_hello_with_the_interval_of_heartbeats(town: Town) -> None:
    async with town.visit() as talk:
        assert await talk.frame() == {"op": 10, "d": {"heartbeatInterval": 30_000}}


async def test_ready_brings_a_cursor_and_a_snapshot(town: Town, table: LongTable) -> None:
    await town.say(table.ana, table.channel_id, "hello")

    async with town.visit(table.bea) as talk:
        ready = await talk.identify()

    assert talk.s
    assert ready["user"]["username"] == "bea"
    [server] = ready["servers"]
    assert (server["serverId"], server["role"]) == (table.server_id, "member")
    [channel] = server["channels"]
    assert channel["channelId"] == table.channel_id
    assert channel["unread"] == {"count": 1, "capped": False, "mentions": 0}
    assert {"conversations", "threads", "inboxes", "workspaces", "sessionId"} <= ready.keys()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
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
    ],
)
async def test_what_does_not_belong_to_the_protocol_closes_the_socket(town: Town, sent: str | bytes, code: int) -> None:
    async with town.visit() as talk:
        await talk.socket.send(sent)
        assert (await talk.closed()).code == code


async def test_whoever_does_not_say_who_they_are_is_closed(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "IDENTIFY_SECONDS", 0.1)
    async with town.visit() as talk:
        assert (await talk.closed()).code == 4009


async def test_a_client_that_falls_silent_is_closed_and_heartbeats_keep_one_open(
    town: Town, table: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "SILENCE_SECONDS", 1.2)
    monkeypatch.setattr(identify, "SILENCE_SECONDS", 1.2)
    async with town.visit(table.ana) as silent, town.visit(table.ana) as alive:
        await silent.identify()
        await alive.identify()

        closing = asyncio.create_task(silent.closed())
        while not closing.done():
            await alive.send(1, {"s": alive.s})
            assert await alive.frame() == {"op": 11}
            await asyncio.wait([closing], timeout=0.1)
        assert (await closing).code == 4009


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
async def test_a_page_of_another_origin_is_refused(town: Town, origin: str) -> None:
    with pytest.raises(websockets.InvalidStatus) as refused:
        async with town.visit(origin=origin):
            pass
    assert refused.value.response.status_code == 403


async def test_the_own_page_and_programs_without_an_origin_are_welcome(town: Town, table: LongTable) -> None:
    for origin in (None, town.url):
        async with town.visit(table.ana, origin=origin) as talk:
            await talk.identify()


async def test_a_page_of_an_allowed_origin_is_welcome(store: str) -> None:
    async with town_of(store, cors_origins=["https://app.example"]) as town:
        ana = await town.person("ana")
        async with town.visit(ana, origin="https://app.example") as talk:
            await talk.identify()


async def test_a_frame_that_is_too_large_closes_the_socket(town: Town) -> None:
    async with town.visit() as talk:
        await talk.frame()
        await talk.socket.send(json.dumps({"op": 1, "d": "x" * (1024 * 1024)}))
        assert (await talk.closed()).code == 1009


async def test_compression_is_not_spoken_so_that_nothing_small_becomes_large(town: Town) -> None:
    async with town.visit(compression="deflate") as talk:
        assert talk.socket.protocol.extensions == []
    reader, writer = await asyncio.open_connection("127.0.0.1", int(town.url.rpartition(":")[2]))
    writer.write(
        b"GET /v1/gateway HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\xc1\x84\x00\x00\x00\x00bomb")  # a compressed frame all the same
    said = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    assert b"\x03\xea" in said  # 1002: not of this protocol


async def test_a_socket_elsewhere_is_refused(town: Town) -> None:
    with pytest.raises(websockets.InvalidStatus):
        await websockets.connect(town.url.replace("http", "ws") + "/v1/elsewhere")


async def test_a_token_is_renewed_on_the_open_socket(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with town_of(store, clock=clock) as town:
        ana = await town.person("ana")
        async with town.visit(ana) as talk:
            ready = await talk.identify()
            clock.move(seconds=400)
            fresh = await town.app.accounts.refresh(ana.refresh_token)
            await talk.send(2, {"token": fresh.access_token})
            renewed = await talk.hear("renewed")
            clock.move(seconds=400)  # the first token is over by now
            status, me = await talk.call("accounts.getMe")

    assert renewed["expiresAt"] > ready["expiresAt"]
    assert (status, me["username"]) == (200, "ana")


async def test_a_token_that_ends_closes_the_socket(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with town_of(store, clock=clock) as town:
        ana = await town.person("ana")
        async with town.visit(ana) as talk:
            await talk.identify()
            clock.move(seconds=601)
            assert (await talk.closed()).code == 4004


async def test_a_socket_stays_whose_it_is(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as talk:
        await talk.identify()
        await talk.send(2, {"token": table.bea.access_token})
        assert (await talk.closed()).code == 4005


async def test_a_session_that_is_ended_takes_its_sockets_with_it(town: Town, table: LongTable) -> None:
    async with town.visit(table.bea) as talk, town.visit(table.ana) as other:
        await talk.identify()
        await other.identify()
        await town.app.accounts.logout(table.bea.actor)
        assert (await talk.closed()).code == 4004
        await other.send(1)
        assert await other.frame() == {"op": 11}


async def test_a_person_who_is_deleted_is_gone_from_every_socket(town: Town, table: LongTable) -> None:
    async with town.visit(table.bea) as talk:
        await talk.identify()
        status, _ = await talk.call("accounts.deleteMe", password="correct horse battery")
        assert status in (202, 204)
        assert (await talk.closed()).code == 4004


async def test_a_call_that_ends_its_own_session_is_answered_before_the_socket_closes(
    town: Town, table: LongTable
) -> None:
    async with town.visit(table.bea) as talk:
        await talk.identify()
        status, _ = await talk.call("accounts.logout")
        assert status == 204
        assert (await talk.closed()).code == 4004


async def test_noise_is_ended(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as talk:
        await talk.identify()
        for _ in range(gateway.MAX_QUIET_FRAMES + 1):
            await talk.send(1)
        assert (await talk.closed()).code == 4008


async def test_a_server_that_stops_says_so_before(store: str) -> None:
    async with town_of(store) as town:
        ana = await town.person("ana")
        talk = Talk(town.url, ana.access_token)
        await talk.__aenter__()
        await talk.identify()
    assert await talk.frame() == {"op": 7}
    assert (await talk.closed()).code == 1012


async def test_frames_of_just_the_allowed_size_are_read(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as talk:
        await talk.identify()
        frame = json.dumps({"op": 1, "d": ""})
        await talk.socket.send(json.dumps({"op": 1, "d": "x" * (MAX_FRAME_BYTES - len(frame))}))
        assert await talk.frame() == {"op": 11}
