"""Events of every kind of room and of users reach the webhooks of their tenant, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.served_app import ServedApp
from sobremesa.core.actor import DEFAULT_TENANT, Actor, Tenant
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.threads.service import NewThread
from sobremesa.domains.webhooks import delivery, held_queue
from sobremesa.domains.webhooks.payloads import MAX_BODY_BYTES, body_of
from sobremesa.domains.webhooks.retries import LONGEST_SECONDS, endpoint_pause, pause_after
from sobremesa.live.events import Event, server
from sobremesa.rooms.sending import Draft
from webhooks.product import Product, backend_of
from webhooks.receiver import Receiver

NEWS = InboxKey("news")
NOTICE = Notice(sender="shop", title="News", body="Something new")


async def test_events_of_every_kind_reach_their_tenant_only(
    served: ServedApp, product: Product, receiver: Receiver
) -> None:
    rival = await backend_of(served, Tenant("rival"))
    await rival.post("/tenants/rival/webhooks", {"url": f"{receiver.url}/rival", "events": ["*"]})
    await product.hook(f"{receiver.url}/own", ["*"])
    app, ana = product.app, product.ana.actor
    ben = (await served.create_user("ben")).actor
    key = Actor(tenant=DEFAULT_TENANT, scopes=frozenset({"inbox:publish"}))

    group = (await app.conversations.create_group(ana, [ben.user_id], name="Lunch")).conversation_id
    await app.conversations.send(ana, group, Draft("in a conversation"))
    thread = (await app.threads.create(ana, NewThread("project", ben.user_id))).listed.thread.room_id
    await app.threads.send(ana, thread, Draft("in a thread"))
    workspace = (await app.workspaces.create(ana, name="A kitchen")).workspace
    await app.workspaces.items.create(ana, workspace.workspace_id, title="Coffee")
    await app.inboxes.publish_to_users(key, DEFAULT_TENANT, NEWS, NOTICE, [ben.user_id])
    await app.inboxes.publish_to_everyone(key, DEFAULT_TENANT, NEWS, NOTICE)
    await app.accounts.change_profile(ana, username="anna")

    def found() -> set[tuple[str, Any]]:
        return {(each.type, _about(each.body)) for each in receiver.accepted if each.path == "/own"}

    expected = {
        ("conversation.created", group),
        ("message.created", "in a conversation"),
        ("thread.created", thread),
        ("message.created", "in a thread"),
        ("workspace.created", workspace.workspace_id),
        ("workspace.item.created", "Coffee"),
        ("inbox.message", ben.user_id),
        ("inbox.message", None),
        ("inbox.counts", ben.user_id),
        ("user.updated", "anna"),
    }
    await receiver.until(lambda: expected <= found())
    assert [each for each in receiver.requests if each.path == "/rival"] == []


def _about(body: dict[str, Any]) -> Any:
    data = body["data"]
    if body["type"].startswith("inbox."):
        return body.get("userId")
    names = ("content", "title", "username", "convoId", "threadId", "workspaceId")
    return next((data[name] for name in names if data.get(name)), None)


async def test_event_of_a_large_row_is_sent_with_its_ids_only(product: Product, receiver: Receiver) -> None:
    hook = await product.hook(receiver.url, ["workspace.item.created"])
    workspace_id = (await product.app.workspaces.create(product.ana.actor, name="A kitchen")).workspace.workspace_id
    large = {"text": "x" * (MAX_BODY_BYTES + 1)}
    item = await product.app.workspaces.items.create(product.ana.actor, workspace_id, title="Large", data=large)
    await receiver.until(lambda: len(receiver.accepted) == 1)
    body = receiver.accepted[0].verify(hook["secret"])
    assert body["truncated"] is True
    assert len(receiver.accepted[0].raw) < 1000
    assert (body["data"]["workspaceId"], body["data"]["itemId"]) == (workspace_id, item.item_id)


async def test_room_with_a_long_backlog_does_not_hold_up_others(
    product: Product, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_queue, "MAX_HELD_OF_ROOM", 2)
    monkeypatch.setattr(held_queue, "MAX_HELD", 4)
    is_closed = True
    receiver.answer = lambda received: 503 if received.content.startswith("a") and is_closed else 200
    await product.hook(receiver.url)
    await product.send(*(f"a{number}" for number in range(12)))
    await product.send(*(f"b{number}" for number in range(6)), room=1)
    await receiver.until_accepted(*(f"b{number}" for number in range(6)))
    is_closed = False
    await receiver.until(lambda: len(receiver.accepted) == 18)
    assert [each.content for each in receiver.accepted[6:]] == [f"a{number}" for number in range(12)]


async def test_endpoint_at_which_everything_fails_is_left_alone_for_a_while(
    product: Product, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[int] = []

    def pause(failed_passes: int) -> float:
        pauses.append(failed_passes)
        return 0.05

    monkeypatch.setattr(delivery, "FAILURES_A_PASS", 1)
    monkeypatch.setattr(delivery, "endpoint_pause", pause)
    receiver.answer = lambda _: 503 if len(receiver.requests) <= 6 else 200
    await product.hook(receiver.url)
    await product.send("a")
    await product.send("b", room=1)
    await receiver.until(lambda: len(receiver.accepted) == 2)
    assert pauses[:3] == [1, 2, 3], "each pause is longer, also if another session or node continues"


def test_body_above_the_limit_has_only_ids() -> None:
    data = b'{"messageId":"m","roomId":"r","content":"' + b"x" * MAX_BODY_BYTES + b'","authorId":"a"}'
    event = Event(t="message.created", d=data, topics=(server("s"),))
    sent = body_of(event, 0)
    assert sent.body == (
        '{"type":"message.created","timestamp":"1970-01-01T00:00:00.000Z",'
        '"data":{"messageId":"m","roomId":"r","authorId":"a"},"truncated":true}'
    )
    assert (sent.room_id, sent.room_key) == ("r", "r")


def test_pauses_grow_to_an_hour_and_a_receiver_may_ask_for_longer_ones() -> None:
    pauses = [pause_after(tried, jitter=lambda: 0) for tried in range(1, 40)]
    assert pauses == sorted(pauses)
    assert pauses[0] < 0.1
    assert pauses[-1] == LONGEST_SECONDS
    assert pause_after(1, 30) == 30
    assert pause_after(1, 10**9) == LONGEST_SECONDS
    assert pause_after(39, 1, jitter=lambda: 1) == LONGEST_SECONDS * 0.75
    assert endpoint_pause(10**6, jitter=lambda: 0) == 300
