"""Positions in inboxes: moved once for the messages of a few minutes, while what users see is exact."""

from __future__ import annotations

import asyncio
import random

import pytest

from communities.conftest import Ahead
from communities.environment import requests
from conversations.test_inbox import listed
from conversations.users import Users, known
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant, lenient_ms
from sobremesa.domains.conversations.entities import (
    PLACE_MS,
    Conversation,
    ConversationId,
    conversation_by_id,
    participants_of,
    seat_of,
)
from sobremesa.table import Update, measure, set_to

READ_UNIT, WRITE_UNIT = 0.125, 0.625
"""Dollars for a million, as in docs/costs.md."""
WINDOW = PLACE_MS / 1000


async def head_of(users: Users, room_id: ConversationId) -> Conversation:
    found = await users.app.table.get(conversation_by_id(room_id=room_id))
    assert found is not None
    return found


async def positions(users: Users, room_id: ConversationId) -> set[str | None]:
    seats = [seat async for seat in users.app.table.every(participants_of(room_id=room_id))]
    return {seat.last_message_at for seat in seats}


async def test_position_moves_again_only_after_some_minutes(users: Users, clock: Ahead) -> None:
    room_id = await users.group()
    clock.move(seconds=WINDOW + 60)
    first = await users.send(users.ana, room_id, "first")
    await users.app.change_consumer.catch_up()
    assert await positions(users, room_id) == {first.created_at}

    clock.move(seconds=WINDOW - 60)
    await users.send(users.ben, room_id, "soon")
    await users.app.change_consumer.catch_up()
    assert await positions(users, room_id) == {first.created_at}

    clock.move(seconds=120)
    later = await users.send(users.ben, room_id, "later")
    await users.app.change_consumer.catch_up()
    assert await positions(users, room_id) == {later.created_at}


@pytest.mark.parametrize("caught_up", [True, False])
async def test_inbox_is_exact_whatever_the_positions_are(users: Users, clock: Ahead, caught_up: bool) -> None:
    chance = random.Random(61)
    others = await known(users.app, *(f"guest{number}" for number in range(12)))
    rooms = []
    for other in others:
        clock.move(seconds=chance.choice([1, 60, 2 * WINDOW]))
        rooms.append(await users.direct(users.ben, other))
    last: dict[ConversationId, str] = {}
    for _ in range(60):
        clock.move(seconds=chance.choice([1, 20, 90]))
        number = chance.randrange(len(rooms))
        sent = await users.send(others[number], rooms[number], "x")
        last[rooms[number]] = sent.message_id
        if caught_up:
            await users.app.change_consumer.catch_up()
    await users.app.change_consumer.catch_up()
    heads = {room_id: await head_of(users, room_id) for room_id in rooms}
    newest_first = sorted(rooms, key=lambda room: heads[room].last_message_at or heads[room].created_at, reverse=True)

    for limit in (1, 2, 3, 5, 50):
        assert await listed(users, users.ben, limit) == newest_first, f"pages of {limit}"


async def test_concurrent_sends_leave_positions_that_lists_rely_on(users: Users, clock: Ahead) -> None:
    room_id = await users.group()

    async def send_some(who: Actor) -> None:
        for _ in range(10):
            clock.move(seconds=20)
            await users.send(who, room_id, "x")

    async def move() -> None:
        for _ in range(10):
            await users.app.change_consumer.catch_up()

    await asyncio.gather(*(send_some(who) for who in users[1:]), move())
    await users.app.change_consumer.catch_up()

    head = await head_of(users, room_id)
    assert head.inbox_at is not None
    assert head.last_message_at is not None
    assert await positions(users, room_id) == {head.inbox_at}
    assert 0 <= (lenient_ms(head.last_message_at) or 0) - (lenient_ms(head.inbox_at) or 0) <= PLACE_MS


async def test_head_of_a_program_without_positions_moves_with_each_message(users: Users, clock: Ahead) -> None:
    room_id = await users.group()
    await users.send(users.ana, room_id, "x")
    await users.app.change_consumer.catch_up()

    later = instant(clock.now_ms() + 2 * PLACE_MS)
    await users.app.table.write(Update(conversation_by_id(room_id=room_id), set_to(last_message_at=later)))
    await users.app.change_consumer.catch_up()

    assert await positions(users, room_id) == {later}


async def test_own_messages_are_read_without_a_write_of_the_cursor(users: Users, clock: Ahead) -> None:
    room_id = await users.direct(users.ana, users.ben)
    clock.move(seconds=60)
    await users.send(users.ana, room_id, "moves the conversation, and the cursor with it")
    before = await users.app.table.get(seat_of(room_id=room_id, user_id=users.ana.user_id))
    for number in range(220):
        await users.send(users.ana, room_id, str(number))

    assert await users.app.table.get(seat_of(room_id=room_id, user_id=users.ana.user_id)) == before
    with requests(users.app) as asked:
        assert await users.unread(users.ana, room_id) == 0
    assert asked["query"] == 0

    await users.send(users.ben, room_id, "an answer after more rows than one count reads")
    found = await users.app.conversations.unread(users.ana, room_id)
    assert (found.count, found.capped) == (1, False)


@pytest.mark.parametrize(("people", "most"), [(2, 4.0), (10, 5.0)])
async def test_send_costs_little_with_all_that_it_causes_later(
    users: Users, clock: Ahead, people: int, most: float
) -> None:
    inside = [users.ana, *await known(users.app, *(f"guest{number}" for number in range(people - 1)))]
    room_id = await (users.direct(*inside) if people == 2 else users.group(*inside))
    for who in inside[:2]:
        await users.send(who, room_id, "Everyone has something unread: their digest of the day is scheduled.")
    await users.app.change_consumer.catch_up()
    clock.move(seconds=WINDOW + 60)

    with measure() as measured:
        for number in range(30):
            await users.send(inside[number % people], room_id, "A few words, as people write them.")
            clock.move(seconds=WINDOW / 30)
        await users.app.change_consumer.catch_up()

    dollars = (measured.read * READ_UNIT + measured.write * WRITE_UNIT) / 30
    assert dollars <= most, f"{measured.read} read and {measured.write} write units for 30 messages"
