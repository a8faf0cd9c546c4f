"""A product's backend over HTTP: a server key that acts as users of its tenant, and in its own name."""

from __future__ import annotations

from typing import Any, NamedTuple

import aiohttp
import pytest

from api.calling import UNKNOWN_ID, Caller, register
from api.running import Server, grant_admin, new_key

EVERYTHING = ("users:read", "users:write", "rooms:read", "rooms:write", "messages:send", "messages:moderate")


class Room(NamedTuple):
    """A room with a member, by its path and its id."""

    path: str
    member: Caller


@pytest.fixture
async def ana(http: aiohttp.ClientSession, fresh: str) -> Caller:
    return await register(http, f"ana-{fresh}")


@pytest.fixture
async def ben(http: aiohttp.ClientSession, fresh: str) -> Caller:
    return await register(http, f"ben-{fresh}")


@pytest.fixture
async def backend(http: aiohttp.ClientSession, server: Server) -> Caller:
    return Caller(http, await new_key(server, *EVERYTHING))


def acting_as(user: Caller) -> dict[str, str]:
    return {"Sobremesa-Act-As": user.user_id}


async def refusal(
    caller: Caller, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, str]:
    """The status and the code of a request that is refused."""
    reply = await caller.call(method, path, body, headers=headers)
    return reply.status, reply.json["code"]


async def a_conversation(ana: Caller, ben: Caller) -> str:
    group = await ana.post("/conversations", {"type": "group", "userIds": [ben.user_id], "name": "Order 17"})
    return f"/conversations/{group['convoId']}"


async def a_channel(ana: Caller) -> str:
    server = await ana.post("/servers", {"name": "Shop"})
    channel = await ana.post(f"/servers/{server['serverId']}/channels", {"name": "general"})
    return f"/channels/{channel['channelId']}"


async def a_thread(ana: Caller, ben: Caller) -> str:
    thread = await ana.post("/threads", {"kind": "inquiry", "sellerUserId": ben.user_id, "listingId": "l-17"})
    return f"/threads/{thread['threadId']}"


async def test_backend_acts_as_a_user_with_the_rights_of_that_user(backend: Caller, ana: Caller, ben: Caller) -> None:
    created = await backend.call("POST", "/servers", {"name": "Shop"}, headers=acting_as(ana))
    assert created.status == 201
    assert created.json["ownerId"] == ana.user_id

    server = f"/servers/{created.json['serverId']}"
    assert (await ana.get(server))["name"] == "Shop"
    assert await refusal(backend, "GET", server, headers=acting_as(ben)) == (404, "not_found")
    me = await backend.call("GET", "/users/me", headers=acting_as(ben))
    assert me.json["userId"] == ben.user_id


async def test_message_of_a_backend_that_acts_as_a_user_is_a_message_of_that_user(
    backend: Caller, ana: Caller, ben: Caller
) -> None:
    room = await a_conversation(ana, ben)
    body = {"content": "Where is my parcel?", "nonce": "ticket-17"}
    first = await backend.call("POST", f"{room}/messages", body, headers=acting_as(ben))
    again = await backend.call("POST", f"{room}/messages", body, headers=acting_as(ben))
    assert (first.status, again.status) == (201, 200)

    [message] = (await ana.get(f"{room}/messages"))["items"]
    assert (message["authorId"], message["type"]) == (ben.user_id, "text")
    assert (await ana.get(f"{room}/unread"))["count"] == 1
    assert (await backend.call("GET", f"{room}/unread", headers=acting_as(ben))).json["count"] == 0


async def test_acting_as_a_user_needs_the_scope_of_the_endpoint(
    http: aiohttp.ClientSession, server: Server, ana: Caller, ben: Caller
) -> None:
    room = await a_conversation(ana, ben)
    reader = Caller(http, await new_key(server, "rooms:read"))
    assert (await reader.call("GET", room, headers=acting_as(ana))).status == 200
    for method, path, body in [
        ("POST", f"{room}/messages", {"content": "Hi"}),
        ("PATCH", room, {"name": "New"}),
        ("GET", "/users/me", None),
        ("PATCH", "/users/me", {"username": "other"}),
    ]:
        assert await refusal(reader, method, path, body, acting_as(ana)) == (403, "forbidden"), path
    assert (await ana.get(room))["name"] == "Order 17"


async def test_only_a_server_key_can_act_as_a_user(server: Server, ana: Caller, ben: Caller) -> None:
    assert await refusal(ana, "GET", "/users/me", headers=acting_as(ben)) == (403, "forbidden")
    await grant_admin(server, ana.name)
    assert await refusal(ana, "GET", "/users/me", headers=acting_as(ben)) == (403, "forbidden")


@pytest.mark.parametrize("reference", [UNKNOWN_ID, "ext:nobody", "a#b", "ext:a#b", "ext:"])
async def test_acting_as_an_unknown_user_is_refused_by_name(backend: Caller, reference: str) -> None:
    reply = await backend.call("GET", "/users/me", headers={"Sobremesa-Act-As": reference})
    assert (reply.status, reply.json["code"], reply.json["userIds"]) == (422, "unknown_user", [reference])


@pytest.mark.parametrize("header", ["", "x" * 201])
async def test_malformed_header_is_refused(backend: Caller, header: str) -> None:
    assert await refusal(backend, "GET", "/users/me", headers={"Sobremesa-Act-As": header}) == (422, "invalid")


async def test_key_of_another_tenant_cannot_act_as_a_user(
    http: aiohttp.ClientSession, server: Server, ana: Caller, ben: Caller
) -> None:
    stranger = Caller(http, await new_key(server, "admin", tenant="elsewhere"))
    room = await a_conversation(ana, ben)
    assert await refusal(stranger, "GET", room, headers=acting_as(ana)) == (422, "unknown_user")
    for method, path, body in [
        ("GET", f"{room}/messages", None),
        ("POST", f"{room}/messages", {"content": "Hi", "system": True}),
    ]:
        assert await refusal(stranger, method, path, body) == (404, "not_found")


async def test_acting_as_a_disabled_user_is_refused(backend: Caller, fresh: str) -> None:
    at = f"/tenants/default/users/{fresh}"
    await backend.put(at, {"displayName": "Ana"}, expect=201)
    as_user = {"Sobremesa-Act-As": f"ext:{fresh}"}
    assert (await backend.call("GET", "/users/me", headers=as_user)).json["displayName"] == "Ana"
    await backend.post(f"{at}/disable", expect=200)
    assert await refusal(backend, "GET", "/users/me", headers=as_user) == (403, "forbidden")


async def test_external_ids_are_accepted_wherever_user_ids_are(backend: Caller, ana: Caller, fresh: str) -> None:
    at = f"/tenants/default/users/{fresh}"
    user_id = (await backend.put(at, {}, expect=201))["userId"]
    assert (await ana.get(f"/users/ext:{fresh}"))["userId"] == user_id
    group = await ana.post("/conversations", {"type": "group", "userIds": [f"ext:{fresh}"], "name": "Order 17"})
    room = f"/conversations/{group['convoId']}"
    participants = (await ana.get(f"{room}/participants"))["items"]
    assert {one["userId"] for one in participants} == {ana.user_id, user_id}
    assert (await ana.get("/presence", userIds=f"{ana.user_id},ext:{fresh}"))["items"][1]["userId"] == user_id
    await ana.delete(f"{room}/participants/ext:{fresh}")

    await ana.get("/users/ext:nobody", expect=404)
    unknown = {"type": "group", "userIds": ["ext:nobody", f"ext:{fresh}", "ext:no#body"]}
    refused = await ana.post("/conversations", unknown, expect=422)
    assert (refused["code"], refused["userIds"]) == ("unknown_user", ["ext:nobody", "ext:no#body"])


async def test_administrator_rights_need_the_scope_admin(
    http: aiohttp.ClientSession, server: Server, backend: Caller, ana: Caller
) -> None:
    await grant_admin(server, ana.name)
    assert await refusal(backend, "GET", "/admin/servers", headers=acting_as(ana)) == (403, "forbidden")
    operator = Caller(http, await new_key(server, "admin"))
    assert (await operator.call("GET", "/admin/servers", headers=acting_as(ana))).status == 200


async def test_writes_of_a_backend_that_acts_as_a_user_are_audited(
    http: aiohttp.ClientSession, server: Server, backend: Caller, ana: Caller, ben: Caller
) -> None:
    room = await a_conversation(ana, ben)
    await backend.call("GET", room, headers=acting_as(ana))
    await backend.call("PATCH", room, {"name": "Order 18"}, headers=acting_as(ana))
    key_id = str(backend.token).split("_")[1]
    operator = Caller(http, await new_key(server, "admin"))
    [entry] = (await operator.get("/tenants/default/audit", keyId=key_id))["items"]
    assert (entry["actor"], entry["action"], entry["target"]) == (key_id, "act_as", ana.user_id)
    assert entry["details"] == {"operation": "conversations.changeConversation"}
    created = (await operator.get("/tenants/default/audit"))["items"]
    assert {"key.create"} <= {entry["action"] for entry in created}
    assert await refusal(backend, "GET", "/tenants/default/audit") == (403, "forbidden")
    assert await refusal(operator, "GET", "/tenants/elsewhere/audit") == (404, "not_found")


async def test_server_key_without_a_user_is_refused_where_one_is_needed(backend: Caller) -> None:
    for method, path in [("GET", "/users/me"), ("GET", "/servers"), ("GET", f"/channels/{UNKNOWN_ID}/unread")]:
        assert await refusal(backend, method, path) == (403, "person_needed")


@pytest.mark.parametrize("kind", ["channel", "conversation", "thread"])
async def test_backend_sends_a_system_message_into_every_kind_of_room(
    kind: str, backend: Caller, ana: Caller, ben: Caller
) -> None:
    room = {
        "channel": await a_channel(ana),
        "conversation": await a_conversation(ana, ben),
        "thread": await a_thread(ana, ben),
    }[kind]
    body = {"content": "Your order has shipped", "system": True, "nonce": "shipped-17"}
    sent = await backend.post(f"{room}/messages", body)
    assert (sent["type"], sent["authorId"], sent["username"]) == ("system", "system", "system")
    again = await backend.call("POST", f"{room}/messages", body)
    assert (again.status, again.json["messageId"]) == (200, sent["messageId"])

    newest = (await ana.get(f"{room}/messages"))["items"][0]
    assert (newest["content"], newest["type"]) == ("Your order has shipped", "system")
    assert newest == (await backend.get(f"{room}/messages"))["items"][0]
    assert (await ana.get(f"{room}/unread"))["count"] == 0


async def test_only_a_backend_sends_system_messages(backend: Caller, ana: Caller, ben: Caller) -> None:
    room = await a_conversation(ana, ben)
    body = {"content": "Your order has shipped", "system": True}
    assert await refusal(ana, "POST", f"{room}/messages", body) == (403, "forbidden")
    assert await refusal(backend, "POST", f"{room}/messages", body, acting_as(ana)) == (403, "forbidden")
    assert await refusal(backend, "POST", f"{room}/messages", {"content": "Hi"}) == (403, "person_needed")


async def test_backend_moderates_in_its_own_name(
    http: aiohttp.ClientSession, server: Server, ana: Caller, ben: Caller
) -> None:
    room = await a_channel(ana)
    message = await ana.post(f"{room}/messages", {"content": "Buy my coins"})
    path = f"{room}/messages/{message['messageId']}"
    sender = Caller(http, await new_key(server, "messages:send", "rooms:read"))
    moderator = Caller(http, await new_key(server, "messages:moderate"))
    assert await refusal(sender, "DELETE", path) == (403, "forbidden")
    assert await refusal(moderator, "GET", path) == (403, "forbidden")
    await moderator.delete(path)
    assert (await sender.get(path))["deleted"] is True


async def test_backend_adds_members_without_an_invite(backend: Caller, ana: Caller, ben: Caller) -> None:
    server_id = (await ana.post("/servers", {"name": "Shop"}))["serverId"]
    member = f"/servers/{server_id}/members/{ben.user_id}"
    added = await backend.call("PUT", member, {"role": "moderator"})
    again = await backend.call("PUT", member)
    assert (added.status, added.json["role"]) == (201, "moderator")
    assert (again.status, again.json["role"]) == (200, "moderator")
    assert (await ben.get(f"/servers/{server_id}"))["name"] == "Shop"

    await ana.put(f"/servers/{server_id}/bans/{ben.user_id}", {})
    assert await refusal(backend, "PUT", member) == (403, "banned")
    assert await refusal(backend, "PUT", f"/servers/{server_id}/members/{UNKNOWN_ID}") == (404, "not_found")
    assert await refusal(backend, "PUT", f"/servers/{UNKNOWN_ID}/members/{ben.user_id}") == (404, "not_found")
    assert await refusal(ana, "PUT", member) == (403, "forbidden")
