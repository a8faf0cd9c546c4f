"""Expiry, late users and stream records: counts are exact in every order of events."""

from __future__ import annotations

import asyncio

import pytest

from inboxes.shop import ANA, BEN, NEWS, SHOP, Shop, reader
from sobremesa.core.actor import Tenant
from sobremesa.domains.inboxes.counting import CategoryCount
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.table import RawChange, RawKey, Update, add
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


async def test_expired_messages_are_invisible_and_not_counted_at_once(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    public = await shop.send(category="c", ttl="20s")
    lasting = await shop.send(ANA)
    await shop.read(ANA, public)
    assert await shop.numbers(ANA) == (3, 2)

    shop.clock.move(seconds=10)
    assert await shop.ids(ANA) == [lasting, public]
    assert await shop.numbers(ANA) == (2, 1)
    shop.clock.move(seconds=10)
    assert await shop.ids(ANA) == [lasting]
    assert await shop.numbers(ANA) == (1, 1)
    assert (await shop.count(ANA)).categories == {}
    assert [row["id"] for row in await shop.rows("m#")] == [lasting], "expired rows are removed"


async def test_message_that_expires_earlier_advances_the_next_expiry(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.count(ANA)
    for ttl in ("1h", "10s", "2h", "5s"):
        await shop.send(ANA, ttl=ttl)
        await shop.send(ttl=ttl)
    assert await shop.numbers(ANA) == (8, 8)

    shop.clock.move(seconds=5)
    assert await shop.numbers(ANA) == (6, 6)
    shop.clock.move(seconds=5)
    assert await shop.numbers(ANA) == (4, 4)


async def test_expiry_by_the_store_is_counted_once_for_repeated_records(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    await shop.read(ANA, await shop.send(category="c", ttl="10s"))
    await shop.send(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()
    assert len(records) == 3

    for _ in range(3):
        await shop.consume(*records)

    stats = await total_of(shop, "ana")
    assert (stats.published, stats.read) == (1, 0)
    assert len(await shop.rows("x#")) == 3
    assert await shop.numbers(ANA) == (1, 1)
    assert await drift(shop, dry=True) == {}


async def test_expiry_by_the_store_leaves_the_counts_before_its_record_arrives(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    await shop.read(ANA, await shop.send(category="c", ttl="10s"))
    lasting = await shop.send(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()

    assert await shop.numbers(ANA) == (1, 1)
    shop.clock.move(seconds=86_400)
    await shop.consume(*records)
    await shop.consume(*records)

    assert await shop.numbers(ANA) == (1, 1)
    assert await shop.ids(ANA) == [lasting]
    assert await shop.rows("x#") == [], "already settled: there is nothing left to count"


async def test_concurrent_settling_and_stream_records_count_each_row_once(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    for number in range(6):
        message_id = await shop.send(category="c", ttl="10s")
        await shop.read(ANA, message_id)
        await shop.send(ANA, category="c", ttl="10s" if number % 2 else "1h")
    shop.clock.move(seconds=10)
    gone, *present = await shop.rows("m#")
    assert present
    records = []
    for row in (gone, present[0]):
        key = RawKey(row["pk"], row["sk"])
        if row["ttl"] <= shop.clock.now_ms() // 1000:
            await shop.app.table.engine.write(DeleteItem(key))
            records.append(RawChange(f"event-{key.sk}", 0, key, row, None, expired=True))

    await asyncio.gather(
        shop.count(ANA), shop.consume(*records), shop.count(BEN), shop.count(ANA), shop.consume(*records)
    )

    for who in (ANA, BEN):
        assert await shop.count(who) == await shop.recount(who)
    assert await drift(shop, dry=True) == {}


async def test_receipt_that_expires_earlier_advances_the_next_expiry(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, ttl="1h")
    public = await shop.send(ttl="10s")
    await shop.send()
    assert await shop.numbers(ANA) == (3, 3)
    await shop.read(ANA, public)

    shop.clock.move(seconds=10)

    assert await shop.numbers(ANA) == (2, 2)


async def test_concurrent_changes_while_counts_are_settled_are_counted(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    kept = await shop.send(ANA, category="c")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    ask = shop.app.table.engine.query
    is_first = True

    async def then_something_happens(request: QueryRequest) -> RawPage:
        nonlocal is_first
        page = await ask(request)
        if is_first and request.sort == SortPrefix("m#"):
            is_first = False
            await shop.send(ANA, category="c")
            await shop.read(ANA, kept)
        return page

    monkeypatch.setattr(shop.app.table.engine, "query", then_something_happens)

    assert await shop.numbers(ANA) == (2, 1)
    assert not is_first
    assert await shop.count(ANA) == await shop.recount(ANA)
    assert await drift(shop, dry=True) == {}


async def test_counts_are_returned_under_constant_writes(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    await shop.send(ANA, category="c")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    ask = shop.app.table.engine.query
    published = 1

    async def then_write(request: QueryRequest) -> RawPage:
        nonlocal published
        page = await ask(request)
        if request.sort == SortPrefix("m#") and "ana" in request.pk:
            published += 1
            await shop.send(ANA, category="c")
        return page

    monkeypatch.setattr(shop.app.table.engine, "query", then_write)
    count = await shop.count(ANA)
    monkeypatch.undo()

    assert count.total == published - 1, "all but the one that was published after the rows were read"
    assert await shop.numbers(ANA) == (published, published)
    assert await shop.count(ANA) == await shop.recount(ANA)


async def test_concurrent_readers_settle_once(shop: Shop) -> None:
    users = [reader(f"user-{number}") for number in range(8)]
    await shop.create_users(*users)
    for _ in range(3):
        await shop.send(category="c", ttl="10s")
    await shop.send(category="c")
    for who in users:
        await shop.count(who)
    shop.clock.move(seconds=10)

    counts = await asyncio.gather(*(shop.count(who) for who in users))

    assert {(count.total, count.unread) for count in counts} == {(1, 1)}
    assert await drift(shop, dry=True) == {}


@pytest.mark.parametrize("store", ["sqlite://"])
async def test_expiry_by_the_janitor_appears_in_the_log(shop: Shop) -> None:
    engine = shop.app.table.engine
    assert isinstance(engine, EmbeddedEngine)
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    await shop.send(category="c", ttl="10s")
    await shop.send(ANA, category="c")
    shop.clock.move(seconds=11)
    await engine.sweep()

    await shop.app.change_consumer.catch_up()

    stats = await total_of(shop, "ana")
    assert stats.published == 1
    [public] = [row for row in await shop.rows("c#*") if row["uid"] == "$public"]
    assert public["published"] == 0
    assert await shop.count(ANA) == await shop.recount(ANA)


# Late users


async def test_late_user_neither_sees_nor_counts_earlier_broadcasts(shop: Shop) -> None:
    for _ in range(3):
        await shop.send(category="c")
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)
    shop.clock.move(seconds=1)
    new = await shop.send(category="c")

    assert await shop.ids(ANA) == [new]
    assert await shop.count(ANA) == await shop.recount(ANA)
    assert (await shop.count(ANA)).categories == {"c": CategoryCount(1, 1, False)}


async def test_broadcast_from_before_the_user_joined_cannot_be_marked(shop: Shop) -> None:
    before = await shop.send()
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)

    assert not await shop.read(ANA, before)
    assert await shop.numbers(ANA) == (0, 0)


async def test_expiry_below_the_floor_changes_nothing_for_a_late_user(shop: Shop) -> None:
    await shop.send(category="c", ttl="60s")
    await shop.send(category="d", ttl="90s")
    await shop.send(category="c")
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)
    shop.clock.move(seconds=1)
    await shop.send(category="c", ttl="70s")
    await shop.send(category="c")
    for seconds, expected in ((0, 2), (58, 2), (12, 1), (20, 1), (1000, 1)):
        shop.clock.move(seconds=seconds)
        assert await shop.numbers(ANA) == (expected, expected)
        assert await shop.count(ANA) == await shop.recount(ANA)


async def test_local_account_counts_from_its_creation_even_if_addressed_earlier(shop: Shop) -> None:
    await shop.send(ANA)
    shop.clock.move(seconds=1)
    public = await shop.send()
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)

    assert public not in await shop.ids(ANA)
    assert await shop.numbers(ANA) == (1, 1)


async def test_external_user_counts_from_the_first_message_to_them(shop: Shop) -> None:
    early = await shop.send()
    shop.clock.move(seconds=1)
    addressed = await shop.send(ANA)
    shop.clock.move(seconds=1)
    public = await shop.send()
    shop.clock.move(seconds=1)
    await shop.create_users(ANA, identity="issuer-and-subject")

    assert await shop.ids(ANA) == [public, addressed]
    assert early not in await shop.ids(ANA)
    assert await shop.numbers(ANA) == (2, 2)


async def test_external_user_counts_from_the_creation_if_that_was_earlier(shop: Shop) -> None:
    await shop.send()
    shop.clock.move(seconds=1)
    await shop.create_users(ANA, identity="issuer-and-subject")
    shop.clock.move(seconds=1)
    public = await shop.send()
    shop.clock.move(seconds=1)
    addressed = await shop.send(ANA)

    assert await shop.ids(ANA) == [addressed, public]


# Recounting


async def test_drift_of_counts_is_reported_and_repaired(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    await shop.send(ANA, category="c")
    await shop.send(category="c")
    await shop.read(ANA, await shop.send(ANA))
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


async def test_counts_of_lost_records_are_repaired_for_inactive_users(shop: Shop) -> None:
    await shop.create_users(ANA)
    await shop.send(ANA, category="c", ttl="10s")
    await shop.count(ANA)
    shop.clock.move(seconds=10)
    records = await shop.removed_by_the_store()

    assert await drift(shop) == {"ana": ["*", "c"]}

    assert (await total_of(shop, "ana")).published == 0
    await shop.consume(*records)
    assert (await total_of(shop, "ana")).published == 0, "a late record is not counted again"


async def test_number_of_broadcasts_that_an_earlier_version_stored_has_no_effect(shop: Shop) -> None:
    await shop.send(category="c")
    shop.clock.move(seconds=1)
    await shop.create_users(ANA)
    assert await shop.numbers(ANA) == (0, 0)
    row = {**(await shop.rows("c#*"))[-1], "base": {"c": 7}, "base_total": 7, "base_until": None}
    await shop.app.table.engine.write(PutItem(RawKey(row["pk"], row["sk"]), row))

    assert await drift(shop, dry=True) == {}
    await shop.send(category="c")
    assert await shop.numbers(ANA) == (1, 1)


async def test_more_categories_than_fit_in_a_transaction_are_repaired(shop: Shop) -> None:
    for number in range(205):
        await shop.send(ANA, category=f"c{number:03}")
    for row in await shop.rows("c#c"):
        await shop.app.table.engine.write(DeleteItem(RawKey(row["pk"], row["sk"])))

    assert len((await drift(shop))["ana"]) == 205

    assert await shop.count(ANA) == await shop.recount(ANA)
