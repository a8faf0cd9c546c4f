"""Participants of threads: adding, blocking, muting, leaving."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.errors import ChangedMeanwhile, Forbidden, NotFound, UnknownUsers
from sobremesa.domains.conversations.errors import BlockedByRecipient
from sobremesa.domains.threads.entities import Participant, RoleContext, Thread
from sobremesa.domains.threads.errors import (
    AlreadyParticipant,
    Blocked,
    NotInFuture,
    OwnSideOnly,
    PartyStays,
    TooManyParticipants,
)
from sobremesa.domains.threads.participants import MAX_PARTICIPANTS
from sobremesa.rooms.errors import PartOfRecord
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put, Update, set_to
from threads.conftest import Ahead
from threads.environment import PLATFORM, Deal, at, new_person


async def in_both(deal: Deal) -> set[UserId]:
    """Return the participants from their rows, which must match the thread's own list."""
    rows = {item["userId"] for item in await deal.rows() if item["sk"].startswith("PART#")}
    listed = (await deal.thread()).participants
    assert set(listed) == rows
    assert len(listed) == len(rows)
    return rows


async def test_participant_adds_users_on_their_own_side_only(deal: Deal) -> None:
    add, thread_id = deal.app.threads.participants.add, deal.thread_id
    helper = await new_person(deal.app, "hal")

    roles: tuple[RoleContext, ...] = ("seller", "admin")
    for role in roles:
        with pytest.raises(OwnSideOnly):
            await add(deal.buyer, thread_id, helper.user_id, role)
    added = await add(deal.buyer, thread_id, helper.user_id, "buyer")
    assert added.role_context == "buyer"
    with pytest.raises(AlreadyParticipant):
        await add(deal.seller, thread_id, helper.user_id, "seller")
    with pytest.raises(AlreadyParticipant):
        await add(deal.buyer, thread_id, deal.buyer.user_id, "buyer")
    with pytest.raises(AlreadyParticipant):
        await add(deal.admin, thread_id, deal.admin.user_id, "seller")
    await deal.send(helper, "hello")

    other = await new_person(deal.app, "ole")
    await add(deal.admin, thread_id, other.user_id, "admin")
    assert await in_both(deal) == {who.user_id for who in (deal.buyer, deal.seller, deal.admin, helper, other)}


async def test_users_who_cannot_be_added(deal: Deal) -> None:
    add = deal.app.threads.participants.add
    with pytest.raises(UnknownUsers):
        await add(deal.buyer, deal.thread_id, UserId("01NOBODY"), "buyer")
    with pytest.raises(NotFound):
        await add(deal.stranger, deal.thread_id, deal.stranger.user_id, "buyer")
    await deal.app.accounts.block(deal.stranger, deal.buyer.user_id)
    with pytest.raises(Blocked):
        await add(deal.buyer, deal.thread_id, deal.stranger.user_id, "buyer")
    assert deal.stranger.user_id not in await in_both(deal)


async def test_thread_is_full_at_100_participants_also_under_concurrency(deal: Deal) -> None:
    filler = [UserId(f"x{number}") for number in range(MAX_PARTICIPANTS - 4)]
    participant_ids = [*(await deal.thread()).participants, *filler]
    rows = [Participant(room_id=deal.thread_id, user_id=user_id, role_context="buyer") for user_id in filler]
    await deal.app.table.write_many([Put(row) for row in rows])
    await deal.app.table.write(Update(Thread.key(room_id=deal.thread_id), set_to(participants=participant_ids)))
    participants = [await new_person(deal.app, f"p{number}") for number in range(5)]

    outcomes = await asyncio.gather(
        *(deal.app.threads.participants.add(deal.buyer, deal.thread_id, who.user_id, "buyer") for who in participants),
        return_exceptions=True,
    )

    refused = [one for one in outcomes if isinstance(one, BaseException)]
    assert [type(one) for one in refused] == [TooManyParticipants] * 4
    assert len((await deal.thread()).participants) == MAX_PARTICIPANTS


async def test_only_the_other_side_or_an_admin_blocks_a_participant(deal: Deal, clock: Ahead) -> None:
    change, thread_id = deal.app.threads.participants.change, deal.thread_id
    helper = await deal.join("hal", "buyer")
    until = at(clock.now_ms() + 60_000)

    for who, whom in (
        (deal.buyer, deal.buyer),
        (deal.buyer, helper),
        (deal.buyer, deal.admin),
        (deal.admin, deal.admin),
    ):
        with pytest.raises(Forbidden):
            await change(who, thread_id, whom.user_id, blocked_until=until)
    with pytest.raises(NotFound):
        await change(deal.stranger, thread_id, deal.seller.user_id, blocked_until=until)
    for past in (at(clock.now_ms() - 1), at(-1)):
        with pytest.raises(NotInFuture):
            await change(deal.buyer, thread_id, deal.seller.user_id, blocked_until=past)

    await change(deal.seller, thread_id, helper.user_id, blocked_until=until)
    assert (await change(deal.seller, thread_id, helper.user_id, blocked_until=None)).blocked_until is None
    await change(PLATFORM, thread_id, deal.seller.user_id, blocked_until=until)
    with pytest.raises(Forbidden):
        await change(deal.buyer, thread_id, deal.seller.user_id, blocked_until=None)
    with pytest.raises(Blocked):
        await deal.send(deal.seller, "hello")
    await change(deal.admin, thread_id, deal.seller.user_id, blocked_until=None)
    await deal.send(deal.seller, "hello")


async def test_participant_mutes_for_themselves_only(deal: Deal) -> None:
    change = deal.app.threads.participants.change
    with pytest.raises(Forbidden):
        await change(deal.admin, deal.thread_id, deal.buyer.user_id, muted=True)
    assert (await change(deal.buyer, deal.thread_id, deal.buyer.user_id, muted=True)).muted
    [listed] = (await deal.app.threads.list_threads(deal.buyer, limit=5))[0]
    assert listed.participant is not None
    assert listed.participant.muted
    preferences = await deal.app.threads.set_preferences(deal.buyer, deal.thread_id, muted=False)
    assert not preferences.muted
    assert not (await change(deal.buyer, deal.thread_id, deal.buyer.user_id)).muted


async def test_participants_leave_and_admins_remove_but_the_parties_stay(deal: Deal) -> None:
    remove, thread_id = deal.app.threads.participants.remove, deal.thread_id
    one, other = await deal.join("one", "buyer"), await deal.join("two", "seller")

    for who, whom in ((deal.buyer, deal.buyer), (deal.admin, deal.seller), (PLATFORM, deal.buyer)):
        with pytest.raises(PartyStays):
            await remove(who, thread_id, whom.user_id)
    for who, whom in ((deal.buyer, one), (one, other)):
        with pytest.raises(Forbidden):
            await remove(who, thread_id, whom.user_id)
    await remove(one, thread_id, one.user_id)
    await remove(deal.admin, thread_id, other.user_id)
    with pytest.raises(NotFound):
        await remove(deal.admin, thread_id, other.user_id)

    assert await in_both(deal) == {deal.buyer.user_id, deal.seller.user_id, deal.admin.user_id}
    for who in (one, other):
        with pytest.raises(NotFound):
            await deal.send(who, "still here?")
        assert (await deal.app.threads.list_threads(who, limit=5))[0] == []
    await deal.app.threads.participants.add(deal.buyer, thread_id, one.user_id, "buyer")
    await deal.send(one, "back again")


async def test_joining_and_leaving_add_notices_that_are_never_unread(deal: Deal) -> None:
    participants, rooms, room = deal.app.threads.participants, deal.app.threads, deal.thread_id
    await deal.send(deal.seller, "hello")
    hal = await new_person(deal.app, "hal")

    for _ in range(2):
        with contextlib.suppress(AlreadyParticipant):
            await participants.add(deal.buyer, room, hal.user_id, "buyer")
    await participants.remove(hal, room, hal.user_id)
    await participants.add(PLATFORM, room, hal.user_id, "seller")
    await participants.remove(deal.admin, room, hal.user_id)

    page = await rooms.page(deal.buyer, room, limit=4)
    assert [(each.type, each.author_id, each.username, each.content) for each in reversed(page.messages)] == [
        ("system", hal.user_id, "hal", "Joined the thread."),
        ("system", hal.user_id, "hal", "Left the thread."),
        ("system", hal.user_id, "hal", "Joined the thread."),
        ("system", hal.user_id, "hal", "Was removed from the thread."),
    ]
    assert (await deal.thread()).last_message_id == page.messages[0].message_id
    unread = {who.username: (await rooms.unread(who, room)).count for who in (deal.buyer, deal.seller, deal.admin)}
    assert unread == {deal.buyer.username: 1, deal.seller.username: 0, deal.admin.username: 1}


async def test_notice_cannot_be_edited_deleted_or_reacted_to(deal: Deal) -> None:
    rooms, room = deal.app.threads, deal.thread_id
    hal = await deal.join("hal", "buyer")
    [notice] = (await rooms.page(deal.buyer, room, limit=1)).messages

    for attempt in (
        rooms.edit(hal, room, notice.message_id, "I was never here"),
        rooms.delete_message(hal, room, notice.message_id),
        rooms.delete_message(deal.admin, room, notice.message_id),
        rooms.react(deal.seller, room, notice.message_id, "👍"),
    ):
        with pytest.raises(PartOfRecord):
            await attempt
    assert (await rooms.page(deal.buyer, room, limit=1)).messages == [notice]


async def test_user_who_joined_has_seen_everything_and_their_sends_move_their_cursor(deal: Deal) -> None:
    await deal.send(deal.seller, "hello")
    hal = await deal.join("hal", "buyer")
    assert (await deal.app.threads.unread(hal, deal.thread_id)).count == 0

    sent = await deal.send(hal, "hi")

    participant = await deal.participant(hal)
    assert participant is not None
    assert participant.last_read_message_id == sent.message_id


async def test_role_that_changed_while_adding_a_participant_is_checked_again(
    deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper, other = await deal.join("hal", "buyer"), await new_person(deal.app, "ole")
    participant = await deal.participant(helper)
    assert participant is not None
    write = deal.app.table.write
    changed: list[bool] = []

    async def changing(*operations: Any, **options: Any) -> Any:
        if not changed:
            changed.append(True)
            await write(Update(participant.own_key(), set_to(role_context="seller")))
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", changing)
    with pytest.raises(ChangedMeanwhile):
        await deal.app.threads.participants.add(helper, deal.thread_id, other.user_id, "buyer")
    assert other.user_id not in await in_both(deal)


async def test_concurrent_joins_and_leaves_lose_no_participant(deal: Deal) -> None:
    staying = [await new_person(deal.app, f"s{number}") for number in range(6)]
    leaving = [await deal.join(f"l{number}", "buyer") for number in range(4)]

    outcomes = await asyncio.gather(
        *(deal.app.threads.participants.add(deal.buyer, deal.thread_id, who.user_id, "buyer") for who in staying),
        *(deal.app.threads.participants.remove(who, deal.thread_id, who.user_id) for who in leaving),
        return_exceptions=True,
    )

    assert [one for one in outcomes if isinstance(one, BaseException)] == []
    assert await in_both(deal) >= {who.user_id for who in staying}
    assert not await in_both(deal) & {who.user_id for who in leaving}


async def test_leaving_participants_do_not_prevent_sends(deal: Deal) -> None:
    leaving = [await deal.join(f"l{number}", "buyer") for number in range(4)]

    outcomes = await asyncio.gather(
        *(deal.app.threads.participants.remove(who, deal.thread_id, who.user_id) for who in leaving),
        *(deal.send(deal.seller, str(number)) for number in range(6)),
        return_exceptions=True,
    )

    assert [one for one in outcomes if isinstance(one, BaseException)] == []
    assert not await in_both(deal) & {who.user_id for who in leaving}
    assert len(await deal.contents()) == 6


# Users who have blocked each other


async def test_user_blocked_by_the_other_party_adds_nothing_to_the_thread(deal: Deal) -> None:
    app, room = deal.app, deal.thread_id
    sent, theirs = await deal.send(deal.seller, "hello"), await deal.send(deal.buyer, "hi")
    helper = await deal.join("hal", "seller")
    for who in (deal.seller, helper):
        await app.accounts.block(deal.buyer, who.user_id)

    rooms, offer = app.threads, {"amount": 1, "currency": "EUR"}
    for who in (deal.seller, helper):
        for attempt in (
            deal.send(who, "listen"),
            app.threads.cards.create(who, room, type="offer", payload=offer),
            app.threads.tabs.put(who, room, "brief", {"title": "x"}, source_version=1),
            rooms.react(who, room, theirs.message_id, "👍"),
            rooms.pin(who, room, sent.message_id),
            rooms.typing(who, room),
        ):
            with pytest.raises(Blocked):
                await attempt
    with pytest.raises(Blocked):
        await rooms.edit(deal.seller, room, sent.message_id, "listen")

    await deal.send(deal.buyer, "bye")
    await deal.send(deal.admin, "goodbye")
    assert await deal.contents() == ["hello", "hi", "bye", "goodbye"]
    await app.accounts.unblock(deal.buyer, deal.seller.user_id)
    await deal.send(deal.seller, "thanks")
    await rooms.pin(deal.seller, room, sent.message_id)


async def test_blocked_user_does_not_pin_in_a_direct_conversation(app: Sobremesa) -> None:
    ana, ben = await new_person(app, "ana"), await new_person(app, "ben")
    room = (await app.conversations.create_direct(ana, ben.user_id)).conversation_id
    sent = await app.conversations.send(ben, room, Draft("hello"))
    await app.accounts.block(ana, ben.user_id)

    with pytest.raises(BlockedByRecipient):
        await app.conversations.pin(ben, room, sent.message_id)
