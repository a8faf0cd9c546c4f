"""What a request may bring, and what it gets for what it may not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from yarl import URL

from edge.running import ANA, KITCHEN, MAX_BODY_BYTES, connected

PROBLEM = "application/problem+json"


async def problem(response: aiohttp.ClientResponse, status: int, code: str) -> dict[str, Any]:
    assert response.status == status, await response.text()
    assert response.content_type == PROBLEM
    body: dict[str, Any] = await response.json(content_type=PROBLEM)
    assert body["status"] == status
    assert body["code"] == code
    assert body["type"] == f"urn:sobremesa:problem:{code}"
    assert body["title"]
    assert body["detail"]
    return body


async def test_what_the_verb_gives_is_the_answer(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables/T7", headers=ANA) as response:
        assert response.status == 200
        assert response.content_type == "application/json"
        body = await response.json()
    assert body == {
        "tableId": "T7",
        "name": "Sunday",
        "createdAt": "2026-11-16T09:30:00.000Z",
        "kind": "round",
        "note": None,
    }


async def test_a_path_with_nothing_behind_it_is_not_found(client: aiohttp.ClientSession) -> None:
    for path in ("/v1/chairs", "/v1/tables/T7/legs", "/v1/tables/", "/v1//tables", "/v1/", "/v1", "/", "/v2/tables"):
        async with client.get(path, headers=ANA) as response:
            await problem(response, 404, "not_found")


@pytest.mark.parametrize("place", ["a%23b", "*", "$x", "%00", "x" * 201, "%FF", "%C3%28", "e%CC%81"])
async def test_what_could_never_be_a_key_is_refused_with_its_place(client: aiohttp.ClientSession, place: str) -> None:
    async with client.get(URL(f"/v1/tables/{place}", encoded=True), headers=ANA) as response:
        refused = await problem(response, 422, "invalid")
    assert [(error["in"], error["pointer"]) for error in refused["errors"]] == [("path", "#/tableId")]


async def test_the_text_null_is_valid_for_string_parameters(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables?cursor=null") as response:
        assert (await response.json())["items"][3]["name"] == "null"


async def test_any_text_may_stand_in_a_place_also_an_encoded_slash(client: aiohttp.ClientSession) -> None:
    url = URL("/v1/dishes/fish%2Fchips/tastes/%F0%9F%91%8D%20%25", encoded=True)
    async with client.put(url) as response:
        assert (await response.json())["name"] == "fish/chips:👍 %"


async def test_the_query_is_decoded_into_its_types(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables?kind=long&free=true&limit=7&cursor=a%2Bb") as response:
        items = (await response.json())["items"]
    assert [item["name"] for item in items] == ["long", "True", "7", "a+b"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=many", "#/limit"),
        ("limit=0", "#/limit"),
        ("limit=101", "#/limit"),
        ("kind=square", "#/kind"),
        ("free=perhaps", "#/free"),
        ("colour=red", "#/colour"),
        ("kind=null", "#/kind"),
        ("limit=1&limit=2", "#"),
    ],
)
async def test_an_invalid_query_is_located(client: aiohttp.ClientSession, query: str, pointer: str) -> None:
    async with client.get(f"/v1/tables?{query}") as response:
        body = await problem(response, 422, "invalid")
    (error,) = body["errors"]
    assert error["in"] == "query"
    assert error["pointer"] == pointer


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/name"),
        ({"name": 7}, "#/name"),
        ({"name": ""}, "#/name"),
        ({"name": "x" * 41}, "#/name"),
        ({"name": "x", "seats": [{"number": 1, "name": "a"}, {"number": 99, "name": "b"}]}, "#/seats/1/number"),
        ({"name": "x", "seats": [{"number": 1}]}, "#/seats/0/name"),
        ({"name": "x", "sets": []}, "#/sets"),
        ([], "#"),
        (None, "#"),
    ],
)
async def test_an_invalid_body_is_located(client: aiohttp.ClientSession, body: object, pointer: str) -> None:
    headers = {**ANA, "Content-Type": "application/json"}
    async with client.post("/v1/tables", headers=headers, data=json.dumps(body)) as response:
        refused = await problem(response, 422, "invalid")
    (error,) = refused["errors"]
    assert error["in"] == "body"
    assert error["pointer"] == pointer
    assert error["detail"]


@pytest.mark.parametrize("body", [b"{", b"", b"\xff\xfe", b'{"name": "x"} x', b'{"name": "\xff"}'])
async def test_a_body_that_is_no_json_is_malformed(client: aiohttp.ClientSession, body: bytes) -> None:
    headers = {**ANA, "Content-Type": "application/json"}
    async with client.post("/v1/tables", headers=headers, data=body) as response:
        await problem(response, 400, "malformed")


async def test_a_body_of_another_media_type_is_refused(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/tables", headers=ANA, data={"name": "x"}) as response:
        await problem(response, 415, "unsupported_media_type")


async def test_a_media_type_may_have_parameters(client: aiohttp.ClientSession) -> None:
    headers = {**ANA, "Content-Type": "Application/JSON; charset=utf-8"}
    async with client.post("/v1/tables", headers=headers, data=b'{"name": "x"}') as response:
        assert response.status == 201


async def test_a_body_whose_fields_are_all_optional_may_be_left_out(client: aiohttp.ClientSession) -> None:
    async with client.patch("/v1/tables/T1", headers=ANA) as response:
        assert (await response.json())["note"] is None
    async with client.patch("/v1/tables/T1", headers=ANA, json={"note": "by the window"}) as response:
        assert (await response.json())["note"] == "by the window"


async def test_a_client_that_leaves_in_the_middle_of_a_body_changes_nothing(
    client: aiohttp.ClientSession, logged: list[dict[str, Any]]
) -> None:
    _, writer = await connected(client)
    head = "PATCH /v1/tables/T1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ana-token\r\nContent-Length: 100\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(30):
        while not logged:  # noqa: ASYNC110 - a log line wakes no waiter
            await asyncio.sleep(0.01)
    assert [line["code"] for line in logged] == ["malformed"]


async def test_a_body_that_is_announced_too_large_is_refused_unread(client: aiohttp.ClientSession) -> None:
    reader, writer = await connected(client)
    head = "POST /v1/tables HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ana-token\r\nContent-Length: 1000000\r\n\r\n"
    writer.write(head.encode())
    assert b" 413 " in await asyncio.wait_for(reader.readline(), 60)
    writer.close()


async def test_the_limit_of_a_body_is_reported(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/tables", headers=ANA, json={"name": "x" * MAX_BODY_BYTES}) as response:
        body = await problem(response, 413, "too_large")
    assert body["limit"] == MAX_BODY_BYTES


async def test_a_streamed_body_is_refused_as_soon_as_it_is_too_large(client: aiohttp.ClientSession) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 100:
            sent += 1
            yield b'"' + b"x" * 1023
            await asyncio.sleep(0.01)

    headers = {**ANA, "Content-Type": "application/json"}
    async with client.post("/v1/tables", headers=headers, data=endless()) as response:
        assert response.headers.get("Content-Length")
        await problem(response, 413, "too_large")
    assert sent < 100


async def test_a_streamed_body_below_the_limit_is_put_together(client: aiohttp.ClientSession) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b'{"na', b'me": ', b'"Monday"}'):
            yield piece
            await asyncio.sleep(0.01)

    headers = {**ANA, "Content-Type": "application/json"}
    async with client.post("/v1/tables", headers=headers, data=pieces()) as response:
        assert (await response.json())["name"] == "Monday"


async def test_another_method_receives_the_allowed_ones(client: aiohttp.ClientSession) -> None:
    async with client.delete("/v1/tables", headers=ANA) as response:
        assert response.headers["Allow"] == "GET, HEAD, POST"
        await problem(response, 405, "method_not_allowed")


async def test_head_is_get_without_the_body(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables/T7", headers=ANA) as got, client.head("/v1/tables/T7", headers=ANA) as head:
        assert head.status == 200
        assert await head.read() == b""
        assert head.headers["Content-Length"] == got.headers["Content-Length"]
    async with client.head("/v1/kitchen/receipts", headers=ANA) as head:
        assert head.status == 200
        assert await head.read() == b""


async def test_an_etag_saves_the_body_while_nothing_has_changed(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables") as first:
        tag = first.headers["ETag"]
        assert first.headers["Cache-Control"] == "private, no-cache"
    async with client.get("/v1/tables", headers={"If-None-Match": f'"other", {tag}'}) as again:
        assert again.status == 304
        assert again.headers["ETag"] == tag
        assert "Content-Length" not in again.headers
        assert await again.read() == b""
    async with client.get("/v1/tables?limit=3", headers={"If-None-Match": tag}) as other:
        assert other.status == 200
        assert other.headers["ETag"] != tag


async def test_empty_result_has_no_body(client: aiohttp.ClientSession) -> None:
    async with client.delete("/v1/tables/T1", headers=ANA) as response:
        assert response.status == 204
        assert "Content-Length" not in response.headers
        assert "Content-Type" not in response.headers


async def test_an_answer_may_have_a_second_status(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/tables", headers={**ANA, "Idempotency-Key": "again"}, json={"name": "x"}) as response:
        assert response.status == 200


@pytest.mark.parametrize("key", ["", "x" * 256, "ñ"])
async def test_an_idempotency_key_is_a_short_text(client: aiohttp.ClientSession, key: str) -> None:
    async with client.post("/v1/tables", headers={**ANA, "Idempotency-Key": key}, json={"name": "x"}) as response:
        body = await problem(response, 422, "invalid")
    assert body["errors"][0]["pointer"] == "#/Idempotency-Key"


async def test_a_refusal_has_its_code_and_its_data(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/tables", headers=ANA, json={"name": "taken"}) as response:
        body = await problem(response, 409, "table_occupied")
    assert body["until"] == "2026-11-16T12:00:00.000Z"


@pytest.mark.parametrize("authorization", [None, "ana-token", "Basic ana-token", "Bearer", "Bearer ", "Bearer nobody"])
async def test_requests_without_a_valid_token_are_refused(
    client: aiohttp.ClientSession, authorization: str | None
) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    async with client.get("/v1/tables/T1", headers=headers) as response:
        assert response.headers["WWW-Authenticate"] == "Bearer"
        await problem(response, 401, "unauthenticated")


async def test_a_key_needs_the_scope_and_cannot_call_what_a_user_is_needed_for(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/orders", headers=KITCHEN) as response:
        assert response.status == 200
    async with client.get("/v1/kitchen/orders", headers=ANA) as response:
        await problem(response, 403, "forbidden")
    async with client.get("/v1/tables/T1", headers=KITCHEN) as response:
        await problem(response, 403, "person_needed")


async def test_what_takes_too_long_is_cut_off_and_logged(
    client: aiohttp.ClientSession, logged: list[dict[str, Any]]
) -> None:
    async with client.get("/v1/kitchen/slow") as response:
        await problem(response, 504, "timed_out")
        request_id = response.headers["X-Request-Id"]
    assert {
        "event": "request timed out",
        "log_level": "warning",
        "request_id": request_id,
        "route": "/v1/kitchen/slow",
    } in logged


async def test_requests_that_take_too_long_do_not_disturb_each_other(client: aiohttp.ClientSession) -> None:
    async def ask(path: str, wait: float) -> int:
        await asyncio.sleep(wait)
        async with client.get(path, headers=ANA) as response:
            return response.status

    slow = [ask("/v1/kitchen/slow", wait / 20) for wait in range(8)]
    quick = [ask("/v1/tables/T1", wait / 20) for wait in range(16)]
    assert await asyncio.gather(*slow, *quick) == [504] * 8 + [200] * 16


async def test_a_busy_response_has_retry_after(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/busy") as response:
        assert response.headers["Retry-After"] == "1"
        await problem(response, 503, "busy")


async def test_lines_come_one_by_one(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/receipts", headers=ANA) as response:
        assert response.content_type == "application/x-ndjson"
        assert await response.text() == '{"receipt":1}\n{"receipt":2}\n'


async def test_a_refusal_before_the_first_line_has_its_status(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/refused") as response:
        await problem(response, 404, "not_found")


async def test_lines_that_break_off_cannot_be_taken_for_whole(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/unlucky") as response:
        assert response.status == 200
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
