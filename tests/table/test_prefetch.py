"""Prefetched rows and answers are served without requests, until something is written."""

from __future__ import annotations

import asyncio

from sobremesa.table import Create, ReadCache, Table, Update, measure, set_to
from sobremesa.table.prefetch import prefetching
from table.samples import Message, Room, messages_of


async def seed(table: Table) -> None:
    await table.write(Create(Room(room_id="r", name="Kitchen")))
    for number in range(3):
        await table.write(Create(Message(room_id="r", message_id=str(number), body="hello")))


async def test_prefetched_rows_and_answers_cost_nothing(table: Table) -> None:
    await seed(table)
    there, missing = Room.key(room_id="r"), Room.key(room_id="s")
    with prefetching(table) as prefetch:
        await asyncio.gather(prefetch.get_many([there, missing]), prefetch.every(messages_of(room_id="r")))

        with measure() as used:
            rows = await table.get_many([there, missing, there], consistent=True)
            one = await asyncio.create_task(table.get(there))
            page = await table.query(messages_of(room_id="r"), limit=3)

    assert [row and row.name for row in rows] == ["Kitchen", None, "Kitchen"]
    assert one is not None
    assert (len(page.items), page.cursor) == (3, None)
    assert (used.read, used.write) == (0, 0)


async def test_what_was_not_prefetched_is_read(table: Table) -> None:
    await seed(table)
    with prefetching(table) as prefetch:
        await prefetch.every(messages_of(room_id="r"))

        part = await table.query(messages_of(room_id="r"), limit=2)
        rest = await table.query(messages_of(room_id="r"), cursor=part.cursor)
        backward = await table.query(messages_of(room_id="r"), newest_first=True)
        room = await table.get(Room.key(room_id="r"))

    assert [row.message_id for row in (*part.items, *rest.items)] == ["0", "1", "2"]
    assert [row.message_id for row in backward.items] == ["2", "1", "0"]
    assert room is not None


async def test_only_the_prefetch_is_kept(table: Table) -> None:
    """A reader that reads twice, since something may have changed, gets the change."""
    await seed(table)
    other = Table(table.engine)  # writes of which this one does not know
    key = Room.key(room_id="r")
    with prefetching(table):
        assert await table.get(key, consistent=True) is not None
        await asyncio.create_task(_rename(other, "Attic"))
        found = await table.get(key, consistent=True)

    assert found is not None
    assert found.name == "Attic"


async def _rename(table: Table, name: str) -> None:
    await table.write(Update(Room.key(room_id="r"), set_to(name=name)))


async def test_write_forgets_what_was_prefetched(table: Table) -> None:
    await seed(table)
    with prefetching(table) as prefetch:
        await prefetch.get_many([Room.key(room_id="r")])
        await prefetch.every(messages_of(room_id="r"))

        await asyncio.create_task(_rename(table, "Attic"))
        await table.write(Create(Message(room_id="r", message_id="3", body="new")))

        room = await table.get(Room.key(room_id="r"), consistent=True)
        assert room is not None
        assert room.name == "Attic"
        assert len((await table.query(messages_of(room_id="r"))).items) == 4


async def test_block_ends_the_prefetch(table: Table) -> None:
    await seed(table)
    with prefetching(table) as prefetch:
        await prefetch.get_many([Room.key(room_id="r")])
    await _rename(table, "Attic")
    room = await table.get(Room.key(room_id="r"), consistent=True)
    assert room is not None
    assert room.name == "Attic"


async def test_rows_can_be_named_as_an_answer(table: Table) -> None:
    await seed(table)
    keys = [Message.key(room_id="r", message_id=id) for id in ("2", "0", "9")]
    with prefetching(table) as prefetch:
        await prefetch.get_many(keys)
        prefetch.answer(messages_of(room_id="r"), keys)
        with measure() as used:
            found = [row.message_id async for row in table.every(messages_of(room_id="r"))]

    assert found == ["0", "2"]
    assert used.read == 0


async def test_read_cache_keeps_nothing_that_was_prefetched(table: Table) -> None:
    """It may be older than the version of its partition that the cache would note."""
    await seed(table)
    key = Room.key(room_id="r")
    cache: ReadCache[str, str | None] = ReadCache(table, 10)

    async def read() -> str | None:
        room = await table.get(key, consistent=True)
        return None if room is None else room.name

    with prefetching(table) as prefetch:
        await prefetch.get_many([key])
        other = Table(table.engine)
        prefetched = await cache.get_or_load("name", read)
    await other.write(Update(key, set_to(name="Attic")))

    assert prefetched == "Kitchen"
    assert await cache.get_or_load("name", read) == "Attic"
