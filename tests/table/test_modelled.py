"""The model of DynamoDB takes its time, refuses what collides or is too much, and delays copies and changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from simulation import virtual_time
from simulation.virtual_time import VirtualClock
from sobremesa.table import NEWEST, OLDEST, Layout
from sobremesa.table.engines.modelled import Figures, ModelledEngine
from sobremesa.table.engines.protocol import (
    ChangeReader,
    PutItem,
    QueryRequest,
    RawChange,
    RawKey,
)
from sobremesa.table.errors import Conflict, PositionTrimmed, Throttled
from sobremesa.table.opening import open_modelled

Story = Callable[[ModelledEngine], Awaitable[None]]

FIRST_INDEX = next(iter(Layout().indexes))
CALM = Figures(stall=0.0)


def run(story: Story, figures: Figures = CALM, seed: int = 1) -> None:
    """Run a story over a new table in virtual time."""

    async def main() -> None:
        engine = await open_modelled(clock=VirtualClock(), figures=figures, seed=seed)
        try:
            await story(engine)
        finally:
            await engine.close()

    virtual_time.run(main(), seed)


def put(pk: str, sk: str = "ROW", **fields: Any) -> PutItem:
    layout = Layout()
    return PutItem(RawKey(pk, sk), {layout.pk: pk, layout.sk: sk, **fields})


async def read_all(reader: ChangeReader, seconds: float = 10.0) -> list[RawChange]:
    """Return everything that comes within some seconds."""
    loop = asyncio.get_running_loop()
    until, changes = loop.time() + seconds, list[RawChange]()
    while loop.time() < until:
        changes += (await reader.read(1.0)).changes
    return changes


def test_calls_take_their_time() -> None:
    async def story(engine: ModelledEngine) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        await engine.transact([put("A")], None)
        after_transaction = loop.time()
        await engine.get(RawKey("A", "ROW"), consistent=True, fields=None)
        assert 0.010 <= after_transaction - start <= 0.014
        assert 0.003 <= loop.time() - after_transaction <= 0.005

    run(story)


def test_colliding_transactions_are_refused() -> None:
    async def story(engine: ModelledEngine) -> None:
        both = await asyncio.gather(
            engine.transact([put("A"), put("B")], None),
            engine.transact([put("C"), put("B")], None),
            return_exceptions=True,
        )
        assert sum(isinstance(each, Conflict) for each in both) == 1
        await engine.transact([put("C"), put("B")], None)

    run(story)


def test_single_write_of_an_item_in_a_transaction_is_refused() -> None:
    async def story(engine: ModelledEngine) -> None:
        transaction = asyncio.create_task(engine.transact([put("A")], None))
        await asyncio.sleep(0.004)
        with pytest.raises(Conflict):
            await engine.write(put("A"))
        await transaction

    run(story)


def test_partition_has_a_limit_of_units() -> None:
    async def story(engine: ModelledEngine) -> None:
        async def write() -> bool:
            try:
                await engine.write(put("BUSY", text="x" * 10_000))
            except Throttled:
                return False
            return True

        done = [await write() for _ in range(400)]  # 10 units each, 5 ms each: 2000 units a second
        assert 200 <= sum(done) < 330
        await engine.write(put("OTHER"))
        await asyncio.sleep(1)
        assert await write()

    run(story)


def test_partition_of_an_index_has_a_limit_too() -> None:
    names = Layout().indexes[FIRST_INDEX]

    async def story(engine: ModelledEngine) -> None:
        async def write(number: int, shelf: str) -> bool:
            entry = {names.pk: shelf, names.sk: str(number)}
            try:
                await engine.write(put(f"ROW{number}", text="x" * 10_000, **entry))
            except Throttled:
                return False
            return True

        done = [await write(number, "BUSY") for number in range(400)]  # as above, but in 400 partitions of the table
        assert 200 <= sum(done) < 330
        assert await write(1, "OTHER") is False  # it would leave the busy partition
        assert await write(400, "OTHER")
        await asyncio.sleep(1)
        assert await write(401, "BUSY")

    run(story)


def test_index_does_not_count_for_the_partition_of_the_table() -> None:
    names = Layout().indexes[FIRST_INDEX]

    async def story(engine: ModelledEngine) -> None:
        for number in range(150):  # 10 units in the table, and 10 in an index: less than the limit of either
            entry = {names.pk: f"SHELF{number}", names.sk: "ROW"}
            await engine.write(put("BUSY", str(number), text="x" * 10_000, **entry))
            await asyncio.sleep(0.006)

    run(story)


def test_write_is_done_although_its_caller_is_gone() -> None:
    async def story(engine: ModelledEngine) -> None:
        writing = asyncio.create_task(engine.write(put("A")))
        await asyncio.sleep(0.001)
        writing.cancel()
        await asyncio.sleep(0.1)
        assert (await engine.get(RawKey("A", "ROW"), consistent=True, fields=None)).item is not None

    run(story)


def test_indexes_and_inconsistent_reads_lag_behind() -> None:
    names = Layout().indexes[FIRST_INDEX]

    async def story(engine: ModelledEngine) -> None:
        await engine.write(put("A", **{names.pk: "I", names.sk: "1"}))
        request = QueryRequest(pk="I", index=FIRST_INDEX)
        assert not (await engine.query(request)).items
        assert (await engine.get(RawKey("A", "ROW"), consistent=False, fields=None)).item is None
        assert (await engine.get(RawKey("A", "ROW"), consistent=True, fields=None)).item is not None
        await asyncio.sleep(1.0)
        assert len((await engine.query(request)).items) == 1

    run(story, Figures(copy_lag=(0.5, 0.6), inconsistent=1.0))


def test_no_change_is_lost_while_shards_split_and_stall() -> None:
    async def story(engine: ModelledEngine) -> None:
        reader = await engine.changes(OLDEST)
        reading = asyncio.create_task(read_all(reader, 30.0))
        for number in range(300):
            await engine.write(put(f"P{number % 10}", n=number))
            if number % 50 == 20:
                engine.stream.split()
                engine.stream.stall(2.0)
        found: dict[str, list[int]] = {}
        for change in await reading:
            assert change.new is not None
            found.setdefault(change.key.pk, []).append(change.new["n"])
        assert found == {f"P{each}": list(range(each, 300, 10)) for each in range(10)}

    run(story, Figures(shards=4, stall=0.05))


def test_other_shards_overtake_a_stalled_one() -> None:
    async def story(engine: ModelledEngine) -> None:
        reader = await engine.changes(OLDEST)
        for number in range(40):
            await engine.write(put(f"P{number}", n=number))
        order = [change.new["n"] for change in await read_all(reader) if change.new is not None]
        assert sorted(order) == list(range(40))
        assert order != sorted(order)

    run(story, Figures(shards=8))


def test_rewound_reader_repeats_changes_in_their_order() -> None:
    async def story(engine: ModelledEngine) -> None:
        reader = await engine.changes(OLDEST)
        reading = asyncio.create_task(read_all(reader))
        for number in range(200):
            await engine.write(put("A", n=number))
        numbers = [change.new["n"] for change in await reading if change.new is not None]
        assert len(numbers) > 200
        assert list(dict.fromkeys(numbers)) == list(range(200))

    run(story, Figures(shards=1, rewind=0.5, stall=0.0))


def test_reader_continues_at_a_position() -> None:
    async def story(engine: ModelledEngine) -> None:
        first = await engine.changes(OLDEST)
        await engine.write(put("A"))
        await engine.write(put("B"))
        await asyncio.sleep(1)
        position = (await first.read(1)).position
        newest = await engine.changes(NEWEST)
        engine.stream.split()
        await engine.write(put("C"))
        second = await engine.changes(position)
        changes = await read_all(second)
        assert [change.key.pk for change in changes] == ["C"]
        assert [change.key.pk for change in await read_all(newest)] == ["C"]
        assert second.includes((await second.read(0)).position, changes[0])
        assert not second.includes(position, changes[0])
        assert second.has_reached(position)
        assert not first.has_reached((await second.read(0)).position)

    run(story)


def test_trimmed_positions_are_refused() -> None:
    async def story(engine: ModelledEngine) -> None:
        reader = await engine.changes(OLDEST)
        await engine.write(put("A"))
        position = (await reader.read(0)).position
        await engine.write(put("A", n=2))
        await asyncio.sleep(20)
        with pytest.raises(PositionTrimmed):
            await engine.changes(position)
        with pytest.raises(PositionTrimmed):
            await reader.read(1)

    run(story, Figures(shards=1, retention_seconds=10.0))
