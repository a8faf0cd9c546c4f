"""Keys: literal templates, and what may stand in their places (R11), found out before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NewType

import pytest

from sobremesa.table import (
    Create,
    Entity,
    Index,
    Key,
    Keys,
    Layout,
    Pattern,
    Put,
    RawKey,
    Table,
    gsi1,
    hash_part,
    hex_part,
    unhex_part,
)
from sobremesa.table.engines.protocol import DeleteItem, Engine, PutItem, UpdateItem
from sobremesa.table.errors import BadExpression, BadKey
from sobremesa.table.keys import MAX_PK_BYTES, MAX_SK_BYTES, Template, successor
from sobremesa.table.updates import Set
from table.samples import Message, Room, Seat, messages_of, refusal, room, row, since, stored

Count = NewType("Count", int)

BAD_PARTS: dict[str, Any] = {
    "empty": "",
    "a separator": "a#b",
    "a star": "*",
    "a leading dollar": "$public",
    "a control character": "a\nb",
    "a zero byte": "a\x00",
    "delete": "a\x7f",
    "a C1 control": "a\x85b",
    "half a character": "a\ud800",
    "not in the normal form": "e\u0301",
    "nothing": None,
    "a truth": True,
    "a fraction": 1.5,
    "a number below zero": -1,
    "bytes": b"a",
    "a list": ["a"],
}


@pytest.mark.parametrize("what", BAD_PARTS)
def test_a_bad_part_is_refused_in_a_partition_key_and_in_a_sort_key(what: str) -> None:
    bad = BAD_PARTS[what]
    with pytest.raises(BadKey):
        Message.key(room_id=bad, message_id="m")
    with pytest.raises(BadKey):
        Message.key(room_id="r", message_id=bad)


@pytest.mark.parametrize(
    "part", ["a", "é", "日本", "😀", "a b", "a$", "**", "user@example.com", "a-b_c.d:e", " x", "0"]
)
def test_any_other_text_may_be_a_part(part: str) -> None:
    key = Message.key(room_id=part, message_id=part)

    assert key.raw == RawKey(f"ROOM#{part}", f"MSG#{part}")


async def test_a_row_with_a_bad_part_is_refused_before_anything_is_written(table: Table) -> None:
    for what in ("a separator", "empty", "a star", "half a character", "not in the normal form"):
        bad = BAD_PARTS[what]
        for operations in (
            [Create(Message(room_id="r", message_id=bad))],
            [Create(Room(room_id="r")), Create(Seat(room_id="r", user_id=bad))],
            [Create(Room(room_id="r")), Create(Seat(room_id="r", user_id="u", seen_at=bad))],
        ):
            assert await refusal(partial(table.write, operations=operations)) is BadKey, what
        puts = [Put(Room(room_id="r")), Put(Room(room_id=bad))]
        assert await refusal(partial(table.write_many, puts)) is BadKey, what

    assert [item async for item in table.scan()] == []


async def test_keys_of_the_longest_length_are_kept_and_longer_ones_refused(engine: Engine) -> None:
    for filling, width in (("x", 1), ("é", 2), ("😀", 4)):
        pk, sk = filling * (MAX_PK_BYTES // width), filling * (MAX_SK_BYTES // width)
        await engine.write(row(pk, sk))
        assert await stored(engine, pk, sk) == {"pk": pk, "sk": sk}

        for bad in (RawKey(pk + "x", sk), RawKey(pk, sk + "x")):
            for attempt in _attempts(engine, bad):
                assert await refusal(attempt) is BadKey


async def test_an_empty_or_foreign_key_is_refused_by_every_operation(engine: Engine) -> None:
    for bad in (RawKey("", "s"), RawKey("p", ""), RawKey("p", 7), RawKey("p\ud800", "s")):  # type: ignore[arg-type]
        for attempt in _attempts(engine, bad):
            assert await refusal(attempt) is BadKey


def _attempts(engine: Engine, key: RawKey) -> list[Callable[[], Any]]:
    put = PutItem(key, {"pk": key.pk, "sk": key.sk})
    return [
        lambda: engine.get(key, consistent=True, fields=None),
        lambda: engine.batch_get([RawKey("p", "s"), key], consistent=False),
        lambda: engine.write(put),
        lambda: engine.write(UpdateItem(key, (Set("x", 1),))),
        lambda: engine.write(DeleteItem(key)),
        lambda: engine.transact([row("p", "other"), put], None),
        lambda: engine.batch_write([row("p", "other"), put]),
    ]


async def test_an_item_must_hold_the_key_that_it_is_put_under(engine: Engine) -> None:
    for item in ({"pk": "a", "sk": "other"}, {"pk": "a"}, {"sk": "b"}, {"pk": 1, "sk": "b"}):
        assert await refusal(lambda item=item: engine.write(PutItem(RawKey("a", "b"), item))) is BadKey  # type: ignore[misc]


async def test_the_key_of_an_index_is_text_or_left_out(engine: Engine) -> None:
    values: list[Any] = [7, None, "", ["x"], b"x", True]
    for value in values:
        assert await refusal(partial(engine.write, row("a", "b", gsi1pk=value, gsi1sk="x"))) is BadKey, value
        assert await refusal(partial(engine.write, row("a", "b", gsi2sk=value))) is BadKey, value
    assert await stored(engine, "a", "b") is None


async def test_keys_of_an_index_are_no_longer_than_those_of_the_table(engine: Engine) -> None:
    await engine.write(row("a", "b", gsi1pk="x" * MAX_PK_BYTES, gsi1sk="x" * MAX_SK_BYTES))

    assert await refusal(lambda: engine.write(row("a", "c", gsi1pk="x" * (MAX_PK_BYTES + 1), gsi1sk="x"))) is BadKey
    assert await refusal(lambda: engine.write(row("a", "c", gsi1pk="x", gsi1sk="x" * (MAX_SK_BYTES + 1)))) is BadKey


def test_a_template_formats_and_parses() -> None:
    template = Template("t#{tenant}U#{user}#{inbox}")

    assert template.fields == ("tenant", "user", "inbox")
    assert template.literal_prefix == "t#"
    assert template.format({"tenant": "aU", "user": "u", "inbox": "i"}) == "t#aUU#u#i"
    assert template.parse("t#aUU#u#i") == {"tenant": "aU", "user": "u", "inbox": "i"}


@pytest.mark.parametrize("text", ["t#aG#$public#i", "t#a", "t#aU#u#i#more", "t#aU##i", "", "x#aU#u#i"])
def test_a_template_does_not_parse_the_key_of_another(text: str) -> None:
    assert Template("t#{tenant}U#{user}#{inbox}").parse(text) is None


def test_a_sign_of_per_cent_in_a_key_is_one_like_any_other() -> None:
    template = Template("100%#%s#{share}%")

    key = template.format({"share": "%d"})

    assert key == "100%#%s#%d%"
    assert template.parse(key) == {"share": "%d"}


def test_a_number_in_a_key_is_padded_so_that_it_sorts() -> None:
    template = Template("CHUNK#{n:05}")

    assert template.format({"n": 12}) == "CHUNK#00012"
    assert template.parse("CHUNK#00012") == {"n": "00012"}
    with pytest.raises(BadKey, match="more than 5 digits"):
        template.format({"n": 123456})


@pytest.mark.parametrize(
    "text", ["A#{a}{b}", "A#{a}-{b}", "A#{a}#{a}", "A#{}", "A#{a.b}", "A#{a!r}", "A#{a:x}", "A#{a", "A#a}", "A#{0}"]
)
def test_a_template_that_could_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(BadKey):
        Template(text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Message.key(rom_id="r", message_id="m", body="x"),
            "the key of Message takes room_id, message_id; rom_id is not one of them (did you mean room_id?), "
            "body is not one of them, room_id is missing",
        ),
        (
            lambda: Message.key(room_id=None),
            "the key of Message takes room_id, message_id; message_id is missing, room_id is None",
        ),
        (lambda: room(room="r"), "room is not one of them (did you mean room_id?), room_id is missing"),
        (
            lambda: since(room_id="r", mesage_id="m"),
            "pattern T6 takes room_id, message_id; mesage_id is not one of them (did you mean message_id?), "
            "message_id is missing",
        ),
        (lambda: since(room_id="r", message_id=None), "message_id is None"),
        (lambda: messages_of(room_id="r", user_id="u"), "pattern T1 takes room_id; user_id is not one of them"),
    ],
)
def test_one_error_names_every_wrong_part_and_the_right_ones(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadKey) as refused:
        call()

    assert message in str(refused.value)


class Step(Entity):
    """A row with numbers in its keys."""

    keys = Keys(pk="RUN#{run}", sk="STEP#{number:010}")
    by_stage = Index(gsi1, pk="STAGE#{stage}", sk="{number:010}#{run}")

    run: str
    number: Count
    stage: Count | None = None


all_steps = Pattern("N1", "What are the steps?", Step)
steps_between = Pattern("N2", "Which steps?", Step, between=("STEP#{number:010}", "STEP#{until:010}"))
steps_from = Pattern("N3", "Which steps follow?", Step, between=("STEP#{number:010}", "STEP$"))
one_step = Pattern("N4", "Which step?", Step, prefix="STEP#{number:010}")
steps_of_stage = Pattern("N5", "Which steps are in this stage?", Step, index="by_stage")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Step.key(run="r", number="7"), "number has the type str; this part of the key is an integer"),
        (lambda: Step.key(run=7, number=7), "run has the type int; this part of the key is text"),
        (lambda: Step.key(run="r", number=7.0), "number has the type float"),
        (lambda: steps_between(run="r", number=1, until="9"), "until has the type str"),
        (lambda: steps_of_stage(stage="3"), "stage has the type str"),
        (lambda: Step(run="r", number=1, stage="3").to_item(Layout()), "stage has the type str"),  # type: ignore[arg-type]
        (lambda: Step.key(run="r", number=-1), "must not be negative"),
        (lambda: steps_from(run="r", number=10**10), "number has more than 10 digits"),
        (lambda: one_step(run="r", number=10**5000), "number has more than 10 digits"),
    ],
)
def test_a_part_of_the_wrong_type_or_out_of_range_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadKey) as refused:
        call()

    assert message in str(refused.value)


async def test_padded_numbers_sort_as_numbers_and_are_read_back(table: Table) -> None:
    numbers = [0, 2, 9, 10, 99, 100, 9_999_999_999]
    rows = [Step(run="r", number=Count(number), stage=Count(1)) for number in numbers]
    await table.write_many(Put(step) for step in reversed(rows))

    assert (await table.query(all_steps(run="r"))).items == rows
    assert (await table.query(steps_of_stage(stage=1))).items == rows
    assert (await table.query(steps_between(run="r", number=9, until=99))).items == rows[2:5]
    assert (await table.query(steps_from(run="r", number=11))).items == rows[4:]
    assert (await table.query(one_step(run="r", number=10))).items == [rows[3]]
    assert Step.from_item({"pk": "RUN#r", "sk": "STEP#0000000042"}, Layout()) == Step(run="r", number=Count(42))


@pytest.mark.parametrize("prefix", ["STEP#{number}", "STEP#{number:05}", "STEP#{other}"])
def test_a_pattern_pads_a_number_as_the_key_does(prefix: str) -> None:
    with pytest.raises(BadExpression, match=r"as many digits as in STEP#\{number:010\}"):
        Pattern("N", "?", Step, prefix=prefix)


def test_a_padded_part_is_parsed_only_with_all_its_digits() -> None:
    template = Template("STEP#{number:05}")

    assert [template.parse(key) for key in ("STEP#7", "STEP#000007", "STEP#0000x")] == [None, None, None]


def test_keys_are_equal_by_what_they_name() -> None:
    key: Key[Message] = Message.key(room_id="r", message_id="m")

    assert key == Message(room_id="r", message_id="m", body="x").own_key()
    assert len({key, Message.key(room_id="r", message_id="m"), Message.key(room_id="r", message_id="n")}) == 2


def test_foreign_text_becomes_a_part_by_hex_or_hash() -> None:
    for text in ("#️⃣", "a#b", "", "*", "\x00"):
        part = hex_part(text)
        assert unhex_part(part) == text
        assert set(part) <= set("0123456789abcdef")
    assert hash_part("issuer", "subject") != hash_part("issuers", "ubject")
    assert hash_part("a") == hash_part("a")
    assert "#" not in hash_part("a#b")


@pytest.mark.parametrize(
    ("prefix", "following"),
    [("MSG#", "MSG$"), ("a", "b"), ("a\U0010ffff", "b"), ("\ud7ff", "\ue000"), ("\U0010ffff", None), ("", None)],
)
def test_the_successor_of_a_prefix_is_the_first_text_after_all_that_begin_with_it(
    prefix: str, following: str | None
) -> None:
    assert successor(prefix) == following


async def test_keys_sort_by_their_utf8_bytes(engine: Engine) -> None:
    from sobremesa.table.engines.protocol import QueryRequest

    keys = ["0", "A", "a", "~", "Ü", "ß", "é", "\ufffd", "\U00010000", "😀", "a\U0010ffff", "aa", "a ", "~~"]
    for sk in keys:
        await engine.write(row("order", sk, gsi1pk="order", gsi1sk=sk))
    expected = sorted(keys, key=str.encode)

    page = await engine.query(QueryRequest(pk="order"))
    assert [item["sk"] for item in page.items] == expected
    page = await engine.query(QueryRequest(pk="order", backward=True))
    assert [item["sk"] for item in page.items] == expected[::-1]
    page = await engine.query(QueryRequest(pk="order", index=next(iter(engine.layout.indexes))))
    assert [item["sk"] for item in page.items] == expected


def test_template_with_an_unknown_field_fails_when_the_class_is_created() -> None:
    with pytest.raises(BadKey, match="user_id"):

        class Wrong(Entity):
            keys = Keys(pk="ROOM#{room_id}", sk="SEAT#{user_id}")

            room_id: str
