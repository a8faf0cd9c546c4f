"""Calls over a socket behave like requests over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.actor import UserId
from sobremesa.http.calls import MAX_PARAMS_BYTES
from sobremesa.http.limits import RATES
from sobremesa.live.gateway import CALLS_AT_ONCE
from sobremesa.live.presence import PresenceView


async def test_endpoint_names_and_call_parameters_are_unambiguous(
    served: ServedApp,
) -> None:
    endpoints = served.app.endpoints()

    names = [endpoint.name for endpoint in endpoints]
    assert len(names) == len(set(names))
    for endpoint in endpoints:
        if endpoint.takes_upload:
            continue
        kinds = [kind for kind in (endpoint.query, endpoint.body) if hasattr(kind, "__struct_encode_fields__")]
        fields = [field for kind in kinds for field in kind.__struct_encode_fields__]
        fields += [place.strip("{}") for place in endpoint.route.split("/") if place.startswith("{")]
        assert len(fields) == len(set(fields)), endpoint
        assert "idempotencyKey" not in fields


async def test_call_returns_what_the_request_returns(served: ServedApp, shared: SharedChannel) -> None:
    for number in range(3):
        await served.send(shared.ana, shared.channel_id, f"{number}")

    async with served.connect(shared.bea) as connection:
        await connection.identify()
        for name, line, params in [
            ("accounts.getMe", "/users/me", {}),
            ("communities.listServers", "/servers", {}),
            ("channels.listMessages", f"/channels/{shared.channel_id}/messages", {"limit": 2}),
            ("communities.listMembers", f"/servers/{shared.server_id}/members", {}),
        ]:
            named: dict[str, str] = {"roomId": shared.channel_id} if "channels" in name else {}
            named |= {"serverId": shared.server_id} if "Members" in name else {}
            over_http = await served.get(shared.bea, line, **params)
            assert await connection.call(name, **named, **params) == (200, over_http)
            assert await connection.call(f"GET /v1{line}", **params) == (200, over_http)


FAILED_CALLS: list[tuple[str, dict[str, Any], int, str]] = [
    ("channels.dance", {}, 404, "not_found"),
    ("GET /v1/nowhere", {}, 404, "not_found"),
    ("PATCH /v1/users/me/sessions", {}, 404, "not_found"),
    ("channels.sendMessage", {}, 422, "invalid"),
    ("channels.sendMessage", {"roomId": "nothing", "content": "x"}, 404, "not_found"),
    ("channels.sendMessage", {"roomId": "#", "content": "x"}, 422, "invalid"),
    ("channels.sendMessage", {"roomId": ["x"], "content": "x"}, 422, "invalid"),
    ("communities.createServer", {"name": ""}, 422, "invalid"),
    ("communities.createServer", {"name": "x", "colour": "red"}, 422, "invalid"),
    ("communities.createServer", {"name": "x", "idempotencyKey": "é"}, 422, "invalid"),
    ("accounts.getMe", {"extra": 1}, 422, "invalid"),
    ("communities.listServers", {"limit": 1000}, 422, "invalid"),
    ("accounts.export", {}, 415, "not_callable"),
    ("communities.listAllServers", {}, 403, "forbidden"),
    ("communities.createServer", {"name": "x" * MAX_PARAMS_BYTES}, 413, "too_large"),
]


async def test_failed_call_returns_a_problem(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        for method, params, status, code in FAILED_CALLS:
            answered, problem = await connection.call(method, **params)
            assert (answered, problem["code"], problem["status"]) == (status, code, status), (method, code)
            assert (await connection.call("accounts.getMe"))[0] == 200  # the socket is none the worse for it


async def test_parameters_that_are_not_an_object_are_refused(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        await connection.send(12, {"method": "accounts.getMe", "params": [1]}, id="a")
        assert (await connection.frame())["d"]["status"] == 422


async def test_call_of_a_user_without_access_is_refused(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.dora) as connection:
        await connection.identify()
        status, problem = await connection.call("channels.sendMessage", roomId=shared.channel_id, content="hello?")
        assert (status, problem["code"]) == (404, "not_found")


async def test_repeated_nonce_or_idempotency_key_creates_once(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        first = await connection.call("channels.sendMessage", roomId=shared.channel_id, content="once", nonce="n")
        second = await connection.call("channels.sendMessage", roomId=shared.channel_id, content="once", nonce="n")
        assert (first[0], second[0], second[1]["replayed"]) == (201, 200, True)
        created = [await connection.call("communities.createServer", name="One", idempotencyKey="k") for _ in range(2)]
        assert created[0][1]["serverId"] == created[1][1]["serverId"]


async def test_writes_of_one_socket_run_in_order(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        for number in range(100):
            params = {"roomId": shared.channel_id, "content": f"{number}" + " @ana" * (number % 2)}
            await connection.send(12, {"method": "channels.sendMessage", "params": params}, id=number)
        answered = 0
        while answered < 100:
            answered += (await connection.frame())["op"] == 13
        _, page = await connection.call("channels.listMessages", roomId=shared.channel_id, limit=100)

    contents = [message["content"].split()[0] for message in reversed(page["items"])]
    assert contents == [str(number) for number in range(100)]


async def test_slow_write_is_not_overtaken_by_a_later_one(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as connection:
        await connection.identify()
        passwords = {"current": "correct horse battery", "next": "another long password"}
        await connection.send(12, {"method": "accounts.changePassword", "params": passwords}, id="slow")
        name = {"username": "beatrix"}
        await connection.send(12, {"method": "accounts.changeMe", "params": name}, id="quick")
        answers: list[tuple[str, int]] = []
        while len(answers) < 2:
            frame = await connection.frame()
            if frame["op"] == 13:
                answers.append((frame["id"], frame["d"]["status"]))
    assert answers == [("slow", 204), ("quick", 200)]


async def test_socket_with_too_many_calls_in_progress_is_not_read(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer = asyncio.Event()
    asked = served.app.presence.of

    async def slow(asking: UserId, user_ids: Sequence[UserId]) -> list[PresenceView]:
        await may_answer.wait()
        return await asked(asking, user_ids)

    monkeypatch.setattr(served.app.presence, "of", slow)
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        for number in range(CALLS_AT_ONCE + 1):
            await connection.send(12, {"method": "GET /v1/presence", "params": {"userIds": "a"}}, id=number)
        await connection.send(1)
        assert await connection.is_quiet()
        may_answer.set()
        answered = 0
        while answered < CALLS_AT_ONCE:
            answered += (await connection.frame())["op"] == 13
        while (await connection.frame())["op"] != 11:
            pass


async def test_heartbeat_ack_does_not_wait_for_a_call(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        await connection.send(12, {"method": "GET /v1/events", "params": {"after": connection.s, "wait": 3}}, id=1)
        await connection.send(1)
        assert await connection.frame(1) == {"op": 11}


async def test_rate_limits_apply_to_calls(store: str) -> None:
    async with serve_app(store, rate_limits="on") as served:
        ana = await served.create_user("ana")
        async with served.connect(ana) as connection:
            await connection.identify()
            allowed = RATES["read"].burst
            calls = allowed + 400

            async def ask() -> None:
                frame = json.dumps({"op": 12, "id": 1, "d": {"method": "communities.listServers"}})
                for _ in range(calls):
                    await connection.socket.send(frame)

            asking = asyncio.create_task(ask())
            statuses = [(await connection.frame())["d"]["status"] for _ in range(calls)]
            await asking

    assert set(statuses) == {200, 429}
    assert allowed <= statuses.count(200) < calls


async def test_calls_in_progress_get_results_before_a_bad_frame_closes_the_socket(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.ana) as connection:
        await connection.identify()
        await connection.send(12, {"method": "communities.createServer", "params": {"name": "Last words"}}, id="last")
        await connection.send(99)
        while (frame := await connection.frame())["op"] != 13:
            pass
        assert (frame["id"], frame["d"]["status"]) == ("last", 201)
        assert (await connection.closed()).code == 4001
