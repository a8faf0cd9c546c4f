"""Getting rows by their keys: one, many, and all of them."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from sobremesa.core.clock import SetClock
from sobremesa.table import Create, Put, RawKey, Table, equals, present
from sobremesa.table.engines.protocol import MAX_BATCH_GET, MAX_BATCH_GET_BYTES, Engine, ScanRequest
from sobremesa.table.errors import BadExpression, TooLarge
from sobremesa.table.values import Item
from table.engines import Store, embedded
from table.samples import Message, Room, messages_of, post, refusal, room, row, sized, stored


@pytest.mark.parametrize("consistent", [True, False])
async def test_a_row_that_was_written_is_found(table: Table, consistent: bool) -> None:
    message = await table.write(Create(Message(room_id="r", message_id="m", body="hé 😀")))

    assert await table.get(Message.key(room_id="r", message_id="m"), consistent=consistent) == message
    assert await table.get(Message.key(room_id="r", message_id="n"), consistent=consistent) is None
    assert await table.get(room(room_id="r"), consistent=consistent) is None


async def test_values_of_every_kind_come_back_exactly(engine: Engine, store: Store) -> None:
    values: Item = {
        "text": "é 😀 \u0000 \n",
        "empty": "",
        "int": 12345678901234567890123456789012345678,
        "negative": -7,
        "zero": 0,
        "float": 0.1,
        "small": 1e-130,
        "large": 99 * 10**124,
        "exact": Decimal("1.2345678901234567890123456789012345678"),
        "yes": True,
        "no": False,
        "null": None,
        "bytes": bytes(range(256)),
        "no bytes": b"",
        "list": [1, "a", None, [], {}, [True, b"x", {"a": frozenset({1})}]],
        "map": {"a": {"b": {"c": 0.5}}},
        "texts": frozenset({"", "a", "é"}),
        "numbers": frozenset({1, 2.5, Decimal("3.00000000000000000001"), -4}),
        "blobs": frozenset({b"", b"\xff"}),
        "reserved": "name",
        "name": "reserved",
        "a.b[0]": "dots are part of a name",
    }
    await engine.write(row("values", "item", **values))

    found = await stored(engine, "values", "item")

    assert found == {"pk": "values", "sk": "item", **values}
    assert {name: type(found[name]) for name in values} == {name: type(value) for name, value in values.items()}


async def test_numbers_come_back_in_one_form_whatever_was_written(engine: Engine) -> None:
    written = {"a": 1.0, "b": Decimal("1.50"), "c": Decimal("1E+2"), "d": -0.0, "e": [2.0], "f": frozenset({3.0})}
    await engine.write(row("numbers", "item", **written))

    found = await stored(engine, "numbers", "item")

    assert found is not None
    assert repr([found[name] for name in "abcdef"]) == "[1, 1.5, 100, 0, [2], frozenset({3})]"


async def test_some_fields_of_an_item_can_be_requested(engine: Engine) -> None:
    await engine.write(row("fields", "item", a=1, b={"c": 2}, name="reserved"))
    key = RawKey("fields", "item")

    assert (await engine.get(key, consistent=True, fields=("name", "b", "gone"))).item == {
        "name": "reserved",
        "b": {"c": 2},
    }
    assert (await engine.get(key, consistent=True, fields=("gone",))).item == {}
    assert (await engine.get(RawKey("fields", "none"), consistent=True, fields=("a",))).item is None
    for fields in ((), ("a", "a"), ("",)):
        assert (
            await refusal(
                lambda fields=fields: engine.get(  # type: ignore[misc]
                    key, consistent=True, fields=fields
                )
            )
            is BadExpression
        )


async def test_many_rows_come_in_the_order_of_their_keys_however_many_and_however_often(table: Table) -> None:
    messages = [Message(room_id="r", message_id=f"{number:03d}", likes=number) for number in range(230)]
    await table.write_many(Put(message) for message in messages)
    keys = [message.own_key() for message in reversed(messages)]
    keys[5:5] = [Message.key(room_id="r", message_id="gone"), keys[0], keys[200]]

    found = await table.get_many(keys, consistent=True)

    by_id = {message.message_id: message for message in messages}
    assert found == [by_id.get(str(key.parts["message_id"])) for key in keys]
    assert len(found) == 233
    assert await table.get_many([]) == []


async def test_many_rows_of_several_kinds_come_each_as_their_own(table: Table) -> None:
    message, head = Message(room_id="r", message_id="m"), Room(room_id="r", name="n")
    await table.write(message=Create(message), head=Create(head))

    assert await table.get_many([head.own_key(), message.own_key()]) == [head, message]


async def test_more_than_sixteen_megabytes_come_in_several_rounds(table: Table) -> None:
    count = MAX_BATCH_GET_BYTES // 390_000 + 2
    messages = [Message(room_id="r", message_id=f"{number:02d}", body="x" * 390_000) for number in range(count)]
    for message in messages:
        await table.write(Put(message))

    assert await table.get_many([message.own_key() for message in messages]) == messages


async def test_a_batch_of_reads_has_one_to_a_hundred_different_keys(engine: Engine) -> None:
    keys = [RawKey("p", str(number)) for number in range(MAX_BATCH_GET + 1)]

    assert (await engine.batch_get(keys[1:], consistent=True)).items == {}
    assert await refusal(lambda: engine.batch_get(keys, consistent=True)) is TooLarge
    assert await refusal(lambda: engine.batch_get([], consistent=True)) is BadExpression
    assert await refusal(lambda: engine.batch_get([keys[0], keys[0]], consistent=True)) is BadExpression


@pytest.mark.parametrize("segments", [1, 2, 7])
async def test_a_scan_finds_every_row_once_however_many_read_side_by_side(table: Table, segments: int) -> None:
    for number in range(12):
        await post(table, f"r{number}", 3, body="x" * 100)

    found = [(item["pk"], item["sk"]) async for item in table.scan(segments=segments)]

    assert len(found) == 36
    assert len(set(found)) == 36


async def test_a_scan_reads_on_after_a_megabyte(table: Table) -> None:
    for number in range(7):
        await table.engine.write(sized(f"p{number}", "s", 300_000))

    assert len([item async for item in table.scan()]) == 7
    assert len([item async for item in table.scan(segments=3)]) == 7


async def test_a_scan_can_be_filtered_and_stopped(table: Table) -> None:
    await post(table, "r", 30)
    await table.engine.write(row("other", "x", likes=7))

    assert [item["pk"] async for item in table.scan(where=equals("likes", 7))] == ["other"]
    async for _ in table.scan(segments=4, where=present("likes")):
        break


async def test_scan_continues_page_by_page(engine: Engine) -> None:
    for number in range(5):
        await engine.write(row(f"p{number}", "s"))

    seen, start, pages = [], None, 0
    while True:
        page = await engine.scan(ScanRequest(limit=2, start=start, consistent=True))
        seen += [item["pk"] for item in page.items]
        pages += 1
        if page.last is None:
            break
        assert isinstance(page.last, RawKey)
        start = page.last

    assert sorted(seen) == [f"p{number}" for number in range(5)]
    assert pages == 3


async def test_a_scan_that_makes_no_sense_is_refused(engine: Engine) -> None:
    requests: list[dict[str, Any]] = [{"limit": 0}, {"segments": 0}, {"segment": 2, "segments": 2}, {"segment": -1}]
    for request in requests:
        assert await refusal(partial(engine.scan, ScanRequest(**request))) is BadExpression, request


@pytest.mark.parametrize(
    ("read", "hint"),
    [
        (lambda table: table.get(messages_of(room_id="r")), "use query"),
        (lambda table: table.get(messages_of), "T1 .* was not called"),
        (lambda table: table.get_many([messages_of(room_id="r")]), "use query"),
        (lambda table: table.query(Room.key(room_id="r")), "use get"),
        (lambda table: table.query(messages_of), "was not called"),
        (lambda table: table.get("ROOM#r"), "not str"),
    ],
)
async def test_error_explains_a_question_given_in_place_of_a_key(read: Any, hint: str) -> None:
    async with embedded(None, SetClock()) as engine:
        with pytest.raises(BadExpression, match=hint):
            await read(Table(engine))
