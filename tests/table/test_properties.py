"""What holds for all inputs: keys, values, numbers, ids."""

from __future__ import annotations

import contextlib
import itertools
import string
import unicodedata
from decimal import Context, Decimal
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sobremesa.core import ids
from sobremesa.core.clock import SetClock, instant, milliseconds
from sobremesa.core.ids import Ids
from sobremesa.table.engines.embedded.codec import pack, unpack
from sobremesa.table.errors import BadKey, BadValue, TooLarge
from sobremesa.table.keys import Template, hex_part, successor, unhex_part
from sobremesa.table.typed_items import dump_item, load_item
from sobremesa.table.values import MAX_DIGITS, number_from_text, number_text, stored_number, weigh

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PART = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="#"), min_size=1).filter(
    lambda part: part != "*" and not part.startswith("$") and unicodedata.is_normalized("NFC", part)
)
LITERAL = st.text(string.ascii_letters + string.digits + "#_*$", max_size=4)


@st.composite
def templates(draw: st.DrawFn) -> Template:
    """Any template with up to three places, a separator between each two."""
    count = draw(st.integers(0, 3))
    text = draw(LITERAL)
    for place in range(count):
        text += f"{{f{place}}}"
        text += draw(LITERAL) + ("#" if place < count - 1 else "") + draw(LITERAL)
    return Template(text)


@given(templates(), st.lists(PART, min_size=3, max_size=3))
@example(Template("t#{f0}U#{f1}#{f2}"), ["aU", "U", "U"])
def test_parsing_is_the_inverse_of_formatting(template: Template, parts: list[str]) -> None:
    given_parts = {field: parts[place] for place, field in enumerate(template.fields)}

    assert template.parse(template.format(given_parts)) == given_parts


@given(templates(), st.lists(TEXT, min_size=3, max_size=3))
def test_different_parts_never_have_the_same_key(template: Template, parts: list[str]) -> None:
    given_parts = {field: parts[place] for place, field in enumerate(template.fields)}

    try:
        key = template.format(given_parts)
    except BadKey:
        return
    assert template.parse(key) == given_parts


@given(templates(), st.lists(st.text(st.characters(exclude_characters="#"), min_size=1), min_size=3, max_size=3))
def test_what_a_template_parses_it_formats_again(template: Template, parts: list[str]) -> None:
    text = template.text.format(**{field: parts[place] for place, field in enumerate(template.fields)})
    parsed = template.parse(text)
    assert parsed is not None

    # A key of another writer may have parts that break our rules.
    with contextlib.suppress(BadKey):
        assert template.format(parsed) == text


@given(st.integers(0, 99_999), st.integers(0, 99_999))
def test_padded_numbers_sort_as_numbers(first: int, second: int) -> None:
    template = Template("CHUNK#{n:05}")

    assert (template.format({"n": first}) < template.format({"n": second})) == (first < second)


@given(TEXT.filter(bool), TEXT)
@example("a\U0010ffff", "b")
@example("\ud7ff", "\ue000")
def test_the_successor_bounds_exactly_the_texts_with_a_prefix(prefix: str, text: str) -> None:
    following = successor(prefix)
    for candidate in (text, prefix + text, text + prefix, prefix[:-1] + text):
        raw = candidate.encode()
        inside = prefix.encode() <= raw and (following is None or raw < following.encode())
        assert inside == candidate.startswith(prefix)


@given(TEXT)
def test_any_text_comes_back_from_hex(text: str) -> None:
    assert unhex_part(hex_part(text)) == text


WIDE = Context(prec=60)
EDGES = [sign * (1 << bits) + step for sign in (1, -1) for bits in (31, 53, 63, 64) for step in (-1, 0, 1)]
NUMBERS = (
    st.sampled_from(EDGES)
    | st.integers(-(10**38) + 1, 10**38 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda number: number == 0 or 1e-130 <= abs(number) < 1e126
    )
    | st.builds(
        lambda digits, exponent: Decimal(digits).scaleb(exponent, WIDE),
        st.integers(-(10**38) + 1, 10**38 - 1),
        st.integers(-90, 80),
    )
)


@given(NUMBERS)
def test_a_number_is_stored_in_one_form_without_loss(number: int | float | Decimal) -> None:
    stored = stored_number(number)

    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    assert (Decimal(repr(stored)) if isinstance(stored, float) else Decimal(stored)) == exact
    assert type(stored_number(stored)) is type(stored)
    back = number_from_text(number_text(stored))
    assert (type(back), back) == (type(stored), stored)


@given(st.integers(10**38, 10**60))
def test_more_than_38_digits_are_refused(number: int) -> None:
    assume(len(str(number).strip("0")) > MAX_DIGITS)

    with pytest.raises(BadValue):
        stored_number(number)


SCALARS = st.none() | st.booleans() | NUMBERS | TEXT | st.binary(max_size=30)
SETS = (
    st.frozensets(TEXT, min_size=1, max_size=5)
    | st.frozensets(NUMBERS, min_size=1, max_size=5)
    | st.frozensets(st.binary(max_size=10), min_size=1, max_size=5)
)
VALUES = st.recursive(
    SCALARS | SETS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT.filter(bool), inner, max_size=4),
    max_leaves=12,
)
ITEMS = st.dictionaries(TEXT.filter(bool), VALUES, max_size=6)


def typed(value: Any) -> Any:
    """A value with the type of every part, so that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return {name: typed(held) for name, held in value.items()}
    if isinstance(value, list):
        return [typed(held) for held in value]
    if isinstance(value, frozenset):
        return frozenset((type(held).__name__, held) for held in value)
    return type(value).__name__, value


@given(ITEMS)
def test_an_item_comes_back_from_the_bytes_of_the_embedded_engine(item: dict[str, Any]) -> None:
    stored, _ = weigh(item)

    assert typed(unpack(pack(stored))) == typed(stored)


@given(ITEMS)
def test_an_item_comes_back_from_the_json_of_dynamodb(item: dict[str, Any]) -> None:
    import msgspec

    stored, _ = weigh(item)
    sent = msgspec.json.decode(msgspec.json.encode(dump_item(stored)))

    assert typed(load_item(sent)) == typed(stored)


@given(ITEMS)
def test_weighing_twice_changes_nothing_and_never_the_item_itself(item: dict[str, Any]) -> None:
    before = repr(item)

    stored, size = weigh(item)

    assert weigh(stored) == (stored, size)
    assert repr(item) == before
    assert size >= sum(len(name.encode()) for name in item)


@given(ITEMS, ITEMS)
def test_equal_items_have_equal_bytes(first: dict[str, Any], second: dict[str, Any]) -> None:
    same = dict(first)

    assert pack(weigh(first)[0]) == pack(weigh(same)[0])
    if typed(weigh(first)[0]) != typed(weigh(second)[0]):
        assert pack(weigh(first)[0]) != pack(weigh(second)[0])


SIZES: list[tuple[Any, int]] = [
    ("é", 2), ("", 0), (b"abc", 3), (True, 1), (None, 1), ([], 3), ({}, 3), ([1], 6), ({"a": "b"}, 6),
    (0, 1), (7, 2), (12, 2), (100, 2), (120, 2), (123, 3), (1234567, 5), (-5, 3), (-123, 4), (0.5, 2), (0.05, 2),
    (0.012, 2), (0.0123, 3), (10**20, 2), (Decimal("1E125"), 2), (Decimal("1E-130"), 2), (1.0, 2), (-0.0, 1),
    (12345678901234567890123456789012345678, 20), (-12345678901234567890123456789012345678, 21),
    (1.5, 3), (123.4, 4), (1.234, 4), (1.005, 4), (100.5, 4), (3.14159, 5), (-1.5, 4), (12.34, 3), (10.5, 3),
    (Decimal("1.2345678901234567890123456789012345678"), 21),
    (frozenset({"a", "bc"}), 3), (frozenset({1, 22}), 4), (frozenset({b"a"}), 1),
]  # fmt: skip


@pytest.mark.parametrize(("value", "size"), SIZES)
def test_a_value_counts_as_many_bytes_as_dynamodb_documents(value: Any, size: int) -> None:
    assert weigh({"name": value})[1] == 4 + size


def test_an_item_counts_up_to_its_limit() -> None:
    assert weigh({"x": "a" * (400 * 1024 - 1)})[1] == 400 * 1024
    with pytest.raises(TooLarge):
        weigh({"x": "a" * 400 * 1024})


@given(st.lists(st.integers(-5_000, 5_000), max_size=60), st.randoms(use_true_random=False))
def test_ids_strictly_increase_even_when_the_clock_steps_back(steps: list[int], chance: Any) -> None:
    clock = SetClock()
    minting = Ids(clock, random_bits=chance.getrandbits)
    minted = [minting.mint()]
    for step in steps:
        clock.move(seconds=step / 1000)
        minted.append(minting.mint())

    assert all(before < after for before, after in itertools.pairwise(minted))
    assert all(len(each) == ids.LENGTH for each in minted)


@given(st.lists(st.integers(0, 3), max_size=40))
def test_an_id_with_the_least_and_the_greatest_chance_still_increases(moves: list[int]) -> None:
    clock = SetClock()
    for bits in (lambda count: 0, lambda count: (1 << count) - 1):
        minting = Ids(clock, random_bits=bits)
        minted = []
        for move in moves:
            clock.move(seconds=move / 1000)
            minted.append(minting.mint())
        assert minted == sorted(set(minted))


@given(st.integers(0, ((ids.MAX_MS + 1) << ids.RANDOM_BITS) - 1))
def test_a_ulid_is_its_number(number: int) -> None:
    assert ids.decode(ids.encode(number)) == number


@given(st.integers(0, (1 << 128) - 1), st.integers(0, (1 << 128) - 1))
def test_ulids_sort_as_their_numbers(first: int, second: int) -> None:
    assert (ids.encode(first) < ids.encode(second)) == (first < second)


@given(st.integers(0, ids.MAX_MS))
def test_an_id_keeps_the_millisecond_that_it_was_minted_in(now_ms: int) -> None:
    minted = Ids(SetClock(now_ms)).mint()

    assert ids.time_of(minted) == now_ms
    assert ids.first_of(now_ms) <= minted


@given(TEXT)
def test_invalid_ulid_is_refused(text: str) -> None:
    try:
        number = ids.decode(text)
    except ValueError:
        return
    assert ids.encode(number) == text


def test_an_id_can_be_minted_after_one_of_another_process() -> None:
    ahead = Ids(SetClock(2_000_000_000_000)).mint()
    minting = Ids(SetClock(1_000_000_000_000))

    after = minting.mint_after(ahead)

    assert after > ahead
    assert minting.mint() > after


@given(st.integers(0, 253_402_300_799_999))
def test_a_moment_is_fixed_width_text_and_comes_back(now_ms: int) -> None:
    text = instant(now_ms)

    assert len(text) == 24
    assert milliseconds(text) == now_ms


@given(st.integers(0, 253_402_300_799_999), st.integers(0, 253_402_300_799_999))
def test_moments_sort_as_they_read(first: int, second: int) -> None:
    assert (instant(first) < instant(second)) == (first < second)
