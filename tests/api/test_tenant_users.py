"""The routes of a tenant's users, over HTTP: batches and their bounds, other tenants, revoked and disabled users."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from api.calling import UNKNOWN_ID, Caller, Reply, register
from api.running import Server, grant_admin, new_key
from sobremesa.domains.accounts.user_batches import MAX_LINE_BYTES, MAX_LINES

ROUTES = (
    ("PUT", "", {"displayName": "Ana"}),
    ("GET", "", None),
    ("DELETE", "", None),
    ("POST", "/disable", None),
    ("POST", "/enable", None),
    ("POST", "/revoke", None),
    ("GET", "/unread", None),
)


@pytest.fixture
async def backend(server: Server, http: aiohttp.ClientSession) -> Caller:
    return Caller(http, await new_key(server, "users:write", "users:read"))


def results(reply: Reply) -> list[dict[str, Any]]:
    assert (reply.status, reply.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in reply.raw.splitlines()]


def body(*lines: Any) -> bytes:
    return b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)


async def batch(caller: Caller, raw: bytes, tenant: str = "default") -> Reply:
    return await caller.call("POST", f"/tenants/{tenant}/users:batch", raw)


async def test_batch_of_a_thousand_is_answered_line_by_line(backend: Caller, fresh: str) -> None:
    lines = [{"externalId": f"{fresh}-{number}", "displayName": f"No. {number}"} for number in range(MAX_LINES)]
    got = results(await batch(backend, body(*lines)))
    assert [(each["line"], each["externalId"], each["status"]) for each in got] == [
        (number + 1, line["externalId"], 201) for number, line in enumerate(lines)
    ]
    assert len({each["userId"] for each in got}) == MAX_LINES
    again = results(await batch(backend, body(*lines[:10])))
    assert [(each["status"], each["userId"]) for each in again] == [(200, each["userId"]) for each in got[:10]]


async def test_bad_lines_are_refused_one_by_one(backend: Caller, fresh: str) -> None:
    good = {"externalId": f"{fresh}-good"}
    raw = body(
        b"{",
        {"displayName": "nobody"},
        {"externalId": "a#b"},
        {"externalId": f"{fresh}-x", "timezone": "UTC"},
        {"externalId": f"{fresh}-y", "locale": "not a locale"},
        b"\xff\xfe",
        b'{"externalId": "' + b"x" * MAX_LINE_BYTES + b'"}',
        b"",
        good,
        b"[" * 5000,
    )
    got = results(await batch(backend, raw))
    assert [(each["line"], each["status"]) for each in got] == [
        (1, 400), (2, 422), (3, 422), (4, 422), (5, 422), (6, 400), (7, 413), (9, 201), (10, 422),
    ]  # fmt: skip
    for each in got:
        assert ("error" in each) == (each["status"] >= 400)
    assert "#/timezone" in got[3]["error"]["detail"]


async def test_batch_above_a_limit_changes_nothing(backend: Caller, fresh: str) -> None:
    lines = [{"externalId": f"{fresh}-{number}"} for number in range(MAX_LINES + 1)]
    refused = await batch(backend, body(*lines))
    assert (refused.status, refused.json["code"], refused.json["limit"]) == (413, "too_large", MAX_LINES)
    await backend.get(f"/tenants/default/users/{fresh}-0", expect=404)
    assert (await batch(backend, body(lines[0]) + b"\n" * 500_000)).status == 413
    await backend.get(f"/tenants/default/users/{fresh}-0", expect=404)
    assert results(await batch(backend, b"\n\n")) == []


async def test_another_tenant_gets_nothing_and_cannot_find_out_what_exists(
    server: Server, http: aiohttp.ClientSession, backend: Caller, fresh: str
) -> None:
    await backend.put(f"/tenants/default/users/{fresh}", {"username": f"u-{fresh}"}, expect=201)
    rival = Caller(http, await new_key(server, "admin", "users:write", "users:read", tenant="rival"))
    for method, path, sent in ROUTES:
        refused = await rival.call(method, f"/tenants/default/users/{fresh}{path}", sent)
        nothing = await rival.call(method, f"/tenants/default/users/{fresh}-not{path}", sent)
        assert (refused.status, refused.raw) == (404, nothing.raw), (method, path)
    assert (await batch(rival, body({"externalId": fresh}))).status == 404
    user = await rival.put(f"/tenants/rival/users/{fresh}", {"username": f"u-{fresh}"}, expect=201)

    ana = await register(http, f"ana-{fresh}")
    await ana.get(f"/users/{user['userId']}", expect=404)
    await ana.put(f"/users/me/blocks/{user['userId']}", expect=404)
    [found] = (await ana.get("/users", username=f"u-{fresh}"))["items"]
    assert found["userId"] != user["userId"]


async def test_email_of_the_backend_is_no_login(http: aiohttp.ClientSession, backend: Caller, fresh: str) -> None:
    email = f"{fresh}@example.com"
    outcome = await backend.put(f"/tenants/default/users/{fresh}", {"email": email}, expect=201)
    assert outcome["email"] == email
    sign_in = {"email": email, "password": "correct horse battery"}
    assert (await Caller(http).post("/auth/login", sign_in, expect=401))["code"] == "bad_credentials"
    await Caller(http).post("/auth/register", sign_in | {"username": f"r-{fresh}"})


async def test_null_removes_a_value_but_not_the_username(backend: Caller, fresh: str) -> None:
    at = f"/tenants/default/users/{fresh}"
    full = {"displayName": "Ana", "email": "a@b.example", "data": {"x": [1, 2.5, "three", None]}, "locale": "de"}
    outcome = await backend.put(at, full, expect=201)
    assert outcome["data"] == full["data"]
    cleared = await backend.put(at, dict.fromkeys(full))
    assert {name: cleared[name] for name in full} == dict.fromkeys(full)
    refused = await backend.put(at, {"username": None}, expect=422)
    assert refused["errors"][0]["pointer"] == "#/username"
    assert (await backend.put(f"/tenants/default/users/{'x' * 129}", {}, expect=422))["code"] == "invalid"


async def test_user_who_registered_here_gets_an_external_id(
    server: Server, http: aiohttp.ClientSession, backend: Caller, fresh: str
) -> None:
    ana, ben = await register(http, f"ana-{fresh}"), await register(http, f"ben-{fresh}")
    at = f"/tenants/default/users/{fresh}"
    linked = await backend.put(at, {"userId": ana.user_id, "displayName": "Ana Ruiz"})
    assert (linked["userId"], linked["externalId"], linked["displayName"]) == (ana.user_id, fresh, "Ana Ruiz")
    assert linked["username"] == ana.name
    again = await backend.put(at, {"userId": f"ext:{fresh}", "locale": "de"})
    assert (again["userId"], again["locale"]) == (ana.user_id, "de")
    assert (await ana.get("/users/me"))["externalId"] == fresh
    assert (await ben.get(f"/users/ext:{fresh}"))["userId"] == ana.user_id

    assert (await backend.put(at, {"userId": ben.user_id}, expect=409))["code"] == "external_id_taken"
    assert (await backend.put(f"{at}-2", {"userId": ana.user_id}, expect=409))["code"] == "has_external_id"
    rival = Caller(http, await new_key(server, "admin", tenant=f"t-{fresh}"))
    for caller, path, user_id in [
        (backend, f"{at}-2", UNKNOWN_ID),
        (backend, f"{at}-2", "a#b"),
        (rival, f"/tenants/t-{fresh}/users/{fresh}", ben.user_id),
    ]:
        refused = await caller.put(path, {"userId": user_id}, expect=422)
        assert (refused["code"], refused["userIds"]) == ("unknown_user", [user_id])
        await caller.get(path, expect=404)
    refused = await backend.put(f"{at}-2", {"userId": ben.user_id, "username": ana.name}, expect=409)
    assert refused["code"] == "username_taken"
    await backend.get(f"{at}-2", expect=404)
    await grant_admin(server, ben.name)
    assert (await backend.put(f"{at}-2", {"userId": ben.user_id}, expect=403))["scope"] == "admin"
    operator = Caller(http, await new_key(server, "admin"))
    await operator.put(f"{at}-2", {"userId": ben.user_id})

    await backend.delete(at)
    cleo = await register(http, f"cleo-{fresh}")
    assert (await backend.put(at, {"userId": cleo.user_id}))["userId"] == cleo.user_id
    [line] = results(await batch(backend, body({"externalId": f"{fresh}-3", "userId": cleo.user_id})))
    assert (line["status"], line["error"]["code"]) == (409, "has_external_id")
    actions = [entry["action"] for entry in (await operator.get("/tenants/default/audit", limit=100))["items"]]
    assert "user.link" in actions


async def test_one_of_concurrent_links_wins(http: aiohttp.ClientSession, backend: Caller, fresh: str) -> None:
    ana, ben = await register(http, f"ana-{fresh}"), await register(http, f"ben-{fresh}")
    at = f"/tenants/default/users/{fresh}"
    replies = await asyncio.gather(
        *(backend.call("PUT", f"{at}-{number}", {"userId": ana.user_id}) for number in range(4)),
        *(backend.call("PUT", f"{at}-{number}", {"userId": ben.user_id}) for number in range(4)),
    )
    assert {reply.status for reply in replies} == {200, 409}
    for user in (ana, ben):
        linked = [reply.json for reply in replies if reply.json.get("userId") == user.user_id]
        assert [each["externalId"] for each in linked] == [(await user.get("/users/me"))["externalId"]]
