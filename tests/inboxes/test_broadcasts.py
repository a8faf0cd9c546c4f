"""Broadcasts to millions: what is the same for everyone is read once a second and node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from inboxes.shop import ANA, NEWS, SHOP, Shop, reader
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.domains.inboxes.events import InboxRef, resolve_counts


def calls(app: Sobremesa, *patterns: str) -> int:
    totals = app.table.meter.totals()
    return sum(totals[pattern].calls for pattern in patterns if pattern in totals)


@pytest.fixture
async def other(app: Sobremesa, store: str, clock: SetClock) -> AsyncIterator[Shop]:
    """The same shop on a second node."""
    async with Sobremesa.open(store, clock=clock, background=False) as node:
        yield Shop(node, clock)


async def test_many_who_count_at_once_read_the_broadcasts_once(shop: Shop) -> None:
    users = [reader(f"user-{number}") for number in range(50)]
    await shop.create_users(*users)
    await shop.send(category="c")
    for who in users:
        await shop.count(who)
    before = calls(shop.app, "S4.5", "INB.5")

    counts = await asyncio.gather(*(shop.count(who) for who in users for _ in range(4)))

    assert {(count.total, count.unread) for count in counts} == {(1, 1)}
    assert calls(shop.app, "S4.5", "INB.5") - before <= 1


async def test_expired_broadcast_costs_late_comers_no_recount(shop: Shop) -> None:
    await shop.send(category="c", ttl="1h")
    await shop.send(category="c", ttl="3h")
    shop.clock.move(seconds=1)
    late = [reader(f"late-{number}") for number in range(20)]
    await shop.create_users(*late)
    await shop.send(category="d", ttl="3h")
    assert [await shop.numbers(who) for who in late] == [(1, 1)] * 20
    reads, writes = calls(shop.app, "INB.5"), calls(shop.app, "INB.30")

    shop.clock.move(seconds=3601)

    assert [await shop.numbers(who) for who in late] == [(1, 1)] * 20
    assert calls(shop.app, "INB.30") == writes
    assert calls(shop.app, "INB.5") - reads <= 3, "the list is settled and read again once, for all"
    for who in late:
        assert await shop.count(who) == await shop.recount(who)


async def test_broadcast_of_another_node_is_counted_with_its_event(shop: Shop, other: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send()
    assert await other.numbers(ANA) == (1, 1)

    message_id = await shop.send()

    reference = msgspec.json.encode(InboxRef(SHOP, NEWS, message_id))
    counted = msgspec.json.decode(await resolve_counts(other.inboxes.counting, ANA.user_id, reference))
    assert (counted["total"], counted["unread"]) == (2, 2)


async def test_broadcast_of_another_node_is_seen_within_a_second(shop: Shop, other: Shop) -> None:
    await shop.create_users(ANA)
    first = await shop.send()
    assert await other.ids(ANA) == [first]

    second = await shop.send()

    assert await shop.ids(ANA) == [second, first]
    shop.clock.move(seconds=1)
    assert await other.ids(ANA) == [second, first]
    assert await other.numbers(ANA) == (2, 2)


async def test_list_of_broadcasts_follows_new_ones_without_reading_it_again(shop: Shop) -> None:
    for number in range(30):
        await shop.send(category=f"c{number % 3}")
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)
    await shop.count(ANA)
    before = shop.app.table.meter.totals()["INB.5"].capacity.read

    for number in range(30):
        await shop.send(category=f"c{number % 3}")
        await shop.count(ANA)

    count = await shop.count(ANA)
    assert (count.total, count.categories["c0"].total) == (30, 10)
    assert shop.app.table.meter.totals()["INB.5"].capacity.read - before <= 30
    assert count == await shop.recount(ANA)
