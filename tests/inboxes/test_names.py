"""Inboxes in a table with other attribute names or key spellings."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cheap import CHEAP
from inboxes.shop import ANA, BEN, KEY, NEWS, SHOP, Shop, reader
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import Settings
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.table import RawKey, Update, add
from sobremesa.table.engines.protocol import DeleteItem, RawChange
from sobremesa.table.names import Names

NAMES = {
    "the names of the document": Names(pk="PK", sk="SK", ttl="expiredat"),
    "made by ElectroDB": Names(style="electrodb"),
}


@pytest.fixture(params=NAMES)
async def app(request: pytest.FixtureRequest, store: str, clock: SetClock) -> AsyncIterator[Sobremesa]:
    settings = Settings(**CHEAP, rate_limits="off", names=NAMES[request.param])
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


async def test_inboxes_work_with_other_attribute_names(shop: Shop) -> None:
    layout = shop.app.table.layout
    await shop.send(category="Offers")
    shop.clock.move(seconds=1)
    await shop.create_users(ANA, BEN)
    shop.clock.move(seconds=1)
    own = await shop.send(ANA, BEN, category="Offers", ttl="60s", host_system_id="h")
    public = await shop.send(category="Offers", ttl="60s")
    lasting = await shop.send(category="Orders")
    shop.clock.move(seconds=1)
    await shop.publish_to([f"User-{number}" for number in range(40)])

    assert await shop.ids(ANA) == [lasting, public, own]
    assert await shop.numbers(ANA) == (3, 3)
    assert await shop.read(ANA, public)
    assert await shop.snooze(ANA, own, seconds=30)
    await shop.mute(ANA, "Orders")
    assert await shop.numbers(ANA) == (2, 0)
    shop.clock.move(seconds=60)
    gone = []
    async for item in shop.app.table.scan(consistent=True):
        key = RawKey(item[layout.pk], item[layout.sk])
        if key.sk.startswith("m#") and item.get("uid") == "ben" and "expiredat" in item:
            await shop.app.table.engine.write(DeleteItem(key))
            gone.append(RawChange("event", 0, key, item, None, expired=True))
    assert gone
    await shop.consume(*gone, *gone)

    assert await shop.ids(ANA) == [lasting]
    assert await shop.numbers(ANA) == (1, 0)
    assert await shop.numbers(BEN) == (1, 1)
    checked = [each async for each in shop.inboxes.reconciling.run(dry=True)]
    assert [each for each in checked if each.drift] == []
    assert len(checked) == 43
    wrong = UserStats.key(tenant=SHOP, inbox=NEWS, user_id="User-7")
    await shop.app.table.write(Update(wrong, add(published=3)))
    corrected = [each.partition async for each in shop.inboxes.reconciling.run() if each.drift]
    assert corrected == [UserPartition(SHOP, UserId("User-7"), NEWS)]
    assert await shop.numbers(reader("User-7")) == (1, 1)
    assert (await shop.inboxes.get_publish(KEY, SHOP, NEWS, own)).state == "done"
