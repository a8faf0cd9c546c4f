"""Events reach the webhooks of their tenant: signed, in order per room, and again after failures."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from aiohttp import web
from standardwebhooks import WebhookVerificationError

from api.calling import TIME
from communities.conftest import Ahead
from gateway.served_app import ServedApp
from sobremesa.core.actor import Tenant
from sobremesa.core.ids import MessageId
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.webhooks.entities import change_webhook, webhook_by_id
from sobremesa.domains.webhooks.outcomes import MAX_ATTEMPTS_KEPT
from sobremesa.table import Update, set_to
from webhooks.product import AT, Product, backend_of, eventually
from webhooks.receiver import Received, Receiver

DAY = 24 * 3600


async def test_event_is_sent_with_a_signature_that_the_reference_library_accepts(
    product: Product, receiver: Receiver
) -> None:
    hook = await product.hook(f"{receiver.url}/chat?x=1")
    message_id = await product.served.send(product.ana, product.rooms[0], "Hello")
    await receiver.until_accepted("Hello")

    [received] = receiver.accepted
    body = received.verify(hook["secret"])
    assert body.keys() == {"type", "timestamp", "data"}
    assert body["type"] == "message.created"
    assert TIME.fullmatch(body["timestamp"])
    assert body["data"]["messageId"] == received.id == message_id
    assert body["data"]["roomId"] == product.rooms[0]
    assert "nonce" not in body["data"]
    assert received.headers["content-type"] == "application/json"
    with pytest.raises(WebhookVerificationError):
        received.verify("whsec_" + "A" * 32)


async def test_webhook_receives_no_event_from_before_its_creation(product: Product, receiver: Receiver) -> None:
    # All of this is within a second, which is how exactly DynamoDB dates a change.
    await product.app.communities.change_channel(product.ana.actor, product.rooms[0], {"topic": "Before"})
    await product.send("before")
    hook = await product.hook(receiver.url, ["*"])
    await product.send("after")
    await receiver.until(lambda: any(each.type == "message.created" for each in receiver.accepted))
    await _settled(product, hook, 1)
    await receiver.until_accepted("after")


async def test_only_selected_events_and_rooms_are_sent(product: Product, receiver: Receiver) -> None:
    everything = await product.hook(f"{receiver.url}/all", ["*"])
    await product.hook(f"{receiver.url}/two", ["message.*"], rooms=[product.rooms[1]])
    await product.send("one")
    await product.send("two", room=1)
    await product.app.communities.change_channel(product.ana.actor, product.rooms[1], {"topic": "Two"})
    await product.hook(f"{receiver.url}/last", ["channel.updated"])
    await product.app.communities.change_channel(product.ana.actor, product.rooms[1], {"topic": "Last"})

    def topics() -> list[str]:
        channels = [each for each in receiver.accepted if each.type == "channel.updated" and each.path == "/all"]
        return [each.body["data"]["topic"] for each in channels]

    await receiver.until(lambda: topics() == ["Two", "Last"] and receiver.accepted[-1].path in ("/all", "/last"))
    await receiver.until(lambda: any(each.path == "/two" for each in receiver.accepted))
    await _settled(product, everything, sum(each.path == "/all" for each in receiver.accepted))

    types = Counter((each.path, each.type) for each in receiver.accepted)
    assert types["/all", "message.created"] == 2
    assert types["/all", "channel.updated"] == 2
    assert {path: count for (path, _), count in types.items() if path == "/two"} == {"/two": 1}
    assert next(each for each in receiver.accepted if each.path == "/two").content == "two"


async def test_events_of_a_room_keep_their_order_while_one_waits_and_other_rooms_go_on(
    product: Product, receiver: Receiver
) -> None:
    refused: list[str] = []

    def answer(received: Received) -> int:
        # Until the other room is done, however long that takes; and at least once.
        if received.content == "a1" and not (refused and "b2" in [each.content for each in receiver.accepted]):
            refused.append(received.id)
            return 503
        return 200

    receiver.answer = answer
    hook = await product.hook(receiver.url)
    await product.send("a1", "a2", "a3")
    await product.send("b1", "b2", room=1)
    await receiver.until(lambda: len(receiver.accepted) == 5)

    contents = [each.content for each in receiver.accepted]
    assert [content for content in contents if content.startswith("a")] == ["a1", "a2", "a3"]
    assert [content for content in contents if content.startswith("b")] == ["b1", "b2"]
    assert contents.index("b2") < contents.index("a1"), "another room did not wait"
    assert len(set(refused)) == 1
    entry = next(entry for entry in await product.deliveries(hook) if entry["eventId"] == refused[0])
    attempts = [(each["attempt"], each["status"]) for each in reversed(entry["attempts"])]
    expected = [*((number, 503) for number in range(1, len(refused) + 1)), (len(refused) + 1, 200)]
    assert attempts == expected[-MAX_ATTEMPTS_KEPT:]
    assert entry["attempts"][1]["error"] == "responded with 503"


async def test_event_that_changes_or_deletes_a_message_comes_after_it(product: Product, receiver: Receiver) -> None:
    await product.hook(receiver.url, ["message.*"])
    actor, room = product.ana.actor, product.rooms[0]
    message_id = MessageId(await product.served.send(product.ana, room, "first"))
    await product.app.communities.edit(actor, room, message_id, content="second")
    await product.app.communities.delete_message(actor, room, message_id)
    await receiver.until(lambda: len(receiver.accepted) == 3)

    assert [each.type for each in receiver.accepted] == ["message.created", "message.updated", "message.deleted"]
    assert len({each.id for each in receiver.accepted}) == 3


async def test_retry_after_is_honored(product: Product, receiver: Receiver, clock: Ahead) -> None:
    receiver.answer = lambda _: web.Response(status=429, headers={"Retry-After": "600"})
    hook = await product.hook(receiver.url)
    await product.send("later")
    await receiver.until(lambda: len(receiver.requests) == 1)
    entry = await _entry(product, hook, "retrying")
    assert entry["nextAttemptAt"] > entry["attempts"][0]["at"]
    receiver.answer = lambda _: 200
    clock.move(seconds=590)
    await product.send("other room", room=1)
    await receiver.until(lambda: len(receiver.accepted) == 1)
    assert [each.content for each in receiver.requests] == ["later", "other room"]
    clock.move(seconds=20)
    await receiver.until_accepted("other room", "later")


async def test_410_disables_at_once_and_an_enabled_webhook_gets_what_it_missed_by_a_replay(
    product: Product, receiver: Receiver
) -> None:
    receiver.answer = lambda _: 410
    hook = await product.hook(receiver.url)
    await product.send("gone")
    await _until_disabled(product, hook)
    found = await product.get(hook)
    assert (found["disabled"], found["disabledReason"]) == (True, "gone")
    actions = [entry.action for entry in await _audit(product)]
    assert actions[:2] == ["webhook.disable", "webhook.create"]
    await product.send("missed")
    assert (await _entry(product, hook, "skipped"))["attempts"] == []
    assert (await product.backend.post(f"{AT}/{hook['hookId']}/replay", {"since": "2020-01-01T00:00:00Z"}, expect=409))[
        "code"
    ] == "webhook_disabled"
    assert len(receiver.requests) == 1

    receiver.answer = lambda _: 200
    enabled = await product.backend.patch(f"{AT}/{hook['hookId']}", {"disabled": False})
    assert (enabled["disabled"], enabled["disabledReason"], enabled["failingSince"]) == (False, None, None)
    await receiver.until_accepted("gone")
    await product.backend.post(f"{AT}/{hook['hookId']}/replay", {"since": "2020-01-01T00:00:00Z"}, expect=202)
    await receiver.until(lambda: len({each.id for each in receiver.accepted}) == 2)
    assert receiver.accepted[-1].content == "missed"


async def test_webhook_that_fails_for_a_day_is_disabled_with_the_reason(
    product: Product, receiver: Receiver, clock: Ahead
) -> None:
    receiver.answer = lambda _: 500
    hook = await product.hook(receiver.url)
    await product.send("never")
    await receiver.until(lambda: len(receiver.requests) >= 2)
    assert (await product.get(hook))["failingSince"] is not None
    clock.move(seconds=DAY - 60)
    seen = len(receiver.requests)
    await receiver.until(lambda: len(receiver.requests) > seen)
    assert not (await product.get(hook))["disabled"]
    clock.move(seconds=7200)
    await product.send("fails too", room=1)
    await _until_disabled(product, hook)

    found = await product.get(hook)
    assert found["disabledReason"] == "failing"
    assert next(entry.action for entry in await _audit(product)) == "webhook.disable"


async def test_event_that_is_refused_for_a_day_is_given_up_and_the_room_goes_on(
    product: Product, receiver: Receiver, clock: Ahead
) -> None:
    receiver.answer = lambda received: 422 if received.content == "bad" else 200
    hook = await product.hook(receiver.url)
    await product.send("bad", "good")
    await product.send("other room", room=1)
    await receiver.until_accepted("other room")
    clock.move(seconds=DAY)
    await receiver.until_accepted("other room", "good")

    states = {entry["eventId"]: entry["state"] for entry in await product.deliveries(hook)}
    assert (
        states[receiver.requests[0].id if receiver.requests[0].content == "bad" else receiver.requests[1].id]
        == "failed"
    )
    assert not (await product.get(hook))["disabled"]


async def test_success_ends_a_series_of_failures(product: Product, receiver: Receiver) -> None:
    receiver.answer = lambda _: 500 if len(receiver.requests) < 3 else 200
    hook = await product.hook(receiver.url)
    await product.send("at last")
    await receiver.until_accepted("at last")
    await eventually(lambda: _is(product, hook, failingSince=None))


async def test_both_secrets_sign_for_a_day_after_a_rotation(product: Product, receiver: Receiver, clock: Ahead) -> None:
    hook = await product.hook(receiver.url)
    rotated = await product.backend.post(f"{AT}/{hook['hookId']}/rotate", expect=200)
    assert rotated["secret"] != hook["secret"]
    assert "secret" not in await product.get(hook)
    await product.send("both")
    await receiver.until_accepted("both")
    for secret in (hook["secret"], rotated["secret"]):
        receiver.accepted[0].verify(secret)
    assert len(receiver.accepted[0].headers["webhook-signature"].split(" ")) == 2

    clock.move(seconds=DAY + 1)
    assert (await product.get(hook))["previousSecretUntil"] is None
    await product.send("one")
    await receiver.until_accepted("both", "one")
    assert len(receiver.accepted[1].headers["webhook-signature"].split(" ")) == 1


async def test_secrets_are_encrypted_in_their_rows_and_those_from_before_still_sign(
    product: Product, receiver: Receiver
) -> None:
    hook = await product.hook(receiver.url)
    at = f"{AT}/{hook['hookId']}/rotate"
    key = webhook_by_id(tenant=Tenant("default"), hook_id=hook["hookId"])
    table = product.app.table

    await table.write(Update(key, set_to(secret=hook["secret"])), pattern=change_webhook)  # as rows were before
    await product.send("plain")
    await receiver.until_accepted("plain")
    receiver.accepted[0].verify(hook["secret"])

    rotated = await product.backend.post(at, expect=200)
    row = await table.get(key)
    assert row is not None
    stored = f"{row.secret} {row.previous_secret}"
    assert not any(text in stored for text in ("whsec_", hook["secret"][6:], rotated["secret"][6:]))
    await product.send("encrypted")
    await receiver.until_accepted("plain", "encrypted")
    for secret in (hook["secret"], rotated["secret"]):
        receiver.accepted[1].verify(secret)

    other = await product.hook(f"{receiver.url}/other")
    other_row = await table.get(webhook_by_id(tenant=Tenant("default"), hook_id=other["hookId"]))
    assert other_row is not None
    await table.write(Update(key, set_to(secret=other_row.secret)), pattern=change_webhook)
    await product.send("of another row")
    entry = await _entry(product, hook, "retrying")
    assert entry["attempts"][0]["error"] == "its secret cannot be decrypted: rotate it"
    repaired = await product.backend.post(at, expect=200)
    assert repaired["previousSecretUntil"] is None
    await receiver.until(lambda: len([each for each in receiver.accepted if each.path == "/"]) == 3)
    next(each for each in receiver.accepted[2:] if each.path == "/").verify(repaired["secret"])


async def test_replay_sends_events_since_a_time_again_with_the_same_ids_and_bodies(
    product: Product, receiver: Receiver, clock: Ahead
) -> None:
    hook = await product.hook(receiver.url)
    await product.send("old")
    await receiver.until_accepted("old")
    await _settled(product, hook, 1)
    clock.move(seconds=3600)
    since = product.app.clock.now()
    await product.send("new 1", "new 2")
    await receiver.until_accepted("old", "new 1", "new 2")
    await _settled(product, hook, 3)

    started = await product.backend.post(f"{AT}/{hook['hookId']}/replay", {"since": since}, expect=202)
    assert started == {"since": since, "state": "running"}
    await receiver.until_accepted("old", "new 1", "new 2", "new 1", "new 2")
    assert [(each.id, each.raw) for each in receiver.accepted[3:]] == [
        (each.id, each.raw) for each in receiver.accepted[1:3]
    ]
    early = await product.backend.post(f"{AT}/{hook['hookId']}/replay", {"since": "2020-01-01T00:00:00Z"}, expect=202)
    assert early["since"] > "2020-01-02", "what is not kept any more is not promised"


async def test_tenants_receive_only_their_own_events(served: ServedApp, product: Product, receiver: Receiver) -> None:
    rival = await backend_of(served, Tenant("rival"))
    theirs = await rival.post("/tenants/rival/webhooks", {"url": f"{receiver.url}/rival", "events": ["*"]})
    hook = await product.hook(f"{receiver.url}/own", ["*"])
    await product.send("ours")
    await receiver.until_accepted("ours")
    await _settled(product, hook, 1)

    assert [each.path for each in receiver.requests] == ["/own"]
    for path in ("", f"/{theirs['hookId']}", f"/{theirs['hookId']}/deliveries"):
        await product.backend.get(f"/tenants/rival/webhooks{path}", expect=404)
    await product.backend.get(f"{AT}/{theirs['hookId']}", expect=404)
    await product.backend.post(f"{AT}/{theirs['hookId']}/rotate", expect=404)
    await product.backend.delete(f"{AT}/{theirs['hookId']}", expect=404)


async def test_withheld_content_is_not_sent(product: Product, receiver: Receiver) -> None:
    await product.hook(receiver.url)
    await product.send("forbidden words")
    await receiver.until(lambda: len(receiver.accepted) == 1)
    assert b"forbidden words" not in receiver.accepted[0].raw
    assert receiver.accepted[0].body["data"]["content"] == ""


async def test_private_events_of_a_user_name_the_user(product: Product, receiver: Receiver) -> None:
    await product.hook(receiver.url, ["preferences.updated"])
    await product.app.communities.set_preferences(product.ana.actor, product.rooms[0], muted=True)
    await receiver.until(lambda: len(receiver.accepted) == 1)
    body = receiver.accepted[0].body
    assert body["userId"] == product.ana.user.user_id
    assert body["data"] == {"roomId": product.rooms[0], "roomKind": "channel", "muted": True}


async def test_deleted_webhook_receives_nothing_and_leaves_nothing(product: Product, receiver: Receiver) -> None:
    receiver.answer = lambda _: 500
    hook = await product.hook(receiver.url)
    await product.send("refused")
    await receiver.until(lambda: len(receiver.requests) >= 1)
    await product.backend.delete(f"{AT}/{hook['hookId']}")
    await product.backend.get(f"{AT}/{hook['hookId']}", expect=404)
    await eventually(lambda: _has_no_rows(product, "WEBHOOK#"))


async def _has_no_rows(product: Product, prefix: str) -> bool:
    pk = product.app.table.layout.pk
    return not [row async for row in product.app.table.scan(consistent=True) if str(row[pk]).startswith(prefix)]


async def _audit(product: Product) -> list[Any]:
    audit = Audit(product.app.table, product.app.clock, product.app.ids)
    page = await audit.list_entries(tenant_scope(Tenant("default")), since=product.app.clock.now())
    return [entry for entry in page.items if entry.action.startswith("webhook.")]


async def _until_disabled(product: Product, hook: dict[str, Any]) -> None:
    await eventually(lambda: _is(product, hook, disabled=True))


async def _is(product: Product, hook: dict[str, Any], **expected: Any) -> bool:
    return expected.items() <= (await product.get(hook)).items()


async def _entry(product: Product, hook: dict[str, Any], state: str) -> dict[str, Any]:
    """Return the first entry of the log with this state, when there is one."""
    found: list[dict[str, Any]] = []

    async def is_there() -> bool:
        found[:] = [entry for entry in await product.deliveries(hook) if entry["state"] == state]
        return bool(found)

    await eventually(is_there)
    return found[0]


async def _settled(product: Product, hook: dict[str, Any], events: int) -> None:
    """Wait until the log has all of these events as delivered."""

    async def is_settled() -> bool:
        return [entry["state"] for entry in await product.deliveries(hook)] == ["delivered"] * events

    await eventually(is_settled)
