"""Cards: created and moved by two sides, one winner each time, and an exact actions tab."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
import pytest

from cheap import CHEAP
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant
from sobremesa.core.errors import Forbidden, Invalid, NotFound, Refusal, TooBig
from sobremesa.core.ids import MessageId
from sobremesa.core.settings import Settings
from sobremesa.domains.threads.card_types import CardType, Payload, Transition, as_of
from sobremesa.domains.threads.entities import Card
from sobremesa.domains.threads.errors import (
    CardChanged,
    CardFinished,
    NoSuchTransition,
    NotInFuture,
    ThreadNotOpen,
    UnknownCardType,
)
from sobremesa.domains.threads.moments import Moment
from sobremesa.rooms.errors import PartOfRecord
from sobremesa.table import Update, set_to
from sobremesa.work.idempotency import KeyReused
from threads.conftest import Ahead
from threads.environment import Deal, strike_deal

PRICE = {"amount": 25_000, "currency": "EUR"}


async def offer(deal: Deal, who: Actor | None = None, **more: Any) -> Card:
    return await deal.app.threads.cards.create(who or deal.seller, deal.thread_id, type="offer", payload=PRICE | more)


async def move(deal: Deal, who: Actor, card: Card, to: str, version: int | None = None, **more: Any) -> Card:
    return await deal.app.threads.cards.move(
        who, deal.thread_id, card.message_id, to=to, version=version or card.version, **more
    )


async def state_of(deal: Deal, card: Card) -> str:
    return (await deal.app.threads.cards.get(deal.buyer, deal.thread_id, card.message_id)).state


async def assert_tab_is_the_same(deal: Deal) -> None:
    """Assert that the actions tab agrees with every card."""
    cards, _ = await deal.app.threads.cards.list_cards(deal.buyer, deal.thread_id, limit=100)
    now = deal.app.threads.cards.now()
    expected = [(card.message_id, card.type, as_of(card, now).state, card.version, card.created_by) for card in cards]
    tab = await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "actions")
    shown = [
        (one["messageId"], one["type"], one["state"], one["version"], one["createdBy"]) for one in tab.content or []
    ]
    assert shown == expected


async def test_offer_is_a_message_a_card_and_an_entry_of_the_tab(deal: Deal) -> None:
    card = await offer(deal, note="Two days")

    assert (card.type, card.state, card.version, card.created_by) == ("offer", "open", 1, deal.seller.user_id)
    [message] = (await deal.app.threads.page(deal.buyer, deal.thread_id, limit=5)).messages
    assert (message.message_id, message.type, message.content) == (card.message_id, "action", "offer: open")
    assert message.action == {"type": "offer", "payload": PRICE | {"note": "Two days"}, "state": "open", "version": 1}
    assert (await deal.app.threads.unread(deal.buyer, deal.thread_id)).count == 1
    assert (await deal.app.threads.unread(deal.seller, deal.thread_id)).count == 0
    await assert_tab_is_the_same(deal)

    moved = await move(deal, deal.buyer, card, "accepted", payload={"note": "Gladly"})
    assert (moved.state, moved.version, moved.payload) == ("accepted", 2, PRICE | {"note": "Two days"})
    assert await deal.app.threads.cards.get(deal.seller, deal.thread_id, card.message_id) == moved
    newest = (await deal.app.threads.page(deal.buyer, deal.thread_id, limit=1)).messages[0]
    assert (newest.type, newest.reply_to, newest.author_id) == ("action", card.message_id, deal.buyer.user_id)
    assert newest.action == {
        "cardId": card.message_id,
        "type": "offer",
        "payload": {"note": "Gladly"},
        "state": "accepted",
        "version": 2,
    }
    await assert_tab_is_the_same(deal)


async def test_concurrent_accept_and_decline_have_one_winner_and_the_other_gets_the_current_state(deal: Deal) -> None:
    for _ in range(5):
        card = await offer(deal)
        outcomes = await asyncio.gather(
            move(deal, deal.buyer, card, "accepted"),
            move(deal, deal.buyer, card, "declined"),
            move(deal, deal.seller, card, "withdrawn"),
            return_exceptions=True,
        )

        [won] = [one for one in outcomes if isinstance(one, Card)]
        lost = [one for one in outcomes if not isinstance(one, Card)]
        assert [type(one) for one in lost] == [CardChanged, CardChanged]
        for one in lost:
            assert isinstance(one, CardChanged)
            current = one.data["current"]
            assert (current.state, current.version, current.message_id) == (won.state, 2, card.message_id)
        assert await state_of(deal, card) == won.state
        await assert_tab_is_the_same(deal)
    moves = [
        message
        for message in (await deal.app.threads.page(deal.buyer, deal.thread_id, limit=100)).messages
        if message.action and "cardId" in message.action
    ]
    assert len(moves) == 5, "only transitions that happened have a message"


async def test_card_moved_by_another_program_between_read_and_write_is_not_moved_again(
    deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card's own version decides, whatever the tab contains."""
    card = await offer(deal)
    write = deal.app.table.write

    async def overtaken(*operations: Any, **options: Any) -> Any:
        monkeypatch.setattr(deal.app.table, "write", write)
        await write(Update(card.own_key(), set_to(state="declined", version=2)))
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", overtaken)
    with pytest.raises(CardChanged) as refused:
        await move(deal, deal.buyer, card, "accepted")

    assert (refused.value.data["current"].state, await state_of(deal, card)) == ("declined", "declined")


async def test_concurrent_cards_all_appear_in_the_tab(deal: Deal) -> None:
    created = await asyncio.gather(*(offer(deal, (deal.buyer, deal.seller)[number % 2]) for number in range(8)))
    await assert_tab_is_the_same(deal)

    await asyncio.gather(
        *(move(deal, (deal.seller, deal.buyer)[number % 2], card, "accepted") for number, card in enumerate(created))
    )
    await assert_tab_is_the_same(deal)
    tab = await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "actions")
    assert tab.source_version == 16


async def test_stale_version_and_final_card_are_refused_with_the_current_card(deal: Deal) -> None:
    card = await offer(deal)
    done = await move(deal, deal.buyer, card, "declined")

    with pytest.raises(CardChanged) as stale:
        await move(deal, deal.buyer, card, "accepted")
    assert stale.value.data["current"].state == "declined"
    with pytest.raises(CardFinished) as finished:
        await move(deal, deal.buyer, done, "accepted")
    assert finished.value.data["current"].version == 2
    with pytest.raises(CardChanged):
        await move(deal, deal.buyer, done, "accepted", version=7)


async def test_only_allowed_users_move_an_offer(deal: Deal) -> None:
    card = await offer(deal, deal.seller)
    colleague = await deal.join("col", "seller")
    helper = await deal.join("hal", "buyer")

    for who, to in (
        (deal.seller, "accepted"),
        (colleague, "accepted"),
        (deal.admin, "accepted"),
        (deal.buyer, "withdrawn"),
        (colleague, "withdrawn"),
    ):
        with pytest.raises(Forbidden):
            await move(deal, who, card, to)
    for to in ("countered", "expired", "nowhere"):
        with pytest.raises(NoSuchTransition):
            await move(deal, deal.buyer, card, to)
    with pytest.raises(NotFound):
        await move(deal, deal.stranger, card, "accepted")
    with pytest.raises(NotFound):
        await deal.app.threads.cards.create(deal.stranger, deal.thread_id, type="offer", payload=PRICE)
    with pytest.raises(Forbidden):
        await offer(deal, deal.admin)
    assert await state_of(deal, card) == "open"
    assert (await move(deal, helper, card, "accepted")).state == "accepted"


async def test_expiry_needs_no_write(deal: Deal, clock: Ahead) -> None:
    ends = clock.now_ms() + 60_000
    card = await offer(deal, expiresAt=instant(ends))
    assert card.payload["expiresAt"] == instant(ends)
    other = await offer(deal, expiresAt=instant(ends))
    await move(deal, deal.buyer, other, "accepted")

    clock.move(seconds=61)
    now = deal.app.threads.cards.now()
    assert as_of(await deal.app.threads.cards.get(deal.buyer, deal.thread_id, card.message_id), now).state == "expired"
    assert (
        as_of(await deal.app.threads.cards.get(deal.buyer, deal.thread_id, other.message_id), now).state == "accepted"
    )
    with pytest.raises(CardFinished) as refused:
        await move(deal, deal.buyer, card, "accepted")
    assert refused.value.data["current"].state == "expired"
    with pytest.raises(CardFinished):
        await deal.app.threads.cards.create(
            deal.buyer, deal.thread_id, type="counter-offer", payload=PRICE | {"answers": card.message_id}
        )
    await assert_tab_is_the_same(deal)
    tab = await deal.app.threads.tabs.get(deal.buyer, deal.thread_id, "actions")
    assert {one["state"] for one in tab.content} == {"expired", "accepted"}
    with pytest.raises(NotInFuture):
        await offer(deal, expiresAt=instant(clock.now_ms() - 1))


async def test_offer_that_expires_between_read_and_write_is_not_accepted(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = await offer(deal, expiresAt=instant(clock.now_ms() + 60_000))
    send_with = deal.app.threads.send_with

    async def later(*args: Any, **options: Any) -> Any:
        clock.move(seconds=61)
        return await send_with(*args, **options)

    monkeypatch.setattr(deal.app.threads, "send_with", later)
    with pytest.raises(CardFinished) as refused:
        await move(deal, deal.buyer, card, "accepted")

    assert refused.value.data["current"].state == "expired"
    assert await state_of(deal, card) == "open", "nothing was written"


async def test_counter_offer_answers_an_offer_in_one_transaction(deal: Deal) -> None:
    card = await offer(deal, deal.seller)
    answer = PRICE | {"amount": 20_000, "answers": card.message_id}
    with pytest.raises(Forbidden):
        await deal.app.threads.cards.create(deal.seller, deal.thread_id, type="counter-offer", payload=answer)

    counter = await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="counter-offer", payload=answer)

    assert (counter.state, counter.payload["answers"]) == ("open", card.message_id)
    assert await state_of(deal, card) == "countered"
    message = await deal.app.threads.get_message(deal.seller, deal.thread_id, counter.message_id)
    assert message.action is not None
    assert message.action["answered"] == {
        "cardId": card.message_id,
        "type": "offer",
        "state": "countered",
        "version": 2,
    }
    assert message.reply_to == card.message_id
    again = PRICE | {"amount": 22_000, "answers": counter.message_id}
    second = await deal.app.threads.cards.create(deal.seller, deal.thread_id, type="counter-offer", payload=again)
    await move(deal, deal.buyer, second, "accepted")
    await assert_tab_is_the_same(deal)
    with pytest.raises(CardFinished):
        await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="counter-offer", payload=answer)
    for nothing in ("01NOCARD", "x#y", counter.message_id[:-1]):
        with pytest.raises(Invalid):
            await deal.app.threads.cards.create(
                deal.buyer, deal.thread_id, type="counter-offer", payload=PRICE | {"answers": nothing}
            )


async def test_offer_is_accepted_or_countered_but_not_both(deal: Deal) -> None:
    card = await offer(deal, deal.seller)
    answer = PRICE | {"answers": card.message_id}

    outcomes = await asyncio.gather(
        deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="counter-offer", payload=answer),
        move(deal, deal.buyer, card, "accepted"),
        return_exceptions=True,
    )

    assert sum(isinstance(one, Card) for one in outcomes) == 1
    assert sum(isinstance(one, Refusal) for one in outcomes) == 1
    assert await state_of(deal, card) in ("accepted", "countered")
    await assert_tab_is_the_same(deal)


async def test_delivery_is_revised_with_a_new_payload(deal: Deal) -> None:
    create = deal.app.threads.cards.create
    with pytest.raises(Forbidden):
        await create(deal.buyer, deal.thread_id, type="delivery", payload={"title": "x"})
    card = await create(deal.seller, deal.thread_id, type="delivery", payload={"title": "First cut", "files": ["f1"]})

    asked = await move(deal, deal.buyer, card, "revision-requested", payload={"note": "Shorter, please"})
    with pytest.raises(Invalid):
        await move(deal, deal.seller, asked, "submitted", payload={"note": "no title"})
    again = await move(deal, deal.seller, asked, "submitted", payload={"title": "Second cut", "files": ["f2"]})
    assert (again.payload, again.version) == ({"title": "Second cut", "files": ["f2"]}, 3)
    assert (await move(deal, deal.buyer, again, "accepted")).version == 4
    states = [
        (message.action or {}).get("state")
        for message in reversed((await deal.app.threads.page(deal.buyer, deal.thread_id, limit=10)).messages)
    ]
    assert states == ["submitted", "revision-requested", "submitted", "accepted"], "the messages are the history"


async def test_system_applies_its_own_transitions(deal: Deal) -> None:
    card = await deal.app.threads.cards.create(deal.seller, deal.thread_id, type="payment-request", payload=PRICE)
    with pytest.raises(Forbidden):
        await move(deal, deal.buyer, card, "paid")
    with pytest.raises(Forbidden):
        await deal.app.threads.cards.move_as_system(deal.thread_id, card.message_id, to="declined", version=1)

    paid = await deal.app.threads.cards.move_as_system(deal.thread_id, card.message_id, to="paid", version=1)

    assert paid.state == "paid"
    newest = (await deal.app.threads.page(deal.buyer, deal.thread_id, limit=1)).messages[0]
    assert (newest.author_id, newest.username) == ("system", "system")
    assert {item["sk"] for item in await deal.rows() if item["sk"].startswith("PART#")} == {
        f"PART#{who.user_id}" for who in (deal.buyer, deal.seller, deal.admin)
    }
    await assert_tab_is_the_same(deal)


async def test_cards_change_in_an_open_thread_only(deal: Deal) -> None:
    card = await offer(deal)
    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "archived")

    with pytest.raises(ThreadNotOpen):
        await offer(deal)
    with pytest.raises(ThreadNotOpen):
        await move(deal, deal.buyer, card, "accepted")
    with pytest.raises(ThreadNotOpen):
        await deal.app.threads.cards.move_as_system(deal.thread_id, card.message_id, to="accepted", version=1)
    assert await state_of(deal, card) == "open"


async def test_invalid_payloads_are_refused(deal: Deal) -> None:
    wrong: list[dict[str, Any]] = [
        {},
        PRICE | {"amount": 0},
        PRICE | {"amount": 1.5},
        PRICE | {"amount": "25"},
        PRICE | {"currency": "eur"},
        PRICE | {"colour": "blue"},
        PRICE | {"expiresAt": "tomorrow"},
        PRICE | {"expiresAt": "2040-01-01T00:00:00"},
    ]
    for payload in wrong:
        with pytest.raises(Invalid) as refused:
            await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="offer", payload=payload)
        assert refused.value.data["errors"][0]["pointer"].startswith("#/payload")
    backwards = {"startsAt": "2040-01-02T00:00:00Z", "endsAt": "2040-01-01T00:00:00Z"}
    with pytest.raises(Invalid):
        await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="booking", payload=backwards)
    with pytest.raises(UnknownCardType):
        await deal.app.threads.cards.create(deal.buyer, deal.thread_id, type="duel", payload=PRICE)
    assert await deal.contents() == []


async def test_repeated_idempotency_key_creates_one_card(deal: Deal) -> None:
    async def created(amount: int = 1) -> MessageId:
        card = await deal.app.threads.cards.create(
            deal.buyer, deal.thread_id, type="offer", payload=PRICE | {"amount": amount}, key="once"
        )
        return card.message_id

    [card_id] = set(await asyncio.gather(*(created() for _ in range(4))))
    with pytest.raises(KeyReused):
        await created(2)
    assert await deal.contents() == ["offer: open"]
    await deal.app.threads.set_status(deal.seller, deal.thread_id, "locked")
    assert await created() == card_id, "a client that lost the response gets it, also after a lock"


async def test_message_of_a_card_cannot_be_edited_or_deleted(deal: Deal) -> None:
    card = await offer(deal, deal.seller)
    rooms = deal.app.threads

    for who in (deal.seller, deal.admin):
        with pytest.raises(PartOfRecord):
            await rooms.delete_message(who, deal.thread_id, card.message_id)
    with pytest.raises(PartOfRecord):
        await rooms.edit(deal.seller, deal.thread_id, card.message_id, "half price!")


async def test_cards_are_listed_page_by_page(deal: Deal) -> None:
    created = [await offer(deal) for _ in range(5)]
    found: list[MessageId] = []
    cursor = None
    while True:
        cards, cursor = await deal.app.threads.cards.list_cards(deal.buyer, deal.thread_id, limit=2, cursor=cursor)
        found += [card.message_id for card in cards]
        if cursor is None:
            break

    assert found == [card.message_id for card in reversed(created)]
    with pytest.raises(NotFound):
        await deal.app.threads.cards.list_cards(deal.stranger, deal.thread_id, limit=2)
    with pytest.raises(NotFound):
        await deal.app.threads.cards.get(deal.buyer, deal.thread_id, MessageId("01NOCARD"))


class Sample(Payload):
    """Something to try."""

    weight: Annotated[float, msgspec.Meta(gt=0)]
    expires_at: Moment | None = None
    big: str = ""


SAMPLE = CardType(
    name="sample",
    description="Something to try",
    payload=Sample,
    creators=("seller", "admin"),
    first="sent",
    transitions=(
        Transition(start="sent", to="kept", who=("other side",)),
        Transition(start="sent", to="expired", who=("system",), at_expiry=True),
    ),
)


async def test_application_adds_its_own_card_types(store: str, clock: Ahead) -> None:
    settings = Settings(**CHEAP, rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, card_types=[SAMPLE], background=False) as app:
        deal = await strike_deal(app)
        with pytest.raises(Forbidden):
            await app.threads.cards.create(deal.buyer, deal.thread_id, type="sample", payload={"weight": 0.25})
        card = await app.threads.cards.create(deal.admin, deal.thread_id, type="sample", payload={"weight": 0.25})
        assert (await app.threads.cards.get(deal.buyer, deal.thread_id, card.message_id)).payload == {"weight": 0.25}
        assert (await move(deal, deal.buyer, card, "kept")).state == "kept"
        with pytest.raises(TooBig):
            await app.threads.cards.create(
                deal.seller, deal.thread_id, type="sample", payload={"weight": 1.5, "big": "x" * 20_000}
            )
        await assert_tab_is_the_same(deal)
