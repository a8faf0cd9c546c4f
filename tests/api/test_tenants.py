"""A key and an administrator stay in their tenant, over HTTP: every pair of tenants, every door for administrators.

Users of two tenants come by an issuer of their own, those of the default one register here. Each tenant gets a server,
a reported message and a thread; then every key with the scope `admin`, and every administrator, tries each of them.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import aiohttp
import pytest
from joserfc.jwk import ECKey

from api.calling import UNKNOWN_ID, Caller, client_of, register
from api.conftest import store_of
from api.running import Server, grant_admin, new_key, serving
from api.test_jwt import AUDIENCE, BY_FILE, Issuer

TENANTS = ("default", "acme", "globex")
KINDS = ("key", "administrator")


class Product(NamedTuple):
    """A server that takes its users of other tenants from an issuer."""

    server: Server
    issuer: Issuer


class Estate(NamedTuple):
    """What belongs to one tenant."""

    server_id: str
    message_id: str
    case_id: str
    thread_id: str
    lbg_id: str


class Environment(NamedTuple):
    """Everything of every tenant, and who administers it."""

    estates: dict[str, Estate]
    actors: dict[tuple[str, str], Caller]


@pytest.fixture(scope="module")
def product(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("tenants")
    issuer = Issuer(BY_FILE, ECKey.generate_key("P-256", {"kid": "one"}), "ES256")
    known = {
        "issuer": BY_FILE,
        "audience": AUDIENCE,
        "public_key": json.dumps(issuer.key.as_dict(private=False)),
        "tenant_claim": "org",
    }
    with serving(store_of(engine, request), folder / "server.log", issuers=json.dumps([known])) as server:
        yield Product(server, issuer)


@pytest.fixture
async def client(product: Product) -> AsyncIterator[aiohttp.ClientSession]:
    async with client_of(product.server.url) as session:
        yield session


async def user_of(product: Product, http: aiohttp.ClientSession, tenant: str, name: str) -> Caller:
    """A user of a tenant who has been here once."""
    if tenant == "default":
        return await register(http, name)
    caller = Caller(http, product.issuer.token(name, org=tenant))
    caller.user = await caller.get("/users/me")
    return caller


async def estate_of(product: Product, http: aiohttp.ClientSession, tenant: str, word: str) -> Estate:
    """A server with a reported message, and a thread, all of users of one tenant."""
    owner = await user_of(product, http, tenant, f"owner-{tenant}-{word}")
    other = await user_of(product, http, tenant, f"other-{tenant}-{word}")
    server_id = (await owner.post("/servers", {"name": f"The table of {tenant}"}))["serverId"]
    channel_id = (await owner.post(f"/servers/{server_id}/channels", {"name": "general"}))["channelId"]
    code = (await owner.post(f"/servers/{server_id}/invites"))["code"]
    await other.post(f"/invites/{code}/redeem", expect=200)
    sent = await other.post(f"/channels/{channel_id}/messages", {"content": f"buy from {tenant}"})
    at = f"/channels/{channel_id}/messages/{sent['messageId']}"
    await owner.post(f"{at}/report", {"reason": f"spam in {tenant}"}, expect=202)
    body = {"kind": "project", "lbgId": f"lbg-{word}", "sellerUserId": other.user_id}
    thread_id = (await owner.post("/threads", body))["threadId"]
    return Estate(server_id, sent["messageId"], "", thread_id, body["lbgId"])


async def world_of(product: Product, http: aiohttp.ClientSession) -> Environment:
    word = uuid.uuid4().hex[:8]
    actors: dict[tuple[str, str], Caller] = {}
    for tenant in TENANTS:
        actors[tenant, "key"] = Caller(http, await new_key(product.server, "admin", tenant=tenant))
        operator = await user_of(product, http, tenant, f"root-{tenant}-{word}")
        await grant_admin(product.server, operator.name, tenant=tenant)
        actors[tenant, "administrator"] = operator
    estates = {}
    for tenant in TENANTS:
        estate = await estate_of(product, http, tenant, word)
        cases = (await actors[tenant, "key"].get("/moderation/cases"))["items"]
        case = next(case for case in cases if case["messageId"] == estate.message_id)
        estates[tenant] = estate._replace(case_id=case["caseId"])
    await until_granted(actors)
    return Environment(estates, actors)


async def until_granted(actors: dict[tuple[str, str], Caller]) -> None:
    """The right is granted beside the server; a server believes what it read for a second."""
    for tenant in TENANTS:
        for _ in range(200):
            if (await actors[tenant, "administrator"].call("GET", "/admin/servers")).status == 200:
                break
            await asyncio.sleep(0.05)


async def every(caller: Caller, path: str, **query: Any) -> list[dict[str, Any]]:
    """All items of a list, in pages that are small on purpose."""
    items: list[dict[str, Any]] = []
    while True:
        page = await caller.get(path, limit=1, **query)
        items += page["items"]
        if page["next"] is None:
            return items
        query["cursor"] = page["next"]


async def test_tenant_administrators_find_nothing_of_other_tenants(
    product: Product, client: aiohttp.ClientSession
) -> None:
    env = await world_of(product, client)
    got: dict[tuple[str, str, str], set[str]] = {}
    for (own, kind), caller in env.actors.items():
        servers = {server["serverId"] for server in await every(caller, "/admin/servers")}
        cases = {case["caseId"] for case in await every(caller, "/moderation/cases")}
        for tenant, estate in env.estates.items():
            found = {"server"} if estate.server_id in servers else set()
            found |= {"case"} if estate.case_id in cases else set()
            found |= await opened(caller, estate)
            got[own, kind, tenant] = found

    everything = {"server", "case", "getCase", "getThread"}
    assert got == {
        (own, kind, tenant): set()
        if own != tenant
        else everything | ({"listThreads"} if kind == "administrator" else set())
        for own in TENANTS
        for kind in KINDS
        for tenant in TENANTS
    }


async def opened(caller: Caller, estate: Estate) -> set[str]:
    """Which of a tenant's things a caller can open by their ids."""
    found = set()
    if (await caller.call("GET", f"/moderation/cases/{estate.case_id}")).status == 200:
        found.add("getCase")
    if (await caller.call("GET", f"/threads/{estate.thread_id}")).status == 200:
        found.add("getThread")
    listed = await caller.call("GET", "/threads", lbgId=estate.lbg_id)
    if listed.status == 200 and estate.thread_id in {thread["threadId"] for thread in listed.json["items"]}:
        found.add("listThreads")
    return found


async def test_only_the_own_tenant_decides_a_case_and_others_cannot_find_out_that_it_exists(
    product: Product, client: aiohttp.ClientSession
) -> None:
    env = await world_of(product, client)
    for tenant, estate in env.estates.items():
        at = f"/moderation/cases/{estate.case_id}"
        for (own, _), caller in env.actors.items():
            if own == tenant:
                continue
            for method, body in (("GET", None), ("POST", {"decision": "block"})):
                refused = await caller.call(method, at, body)
                nothing = await caller.call(method, f"/moderation/cases/{UNKNOWN_ID}", body)
                assert (refused.status, refused.raw) == (404, nothing.raw)

        assert (await env.actors[tenant, "key"].get(at))["state"] == "open"
        decided = await env.actors[tenant, "administrator"].post(at, {"decision": "approve"}, expect=200)
        assert (decided["state"], decided["decision"]) == ("closed", "approve")
        closed = await every(env.actors[tenant, "key"], "/moderation/cases", state="closed")
        assert estate.case_id in {case["caseId"] for case in closed}


async def test_a_reported_message_is_for_the_moderators_of_its_author(
    product: Product, client: aiohttp.ClientSession, fresh: str
) -> None:
    author = await user_of(product, client, "acme", f"author-{fresh}")
    reporter = await user_of(product, client, "acme", f"reporter-{fresh}")
    server_id = (await reporter.post("/servers", {"name": "Both"}))["serverId"]
    channel_id = (await reporter.post(f"/servers/{server_id}/channels", {"name": "general"}))["channelId"]
    code = (await reporter.post(f"/servers/{server_id}/invites"))["code"]
    await author.post(f"/invites/{code}/redeem", expect=200)
    message = await author.post(f"/channels/{channel_id}/messages", {"content": "buy"})
    at = f"/channels/{channel_id}/messages/{message['messageId']}"
    await reporter.post(f"{at}/report", {"reason": "spam"}, expect=202)

    queues = {}
    for tenant in TENANTS:
        key = Caller(client, await new_key(product.server, "admin", tenant=tenant))
        queues[tenant] = {case["messageId"] for case in await every(key, "/moderation/cases")}

    assert [tenant for tenant in TENANTS if message["messageId"] in queues[tenant]] == ["acme"]


async def test_a_name_of_another_tenant_is_neither_found_nor_mentioned(
    product: Product, client: aiohttp.ClientSession, fresh: str
) -> None:
    zoe = await user_of(product, client, "acme", f"zoe-{fresh}")
    ana, ben = [await user_of(product, client, "globex", f"{name}-{fresh}") for name in ("ana", "ben")]
    group = await ana.post("/conversations", {"type": "group", "userIds": [ben.user_id]})

    content = f"@{zoe.name} and @{ben.name}"
    sent = await ana.post(f"/conversations/{group['convoId']}/messages", {"content": content})
    assert sent["mentions"] == [ben.user_id]
    at = f"/conversations/{group['convoId']}/messages/{sent['messageId']}"
    assert (await ana.patch(at, {"content": f"@{zoe.name}"}))["mentions"] == []
    assert (await ana.get("/users", username=zoe.name))["items"] == []
    assert [user["userId"] for user in (await ana.get("/users", username=ben.name))["items"]] == [ben.user_id]


async def test_a_token_of_a_known_user_that_names_another_tenant_is_refused(
    product: Product, client: aiohttp.ClientSession, fresh: str
) -> None:
    subject = f"zoe-{fresh}"
    user = await user_of(product, client, "acme", subject)
    moved = Caller(client, product.issuer.token(subject, org="globex"))

    for path in ("/users/me", "/tenants/globex/inboxes/news/messages", "/tenants/acme/inboxes/news/messages"):
        assert (await moved.call("GET", path)).status == 401

    assert (await user.get("/users/me"))["tenant"] == "acme"
    await user.get("/tenants/acme/inboxes/news/messages")
