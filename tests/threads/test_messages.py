"""Messages of threads: permissions, order, inboxes and read cursors."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from cheap import CHEAP
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.clock import SetClock, instant
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import MessageId, RoomId, time_of
from sobremesa.core.settings import Settings
from sobremesa.domains.threads.entities import THREADS, Participant, Thread, participant_of
from sobremesa.domains.threads.errors import Blocked, ThreadNotOpen
from sobremesa.domains.threads.inbox import AT_ONCE
from sobremesa.domains.threads.participants import departure_operations
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put, Update, set_to
from threads.conftest import Ahead
from threads.environment import Deal, at, new_person, strike_deal


async def unread(deal: Deal, who: Any) -> int:
    return (await deal.app.threads.unread(who, deal.thread_id)).count


async def test_send_by_another_user_creates_no_participant(deal: Deal) -> None:
    before = await deal.rows()

    with pytest.raises(NotFound):
        await deal.send(deal.stranger, "let me in")
    for call in (
        lambda: deal.app.threads.mark_read(deal.stranger, deal.thread_id, MessageId("x")),
        lambda: deal.app.threads.set_preferences(deal.stranger, deal.thread_id, muted=True),
    ):
        with pytest.raises(NotFound):
            await call()

    assert await deal.rows() == before


async def test_participant_removed_between_check_and_write_sends_nothing_and_gets_no_row(
    deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = await deal.join("gus", "buyer")
    write, thread, participant = deal.app.table.write, await deal.thread(), await deal.participant(guest)
    assert participant is not None
    leaving = departure_operations(thread, participant, thread.created_at)
    removed: list[bool] = []

    async def removing(*operations: Any, **options: Any) -> Any:
        if not removed:
            removed.append(True)
            await write(departure=leaving)
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", removing)
    with pytest.raises(NotFound):
        await deal.send(guest, "wait")

    assert await deal.contents() == []
    assert await deal.participant(guest) is None


async def test_blocked_participant_cannot_send(deal: Deal, clock: Ahead) -> None:
    until = clock.now_ms() + 60_000
    participant = await deal.app.threads.participants.change(
        deal.buyer, deal.thread_id, deal.seller.user_id, blocked_until=at(until)
    )
    assert participant.blocked_until == instant(until)

    with pytest.raises(Blocked) as refused:
        await deal.send(deal.seller, "hello")
    assert refused.value.data == {"until": instant(until)}
    await deal.send(deal.buyer, "silence at last")
    clock.move(seconds=61)
    await deal.send(deal.seller, "where were we?")

    assert await deal.contents() == ["silence at last", "where were we?"]


async def test_block_between_check_and_write_is_enforced(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = deal.app.table.write
    blocked: list[bool] = []

    async def blocking(*operations: Any, **options: Any) -> Any:
        if not blocked:
            blocked.append(True)
            until = at(clock.now_ms() + 60_000)
            await deal.app.threads.participants.change(
                deal.buyer, deal.thread_id, deal.seller.user_id, blocked_until=until
            )
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", blocking)
    with pytest.raises(Blocked):
        await deal.send(deal.seller, "too late")

    assert await deal.contents() == []


async def test_newest_message_with_000_milliseconds_sorts_right() -> None:
    """A time without its zeros would sort after one that has a fraction."""
    clock = SetClock(1_763_000_000_999)
    async with Sobremesa.open(
        "sqlite://", settings=Settings(**CHEAP, rate_limits="off"), clock=clock, background=False
    ) as app:
        deal = await strike_deal(app)
        clock.move(seconds=1)
        sent = []
        for content in ("at .999", "at .000", "at .001"):
            sent.append(await deal.send(deal.buyer, content))
            assert sent[-1].created_at == clock.now()
            clock.move(seconds=0.001)

        assert await deal.contents() == ["at .999", "at .000", "at .001"]
        keys = [item["sk"] for item in await deal.rows() if item["sk"].startswith("MSG#")]
        assert [key.split("#")[1][-5:] for key in sorted(keys)] == [".999Z", ".000Z", ".001Z"]
        assert (await deal.thread()).last_message_at == instant(time_of(sent[-1].message_id))


async def test_concurrent_messages_have_one_order(deal: Deal) -> None:
    users = [deal.buyer, deal.seller, deal.admin]
    sent = await asyncio.gather(*(deal.send(users[number % 3], str(number)) for number in range(30)))

    page = await deal.app.threads.page(deal.buyer, deal.thread_id, limit=100)
    ids = [message.message_id for message in reversed(page.messages)]
    assert sorted(ids) == ids
    assert set(ids) == {message.message_id for message in sent}
    assert (await deal.thread()).last_message_id == ids[-1]
    head = (await deal.thread()).last_message_at
    participants = [await deal.participant(who) for who in users]
    assert {participant.last_message_at for participant in participants if participant is not None} == {head}


async def test_nonce_creates_one_message(deal: Deal) -> None:
    sent = await asyncio.gather(*(deal.send(deal.buyer, "hello", nonce="n") for _ in range(5)))

    assert len({message.message_id for message in sent}) == 1
    assert await deal.contents() == ["hello"]
    with pytest.raises(NonceReused):
        await deal.send(deal.buyer, "goodbye", nonce="n")


async def test_repeated_nonce_returns_its_message_in_a_closed_thread(deal: Deal, clock: Ahead) -> None:
    sent = await deal.send(deal.buyer, "hello", nonce="n")
    await deal.app.threads.set_status(deal.seller, deal.thread_id, "locked")

    again = await deal.send(deal.buyer, "hello", nonce="n")

    assert (again.message_id, again.replayed) == (sent.message_id, True)
    with pytest.raises(ThreadNotOpen):
        await deal.send(deal.buyer, "hello", nonce="another")
    await deal.app.threads.set_status(deal.seller, deal.thread_id, "open")
    until = at(clock.now_ms() + 60_000)
    await deal.app.threads.participants.change(deal.seller, deal.thread_id, deal.buyer.user_id, blocked_until=until)
    assert (await deal.send(deal.buyer, "hello", nonce="n")).replayed
    with pytest.raises(NonceReused):
        await deal.send(deal.buyer, "goodbye", nonce="n")


async def test_message_is_stored_as_documented(deal: Deal) -> None:
    sent = await deal.send(deal.buyer, "hello", reply_to=None)

    [item] = [item for item in await deal.rows() if item["sk"].startswith("MSG#")]
    time = instant(time_of(sent.message_id))
    assert item["sk"] == f"MSG#{time}#{sent.message_id}"
    assert (item["body"], item["authorUserId"], item["type"]) == ("hello", deal.buyer.user_id, "text")
    assert (sent.room_kind, sent.room_id, sent.action) == ("thread", deal.thread_id, None)


async def test_safe_mode_withholds_messages_from_all_but_author_and_admins(app: Sobremesa) -> None:
    deal = await strike_deal(app, "project", safe_mode_required=True)
    sent = await deal.send(deal.buyer, "not for everybody")
    key = THREADS.message_key(deal.thread_id, sent.message_id)
    await app.table.write(Update(key, set_to(nsfw_band=1)))

    seen = {
        who.username: (await app.threads.get_message(who, deal.thread_id, sent.message_id)).content
        for who in (deal.buyer, deal.seller, deal.admin)
    }
    assert seen == {"bea": "not for everybody", "sal": "", "ada": "not for everybody"}


# Having read


async def test_own_messages_never_count_as_unread(deal: Deal) -> None:
    assert [await unread(deal, who) for who in (deal.buyer, deal.seller)] == [0, 0]

    for number in range(3):
        await deal.send(deal.buyer, str(number))
    assert [await unread(deal, who) for who in (deal.buyer, deal.seller)] == [0, 3]
    last = await deal.send(deal.seller, "answered without having read")
    assert [await unread(deal, who) for who in (deal.buyer, deal.seller)] == [1, 3]
    await deal.app.threads.mark_read(deal.seller, deal.thread_id, last.message_id)
    assert [await unread(deal, who) for who in (deal.buyer, deal.seller)] == [1, 0]
    listed = (await deal.app.threads.list_threads(deal.seller, limit=5))[0]
    assert [(one.unread.count, one.unread.capped) for one in listed] == [(0, False)]


async def test_author_who_has_read_everything_moves_their_read_cursor(deal: Deal) -> None:
    await deal.send(deal.buyer, "hello")
    second = await deal.send(deal.buyer, "hello?")
    participant = await deal.participant(deal.buyer)
    assert participant is not None
    assert participant.last_read_message_id == second.message_id

    await deal.send(deal.seller, "yes?")
    await deal.send(deal.buyer, "sent before having seen it")
    participant = await deal.participant(deal.buyer)
    assert participant is not None
    assert participant.last_read_message_id == second.message_id
    assert await unread(deal, deal.buyer) == 1


async def test_message_between_read_and_send_stays_unread(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await deal.send(deal.buyer, "hello")
    write = deal.app.table.write
    # Their clock is behind, so their message has an id before ours: only the head knows that it was first.
    behind = Ahead()
    behind.move(seconds=-60)
    other_node = deal._replace(app=Sobremesa(deal.app.store._replace(clock=behind, has_own_clock=False)))
    sent: list[bool] = []

    async def answering(*operations: Any, **options: Any) -> Any:
        if not sent:
            sent.append(True)
            await other_node.send(deal.seller, "I was faster")
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", answering)
    await deal.send(deal.buyer, "anybody?")

    assert await deal.contents() == ["hello", "I was faster", "anybody?"]
    participant = await deal.participant(deal.buyer)
    assert participant is not None
    assert participant.last_read_message_id == first.message_id
    assert await unread(deal, deal.buyer) == 1


async def test_messages_before_joining_are_not_unread(deal: Deal, clock: Ahead) -> None:
    await deal.send(deal.buyer, "before")
    clock.move(seconds=1)
    guest = await deal.join("gus", "seller")
    assert await unread(deal, guest) == 0

    clock.move(seconds=1)
    sent = await deal.send(guest, "here I am")
    participant = await deal.participant(guest)
    assert participant is not None
    assert participant.last_read_message_id == sent.message_id, "nothing was unread, so their own message is read"
    await deal.send(deal.buyer, "welcome")
    assert await unread(deal, guest) == 1


async def test_unread_counts_are_returned_for_all_rooms(deal: Deal) -> None:
    await deal.send(deal.buyer, "hello")

    [room] = await deal.app.threads.unread_everywhere(deal.seller)
    assert (room.room_kind, room.room_id, room.count) == ("thread", deal.thread_id, 1)
    assert await deal.app.threads.unread_everywhere(deal.buyer) == []
    readers, _ = await deal.app.threads.list_readers(deal.seller, deal.thread_id, limit=5, cursor=None)
    assert [reader.user_id for reader in readers] == [deal.buyer.user_id]


# The inbox


async def test_every_message_moves_the_thread_up_in_inboxes(app: Sobremesa, clock: Ahead) -> None:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    rooms = []
    for number in range(4):
        clock.move(seconds=1)
        wanted = NewThread("project", seller.user_id, city=str(number))
        rooms.append((await app.threads.create(buyer, wanted)).listed.thread.room_id)

    async def inbox(who: Any, limit: int = 50) -> list[RoomId]:
        found: list[RoomId] = []
        cursor = None
        while True:
            page, cursor = await app.threads.list_threads(who, limit=limit, cursor=cursor)
            found += [one.thread.room_id for one in page]
            if cursor is None:
                return found

    assert await inbox(seller) == rooms[::-1]
    for number in (1, 3, 0):
        clock.move(seconds=1)
        await app.threads.send(buyer, rooms[number], Draft("hello"))
    for who in (buyer, seller):
        assert await inbox(who, limit=3) == [rooms[0], rooms[3], rooms[1], rooms[2]]
    newest = (await app.threads.list_threads(seller, limit=1))[0][0]
    [message] = (await app.threads.page(seller, rooms[0], limit=5)).messages
    assert (newest.thread.last_message_id, newest.unread.count) == (message.message_id, 1)
    assert newest.participant is not None
    assert newest.participant.role_context == "seller"


async def add_participants(deal: Deal, count: int) -> list[UserId]:
    """Write many participants at once, as they would be stored after being added."""
    users = [UserId(f"participant-{number:03}") for number in range(count)]
    thread = await deal.thread()
    await deal.app.table.write_many(
        Put(
            Participant(
                room_id=deal.thread_id,
                user_id=user_id,
                role_context="seller",
                joined_at=thread.created_at,
                last_message_at=thread.created_at,
            )
        )
        for user_id in users
    )
    participant_ids = [*thread.participants, *users]
    await deal.app.table.write(Update(Thread.key(room_id=deal.thread_id), set_to(participants=participant_ids)))
    return participant_ids


async def test_inboxes_beyond_20_participants_are_updated_after_the_send(deal: Deal, clock: Ahead) -> None:
    participant_ids = await add_participants(deal, 60)
    clock.move(seconds=1)

    for number in range(5):
        await deal.send(deal.buyer, str(number))
    await deal.app.threads.close()

    head = (await deal.thread()).last_message_at
    keys = [participant_of(room_id=deal.thread_id, user_id=user_id) for user_id in participant_ids]
    participants = await deal.app.table.get_many(keys, consistent=True)
    assert {participant.last_message_at for participant in participants if participant is not None} == {head}


async def test_bump_only_moves_forward_and_repairs_after_a_crash(
    deal: Deal, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    participant_ids = await add_participants(deal, 30)
    clock.move(seconds=1)
    with monkeypatch.context() as crashing:
        crashing.setattr("sobremesa.domains.threads.inbox.Inboxes.move_soon", lambda self, room_id: None)
        await deal.send(deal.buyer, "hello")
    head = (await deal.thread()).last_message_at
    keys = [participant_of(room_id=deal.thread_id, user_id=user_id) for user_id in participant_ids]

    async def moved() -> int:
        participants = await deal.app.table.get_many(keys, consistent=True)
        return sum(participant is not None and participant.last_message_at == head for participant in participants)

    assert await moved() == AT_ONCE
    await deal.app.change_consumer.catch_up()
    assert await moved() == len(participant_ids), "the change-stream consumer has updated the rest"
    behind = set_to(last_message_at=instant(clock.now_ms() - 60_000))
    await asyncio.gather(*(deal.app.table.write(Update(key, behind)) for key in keys[AT_ONCE:]))
    ahead = Participant.key(room_id=deal.thread_id, user_id=participant_ids[-1])
    await deal.app.table.write(Update(ahead, set_to(last_message_at=instant(clock.now_ms() + 5000))))
    await asyncio.gather(*(deal.app.threads.bump(deal.thread_id) for _ in range(3)))

    assert await moved() == len(participant_ids) - 1, "a row that is ahead stays ahead"

    # A bump for an older message does not undo a newer one.
    write = deal.app.table.write
    clock.move(seconds=10)
    with monkeypatch.context() as crashing:
        crashing.setattr("sobremesa.domains.threads.inbox.Inboxes.move_soon", lambda self, room_id: None)
        await deal.send(deal.buyer, "still there?")

    async def overtaken(*operations: Any, **options: Any) -> Any:
        monkeypatch.setattr(deal.app.table, "write", write)
        clock.move(seconds=1)
        await deal.send(deal.buyer, "faster")
        await deal.app.threads.close()
        return await write(*operations, **options)

    monkeypatch.setattr(deal.app.table, "write", overtaken)
    await deal.app.threads.bump(deal.thread_id)
    head = (await deal.thread()).last_message_at
    assert await moved() == len(participant_ids)
    await deal.app.threads.bump(RoomId("01NOTHREAD"))


# Changing messages


async def test_author_edits_and_deletes_and_an_admin_deletes_a_message(deal: Deal) -> None:
    rooms = deal.app.threads
    mine, other = await deal.send(deal.buyer, "helo"), await deal.send(deal.seller, "something rude")
    before = await deal.thread()

    edited = await rooms.edit(deal.buyer, deal.thread_id, mine.message_id, "hello")
    assert (edited.content, edited.edited) == ("hello", True)
    with pytest.raises(Forbidden):
        await rooms.edit(deal.seller, deal.thread_id, mine.message_id, "not mine")
    with pytest.raises(Forbidden):
        await rooms.delete_message(deal.buyer, deal.thread_id, other.message_id)
    await rooms.delete_message(deal.admin, deal.thread_id, other.message_id)
    assert await deal.contents() == ["hello", ""]
    # Of its messages, the thread stores the time of the last one, and how often they were changed.
    assert await deal.thread() == msgspec.structs.replace(before, revision=2)


async def test_both_sides_react_and_pin(deal: Deal) -> None:
    rooms = deal.app.threads
    message = await deal.send(deal.buyer, "the brief")

    await rooms.react(deal.seller, deal.thread_id, message.message_id, "👍")
    await rooms.pin(deal.seller, deal.thread_id, message.message_id)
    [pin] = (await rooms.list_pins(deal.buyer, deal.thread_id, limit=5, cursor=None))[0]
    assert pin.message.message_id == message.message_id
    assert [reaction.emoji for reaction in pin.message.reactions] == ["👍"]


async def test_message_of_a_thread_is_found_by_its_id_alone_by_participants(deal: Deal) -> None:
    find = deal.app.threads.find_message
    sent = await deal.send(deal.buyer, "here")

    for reader in (deal.buyer, deal.seller, deal.admin):
        found = await find(reader, sent.message_id)
        assert found is not None
        assert (found.message_id, found.content) == (sent.message_id, "here")
    assert await find(deal.stranger, sent.message_id) is None
    for unknown in ("01JZZZZZZZZZZZZZZZZZZZZZZZ", "msg_1"):
        assert await find(deal.buyer, MessageId(unknown)) is None
