"""Values on their way to DynamoDB and back: the same value of the same kind, whatever it is."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec
import pytest
from boto3.dynamodb import types as boto3_types  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamodb.rows import KEY, put
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.errors import BadValue
from sobremesa.table.typed_items import dump_item, dump_value, load_item, load_value
from sobremesa.table.values import Item, Value, stored_value, weigh

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
blobs = st.binary(max_size=12)


def _shifted(number: int, exponent: int) -> Decimal:
    return Decimal(number).scaleb(exponent)


integers = st.integers() | st.integers(-(10**38) + 1, 10**38 - 1)
floats = st.floats(min_value=1e-120, max_value=1e120) | st.floats(min_value=-1e120, max_value=-1e-120) | st.just(0.0)
decimals = st.builds(_shifted, st.integers(-(10**28) + 1, 10**28 - 1), st.integers(-120, 90)) | st.builds(
    lambda digits, places: Decimal(f"{digits[:-places]}.{digits[-places:]}"),
    st.text("0123456789", min_size=38, max_size=38),
    st.integers(1, 37),
)
numbers = integers.filter(lambda number: abs(number) < 10**38) | floats | decimals
sets = st.one_of(
    st.frozensets(texts, min_size=1, max_size=4),
    st.frozensets(blobs, min_size=1, max_size=4),
    st.frozensets(numbers, min_size=1, max_size=4),
)
scalars = st.none() | st.booleans() | numbers | texts | blobs | sets
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts.filter(bool), inner, max_size=4),
    max_leaves=12,
)
items = st.dictionaries(texts.filter(bool), values, max_size=6)


def over_the_wire(typed: Any) -> Any:
    """What is sent, as it is read on the other side."""
    return msgspec.json.decode(msgspec.json.encode(typed))


def kinds(value: Value) -> Any:
    """The value with the exact type of every part of it beside, so that 1, 1.0 and True differ."""
    match value:
        case dict():
            return {name: kinds(part) for name, part in value.items()}
        case list():
            return [kinds(part) for part in value]
        case frozenset():
            return frozenset((type(part), part) for part in value)
        case _:
            return type(value), value


@settings(max_examples=60)
@given(items)
def test_every_item_comes_back_the_same(item: Item) -> None:
    kept, _ = weigh(item)

    assert kinds(load_item(over_the_wire(dump_item(kept)))) == kinds(kept)


@given(values)
def test_every_operand_comes_back_the_same(value: Value) -> None:
    kept = stored_value(value)

    assert kinds(load_value(over_the_wire(dump_value(kept)))) == kinds(kept)


@given(integers.filter(lambda number: abs(number) < 10**38))
def test_an_integer_stays_an_integer(number: int) -> None:
    assert kinds(load_value(over_the_wire(dump_value(stored_value(number))))) == (int, number)


@given(floats)
def test_a_float_stays_exact(number: float) -> None:
    came_back = load_value(over_the_wire(dump_value(stored_value(number))))

    assert float(came_back) == number
    assert type(came_back) is (int if number.is_integer() else float)


@given(decimals)
def test_a_decimal_keeps_all_its_digits(number: Decimal) -> None:
    came_back = load_value(over_the_wire(dump_value(stored_value(number))))

    assert Decimal(repr(came_back) if isinstance(came_back, float) else came_back) == number


class Boto3(boto3_types.TypeDeserializer):  # type: ignore[misc]
    """AWS's own reader for Python, without its limit of 38 digits that counts zeros at the end, too."""

    def _deserialize_n(self, value: str) -> Decimal:
        return Decimal(value)


def _read_by_boto3(typed: Any) -> Any:
    """The value as AWS's own client for Python reads what we sent: all numbers are decimals there."""

    def decoded(kind: str, value: Any) -> Any:
        match kind:
            case "B":
                return load_value({"B": value})
            case "BS":
                return list(load_value({"BS": value}))
            case "L":
                return [wrapped(part) for part in value]
            case "M":
                return {name: wrapped(part) for name, part in value.items()}
            case _:
                return value

    def wrapped(part: Any) -> Any:
        ((kind, value),) = part.items()
        return {kind: decoded(kind, value)}

    return Boto3().deserialize(wrapped(typed))


def _as_boto3(value: Value) -> Any:
    match value:
        case bool() | None | str():
            return value
        case int() | float() | Decimal():
            return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        case bytes():
            return boto3_types.Binary(value)
        case list():
            return [_as_boto3(part) for part in value]
        case dict():
            return {name: _as_boto3(part) for name, part in value.items()}
        case _:
            return {_as_boto3(part) for part in value}


@given(values)
def test_what_we_send_is_read_the_same_by_boto3(value: Value) -> None:
    kept = stored_value(value)

    assert _read_by_boto3(over_the_wire(dump_value(kept))) == _as_boto3(kept)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(item=st.dictionaries(st.sampled_from(["a", "b", "c", "name", "size"]), values, max_size=5))
async def test_every_item_comes_back_the_same_from_a_server(item: Item, stored: DynamoEngine) -> None:
    await stored.write(put(**item))
    found = await stored.get(KEY, consistent=True, fields=None)

    kept, _ = weigh(item)
    assert kinds(found.item) == kinds({"pk": "p", "sk": "s", **kept})


NUMBERS: list[tuple[int | float | Decimal, str]] = [
    (0, "0"),
    (-0.0, "0"),
    (-12, "-12"),
    (10**37, "1" + "0" * 37),
    (1.0, "1"),
    (0.1, "0.1"),
    (-2.5, "-2.5"),
    (1e22, "1" + "0" * 22),
    (1e-7, "0.0000001"),
    (5e-130, "0." + "0" * 129 + "5"),
    (Decimal("1.10"), "1.1"),
    (Decimal(12345678901234567890123456789012345678), "12345678901234567890123456789012345678"),
    (Decimal("-0.12345678901234567890123456789012345678"), "-0.12345678901234567890123456789012345678"),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers_are_written_in_plain_digits(number: int | float | Decimal, text: str) -> None:
    assert dump_value(stored_value(number)) == {"N": text}
    assert load_value({"N": text}) == stored_value(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1E2", 100),
        ("1e+125", 10**125),
        ("1.50", 1.5),
        ("-0", 0),
        ("007", 7),
        ("12345678901234567890", 12345678901234567890),
        ("0.30000000000000000000000000000000000001", Decimal("0.30000000000000000000000000000000000001")),
    ],
)
def test_numbers_of_other_writers_are_read_in_stored_form(text: str, number: int | float | Decimal) -> None:
    assert kinds(load_value({"N": text})) == kinds(number)


@pytest.mark.parametrize(
    "number", [math.inf, -math.inf, math.nan, Decimal("NaN"), 10**38 + 1, Decimal("1E126"), Decimal("1E-131")]
)
def test_what_no_table_can_hold_is_not_sent(number: int | float | Decimal) -> None:
    with pytest.raises(BadValue):
        stored_value(number)


def test_equal_sets_are_written_the_same_to_the_byte() -> None:
    forward, backward = frozenset(f"{n}" for n in range(50)), frozenset(f"{n}" for n in reversed(range(50)))

    assert dump_value(forward) == dump_value(backward) == {"SS": sorted(forward)}
    assert dump_value(stored_value({3, 1.5, Decimal(2)})) == {"NS": ["1.5", "2", "3"]}
    assert over_the_wire(dump_value(frozenset({b"b", b"\xff", b"a"}))) == {"BS": ["YQ==", "Yg==", "/w=="]}


class Mood(StrEnum):
    CALM = "calm"


class Blob(bytes):
    pass


def test_words_of_an_enumeration_are_written_as_text() -> None:
    assert over_the_wire(dump_value([Mood.CALM, Blob(b"x")])) == {"L": [{"S": "calm"}, {"B": "eA=="}]}
    assert over_the_wire(dump_item({"mood": Mood.CALM})) == {"mood": {"S": "calm"}}


def test_value_not_in_stored_form_is_refused() -> None:
    with pytest.raises(BadValue, match="tuple"):
        dump_value((1, 2))
