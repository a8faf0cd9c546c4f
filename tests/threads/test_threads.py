"""Creating, listing and closing threads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.errors import ChangedMeanwhile, Forbidden, NotFound, UnknownUsers
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import (
    LbgId,
    LegId,
    ListingId,
    Thread,
    participant_of,
    thread_by_id,
)
from sobremesa.domains.threads.errors import Blocked, BuyerIsSeller, ListingNeeded, LockedByAnother, ThreadNotOpen
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.errors import PartOfRecord
from sobremesa.table import Delete, Update, remove, set_to
from sobremesa.work.idempotency import KeyReused
from threads.conftest import Ahead
from threads.environment import PLATFORM, Deal, new_person

L = ListingId("lst_1")


async def test_20_concurrent_creates_of_one_inquiry_create_one_thread(app: Sobremesa) -> None:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    wanted = NewThread("inquiry", seller.user_id, L)

    created = await asyncio.gather(*(app.threads.create(buyer, wanted) for _ in range(20)))

    assert len({one.listed.thread.room_id for one in created}) == 1
    assert sum(one.is_new for one in created) == 1
    stored = [item async for item in app.table.scan(consistent=True) if item["sk"] == "THR"]
    assert len(stored) == 1
    # Another listing, another seller, the other way round: each is a thread of its own.
    other = await new_person(app, "sid")
    for who, others in (
        (buyer, wanted._replace(listing_id=ListingId("lst_2"))),
        (buyer, wanted._replace(seller_user_id=other.user_id)),
        (seller, wanted._replace(seller_user_id=buyer.user_id)),
    ):
        assert (await app.threads.create(who, others)).is_new


async def test_projects_need_no_listing_and_are_not_unique(app: Sobremesa) -> None:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    wanted = NewThread("project", seller.user_id)

    one, other = await app.threads.create(buyer, wanted), await app.threads.create(buyer, wanted)

    assert one.is_new
    assert other.is_new
    assert one.listed.thread.room_id != other.listed.thread.room_id
    first = await app.threads.create(buyer, wanted, key="once")
    again = await app.threads.create(buyer, wanted, key="once")
    assert (again.listed.thread.room_id, again.is_new) == (first.listed.thread.room_id, True)
    with pytest.raises(KeyReused):
        await app.threads.create(buyer, wanted._replace(city="Houston"), key="once")


async def test_threads_that_cannot_be_created(app: Sobremesa) -> None:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    wanted = NewThread("inquiry", seller.user_id, L)

    with pytest.raises(ListingNeeded):
        await app.threads.create(buyer, wanted._replace(listing_id=None))
    with pytest.raises(BuyerIsSeller):
        await app.threads.create(seller, wanted)
    with pytest.raises(UnknownUsers) as unknown:
        await app.threads.create(buyer, wanted._replace(seller_user_id=UserId("01NOBODY")))
    assert unknown.value.data == {"user_ids": ["01NOBODY"]}
    await app.accounts.block(seller, buyer.user_id)
    with pytest.raises(Blocked):
        await app.threads.create(buyer, wanted)

    assert [item async for item in app.table.scan(consistent=True) if item["pk"].startswith(("THR#", "UNIQ#"))] == []


async def test_thread_with_lbg_and_leg_is_listed_by_each(app: Sobremesa) -> None:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    project = NewThread("project", seller.user_id)
    lbg, leg = LbgId("lbg_1"), LegId("leg_1")

    async def created(**about: Any) -> RoomId:
        return (await app.threads.create(buyer, project._replace(**about))).listed.thread.room_id

    both, of_lbg, of_leg = await created(lbg_id=lbg, leg_id=leg), await created(lbg_id=lbg), await created(leg_id=leg)
    await created(lbg_id=LbgId("lbg_2"), leg_id=LegId("leg_2"))

    async def found(**about: Any) -> set[RoomId]:
        about = {"lbg_id": None, "leg_id": None} | about
        listed, cursor = await app.threads.list_about(seller, **about, limit=50)
        assert cursor is None
        return {one.thread.room_id for one in listed}

    assert await found(lbg_id=lbg) == {both, of_lbg}
    assert await found(leg_id=leg) == {both, of_leg}
    assert await found(lbg_id=lbg, leg_id=leg) == {both}


async def test_references_list_only_own_threads_page_by_page(app: Sobremesa, clock: Ahead) -> None:
    buyer, seller, other = [await new_person(app, name) for name in ("bea", "sal", "oz")]
    lbg = LbgId("lbg_1")
    own: list[RoomId] = []
    foreign: list[RoomId] = []
    for number in range(9):
        clock.move(seconds=1)
        who, kept = (buyer, own) if number % 3 == 0 else (other, foreign)
        wanted = NewThread("project", seller.user_id, lbg_id=lbg)
        kept.append((await app.threads.create(who, wanted)).listed.thread.room_id)

    async def all_of(who: Any, limit: int) -> list[RoomId]:
        found: list[RoomId] = []
        cursor = None
        while True:
            page, cursor = await app.threads.list_about(who, lbg_id=lbg, leg_id=None, limit=limit, cursor=cursor)
            assert len(page) <= limit
            found += [one.thread.room_id for one in page]
            if cursor is None:
                return found

    assert await all_of(buyer, 1) == own[::-1]
    assert await all_of(buyer, 2) == own[::-1]
    assert len(await all_of(seller, 4)) == 9
    assert len(await all_of(PLATFORM, 4)) == 9
    stranger = await new_person(app, "sam")
    assert await app.threads.list_about(stranger, lbg_id=lbg, leg_id=None, limit=2) == ([], None)


async def test_index_entries_without_rows_are_left_out(deal: Deal) -> None:
    """An index entry whose row is gone is left out."""
    await deal.send(deal.buyer, "hello")
    assert len((await deal.app.threads.list_threads(deal.admin, limit=5))[0]) == 1

    await deal.app.table.write(Delete(thread_by_id(room_id=deal.thread_id)))
    assert (await deal.app.threads.list_threads(deal.admin, limit=5))[0] == []
    with pytest.raises(NotFound):
        await deal.app.threads.get(deal.buyer, deal.thread_id)


async def test_other_users_see_nothing_and_an_administrator_sees_no_messages(deal: Deal) -> None:
    await deal.send(deal.buyer, "hello")

    for call in (
        lambda: deal.app.threads.get(deal.stranger, deal.thread_id),
        lambda: deal.app.threads.set_status(deal.stranger, deal.thread_id, "locked"),
        lambda: deal.app.threads.participants.list_participants(deal.stranger, deal.thread_id, limit=5),
        lambda: deal.app.threads.page(deal.stranger, deal.thread_id, limit=5),
        lambda: deal.app.threads.page(PLATFORM, deal.thread_id, limit=5),
        lambda: deal.app.threads.require_party(deal.stranger, deal.thread_id),
    ):
        with pytest.raises(NotFound):
            await call()

    seen = await deal.app.threads.get(PLATFORM, deal.thread_id)
    assert (seen.participant, seen.unread.count) == (None, 0)
    assert await deal.app.threads.require_party(deal.seller, deal.thread_id) == "seller"


# Closing


async def test_only_the_locking_user_or_an_admin_reopens_a_locked_thread(deal: Deal) -> None:
    threads, thread_id = deal.app.threads, deal.thread_id

    locked = await threads.set_status(deal.buyer, thread_id, "locked")
    assert (locked.thread.status, locked.thread.locked_by) == ("locked", deal.buyer.user_id)
    with pytest.raises(ThreadNotOpen) as refused:
        await deal.send(deal.seller, "hello?")
    assert refused.value.data == {"thread_status": "locked"}
    for status in ("open", "archived"):
        with pytest.raises(LockedByAnother):
            await threads.set_status(deal.seller, thread_id, status)
    assert (await threads.set_status(deal.buyer, thread_id, "open")).thread.locked_by is None
    await deal.send(deal.seller, "there you are")

    await threads.set_status(deal.seller, thread_id, "locked")
    assert (await threads.set_status(deal.admin, thread_id, "open")).thread.status == "open"
    await threads.set_status(deal.seller, thread_id, "locked")
    assert (await threads.set_status(PLATFORM, thread_id, "open")).thread.status == "open"
    assert await deal.contents() == ["there you are"]


async def test_either_side_reopens_an_archived_thread(deal: Deal) -> None:
    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    with pytest.raises(ThreadNotOpen):
        await deal.send(deal.buyer, "one more thing")
    assert (await deal.app.threads.set_status(deal.seller, deal.thread_id, "open")).thread.status == "open"


async def test_lock_between_check_and_write_is_enforced(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write decides: a user who was authorized before the lock sends nothing after it."""
    write, thread = deal.app.table.write, await deal.thread()
    locked: list[bool] = []

    async def locking(*operations: Any, **options: Any) -> Any:
        if not locked:
            locked.append(True)
            await write(Update(thread.own_key(), set_to(status="locked")))
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", locking)
    with pytest.raises(ThreadNotOpen):
        await deal.send(deal.seller, "too late")

    assert await deal.contents() == []


async def test_every_change_of_the_status_is_in_the_audit_log(deal: Deal) -> None:
    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    await deal.app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    await deal.app.threads.set_status(deal.admin, deal.thread_id, "open")

    entries = [
        item async for item in deal.app.table.scan(consistent=True) if item["pk"].startswith(f"AUDIT#{deal.thread_id}#")
    ]
    changes = [(item["actor"], item["details"]) for item in entries if item["action"] == "thread.status"]
    assert changes == [
        (deal.buyer.user_id, {"from": "open", "to": "archived"}),
        (deal.admin.user_id, {"from": "archived", "to": "open"}),
    ]


async def test_one_of_two_concurrent_locks_is_refused(deal: Deal) -> None:
    outcomes = await asyncio.gather(
        deal.app.threads.set_status(deal.buyer, deal.thread_id, "locked"),
        deal.app.threads.set_status(deal.seller, deal.thread_id, "locked"),
        return_exceptions=True,
    )

    won = [one for one in outcomes if not isinstance(one, BaseException)]
    lost = [one for one in outcomes if isinstance(one, BaseException)]
    assert [type(one) for one in lost] in ([ChangedMeanwhile], [])
    # A call after the first one had finished found the thread locked, which is success.
    assert {one.thread.locked_by for one in won} == {(await deal.thread()).locked_by}


async def test_next_send_repairs_the_participants_list(deal: Deal) -> None:
    """The rows are the truth: a wrong list of participants prevents no send."""
    await deal.app.table.write(Delete(participant_of(room_id=deal.thread_id, user_id=deal.admin.user_id)))
    assert deal.admin.user_id in (await deal.thread()).participants

    await deal.send(deal.buyer, "hello")

    assert set((await deal.thread()).participants) == {deal.buyer.user_id, deal.seller.user_id}
    assert await deal.contents() == ["hello"]
    await deal.app.table.write(Update(Thread.key(room_id=deal.thread_id), remove("participants", "status")))
    await deal.send(deal.seller, "an older row, without a list or a status")
    listed = (await deal.app.threads.list_threads(deal.buyer, limit=5))[0]
    assert listed[0].unread.count == 1
    with pytest.raises(Forbidden):
        await deal.app.threads.participants.remove(deal.buyer, deal.thread_id, deal.seller.user_id)


async def test_admins_of_a_thread_read_its_audit_log_and_others_do_not(deal: Deal) -> None:
    threads = deal.app.threads
    await deal.join("hal", "seller")
    await threads.set_status(deal.buyer, deal.thread_id, "locked")

    for reader in (deal.admin, PLATFORM):
        newest, cursor = await threads.list_audit(reader, deal.thread_id, limit=1)
        older, _ = await threads.list_audit(reader, deal.thread_id, limit=9, cursor=cursor)
        assert [(entry.action, entry.actor) for entry in newest] == [("thread.status", deal.buyer.user_id)]
        assert [entry.action for entry in older] == ["participant.add"]
    with pytest.raises(Forbidden):
        await threads.list_audit(deal.buyer, deal.thread_id, limit=1)
    with pytest.raises(NotFound):
        await threads.list_audit(deal.stranger, deal.thread_id, limit=1)


async def test_closing_and_reopening_a_thread_adds_a_notice_that_is_never_unread(deal: Deal) -> None:
    threads, rooms, room = deal.app.threads, deal.app.threads, deal.thread_id
    await deal.send(deal.seller, "hello")
    await threads.set_status(deal.buyer, room, "locked")
    await threads.set_status(deal.buyer, room, "locked")
    await threads.set_status(PLATFORM, room, "open")

    page = await rooms.page(deal.seller, room, limit=10)

    assert [(each.type, each.content, each.author_id) for each in page.messages[:-1]] == [
        ("system", "The thread was reopened.", PLATFORM.user_id),
        ("system", "The thread was locked.", deal.buyer.user_id),
    ]
    assert (await rooms.unread(deal.seller, room)).count == 0
    assert (await rooms.unread(deal.buyer, room)).count == 1
    assert (await deal.thread()).last_message_id == page.messages[0].message_id
    with pytest.raises(PartOfRecord):
        await rooms.edit(deal.buyer, room, page.messages[1].message_id, "It was not")
