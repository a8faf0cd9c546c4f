"""A tenant's backend creates, changes and deletes webhooks, within limits that hold under concurrency."""

from __future__ import annotations

import asyncio

import pytest

from api.calling import Caller
from gateway.served_app import ServedApp
from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.glue.event_catalog import EVENTS, WEBHOOK_EVENTS
from webhooks.product import AT, Product
from webhooks.receiver import Receiver

URL = "https://203-0-113-7.example/hook"


async def test_webhook_is_shown_without_its_secret_after_its_creation(product: Product) -> None:
    created = await product.hook(URL, ["message.*", "message.*", "channel.created"], rooms=["r1", "r1"])
    assert created["secret"].startswith("whsec_")
    secret = created.pop("secret")
    assert created["events"] == ["message.*", "channel.created"]
    assert created["rooms"] == ["r1"]
    assert await product.get(created) == created
    assert await product.backend.get(AT) == {"items": [created], "next": None}

    changed = await product.backend.patch(f"{AT}/{created['hookId']}", {"rooms": None, "url": f"{URL}/2"})
    assert (changed["rooms"], changed["url"], changed["events"]) == (None, f"{URL}/2", created["events"])
    disabled = await product.backend.patch(f"{AT}/{created['hookId']}", {"disabled": True})
    assert (disabled["disabled"], disabled["disabledReason"]) == (True, "requested")
    rows = [row async for row in product.app.table.scan(consistent=True) if secret in str(row)]
    assert rows == [], "its own row has the secret encrypted, and no other has it"


async def test_webhooks_are_limited_also_for_concurrent_requests(product: Product) -> None:
    body = {"url": URL, "events": ["*"]}
    replies = await asyncio.gather(*(product.backend.call("POST", AT, body) for _ in range(26)))
    assert sorted(reply.status for reply in replies) == [201] * 20 + [409] * 6
    assert {reply.json["code"] for reply in replies if reply.status == 409} == {"too_many_webhooks"}
    listed = (await product.backend.get(AT))["items"]
    assert len(listed) == 20
    await product.backend.delete(f"{AT}/{listed[0]['hookId']}")
    await product.backend.post(AT, body)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("message.create", "message.created"), ("mesage.*", "message.*"), ("zzz", None), ("typing.started", None)],
)
async def test_unknown_event_is_refused_with_the_nearest_known(
    product: Product, name: str, nearest: str | None
) -> None:
    problem = await product.backend.post(AT, {"url": URL, "events": ["message.created", name]}, expect=422)
    assert problem["code"] == "unknown_event"
    assert problem["unknown"].keys() == {name}
    if nearest is not None:
        assert problem["unknown"][name] == nearest
    created = await product.hook(URL)
    await product.backend.patch(f"{AT}/{created['hookId']}", {"events": [name]}, expect=422)


async def test_every_event_of_changed_rows_can_be_selected_and_no_other(product: Product) -> None:
    names = [event.name for event in WEBHOOK_EVENTS]
    assert {"message.created", "member.joined", "workspace.item.created", "inbox.message"} <= set(names)
    await product.hook(URL, names)
    others = [event.name for event in EVENTS if event.name not in names]
    problem = await product.backend.post(AT, {"url": URL, "events": others}, expect=422)
    assert problem["unknown"].keys() == set(others)


@pytest.mark.parametrize(
    "url",
    ["https://10.0.0.1/", "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://a:b@example.com/"],
)
async def test_url_that_may_not_be_reached_is_refused(product: Product, url: str) -> None:
    problem = await product.backend.post(AT, {"url": url, "events": ["*"]}, expect=422)
    assert problem["code"] == "bad_webhook_url"
    created = await product.hook(URL)
    await product.backend.patch(f"{AT}/{created['hookId']}", {"url": url}, expect=422)


async def test_key_without_the_scope_and_users_are_refused(served: ServedApp, product: Product) -> None:
    key = await served.app.accounts.server_keys.create_key(DEFAULT_TENANT, ["inbox:admin"])
    for caller in (Caller(served.http, key.text), Caller(served.http, product.ana.access_token)):
        await caller.get(AT, expect=403)
        await caller.post(AT, {"url": URL, "events": ["*"]}, expect=403)


async def test_log_is_paged_newest_first(product: Product, receiver: Receiver) -> None:
    hook = await product.hook(receiver.url)
    await product.send("1", "2", "3")
    await receiver.until_accepted("1", "2", "3")
    ids = [received.id for received in receiver.accepted]
    at = f"{AT}/{hook['hookId']}/deliveries"
    first = await product.backend.get(at, limit=2)
    while len(first["items"]) < 2 or first["items"][0]["eventId"] != ids[2]:  # the last may not be recorded yet
        first = await product.backend.get(at, limit=2)
    second = await product.backend.get(at, limit=2, cursor=first["next"])
    assert [entry["eventId"] for entry in first["items"] + second["items"]] == ids[::-1]
    assert first["items"][0].keys() == {
        "eventId", "type", "roomId", "timestamp", "state",
        "error", "nextAttemptAt", "attempts",
    }  # fmt: skip


async def test_metrics_show_attempts_by_outcome_and_what_is_pending(product: Product, receiver: Receiver) -> None:
    receiver.answer = lambda _: 500 if len(receiver.requests) == 1 else 200
    await product.hook(receiver.url)
    await product.send("hello")
    await receiver.until_accepted("hello")
    async with product.served.http.get(f"http://127.0.0.1:{product.served.metrics_port}/metrics") as answer:
        text = await answer.text()
    assert 'sobremesa_webhook_attempts_total{outcome="failed"} 1.0' in text
    assert 'sobremesa_webhook_attempts_total{outcome="delivered"} 1.0' in text
    for name in (
        "sobremesa_webhook_pending",
        "sobremesa_webhook_lag_seconds",
        "sobremesa_webhook_queueing_lag_seconds",
    ):
        assert f"\n{name} " in text
    assert "\nsobremesa_stream_shards 1.0" in text
    assert 'sobremesa_stream_lag_seconds{consumer="webhooks",shard="' in text


async def test_concurrent_rotations_lose_no_secret(product: Product) -> None:
    created = await product.hook(URL)
    at = f"{AT}/{created['hookId']}/rotate"
    replies = await asyncio.gather(*(product.backend.call("POST", at) for _ in range(5)))
    assert {reply.status for reply in replies} <= {200, 409}
    rotated = [reply.json["secret"] for reply in replies if reply.status == 200]
    assert len(set(rotated)) == len(rotated) >= 1
    for reply in replies:
        if reply.status == 409:
            assert reply.json["code"] == "changed_meanwhile"
