"""Threads and inbox messages of another writer, without keys in any index, are completed."""

from __future__ import annotations

from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import rows
from inboxes.test_golden_rows import FAR
from inboxes.test_golden_rows import SAMPLES as INBOXES
from migration.before import put
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import instant
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.threads.entities import LbgId, LegId, ListingId, inquiry_of
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms import archive
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.values import Item

BEA, SAL = (Actor.of_user(UserId(user_id), name) for user_id, name in (("usr_1", "bea"), ("usr_2", "sal")))
THREAD = RoomId("thrd_1")
CREATED, SENT = "2025-11-05T14:12:00Z", "2025-11-05T14:12:07.123Z"


def thread(thread_id: str = THREAD, **attributes: Any) -> Item:
    return {
        "pk": f"THR#{thread_id}", "sk": "THR", "kind": "inquiry", "lbgId": "lbg_1", "legId": "leg_1",
        "listingId": "lst_1", "buyerUserId": "usr_1", "sellerUserId": "usr_2", "participants": ["usr_1", "usr_2"],
        "city": "Houston", "createdAt": CREATED, "updatedAt": SENT, "status": "open", "lastMessageAt": SENT,
        "safeModeRequired": False, **attributes,
    }  # fmt: skip


def participant(user_id: str, role: str, thread_id: str = THREAD, **attributes: Any) -> Item:
    keys = {"pk": f"THR#{thread_id}", "sk": f"PART#{user_id}"}
    return {**keys, "roleContext": role, "lastReadMsgId": None, "lastReadAt": None, "blockedUntil": None, **attributes}


def message(message_id: str, sent: str, author: str = "usr_2") -> Item:
    keys = {"pk": f"THR#{THREAD}", "sk": f"MSG#{sent}#{message_id}"}
    return {**keys, "type": "text", "body": message_id, "authorUserId": author, "createdAt": sent}


async def fill(app: Sobremesa, *more: Item) -> None:
    """The rows that the document shows, with their attributes and nothing else."""
    for who in (BEA, SAL):
        await app.table.write(Put(User(user_id=who.user_id, username=who.username)))
    await put(
        app.table.engine,
        thread(),
        participant("usr_1", "buyer"),
        participant("usr_2", "seller"),
        message("msg_1", SENT),
        *more,
    )


async def about(app: Sobremesa, **what: Any) -> list[str]:
    found, _ = await app.threads.list_about(BEA, **{"lbg_id": None, "leg_id": None, **what}, limit=9)
    return [listed.thread.room_id for listed in found]


async def test_a_documented_thread_is_found_everywhere_after_adoption(app: Sobremesa) -> None:
    await fill(app)
    assert await about(app, lbg_id=LbgId("lbg_1")) == []

    report = await app.adopting().adopt()

    assert report.mismatches == []
    assert await about(app, lbg_id=LbgId("lbg_1")) == await about(app, leg_id=LegId("leg_1")) == [THREAD]
    for who in (BEA, SAL):
        [listed] = (await app.threads.list_threads(who, limit=5))[0]
        assert (listed.thread.room_id, listed.thread.last_message_id) == (THREAD, "msg_1")
        assert listed.unread.count == (1 if who is BEA else 0)
    stored = {item["sk"]: item for item in await rows(app, "") if item["pk"] == f"THR#{THREAD}"}
    assert (stored["THR"]["gsi2pk"], stored["THR"]["gsi2sk"]) == ("LBG#lbg_1", "2025-11-05T14:12:00.000Z")
    assert stored["REF#LEG#leg_1"]["gsi2sk"] == "2025-11-05T14:12:00.000Z"
    assert stored["PART#usr_1"]["gsi1sk"] == f"{SENT}#{THREAD}"
    again = await app.adopting().adopt()
    assert (again.mismatches, again.migration.written) == ([], 0), "once is enough"


async def test_thread_with_only_a_leg_is_indexed_by_its_leg(app: Sobremesa) -> None:
    alone = thread("thrd_2", lbgId=None, listingId="lst_2", participants=None)
    await fill(app, alone, participant("usr_1", "buyer", "thrd_2"))

    assert (await app.adopting().adopt()).mismatches == []

    assert set(await about(app, leg_id=LegId("leg_1"))) == {THREAD, "thrd_2"}
    assert (await app.threads.get(BEA, RoomId("thrd_2"))).thread.participants == ["usr_1"]


async def test_a_second_inquiry_about_a_listing_is_reported_and_stays(app: Sobremesa) -> None:
    await fill(app)
    await app.adopting().adopt()
    await put(app.table.engine, thread("thrd_2"), participant("usr_1", "buyer", "thrd_2"))

    report = await app.adopting().adopt()

    assert report.mismatches == ["THR#thrd_2 / THR: another thread is the inquiry of this buyer about this listing"]
    assert await about(app, leg_id=LegId("leg_1")) == await about(app, lbg_id=LbgId("lbg_1"))


async def test_an_adopted_inquiry_is_the_one_that_a_buyer_comes_back_to(app: Sobremesa) -> None:
    await fill(app)

    await app.adopting().adopt()

    created = await app.threads.create(BEA, NewThread("inquiry", SAL.user_id, listing_id=ListingId("lst_1")))
    assert (created.listed.thread.room_id, created.is_new) == (THREAD, False)
    parts = {"buyer_user_id": "usr_1", "seller_user_id": "usr_2", "listing_id": "lst_1"}
    claim = await app.table.get(inquiry_of(**parts))
    assert claim is not None
    assert claim.room_id == THREAD


async def test_messages_can_follow_a_last_message_of_another_format(app: Sobremesa) -> None:
    await fill(app)
    await app.adopting().adopt()

    first = await app.threads.send(BEA, THREAD, Draft("one"))
    second = await app.threads.send(SAL, THREAD, Draft("two"))

    history = await app.threads.page(BEA, THREAD, limit=9)
    assert [each.message_id for each in history.messages] == [second.message_id, first.message_id, "msg_1"]
    assert (await app.threads.get(BEA, THREAD)).thread.last_message_id == second.message_id


async def test_adopted_message_is_found_by_its_id_however_many_are_newer(
    app: Sobremesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(app, *(message(f"msg_{number}", f"2025-11-05T14:13:0{number}.000Z") for number in range(2, 7)))
    monkeypatch.setattr(archive, "SCAN_PAGE_SIZE", 1)
    monkeypatch.setattr(archive, "MAX_SCANNED", 2)
    rooms, oldest = app.threads, MessageId("msg_1")
    with pytest.raises(NotFound):
        await rooms.get_message(BEA, THREAD, oldest)

    assert (await app.adopting().adopt()).mismatches == []

    assert (await rooms.get_message(BEA, THREAD, oldest)).content == "msg_1"
    alone = await rooms.find_message(BEA, oldest)
    assert alone is not None
    assert alone.message_id == oldest
    await rooms.react(BEA, THREAD, oldest, "👍")
    await rooms.pin(BEA, THREAD, oldest)
    answer = await rooms.send(BEA, THREAD, Draft("that one", reply_to=oldest))
    after = await rooms.page(BEA, THREAD, limit=9, after=oldest)
    assert [each.message_id for each in after.messages] == [*(f"msg_{n}" for n in range(2, 7)), answer.message_id]
    assert (await rooms.edit(SAL, THREAD, oldest, "edited")).content == "edited"
    assert (await app.adopting().adopt()).migration.written == 0, "once is enough"


async def test_a_message_of_the_future_does_not_become_the_head(app: Sobremesa, clock: Ahead) -> None:
    ahead = instant(clock.now_ms() + 3_600_000)
    await fill(app, message("msg_2", ahead))

    assert (await app.adopting().adopt()).mismatches == []

    assert (await app.threads.get(BEA, THREAD)).thread.last_message_id is None
    assert MessageId((await app.threads.send(BEA, THREAD, Draft("now"))).message_id)


@pytest.mark.parametrize("sample", ["a message to a user", "a message to everyone", "a receipt"])
async def test_inbox_rows_get_the_time_to_live_of_the_table(app: Sobremesa, clock: Ahead, sample: str) -> None:
    _, item = INBOXES[sample]
    over = clock.now_ms() // 1000 - 60
    await put(
        app.table.engine, item, item | {"sk": "m#over", "expiredat": over}, item | {"sk": "m#ever", "expiredat": None}
    )

    report = await app.adopting().adopt()

    assert report.mismatches == []
    stored = {each["sk"]: each for each in await rows(app, "m#")}
    assert stored.pop(item["sk"]) == item | {"ttl": FAR}
    assert [each.get("ttl") for each in stored.values()] == [None, None]
