"""A product's backend in its own name, over HTTP: it creates rooms for users, and manages who is in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import aiohttp
import pytest

from api.calling import UNKNOWN_ID, Caller, register
from api.running import Server, new_key
from api.test_backend import acting_as, refusal

SCOPES = ("rooms:read", "rooms:write", "users:write", "messages:send")


class Environment(NamedTuple):
    """Three users of a tenant, one of them with an external id, a key of theirs, and a key of another tenant."""

    backend: Caller
    elsewhere: Caller
    reader: Caller
    ana: Caller
    ben: Caller
    ext: str
    ext_id: str


@pytest.fixture
async def env(http: aiohttp.ClientSession, server: Server, fresh: str) -> Environment:
    backend = Caller(http, await new_key(server, *SCOPES))
    created = await backend.put(f"/tenants/default/users/{fresh}", {"displayName": "Cleo"}, expect=201)
    return Environment(
        backend,
        Caller(http, await new_key(server, "admin", tenant=f"t-{fresh}")),
        Caller(http, await new_key(server, "rooms:read")),
        await register(http, f"ana-{fresh}"),
        await register(http, f"ben-{fresh}"),
        f"ext:{fresh}",
        created["userId"],
    )


async def unmanaged(env: Environment, members: str, member: str, role: dict[str, Any]) -> None:
    """Check that keys of another tenant and keys without the scope cannot manage who is in a room."""
    for method, path, body in (("GET", members, None), ("PATCH", member, role), ("DELETE", member, None)):
        assert await refusal(env.elsewhere, method, path, body) == (404, "not_found"), (method, path)
        if method != "GET":
            assert await refusal(env.reader, method, path, body) == (403, "forbidden"), (method, path)


async def roles_in(caller: Caller, members: str, field: str = "role") -> dict[str, str]:
    return {item["userId"]: item[field] for item in (await caller.get(members))["items"]}


async def test_backend_creates_a_server_for_an_owner_and_manages_it(env: Environment) -> None:
    backend, ana, ben = env.backend, env.ana, env.ben
    body = {"name": "Shop", "ownerId": env.ext}
    created = await backend.post("/servers", body)
    assert created["ownerId"] == env.ext_id
    at = f"/servers/{created['serverId']}"
    assert (await backend.get(at))["name"] == "Shop"

    keyed = {"Idempotency-Key": "general"}
    channel = await backend.call("POST", f"{at}/channels", {"name": "general"}, headers=keyed)
    again = await backend.call("POST", f"{at}/channels", {"name": "general"}, headers=keyed)
    assert (channel.status, again.status, again.json) == (201, 201, channel.json)
    staff = await backend.post(f"{at}/channels", {"name": "staff", "access": {"roles": ["admin"]}})
    names = {item["name"] for item in (await backend.get(f"{at}/channels"))["items"]}
    assert names == {"general", "staff"}
    assert (await backend.get(f"/channels/{staff['channelId']}"))["private"] is True

    member = f"{at}/members/{ana.user_id}"
    await backend.put(member, {}, expect=201)
    assert (await backend.patch(member, {"role": "admin"}))["role"] == "admin"
    assert (await ana.get(f"/channels/{staff['channelId']}"))["name"] == "staff"
    assert await roles_in(backend, f"{at}/members") == {env.ext_id: "owner", ana.user_id: "admin"}
    owner = f"{at}/members/{env.ext}"
    assert await refusal(backend, "DELETE", owner) == (403, "rank_too_low")
    assert await refusal(backend, "PATCH", member, {"role": "owner"}) == (403, "rank_too_low")
    await unmanaged(env, f"{at}/members", member, {"role": "member"})
    assert await refusal(env.elsewhere, "POST", f"{at}/channels", {"name": "x"}) == (404, "not_found")
    await backend.delete(member)
    assert await refusal(ana, "GET", at) == (404, "not_found")

    entries = (await backend.call("GET", f"{at}/audit", headers={"Sobremesa-Act-As": env.ext})).json["items"]
    key_id = str(backend.token).split("_")[1]
    kicked = next(entry for entry in entries if entry["action"] == "member.kick")
    assert (kicked["actor"], kicked["target"], kicked["details"]["key"]) == ("system", ana.user_id, key_id)
    assert await refusal(ben, "POST", "/servers", body) == (403, "forbidden")
    assert await refusal(backend, "POST", "/servers", body, acting_as(ana)) == (403, "forbidden")


async def test_rooms_need_users_that_exist(env: Environment) -> None:
    backend, ana, ben = env.backend, env.ana, env.ben
    thread = {"kind": "project", "sellerUserId": ana.user_id}
    for path, body, field in [
        ("/servers", {"name": "Shop"}, "ownerId"),
        ("/workspaces", {"name": "Shop"}, "ownerId"),
        ("/threads", thread, "buyerUserId"),
    ]:
        assert await refusal(backend, "POST", path, body) == (403, "person_needed"), path
        for unknown in (UNKNOWN_ID, "ext:nobody"):
            reply = await backend.call("POST", path, {**body, field: unknown})
            assert (reply.status, reply.json["code"], reply.json["userIds"]) == (422, "unknown_user", [unknown])
        stranger = {**body, field: ben.user_id, "sellerUserId": UNKNOWN_ID} if path == "/threads" else body
        assert await refusal(env.elsewhere, "POST", path, {**stranger, field: ben.user_id}) == (422, "unknown_user")
        assert await refusal(env.reader, "POST", path, {**body, field: ben.user_id}) == (403, "forbidden")
    for body in ({"type": "direct"}, {"type": "group"}):
        named = {**body, "userIds": [ana.user_id, UNKNOWN_ID]}
        reply = await backend.call("POST", "/conversations", named)
        assert (reply.status, reply.json["userIds"]) == (422, [UNKNOWN_ID])
        reply = await env.elsewhere.call("POST", "/conversations", {**body, "userIds": [ana.user_id, ben.user_id]})
        assert (reply.status, reply.json["userIds"]) == (422, [ana.user_id, ben.user_id])
    for users in ([], [ana.user_id], [ana.user_id, ben.user_id, env.ext]):
        assert (await backend.call("POST", "/conversations", {"type": "direct", "userIds": users})).status == 422
    assert (await backend.call("POST", "/conversations", {"type": "group", "userIds": []})).status == 422


async def test_backend_creates_conversations_in_its_own_name_and_manages_them(env: Environment) -> None:
    backend, ana, ben = env.backend, env.ana, env.ben
    pair = {"type": "direct", "userIds": [ana.user_id, env.ext]}
    direct = await backend.post("/conversations", pair)
    assert (direct["createdBy"], direct["participantCount"]) == ("system", 2)
    assert (await backend.call("POST", "/conversations", pair)).status == 200
    own = await ana.call("POST", "/conversations", {"type": "direct", "userIds": [env.ext]})
    assert (own.status, own.json["convoId"]) == (200, direct["convoId"])
    assert own.json["other"]["userId"] == env.ext_id
    fixed = f"/conversations/{direct['convoId']}/participants"
    assert await refusal(backend, "POST", fixed, {"userId": ben.user_id}) == (409, "direct_conversation")

    body = {"type": "group", "userIds": [ana.user_id, env.ext], "name": "Order 17"}
    keyed = {"Idempotency-Key": "order-17"}
    created = await backend.call("POST", "/conversations", body, headers=keyed)
    again = await backend.call("POST", "/conversations", body, headers=keyed)
    group = created.json
    assert (created.status, again.json["convoId"], group["createdBy"]) == (201, group["convoId"], "system")
    at = f"/conversations/{group['convoId']}"
    assert await roles_in(ana, f"{at}/participants") == {ana.user_id: "member", env.ext_id: "member"}
    member = f"{at}/participants/{ben.user_id}"
    assert (await backend.post(f"{at}/participants", {"userId": ben.user_id}))["role"] == "member"
    assert (await backend.patch(member, {"role": "admin"}))["role"] == "admin"
    assert await refusal(backend, "DELETE", member) == (409, "last_admin")
    await unmanaged(env, f"{at}/participants", member, {"role": "member"})
    await backend.patch(f"{at}/participants/{ana.user_id}", {"role": "admin"})
    await backend.delete(member)
    assert await roles_in(backend, f"{at}/participants") == {ana.user_id: "admin", env.ext_id: "member"}
    assert await refusal(ben, "GET", at) == (404, "not_found")
    assert (await backend.get(at))["participantCount"] == 2
    assert await refusal(env.elsewhere, "GET", at) == (404, "not_found")

    owned = await backend.post("/conversations", {**body, "ownerId": ana.user_id})
    assert (owned["createdBy"], owned["role"], owned["participantCount"]) == (ana.user_id, "admin", 2)


async def test_backend_creates_a_thread_between_two_users_and_manages_it(env: Environment) -> None:
    backend, ana, ben = env.backend, env.ana, env.ben
    body = {"kind": "inquiry", "listingId": f"l-{env.ext_id}", "sellerUserId": env.ext, "buyerUserId": ana.user_id}
    thread = await backend.post("/threads", body)
    assert (thread["buyerUserId"], thread["sellerUserId"]) == (ana.user_id, env.ext_id)
    assert (await backend.call("POST", "/threads", body)).status == 200
    at = f"/threads/{thread['threadId']}"
    assert (await backend.get(at))["threadId"] == thread["threadId"]
    added = await backend.post(f"{at}/participants", {"userId": ben.user_id, "roleContext": "seller"})
    assert added["roleContext"] == "seller"
    member = f"{at}/participants/{ben.user_id}"
    blocked = await backend.patch(member, {"blockedUntil": "2099-01-01T00:00:00Z"})
    assert blocked["blockedUntil"] == "2099-01-01T00:00:00.000Z"
    assert await refusal(backend, "PATCH", member, {"muted": True}) == (403, "forbidden")
    assert await refusal(backend, "DELETE", f"{at}/participants/{ana.user_id}") == (409, "party_stays")
    await unmanaged(env, f"{at}/participants", member, {"blockedUntil": None})
    await backend.delete(member)
    roles = await roles_in(backend, f"{at}/participants", "roleContext")
    assert roles == {ana.user_id: "buyer", env.ext_id: "seller"}
    texts = [message["content"] for message in (await ana.get(f"{at}/messages"))["items"]]
    assert texts == ["Was removed from the thread.", "Joined the thread."]


async def test_backend_creates_a_workspace_for_an_owner_and_manages_it(env: Environment) -> None:
    backend, ana, ben = env.backend, env.ana, env.ben
    workspace = await backend.post("/workspaces", {"name": "Kitchen", "ownerId": env.ext})
    at = f"/workspaces/{workspace['workspaceId']}"
    member = f"{at}/members/{ana.user_id}"
    assert await refusal(ana, "PUT", member, {}) == (403, "forbidden")
    added, again = await backend.call("PUT", member, {"role": "admin"}), await backend.call("PUT", member, {})
    assert (added.status, added.json["role"], again.status, again.json) == (201, "admin", 200, added.json)
    assert (await ana.get(at))["workspace"]["name"] == "Kitchen"
    assert await refusal(backend, "PUT", f"{at}/members/{UNKNOWN_ID}", {}) == (404, "not_found")
    assert await refusal(env.elsewhere, "PUT", f"{at}/members/{ben.user_id}", {}) == (404, "not_found")
    await unmanaged(env, f"{at}/members", member, {"role": "member"})

    owner = f"{at}/members/{env.ext}"
    assert await refusal(backend, "DELETE", owner) == (409, "last_owner")
    assert (await backend.patch(member, {"role": "owner"}))["role"] == "owner"
    await backend.delete(owner)
    assert await roles_in(backend, f"{at}/members") == {ana.user_id: "owner"}
    await backend.put(f"{at}/members/{ben.user_id}", {"role": "owner"}, expect=201)
    await ana.delete(member)
    assert await roles_in(ben, f"{at}/members") == {ben.user_id: "owner"}
