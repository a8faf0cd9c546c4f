"""ReadCache results are those that would be read: after every write, here or in another process, and at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

import commands
from sobremesa.core.clock import SetClock
from sobremesa.table import (
    Create,
    Delete,
    Entity,
    Keys,
    Pattern,
    Put,
    ReadCache,
    SharedReads,
    Table,
    Update,
    add,
    equals,
    measure,
    open_engine,
    set_to,
    valid_until,
)
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.embedded.known_rows import ROW_BYTES, KnownRows
from sobremesa.table.engines.embedded.other_processes import NoOtherProcesses, WalProcesses
from sobremesa.table.engines.embedded.partition_cache import PartitionCache
from sobremesa.table.engines.embedded.rows import Row
from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.errors import ConditionFailed
from table.samples import Message, Room, Seat, Session, messages_of, rooms_of

FAR = 4_000_000_000


class Visit(Entity):
    """A row that does not expire, in the partition of sessions."""

    keys = Keys(pk="USER#{user_id}", sk="VISIT")

    user_id: str
    place: str


class Kept(Entity):
    """A session, read also when it has expired."""

    keys = Keys(pk="USER#{user_id}", sk="SESSION#{session_id}")
    reads_expired = True

    user_id: str
    session_id: str


kept_of = Pattern("T.91", "Which sessions did this user have?", Kept, prefix="SESSION#")
everything_of = Pattern("T.90", "What is stored about this user?", Visit, Session)


@pytest.fixture
async def file_table(tmp_path: Path) -> AsyncIterator[Table]:
    engine = await open_engine(f"sqlite:///{tmp_path / 'table.db'}")
    yield Table(engine)
    await engine.close()


async def test_result_is_loaded_once_until_a_row_it_read_changes(table: Table) -> None:
    created = 0
    cache: ReadCache[str, str | None] = ReadCache(table, 10)
    key = Room.key(room_id="r")

    async def read() -> str | None:
        nonlocal created
        created += 1
        room = await table.get(key, consistent=True)
        return None if room is None else room.name

    assert await cache.get_or_load("name", read) is None
    await table.write(Create(Room(room_id="r", name="Kitchen")))
    for _ in range(3):
        assert await cache.get_or_load("name", read) == "Kitchen"
    await table.write(Update(key, set_to(name="Attic")))
    assert await cache.get_or_load("name", read) == "Attic"
    await table.write(Delete(key))
    assert await cache.get_or_load("name", read) is None

    is_known = table.engine.version_of("ROOM#r") is not None
    assert created == (4 if is_known else 6)


async def test_cached_read_costs_as_much_as_a_read(table: Table) -> None:
    await table.write(Create(Message(room_id="r", message_id="1", body="x" * 5000)))
    cache: ReadCache[str, int] = ReadCache(table, 10)

    async def read() -> int:
        return len((await table.query(messages_of(room_id="r"))).items)

    with measure() as first:
        await cache.get_or_load("count", read)
    with measure() as second:
        await cache.get_or_load("count", read)

    assert (first.calls, first.read) == (second.calls, second.read)
    assert first.read > 0


async def test_index_pages_are_never_cached(table: Table) -> None:
    cache: ReadCache[str, int] = ReadCache(table, 10)
    created = 0

    async def read_index() -> int:
        nonlocal created
        created += 1
        await table.query(rooms_of(user_id="u"))
        return created

    for _ in range(2):
        await cache.get_or_load("index", read_index)

    assert created == 2


async def test_result_with_rows_that_expire_is_cached_until_one_is_created_or_expires() -> None:
    clock = SetClock()
    table = Table(await open_engine("sqlite://", clock=clock, janitor=False))
    cache: ReadCache[str, list[str]] = ReadCache(table, 10)
    loads = 0

    async def read() -> list[str]:
        nonlocal loads
        loads += 1
        found = (await table.query(everything_of(user_id="u"))).items
        return [row.session_id for row in found if isinstance(row, Session)]

    for number in (1, 2):
        expires_at = clock.now_seconds() + 10 * number
        await table.write(Create(Session(user_id="u", session_id=str(number), expires_at=expires_at)))
        for _ in range(2):
            assert await cache.get_or_load("sessions", read) == ["1", "2"][:number]
        assert loads == number

    for seconds, expected in ((9, ["1", "2"]), (1, ["2"]), (9, ["2"]), (1, [])):
        clock.move(seconds=seconds)
        for _ in range(2):
            assert await cache.get_or_load("sessions", read) == expected
    assert loads == 4
    await table.close()


async def test_result_with_rows_that_are_read_when_expired_is_cached_until_one_is_created(file_table: Table) -> None:
    cache: ReadCache[str, int] = ReadCache(file_table, 10)
    loads = 0

    async def count() -> int:
        nonlocal loads
        loads += 1
        return len((await file_table.query(kept_of(user_id="u"))).items)

    for number in range(4):
        for _ in range(2):
            assert await cache.get_or_load("count", count) == number
        await file_table.write(Create(Session(user_id="u", session_id=f"{number}", expires_at=FAR)))
    assert loads == 4


async def test_cached_result_depends_on_shared_reads_inside_of_it(file_table: Table) -> None:
    """Others may have loaded them before."""
    cache: ReadCache[str, str | None] = ReadCache(file_table, 10)
    shared = SharedReads(file_table, Room, limit=10)
    key = Room.key(room_id="r")

    async def read() -> str | None:
        room = await shared.get_or_load("ROOM#r", "room", lambda: file_table.get(key))
        return None if room is None else room.name

    await file_table.write(Create(Room(room_id="r", name="Kitchen")))
    assert await read() == "Kitchen"
    for name in ("Kitchen", "Attic"):
        await file_table.write(Update(key, set_to(name=name)))
        for _ in range(2):
            assert await cache.get_or_load("name", read) == name


async def test_result_is_loaded_again_once_it_changes_by_itself() -> None:
    clock = SetClock()
    table = Table(await open_engine("sqlite://", clock=clock, janitor=False))
    cache: ReadCache[str, int] = ReadCache(table, 10)

    async def read() -> int:
        await table.get(Room.key(room_id="r"))
        valid_until(clock.now_seconds() + 5)
        return clock.now_seconds()

    first = await cache.get_or_load("now", read)
    for seconds, later in ((4, 0), (1, 5), (4, 5), (1, 10)):
        clock.move(seconds=seconds)
        assert await cache.get_or_load("now", read) == first + later
    await table.close()


async def test_new_row_that_expires_changes_no_other_result_of_its_partition(table: Table) -> None:
    """A sender's nonces are in the partition of their memberships, which every send depends on."""
    cache: ReadCache[str, str | None] = ReadCache(table, 10)
    session = Session(user_id="u", session_id="1", expires_at=FAR)
    loaded = 0

    async def read() -> str | None:
        nonlocal loaded
        loaded += 1
        visit = await table.get(Visit.key(user_id="u"), consistent=True)
        return None if visit is None else visit.place

    await table.write(Create(Visit(user_id="u", place="Kitchen")))
    assert await cache.get_or_load("visit", read) == "Kitchen"
    await table.write(Create(session))
    assert await cache.get_or_load("visit", read) == "Kitchen"
    is_known = table.engine.version_of("USER#u") is not None
    assert loaded == (1 if is_known else 2)

    for operation in (Delete(session.own_key()), Put(Visit(user_id="u", place="Attic"))):
        await table.write(operation)
        assert await cache.get_or_load("visit", read) == ("Attic" if isinstance(operation, Put) else "Kitchen")
    assert (await table.query(everything_of(user_id="u"))).items == [Visit(user_id="u", place="Attic")]
    await table.write(Create(session))
    assert len((await table.query(everything_of(user_id="u"))).items) == 2


async def test_a_result_inside_of_another_changes_both(file_table: Table) -> None:
    inner: ReadCache[str, int] = ReadCache(file_table, 10)
    outer: ReadCache[str, int] = ReadCache(file_table, 10)
    key = Room.key(room_id="r")
    await file_table.write(Create(Room(room_id="r")))

    async def count() -> int:
        room = await file_table.get(key)
        assert room is not None
        return room.messages

    async def double() -> int:
        return 2 * await inner.get_or_load("count", count)

    for expected in range(4):
        assert await inner.get_or_load("count", count) == expected
        assert await outer.get_or_load("double", double) == 2 * expected
        await file_table.write(Update(key, add(messages=1)))


async def test_random_writes_and_cached_reads_equal_the_file(file_table: Table) -> None:
    """Compares gets and pages of the caching engine with an engine that opens the file again."""
    random = Random(5)
    engine = file_table.engine
    assert isinstance(engine, EmbeddedEngine)
    for step in range(150):
        room, number = f"r{random.randrange(3)}", f"{random.randrange(8)}"
        message = Message(room_id=room, message_id=number, body=str(step))
        if random.randrange(4):
            await file_table.write(Put(message))
        else:
            await file_table.write_many([Delete(message.own_key())])
        page = (await file_table.query(messages_of(room_id=room))).items
        single = await file_table.get(message.own_key())
        if step % 10 == 0:
            fresh = Table(await open_engine(f"sqlite:///{engine.path}", janitor=False))
            assert (await fresh.query(messages_of(room_id=room))).items == page
            assert await fresh.get(message.own_key()) == single
            await fresh.close()


COMING_AND_GOING = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from sobremesa.table import Put, Table, open_engine
from table.samples import Room

async def main():
    for number in range(6):
        table = Table(await open_engine({store!r}))
        await table.write(Put(Room(room_id="other", name=str(number))))
        await table.close()

asyncio.run(main())
"""


async def test_processes_that_open_and_close_do_not_affect_a_running_one(file_table: Table) -> None:
    """Closing a descriptor of SQLite's shared memory would drop its locks, and the next to come would start over."""
    engine = file_table.engine
    assert isinstance(engine, EmbeddedEngine)
    program = COMING_AND_GOING.format(tests=str(Path(__file__).parent.parent), store=f"sqlite:///{engine.path}")
    others = asyncio.create_task(commands.run_async("-c", program))
    written = 0
    while not others.done():
        await file_table.write(Put(Message(room_id="r", message_id=f"{written:06}")))
        written += 1
        assert await file_table.get(Message.key(room_id="r", message_id=f"{written - 1:06}")) is not None
    assert (await others).returncode == 0

    fresh = Table(await open_engine(f"sqlite:///{engine.path}", janitor=False))
    assert (await fresh.count(messages_of(room_id="r"))).count == written
    await fresh.close()
    other = await file_table.get(Room.key(room_id="other"))
    assert other is not None
    assert other.name == "5"


class CountingProcesses:
    """A watcher for another process that commits beside our own commit without changes."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def have_written(self) -> bool:
        self.asked.append("have written")
        return True

    def only_we_wrote(self) -> bool:
        self.asked.append("only we wrote")
        return True

    def close(self) -> None:
        pass


def test_after_a_commit_without_changes_new_commits_are_of_other_processes() -> None:
    others = CountingProcesses()
    cache = PartitionCache(others)
    before = cache.partition("ROOM#r").version
    others.asked.clear()

    cache.changed({})

    assert others.asked == ["have written"]
    assert cache._partitions == {}
    assert before is not None


async def test_cache_has_a_size_limit(file_table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = file_table.engine
    assert isinstance(engine, EmbeddedEngine)
    monkeypatch.setattr("sobremesa.table.engines.embedded.partition_cache.MAX_BYTES", 50_000)
    for number in range(100):
        await file_table.write(Put(Message(room_id=f"r{number}", message_id="1", body="x" * 2000)))
        await file_table.query(messages_of(room_id=f"r{number}"))
        await file_table.get(Message.key(room_id=f"r{number}", message_id="1"))
    held = sum(partition.bytes for partition in engine._cache._partitions.values())
    assert 0 < held <= 50_000
    assert engine._cache._bytes == held


OTHER_PROCESS = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from sobremesa.table import Put, Table, open_engine
from table.samples import Room

async def main():
    table = Table(await open_engine({store!r}))
    for number in range({times}):
        await table.write(Put(Room(room_id="r", name=f"name {{number}}")))
    await table.close()

asyncio.run(main())
"""


async def test_what_another_process_writes_is_seen_at_once(file_table: Table) -> None:
    engine = file_table.engine
    assert isinstance(engine, EmbeddedEngine)
    assert isinstance(engine._cache._others, WalProcesses)
    key = Room.key(room_id="r")
    for times in (1, 3, 7):
        await file_table.get(key)
        program = OTHER_PROCESS.format(
            tests=str(Path(__file__).parent.parent), store=f"sqlite:///{engine.path}", times=times
        )
        assert (await commands.run_async("-c", program)).returncode == 0
        found = await file_table.get(key)
        assert found is not None
        assert found.name == f"name {times - 1}"
        await file_table.write(Update(key, set_to(name="ours")))


async def test_two_processes_that_write_alternately_see_each_other(file_table: Table) -> None:
    engine = file_table.engine
    assert isinstance(engine, EmbeddedEngine)
    other = Table(await open_engine(f"sqlite:///{engine.path}"))
    key = Seat.key(room_id="r", user_id="u")
    await file_table.write(Create(Seat(room_id="r", user_id="u")))

    for turn in range(60):
        writer, reader = (file_table, other) if turn % 2 else (other, file_table)
        await reader.get(key)
        await asyncio.gather(
            writer.write(Update(key, set_to(role=f"turn {turn}"))), reader.write(Put(Room(room_id=f"r{turn}")))
        )
        found = await reader.get(key)
        assert found is not None
        assert found.role == f"turn {turn}"
    await other.close()


async def test_memory_store_has_no_other_processes(memory: EmbeddedEngine, clock: SetClock) -> None:
    assert isinstance(memory._cache._others, NoOtherProcesses)


async def test_write_finds_rows_as_another_writer_of_the_file_left_them(file_table: Table, tmp_path: Path) -> None:
    key = Room.key(room_id="r")
    await file_table.write(Create(Room(room_id="r", name="Kitchen")))
    other = Table(await open_engine(f"sqlite:///{tmp_path / 'table.db'}"))

    for number in range(3):
        # Each has read the row before, and the other one has changed it since.
        for table, before, after in ((file_table, "Kitchen", "Attic"), (other, "Attic", "Kitchen")):
            room = await table.write(Update(key, set_to(name=after), when=equals("name", before)))
            assert room.name == after, number

    await other.write(Delete(key))
    with pytest.raises(ConditionFailed):
        await file_table.write(Update(key, set_to(name="Attic")))
    await file_table.write(Create(Room(room_id="r", name="Hall")))
    with pytest.raises(ConditionFailed):
        await other.write(Create(Room(room_id="r", name="Cellar")))
    await other.close()


def test_known_rows_keep_the_last_ones_within_their_limit() -> None:
    rows = KnownRows(3 * (ROW_BYTES + 100))
    keys = [RawKey("ROOM#r", f"ROW#{number}") for number in range(4)]
    for key in keys[:3]:
        rows.keep(key, Row({}, 100, b""))

    # A row that was not known, such as a new message, is not kept.
    rows.replace({keys[0]: Row({}, 100, b"changed"), keys[3]: Row({}, 100, b"new")})
    assert [rows.find(key) is not None for key in keys] == [True, True, True, False]

    # The oldest one makes room, which the first no longer is.
    rows.keep(keys[3], Row({}, 100, b""))
    assert [rows.find(key) is not None for key in keys] == [True, False, True, True]

    rows.replace({keys[2]: None})
    assert rows.find(keys[2]) is None
