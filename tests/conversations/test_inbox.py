"""The inbox: most recent activity first, for groups of any size, updated from the change stream."""

from __future__ import annotations

import asyncio
import signal
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

import commands
from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import requests, rows
from conversations.users import Users, create_users, known
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant
from sobremesa.core.settings import Settings
from sobremesa.domains.conversations.entities import BIG_ABOVE, ConversationId, Participant, seat_of
from sobremesa.table import Put, RawKey, Update, measure, set_to
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.errors import BadCursor


async def listed(users: Users, who: Actor, limit: int = 50) -> list[ConversationId]:
    """Return the whole inbox, page by page."""
    found: list[ConversationId] = []
    cursor = None
    while True:
        rows, cursor = await users.app.conversations.list_conversations(who, limit=limit, cursor=cursor)
        found += [row.seat.room_id for row in rows]
        if cursor is None:
            return found


async def test_inbox_lists_most_recent_activity_first(users: Users) -> None:
    direct = await users.direct(users.ana, users.ben)
    group = await users.group(name="Lunch")
    assert await listed(users, users.ben) == [group, direct]

    await users.send(users.ana, direct, "Psst")
    assert await listed(users, users.ben) == [direct, group]

    await users.send(users.ana, group, "All")
    await users.app.change_consumer.catch_up()
    assert await listed(users, users.ben) == [group, direct]
    assert await listed(users, users.ben, limit=1) == [group, direct]


async def test_each_conversation_has_its_preview_and_unread_count(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    await users.send(users.ana, room_id, "One")
    await users.send(users.ana, room_id, "Two for @ben")

    [row] = await users.inbox(users.ben)

    assert row.unread.count == 2
    assert row.seat.conversation.last_message_body == "Two for @ben"
    assert row.other is not None
    assert row.other.username == "ana"


async def test_big_groups_are_merged_in_by_their_last_message(users: Users, clock: Ahead) -> None:
    guests = await known(users.app, *(f"guest{number}" for number in range(BIG_ABOVE)))
    ben = users.ben
    smalls = []
    for number in range(6):
        clock.move(seconds=10)
        smalls.append(await users.group(users.ana, ben, name=f"small {number}"))
    bigs = [await users.group(users.ana, ben, *guests, name=f"big {number}") for number in range(3)]
    spoken = [smalls[0], bigs[0], smalls[1], bigs[1], smalls[2], smalls[3], bigs[2], smalls[4], smalls[5]]
    for room_id in spoken:
        clock.move(seconds=10)
        await users.send(users.ana, room_id, "x")
    await users.app.change_consumer.catch_up()

    for limit in (1, 2, 3, 4, 50):
        assert await listed(users, ben, limit) == spoken[::-1], f"pages of {limit}"


async def test_page_of_twenty_costs_two_queries_and_one_batch_get(users: Users, clock: Ahead) -> None:
    others = await known(users.app, *(f"guest{number}" for number in range(60)))
    rooms = []
    for other in others:
        clock.move(seconds=600)
        rooms.append(await users.direct(users.ana, other))
    for room_id, other in zip(rooms[-5:], others[-5:], strict=True):
        clock.move(seconds=1)
        await users.send(other, room_id, "Hello")
    await users.app.change_consumer.catch_up()

    with requests(users.app) as asked, measure() as measured:
        page, _ = await users.app.conversations.list_conversations(users.ana, limit=20)

    assert len(page) == 20
    assert [row.unread.count for row in page] == [1] * 5 + [0] * 15
    # Two queries list, and each of the five that have something new is counted by one of its own.
    assert asked == {"query": 2 + 5, "batch_get": 1}
    assert measured.write == 0


async def test_removed_participant_does_not_see_what_a_stale_index_lists(users: Users) -> None:
    room_id = await users.group()
    await users.app.conversations.participants.remove(users.ana, room_id, users.ben.user_id)
    # As a stale index might list it: the index row is back, the seat is another user's.
    stale = Participant(room_id=ConversationId("gone"), user_id=users.ben.user_id, last_message_at=instant(0))
    await users.app.table.write(Put(stale))

    assert await listed(users, users.ben) == []


async def test_foreign_cursor_is_refused(users: Users) -> None:
    await users.group()
    await users.group()
    inbox = users.app.conversations
    [row], own = await inbox.list_conversations(users.ana, limit=1)
    forged = urlsafe_b64encode(f"{row.seat.conversation.created_at}#{row.seat.room_id}".encode()).decode()
    assert own is not None

    await inbox.list_conversations(users.ana, limit=5, cursor=own)
    for cursor in ("", "x", "bm90aGluZw==", "IyMj", forged, own[:-1]):
        with pytest.raises(BadCursor):
            await inbox.list_conversations(users.ana, limit=5, cursor=cursor)
    with pytest.raises(BadCursor):
        await inbox.list_conversations(users.ben, limit=5, cursor=own)


on_every_store = pytest.mark.parametrize("store", ["embedded", "dynamodb", "sharded"], indirect=True)


@on_every_store
async def test_inboxes_of_all_participants_move_soon_after_a_message(store: str) -> None:
    async with Sobremesa.open(store, settings=Settings(**CHEAP, rate_limits="off")) as app:
        users = await create_users(app)
        room_id = await users.group()
        sent = await users.send(users.ana, room_id, "Hello")

        async def moved() -> bool:
            seats = [await app.table.get(seat_of(room_id=room_id, user_id=who.user_id)) for who in users[1:]]
            return {seat.last_message_at for seat in seats if seat is not None} == {sent.created_at}

        async with asyncio.timeout(60):
            while not await moved():  # noqa: ASYNC110 - the table is polled
                await asyncio.sleep(0.05)


@on_every_store
async def test_work_of_a_dead_process_is_done_by_the_next(store: str, clock: Ahead) -> None:
    settings = Settings(**CHEAP, rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        users = await create_users(app)
        room_id = await users.group()
        clock.move(seconds=1)
        # No consumer runs here: as if the process died between the commit and what follows from it.
        sent = await users.send(users.ana, room_id, "Hello")
        await users.send(users.ana, await users.group(), "Another")

    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        await app.change_consumer.catch_up()
        seat = await app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id))
        assert seat is not None
        assert seat.last_message_at == sent.created_at


DYING = """
import asyncio, os, signal, sys
from sobremesa.app import Sobremesa
from sobremesa.domains.conversations.activity import Activity
from sobremesa.core.actor import Actor, UserId
from sobremesa.rooms.sending import Draft

async def die(self):
    os.kill(os.getpid(), signal.SIGKILL)

async def main(store, user_id, room_id):
    Activity.flush = die
    async with Sobremesa.open(store) as app:
        await app.conversations.send(Actor.of_user(UserId(user_id), "ana"), room_id, Draft("Last words"))
        await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_inbox_is_repaired_after_a_kill_between_commit_and_move(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    clock = Ahead()
    async with Sobremesa.open(store, clock=clock, background=False) as app:
        users = await create_users(app)
        room_id = await users.group()

    done = await commands.run_async("-c", DYING, store, users.ana.user_id, room_id)
    assert done.returncode == -signal.SIGKILL, done.stderr

    clock.move(seconds=60)  # the dead one's lease is over
    async with Sobremesa.open(store, clock=clock, background=False) as app:
        users = Users(app, users.ana, users.ben, users.cleo)
        before = await app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id))
        await app.change_consumer.catch_up()
        after = await app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id))
        [row] = await users.inbox(users.ben)

    assert before is not None
    assert after is not None
    assert row.seat.conversation.last_message_body == "Last words"
    assert before.last_message_at != after.last_message_at == row.seat.conversation.last_message_at


async def test_inbox_position_only_moves_forward(users: Users) -> None:
    room_id = await users.group()
    await users.send(users.ana, room_id, "x")
    later = instant(4_102_444_800_000)
    key = seat_of(room_id=room_id, user_id=users.ben.user_id)
    await users.app.table.write(Update(key, set_to(last_message_at=later)))

    await users.app.change_consumer.catch_up()

    [row] = [row for row in await rows(users.app, later) if row["sk"].startswith("PARTICIPANT#")]
    assert row["gsi2sk"] == f"CONVO#{later}#{room_id}"


async def test_unreadable_conversation_does_not_delay_the_others(users: Users, clock: Ahead) -> None:
    room_id = await users.group()
    clock.move(seconds=1)
    sent = await users.send(users.ana, room_id, "x")
    for sk, fields in (("#METADATA", {"participants": "many"}), ("PARTICIPANT#u_1", {"role": "member"})):
        await users.app.table.engine.write(PutItem(RawKey("CONVO#bad", sk), {"pk": "CONVO#bad", "sk": sk, **fields}))

    await users.app.change_consumer.catch_up()

    seat = await users.app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id))
    assert seat is not None
    assert seat.last_message_at == sent.created_at
