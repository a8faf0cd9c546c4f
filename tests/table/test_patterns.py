"""Access patterns: named, checked when they are declared, and typed when they are asked."""

from __future__ import annotations

import types
from typing import assert_type

import pytest

from sobremesa.table import (
    Entity,
    Index,
    Keys,
    Lookup,
    Page,
    Pattern,
    PatternGroup,
    Registry,
    Table,
    WritePattern,
    gsi1,
)
from sobremesa.table.engines.protocol import SortBetween, SortEquals, SortPrefix
from sobremesa.table.errors import BadExpression, BadKey, BadRow
from table.samples import (
    Message,
    Room,
    Seat,
    everything_of,
    messages_of,
    newest_of,
    post,
    room,
    rooms_of,
    row,
    seats_of,
    since,
)


def test_a_question_fills_in_its_key() -> None:
    assert (messages_of(room_id="r").pk, messages_of(room_id="r").sort) == ("ROOM#r", SortPrefix("MSG#"))
    assert rooms_of(user_id="u").pk == "USER#u"
    assert since(room_id="r", message_id="m1").sort == SortBetween("MSG#m1", "MSG$")
    exact = Pattern("E", "?", Seat, index="by_user", exactly="ROOM#{room_id}")
    assert exact(user_id="u", room_id="r").sort == SortEquals("ROOM#r")


def test_pattern_describes_its_parts_and_its_condition() -> None:
    assert messages_of.fields == ("room_id",)
    assert since.fields == ("room_id", "message_id")
    assert rooms_of.index_name == gsi1
    assert since.condition == "from MSG#{message_id} to MSG$"
    assert messages_of.condition == "begins with MSG#"


@pytest.mark.parametrize(
    "parts", [{}, {"room_id": ""}, {"room_id": "a#b"}, {"room_id": "r", "user_id": "u"}, {"room_id": "x" * 3000}]
)
def test_a_question_with_missing_bad_or_unknown_parts_is_refused(parts: dict[str, str]) -> None:
    with pytest.raises(BadKey):
        messages_of(**parts)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        pytest.param({"prefix": "SEAT#"}, "another entity's prefix", id="foreign prefix"),
        pytest.param({"prefix": "msg#"}, "case matters", id="other case"),
        pytest.param({"prefix": "M"}, "leaks MEMBER#", id="half a prefix"),
        pytest.param({"prefix": "MSG"}, "leaks MSGX#", id="prefix without its separator"),
        pytest.param({"exactly": "META"}, "no message is there", id="foreign exact key"),
        pytest.param({"between": ("MSG#", "Z")}, "leaks everything up to Z", id="open upper bound"),
        pytest.param({"between": ("MSG#", "MT")}, "leaks MSH", id="wide upper bound"),
        pytest.param({"between": ("A", "MSG$")}, "leaks from below", id="open lower bound"),
        pytest.param({"prefix": "MSG#", "exactly": "MSG#x"}, "two conditions", id="two conditions"),
        pytest.param({"index": "by_user"}, "no such index", id="unknown index"),
    ],
)
def test_a_pattern_that_would_find_other_rows_is_refused_when_it_is_declared(
    arguments: dict[str, str], why: str
) -> None:
    with pytest.raises(BadExpression):
        Pattern("X", why, Message, **arguments)  # type: ignore[call-overload]


def test_a_range_may_be_closed_by_the_successor_or_by_a_key_of_the_entity() -> None:
    Pattern("X1", "?", Message, between=("MSG#{message_id}", "MSG$"))
    Pattern("X2", "?", Message, between=("MSG#{message_id}", "MSG#{until}"))
    Pattern("X3", "?", Message, between=("MSG#", "MSG$"))


def test_a_pattern_over_several_entities_needs_one_partition() -> None:
    class Elsewhere(Entity):
        keys = Keys(pk="ELSE#{room_id}", sk="MSG#{x}")

        room_id: str
        x: str

    with pytest.raises(BadExpression, match="another partition"):
        Pattern[Entity]("X", "?", Message, Elsewhere, prefix="MSG#")
    with pytest.raises(BadExpression):
        Pattern[Entity]("X", "no entity's")


def test_two_patterns_of_one_name_are_refused() -> None:
    with pytest.raises(BadExpression, match="T1"):
        Registry(patterns=[messages_of, Lookup("T1", "again", Room)])


def test_a_registry_gathers_what_modules_declare() -> None:
    module = types.ModuleType("declared")
    write = WritePattern("W1", "Send a message", Message)
    vars(module).update(Entity=Entity, Message=Message, Room=Room, messages=messages_of, again=messages_of, w=write)

    registry = Registry.of(module)

    assert registry.entities == (Message, Room)
    assert registry.patterns == {"T1": messages_of, "W1": write}


def test_a_registry_gathers_the_patterns_of_a_group() -> None:
    class Posts(PatternGroup, frozen=True):
        id: str

        def patterns(self) -> list[Lookup[Message]]:
            return [Lookup(self.id, "What is this message?", Message)]

    module = types.ModuleType("declared")
    vars(module).update(Posts=Posts, first=Posts(id="P1"), second=Posts(id="P2"))

    assert list(Registry.of(module).patterns) == ["P1", "P2"]


async def test_asking_is_typed_by_the_entity_of_the_pattern(table: Table) -> None:
    messages = await post(table, "r", 2)

    page = await table.query(messages_of(room_id="r"))
    found = await table.get(room(room_id="r"))

    assert_type(page, Page[Message])
    assert_type(page.items, list[Message])
    assert_type(found, Room | None)
    assert page.items == messages
    assert found is None


async def test_a_pattern_does_not_find_rows_of_another_prefix(table: Table) -> None:
    await post(table, "r", 3)
    for sk in ("MSF", "MSG", "MSG$x", "MSGX#1", "PARTICIPANT#u", "THR"):
        await table.engine.write(row("ROOM#r", sk, entityType="Foreign"))

    assert len((await table.query(messages_of(room_id="r"))).items) == 3
    assert [m.message_id for m in (await table.query(newest_of(room_id="r"))).items] == ["m02", "m01", "m00"]
    assert (await table.count(messages_of(room_id="r"))).count == 3
    assert [m.message_id for m in (await table.query(since(room_id="r", message_id="m01"))).items] == ["m01", "m02"]


async def test_pattern_of_several_entities_returns_each_row_as_its_entity(table: Table) -> None:
    from sobremesa.table import Put

    seat, head = Seat(room_id="r", user_id="u"), Room(room_id="r", name="n")
    await table.write_many([Put(seat), Put(head), Put(Message(room_id="r", message_id="m"))])

    page = await table.query(everything_of(room_id="r"))

    assert page.items == [head, Message(room_id="r", message_id="m"), seat]
    assert (await table.query(seats_of(room_id="r"))).items == [seat]


async def test_error_of_an_invalid_row_names_its_key(table: Table) -> None:
    await table.engine.write(row("ROOM#r", "MSG#bad", likes="many"))

    await post(table, "r", 1)

    page = await table.query(messages_of(room_id="r"))

    assert len(page.items) == 1
    assert [error.key.sk for error in page.unreadable] == ["MSG#bad"]
    with pytest.raises(BadRow, match="MSG#bad"):
        _ = [message async for message in table.every(messages_of(room_id="r"))]


async def test_what_a_pattern_used_is_added_up_under_its_name(table: Table) -> None:
    await post(table, "r", 2)
    await table.query(messages_of(room_id="r"))
    await table.query(messages_of(room_id="r"))
    await table.get(room(room_id="r"))

    assert table.meter.totals()["T1"].calls == 2
    assert table.meter.totals()["T0"].calls == 1


def test_an_index_pattern_is_checked_against_the_keys_of_that_index() -> None:
    class Card(Entity):
        keys = Keys(pk="A#{a}", sk="CARD#{a}")
        by_b = Index(gsi1, pk="B#{a}", sk="X#{a}")

        a: str

    Pattern("I1", "?", Card, index="by_b", prefix="X#")
    with pytest.raises(BadExpression):
        Pattern("I2", "?", Card, index="by_b", prefix="CARD#")
