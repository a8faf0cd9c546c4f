"""Faults: throttling, conflicts, lost responses. With retries, each message arrives once and counts stay exact."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from inboxes.shop import Shop, reader
from sobremesa.core.errors import Busy
from sobremesa.core.ids import Ids
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.table import Table
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.errors import Conflict, OutcomeUnknown, Throttled
from sobremesa.work.jobs import Jobs

USERS = [reader(f"user-{number}") for number in range(5)]
STEPS = 60


async def until_it_works(verb: Callable[[], Awaitable[object]]) -> None:
    """Retry like a client that gets a 503."""
    for _ in range(20):
        try:
            await verb()
        except (Busy, Conflict, OutcomeUnknown, Throttled):
            continue
        return
    raise AssertionError("it never worked")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("store", ["sqlite://"])
async def test_messages_are_delivered_once_and_counts_are_exact_under_faults(shop: Shop, seed: int) -> None:
    rates = Rates(throttle=0.1, conflict=0.1, lost_response=0.1)
    engine = FaultyEngine(shop.app.table.engine, rates, seed=seed)
    table, ids = Table(engine, clock=shop.clock), Ids(shop.clock)
    inboxes = Inboxes(table, shop.clock, ids, Jobs(table, shop.clock, ids))
    stormy, chance = Shop(shop.app, shop.clock, inboxes=inboxes), random.Random(seed)
    await shop.create_users(*USERS)
    listed: list[str] = []

    for step in range(STEPS):
        users = chance.sample(USERS, chance.randrange(0, len(USERS)))
        who = chance.choice(USERS)
        ttl = chance.choice([None, "5s", "1h"])
        match chance.randrange(5):
            case 0 | 1:
                host = f"host-{step}"
                await until_it_works(lambda: stormy.send(*users, category="c", ttl=ttl, host_system_id=host))  # noqa: B023
            case 2 if listed:
                message_id = chance.choice(listed)
                await until_it_works(lambda: stormy.read(who, message_id))  # noqa: B023
            case 3:
                await until_it_works(lambda: stormy.count(who))  # noqa: B023
            case _:
                shop.clock.move(seconds=2)
        listed = [entry.message_id for entry in await shop.entries(who)]

    messages = [row for row in await shop.rows("m#") if row["kind"] == "UM"]
    assert set(Counter((row["uid"], row["host_system_id"]) for row in messages).values()) == {1}
    for who in USERS:
        assert await shop.count(who) == await shop.recount(who)
    assert [checked async for checked in shop.inboxes.reconciling.run(dry=True) if checked.drift] == []
