"""What each method of threads costs: how many requests of which kind, and how many units, the same on both engines.

A number that grows here is a decision, not an accident: change it together with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, NamedTuple

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.clock import SystemClock
from sobremesa.domains.threads.entities import LbgId, LegId, ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft
from sobremesa.table import measure
from threads.conftest import Ahead
from threads.environment import PLATFORM, Deal, at, new_person, requests


class Cost(NamedTuple):
    """Requests by their kind, read units and write units."""

    requests: dict[str, int]
    read: float
    write: float


BUDGETS: dict[str, Cost] = {
    "make an inquiry": Cost({"get": 1, "transact": 1}, 1, 16),
    "make it again": Cost({"get": 1, "batch_get": 1}, 3, 0),
    "make a project of an lbg and a leg": Cost({"transact": 1}, 0, 18),
    # One index query: the rows there have copies of the threads.
    "inbox of 20 with nothing unread": Cost({"query": 1}, 1.5, 0),
    "threads of an lbg": Cost({"query": 1, "batch_get": 1}, 2.5, 0),
    "get a thread": Cost({"batch_get": 1}, 2, 0),
    # One write request: message 2, head 2, for each participant their row 2 and its index entry 2, and the check that
    # the other party has not blocked the author 2.
    "send, three participants": Cost({"batch_get": 1, "transact": 1}, 2, 18),
    "send with a nonce": Cost({"batch_get": 1, "transact": 1}, 2, 20),
    "send without having read": Cost({"batch_get": 1, "transact": 1}, 2, 18),
    # The head and the own row of the unread one, and its messages.
    "inbox of 20 with one unread": Cost({"query": 2, "batch_get": 1}, 4, 0),
    "page": Cost({"batch_get": 1, "query": 2}, 3.5, 0),
    "get a message": Cost({"batch_get": 1, "get": 1, "query": 1}, 3.5, 0),
    # The threads of the reader by the index, the message in each of them, and then as any message.
    "get a message by its id alone, of 20 threads": Cost({"query": 2, "batch_get": 2, "get": 1}, 25, 0),
    "edit": Cost({"batch_get": 1, "get": 2, "transact": 1, "query": 1}, 4.5, 4),
    "unread": Cost({"batch_get": 1, "get": 1, "query": 1}, 3.5, 0),
    "mark read up to the head": Cost({"batch_get": 1, "get": 1, "write": 1}, 3, 2),
    "unread of nothing": Cost({"batch_get": 1, "get": 1}, 3, 0),
    "readers": Cost({"batch_get": 3, "query": 1}, 6, 0),
    # As a send, plus 2 for the card and 2 for the actions tab, which grows with the cards.
    "make an offer": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 22),
    "make a second offer": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 22),
    "accept it": Cost({"batch_get": 2, "transact": 1}, 4, 22),
    "get a card": Cost({"batch_get": 1, "get": 1}, 3, 0),
    "cards of a thread": Cost({"batch_get": 1, "query": 1}, 3, 0),
    "write a tab": Cost({"batch_get": 1, "transact": 1}, 2, 8),
    "show a tab": Cost({"transact": 1}, 0, 4),
    "open the panel": Cost({"batch_get": 1, "query": 1}, 3, 0),
    # The user's name is read for the notice, which is a message and updates all inboxes, as a send does.
    "add a participant": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 25),
    "block a participant": Cost({"batch_get": 1, "get": 2, "transact": 1}, 4, 7),
    "participants": Cost({"batch_get": 1, "query": 1}, 3, 0),
    "leave": Cost({"batch_get": 1, "get": 1, "transact": 1}, 3, 23),
    "lock": Cost({"batch_get": 2, "transact": 1, "query": 1}, 4.5, 18),
    "reopen as the platform": Cost({"batch_get": 2, "transact": 1}, 4, 18),
}


async def costs_of(deal: Deal, clock: Ahead) -> dict[str, Cost]:
    """Call every method once, and return what each cost."""
    app, room, buyer, seller = deal.app, deal.thread_id, deal.buyer, deal.seller
    threads, rooms, participants = app.threads, app.threads, app.threads.participants
    costs: dict[str, Cost] = {}

    async def spend(name: str, verb: Awaitable[Any]) -> Any:
        clock.move(seconds=0.001)
        with requests(app) as asked, measure() as used:
            result = await verb
        costs[name] = Cost(dict(asked), used.read, used.write)
        return result

    inquiry = NewThread("inquiry", seller.user_id, ListingId("lst_1"))
    await spend("make an inquiry", threads.create(buyer, inquiry))
    await spend("make it again", threads.create(buyer, inquiry))
    both = NewThread("project", seller.user_id, lbg_id=LbgId("lbg_1"), leg_id=LegId("leg_1"))
    await spend("make a project of an lbg and a leg", threads.create(buyer, both))
    for number in range(17):
        await threads.create(buyer, NewThread("project", seller.user_id, city=str(number)))
    await spend("inbox of 20 with nothing unread", threads.list_threads(seller, limit=20))
    await spend("threads of an lbg", threads.list_about(seller, lbg_id=LbgId("lbg_1"), leg_id=None, limit=20))
    await spend("get a thread", threads.get(seller, room))

    sent = await spend("send, three participants", rooms.send(buyer, room, Draft("hello")))
    await spend("send with a nonce", rooms.send(buyer, room, Draft("hello", nonce="n")))
    last = await spend("send without having read", rooms.send(seller, room, Draft("hello")))
    await spend("inbox of 20 with one unread", threads.list_threads(seller, limit=20))
    await spend("page", rooms.page(buyer, room, limit=20))
    await spend("get a message", rooms.get_message(buyer, room, sent.message_id))
    await spend("get a message by its id alone, of 20 threads", rooms.find_message(buyer, sent.message_id))
    await spend("edit", rooms.edit(buyer, room, sent.message_id, "hello there"))
    await spend("unread", rooms.unread(seller, room))
    await spend("mark read up to the head", rooms.mark_read(buyer, room, last.message_id))
    await spend("unread of nothing", rooms.unread(buyer, room))
    await spend("readers", rooms.list_readers(buyer, room, limit=20, cursor=None))

    offer = {"amount": 100, "currency": "EUR"}
    card = await spend("make an offer", app.threads.cards.create(buyer, room, type="offer", payload=offer))
    await spend("make a second offer", app.threads.cards.create(buyer, room, type="offer", payload=offer))
    await spend("accept it", app.threads.cards.move(seller, room, card.message_id, to="accepted", version=1))
    await spend("get a card", app.threads.cards.get(seller, room, card.message_id))
    await spend("cards of a thread", app.threads.cards.list_cards(seller, room, limit=20))
    await spend("write a tab", app.threads.tabs.put(buyer, room, "brief", {"title": "x"}, source_version=1))
    await spend("show a tab", app.threads.tabs.put_snapshot(room, "docs", {"title": "x"}, 1))
    await spend("open the panel", app.threads.tabs.open_panel(seller, room))

    guest = await new_person(app, "gus")
    await spend("add a participant", participants.add(buyer, room, guest.user_id, "buyer"))
    until = at(clock.now_ms() + 60_000)
    await spend("block a participant", participants.change(seller, room, guest.user_id, blocked_until=until))
    await spend("participants", participants.list_participants(seller, room, limit=20))
    await spend("leave", participants.remove(guest, room, guest.user_id))
    await spend("lock", threads.set_status(buyer, room, "locked"))
    await spend("reopen as the platform", threads.set_status(PLATFORM, room, "open"))
    return costs


@pytest.fixture
async def still_deal(deal: Deal, app: Sobremesa, clock: Ahead, monkeypatch: pytest.MonkeyPatch) -> Deal:
    """The deal with a cached check for deleted accounts: each method takes a millisecond of one second."""
    clock.move(seconds=1)
    now = SystemClock().now_ms()
    monkeypatch.setattr(SystemClock, "now_ms", lambda clock: now)
    await app.accounts.users_being_deleted()
    return deal


async def test_every_method_keeps_its_budget(still_deal: Deal, clock: Ahead) -> None:
    costs = await costs_of(still_deal, clock)

    changed = {name: (cost, BUDGETS.get(name)) for name, cost in costs.items() if cost != BUDGETS.get(name)}
    assert changed == {}
    assert set(costs) == set(BUDGETS)


def test_inbox_is_one_query_and_a_batch_for_unread_threads_and_a_send_one_write() -> None:
    """The guarantees behind the numbers, whatever the numbers are."""
    assert BUDGETS["inbox of 20 with nothing unread"].requests == {"query": 1}
    assert BUDGETS["inbox of 20 with one unread"].requests == {"query": 2, "batch_get": 1}
    for name in ("send, three participants", "send with a nonce", "send without having read"):
        assert BUDGETS[name].requests == {"batch_get": 1, "transact": 1}
    for name in ("make an offer", "accept it"):
        assert BUDGETS[name].requests["transact"] == 1
    assert BUDGETS["open the panel"].requests == {"batch_get": 1, "query": 1}
