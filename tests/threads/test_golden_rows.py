"""Rows of another program that follow the documented design: they load, and threads work with them."""

from __future__ import annotations

from typing import Any

import pytest

from sobremesa.app import REGISTRY, Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import instant
from sobremesa.core.errors import Forbidden
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.threads.entities import Card, Participant, Tab, Thread, ThreadMessage
from sobremesa.domains.threads.errors import CardFinished, ThreadNotOpen
from sobremesa.table import Entity, Layout, Put, RawKey, Update, set_to
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item
from threads.conftest import Ahead
from threads.environment import Deal, at, new_person, strike_deal

LAYOUT = Layout()
THEN, SENT = "2025-11-05T14:12:00.000Z", "2025-11-05T14:12:07.123Z"

SAMPLES: dict[str, tuple[type[Entity], Item]] = {
    "a thread": (
        Thread,
        {
            "pk": "THR#thrd_1", "sk": "THR", "gsi2pk": "LBG#lbg_1", "gsi2sk": THEN,
            "kind": "project", "lbgId": "lbg_1", "legId": None, "buyerUserId": "usr_1", "sellerUserId": "usr_2",
            "participants": ["usr_1", "usr_2"], "city": "Houston", "createdAt": THEN, "updatedAt": SENT,
            "status": "open", "lastMessageAt": SENT, "safeModeRequired": False,
        },
    ),
    "a thread of a leg": (
        Thread,
        {
            "pk": "THR#thrd_2", "sk": "THR", "gsi2pk": "LEG#leg_1", "gsi2sk": THEN,
            "kind": "inquiry", "lbgId": None, "legId": "leg_1", "buyerUserId": "usr_1", "sellerUserId": "usr_2",
            "participants": ["usr_1", "usr_2"], "city": "Houston", "createdAt": THEN, "updatedAt": THEN,
            "status": "archived", "lastMessageAt": THEN, "safeModeRequired": True,
        },
    ),
    "a participant": (
        Participant,
        {
            "pk": "THR#thrd_1", "sk": "PART#usr_1", "gsi1pk": "PARTICIPANT#usr_1", "gsi1sk": f"{SENT}#thrd_1",
            "roleContext": "buyer", "lastReadMsgId": "msg_1", "lastReadAt": SENT, "muted": False,
            "blockedUntil": None,
        },
    ),
    "the other participant": (
        Participant,
        {
            "pk": "THR#thrd_1", "sk": "PART#usr_2", "gsi1pk": "PARTICIPANT#usr_2", "gsi1sk": f"{SENT}#thrd_1",
            "roleContext": "seller", "lastReadMsgId": None, "lastReadAt": None, "muted": True,
            "blockedUntil": "2025-11-06T00:00:00.000Z",
        },
    ),
    "a message": (
        ThreadMessage,
        {
            "pk": "THR#thrd_1", "sk": f"MSG#{SENT}#msg_1", "type": "text", "body": "sanitized markdown or plaintext",
            "attachments": [{"kind": "preview", "s3Key": "previews/1.jpg", "mime": "image/jpeg", "w": 640, "h": 480}],
            "action": None, "authorUserId": "usr_1", "nsfwBand": 0,
            "flags": {"moderation": "clean", "policyHints": []}, "createdAt": SENT,
        },
    ),
    "an action": (
        ThreadMessage,
        {
            "pk": "THR#thrd_1", "sk": "MSG#2025-11-05T14:12:08.000Z#msg_2", "type": "action", "body": "",
            "attachments": [], "action": {"type": "offer", "payload": {"amount": 1}, "state": "open", "version": 1},
            "authorUserId": "usr_2", "nsfwBand": 1, "flags": {"moderation": "flagged", "policyHints": ["price"]},
            "createdAt": "2025-11-05T14:12:08.000Z",
        },
    ),
    "a tab": (
        Tab,
        {"pk": "THR#thrd_1", "sk": "TAB#brief", "content": {"title": "A kitchen", "budget": 12.5}},
    ),
}  # fmt: skip
KEYS = ("pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk")


async def put(app: Sobremesa, *items: Item) -> None:
    for item in items:
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))


@pytest.mark.parametrize("sample", SAMPLES)
def test_documented_row_is_recognized_and_keeps_its_keys(sample: str) -> None:
    entity, item = SAMPLES[sample]

    assert REGISTRY.entity_of(item, LAYOUT) is entity
    rewritten = entity.from_item({**item, "colour": "blue"}, LAYOUT).to_item(LAYOUT)

    assert {name: rewritten.get(name) for name in KEYS} == {name: item.get(name) for name in KEYS}
    kept = {name: value for name, value in item.items() if value is not None}
    assert {name: rewritten.get(name) for name in kept} == kept
    assert rewritten["colour"] == "blue"


async def test_documented_rows_survive_a_rewrite(app: Sobremesa) -> None:
    for entity, sample in SAMPLES.values():
        item = {**sample, "colour": "blue"}
        await put(app, item)
        loaded = await app.table.get(entity.from_item(item, LAYOUT).own_key(), consistent=True)
        assert loaded is not None

        await app.table.write(Put(loaded))

        stored = [
            row
            async for row in app.table.scan(consistent=True)
            if RawKey(row["pk"], row["sk"]) == RawKey(item["pk"], item["sk"])
        ]
        kept = {name: value for name, value in item.items() if value is not None}
        assert {name: stored[0].get(name) for name in kept} == kept


def test_own_rows_have_the_documented_keys() -> None:
    ulid = MessageId("01K9A3YQ1V0000000000000000")
    parts = ThreadMessage.time_parts(ulid)
    rows: dict[str, Entity] = {
        f"THR#thrd_1 / MSG#{parts['iso']}#{ulid}": ThreadMessage(
            room_id=RoomId("thrd_1"), message_id=ulid, author_id=UserId("usr_1"), **parts
        ),
        f"THR#thrd_1 / CARD#{ulid}": Card(
            room_id=RoomId("thrd_1"),
            message_id=ulid,
            type="offer",
            state="open",
            created_by=UserId("usr_1"),
            created_as="buyer",
        ),
        "THR#thrd_1 / TAB#docs": Tab(room_id=RoomId("thrd_1"), tab="docs"),
        "THR#thrd_1 / PART#usr_1": Participant(room_id=RoomId("thrd_1"), user_id=UserId("usr_1"), role_context="buyer"),
    }
    for key, row in rows.items():
        item = row.to_item(LAYOUT)
        assert f"{item['pk']} / {item['sk']}" == key
    assert len(parts["iso"]) == len(SENT)


# A env made only of such rows

BEA = Actor.of_user(UserId("usr_1"), "bea")
SAL = Actor.of_user(UserId("usr_2"), "sal")
OLD = RoomId("thrd_1")


@pytest.fixture
async def old_deal(app: Sobremesa) -> Deal:
    names = ("a thread", "a participant", "the other participant", "a message", "an action", "a tab")
    await put(app, *(SAMPLES[name][1] for name in names))
    return Deal(app, OLD, BEA, SAL, BEA, await new_person(app, "sam"))


async def test_thread_of_another_writer_is_read_and_continued(old_deal: Deal) -> None:
    rooms = old_deal.app.threads

    first = await rooms.page(BEA, OLD, limit=1)
    assert [message.message_id for message in first.messages] == ["msg_2"]
    assert (first.messages[0].action or {}).get("state") == "open"
    rest = await rooms.page(BEA, OLD, limit=5, cursor=first.cursor)
    assert [message.content for message in rest.messages] == ["sanitized markdown or plaintext"]

    sent = await old_deal.send(SAL, "still there?")
    assert await old_deal.contents() == ["sanitized markdown or plaintext", "", "still there?"]
    assert (await old_deal.thread()).last_message_id == sent.message_id
    # The document's buyer has read up to its message; what came after it is unread, and is read from here on.
    assert (await rooms.unread(BEA, OLD)).count == 2
    assert (await rooms.mark_read(BEA, OLD, sent.message_id)).unread.count == 0
    participant = await old_deal.participant(SAL)
    assert participant is not None
    assert participant.last_read_message_id is None, "the seller had not seen the older messages"


async def test_inbox_and_references_of_another_writer_list_the_thread(old_deal: Deal, clock: Ahead) -> None:
    threads = old_deal.app.threads
    for who, role, muted in ((BEA, "buyer", False), (SAL, "seller", True)):
        [listed] = (await threads.list_threads(who, limit=5))[0]
        assert listed.thread.room_id == OLD
        assert listed.participant is not None
        assert (listed.participant.role_context, listed.participant.muted) == (role, muted)
    about: dict[str, Any] = {"lbg_id": "lbg_1", "leg_id": None}
    assert len((await threads.list_about(BEA, **about, limit=5))[0]) == 1

    brief = await old_deal.app.threads.tabs.get(BEA, OLD, "brief")
    assert (brief.content, brief.source_version) == ({"title": "A kitchen", "budget": 12.5}, 0)
    await old_deal.app.threads.tabs.put(BEA, OLD, "brief", {"title": "Two kitchens"}, source_version=1)
    created = await old_deal.app.threads.cards.create(BEA, OLD, type="offer", payload={"amount": 1, "currency": "EUR"})
    await old_deal.app.threads.cards.move(SAL, OLD, created.message_id, to="accepted", version=1)
    until = clock.now_ms() + 60_000
    silenced = await old_deal.app.threads.participants.change(BEA, OLD, SAL.user_id, blocked_until=at(until))
    assert silenced.blocked_until == instant(until)
    await threads.set_status(BEA, OLD, "locked")
    with pytest.raises(ThreadNotOpen):
        await old_deal.send(BEA, "closed")


async def test_adding_a_participant_creates_a_missing_participants_list(old_deal: Deal) -> None:
    app = old_deal.app
    await app.table.write(Update((await old_deal.thread()).own_key(), set_to(participants=None)))
    helper = await new_person(app, "hal")

    await app.threads.participants.add(BEA, OLD, helper.user_id, "buyer")
    sent = await old_deal.send(SAL, "welcome")

    assert set((await old_deal.thread()).participants) == {BEA.user_id, SAL.user_id, helper.user_id}
    for who in (BEA, SAL, helper):
        participant = await old_deal.participant(who)
        assert participant is not None
        assert participant.last_message_at == sent.created_at


async def test_unreadable_row_delays_no_other_thread(old_deal: Deal) -> None:
    app = old_deal.app
    odd: Item = {"pk": f"THR#{OLD}", "sk": "PART#usr_9", "roleContext": "observer"}
    await put(app, odd)
    other = await strike_deal(app)
    for deal in (old_deal, other):
        await app.table.write(Update((await deal.thread()).own_key(), set_to(participants=None)))
        await put(app, (await deal.thread()).to_item(app.table.layout) | {"lastMessageAt": "2999-01-01T00:00:00.000Z"})

    await app.change_consumer.catch_up()

    participant = await other.participant(other.seller)
    assert participant is not None
    assert participant.last_message_at == "2999-01-01T00:00:00.000Z"


async def test_send_works_with_a_duplicate_in_the_participants_list(old_deal: Deal) -> None:
    twice = [BEA.user_id, SAL.user_id, BEA.user_id]
    await old_deal.app.table.write(Update((await old_deal.thread()).own_key(), set_to(participants=twice)))

    sent = await old_deal.send(SAL, "hello")

    participant = await old_deal.participant(BEA)
    assert participant is not None
    assert participant.last_message_at == sent.created_at


@pytest.mark.parametrize("content", [{"offers": 1}, ["msg_2"], "none yet"])
async def test_card_is_added_to_an_actions_tab_of_another_writer(old_deal: Deal, content: Any) -> None:
    await old_deal.app.table.write(Put(Tab(room_id=OLD, tab="actions", content=content)))

    created = await old_deal.app.threads.cards.create(BEA, OLD, type="offer", payload={"amount": 1, "currency": "EUR"})

    shown = (await old_deal.app.threads.tabs.get(SAL, OLD, "actions")).content
    assert [entry["messageId"] for entry in shown] == [created.message_id]


async def test_card_with_only_the_documented_attributes_is_read_listed_and_moved(old_deal: Deal) -> None:
    app, sent = old_deal.app, await old_deal.send(SAL, "an offer")
    documented = {"type": "offer", "payload": {"amount": 1, "expiresAt": None}, "state": "open", "version": 1}
    for message_id in (sent.message_id, "msg_2", "msg_9"):
        await put(app, {"pk": f"THR#{OLD}", "sk": f"CARD#{message_id}", **documented, "createdBy": None})

    cards, _ = await app.threads.cards.list_cards(BEA, OLD, limit=10)

    assert {card.message_id for card in cards} == {sent.message_id, "msg_2", "msg_9"}
    card = await app.threads.cards.get(BEA, OLD, sent.message_id)
    assert (card.created_by, card.created_as, card.created_at) == (SAL.user_id, "seller", sent.created_at)
    with pytest.raises(Forbidden):
        await app.threads.cards.move(SAL, OLD, sent.message_id, to="accepted", version=1)
    assert (await app.threads.cards.move(BEA, OLD, sent.message_id, to="accepted", version=1)).state == "accepted"
    assert (await app.threads.cards.move(BEA, OLD, MessageId("msg_9"), to="declined", version=1)).version == 2


async def test_card_of_another_writer_expires_by_its_payload(old_deal: Deal) -> None:
    payload = {"amount": 1, "expiresAt": "2025-11-06T00:00:00Z"}
    row = {"pk": f"THR#{OLD}", "sk": "CARD#msg_9", "type": "offer", "payload": payload, "state": "open", "version": 1}
    await put(old_deal.app, row)

    with pytest.raises(CardFinished):
        await old_deal.app.threads.cards.move(BEA, OLD, MessageId("msg_9"), to="accepted", version=1)
