"""Listing and marking messages and broadcasts."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode

import pytest

from inboxes.shop import ANA, BEN, KEY, NEWS, SHOP, Shop, reader
from sobremesa.core.actor import Actor, KeyId, Tenant, UserRequired
from sobremesa.core.errors import NotFound
from sobremesa.domains.inboxes.counting import CategoryCount
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.errors import PastSnooze
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import RawKey
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.errors import BadCursor


async def test_messages_and_broadcasts_are_listed_together_newest_first(shop: Shop) -> None:
    await shop.create_users(ANA)
    ids = [await (shop.send(ANA) if number % 3 else shop.send()) for number in range(30)]

    assert await shop.ids(ANA) == ids[::-1]
    assert await shop.ids(ANA, limit=4) == ids[::-1]


@pytest.mark.parametrize("limit", [1, 3, 7])
async def test_pages_neither_skip_nor_repeat_under_concurrent_publishes_and_expiry(shop: Shop, limit: int) -> None:
    await shop.create_users(ANA)
    ids = []
    for number in range(24):
        users = () if number % 2 else (ANA,)
        ids.append(await shop.send(*users, ttl="100s" if number % 4 == 0 else "1h"))
    for message_id in ids[::5]:
        await shop.read(ANA, message_id)
    seen: list[str] = []
    cursor: str | None = None
    pages = 0
    while True:
        page, cursor = await shop.inboxes.list_messages(ANA, SHOP, NEWS, limit=limit, cursor=cursor)
        seen += [entry.message_id for entry in page]
        pages += 1
        if cursor is None:
            break
        await shop.send()
        await shop.send(ANA)
        if pages == 3:
            shop.clock.move(seconds=100)
            await shop.count(ANA)

    assert len(seen) == len(set(seen))
    assert seen == sorted(seen, reverse=True)
    lasting = [message_id for number, message_id in enumerate(ids) if number % 4]
    assert [message_id for message_id in seen if message_id in lasting] == lasting[::-1]


async def test_receipt_appears_as_readat_and_never_as_a_message(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    message_id = await shop.send(category="offers", ttl="1h")

    assert await shop.read(ANA, message_id)

    [entry] = await shop.entries(ANA)
    assert entry.readat is not None
    assert (await shop.entries(BEN))[0].readat is None
    [receipt] = [row for row in await shop.rows("m#") if row["kind"] == "RR"]
    assert (receipt["uid"], receipt["tenant_key"], receipt["inbox_key"]) == ("ana", "shop", "news")
    assert receipt["expiredat"] == receipt["ttl"] == entry.expiredat
    assert await shop.numbers(ANA) == (1, 0)
    assert await shop.numbers(BEN) == (1, 1)


async def test_list_can_be_filtered_by_category_or_unread(shop: Shop) -> None:
    await shop.create_users(ANA)
    offer, order, plain = await shop.send(category="offers"), await shop.send(ANA, category="orders"), await shop.send()
    await shop.read(ANA, offer)

    assert await shop.ids(ANA, category="offers") == [offer]
    assert await shop.ids(ANA, category="offers", unread=True) == []
    assert await shop.ids(ANA, unread=True) == [plain, order]
    assert await shop.ids(ANA, category="nothing") == []


async def test_selective_filter_returns_short_pages_with_a_cursor(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sobremesa.domains.inboxes.listing.MAX_READ", 4)
    await shop.create_users(ANA)
    wanted = await shop.send(ANA, category="orders")
    for _ in range(10):
        await shop.send(ANA)

    page, cursor = await shop.inboxes.list_messages(ANA, SHOP, NEWS, limit=10, category="orders")

    assert (page, cursor is None) == ([], False)
    assert await shop.ids(ANA, category="orders") == [wanted]


async def test_cursor_is_of_use_only_for_its_user_and_its_inbox(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    await shop.send(ANA)
    last = await shop.send(ANA)
    page = shop.inboxes.list_messages
    _, cursor = await page(ANA, SHOP, NEWS, limit=1)

    assert cursor is not None
    assert len((await page(ANA, SHOP, NEWS, limit=1, cursor=cursor))[0]) == 1
    for actor, inbox, other in (
        (BEN, NEWS, cursor),
        (ANA, InboxKey("alerts"), cursor),
        (ANA, NEWS, urlsafe_b64encode(last.encode()).decode()),
    ):
        with pytest.raises(BadCursor):
            await page(actor, SHOP, inbox, limit=1, cursor=other)


async def test_invalid_list_cursor_is_refused(shop: Shop) -> None:
    for cursor in ("?", "IyMj", "Kg==", "ÿ", "A"):
        with pytest.raises(BadCursor):
            await shop.inboxes.list_messages(ANA, SHOP, NEWS, limit=10, cursor=cursor)


async def test_marking_as_read_is_idempotent(shop: Shop) -> None:
    await shop.create_users(ANA)
    for message_id in (await shop.send(ANA), await shop.send()):
        assert await shop.read(ANA, message_id)
        [before] = [entry.readat for entry in await shop.entries(ANA) if entry.message_id == message_id]
        shop.clock.move(seconds=5)
        assert not await shop.read(ANA, message_id)
        [after] = [entry.readat for entry in await shop.entries(ANA) if entry.message_id == message_id]
        assert before == after
    assert await shop.numbers(ANA) == (2, 0)


async def test_concurrent_marks_count_once(shop: Shop) -> None:
    await shop.create_users(ANA)
    for message_id in (await shop.send(ANA, ttl="1h"), await shop.send(category="c", ttl="1h")):
        changed = await asyncio.gather(*(shop.read(ANA, message_id) for _ in range(8)))
        assert sum(changed) == 1
    assert await shop.count(ANA) == await shop.recount(ANA)


async def test_marking_an_unknown_or_expired_id_changes_nothing_and_returns_false(shop: Shop) -> None:
    await shop.create_users(ANA)
    others, own, public = await shop.send(BEN), await shop.send(ANA, ttl="10s"), await shop.send(ttl="10s")
    await shop.send(ANA)
    shop.clock.move(seconds=10)

    for message_id in ("bogus", others, own, public):
        assert not await shop.read(ANA, message_id)
        assert not await shop.archive(ANA, message_id)
        assert not await shop.snooze(ANA, message_id, seconds=60)
    assert await shop.numbers(ANA) == (1, 1)
    assert not [row for row in await shop.rows("m#") if row["kind"] == "RR"]


async def test_message_whose_readat_is_null_is_unread_and_can_be_marked(shop: Shop) -> None:
    message_id = await shop.send(ANA)
    [row] = await shop.rows("m#")
    await shop.app.table.engine.write(PutItem(RawKey(row["pk"], row["sk"]), {**row, "readat": None}))

    assert await shop.ids(ANA, unread=True) == [message_id]
    assert await shop.numbers(ANA) == (1, 1)
    assert await shop.read(ANA, message_id)
    assert not await shop.read(ANA, message_id)
    assert await shop.numbers(ANA) == (1, 0)


async def test_all_messages_or_one_category_can_be_marked_as_read(shop: Shop) -> None:
    await shop.create_users(ANA)
    for number in range(50):
        await shop.send(*((ANA,) if number % 2 else ()), category=f"c{number % 5}", ttl="1h")
    read_all = shop.inboxes.mark_all_read

    assert await read_all(ANA, SHOP, NEWS, category="c1") == 10
    assert (await shop.count(ANA)).categories["c1"] == CategoryCount(10, 0, False)
    assert await read_all(ANA, SHOP, NEWS) == 40
    assert await read_all(ANA, SHOP, NEWS) == 0
    assert await shop.numbers(ANA) == (50, 0)
    assert await shop.count(ANA) == await shop.recount(ANA)


async def test_concurrent_marks_of_all_and_of_single_messages_count_each_once(shop: Shop) -> None:
    await shop.create_users(ANA)
    ids = [await shop.send(*((ANA,) if number % 2 else ()), category="c") for number in range(20)]

    changed = await asyncio.gather(
        shop.inboxes.mark_all_read(ANA, SHOP, NEWS), *(shop.read(ANA, message_id) for message_id in ids)
    )

    assert sum(changed) == 20
    assert await shop.numbers(ANA) == (20, 0)


async def test_archived_message_leaves_the_list_and_counts_of_that_user(shop: Shop) -> None:
    await shop.create_users(ANA, BEN)
    own, public, kept = await shop.send(ANA, category="c"), await shop.send(category="c"), await shop.send(ANA)
    await shop.read(ANA, public)

    for message_id in (own, public):
        assert await shop.archive(ANA, message_id)
        assert not await shop.archive(ANA, message_id)

    assert await shop.ids(ANA) == [kept]
    assert await shop.numbers(ANA) == (1, 1)
    assert (await shop.count(ANA)).categories == {}
    assert await shop.ids(BEN) == [public]
    assert await shop.read(ANA, own)
    assert await shop.numbers(ANA) == (1, 1)


async def test_snoozed_message_reappears_when_the_snooze_ends(shop: Shop) -> None:
    await shop.create_users(ANA)
    own, public, read = await shop.send(ANA, category="c"), await shop.send(category="c"), await shop.send(ANA)
    await shop.read(ANA, read)
    for message_id in (own, public, read):
        assert await shop.snooze(ANA, message_id, seconds=60)

    assert await shop.ids(ANA) == []
    assert await shop.numbers(ANA) == (0, 0)
    assert len(await shop.rows("z#")) == 3
    shop.clock.move(seconds=61)
    assert await shop.ids(ANA) == [read, public, own]
    assert await shop.numbers(ANA) == (3, 2)
    assert await shop.count(ANA) == await shop.recount(ANA)


async def test_message_marked_as_read_while_snoozed_stays_read(shop: Shop) -> None:
    message_id = await shop.send(ANA)
    await shop.snooze(ANA, message_id, seconds=60)

    assert await shop.read(ANA, message_id)

    assert await shop.numbers(ANA) == (0, 0)
    shop.clock.move(seconds=61)
    assert await shop.numbers(ANA) == (1, 0)


async def test_message_archived_while_snoozed_does_not_reappear(shop: Shop) -> None:
    message_id = await shop.send(ANA)
    await shop.snooze(ANA, message_id, seconds=60)
    assert await shop.archive(ANA, message_id)
    assert not await shop.snooze(ANA, message_id, seconds=90)

    shop.clock.move(seconds=61)

    assert await shop.ids(ANA) == []
    assert await shop.numbers(ANA) == (0, 0)


async def test_snooze_must_end_in_the_future(shop: Shop) -> None:
    for seconds in (-10, 0, 101 * 366 * 86400):
        message_id = await shop.send(ANA)

        with pytest.raises(PastSnooze):
            await shop.snooze(ANA, message_id, seconds=seconds)


async def test_muted_category_is_listed_and_not_counted_as_unread(shop: Shop) -> None:
    await shop.create_users(ANA)
    offer = await shop.send(category="offers")
    order = await shop.send(ANA, category="orders")
    await shop.mute(ANA, "offers")

    assert await shop.ids(ANA) == [order, offer]
    count = await shop.count(ANA)
    assert (count.total, count.unread) == (2, 1)
    assert count.categories["offers"] == CategoryCount(1, 1, True)
    await shop.mute(ANA, "offers", muted=False)
    assert await shop.numbers(ANA) == (2, 2)


async def test_tenant_cannot_read_another(shop: Shop) -> None:
    await shop.send(ANA)
    message_id = await shop.send()
    stranger = reader("ana", Tenant("rival"))
    rival_key = Actor(tenant=Tenant("rival"), key_id=KeyId("k"), scopes=KEY.scopes)
    inboxes = shop.inboxes
    notice = Notice(sender="s", title="t", body="b")

    for tenant in (SHOP, Tenant("nothing")):
        for attempt in (
            inboxes.list_messages(stranger, tenant, NEWS, limit=10),
            inboxes.count(stranger, tenant, NEWS),
            inboxes.mark_read(stranger, tenant, NEWS, message_id),
            inboxes.mark_all_read(stranger, tenant, NEWS),
            inboxes.archive(stranger, tenant, NEWS, message_id),
            inboxes.snooze(stranger, tenant, NEWS, message_id, until_ms=2**42),
            inboxes.set_preference(stranger, tenant, NEWS, "c", muted=True),
            inboxes.get_tenant(rival_key, tenant),
            inboxes.set_tenant(rival_key, tenant, title=None, ttl=None),
            inboxes.get_inbox(rival_key, tenant, NEWS),
            inboxes.set_inbox(rival_key, tenant, NEWS, title=None, description=None, ttl={}),
            inboxes.publish_to_everyone(rival_key, tenant, NEWS, notice),
            inboxes.publish_to_users(rival_key, tenant, NEWS, notice, [ANA.user_id]),
            inboxes.get_publish(rival_key, tenant, NEWS, message_id),
        ):
            with pytest.raises(NotFound):
                await attempt
    assert (await inboxes.list_messages(stranger, Tenant("rival"), NEWS, limit=10))[0] == []
    with pytest.raises(UserRequired):
        await inboxes.list_messages(KEY, SHOP, NEWS, limit=10)


async def test_unread_counts_of_all_inboxes_of_the_tenant(shop: Shop) -> None:
    await shop.create_users(ANA)
    alerts = Shop(shop.app, shop.clock, InboxKey("alerts"))
    await shop.send(ANA)
    await shop.send()
    shop.clock.move(seconds=1)
    await alerts.send(BEN)
    elsewhere = reader("ana", Tenant("rival"))

    assert [tuple(each) for each in await shop.inboxes.count_everywhere(ANA)] == [("news", 2)]
    assert [tuple(each) for each in await shop.inboxes.count_everywhere(BEN)] == [("alerts", 1)]
    assert await shop.inboxes.count_everywhere(elsewhere) == []


async def test_list_that_is_read_again_shows_every_change_since(shop: Shop) -> None:
    """Also those that happen without a write: expiry, and the end of a snooze."""
    await shop.create_users(ANA, BEN)

    async def listed() -> list[tuple[str, bool]]:
        await shop.entries(ANA)
        return [(entry.message_id, entry.readat is not None) for entry in await shop.entries(ANA)]

    assert await listed() == []
    own = await shop.send(ANA, ttl="1h")
    assert await listed() == [(own, False)]
    public = await shop.send(ttl="2h")
    assert await listed() == [(public, False), (own, False)]
    await shop.send(BEN)
    await shop.read(BEN, public)
    assert await listed() == [(public, False), (own, False)]
    await shop.read(ANA, public)
    assert await listed() == [(public, True), (own, False)]
    await shop.snooze(ANA, public, seconds=60)
    assert await listed() == [(own, False)]
    shop.clock.move(seconds=60)
    assert await listed() == [(public, True), (own, False)]
    shop.clock.move(seconds=3600)
    assert await listed() == [(public, True)]
    await shop.archive(ANA, public)
    assert await listed() == []
    recalled = await shop.send(ANA)
    assert await listed() == [(recalled, False)]
    await shop.inboxes.recall(KEY, SHOP, NEWS, recalled)
    assert await listed() == []
