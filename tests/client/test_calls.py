"""Calls over the gateway: results match their calls, and lost connections have an unknown outcome."""

from __future__ import annotations

import asyncio

import pytest

from client.scripted import Scripted
from client.test_gateway import MESSAGE
from client.timing import Hurried
from sobremesa.client import ApiError, Client, OutcomeUnknown, Room, Unreachable

ROOM = Room("channel", "c1")


async def test_results_match_their_calls_in_any_order() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        first = asyncio.create_task(live.call("accounts.getMe"))
        asked = await peer.receives(12)
        second = asyncio.create_task(live.call("GET /v1/servers", {"limit": 10}))
        asked_too = await peer.receives(12)
        await peer.answers(asked_too, 200, {"items": []})
        await peer.answers({"id": "unknown"}, 200, {})
        await peer.answers(asked, 200, {"userId": "u1"})

        assert asked["d"] == {"method": "accounts.getMe", "params": {}}
        assert asked_too["d"] == {"method": "GET /v1/servers", "params": {"limit": 10}}
        assert await first == {"userId": "u1"}
        assert await second == {"items": []}


async def test_refused_call_raises_the_same_error_as_http() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        calling = asyncio.create_task(live.call("communities.getServer", {"serverId": "s1"}))
        problem = {"type": "x", "title": "x", "status": 404, "code": "not_found", "detail": "Nothing.", "hint": 1}
        await peer.answers(await peer.receives(12), 404, problem)

        with pytest.raises(ApiError) as refused:
            await calling
    assert (refused.value.status, refused.value.code, refused.value.data) == (404, "not_found", {"hint": 1})


async def test_a_call_whose_connection_is_lost_has_an_unknown_outcome() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        calling = asyncio.create_task(live.call("communities.createServer", {"name": "A table"}))
        await peer.receives(12)
        peer.cut()

        with pytest.raises(OutcomeUnknown):
            await calling


async def test_call_without_a_result_in_time_has_an_unknown_outcome() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        with pytest.raises(OutcomeUnknown):
            await live.call("accounts.getMe", within_seconds=0.05)
        late = await peer.receives(12)
        calling = asyncio.create_task(live.call("accounts.getMe"))
        await peer.answers(late, 200, "too late")
        await peer.answers(await peer.receives(12), 200, "in time")

        assert await calling == "in time"


async def test_a_call_waits_for_the_connection_to_come_back() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        peer.cut()
        again = await script.accepts()
        await again.receives(6)
        with pytest.raises(Unreachable):
            await live.call("accounts.getMe", within_seconds=0.05)
        calling = asyncio.create_task(live.call("accounts.getMe"))
        await again.sends(t="resumed", s="1", d={})
        await again.answers(await again.receives(12), 200, "here")

        assert await calling == "here"


async def test_a_send_is_repeated_with_its_nonce_on_the_next_connection() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        sending = asyncio.create_task(live.send(ROOM, "Hello", reply_to="m0", attachments=["f1"]))
        first = (await peer.receives(12))["d"]
        peer.cut()
        again = await script.accepts()
        await again.receives(6)
        await again.sends(t="resumed", s="1", d={})
        second = await again.receives(12)
        await again.answers(second, 200, MESSAGE | {"replayed": True})

        assert (await sending).replayed
        assert first == second["d"]
        assert first["method"] == "POST /v1/channels/c1/messages"
        assert first["params"]["nonce"]
        assert first["params"] | {"nonce": ""} == {
            "content": "Hello",
            "nonce": "",
            "replyTo": "m0",
            "attachments": ["f1"],
        }


async def test_rate_limited_send_waits_as_requested() -> None:
    hurried = Hurried(chance=1.0)
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=hurried.pace) as client,
        script.live(client) as (live, peer),
    ):
        sending = asyncio.create_task(live.send(ROOM, "Hello"))
        problem = {"status": 429, "code": "too_many_requests", "detail": "Wait.", "retryAfter": 4}
        await peer.answers(await peer.receives(12), 429, problem)
        await peer.answers(await peer.receives(12), 201, MESSAGE)

        assert (await sending).message_id == "m1"
        assert hurried.slept[-1] == 4 * 1.25


async def test_a_refused_send_is_not_repeated() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        sending = asyncio.create_task(live.send(ROOM, "Hello"))
        await peer.answers(await peer.receives(12), 403, {"status": 403, "code": "forbidden", "detail": "No."})

        with pytest.raises(ApiError, match="forbidden"):
            await sending


async def test_a_call_that_is_too_long_is_refused_here_and_the_connection_stays() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        with pytest.raises(ApiError) as refused:
            await live.send(ROOM, "x" * 70_000)
        calling = asyncio.create_task(live.call("accounts.getMe"))
        await peer.answers(await peer.receives(12), 200, "still here")

        assert refused.value.status == 413
        assert await calling == "still here"
