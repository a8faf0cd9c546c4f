"""What each operation of an inbox costs: requests of each kind, and units, the same on both engines.

A number that grows here is a decision, not an accident: change it together with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from communities.environment import requests
from communities.test_budgets import Cost
from inboxes.shop import ANA, BEN, NEWS, SHOP, Shop
from sobremesa.table import measure

BUDGETS: dict[str, Cost] = {
    # The settings, which are shared for a second, then message 2, both counts 4, the publish 2; with a host system id
    # its claim 2, and both places where an earlier one may be.
    "publish to everyone": Cost({"batch_get": 1, "transact": 1}, 2, 8),
    "publish to everyone, with a host system id": Cost({"batch_get": 1, "transact": 1}, 2, 10),
    "publish to everyone again": Cost({"get": 1, "batch_get": 1}, 3, 0),
    # Each recipient costs half a unit to look up, message 2 and both counts 4. From 33 on, a list of recipients and a
    # job are written first, and the progress once for a thousand.
    "publish to one user": Cost({"batch_get": 1, "transact": 1}, 0.5, 8),
    "publish to 32 users": Cost({"batch_get": 1, "transact": 1}, 16, 194),
    "publish to 33 users": Cost({"batch_get": 1, "batch_write": 1, "transact": 2, "get": 1, "write": 1}, 17.5, 204),
    "publish to 1000 users": Cost({"batch_get": 10, "batch_write": 1, "transact": 32, "get": 1, "write": 1}, 503, 6015),
    # Once per user and inbox: both partitions are counted, and the floor is stored.
    "count, at first sight": Cost({"query": 12, "write": 3, "get": 1}, 13, 3),
    # The user's own counts; those of broadcasts were read for all.
    "count": Cost({"query": 1}, 1, 0),
    "count 50": Cost({"query": 1}, 1, 0),
    "count, one comes back": Cost({"query": 4, "transact": 1, "write": 1}, 7, 7),
    "list 4 messages": Cost({"get": 1, "query": 2}, 3, 0),
    "list a page of 50": Cost({"get": 1, "query": 2}, 7, 0),
    # Message or receipt 2, both counts 4.
    "mark one's own": Cost({"batch_get": 1, "transact": 1}, 3, 6),
    "mark one to everyone": Cost({"batch_get": 1, "transact": 1}, 3, 6),
    "mark it again": Cost({"batch_get": 1}, 3, 0),
    # The first of all readers after new broadcasts reads their counts, and the new ones.
    "mark 48 at once": Cost({"get": 3, "query": 4, "transact": 2}, 13, 104),
    "archive": Cost({"batch_get": 1, "transact": 1}, 3, 6),
    "snooze": Cost({"batch_get": 1, "transact": 1}, 3, 8),
    "mute": Cost({"transact": 1}, 0, 4),
}


@pytest.fixture
async def still(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The tenant with two users.

    Transactions run one after the other: a slow server that times out would be asked again.
    """
    monkeypatch.setattr("sobremesa.domains.inboxes.delivery.MAX_WINDOW", 1)
    await shop.create_users(ANA, BEN)
    return shop


async def costs_of(shop: Shop) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}

    async def spend(name: str, verb: Awaitable[Any]) -> Any:
        with requests(shop.app) as asked, measure() as used:
            result = await verb
        costs[name] = Cost(dict(asked), used.read, used.write)
        return result

    await shop.require_accounts(["ana", *(f"user-{number:04}" for number in range(1000))])
    await shop.send(category="c", ttl="1h")
    public = await spend("publish to everyone", shop.send(category="c", ttl="1h"))
    await spend("publish to everyone, with a host system id", shop.send(category="c", ttl="1h", host_system_id="h"))
    await spend("publish to everyone again", shop.send(category="c", ttl="1h", host_system_id="h"))
    own = await spend("publish to one user", shop.send(ANA, category="c", ttl="1h"))
    await spend("publish to 32 users", shop.publish_to([f"user-{number:04}" for number in range(32)], category="c"))
    await spend("publish to 33 users", shop.publish_to([f"user-{number:04}" for number in range(33)], category="c"))
    await spend("publish to 1000 users", shop.publish_to([f"user-{number:04}" for number in range(1000)], category="c"))
    await spend("count, at first sight", shop.count(ANA))
    await spend("count", shop.count(ANA))
    await spend("list 4 messages", shop.inboxes.list_messages(ANA, SHOP, NEWS, limit=50))
    await spend("mark one's own", shop.read(ANA, own))
    await spend("mark one to everyone", shop.read(ANA, public))
    await spend("mark it again", shop.read(ANA, public))
    for number in range(46):
        await shop.send(*((ANA,) if number % 2 else ()), category="c", ttl="1h", body="A little more to say. " * 8)
    await spend("list a page of 50", shop.inboxes.list_messages(ANA, SHOP, NEWS, limit=50))
    await spend("mark 48 at once", shop.inboxes.mark_all_read(ANA, SHOP, NEWS))
    await spend("archive", shop.archive(ANA, own))
    await spend("snooze", shop.snooze(ANA, public, seconds=60))
    await spend("mute", shop.mute(ANA, "c"))
    await spend("count 50", shop.count(ANA))
    shop.clock.move(seconds=61)
    await spend("count, one comes back", shop.count(ANA))
    return costs


async def test_every_verb_keeps_its_budget(still: Shop) -> None:
    costs = await costs_of(still)

    changed = {name: (cost, BUDGETS.get(name)) for name, cost in costs.items() if cost != BUDGETS.get(name)}
    assert changed == {}
    assert set(costs) == set(BUDGETS)


def test_counting_costs_at_most_three_requests() -> None:
    for name in ("count", "count 50"):
        assert sum(BUDGETS[name].requests.values()) <= 3
