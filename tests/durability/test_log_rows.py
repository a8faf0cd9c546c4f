"""The rows of the change log: that they are small, and that readers see transactions whatever row they are in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import msgspec
import pytest

from durability.chat import LAYOUT, Message, send, talk
from durability.failing_disk import FailingDisk, Fault
from durability.inspection import inspect, logged
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine, log_rows
from sobremesa.table.engines.protocol import OLDEST, Position, RawChange
from sobremesa.table.errors import StoreBusy, StoreDamaged, StoreFailed

FORMAT_1 = Path(__file__).with_name("format_1.sql")
HOUR = 3600.0
LONG_TEXT = "So I said to the waiter: " + "and then, " * 80


async def opened(store: Path, clock: SetClock | None = None) -> EmbeddedEngine:
    return await EmbeddedEngine.open(str(store), LAYOUT, clock=clock or SystemClock(), janitor=False)


def no_time() -> float:
    """A stopwatch of a machine so fast that no batch ends because its time is up."""
    return 0.0


async def read_after(engine: EmbeddedEngine, position: Position) -> list[RawChange]:
    """All changes after a position."""
    reader = await engine.changes(position)
    changes: list[RawChange] = []
    while batch := (await reader.read(0)).changes:
        changes += batch
    return changes


async def read_file(store: Path, position: Position = OLDEST) -> list[RawChange]:
    """The same, from the file: by an engine that has nothing in memory."""
    engine = await opened(store)
    try:
        return await read_after(engine, position)
    finally:
        await engine.close()


def select(store: Path, sql: str) -> list[int]:
    connection = apsw.Connection(str(store))
    try:
        return [row[0] for row in connection.execute(sql)]
    finally:
        connection.close()


def transaction_of(change: RawChange) -> int:
    return int(change.id.split("-")[-2])


@pytest.fixture
def _small_dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a dictionary of a few changes, and another one after some more."""
    monkeypatch.setattr(log_rows, "DICTIONARY_BYTES", 500)
    monkeypatch.setattr(log_rows, "FIRST_DICTIONARY_LOG_BYTES", 8_000)
    monkeypatch.setattr(log_rows, "DICTIONARY_LOG_BYTES", 8_000)


@pytest.mark.parametrize("senders", [1, 32])
async def test_log_is_less_than_a_third_of_its_images(engine: EmbeddedEngine, store: Path, senders: int) -> None:
    await talk(engine, "run", lambda message: None, senders=senders, messages=960 // senders)

    connection = apsw.Connection(str(store))
    images = sum(len(msgspec.msgpack.encode(changes)) for _, changes in logged(connection))
    connection.close()
    rows = select(store, "SELECT length(body) FROM changes UNION ALL SELECT length(body) FROM dictionaries")
    assert sum(rows) < images / 3
    inspect(store)


async def test_transactions_of_one_commit_are_one_row_and_every_position_between_them_is_valid(store: Path) -> None:
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False, stopwatch=no_time)
    await send(engine, Message("before", 0, 0))
    await asyncio.gather(*(send(engine, Message("run", sender, 0)) for sender in range(9)))
    everything = await read_after(engine, OLDEST)

    assert select(store, "SELECT transactions FROM changes ORDER BY seq") == [1, 9]
    for transaction in range(11):
        position = engine._log.position(transaction)
        expected = [change for change in everything if transaction_of(change) > transaction]
        assert await read_after(engine, position) == expected
        assert await read_file(store, position) == expected
    await engine.close()


async def test_reader_that_is_far_behind_reads_everything_in_parts(
    engine: EmbeddedEngine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(engine, "run", lambda message: None, messages=3)
    monkeypatch.setattr("sobremesa.table.engines.embedded.changelog.TRANSACTIONS_A_READ", 5)

    changes = await read_file(store)

    assert changes == await read_after(engine, OLDEST)
    assert sorted({transaction_of(change) for change in changes}) == list(range(1, 97))


async def test_transactions_of_a_row_keep_their_own_times(store: Path) -> None:
    clock = SetClock()

    class Ticking(SetClock):
        def now_ms(self) -> int:
            clock.move(seconds=1)
            return clock.now_ms()

    engine = await opened(store, Ticking())
    await asyncio.gather(*(send(engine, Message("run", sender, 0)) for sender in range(4)))
    near = await read_after(engine, OLDEST)
    await engine.close()

    assert len({change.at_ms for change in near}) == 4
    assert await read_file(store) == near


@pytest.mark.usefixtures("_small_dictionaries")
async def test_two_processes_that_take_turns_read_each_others_rows(engine: EmbeddedEngine, store: Path) -> None:
    second = await opened(store)
    for number in range(40):
        await send(engine, Message("first", 0, number))
        await send(second, Message("second", 0, number))
    near = await read_after(engine, OLDEST)
    await second.close()

    assert len(select(store, "SELECT since FROM dictionaries")) > 2
    assert near == await read_file(store)
    assert len(inspect(store).messages) == 80


@pytest.mark.usefixtures("_small_dictionaries")
async def test_dictionaries_are_kept_as_long_as_a_row_needs_them(store: Path) -> None:
    clock = SetClock()
    engine = await opened(store, clock)
    for number in range(100):
        clock.move(seconds=0.1 * HOUR)
        await send(engine, Message("run", 0, number))
    all_of_them = select(store, "SELECT since FROM dictionaries")
    everything = await read_after(engine, OLDEST)

    clock.move(seconds=19 * HOUR)
    await engine.sweep()

    needed = set(select(store, "SELECT dictionary FROM changes"))
    left = await read_file(store)
    await engine.close()
    assert 100 < len(left) < len(everything)
    assert left == everything[-len(left) :]
    assert set(select(store, "SELECT since FROM dictionaries")) == needed
    assert len(needed) < len(all_of_them)


async def test_dictionary_is_used_for_an_hour(store: Path) -> None:
    clock = SetClock()
    engine = await opened(store, clock)
    for number in range(40):
        await send(engine, Message("run", 0, number))
    [made] = select(store, "SELECT since FROM dictionaries")
    clock.move(seconds=0.9 * HOUR)
    await send(engine, Message("run", 0, 40))
    assert select(store, "SELECT since FROM dictionaries") == [made]
    clock.move(seconds=0.2 * HOUR)
    await send(engine, Message("run", 0, 41))
    await engine.close()

    assert select(store, "SELECT since FROM dictionaries") == [made, 41]
    inspect(store)


async def test_process_that_has_logged_nothing_yet_uses_no_dictionary_that_is_too_old(store: Path) -> None:
    clock = SetClock()
    engine = await opened(store, clock)
    for number in range(40):
        await send(engine, Message("run", 0, number))
    await engine.close()
    clock.move(seconds=2 * HOUR)

    engine = await opened(store, clock)
    await send(engine, Message("run", 0, 40))
    await engine.close()

    assert select(store, "SELECT dictionary FROM changes ORDER BY seq DESC LIMIT 1") == [0]
    inspect(store)


@pytest.mark.usefixtures("_small_dictionaries")
async def test_dictionary_of_a_commit_that_failed_is_never_used(store: Path) -> None:
    disk = FailingDisk(f"failing {store}")
    engine = await EmbeddedEngine.open(str(store), LAYOUT, clock=SystemClock(), janitor=False, vfs=disk.name)
    other = await opened(store)
    try:
        await send(other, Message("other", 0, 0), text=LONG_TEXT)
        await send(engine, Message("run", 0, 0), text=LONG_TEXT)
        disk.fail(Fault("write", "-wal", apsw.FullError))
        with pytest.raises(StoreFailed):
            await send(engine, Message("failed", 0, 0))  # it would have been the first row with a dictionary
        disk.repair()
        # The other process makes another dictionary, with the number that the failed one had.
        await send(other, Message("other", 0, 1))
        await send(engine, Message("run", 0, 1))
        assert select(store, "SELECT dictionary FROM changes ORDER BY seq") == [0, 0, 2, 2]
        assert await read_after(engine, OLDEST) == await read_file(store)
    finally:
        await other.close()
        await engine.close()
        disk.unregister()


@pytest.mark.parametrize("damage", ["DELETE FROM dictionaries", "UPDATE dictionaries SET body = zeroblob(16384)"])
async def test_damaged_log_is_reported(store: Path, damage: str) -> None:
    engine = await opened(store)
    for number in range(60):
        await send(engine, Message("run", 0, number))
    await engine.close()
    connection = apsw.Connection(str(store))
    connection.execute(damage)
    connection.close()

    with pytest.raises(StoreDamaged):
        await read_file(store)


@pytest.fixture
async def old_store(store: Path) -> AsyncIterator[Path]:
    connection = apsw.Connection(str(store))
    connection.execute(FORMAT_1.read_text())
    yield store
    connection.close()


async def test_store_of_format_1_is_opened_with_its_log_and_written_further(old_store: Path) -> None:
    engine = await opened(old_store)
    old = await read_after(engine, OLDEST)
    await talk(engine, "new", lambda message: None, senders=2, messages=20)
    everything = await read_after(engine, OLDEST)
    await engine.close()

    assert [change.new["messageId"] for change in old[::3] if change.new] == [
        "old.000.000000",
        "old.001.000000",
        "old.000.000001",
        "old.001.000001",
    ]
    assert everything[: len(old)] == old
    assert await read_file(old_store) == everything
    assert len(inspect(old_store).messages) == 44


async def test_position_in_a_log_of_format_1_stays_valid(old_store: Path) -> None:
    [store_id] = select(old_store, "SELECT value FROM meta WHERE name = 'store_id'")

    changes = await read_file(old_store, Position(f"{store_id}-3"))

    assert [change.id for change in changes] == [f"{store_id}-4-{item}" for item in range(3)]


async def test_store_of_format_1_that_is_in_use_is_not_changed(old_store: Path) -> None:
    connection = apsw.Connection(str(old_store))
    connection.pragma("journal_mode", "WAL")
    connection.execute("SELECT count(*) FROM changes").fetchall()

    with pytest.raises(StoreBusy, match="stop it first"):
        await opened(old_store)

    assert connection.pragma("user_version") == 1
    connection.close()
    assert len(await read_file(old_store)) == 12


async def test_old_rows_of_format_1_are_deleted_like_others(old_store: Path) -> None:
    engine = await opened(old_store)
    await send(engine, Message("new", 0, 0))
    await engine.close()
    clock = SetClock()
    clock.move(seconds=10_000 * HOUR)
    engine = await opened(old_store, clock)
    await engine.sweep()
    left = await read_after(engine, OLDEST)
    await engine.close()

    assert [transaction_of(change) for change in left] == [5, 5, 5]
