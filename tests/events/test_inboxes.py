"""The events of inboxes, and their audience."""

from __future__ import annotations

import msgspec
import pytest

from events.recorder import EventRecorder, Published, events_of, named, published
from inboxes.shop import ANA, BEN, KEY, NEWS, SHOP, Shop
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SetClock, instant, milliseconds
from sobremesa.domains.inboxes.editing import Edit
from sobremesa.live import events as topics
from sobremesa.live.events import Event, Publication

OWN = (topics.user(ANA.user_id),)
REFERENCE = msgspec.json.encode({"tenant": SHOP, "inbox": NEWS})


@pytest.fixture
async def shop(app: Sobremesa, clock: SetClock) -> Shop:
    shop = Shop(app, clock)
    await shop.create_users(ANA, BEN)
    return shop


def apart(publications: list[Publication]) -> tuple[list[Published], list[Event]]:
    """Split events into messages and changed counts."""
    counts = named(publications, "inbox.counts")
    return [published(each) for each in publications if each not in counts], events_of(counts)


async def test_message_is_published_to_its_recipient(shop: Shop, recorder: EventRecorder) -> None:
    message_id = await shop.send(ANA, title="Your parcel", category="offers")
    messages, counts = apart(await recorder.publications())

    [message] = messages
    assert message[:2] == ("inbox.message", OWN)
    assert message.d | {"receivedAt": ""} == {
        "tenant": SHOP,
        "inbox": NEWS,
        "messageId": message_id,
        "sender": "shop",
        "title": "Your parcel",
        "body": "Something new",
        "category": "offers",
        "ctaUri": None,
        "readAt": None,
        "archivedAt": None,
        "snoozedUntil": None,
        "receivedAt": "",
        "expiresAt": None,
        "audience": "users",
    }
    assert counts == [Event(t="inbox.counts", d=REFERENCE, topics=OWN, is_reference=True)]


async def test_broadcast_is_published_to_the_tenant(shop: Shop, recorder: EventRecorder) -> None:
    message_id = await shop.send(title="We are open")
    messages, counts = apart(await recorder.publications())

    assert [each[:2] for each in messages] == [("inbox.message", (topics.tenant(SHOP),))]
    assert messages[0].d["audience"] == "everyone"
    changed = msgspec.json.encode({**msgspec.json.decode(REFERENCE), "broadcast": message_id})
    assert [(each.topics, each.d) for each in counts] == [((topics.tenant(SHOP),), changed)]


@pytest.mark.parametrize("to", [[ANA], []], ids=["to her", "to everyone"])
async def test_recall_is_published_to_those_who_had_the_message(
    shop: Shop, recorder: EventRecorder, to: list[Actor]
) -> None:
    message_id = await shop.send(*to)
    await recorder.publications()

    await shop.inboxes.recall(KEY, SHOP, NEWS, message_id)
    messages, counts = apart(await recorder.publications())

    topic = topics.user(ANA.user_id) if to else topics.tenant(SHOP)
    assert [each[:2] for each in messages] == [("inbox.recalled", (topic,))]
    assert messages[0].d == {"tenant": SHOP, "inbox": NEWS, "messageId": message_id}
    assert [each.topics for each in counts] == [(topic,)]


@pytest.mark.parametrize("to", [[ANA], []], ids=["to her", "to everyone"])
async def test_update_is_published_to_those_who_have_the_message(
    shop: Shop, recorder: EventRecorder, to: list[Actor]
) -> None:
    message_id = await shop.send(*to)
    await recorder.publications()

    for _ in range(2):
        await shop.inboxes.update(KEY, SHOP, NEWS, message_id, Edit(title="Corrected"))
    messages, counts = apart(await recorder.publications())

    topic = topics.user(ANA.user_id) if to else topics.tenant(SHOP)
    assert [each[:2] for each in messages] == [("inbox.edited", (topic,))]
    content = {"sender": "shop", "title": "Corrected", "body": "Something new", "ctaUri": None}
    assert messages[0].d == {"tenant": SHOP, "inbox": NEWS, "messageId": message_id} | content
    assert counts == []


@pytest.mark.parametrize("to", [[ANA], []], ids=["to her", "to everyone"])
async def test_marking_a_message_is_published_to_the_user(
    shop: Shop, recorder: EventRecorder, clock: SetClock, to: list[Actor]
) -> None:
    message_id = await shop.send(*to)
    await recorder.publications()

    await shop.read(ANA, message_id)
    await shop.read(ANA, message_id)
    await shop.snooze(ANA, message_id, seconds=60)
    await shop.archive(ANA, message_id)
    messages, counts = apart(await recorder.publications())

    assert [each[:2] for each in messages] == [("inbox.updated", OWN)] * 3
    read, snoozed, archived = (each.d for each in messages)
    assert read["messageId"] == message_id
    now = clock.now_ms()
    assert (read["readAt"], read["archivedAt"], read["snoozedUntil"]) == (instant(now), None, None)
    # A snooze ends at a whole second.
    assert now + 60_000 <= milliseconds(snoozed["snoozedUntil"]) < now + 61_000
    assert (archived["archivedAt"], archived["snoozedUntil"]) == (instant(now), None)
    assert {each.topics for each in counts} == {OWN}


async def test_end_of_a_snooze_is_published(shop: Shop, recorder: EventRecorder, clock: SetClock) -> None:
    message_id = await shop.send(ANA)
    await shop.snooze(ANA, message_id, seconds=60)
    await recorder.publications()

    clock.move(seconds=61)
    await shop.count(ANA)
    messages, counts = apart(await recorder.publications())

    assert [(each.t, each.d["snoozedUntil"]) for each in messages] == [("inbox.updated", None)]
    assert counts


async def test_a_muted_category_changes_the_counts(shop: Shop, recorder: EventRecorder) -> None:
    await shop.send(ANA, category="offers")
    await recorder.publications()

    for muted in (True, True, False):
        await shop.mute(ANA, "offers", muted=muted)
    messages, counts = apart(await recorder.publications())

    assert messages == []
    assert [(each.topics, each.d) for each in counts] == [(OWN, REFERENCE)] * 2
