"""Segments: stored audiences, published to as they are at that moment."""

from __future__ import annotations

import asyncio

import pytest

from inboxes.shop import ANA, BEN, CLEO, KEY, SHOP, Shop, reader
from sobremesa.core.actor import Actor, KeyId, Tenant, UserId
from sobremesa.core.errors import Forbidden, NotFound, UnknownUsers
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes import segments
from sobremesa.domains.inboxes.errors import EmptySegment, HostIdReused, NoSuchSegment, SegmentFull
from sobremesa.domains.inboxes.publish_entities import SegmentName, parts_of
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import Update, set_to

FANS = SegmentName("fans")


@pytest.fixture
def notice() -> Notice:
    return Notice(sender="shop", title="News", body="Something new")


async def set_users(shop: Shop, *names: str) -> int:
    await shop.require_accounts(names)
    return (await shop.inboxes.set_segment(KEY, SHOP, FANS, [UserId(name) for name in names])).users


async def test_message_reaches_the_users_who_are_in_the_segment_now(shop: Shop, notice: Notice) -> None:
    assert await set_users(shop, "ana", "ben", "ana") == 2
    first = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    assert await set_users(shop, "ben", "cleo") == 2
    second = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)

    assert (first.recipients, second.recipients) == (2, 2)
    assert await shop.ids(ANA) == [first.message_id]
    assert await shop.ids(BEN) == [second.message_id, first.message_id]
    assert await shop.ids(CLEO) == [second.message_id]


async def test_large_segment_is_stored_in_parts_and_delivered_to_everyone_in_it(
    shop: Shop, notice: Notice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "PART", 3)
    names = [f"user-{number}" for number in range(10)]
    assert await set_users(shop, *names) == 10
    assert len([part async for part in shop.app.table.every(parts_of(tenant=SHOP, segment=FANS))]) == 4
    published = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    assert (published.recipients, published.delivered) == (10, 10)
    assert await set_users(shop, "ana") == 1
    assert len([part async for part in shop.app.table.every(parts_of(tenant=SHOP, segment=FANS))]) == 1


async def test_repeated_publish_is_the_first_one_even_if_the_segment_changed(shop: Shop) -> None:
    await set_users(shop, "ana")
    notice = Notice(sender="shop", title="News", body="Something new", host_system_id="h")
    first = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    await set_users(shop, "ben")
    again = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    assert (again.message_id, again.recipients) == (first.message_id, 1)
    assert await shop.ids(BEN) == []
    with pytest.raises(HostIdReused):
        await shop.inboxes.publish_to_users(KEY, SHOP, shop.inbox, notice, [UserId("ana")])


async def test_concurrent_replacements_leave_one_whole_segment(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "PART", 2)
    groups = [[f"user-{group}-{number}" for number in range(5)] for group in range(6)]
    await shop.require_accounts([name for group in groups for name in group])
    await asyncio.gather(*(set_users(shop, *group) for group in groups))

    stored = await shop.inboxes.publish_to_segment(
        KEY, SHOP, shop.inbox, Notice(sender="shop", title="News", body="x"), FANS
    )
    reached = [group for group in groups for name in group if await shop.ids(reader(name))]
    assert stored.recipients == 5
    assert reached in [[group] * 5 for group in groups]


async def test_deleted_users_are_left_out_and_unknown_ones_refused(shop: Shop, notice: Notice) -> None:
    await set_users(shop, "ana", "ben")
    deleted = Update(user_by_id(user_id=UserId("ana")), set_to(deleted_at=shop.clock.now()))
    await shop.app.table.write(deleted)
    assert (await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)).recipients == 1
    with pytest.raises(UnknownUsers) as refused:
        await shop.inboxes.set_segment(KEY, SHOP, FANS, [UserId("ben"), UserId("nobody")])
    assert refused.value.data["user_ids"] == ["nobody"]


async def test_missing_and_empty_segments_are_refused(shop: Shop, notice: Notice) -> None:
    with pytest.raises(NoSuchSegment):
        await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    assert await set_users(shop) == 0
    with pytest.raises(EmptySegment):
        await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    await shop.inboxes.delete_segment(KEY, SHOP, FANS)
    for missing in (shop.inboxes.get_segment(KEY, SHOP, FANS), shop.inboxes.delete_segment(KEY, SHOP, FANS)):
        with pytest.raises(NotFound):
            await missing


async def test_segment_needs_the_scope_and_the_tenant(shop: Shop) -> None:
    await set_users(shop, "ana")
    publisher = Actor(tenant=SHOP, key_id=KeyId("publisher"), scopes=frozenset({"inbox:publish"}))
    rival = Actor(tenant=Tenant("rival"), key_id=KeyId("rival"), scopes=frozenset({"admin"}))
    assert (await shop.inboxes.get_segment(publisher, SHOP, FANS)).users == 1
    with pytest.raises(Forbidden):
        await shop.inboxes.set_segment(publisher, SHOP, FANS, [])
    with pytest.raises(NotFound):
        await shop.inboxes.get_segment(rival, SHOP, FANS)


async def change(shop: Shop, *, add: str = "", remove: str = "") -> int:
    added, removed = ([UserId(name) for name in names.split()] for names in (add, remove))
    await shop.require_accounts(added)
    return (await shop.inboxes.change_segment_users(KEY, SHOP, FANS, add=added, remove=removed)).users


async def users_of(shop: Shop, notice: Notice) -> list[str]:
    published = await shop.inboxes.publish_to_segment(KEY, SHOP, shop.inbox, notice, FANS)
    return sorted(row["uid"] for row in await shop.rows(f"m#{published.message_id}"))


async def test_users_are_added_to_a_segment_and_removed(
    shop: Shop, notice: Notice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "PART", 2)
    with pytest.raises(NotFound):
        await change(shop, add="ana")
    await set_users(shop, "ana", "ben", "cleo")

    assert await change(shop, add="dora ana", remove="ben nobody") == 3
    assert await users_of(shop, notice) == ["ana", "cleo", "dora"]
    before = await shop.inboxes.get_segment(KEY, SHOP, FANS)
    assert await change(shop, add="dora ana", remove="ben nobody") == 3, "again, it has no effect"
    assert await shop.inboxes.get_segment(KEY, SHOP, FANS) == before
    assert await change(shop, add="ben", remove="ben ana") == 2
    with pytest.raises(UnknownUsers):
        await shop.inboxes.change_segment_users(KEY, SHOP, FANS, add=[UserId("nobody")], remove=[])
    monkeypatch.setattr(segments, "MAX_USERS", 3)
    with pytest.raises(SegmentFull):
        await change(shop, add="eve fay")
    assert await users_of(shop, notice) == ["cleo", "dora"]


async def test_concurrent_changes_are_all_made(shop: Shop, notice: Notice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "PART", 2)
    names = [f"user-{number}" for number in range(8)]
    await shop.require_accounts(names)
    await set_users(shop, *names[:3])

    counts = await asyncio.gather(
        *(change(shop, add=name) for name in names[3:]), *(change(shop, remove=name) for name in names[:2])
    )

    assert len(counts) == 7
    assert await users_of(shop, notice) == names[2:]
    stored = [part async for part in shop.app.table.every(parts_of(tenant=SHOP, segment=FANS))]
    assert len(stored) == 3, "no parts of other versions are left"


async def test_segments_of_a_tenant_are_listed_by_name_page_by_page(shop: Shop) -> None:
    for name in ("fans", "bikers", "runners"):
        await shop.inboxes.set_segment(KEY, SHOP, SegmentName(name), [])
    first = await shop.inboxes.list_segments(KEY, SHOP, limit=2, cursor=None)
    rest = await shop.inboxes.list_segments(KEY, SHOP, limit=2, cursor=first.cursor)
    assert [row.segment for row in [*first.items, *rest.items]] == ["bikers", "fans", "runners"]
    assert rest.cursor is None
    await shop.inboxes.delete_segment(KEY, SHOP, FANS)
    assert len((await shop.inboxes.list_segments(KEY, SHOP, limit=9, cursor=None)).items) == 2
    with pytest.raises(NotFound):
        await shop.inboxes.list_segments(KEY, Tenant("rival"), limit=9, cursor=None)
