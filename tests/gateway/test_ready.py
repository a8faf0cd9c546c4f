"""The ready snapshot: it is as documented, and every row is read once, however many servers and channels there are."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from communities.environment import requests
from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.threads.service import NewThread
from sobremesa.glue import ready_snapshot
from sobremesa.glue.event_catalog import EVENTS
from sobremesa.live.asyncapi import document
from sobremesa.live.subscriber import Subscriber


async def test_ready_is_as_documented_and_its_lists_are_those_of_the_api(
    served: ServedApp, shared: SharedChannel
) -> None:
    ana, bea = shared.ana, shared.bea
    await served.send(ana, shared.channel_id, "hello")
    await served.app.conversations.create_direct(ana.actor, bea.actor.user_id)
    await served.app.threads.create(bea.actor, NewThread("project", ana.actor.user_id))
    await served.app.workspaces.create(bea.actor, name="Pantry")
    admin = Actor(key_id=KeyId("shop"), scopes=frozenset({"inbox:admin"}), tenant=Tenant("default"))
    await served.app.inboxes.set_inbox(
        admin, Tenant("default"), InboxKey("news"), title="News", description=None, ttl={}
    )

    async with served.connect(bea) as connection:
        ready = await connection.identify()

    assert misfits(ready) == []
    assert all(ready[name] for name in ("servers", "conversations", "threads", "inboxes", "workspaces"))
    assert ready["user"] == await served.get(bea, "/users/me")
    for name in ("conversations", "threads", "workspaces"):
        assert ready[name] == (await served.get(bea, f"/{name}"))["items"]
    [server] = (await served.get(bea, "/servers"))["items"]
    [channel] = (await served.get(bea, f"/servers/{shared.server_id}/channels"))["items"]
    assert server.items() <= ready["servers"][0].items()
    assert channel.items() <= ready["servers"][0]["channels"][0].items()
    counts = await served.get(bea, "/tenants/default/inboxes/news/counts")
    names = {"tenant": "default", "inbox": "news", "title": "News", "description": None}
    assert ready["inboxes"] == [counts | names]


def misfits(ready: Any) -> list[str]:
    """What in a `ready` the AsyncAPI document does not have, or has otherwise."""
    components = document(EVENTS, title="Tests", version="1", server_url="http://127.0.0.1")["components"]
    for schema in components["schemas"].values():
        if "properties" in schema:
            schema["additionalProperties"] = False
    validator = jsonschema_rs.validator_for({"$ref": "#/components/schemas/Ready", "components": components})
    return [error.message for error in validator.iter_errors(ready)]


async def test_each_server_costs_a_ready_one_query_and_one_batch(served: ServedApp, shared: SharedChannel) -> None:
    async def cost() -> tuple[int, int]:
        with requests(served.app) as asked:
            async with served.connect(shared.dora) as dora:
                ready = await dora.identify()
        assert all(len(server["channels"]) == 2 for server in ready["servers"])
        return asked["query"], asked["batch_get"]

    async def server() -> None:
        server_id = await served.server(shared.ana, shared.dora)
        for name in ("one", "two"):
            await served.channel(shared.ana, server_id, name)

    await server()
    before = await cost()
    await server()
    await server()
    after = await cost()

    assert after[0] - before[0] <= 2
    assert after[1] - before[1] <= 2


async def test_ready_counts_unread_messages_in_a_bounded_number_of_channels(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready_snapshot, "COUNTED_CHANNELS", 2)
    channels = [
        shared.channel_id,
        *[await served.channel(shared.ana, shared.server_id, name) for name in ("b", "c", "d")],
    ]
    for channel_id in channels[:3]:
        for text in ("one", "two"):
            await served.send(shared.ana, channel_id, text)

    async with served.connect(shared.bea) as bea:
        [server] = (await bea.identify())["servers"]

    counts = sorted((each["unread"]["count"], each["unread"]["capped"]) for each in server["channels"])
    assert counts == [(0, False), (1, True), (2, False), (2, False)]


async def test_user_who_goes_online_between_the_snapshot_and_the_subscription_is_published(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, ana_id = served.app.live.hub, shared.ana.user.user_id
    attach = hub.attach
    async with (
        served.connect(shared.carl) as carl,
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
    ):
        await carl.identify()

        async def attach_late(subscriber: Subscriber, *rest: Any) -> Any:
            """Attach Bea, whose snapshot was sent, only after Ana was published as online."""
            if subscriber.user_id == shared.bea.user.user_id:
                await ana.identify()
                await carl.wait_for("presence.updated", userId=ana_id)
            return await attach(subscriber, *rest)

        monkeypatch.setattr(hub, "attach", attach_late)
        ready = await bea.identify()

        assert ana_id not in [presence["userId"] for presence in ready["presences"]]
        assert (await bea.wait_for("presence.updated", userId=ana_id))["status"] == "online"
