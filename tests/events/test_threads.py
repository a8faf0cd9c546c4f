"""The events of threads, their participants, cards and tabs, and their audience."""

from __future__ import annotations

import pytest

from events.recorder import (
    EventRecorder,
    Published,
    added_members,
    event_of,
    full,
    named,
    names,
    published,
    removed_members,
)
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.domains.threads.views import card_view, tab_view
from sobremesa.live import events as topics
from sobremesa.live.events import TopicMembership, TopicRemoval
from sobremesa.rooms.entities import Flags
from sobremesa.table import Update, set_to
from threads.environment import PLATFORM, Deal, at, strike_deal


@pytest.fixture
async def deal(app: Sobremesa) -> Deal:
    return await strike_deal(app)


@pytest.fixture
async def recorder(deal: Deal, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


async def test_thread_created_is_published_to_both_sides(app: Sobremesa, recorder: EventRecorder) -> None:
    deal = await strike_deal(app)
    events = await recorder.publications()

    topic = topics.thread(deal.thread_id)
    created = {published(each).topics: published(each).d for each in named(events, "thread.created")}
    assert set(created) == {(topics.user(who.user_id),) for who in (deal.buyer, deal.seller, deal.admin)}
    [shown, *_] = created.values()
    assert (shown["threadId"], shown["status"]) == (deal.thread_id, "open")
    assert shown.keys().isdisjoint({"roleContext", "muted", "unread"})
    assert set(added_members(events)) == {
        TopicMembership(deal.buyer.user_id, topic, moderates=False),
        TopicMembership(deal.seller.user_id, topic, moderates=False),
        TopicMembership(deal.admin.user_id, topic, moderates=True),
    }
    assert not [each for each in added_members(events) if each.user_id == PLATFORM.user_id]


async def test_locking_causes_thread_updated_and_a_new_message_does_not(deal: Deal, recorder: EventRecorder) -> None:
    await deal.send(deal.buyer, "hello")
    assert sorted(names(await recorder.publications())) == ["message.created", "read.updated"]

    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "locked")
    events = {each.t: each for each in await recorder.published()}
    assert events["message.created"].d["type"] == "system"
    locked = events["thread.updated"]
    assert locked[:2] == ("thread.updated", (topics.thread(deal.thread_id),))
    assert (locked.d["status"], locked.d["lockedBy"]) == ("locked", deal.buyer.user_id)


async def test_participants_joining_blocked_and_leaving_are_published_to_all(
    deal: Deal, recorder: EventRecorder, clock: SetClock
) -> None:
    topic = topics.thread(deal.thread_id)
    gus = await deal.join("gus", "buyer")
    joined = {each.t: each for each in await recorder.published()}
    assert joined.pop("message.created").d["content"] == "Joined the thread."
    assert joined.pop("read.updated").d["userId"] == gus.user_id
    assert joined.keys() == {"thread.created", "participant.joined", "thread.updated"}
    assert joined["thread.updated"].d["participants"][-1] == gus.user_id
    assert joined["participant.joined"] == Published(
        "participant.joined",
        (topic,),
        {
            "roomKind": "thread",
            "roomId": deal.thread_id,
            "userId": gus.user_id,
            "username": "gus",
            "displayName": None,
            "avatarUrl": None,
            "role": "buyer",
            "joinedAt": joined["participant.joined"].d["joinedAt"],
            "blockedUntil": None,
        },
    )

    until = at(clock.now_ms() + 60_000)
    await deal.app.threads.participants.change(deal.seller, deal.thread_id, gus.user_id, blocked_until=until)
    [silenced] = await recorder.published()
    assert silenced.t == "participant.updated"
    assert silenced.d["blockedUntil"] is not None

    await deal.app.threads.participants.remove(gus, deal.thread_id, gus.user_id)
    events = await recorder.publications()
    assert sorted(names(events)) == ["message.created", "participant.left", "thread.updated"]
    assert removed_members(events) == [TopicRemoval(gus.user_id, topic)]


async def test_card_updated_is_published_on_creation_and_transition(deal: Deal, recorder: EventRecorder) -> None:
    cards = deal.app.threads.cards
    card = await cards.create(deal.seller, deal.thread_id, type="offer", payload={"amount": 100, "currency": "EUR"})
    moved = await cards.move(deal.buyer, deal.thread_id, card.message_id, to="accepted", version=card.version)
    events = [each for each in await recorder.published() if each.t == "card.updated"]

    assert [(each.topics, each.d["state"], each.d["version"]) for each in events] == [
        ((topics.thread(deal.thread_id),), card.state, 1),
        ((topics.thread(deal.thread_id),), moved.state, moved.version),
    ]


async def test_expired_card_is_published_with_its_current_state(
    deal: Deal, recorder: EventRecorder, clock: SetClock
) -> None:
    soon = at(clock.now_ms() + 60_000).isoformat()
    payload = {"amount": 100, "currency": "EUR", "expiresAt": soon}
    card = await deal.app.threads.cards.create(deal.seller, deal.thread_id, type="offer", payload=payload)
    changes = await recorder.changes()

    clock.move(seconds=120)
    events = [published(each) for each in named(await recorder.translated(changes), "card.updated")]

    assert [each.d["state"] for each in events] == ["expired"]
    assert card_view(card, card.created_at).state != "expired"


async def test_tab_updated_equals_the_tab_in_the_panel(deal: Deal, recorder: EventRecorder) -> None:
    tab = await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "brief", {"what": "cake"}, source_version=1)
    [shown] = await recorder.published()

    view = tab_view(tab)
    assert shown[:2] == ("tab.updated", (topics.thread(deal.thread_id),))
    assert (shown.d["content"], shown.d["sourceVersion"]) == (view.content, view.source_version)


async def test_withheld_cards_and_tabs_are_published_to_author_and_moderators(
    deal: Deal, recorder: EventRecorder
) -> None:
    offer = {"amount": 1, "currency": "EUR"}
    card = await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="offer", payload=offer)
    tab = await deal.app.threads.tabs.put(deal.buyer, deal.thread_id, "brief", {"title": "x"}, source_version=1)
    await recorder.start()
    blocked = set_to(flags=Flags(moderation="blocked", policy_hints=["insults"]))
    await deal.app.table.write(Update(card.own_key(), blocked))
    await deal.app.table.write(Update(tab.own_key(), blocked))

    of_card, of_tab = await recorder.publications()

    bare, whole = published(of_card).d, full(of_card)
    assert (bare["payload"], bare["flags"]) == ({}, {"moderation": "blocked", "policyHints": []})
    assert (whole["payload"], whole["flags"]["policyHints"]) == (offer, ["insults"])
    assert (published(of_tab).d["content"], full(of_tab)["content"]) == (None, {"title": "x"})
    assert event_of(of_card).author == event_of(of_tab).author == deal.buyer.user_id
