"""Writing one row, and writing many."""

from __future__ import annotations

import pytest

from sobremesa.table import (
    Check,
    Create,
    Delete,
    Put,
    RawKey,
    Table,
    Update,
    add,
    always,
    equals,
    less_if_present,
    present,
    set_to,
)
from sobremesa.table.engines.protocol import DeleteItem, Engine, PutItem, UpdateItem
from sobremesa.table.errors import BadExpression, BadValue, ConditionFailed, TooLarge
from sobremesa.table.updates import Set
from sobremesa.table.values import MAX_ITEM_BYTES
from table import gaps
from table.engines import Store
from table.samples import Account, Message, Room, post, refusal, row, sized, stored

ROOM = Room.key(room_id="r")


async def test_a_create_succeeds_once(table: Table) -> None:
    created = await table.write(Create(Room(room_id="r", name="first")))
    assert created == Room(room_id="r", name="first")

    with pytest.raises(ConditionFailed) as failed:
        await table.write(Create(Room(room_id="r", name="second")))

    (failure,) = failed.value.failures
    assert (failure.index, failure.key) == (0, ROOM.raw)
    assert failure.item is not None
    assert failure.item["name"] == "first"
    assert await table.get(ROOM) == created


async def test_a_put_replaces_the_whole_row(table: Table) -> None:
    await table.write(Put(Room(room_id="r", name="first", messages=3)))
    await table.write(Put(Room(room_id="r")))

    assert await table.get(ROOM) == Room(room_id="r")


async def test_an_update_or_delete_of_nothing_fails_and_leaves_no_ghost(table: Table) -> None:
    for operation in (Update(ROOM, set_to(name="x")), Delete(ROOM)):
        with pytest.raises(ConditionFailed) as failed:
            await table.write(operation)
        assert failed.value.failures[0].item is None

    assert await stored(table.engine, *ROOM.raw) is None


async def test_an_update_gives_the_row_after_it_and_a_delete_the_row_before_it(table: Table) -> None:
    await table.write(Create(Room(room_id="r", messages=1)))

    assert await table.write(Update(ROOM, add(messages=2), set_to(name="n"))) == Room(room_id="r", name="n", messages=3)
    assert await table.write(Delete(ROOM)) == Room(room_id="r", name="n", messages=3)
    assert await table.get(ROOM) is None


async def test_the_engine_gives_an_update_the_new_item_and_a_put_or_delete_the_old_one(engine: Engine) -> None:
    key = RawKey("p", "s")

    assert (await engine.write(row("p", "s", a=1))).item is None
    assert (await engine.write(row("p", "s", a=2))).item == {"pk": "p", "sk": "s", "a": 1}
    assert (await engine.write(UpdateItem(key, (Set("a", 3),)))).item == {"pk": "p", "sk": "s", "a": 3}
    assert (await engine.write(DeleteItem(key))).item == {"pk": "p", "sk": "s", "a": 3}
    assert (await engine.write(DeleteItem(key))).item is None


async def test_update_with_always_creates_a_complete_row(table: Table) -> None:
    created = await table.write(Update(ROOM, add(messages=1), when=always()))

    assert created == Room(room_id="r", messages=1)
    assert await stored(table.engine, *ROOM.raw) == {
        "pk": "ROOM#r", "sk": "#METADATA", "entityType": "Room", "roomId": "r", "messages": 1,
    }  # fmt: skip
    assert await table.write(Update(ROOM, add(messages=1), when=always())) == Room(room_id="r", messages=2)


async def test_a_delete_with_always_may_find_nothing(table: Table) -> None:
    assert await table.write(Delete(ROOM, when=always())) is None


async def test_a_cursor_moves_forward_only(table: Table) -> None:
    await table.write(Create(Room(room_id="r")))

    for message_id in ("m2", "m5"):
        await table.write(
            Update(ROOM, set_to(last_message_id=message_id), when=less_if_present("last_message_id", message_id))
        )
    for message_id in ("m5", "m1"):
        with pytest.raises(ConditionFailed):
            await table.write(
                Update(ROOM, set_to(last_message_id=message_id), when=less_if_present("last_message_id", message_id))
            )

    found = await table.get(ROOM)
    assert found is not None
    assert found.last_message_id == "m5"


async def test_an_update_may_not_touch_the_key(table: Table) -> None:
    await table.write(Create(Room(room_id="r")))

    with pytest.raises(BadExpression, match="room_id"):
        await table.write(Update(ROOM, set_to(room_id="s")))
    with pytest.raises(BadExpression):
        await table.write(Update(ROOM))


async def test_single_check_changes_nothing_and_fails_like_other_operations(table: Table) -> None:
    await table.write(Create(Account(account_id="a", balance=5)))
    key = Account.key(account_id="a")

    await table.write(Check(key, when=equals("balance", 5)))
    with pytest.raises(ConditionFailed) as failed:
        await table.write(Check(key, when=equals("balance", 6)))

    assert failed.value.failures[0].item is not None
    with pytest.raises(BadExpression):
        await table.write(Check(key, when=always()))


async def test_an_item_of_400_kilobytes_is_kept_and_one_byte_more_is_refused(engine: Engine, store: Store) -> None:
    largest = sized("p", "largest", 405_000 if gaps.has(store, "item-limit") else MAX_ITEM_BYTES)
    await engine.write(largest)
    assert await stored(engine, "p", "largest") == largest.item

    larger = sized("p", "larger", MAX_ITEM_BYTES + 1)
    for attempt in (
        lambda: engine.write(larger),
        lambda: engine.transact([row("p", "beside"), larger], None),
        lambda: engine.batch_write([row("p", "beside"), larger]),
    ):
        with pytest.raises(TooLarge) as refused:
            await attempt()
        assert refused.value.limit == MAX_ITEM_BYTES
    assert await stored(engine, "p", "larger") is None
    assert await stored(engine, "p", "beside") is None


async def test_an_update_beyond_400_kilobytes_is_refused_and_changes_nothing(engine: Engine) -> None:
    before = sized("p", "s", MAX_ITEM_BYTES - 10_000)
    await engine.write(before)
    grow = UpdateItem(RawKey("p", "s"), (Set("more", "x" * 10_500),))

    assert await refusal(lambda: engine.write(grow)) is TooLarge
    together = await refusal(lambda: engine.transact([row("p", "beside"), grow], None))

    assert together is TooLarge
    assert await stored(engine, "p", "s") == before.item
    assert await stored(engine, "p", "beside") is None


async def test_a_value_that_no_table_holds_is_refused_and_nothing_is_written(engine: Engine) -> None:
    deep: object = 1
    for _ in range(32):
        deep = [deep]
    for value in (float("nan"), float("inf"), 10**126, 10**38 + 1, set(), {1, "a"}, object(), {1: 2}, deep, "\ud800"):
        assert await refusal(lambda value=value: engine.write(row("p", "s", x=value))) is BadValue, value  # type: ignore[misc]
        assert await refusal(lambda value=value: engine.batch_write([row("p", "s", x=value)])) is BadValue  # type: ignore[misc]

    assert await stored(engine, "p", "s") is None


async def test_an_attribute_without_a_name_is_refused(engine: Engine) -> None:
    assert await refusal(lambda: engine.write(PutItem(RawKey("p", "s"), {"pk": "p", "sk": "s", "": 1}))) is BadValue


async def test_a_map_with_an_empty_key_is_refused_at_every_depth(engine: Engine) -> None:
    for value in ({"": 1}, {"a": [{"": 1}]}):
        put = row("p", "s", x=value)
        update = UpdateItem(RawKey("p", "s"), (Set("x", value),))
        assert await refusal(lambda put=put: engine.write(put)) is BadValue  # type: ignore[misc]
        assert await refusal(lambda update=update: engine.write(update)) is BadValue  # type: ignore[misc]

    assert await stored(engine, "p", "s") is None


async def test_a_value_nested_31_levels_is_kept(engine: Engine) -> None:
    deep: object = 1
    for level in range(31):
        deep = [deep] if level % 2 else {"x": deep}
    await engine.write(row("p", "s", x=deep))

    found = await stored(engine, "p", "s")
    assert found is not None
    assert found["x"] == deep


async def test_many_rows_are_written_whatever_their_number_and_the_last_of_equal_keys_wins(table: Table) -> None:
    operations: list[Put[Message] | Delete[Message]] = [
        Put(Message(room_id="r", message_id=f"{number % 40:02d}", likes=number)) for number in range(90)
    ]
    operations.append(Delete(Message.key(room_id="r", message_id="00")))
    operations.append(Delete(Message.key(room_id="r", message_id="never there")))

    assert await table.write_many(operations) == 92

    from table.samples import messages_of

    found = {m.message_id: m.likes async for m in table.every(messages_of(room_id="r"))}
    assert found == {f"{number % 40:02d}": number for number in range(90) if number % 40}
    assert await table.write_many([]) == 0


async def test_bulk_writes_take_no_conditions(table: Table) -> None:
    await post(table, "r", 1)
    key = Message.key(room_id="r", message_id="m00")

    for operation in (
        Create(Message(room_id="r", message_id="m00", body="again")),
        Put(Message(room_id="r", message_id="m00", body="again"), when=present()),
        Delete(key, when=equals("body", "something else")),
    ):
        with pytest.raises(BadExpression):
            await table.write_many([operation])

    assert await table.get(key) == Message(room_id="r", message_id="m00")


async def test_a_batch_of_writes_has_one_to_25_different_items_without_conditions(engine: Engine) -> None:
    rows = [row("p", str(number)) for number in range(26)]

    assert (await engine.batch_write(rows[1:])).unprocessed == []
    assert await refusal(lambda: engine.batch_write(rows)) is TooLarge
    assert await refusal(lambda: engine.batch_write([])) is BadExpression
    assert await refusal(lambda: engine.batch_write([rows[0], DeleteItem(rows[0].key)])) is BadExpression
    conditional = PutItem(rows[0].key, rows[0].item, present())
    assert await refusal(lambda: engine.batch_write([conditional])) is BadExpression
    assert await stored(engine, "p", "0") is None
