"""The stream of changes: what was, what is, in order, from any position on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import NEWEST, OLDEST, Delete, Position, Put, RawKey, Table, Update, add
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import ChangeReader, DeleteItem, Engine, RawChange, UpdateItem
from sobremesa.table.errors import BadCursor, ConditionFailed, PositionTrimmed
from sobremesa.table.updates import Add, Set
from table import gaps
from table.engines import Store
from table.samples import Account, Message, messages_of, post, refusal, row

A = Account.key(account_id="a")


async def collect(reader: ChangeReader, count: int) -> tuple[list[RawChange], Position]:
    """Read until there are so many changes, and then once more: nothing may follow."""
    changes: list[RawChange] = []
    position = Position("")
    while len(changes) < count:
        batch = await reader.read(wait_seconds=10.0)
        assert batch.changes, f"only {len(changes)} of {count} changes came"
        changes += batch.changes
        position = batch.position
    last = await reader.read(wait_seconds=0.0)
    assert [change.key for change in last.changes] == []
    assert len(changes) == count, [(change.key, change.old, change.new) for change in changes]
    return changes, position


def summary(change: RawChange) -> tuple[str, Any, Any]:
    """A change in short: its sort key, and the attribute n before and after (None: no item)."""
    old = None if change.old is None else change.old.get("n", "-")
    new = None if change.new is None else change.new.get("n", "-")
    return change.key.sk, old, new


async def test_every_write_is_in_the_stream_with_both_images_in_order(engine: Engine) -> None:
    await engine.write(row("p", "a", n=1))
    await engine.write(row("p", "a", n=2))
    await engine.write(UpdateItem(RawKey("p", "a"), (Add("n", 1),)))
    await engine.write(DeleteItem(RawKey("p", "a")))

    changes, _ = await collect(await engine.changes(OLDEST), 4)

    assert [summary(change) for change in changes] == [("a", None, 1), ("a", 1, 2), ("a", 2, 3), ("a", 3, None)]
    assert changes[0].new == {"pk": "p", "sk": "a", "n": 1}
    assert {change.expired for change in changes} == {False}
    assert len({change.id for change in changes}) == 4


async def test_transactions_and_batches_are_in_the_stream_by_operation(engine: Engine) -> None:
    await engine.batch_write([row("p", "a", n=1), row("p", "b", n=1)])
    await engine.transact(
        [UpdateItem(RawKey("p", "b"), (Set("n", 2),)), row("p", "c", n=1), DeleteItem(RawKey("p", "a"))], None
    )

    changes, _ = await collect(await engine.changes(OLDEST), 5)

    assert [summary(change) for change in changes] == [
        ("a", None, 1), ("b", None, 1), ("b", 1, 2), ("c", None, 1), ("a", 1, None),
    ]  # fmt: skip


async def test_deletes_of_a_batch_are_in_the_stream_among_its_puts(engine: Engine, store: Store) -> None:
    await engine.write(row("p", "a", n=1))
    await engine.batch_write([DeleteItem(RawKey("p", "a")), row("p", "b", n=2)])

    changes, _ = await collect(await engine.changes(OLDEST), 3)

    deleted, put = ("a", 1, None), ("b", None, 2)
    expected = [put, deleted] if gaps.has(store, "batch-deletes-last") else [deleted, put]
    assert [summary(change) for change in changes[1:]] == expected


async def test_empty_values_keep_their_types_in_the_stream(engine: Engine) -> None:
    values = {"text": "", "bytes": b"", "list": [], "map": {}, "nested": [[], {}, {"list": [], "map": {}}]}
    await engine.write(row("p", "a", **values))
    await engine.write(row("p", "a"))

    created, replaced = (await collect(await engine.changes(OLDEST), 2))[0]

    assert created.new == replaced.old == {"pk": "p", "sk": "a", **values}


async def test_update_that_creates_an_item_is_in_the_stream_once(engine: Engine, store: Store) -> None:
    await engine.write(UpdateItem(RawKey("p", "a"), (Set("n", 1),)))

    # moto also logs the item with nothing but its key.
    extra = gaps.has(store, "update-logged-twice")
    changes, _ = await collect(await engine.changes(OLDEST), 2 if extra else 1)

    assert summary(changes[-1])[2] == 1


async def test_failed_writes_are_not_in_the_stream(engine: Engine, store: Store) -> None:
    from sobremesa.table import present

    await engine.write(DeleteItem(RawKey("p", "never there")))
    with pytest.raises(ConditionFailed):
        await engine.write(DeleteItem(RawKey("p", "never there"), present()))
    with pytest.raises(ConditionFailed):
        await engine.transact([row("p", "a"), DeleteItem(RawKey("p", "none"), present())], None)
    await engine.write(row("p", "last"))

    changes, _ = await collect(await engine.changes(OLDEST), 1)
    assert changes[0].key.sk == "last"


async def test_write_that_changes_nothing_is_not_in_the_stream(engine: Engine, store: Store) -> None:
    await engine.write(row("p", "a", n=1, s=frozenset({"x", "y"})))
    await engine.write(row("p", "a", n=1.0, s=frozenset({"y", "x"})))
    await engine.write(UpdateItem(RawKey("p", "a"), (Set("n", 1),)))
    await engine.write(row("p", "b"))

    logged_anyway = 2 if gaps.has(store, "unchanged-logged") else 0
    changes, _ = await collect(await engine.changes(OLDEST), 2 + logged_anyway)

    assert [change.key.sk for change in changes] == ["a"] * (1 + logged_anyway) + ["b"]


async def test_reader_resumes_where_another_stopped(engine: Engine) -> None:
    await engine.write(row("p", "0"))
    reader = await engine.changes(OLDEST)
    _, position = await collect(reader, 1)
    await reader.close()
    for number in range(1, 4):
        await engine.write(row("p", str(number)))

    resumed, after = await collect(await engine.changes(position), 3)

    assert [change.key.sk for change in resumed] == ["1", "2", "3"]
    assert (await (await engine.changes(after)).read(0.0)).changes == []
    again, _ = await collect(await engine.changes(position), 3)
    assert [change.id for change in again] == [change.id for change in resumed]


async def test_reader_of_the_newest_receives_only_later_changes(engine: Engine, store: Store) -> None:
    await engine.write(row("p", "before"))
    reader = await engine.changes(NEWEST)
    empty = await reader.read(0.0)
    assert empty.changes == []

    await engine.write(row("p", "after"))

    changes, _ = await collect(reader, 1)
    assert changes[0].key.sk == "after"
    resumed, _ = await collect(await engine.changes(empty.position), 1)
    assert resumed[0].key.sk == "after"


async def test_a_waiting_reader_is_woken_by_a_write(engine: Engine) -> None:
    reader = await engine.changes(NEWEST)
    waiting = asyncio.create_task(reader.read(wait_seconds=20.0))
    await asyncio.sleep(0)

    await engine.write(row("p", "news"))

    batch = await asyncio.wait_for(waiting, 60.0)
    assert [change.key.sk for change in batch.changes] == ["news"]


async def test_a_reader_that_waits_in_vain_gives_an_empty_batch_with_a_position(engine: Engine) -> None:
    reader = await engine.changes(OLDEST)

    batch = await reader.read(wait_seconds=0.01)

    assert batch.changes == []
    assert (await engine.changes(batch.position)) is not None


async def test_many_changes_come_all_and_in_the_order_of_their_partition(table: Table) -> None:
    for number in range(5):
        await table.write_many(Put(Message(room_id=str(n), message_id="m", likes=number + 1)) for n in range(20))
    reader = await table.changes(OLDEST)

    changes, _ = await collect(reader, 100)

    for n in range(20):
        likes = [c.new["likes"] for c in changes if c.key.pk == f"ROOM#{n}" and c.new is not None]
        assert likes == [1, 2, 3, 4, 5]


async def test_the_rows_of_a_partition_can_be_rebuilt_from_its_changes(table: Table) -> None:
    await post(table, "r", 10)
    for number in range(0, 10, 2):
        await table.write(Delete(Message.key(room_id="r", message_id=f"m{number:02d}")))
        await table.write(Update(Message.key(room_id="r", message_id=f"m{number + 1:02d}"), add(likes=number)))
    # Adding nothing (number 0) changes nothing: dynoxide and moto log it all the same.
    batch = await (await table.changes(OLDEST)).read(10.0)

    rows: dict[RawKey, Any] = {}
    for change in batch.changes:
        assert change.old == rows.get(change.key)
        rows[change.key] = change.new

    now = {
        message.own_key().raw: message.to_item(table.layout) async for message in table.every(messages_of(room_id="r"))
    }
    assert {key: item for key, item in rows.items() if item is not None} == now


async def test_a_position_of_another_store_or_of_yesterday_is_refused(memory: EmbeddedEngine, clock: SetClock) -> None:
    await memory.write(row("p", "0"))
    _, position = await collect(await memory.changes(OLDEST), 1)
    assert await refusal(lambda: memory.changes(Position("elsewhere-1"))) is PositionTrimmed
    assert await refusal(lambda: memory.changes(Position("nonsense"))) is BadCursor

    for number in range(1, 4):
        await memory.write(row("p", str(number)))
    clock.move(seconds=25 * 3600)
    await memory.write(row("p", "today"))
    await memory.sweep()

    with pytest.raises(PositionTrimmed) as trimmed:
        await (await memory.changes(position)).read(0.0)
    resumed, _ = await collect(await memory.changes(Position(trimmed.value.oldest)), 1)
    assert resumed[0].key.sk == "today"
    oldest, _ = await collect(await memory.changes(OLDEST), 1)
    assert oldest[0].key.sk == "today"


async def test_reader_behind_the_retention_gets_an_error(memory: EmbeddedEngine, clock: SetClock) -> None:
    reader = await memory.changes(OLDEST)
    await memory.write(row("p", "yesterday"))
    clock.move(seconds=25 * 3600)
    await memory.write(row("p", "today"))
    await memory.sweep()

    with pytest.raises(PositionTrimmed):
        await reader.read(0.0)


async def test_changes_carry_the_time_of_the_clock(memory: EmbeddedEngine, clock: SetClock) -> None:
    await memory.write(row("p", "0"))
    clock.move(seconds=5)
    await memory.write(row("p", "1"))

    changes, _ = await collect(await memory.changes(OLDEST), 2)

    assert changes[1].at_ms - changes[0].at_ms == 5000


async def test_shards_have_the_changes_of_the_stream_with_numbers_to_continue_after(engine: Engine) -> None:
    for number in range(3):
        await engine.batch_write([row("p", "a", n=number), row("p", "b", n=number)])
    whole, position = await collect(await engine.changes(OLDEST), 6)
    listed = await engine.shards()
    [shard] = listed.shards

    batch = await (await engine.open_shard(shard.id, OLDEST)).read()

    assert batch.changes == whole
    numbers = [int(change.sequence) for change in batch.changes]
    assert numbers == sorted(set(numbers))
    assert {change.shard_id for change in batch.changes} == {shard.id}
    positions = await engine.shard_positions(position)
    for after in (batch.after, positions[shard.id], NEWEST):
        assert after is not None
        assert (await (await engine.open_shard(shard.id, after)).read()).changes == []
    await engine.write(row("p", "c", n=1))
    assert [change.key.sk for change in (await (await engine.open_shard(shard.id, batch.after)).read()).changes] == [
        "c"
    ]
    assert listed.stream == (await engine.shards()).stream
