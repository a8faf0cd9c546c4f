"""Expiry, joining late, and what the stream says: counts are exact in every order of events."""

from __future__ import annotations

import asyncio

import pytest

from inboxes.shop import ANA, BEN, NEWS, SHOP, Shop, reader
from sobremesa.core.actor import Tenant
from sobremesa.domains.inboxes.counting import CategoryCount
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.domains.inboxes.reconciling import BASE
from sobremesa.table import RawChange, RawKey, Update, add, set_to
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import DeleteItem, PutItem, QueryRequest, RawPage, SortPrefix

SHOP_BASE = {"tenant": SHOP, "inbox": NEWS}


async def total_of(shop: Shop, user_id: str) -> UserStats:
    stats = await shop.app.table.get(UserStats.key(**SHOP_BASE, user_id=user_id), consistent=True)
    assert stats is not None
    return stats


async def drift(shop: Shop, *, dry: bool = False, tenant: Tenant | None = None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    async for checked in shop.inboxes.reconciling.run(dry=dry, tenant=tenant):
        if checked.drift:
            name = getattr(checked.partition, "user_id", "everyone")
            found[name] = [each.category for each in checked.drift]
    return found


async def test_what_has_expired_is_invisible_and_uncounted_at_once(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    public = await shop.tell(category="c", ttl="20s")
    lasting = await shop.tell(ANA)
    await shop.read(ANA, public)
    assert await shop.numbers(ANA) == (3, 2)

    shop.clock.move(seconds=10)
    assert await shop.ids(ANA) == [lasting, public]
    assert await shop.numbers(ANA) == (2, 1)
    shop.clock.move(seconds=10)
    assert await shop.ids(ANA) == [lasting]
    assert await shop.numbers(ANA) == (1, 1)
    assert (await shop.count(ANA)).categories == {}
    assert [row["id"] for row in await shop.rows("m#")] == [lasting], "what has expired was removed"


async def test_a_shorter_life_than_what_was_there_before_is_noticed(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.count(ANA)
    for ttl in ("1h", "10s", "2h", "5s"):
        await shop.tell(ANA, ttl=ttl)
        await shop.tell(ttl=ttl)
    assert await shop.numbers(ANA) == (8, 8)

    shop.clock.move(seconds=5)
    assert await shop.numbers(ANA) == (6, 6)
    shop.clock.move(seconds=5)
    assert await shop.numbers(ANA) == (4, 4)


async def test_a_removal_by_the_store_is_counted_once_however_often_its_record_comes(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    await shop.read(ANA, await shop.tell(category="c", ttl="10s"))
    await shop.tell(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()
    assert len(records) == 3

    for _ in range(3):
        await shop.hears(*records)

    stats = await total_of(shop, "ana")
    assert (stats.published, stats.read) == (1, 0)
    assert len(await shop.rows("x#")) == 3
    assert await shop.numbers(ANA) == (1, 1)
    assert await drift(shop, dry=True) == {}


async def test_a_removal_by_the_store_is_out_of_the_counts_before_its_record_comes(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    await shop.read(ANA, await shop.tell(category="c", ttl="10s"))
    lasting = await shop.tell(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()

    assert await shop.numbers(ANA) == (1, 1)
    shop.clock.move(seconds=86_400)
    await shop.hears(*records)
    await shop.hears(*records)

    assert await shop.numbers(ANA) == (1, 1)
    assert await shop.ids(ANA) == [lasting]
    assert await shop.rows("x#") == [], "it was recounted: there was nothing left to count"


async def test_settling_and_the_stream_at_once_count_each_row_once(shop: Shop) -> None:
    await shop.joins(ANA, BEN)
    for number in range(6):
        message_id = await shop.tell(category="c", ttl="10s")
        await shop.read(ANA, message_id)
        await shop.tell(ANA, category="c", ttl="10s" if number % 2 else "1h")
    shop.clock.move(seconds=10)
    gone, *present = await shop.rows("m#")
    assert present
    records = []
    for row in (gone, present[0]):
        key = RawKey(row["pk"], row["sk"])
        if row["ttl"] <= shop.clock.now_ms() // 1000:
            await shop.app.table.engine.write(DeleteItem(key))
            records.append(RawChange(f"event-{key.sk}", 0, key, row, None, expired=True))

    await asyncio.gather(shop.count(ANA), shop.hears(*records), shop.count(BEN), shop.count(ANA), shop.hears(*records))

    for who in (ANA, BEN):
        assert await shop.count(who) == await shop.recount(who)
    assert await drift(shop, dry=True) == {}


async def test_a_receipt_of_a_shorter_life_is_noticed(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, ttl="1h")
    public = await shop.tell(ttl="10s")
    await shop.tell()
    assert await shop.numbers(ANA) == (3, 3)
    await shop.read(ANA, public)

    shop.clock.move(seconds=10)

    assert await shop.numbers(ANA) == (2, 2)


async def test_what_comes_and_goes_while_counts_are_settled_is_counted(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    kept = await shop.tell(ANA, category="c")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    ask = shop.app.table.engine.query
    is_first = True

    async def then_something_happens(request: QueryRequest) -> RawPage:
        nonlocal is_first
        page = await ask(request)
        if is_first and request.sort == SortPrefix("m#"):
            is_first = False
            await shop.tell(ANA, category="c")
            await shop.read(ANA, kept)
        return page

    monkeypatch.setattr(shop.app.table.engine, "query", then_something_happens)

    assert await shop.numbers(ANA) == (2, 1)
    assert not is_first
    assert await shop.count(ANA) == await shop.recount(ANA)
    assert await drift(shop, dry=True) == {}


async def test_counts_are_given_also_where_somebody_writes_all_the_time(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    await shop.tell(ANA, category="c")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    ask = shop.app.table.engine.query
    told = 1

    async def then_somebody_writes(request: QueryRequest) -> RawPage:
        nonlocal told
        page = await ask(request)
        if request.sort == SortPrefix("m#") and "ana" in request.pk:
            told += 1
            await shop.tell(ANA, category="c")
        return page

    monkeypatch.setattr(shop.app.table.engine, "query", then_somebody_writes)
    count = await shop.count(ANA)
    monkeypatch.undo()

    assert count.total == told - 1, "all but the one that came after the rows were read"
    assert await shop.numbers(ANA) == (told, told)
    assert await shop.count(ANA) == await shop.recount(ANA)


async def test_many_readers_at_once_settle_once(shop: Shop) -> None:
    people = [reader(f"user-{number}") for number in range(8)]
    await shop.joins(*people)
    for _ in range(3):
        await shop.tell(category="c", ttl="10s")
    await shop.tell(category="c")
    for who in people:
        await shop.count(who)
    shop.clock.move(seconds=10)

    counts = await asyncio.gather(*(shop.count(who) for who in people))

    assert {(count.total, count.unread) for count in counts} == {(1, 1)}
    assert await drift(shop, dry=True) == {}


@pytest.mark.parametrize("store", ["sqlite://"])
async def test_the_janitors_removals_come_by_the_log(shop: Shop) -> None:
    engine = shop.app.table.engine
    assert isinstance(engine, EmbeddedEngine)
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    await shop.tell(category="c", ttl="10s")
    await shop.tell(ANA, category="c")
    shop.clock.move(seconds=11)
    await engine.sweep()

    await shop.app.change_consumer.catch_up()

    stats = await total_of(shop, "ana")
    assert stats.published == 1
    [public] = [row for row in await shop.rows("c#*") if row["uid"] == "$public"]
    assert public["published"] == 0
    assert await shop.count(ANA) == await shop.recount(ANA)


# Joining late


async def test_who_joins_late_neither_sees_nor_counts_what_was_said_before(shop: Shop) -> None:
    for _ in range(3):
        await shop.tell(category="c")
    shop.clock.move(seconds=1)
    await shop.joins(ANA)
    shop.clock.move(seconds=1)
    new = await shop.tell(category="c")

    assert await shop.ids(ANA) == [new]
    assert await shop.count(ANA) == await shop.recount(ANA)
    assert (await shop.count(ANA)).categories == {"c": CategoryCount(1, 1, False)}


async def test_a_message_from_before_one_joined_cannot_be_marked(shop: Shop) -> None:
    before = await shop.tell()
    shop.clock.move(seconds=1)
    await shop.joins(ANA)

    assert not await shop.read(ANA, before)
    assert await shop.numbers(ANA) == (0, 0)


async def test_what_expires_below_the_floor_changes_nothing_for_who_joined_late(shop: Shop) -> None:
    await shop.tell(category="c", ttl="60s")
    await shop.tell(category="d", ttl="90s")
    await shop.tell(category="c")
    shop.clock.move(seconds=1)
    await shop.joins(ANA)
    shop.clock.move(seconds=1)
    await shop.tell(category="c", ttl="70s")
    await shop.tell(category="c")
    for seconds, expected in ((0, 2), (58, 2), (12, 1), (20, 1), (1000, 1)):
        shop.clock.move(seconds=seconds)
        assert await shop.numbers(ANA) == (expected, expected)
        assert await shop.count(ANA) == await shop.recount(ANA)


async def test_an_account_of_here_counts_from_its_creation_though_addressed_before(shop: Shop) -> None:
    await shop.tell(ANA)
    shop.clock.move(seconds=1)
    public = await shop.tell()
    shop.clock.move(seconds=1)
    await shop.joins(ANA)

    assert public not in await shop.ids(ANA)
    assert await shop.numbers(ANA) == (1, 1)


async def test_a_person_of_another_issuer_counts_from_the_first_message_to_them(shop: Shop) -> None:
    early = await shop.tell()
    shop.clock.move(seconds=1)
    addressed = await shop.tell(ANA)
    shop.clock.move(seconds=1)
    public = await shop.tell()
    shop.clock.move(seconds=1)
    await shop.joins(ANA, identity="issuer-and-subject")

    assert await shop.ids(ANA) == [public, addressed]
    assert early not in await shop.ids(ANA)
    assert await shop.numbers(ANA) == (2, 2)


async def test_a_person_of_another_issuer_counts_from_first_sight_if_that_was_earlier(shop: Shop) -> None:
    await shop.tell()
    shop.clock.move(seconds=1)
    await shop.joins(ANA, identity="issuer-and-subject")
    shop.clock.move(seconds=1)
    public = await shop.tell()
    shop.clock.move(seconds=1)
    addressed = await shop.tell(ANA)

    assert await shop.ids(ANA) == [addressed, public]


# Counting again


async def test_drift_is_told_and_mended(shop: Shop) -> None:
    await shop.joins(ANA, BEN)
    await shop.tell(ANA, category="c")
    await shop.tell(category="c")
    await shop.read(ANA, await shop.tell(ANA))
    assert await shop.numbers(ANA) == (3, 2)
    await shop.count(BEN)
    await shop.app.table.write(Update(UserStats.key(**SHOP_BASE, user_id="ana"), add(published=5, read=-7)))
    for row in await shop.rows("c#c"):
        wrong = {**row, "published": 40}
        await shop.app.table.engine.write(PutItem(RawKey(row["pk"], row["sk"]), wrong))

    assert await drift(shop, dry=True) == {"ana": ["*", "c"], "everyone": ["c"]}
    assert await drift(shop, dry=True, tenant=Tenant("rival")) == {}
    assert await drift(shop) == {"ana": ["*", "c"], "everyone": ["c"]}
    assert await drift(shop) == {}
    for who in (ANA, BEN):
        assert await shop.count(who) == await shop.recount(who)


async def test_counts_of_records_that_were_lost_are_mended_for_who_does_not_read(shop: Shop) -> None:
    await shop.joins(ANA)
    await shop.tell(ANA, category="c", ttl="10s")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()

    assert await drift(shop) == {"ana": ["*", "c"]}

    assert (await total_of(shop, "ana")).published == 0
    await shop.hears(*records)
    assert (await total_of(shop, "ana")).published == 0, "a record that comes after all is not counted again"


async def test_a_wrong_base_is_mended(shop: Shop) -> None:
    await shop.tell(category="c")
    shop.clock.move(seconds=1)
    await shop.joins(ANA)
    assert await shop.numbers(ANA) == (0, 0)
    wrong = set_to(base={"c": 7}, base_total=7)
    await shop.app.table.write(Update(UserStats.key(**SHOP_BASE, user_id="ana"), wrong))

    assert await drift(shop, dry=True) == {"ana": [BASE]}
    assert await drift(shop) == {"ana": [BASE]}
    await shop.tell(category="c")
    assert await shop.numbers(ANA) == (1, 1)


async def test_more_categories_than_a_transaction_takes_are_mended(shop: Shop) -> None:
    for number in range(205):
        await shop.tell(ANA, category=f"c{number:03}")
    for row in await shop.rows("c#c"):
        await shop.app.table.engine.write(DeleteItem(RawKey(row["pk"], row["sk"])))

    assert len((await drift(shop))["ana"]) == 205

    assert await shop.count(ANA) == await shop.recount(ANA)
