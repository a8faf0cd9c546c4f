"""Sockets that want more than their share, before and after they say who they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gateway.raw import BINARY, CONTINUATION, PING, PONG, TEXT, RawSocket, frame
from gateway.town import Town
from sobremesa.http.websocket import MAX_CONTROL_FRAMES, MAX_FRAGMENTS
from sobremesa.live.gateway import MAX_QUIET_FRAMES

HEARTBEAT = frame(TEXT, b'{"op":1}')


@asynccontextmanager
async def visit(town: Town, *, identified: bool) -> AsyncIterator[RawSocket]:
    """A socket that has said who it is, or has not."""
    async with RawSocket(town.url) as raw:
        assert await raw.handshake() == 101
        assert (await raw.event())["op"] == 10
        if identified:
            ana = await town.person("ana")
            await raw.send(frame(TEXT, json.dumps({"op": 2, "d": {"token": ana.access_token}}).encode()))
            assert (await raw.event())["t"] == "ready"
        yield raw


@pytest.mark.parametrize("identified", [False, True], ids=["anonymous", "identified"])
@pytest.mark.parametrize("opcode", [PING, PONG], ids=["pings", "pongs"])
async def test_a_flood_of_control_frames_closes_the_socket(town: Town, opcode: int, identified: bool) -> None:
    async with visit(town, identified=identified) as raw:
        await raw.send(frame(opcode, b"x" * 100) * (MAX_CONTROL_FRAMES + 1))
        assert await raw.close_code() == 1008


async def test_as_many_pings_as_allowed_are_answered(town: Town) -> None:
    async with visit(town, identified=False) as raw:
        await raw.send(frame(PING, b"here") * MAX_CONTROL_FRAMES)
        for _ in range(MAX_CONTROL_FRAMES):
            assert await raw.next() == (PONG, b"here")
        await raw.send(HEARTBEAT)
        assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("identified", [False, True], ids=["anonymous", "identified"])
async def test_a_message_in_too_many_fragments_closes_the_socket(town: Town, identified: bool) -> None:
    async with visit(town, identified=identified) as raw:
        await raw.send(frame(TEXT, fin=False), frame(CONTINUATION, fin=False) * MAX_FRAGMENTS)
        assert await raw.close_code() == 1008


async def test_a_message_in_some_fragments_is_put_together(town: Town) -> None:
    text = b'{"op":1,"d":"%b"}' % (b"x" * (MAX_FRAGMENTS - 15))
    first, *middle, last = [text[index : index + 1] for index in range(len(text))]
    assert len(text) <= MAX_FRAGMENTS
    async with visit(town, identified=False) as raw:
        for _ in range(2):
            await raw.send(frame(TEXT, first, fin=False), *[frame(CONTINUATION, piece, fin=False) for piece in middle])
            await raw.send(frame(CONTINUATION, last))
            assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("opcode", [TEXT, BINARY])
async def test_messages_without_anything_in_them_close_the_socket(town: Town, opcode: int) -> None:
    async with visit(town, identified=False) as raw:
        await raw.send(frame(opcode) * 1000)
        assert await raw.close_code() == 4002


async def test_frames_wait_while_the_application_has_one_to_take(town: Town) -> None:
    """However many come in one write, they are handled one after the other, and none is lost."""
    async with visit(town, identified=False) as raw:
        await raw.send(HEARTBEAT * 200)
        for _ in range(200):
            assert await raw.event() == {"op": 11}


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 9000, *["\r\n".join(["X: x"] * 130)]], ids=["long", "many"])
async def test_a_handshake_that_cannot_be_read_leaves_no_connection_open(town: Town, header: str) -> None:
    async with RawSocket(town.url, header) as raw:
        assert await raw.handshake() in (0, 400, 431)
        assert await asyncio.wait_for(raw.reader.read(), 10) is not None


async def test_calls_of_methods_that_do_not_exist_are_counted(town: Town) -> None:
    async with visit(town, identified=True) as raw:
        await raw.send(frame(TEXT, b'{"op":12,"id":1,"d":{"method":"nothing"}}') * (MAX_QUIET_FRAMES + 1))
        assert await raw.close_code() == 4008
