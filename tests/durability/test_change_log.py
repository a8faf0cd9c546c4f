"""The durable change log: how long it is kept, that its numbers are never given twice, and who is woken by it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from durability.chat import LAYOUT, Message, send
from durability.inspection import inspect
from sobremesa.core.clock import SetClock
from sobremesa.table.engines.embedded import EmbeddedEngine, changelog, log_rows
from sobremesa.table.engines.protocol import NEWEST, OLDEST, ChangeReader, Position, PutItem, RawKey
from sobremesa.table.errors import BadCursor, PositionTrimmed, StoreClosed

HOUR = 3600.0
SOON_SECONDS = 60.0
"""A limit that only something that never happens reaches."""


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


async def opened(store: Path, clock: SetClock) -> EmbeddedEngine:
    return await EmbeddedEngine.open(str(store), LAYOUT, clock=clock, janitor=False)


@pytest.fixture
async def engine(store: Path, clock: SetClock) -> AsyncIterator[EmbeddedEngine]:
    engine = await opened(store, clock)
    yield engine
    await asyncio.wait_for(engine.close(), SOON_SECONDS)


async def note(engine: EmbeddedEngine, name: str, **attributes: object) -> None:
    key = RawKey("NOTE", name)
    await engine.write(PutItem(key, {"pk": key.pk, "sk": key.sk, **attributes}))


async def names_from(engine: EmbeddedEngine, position: Position) -> list[str]:
    """The names of the notes that were changed after a position, to the end of the log."""
    return await rest_of(await engine.changes(position))


async def rest_of(reader: ChangeReader) -> list[str]:
    names: list[str] = []
    while changes := (await reader.read(0)).changes:
        names += [change.key.sk for change in changes]
    return names


async def position_now(engine: EmbeddedEngine) -> Position:
    return (await (await engine.changes(NEWEST)).read(0)).position


async def test_changes_older_than_a_day_are_pruned_and_their_positions_refused(
    engine: EmbeddedEngine, clock: SetClock
) -> None:
    start = await position_now(engine)
    await note(engine, "old")
    await note(engine, "old too")
    old = await position_now(engine)
    clock.move(seconds=25 * HOUR)
    await note(engine, "young")
    assert await names_from(engine, start) == ["old", "old too", "young"]

    await engine.sweep()

    with pytest.raises(PositionTrimmed) as raised:
        await engine.changes(start)
    assert await names_from(engine, Position(raised.value.oldest)) == ["young"]
    assert await names_from(engine, old) == ["young"]
    assert await names_from(engine, OLDEST) == ["young"]


async def test_changes_younger_than_a_day_are_kept(engine: EmbeddedEngine, clock: SetClock) -> None:
    await note(engine, "first")
    clock.move(seconds=23.9 * HOUR)
    await note(engine, "second")

    await engine.sweep()

    assert await names_from(engine, OLDEST) == ["first", "second"]


async def test_reader_behind_the_retention_gets_an_error_instead_of_a_gap(
    engine: EmbeddedEngine, clock: SetClock
) -> None:
    reader = await engine.changes(NEWEST)
    await note(engine, "unread")
    await note(engine, "unread too")
    clock.move(seconds=25 * HOUR)
    await note(engine, "young")
    await engine.sweep()

    with pytest.raises(PositionTrimmed) as raised:
        await reader.read(0)

    assert await names_from(engine, Position(raised.value.oldest)) == ["young"]


async def test_numbers_are_never_given_twice_also_after_everything_was_forgotten(store: Path, clock: SetClock) -> None:
    positions = set[Position]()
    ids = set[str]()
    for day in range(5):
        engine = await opened(store, clock)
        before = await position_now(engine)
        for number in range(3):
            await note(engine, f"{day} {number}")
        batch = await (await engine.changes(before)).read(0)
        assert [change.key.sk for change in batch.changes] == [f"{day} {number}" for number in range(3)]
        assert ids.isdisjoint(change.id for change in batch.changes)
        assert batch.position not in positions
        ids |= {change.id for change in batch.changes}
        positions.add(batch.position)
        clock.move(seconds=30 * HOUR)
        await engine.sweep()
        await engine.sweep()
        assert await names_from(engine, batch.position) == []
        await engine.close()

    assert len(ids) == 15


async def test_one_sweep_deletes_all_that_is_old_in_small_steps(
    engine: EmbeddedEngine, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rows, "TRIMMED_AT_ONCE", 2)
    for number in range(7):
        await note(engine, str(number))
    clock.move(seconds=25 * HOUR)

    await engine.sweep()

    # The newest is kept, for its number's sake.
    assert await names_from(engine, OLDEST) == ["6"]


async def test_clock_that_was_set_back_leaves_no_gap_in_the_log(engine: EmbeddedEngine, clock: SetClock) -> None:
    clock.move(seconds=3 * HOUR)
    await note(engine, "from the future")
    clock.move(seconds=-3 * HOUR)
    await note(engine, "present")
    await note(engine, "present too")

    clock.move(seconds=25 * HOUR)
    await engine.sweep()

    assert await names_from(engine, OLDEST) == ["from the future", "present", "present too"]


async def test_an_expiry_is_logged_as_one_and_survives_a_restart(store: Path, clock: SetClock) -> None:
    engine = await opened(store, clock)
    await note(engine, "short", ttl=clock.now_ms() // 1000 + 60)
    position = await position_now(engine)
    clock.move(seconds=61)
    assert await engine.sweep() == 1
    await engine.close()

    engine = await opened(store, clock)
    batch = await (await engine.changes(position)).read(0)
    await engine.close()

    assert [(change.key.sk, change.new, change.expired) for change in batch.changes] == [("short", None, True)]


async def test_a_position_survives_a_restart(store: Path, clock: SetClock) -> None:
    engine = await opened(store, clock)
    await note(engine, "before")
    position = await position_now(engine)
    await note(engine, "between")
    await engine.close()

    engine = await opened(store, clock)
    await note(engine, "after")
    names = await names_from(engine, position)
    await engine.close()

    assert names == ["between", "after"]


@pytest.mark.parametrize("sequence", ["0", "1", "99"])
async def test_a_position_of_another_store_is_refused(
    engine: EmbeddedEngine, tmp_path: Path, clock: SetClock, sequence: str
) -> None:
    other = await opened(tmp_path / "other.db", clock)
    await note(other, "theirs")
    theirs = await position_now(other)
    await other.close()
    await note(engine, "ours")

    with pytest.raises(PositionTrimmed) as raised:
        await engine.changes(Position(f"{theirs.rpartition('-')[0]}-{sequence}"))

    assert await names_from(engine, Position(raised.value.oldest)) == ["ours"]


@pytest.mark.parametrize("ending", ["99", "-1", "", "x", "²", "1e3", "9" * 5000, " 0"])
async def test_a_position_that_makes_no_sense_is_refused(engine: EmbeddedEngine, ending: str) -> None:
    here = await position_now(engine)

    with pytest.raises(PositionTrimmed if ending in ("99", "-1") else BadCursor):
        await engine.changes(Position(f"{here.rpartition('-')[0]}-{ending}"))


async def test_a_waiting_reader_is_woken_by_a_commit(engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changelog, "POLL_SECONDS", 60.0)
    readers = [await engine.changes(NEWEST) for _ in range(3)]
    waiting = [asyncio.create_task(reader.read(60.0)) for reader in readers]
    await asyncio.sleep(0)

    await note(engine, "hello")
    batches = await asyncio.wait_for(asyncio.gather(*waiting), SOON_SECONDS)

    assert [[change.key.sk for change in batch.changes] for batch in batches] == [["hello"]] * 3


async def test_a_waiting_reader_gets_an_empty_batch_when_its_time_is_up(engine: EmbeddedEngine) -> None:
    reader = await engine.changes(NEWEST)
    asked_at = time.monotonic()

    batch = await reader.read(0.15)

    assert batch.changes == []
    assert time.monotonic() - asked_at > 0.1


async def test_waiting_reader_gets_an_error_when_the_store_is_closed(store: Path, clock: SetClock) -> None:
    engine = await opened(store, clock)
    reader = await engine.changes(NEWEST)
    waiting = asyncio.create_task(reader.read(60.0))
    await asyncio.sleep(0)

    await engine.close()

    with pytest.raises(StoreClosed):
        await asyncio.wait_for(waiting, SOON_SECONDS)


async def test_a_reader_that_gives_up_waiting_does_not_stop_others(engine: EmbeddedEngine) -> None:
    impatient = asyncio.create_task((await engine.changes(NEWEST)).read(60.0))
    patient = asyncio.create_task((await engine.changes(NEWEST)).read(60.0))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait([impatient])

    await note(engine, "hello")

    assert len((await asyncio.wait_for(patient, SOON_SECONDS)).changes) == 1
    assert engine._log._waiting == set()


async def test_a_write_that_changes_nothing_is_not_logged(engine: EmbeddedEngine, store: Path) -> None:
    await send(engine, Message("run", 0, 0))
    position = await position_now(engine)
    await send(engine, Message("run", 0, 0))

    assert await names_from(engine, position) == []
    inspect(store)


async def test_reader_receives_the_same_from_memory_and_from_the_file(engine: EmbeddedEngine, store: Path) -> None:
    before = await position_now(engine)
    for number in range(5):
        await note(engine, f"{number}", text="first")
    await note(engine, "3", text="second")
    near = (await (await engine.changes(before)).read(0)).changes

    second = await EmbeddedEngine.open(str(store), LAYOUT, clock=SetClock(), janitor=False)
    try:
        far = (await (await second.changes(before)).read(0)).changes
    finally:
        await second.close()

    assert near == far
    assert near[-1].old == {**near[-1].new, "text": "first"} if near[-1].new else False


async def test_changes_of_another_process_are_in_order(engine: EmbeddedEngine, store: Path) -> None:
    before = await position_now(engine)
    second = await EmbeddedEngine.open(str(store), LAYOUT, clock=SetClock(), janitor=False)
    try:
        for number in range(6):
            await note(engine if number % 3 else second, f"{number}")
    finally:
        await second.close()

    assert await names_from(engine, before) == ["0", "1", "2", "3", "4", "5"]
