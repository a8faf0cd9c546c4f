"""The chapters about threads: a buyer and a seller from the first question to a signed brief."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from api.calling import ULID, UNKNOWN_ID, Caller

if TYPE_CHECKING:
    from api.test_path import Story

THREAD = {
    *("threadId", "kind", "status", "lockedBy", "buyerUserId", "sellerUserId", "participants", "listingId", "lbgId"),
    *("legId", "city", "safeModeRequired", "lastMessageId", "lastMessageAt", "roleContext", "muted", "unread"),
    *("createdAt", "updatedAt", "data"),
}
PARTICIPANT = {
    *("userId", "username", "displayName", "avatarUrl", "threadId", "roleContext", "muted", "blockedUntil", "joinedAt"),
}
CARD = {
    *("messageId", "threadId", "type", "state", "version", "payload", "createdBy", "createdAt", "updatedAt"),
    *("flags", "nsfwBand"),
}
TAB = {"threadId", "tab", "content", "sourceVersion", "updatedAt", "flags", "nsfwBand"}
OFFER = {"type": "offer", "payload": {"amount": 25_000, "currency": "EUR"}}


async def two_users_agree_on_a_deal(story: Story) -> None:
    buyer, seller, other = story.ana, story.ben, story.cleo
    at = await a_thread_is_begun(story, buyer, seller, other)
    await they_talk(at, buyer, seller, other)
    await participants_join_and_leave(at, buyer, seller, other)
    await offers_are_created(at, buyer, seller)
    await they_fill_the_panel(at, buyer, seller, other)
    await they_keep_records(at, buyer, seller, other)
    await it_is_closed(at, buyer, seller)


async def a_thread_is_begun(story: Story, buyer: Caller, seller: Caller, other: Caller) -> str:
    inquiry = {"kind": "inquiry", "sellerUserId": seller.user_id, "listingId": f"lst-{story.word}", "city": "Houston"}
    created = await buyer.post("/threads", inquiry)
    assert created.keys() == THREAD
    assert ULID.fullmatch(created["threadId"])
    assert (created["status"], created["roleContext"], created["lastMessageId"]) == ("open", "buyer", None)
    assert created["unread"] == {"count": 0, "capped": False, "mentions": 0}
    assert await buyer.post("/threads", inquiry, expect=200) == created
    for wrong, code in (
        ({"kind": "inquiry", "sellerUserId": seller.user_id}, "listing_needed"),
        (inquiry | {"sellerUserId": buyer.user_id}, "with_oneself"),
        (inquiry | {"listingId": "a#b"}, "invalid"),
        (inquiry | {"kind": "chat"}, "invalid"),
    ):
        assert (await buyer.post("/threads", wrong, expect=422))["code"] == code
    await buyer.post("/threads", inquiry | {"sellerUserId": UNKNOWN_ID}, expect=422)
    await seller.put(f"/users/me/blocks/{other.user_id}")
    assert (await other.post("/threads", inquiry, expect=403))["code"] == "blocked"
    await seller.delete(f"/users/me/blocks/{other.user_id}")

    lbg, leg = f"lbg-{story.word}", f"leg-{story.word}"
    project = {"kind": "project", "sellerUserId": seller.user_id, "lbgId": lbg, "legId": leg}
    key = {"Idempotency-Key": f"project-{story.word}"}
    second = await buyer.post("/threads", project, headers=key)
    assert await buyer.post("/threads", project, headers=key) == second
    queries: list[dict[str, Any]] = [{"lbgId": lbg}, {"legId": leg}, {"lbgId": lbg, "legId": leg}]
    for query in queries:
        [found] = (await seller.get("/threads", **query))["items"]
        assert (found["threadId"], found["roleContext"]) == (second["threadId"], "seller")
        assert await other.get("/threads", **query) == {"items": [], "next": None}
    inbox = (await seller.get("/threads"))["items"]
    assert [one["threadId"] for one in inbox] == [second["threadId"], created["threadId"]]
    at = f"/threads/{created['threadId']}"
    assert await buyer.get(at) == created
    assert (await other.get(at, expect=404))["code"] == "not_found"
    return at


async def they_talk(at: str, buyer: Caller, seller: Caller, other: Caller) -> None:
    messages = f"{at}/messages"
    first = await buyer.post(messages, {"content": "Is it still there?", "nonce": "one"})
    assert (first["roomKind"], first["type"], first["action"]) == ("thread", "text", None)
    assert (await buyer.post(messages, {"content": "Is it still there?", "nonce": "one"}, expect=200))["replayed"]
    await other.post(messages, {"content": "Let me in"}, expect=404)
    assert (await seller.get(f"{at}/unread"))["count"] == 1
    inbox = await seller.get("/threads", limit=1)
    assert (inbox["items"][0]["lastMessageId"], inbox["items"][0]["unread"]["count"]) == (first["messageId"], 1)
    assert inbox["items"][0]["lastMessageAt"]
    assert (await seller.put(f"{at}/read", {"messageId": first["messageId"]}))["unread"]["count"] == 0
    reply = await seller.post(messages, {"content": "It is", "replyTo": first["messageId"]})
    assert [one["messageId"] for one in (await buyer.get(messages))["items"]] == [
        reply["messageId"],
        first["messageId"],
    ]
    everywhere = await buyer.get("/users/me/unread")
    assert {(room["roomKind"], room["count"]) for room in everywhere["rooms"]} >= {("thread", 1)}

    one = f"{messages}/{first['messageId']}"
    assert (await seller.get(one))["content"] == "Is it still there?"
    assert await seller.get(f"/messages/{first['messageId']}") == await seller.get(one)
    assert (await buyer.patch(one, {"content": "Is it still to be had?"}))["edited"]
    await seller.put(f"{one}/reactions/👍", expect=204)
    assert [person["userId"] for person in (await buyer.get(f"{one}/reactions/👍"))["items"]] == [seller.user_id]
    await seller.delete(f"{one}/reactions/👍")
    await seller.put(f"{at}/pins/{first['messageId']}", expect=204)
    assert len((await buyer.get(f"{at}/pins"))["items"]) == 1
    await seller.delete(f"{at}/pins/{first['messageId']}")
    readers = (await buyer.get(f"{at}/readers"))["items"]
    assert {reader["userId"] for reader in readers} == {buyer.user_id, seller.user_id}
    assert await buyer.put(f"{at}/preferences", {"muted": True}) == {"muted": True}
    await buyer.post(f"{at}/typing", expect=204)
    await buyer.delete(f"{at}/typing")
    await buyer.post(f"{messages}/{reply['messageId']}/report", {"reason": "Too short."}, expect=202)
    await buyer.delete(one)
    assert (await seller.get(one))["deleted"]


async def participants_join_and_leave(at: str, buyer: Caller, seller: Caller, other: Caller) -> None:
    participants = f"{at}/participants"
    refused = await buyer.post(participants, {"userId": other.user_id, "roleContext": "seller"}, expect=403)
    assert refused["code"] == "own_side_only"
    added = await buyer.post(participants, {"userId": other.user_id, "roleContext": "buyer"})
    assert added.keys() == PARTICIPANT
    assert (added["username"], added["roleContext"], added["muted"]) == (other.name, "buyer", None)
    again = await buyer.post(participants, {"userId": other.user_id, "roleContext": "buyer"}, expect=409)
    assert again["code"] == "already_participant"
    listed = (await other.get(participants, limit=10))["items"]
    assert {one["userId"]: one["roleContext"] for one in listed} == {
        buyer.user_id: "buyer",
        seller.user_id: "seller",
        other.user_id: "buyer",
    }

    own = f"{participants}/{other.user_id}"
    assert (await other.patch(own, {"muted": True}))["muted"] is True
    until = "2090-01-01T00:00:00+02:00"
    silenced = await seller.patch(own, {"blockedUntil": until})
    assert silenced["blockedUntil"] == "2089-12-31T22:00:00.000Z"
    refused = await other.post(f"{at}/messages", {"content": "But"}, expect=403)
    assert (refused["code"], refused["until"]) == ("blocked", silenced["blockedUntil"])
    assert (await seller.patch(own, {"blockedUntil": None}))["blockedUntil"] is None
    for past in ("2020-01-01T00:00:00Z", "9999-12-31T23:59:59.999-12:00"):
        assert (await seller.patch(own, {"blockedUntil": past}, expect=422))["code"] == "not_in_future"
    await buyer.delete(own, expect=403)
    await other.delete(own)
    await other.get(at, expect=404)
    assert (await buyer.delete(f"{participants}/{buyer.user_id}", expect=409))["code"] == "party_stays"


async def offers_are_created(at: str, buyer: Caller, seller: Caller) -> None:
    cards = f"{at}/cards"
    offer = await seller.post(cards, OFFER)
    assert offer.keys() == CARD
    assert (offer["state"], offer["version"], offer["createdBy"]) == ("open", 1, seller.user_id)
    problem = await buyer.post(cards, {"type": "offer", "payload": {"amount": 0, "currency": "EUR"}}, expect=422)
    assert problem["errors"][0]["pointer"] == "#/payload/amount"
    assert (await buyer.post(cards, {"type": "duel", "payload": {}}, expect=422))["code"] == "unknown_card_type"
    counter = await buyer.post(
        cards,
        {
            "type": "counter-offer",
            "payload": {"amount": 20_000, "currency": "EUR", "answers": offer["messageId"]},
        },
    )
    assert (await buyer.get(f"{cards}/{offer['messageId']}"))["state"] == "countered"
    moves = f"{cards}/{counter['messageId']}/transitions"
    assert (await buyer.post(moves, {"to": "accepted", "version": 1}, expect=403))["code"] == "forbidden"
    assert (await seller.post(moves, {"to": "signed", "version": 1}, expect=409))["code"] == "no_such_move"
    accepted = await seller.post(moves, {"to": "accepted", "version": 1, "payload": {"note": "Done"}}, expect=200)
    assert (accepted["state"], accepted["version"]) == ("accepted", 2)
    stale = await seller.post(moves, {"to": "declined", "version": 1}, expect=409)
    assert (stale["code"], stale["current"]) == ("card_changed", accepted)
    finished = await seller.post(moves, {"to": "declined", "version": 2}, expect=409)
    assert (finished["code"], finished["current"]) == ("card_finished", accepted)
    listed = (await buyer.get(cards))["items"]
    assert [(card["type"], card["state"]) for card in listed] == [("counter-offer", "accepted"), ("offer", "countered")]
    newest = (await buyer.get(f"{at}/messages", limit=1))["items"][0]
    assert (newest["type"], newest["action"]["state"], newest["replyTo"]) == (
        "action",
        "accepted",
        counter["messageId"],
    )
    fixed = await seller.delete(f"{at}/messages/{newest['messageId']}", expect=403)
    assert fixed["code"] == "part_of_record"
    await buyer.get(f"{cards}/{UNKNOWN_ID}", expect=404)


async def they_fill_the_panel(at: str, buyer: Caller, seller: Caller, other: Caller) -> None:
    content: dict[str, Any] = {"title": "A kitchen", "budget": 0.1, "rooms": [{"size": 12.5, "floor": None}]}
    brief = f"{at}/tabs/brief"
    empty = await seller.get(brief)
    assert (empty["content"], empty["sourceVersion"]) == (None, 0)
    put = await buyer.put(brief, {"content": content, "sourceVersion": 3})
    assert put.keys() == TAB
    assert await seller.get(brief) == put
    assert put["content"] == content
    stale = await seller.put(brief, {"content": {}, "sourceVersion": 3}, expect=409)
    assert (stale["code"], stale["current"]["sourceVersion"]) == ("stale_version", 3)
    assert (await seller.put(f"{at}/tabs/docs", {"content": {}, "sourceVersion": 9}, expect=403))[
        "code"
    ] == "system_tab"
    large = {"content": {"text": "x" * 200_000}, "sourceVersion": 4}
    assert (await seller.put(brief, large))["sourceVersion"] == 4
    for size in (263_000, 600_000):
        large = {"content": {"text": "x" * size}, "sourceVersion": 5}
        assert (await seller.put(brief, large, expect=413))["code"] == "too_large"
    await buyer.get(f"{at}/tabs/nothing", expect=404)
    await other.get(brief, expect=404)
    panel = await seller.get(f"{at}/panel")
    assert panel.keys() == {"threadId", "tabs"}
    assert [tab["tab"] for tab in panel["tabs"]] == ["brief", "actions"]
    assert [card["state"] for card in panel["tabs"][1]["content"]] == ["accepted", "countered"]


async def they_keep_records(at: str, buyer: Caller, seller: Caller, other: Caller) -> None:
    contract = {"title": "Licence", "kind": "license", "body": "One year."}
    key = {"Idempotency-Key": "the licence"}
    created = await seller.post(f"{at}/documents", contract, headers=key)
    assert (await seller.post(f"{at}/documents", contract, headers=key))["documentId"] == created["documentId"]
    document = f"{at}/documents/{created['documentId']}"
    assert [item["documentId"] for item in (await buyer.get(f"{at}/documents"))["items"]] == [created["documentId"]]
    assert (await seller.post(f"{document}/versions", {"version": 1, "body": "Two years."}))["currentVersion"] == 2
    stale = await seller.post(f"{document}/versions", {"version": 1, "body": "Three years."}, expect=409)
    assert stale["current"]["currentVersion"] == 2
    for party, state in ((buyer, "draft"), (seller, "signed")):
        assert (await party.post(f"{document}/signatures", {"version": 2}))["state"] == state
    assert (await buyer.get(document, version=1))["body"] == "One year."
    await other.get(document, expect=404)
    draft = await seller.post(f"{at}/documents", contract)
    await seller.delete(f"{at}/documents/{draft['documentId']}")

    train = {"title": "Train", "amount": 4_900, "currency": "EUR", "category": "travel", "incurredOn": "2026-11-16"}
    spent = await seller.post(f"{at}/expenses", train)
    decision = f"{at}/expenses/{spent['expenseId']}/decision"
    assert (await seller.post(decision, {"decision": "approve", "version": 1}, expect=403))["code"] == "own_expense"
    assert (await buyer.post(decision, {"decision": "approve", "version": 1}, expect=200))["state"] == "approved"
    void = await seller.post(f"{at}/expenses", train)
    await seller.delete(f"{at}/expenses/{void['expenseId']}")
    listed = await buyer.get(f"{at}/expenses")
    assert {item["state"] for item in listed["items"]} == {"approved", "void"}

    amendment = {"type": "amendment", "payload": {"title": "Also in print", "text": "And on paper."}}
    card = await seller.post(f"{at}/cards", amendment)
    moves = f"{at}/cards/{card['messageId']}/transitions"
    await buyer.post(moves, {"to": "accepted", "version": 1}, expect=200)
    [kept] = await until(lambda: items_of(buyer, f"{at}/amendments"))
    assert (kept["summary"], kept["acceptedBy"]) == ("Also in print", buyer.user_id)
    docs = await until(lambda: shown_in(buyer, f"{at}/tabs/docs", "Also in print"))
    assert "Licence" in str(docs)
    assert await until(lambda: shown_in(seller, f"{at}/tabs/expenses", "Train"))


T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T]], seconds: float = 20) -> T:
    """What is seen once there is something to see: one store follows the other a moment later."""
    async with asyncio.timeout(seconds):
        while not (seen := await look()):  # noqa: ASYNC110 - another store publishes it
            await asyncio.sleep(0.1)
    return seen


async def items_of(caller: Caller, path: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await caller.get(path))["items"]
    return items


async def shown_in(caller: Caller, tab: str, text: str) -> Any:
    content = (await caller.get(tab))["content"]
    return content if text in str(content) else None


async def it_is_closed(at: str, buyer: Caller, seller: Caller) -> None:
    locked = await buyer.patch(at, {"status": "locked"})
    assert (locked["status"], locked["lockedBy"]) == ("locked", buyer.user_id)
    await buyer.get(f"{at}/audit", expect=403)
    refused = await seller.post(f"{at}/messages", {"content": "But"}, expect=409)
    assert (refused["code"], refused["threadStatus"]) == ("thread_not_open", "locked")
    assert (await seller.post(f"{at}/cards", OFFER, expect=409))["code"] == "thread_not_open"
    assert (await seller.patch(at, {"status": "open"}, expect=403))["code"] == "locked_by_another"
    assert (await buyer.patch(at, {"status": "archived"}))["lockedBy"] is None
    assert (await seller.patch(at, {"status": "open"}))["status"] == "open"
