"""Moderation applies to threads as to other rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from cheap import CHEAP
from moderation.environment import ADMIN, Script, cases
from sobremesa.app import Sobremesa
from sobremesa.core.clock import EPOCH
from sobremesa.core.errors import Invalid, NotFound
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.threads.entities import Card
from sobremesa.domains.threads.views import card_view
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.views import FlagsView
from threads.conftest import Ahead
from threads.environment import Deal, strike_deal


async def test_messages_of_threads_are_judged_and_reviewed(store: str, clock: Ahead) -> None:
    judge = Script()
    settings = Settings(**CHEAP, rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, judge=judge, background=False) as app:
        deal = await strike_deal(app, "project", safe_mode_required=True)
        judge.returns(Verdict("flagged", ["rude"]))
        flagged = await deal.send(deal.buyer, "you again")

        assert [content.room_kind for content in judge.asked] == ["thread"]
        rooms = app.threads
        assert (await rooms.get_message(deal.seller, deal.thread_id, flagged.message_id)).content == ""
        assert (await rooms.get_message(deal.admin, deal.thread_id, flagged.message_id)).content == "you again"
        assert (await rooms.unread(deal.seller, deal.thread_id)).count == 0
        [case] = await cases(app)
        assert (case.room_kind, case.message_id) == ("thread", flagged.message_id)

        await app.moderation.decide(ADMIN, case.case_id, "approve")
        assert (await rooms.get_message(deal.seller, deal.thread_id, flagged.message_id)).content == "you again"
        judge.returns(Verdict())
        offer = {"amount": 1, "currency": "EUR", "note": "Last price"}
        card = await app.threads.cards.create(deal.buyer, deal.thread_id, type="offer", payload=offer)
        await rooms.report(deal.seller, deal.thread_id, card.message_id, "That is no price")
        [case] = await cases(app)
        await app.moderation.decide(ADMIN, case.case_id, "block")
        assert (await rooms.get_message(deal.seller, deal.thread_id, card.message_id)).action is None


OFFER = {"amount": 100, "currency": "EUR", "note": "Take it, you donkey"}
WITHHELD = FlagsView("blocked", [])
FOUND = FlagsView("blocked", ["insults"])


async def finds_donkeys(content: JudgedContent) -> Verdict:
    return Verdict("blocked", ["insults"]) if "donkey" in " ".join(content.texts) else CLEAR


@pytest.fixture
async def judged(store: str, clock: Ahead) -> AsyncIterator[Deal]:
    """A deal whose judge blocks any text with a donkey in it."""
    judge = Script()
    judge.answer = finds_donkeys
    settings = Settings(**CHEAP, rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, judge=judge, background=False) as app:
        yield await strike_deal(app, "project")


def shown(card: Card) -> tuple[dict[str, Any], FlagsView | None]:
    view = card_view(card, EPOCH)
    return view.payload, view.flags


async def test_blocked_card_shows_its_payload_to_its_author_and_moderators_only(judged: Deal) -> None:
    app, room = judged.app, judged.thread_id
    card = await app.threads.cards.create(judged.buyer, room, type="offer", payload=OFFER)
    assert shown(card) == (OFFER, FOUND)

    for who, sees in [(judged.buyer, (OFFER, FOUND)), (judged.admin, (OFFER, FOUND)), (judged.seller, ({}, WITHHELD))]:
        assert shown(await app.threads.cards.get(who, room, card.message_id)) == sees
        [listed], _ = await app.threads.cards.list_cards(who, room, limit=10)
        assert shown(listed) == sees
        tab = await app.threads.tabs.get(who, room, "actions")
        assert "donkey" not in str(tab.content)
    for version in (1, 7):
        with pytest.raises(NotFound):
            await app.threads.cards.move(judged.seller, room, card.message_id, to="accepted", version=version)
    answer = {**OFFER, "note": "ok", "answers": card.message_id}
    with pytest.raises(Invalid):
        await app.threads.cards.create(judged.seller, room, type="counter-offer", payload=answer)


async def test_case_of_a_card_shows_its_payload_and_an_approval_shows_the_card_again(judged: Deal) -> None:
    app, room = judged.app, judged.thread_id
    card = await app.threads.cards.create(judged.buyer, room, type="offer", payload=OFFER)
    [case] = await cases(app)
    assert (case.subject, case.verdict, case.reason) == ("card", "blocked", "insults")
    assert case.message is not None
    assert case.message.action is not None
    assert case.message.action["payload"] == OFFER

    await app.moderation.decide(ADMIN, case.case_id, "approve")

    assert shown(await app.threads.cards.get(judged.seller, room, card.message_id)) == (OFFER, None)
    assert (
        await app.threads.cards.move(judged.seller, room, card.message_id, to="accepted", version=1)
    ).state == "accepted"


async def test_card_that_a_moderator_blocks_is_withheld(judged: Deal) -> None:
    app, room = judged.app, judged.thread_id
    card = await app.threads.cards.create(judged.buyer, room, type="offer", payload={**OFFER, "note": "Cheap"})
    await app.threads.report(judged.seller, room, card.message_id, "a scam")
    [case] = await cases(app)

    await app.moderation.decide(ADMIN, case.case_id, "block")

    assert shown(await app.threads.cards.get(judged.seller, room, card.message_id)) == ({}, WITHHELD)


async def test_note_of_a_transition_is_judged_and_the_card_moves(judged: Deal) -> None:
    app, room = judged.app, judged.thread_id
    card = await app.threads.cards.create(judged.buyer, room, type="offer", payload={"amount": 1, "currency": "EUR"})

    moved = await app.threads.cards.move(
        judged.seller, room, card.message_id, to="declined", version=1, payload={"note": "No, donkey"}
    )

    assert (moved.state, moved.flags) == ("declined", None)
    page = await app.threads.page(judged.buyer, room, limit=1)
    assert (page.messages[0].action, page.messages[0].flags) == (None, WITHHELD)
    [case] = await cases(app)
    assert case.message is not None
    assert case.message.action is not None
    assert case.message.action["payload"] == {"note": "No, donkey"}


async def test_renewed_payload_is_judged_and_blocked_stays_until_a_moderator_approves(judged: Deal) -> None:
    app, room = judged.app, judged.thread_id
    card = await app.threads.cards.create(judged.seller, room, type="delivery", payload={"title": "Prints"})
    await app.threads.cards.move(judged.buyer, room, card.message_id, to="revision-requested", version=1)
    again = await app.threads.cards.move(
        judged.seller, room, card.message_id, to="submitted", version=2, payload={"title": "Donkey prints, donkey"}
    )
    assert shown(again) == ({"title": "Donkey prints, donkey"}, FOUND)
    assert shown(await app.threads.cards.get(judged.buyer, room, card.message_id)) == ({}, WITHHELD)

    [case] = await cases(app)
    await app.moderation.decide(ADMIN, case.case_id, "approve")

    assert shown(await app.threads.cards.get(judged.buyer, room, card.message_id)) == (
        {"title": "Donkey prints, donkey"},
        None,
    )


async def test_tab_is_judged_withheld_and_decided_about(judged: Deal, clock: Ahead) -> None:
    app, room = judged.app, judged.thread_id
    content = {"shots": [{"title": "The donkey"}]}
    await app.threads.tabs.put(judged.buyer, room, "shotlist", content, source_version=1)

    for who, sees in [(judged.buyer, content), (judged.admin, content), (judged.seller, None)]:
        assert (await app.threads.tabs.get(who, room, "shotlist")).content == sees
        [tab] = await app.threads.tabs.open_panel(who, room)
        assert tab.content == sees
    clock.move(seconds=1)
    await app.threads.tabs.put(judged.buyer, room, "shotlist", {"shots": []}, source_version=2)
    assert (await app.threads.tabs.get(judged.seller, room, "shotlist")).content is None, "blocked stays blocked"

    newest, first = await cases(app)
    assert (first.subject, first.message_id, first.reason) == ("tab", None, "insults")
    assert newest.tab is not None
    assert (newest.tab.tab, newest.tab.content) == ("shotlist", {"shots": []})
    await app.moderation.decide(ADMIN, first.case_id, "approve")
    assert (await app.threads.tabs.get(judged.seller, room, "shotlist")).content is None, (
        "it was about the content before"
    )
    await app.moderation.decide(ADMIN, newest.case_id, "approve")
    assert (await app.threads.tabs.get(judged.seller, room, "shotlist")).content == {"shots": []}


async def test_name_of_a_file_is_judged(judged: Deal) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"a text"

    app, room = judged.app, judged.thread_id
    file = await app.attachments.receive(judged.buyer, UploadedFile("you donkey.txt", "", pieces()))
    sent = await judged.send(judged.buyer, "", attachments=[file.file_id])

    assert sent.flags == FOUND
    assert (await app.threads.get_message(judged.seller, room, sent.message_id)).attachments == []


async def test_messages_of_threads_store_what_moderation_found(judged: Deal) -> None:
    clean, found = await judged.send(judged.buyer, "hello"), await judged.send(judged.buyer, "donkey")
    rows = {row["sk"][-26:]: row for row in await judged.rows() if row["sk"].startswith("MSG#")}

    assert rows[clean.message_id]["flags"] == {"moderation": "clean", "policyHints": []}
    assert rows[clean.message_id]["nsfwBand"] == 0
    assert rows[found.message_id]["flags"] == {"moderation": "blocked", "policyHints": ["insults"]}
    assert (clean.flags, clean.nsfw_band) == (None, None)
