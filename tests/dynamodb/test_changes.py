"""The change stream of a real server: what happened, in order, from any position on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from dynamodb.rows import KEY, delete, put
from servers import Endpoint
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.table import NEWEST, OLDEST, ChangeBatch, Layout, Position, RawChange, add, set_to
from sobremesa.table.conditions import present
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.protocol import ChangeReader, RawKey, UpdateItem
from sobremesa.table.errors import (
    BadCursor,
    ConditionFailed,
    PositionTrimmed,
    StoreClosed,
    TableMissing,
)

SOON = 10.0
"""The timeout for a change that is certain to arrive."""

A_DAY = 24 * 3600


@pytest.fixture
async def another(dynamodb_endpoint: Endpoint, layout: Layout) -> AsyncIterator[DynamoEngine]:
    """A second engine on the same table, as another process has one."""
    engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=dynamodb_endpoint.url, clock=SystemClock())
    try:
        yield engine
    finally:
        await engine.close()


async def read(reader: ChangeReader, count: int) -> tuple[list[RawChange], Position]:
    """This many changes, in as many batches as they come, and the position after them."""
    changes: list[RawChange] = []
    batch: ChangeBatch | None = None
    while batch is None or len(changes) < count:
        batch = await reader.read(SOON)
        assert batch.changes, f"only {len(changes)} of {count} changes came"
        changes += batch.changes
    assert len(changes) == count
    return changes, batch.position


def keys(changes: list[RawChange]) -> list[str]:
    return [change.key.sk for change in changes]


async def test_a_change_carries_the_item_before_and_after_it(stored: DynamoEngine) -> None:
    reader = await stored.changes(NEWEST)
    await stored.write(put(n=1, tags={"a", "b"}, content=b"\x00"))
    await stored.write(UpdateItem(KEY, add(n=1)))
    await stored.write(delete("s"))

    changes, _ = await read(reader, 3)

    first = {"pk": "p", "sk": "s", "n": 1, "tags": frozenset({"a", "b"}), "content": b"\x00"}
    second = first | {"n": 2}
    assert [(change.key, change.old, change.new) for change in changes] == [
        (KEY, None, first),
        (KEY, first, second),
        (KEY, second, None),
    ]
    assert len({change.id for change in changes}) == 3
    assert not any(change.expired for change in changes)
    now_ms = SystemClock().now_ms()
    assert all(abs(now_ms - change.at_ms) < 60_000 for change in changes)


async def test_every_kind_of_write_is_in_the_stream_and_a_failed_one_is_not(stored: DynamoEngine) -> None:
    reader = await stored.changes(NEWEST)
    await stored.batch_write([put("a"), put("b")])
    with pytest.raises(ConditionFailed):
        await stored.transact([put("c"), UpdateItem(RawKey("p", "none"), set_to(a=1), present())], None)
    await stored.transact([put("d"), delete("a")], None)

    changes, _ = await read(reader, 4)

    assert sorted(keys(changes)) == ["a", "a", "b", "d"]


async def test_oldest_is_the_first_change_of_the_table(stored: DynamoEngine) -> None:
    for number in range(5):
        await stored.write(put(f"{number}"))

    changes, _ = await read(await stored.changes(OLDEST), 5)

    assert keys(changes) == ["0", "1", "2", "3", "4"]


async def test_newest_is_pinned_when_the_reader_is_opened(stored: DynamoEngine) -> None:
    await stored.write(put("before"))
    reader = await stored.changes(NEWEST)
    await stored.write(put("after"))

    changes, _ = await read(reader, 1)

    assert keys(changes) == ["after"]


async def test_a_position_of_newest_is_good_before_anything_was_read(
    stored: DynamoEngine, another: DynamoEngine
) -> None:
    await stored.write(put("before"))
    empty = await (await stored.changes(NEWEST)).read(0)
    assert empty.changes == []
    await stored.write(put("after"))

    changes, _ = await read(await another.changes(empty.position), 1)

    assert keys(changes) == ["after"]


async def test_another_process_resumes_where_the_first_one_stopped(stored: DynamoEngine, another: DynamoEngine) -> None:
    reader = await stored.changes(OLDEST)
    await stored.write(put("0"))
    first, position = await read(reader, 1)
    await reader.close()
    await stored.write(put("1"))
    await stored.write(put("2"))

    rest, position = await read(await another.changes(position), 2)

    assert keys([*first, *rest]) == ["0", "1", "2"]
    assert (await (await stored.changes(position)).read(0)).changes == []


async def test_two_readers_do_not_disturb_each_other(stored: DynamoEngine, another: DynamoEngine) -> None:
    readers = [await stored.changes(NEWEST), await stored.changes(NEWEST), await another.changes(NEWEST)]
    for number in range(3):
        await stored.write(put(f"{number}"))

    seen = [await read(reader, 3) for reader in readers]

    assert [keys(changes) for changes, _ in seen] == [["0", "1", "2"]] * 3


async def test_a_read_wakes_up_for_a_change(stored: DynamoEngine) -> None:
    reader = await stored.changes(NEWEST)
    reading = asyncio.create_task(reader.read(SOON))
    await stored.write(put("late"))

    assert keys((await reading).changes) == ["late"]


async def test_more_changes_than_one_response_are_read_in_order(stored: DynamoEngine) -> None:
    reader = await stored.changes(NEWEST)
    for start in range(0, 1200, 100):
        await stored.transact([put(f"{number:04d}") for number in range(start, start + 100)], None)

    changes, _ = await read(reader, 1200)

    assert sorted(keys(changes)) == [f"{number:04d}" for number in range(1200)]
    assert [key[:2] for key in keys(changes)] == sorted(key[:2] for key in keys(changes))


async def test_a_position_is_trimmed_after_a_day(
    stored: DynamoEngine, dynamodb_endpoint: Endpoint, layout: Layout
) -> None:
    await stored.write(put())
    _, position = await read(await stored.changes(OLDEST), 1)
    clock = SetClock(SystemClock().now_ms())
    clock.move(seconds=A_DAY + 60)
    late = await DynamoEngine.open(layout, region="eu-west-1", endpoint=dynamodb_endpoint.url, clock=clock)

    with pytest.raises(PositionTrimmed) as trimmed:
        await late.changes(position)
    changes, _ = await read(await late.changes(Position(trimmed.value.oldest)), 1)

    await late.close()
    assert keys(changes) == ["s"]


async def test_position_of_a_recreated_table_is_trimmed(stored: DynamoEngine) -> None:
    position = (await (await stored.changes(OLDEST)).read(0)).position
    await stored.drop_table()
    await stored.create_table()

    with pytest.raises(PositionTrimmed):
        await stored.changes(position)


async def test_dropped_table_has_no_changes(stored: DynamoEngine) -> None:
    await stored.drop_table()

    with pytest.raises(TableMissing):
        await stored.changes(OLDEST)
    await stored.create_table()


async def test_invalid_position_is_refused(stored: DynamoEngine) -> None:
    with pytest.raises(BadCursor):
        await stored.changes(Position("garbage!"))


async def test_a_closed_reader_reads_no_more(stored: DynamoEngine) -> None:
    reader = await stored.changes(OLDEST)
    await reader.close()
    await reader.close()

    with pytest.raises(StoreClosed):
        await reader.read(0)


async def test_a_reader_ends_with_its_engine(stored: DynamoEngine, another: DynamoEngine) -> None:
    reader = await another.changes(OLDEST)
    await another.close()

    with pytest.raises(StoreClosed):
        await reader.read(0)
    assert (await stored.describe_table()).stream


async def test_a_nudge_ends_the_pause_of_a_quiet_stream(stored: DynamoEngine) -> None:
    loop = asyncio.get_running_loop()
    reader = await stored.changes(NEWEST)
    assert not (await reader.read(1.5)).changes  # from now on a second passes between two looks
    reading = asyncio.create_task(reader.read(SOON))
    await asyncio.wait((reading,), timeout=0.1)
    await stored.write(put(n=1))
    began = loop.time()
    reader.nudge()

    assert len((await reading).changes) == 1
    assert loop.time() - began < 0.5


async def test_a_reader_knows_when_it_has_read_what_another_had(stored: DynamoEngine) -> None:
    begin = (await (await stored.changes(NEWEST)).read(0)).position
    await stored.write(put(n=1))
    _, goal = await read(await stored.changes(begin), 1)
    await stored.write(put(n=2))

    behind = await stored.changes(begin)
    assert behind.has_reached(begin)
    assert not behind.has_reached(goal)
    (first, second), _ = await read(behind, 2)
    assert behind.has_reached(goal)
    assert behind.includes(goal, first)
    assert not behind.includes(goal, second)
    assert not behind.includes(begin, first)
