"""Sockets that exceed their limits, before and after they identify."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import pytest
import websockets

from gateway.raw import BINARY, CONTINUATION, PING, PONG, TEXT, RawSocket, frame
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.actor import Actor
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.http.websocket import MAX_CONTROL_FRAMES, MAX_FRAGMENTS
from sobremesa.live import gateway
from sobremesa.live.gateway import MAX_QUIET_FRAMES

HEARTBEAT = frame(TEXT, b'{"op":1}')


@asynccontextmanager
async def visit(served: ServedApp, *, identified: bool) -> AsyncIterator[RawSocket]:
    """Return a socket that has identified, or has not."""
    async with RawSocket(served.url) as raw:
        assert await raw.handshake() == 101
        assert (await raw.event())["op"] == 10
        if identified:
            ana = await served.create_user("ana")
            await raw.send(frame(TEXT, json.dumps({"op": 2, "d": {"token": ana.access_token}}).encode()))
            assert (await raw.event())["t"] == "ready"
        yield raw


@pytest.mark.parametrize("identified", [False, True], ids=["anonymous", "identified"])
@pytest.mark.parametrize("opcode", [PING, PONG], ids=["pings", "pongs"])
async def test_a_flood_of_control_frames_closes_the_socket(served: ServedApp, opcode: int, identified: bool) -> None:
    async with visit(served, identified=identified) as raw:
        await raw.send(frame(opcode, b"x" * 100) * (MAX_CONTROL_FRAMES + 1))
        assert await raw.close_code() == 1008


async def test_as_many_pings_as_allowed_are_answered(served: ServedApp) -> None:
    async with visit(served, identified=False) as raw:
        await raw.send(frame(PING, b"here") * MAX_CONTROL_FRAMES)
        for _ in range(MAX_CONTROL_FRAMES):
            assert await raw.next() == (PONG, b"here")
        await raw.send(HEARTBEAT)
        assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("identified", [False, True], ids=["anonymous", "identified"])
async def test_a_message_in_too_many_fragments_closes_the_socket(served: ServedApp, identified: bool) -> None:
    async with visit(served, identified=identified) as raw:
        await raw.send(frame(TEXT, fin=False), frame(CONTINUATION, fin=False) * MAX_FRAGMENTS)
        assert await raw.close_code() == 1008


async def test_a_fragmented_message_is_reassembled(served: ServedApp) -> None:
    text = b'{"op":1,"d":"%b"}' % (b"x" * (MAX_FRAGMENTS - 15))
    first, *middle, last = [text[index : index + 1] for index in range(len(text))]
    assert len(text) <= MAX_FRAGMENTS
    async with visit(served, identified=False) as raw:
        for _ in range(2):
            await raw.send(frame(TEXT, first, fin=False), *[frame(CONTINUATION, piece, fin=False) for piece in middle])
            await raw.send(frame(CONTINUATION, last))
            assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("opcode", [TEXT, BINARY])
async def test_empty_messages_close_the_socket(served: ServedApp, opcode: int) -> None:
    async with visit(served, identified=False) as raw:
        await raw.send(frame(opcode) * 1000)
        assert await raw.close_code() == 4002


async def test_frames_wait_while_one_is_handled(served: ServedApp) -> None:
    """However many come in one write, they are handled in order, and none is lost."""
    async with visit(served, identified=False) as raw:
        await raw.send(HEARTBEAT * 200)
        for _ in range(200):
            assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 9000, *["\r\n".join(["X: x"] * 130)]], ids=["long", "many"])
async def test_malformed_handshake_leaves_no_connection_open(served: ServedApp, header: str) -> None:
    async with RawSocket(served.url, header) as raw:
        assert await raw.handshake() in (0, 400, 431)
        assert await asyncio.wait_for(raw.reader.read(), 60) is not None


async def test_calls_of_unknown_methods_are_counted(served: ServedApp) -> None:
    async with visit(served, identified=True) as raw:
        await raw.send(frame(TEXT, b'{"op":12,"id":1,"d":{"method":"nothing"}}') * (MAX_QUIET_FRAMES + 1))
        assert await raw.close_code() == 4008


class Hours:
    """The gateway's clock, which a test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        self._read = asyncio.Event()
        monkeypatch.setattr(gateway, "monotonic", self._now)
        monkeypatch.setattr(gateway, "IDENTIFY_SECONDS", 1000)
        monkeypatch.setattr(gateway, "SWEEP_SECONDS", 0.01)

    def _now(self) -> float:
        self._read.set()
        return monotonic() + self.ahead

    async def until_swept(self) -> None:
        """Wait until all sockets were checked: the next sweep, which reads the clock first, starts after it."""
        for _ in range(2):
            self._read.clear()
            await self._read.wait()


async def test_heartbeats_do_not_extend_the_time_to_identify(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = Hours(monkeypatch)
    async with serve_app(store) as served, visit(served, identified=False) as raw:
        hours.ahead = 500
        await raw.send(HEARTBEAT)
        assert await raw.event() == {"op": 11}
        hours.ahead = 1001
        assert await raw.close_code() == 4009


async def test_server_time_does_not_count_against_the_time_to_identify(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is slow to handle an identify closes no client for it."""
    hours = Hours(monkeypatch)
    until = Authentication.authenticate_until

    async def slow(self: Authentication, token: str) -> tuple[Actor, int]:
        hours.ahead = 1001
        await hours.until_swept()
        hours.ahead = 0
        return await until(self, token)

    monkeypatch.setattr(Authentication, "authenticate_until", slow)
    async with serve_app(store) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as connection:
            assert (await connection.identify())["user"]["username"] == "ana"


async def test_one_address_has_a_limit_of_sockets(store: str, caplog: pytest.LogCaptureFixture) -> None:
    async with serve_app(store, rate_limits="on", max_sockets_per_address=2) as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as one, served.connect(ana) as other:
            await one.identify()
            await other.identify()
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with served.connect(ana):
                    pass
            assert refused.value.response.status_code == 429
            assert refused.value.response.headers["Retry-After"]
            assert b'"code":"too_many_sockets"' in (refused.value.response.body or b"")
        async with served.connect(ana) as again:
            await again.identify()
    assert not [record.message for record in caplog.records if "handshake" in record.message]


async def test_sockets_are_counted_by_the_address_that_a_trusted_proxy_names(store: str) -> None:
    proxies: dict[str, Any] = {"rate_limits": "on", "max_sockets_per_address": 1, "trusted_proxies": ["127.0.0.1"]}
    async with (
        serve_app(store, **proxies) as served,
        RawSocket(served.url, "X-Forwarded-For: 2001:db8:1:1::5") as one,
        RawSocket(served.url, "X-Forwarded-For: 2001:db8:1:2::5") as other_network,
    ):
        assert await one.handshake() == 101
        assert await other_network.handshake() == 101
        async with RawSocket(served.url, "X-Forwarded-For: 2001:db8:1:1::6") as same_network:
            assert await same_network.handshake() == 429


@pytest.mark.parametrize("setting", ["max_unidentified_sockets", "max_unidentified_sockets_per_address"])
async def test_sockets_that_have_not_identified_have_a_limit(store: str, setting: str) -> None:
    settings: dict[str, Any] = {"rate_limits": "on", setting: 1}
    async with (
        serve_app(store, **settings) as served,
        visit(served, identified=True),
        RawSocket(served.url) as anonymous,
    ):
        assert await anonymous.handshake() == 101
        async with RawSocket(served.url) as refused:
            assert await refused.handshake() == 429
