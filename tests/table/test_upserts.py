"""Upserts, pairs and cached rows, on every store."""

from __future__ import annotations

import asyncio

import pytest

from sobremesa.table import Create, Table, Update, Upsert, add, less_if_present, set_to
from sobremesa.table.errors import BadExpression, ConditionFailed
from table import gaps
from table.engines import Store
from table.samples import Message, Room, Seat, Session


async def test_upsert_creates_a_complete_row(table: Table) -> None:
    created = await table.write(Upsert(Seat.key(room_id="r", user_id="u"), set_to(role="guest")))

    assert created == Seat(room_id="r", user_id="u", role="guest")
    assert await table.get(Seat.key(room_id="r", user_id="u"), consistent=True) == created


async def test_an_upsert_describes_only_an_existing_row(table: Table) -> None:
    key = Room.key(room_id="r")
    forward = less_if_present("last_message_id", "5")

    await table.write(Upsert(key, set_to(last_message_id="5"), when=forward))
    with pytest.raises(ConditionFailed):
        await table.write(Upsert(key, set_to(last_message_id="5"), when=forward))
    moved = await table.write(Upsert(key, set_to(last_message_id="7"), when=less_if_present("last_message_id", "7")))

    assert moved.last_message_id == "7"


async def test_upserts_at_once_all_count(table: Table, store: Store) -> None:
    key = Message.key(room_id="r", message_id="m")
    at_once = 1 if gaps.has(store, "writes-race") else 2

    for _ in range(6 // at_once):
        await asyncio.gather(*(table.write(Upsert(key, add(likes=1))) for _ in range(at_once)))

    found = await table.get(key, consistent=True)
    assert found is not None
    assert found.likes == 6


async def test_what_expires_cannot_be_upserted(table: Table) -> None:
    with pytest.raises(BadExpression, match="expires"):
        await table.write(Upsert(Session.key(user_id="u", session_id="s"), add(uses=1)))


async def test_a_pair_of_different_rows_comes_by_one_request(table: Table) -> None:
    room, seat = Room(room_id="r", name="Kitchen"), Seat(room_id="r", user_id="u")
    await table.write(room=Create(room), seat=Create(seat))

    both = await table.get_pair(room.own_key(), seat.own_key(), consistent=True)
    half = await table.get_pair(Room.key(room_id="other"), seat.own_key(), consistent=True)

    assert both == (room, seat)
    assert half == (None, seat)


async def test_leaving_an_index_needs_only_the_removed_part(table: Table) -> None:
    seat = Seat(room_id="r", user_id="u", seen_at="2026-11-16T09:30:00.000Z")
    await table.write(Create(seat))

    left = await table.write(Update(seat.own_key(), set_to(seen_at=None)))

    assert left.seen_at is None


async def test_changed_row_is_never_read_from_the_cache(table: Table) -> None:
    room = Room(room_id="r", name="before")
    await table.write(Create(room))
    for number in range(20):
        assert (await table.get(room.own_key(), consistent=True)) is not None
        await table.write(Update(room.own_key(), set_to(name=f"name {number}")))
        found = await table.get(room.own_key(), consistent=True)
        assert found is not None
        assert found.name == f"name {number}"
