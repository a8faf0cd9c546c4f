"""A product's backend over the gateway: a server key that identifies as a user of its tenant."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cheap import CHEAP
from communities.conftest import store
from gateway.conftest import SharedChannel
from gateway.connection import Closed, Connection
from gateway.served_app import ServedApp
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId, Tenant, UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import key_scope
from sobremesa.domains.accounts.server_keys import NewKey
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.live import identify

__all__ = ["store"]  # once on a file and once on DynamoDB's API

REFUSED, MALFORMED, OTHER_USER = 4004, 4002, 4005
EVERYTHING = ("rooms:read", "rooms:write", "users:read", "users:write", "messages:send")
OPERATOR = Actor(key_id=KeyId("operator"), scopes=frozenset({"admin"}))


async def new_key(served: ServedApp, *scopes: str, tenant: str = DEFAULT_TENANT) -> NewKey:
    return await served.app.accounts.server_keys.create_key(Tenant(tenant), scopes or EVERYTHING)


@asynccontextmanager
async def acting(served: ServedApp, key: NewKey, user: str) -> AsyncIterator[Connection]:
    """A socket of a server key that has identified as a user."""
    async with Connection(served.url, key.text, act_as=user) as socket:
        await socket.identify()
        yield socket


async def refusal(served: ServedApp, **d: Any) -> Closed:
    """How a socket is closed that identifies with this payload."""
    async with served.connect() as socket:
        await socket.send(2, d)
        return await socket.closed()


async def user_of(served: ServedApp, external_id: str, tenant: str = DEFAULT_TENANT) -> UserId:
    """Create a user by external id; return their id."""
    key = Actor(tenant=Tenant(tenant), key_id=KeyId("k"), scopes=frozenset({"users:write"}))
    return (await served.app.accounts.upsert_user(key, Tenant(tenant), external_id, UserFields())).user.user_id


async def test_backend_receives_the_events_of_a_user_and_calls_as_them(
    served: ServedApp, shared: SharedChannel
) -> None:
    key, bea = await new_key(served), shared.bea.user.user_id
    async with acting(served, key, bea) as socket, served.connect(shared.ana) as ana:
        assert socket.ready["user"]["userId"] == bea
        assert [server["serverId"] for server in socket.ready["servers"]] == [shared.server_id]
        await served.send(shared.ana, shared.channel_id, "hello")
        assert (await socket.wait_for("message.created"))["content"] == "hello"

        await ana.identify()
        assert bea not in json.dumps(ana.ready["presences"])
        body = {"roomId": shared.channel_id, "content": "from the backend", "nonce": "n1"}
        status, sent = await socket.call("channels.sendMessage", **body)
        assert (status, sent["authorId"]) == (201, bea)
        assert (await ana.wait_for("message.created", content="from the backend"))["authorId"] == bea
        assert (await socket.call("communities.deleteServer", serverId=shared.server_id))[0] == 403
        assert (await socket.call("accounts.getMe"))[1]["userId"] == bea

    page = await served.app.audit.list_entries(
        key_scope(DEFAULT_TENANT, key.key.key_id), since=key.key.created_at, limit=10
    )
    operations = [(entry.target, entry.details["operation"]) for entry in page.items]
    assert operations == [
        (bea, "communities.deleteServer"),
        (bea, "channels.sendMessage"),
        (bea, "gateway.identify"),
    ]


async def test_backend_resumes_as_the_user(served: ServedApp, shared: SharedChannel) -> None:
    user_id = await user_of(served, "customer-17")
    await served.app.communities.members.add(OPERATOR, shared.server_id, user_id)
    key = await new_key(served)
    async with acting(served, key, "ext:customer-17") as first:
        assert first.ready["user"]["externalId"] == "customer-17"
    missed = await served.send(shared.ana, shared.channel_id, "missed")

    async with Connection(served.url, key.text, act_as=user_id) as again:
        events = await again.resume(first)
        # The stream of DynamoDB may repeat an event that was delivered at once, with the same id.
        created = {event["id"]: event["d"]["messageId"] for event in events if event["t"] == "message.created"}
        if not created:
            # The node had not delivered it when the client resumed, so it comes as an event of now.
            created["live"] = (await again.event("message.created"))["d"]["messageId"]
        assert list(created.values()) == [missed]
        assert (await again.call("accounts.getMe"))[1]["userId"] == user_id
    async with Connection(served.url, key.text, act_as=shared.bea.user.user_id) as other:
        assert (await other.frame())["op"] == 10
        d = {"token": key.text, "actAs": shared.bea.user.user_id, "sessionId": first.session_id, "s": first.s}
        await other.send(6, d)
        assert await other.frame() == {"op": 9, "d": False}


async def test_identifying_as_a_user_is_refused_with_the_reason(served: ServedApp, shared: SharedChannel) -> None:
    bea = shared.bea.user.user_id
    everything = (await new_key(served)).text
    stranger = (await new_key(served, "admin", tenant="acme")).text
    await user_of(served, "gone")
    await served.app.accounts.disable_user(OPERATOR, DEFAULT_TENANT, "gone")
    unknown = f"{REFUSED} Some of these users do not exist."
    for d, expected in [
        ({"token": everything}, f"{REFUSED} This requires a user"),
        ({"token": everything, "actAs": "ext:nobody"}, unknown),
        ({"token": everything, "actAs": "a#b"}, unknown),
        ({"token": stranger, "actAs": bea}, unknown),
        ({"token": everything, "actAs": "ext:gone"}, f"{REFUSED} This user is disabled."),
        ({"token": (await new_key(served, "users:read")).text, "actAs": bea}, f"{REFUSED} The scope rooms:read"),
        ({"token": (await new_key(served, "rooms:read")).text, "actAs": bea}, f"{REFUSED} The scope users:read"),
        ({"token": shared.ana.access_token, "actAs": bea}, f"{REFUSED} The scope rooms:read"),
        ({"token": everything, "actAs": ""}, f"{MALFORMED} "),
        ({"token": everything, "actAs": "x" * 201}, f"{MALFORMED} "),
        ({"token": f"{everything}x", "actAs": bea}, f"{REFUSED} The token is not valid."),
    ]:
        assert str(await refusal(served, **d)).startswith(expected), d


async def test_long_poll_as_a_user_needs_the_scopes_of_the_gateway(served: ServedApp, shared: SharedChannel) -> None:
    """It delivers the same events: those of inboxes, too."""
    bea = shared.bea.user.user_id

    async def status_with(*scopes: str) -> int:
        headers = {"Authorization": f"Bearer {(await new_key(served, *scopes)).text}", "Sobremesa-Act-As": bea}
        async with served.http.get("/v1/events", headers=headers) as response:
            return response.status

    assert [await status_with(scope) for scope in ("rooms:read", "users:read")] == [403, 403]
    assert [await status_with("rooms:read", "users:read"), await status_with("admin")] == [200, 200]
    operation = served.app.site().document()["paths"]["/v1/events"]["get"]
    assert "with the scopes `rooms:read` and `users:read` that acts as a user" in operation["description"]


async def test_calls_need_the_scopes_of_their_endpoints(served: ServedApp, shared: SharedChannel) -> None:
    key = await new_key(served, "rooms:read", "users:read")
    async with acting(served, key, shared.ana.user.user_id) as socket:
        assert (await socket.call("communities.getServer", serverId=shared.server_id))[0] == 200
        for name, body in [
            ("channels.sendMessage", {"roomId": shared.channel_id, "content": "Hi"}),
            ("communities.changeServer", {"serverId": shared.server_id, "name": "New"}),
            ("accounts.changeMe", {"displayName": "New"}),
        ]:
            status, problem = await socket.call(name, **body)
            assert (status, problem["code"]) == (403, "forbidden"), name


async def test_identified_socket_stays_with_its_user_and_key(served: ServedApp, shared: SharedChannel) -> None:
    bea, key, second = shared.bea.user.user_id, await new_key(served), await new_key(served)
    async with acting(served, key, bea) as socket:
        await socket.send(2, {"token": key.text, "actAs": bea})
        await socket.wait_for("renewed")
        await socket.send(2, {"token": second.text, "actAs": bea})
        await socket.wait_for("renewed")
        await served.app.accounts.server_keys.revoke_key(key.key.key_id)
        await socket.send(1)
        assert await socket.frame() == {"op": 11}
        await served.app.accounts.server_keys.revoke_key(second.key.key_id)
        assert (await socket.closed()).code == REFUSED
    key = await new_key(served)
    async with acting(served, key, bea) as socket:
        await socket.send(2, {"token": key.text, "actAs": shared.ana.user.user_id})
        assert (await socket.closed()).code == OTHER_USER


@pytest.mark.parametrize("by", ["this process", "another process"])
@pytest.mark.parametrize("end", ["revoke the key", "revoke the user", "disable the user", "delete the user"])
async def test_socket_closes_when_the_key_or_the_user_is_revoked(
    served: ServedApp, store: str, end: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identify, "RECHECK_SECONDS", 3600)  # the change itself must close it, not the check afterwards
    user_id, key = await user_of(served, "customer-17"), await new_key(served)

    async def revoke(app: Sobremesa) -> None:
        accounts = app.accounts
        if end == "revoke the key":
            await accounts.server_keys.revoke_key(key.key.key_id)
        else:
            verbs = {"revoke": accounts.revoke_tokens, "disable": accounts.disable_user, "delete": accounts.delete_user}
            await verbs[end.split(maxsplit=1)[0]](OPERATOR, DEFAULT_TENANT, "customer-17")

    async with acting(served, key, user_id) as socket:
        if by == "this process":
            await revoke(served.app)
        else:
            async with Sobremesa.open(settings=Settings(store=store, **CHEAP), background=False) as elsewhere:
                await revoke(elsewhere)
        assert (await socket.closed()).code == REFUSED
