"""What each condition means, shown by a real conditional write on every store."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import pytest

from sobremesa.table import (
    Condition,
    absent,
    absent_or_null,
    all_of,
    always,
    any_of,
    at_least,
    at_most,
    attribute,
    begins_with,
    between,
    contains,
    differs,
    equals,
    greater,
    has_kind,
    less,
    less_if_present,
    one_of,
    present,
    set_to,
    size,
)
from sobremesa.table.conditions import AllOf, AnyOf
from sobremesa.table.engines.protocol import CheckItem, DeleteItem, Engine, PutItem, RawKey
from sobremesa.table.errors import BadExpression, BadValue, ConditionFailed, OutcomeUnknown
from sobremesa.table.values import Item
from table import gaps
from table.engines import Store
from table.samples import refusal, row, stored

KEY = RawKey("case", "item")
ITEM: Item = {
    "pk": "case",
    "sk": "item",
    "text": "straße",
    "empty": "",
    "smile": "a😀",
    "whole": 7,
    "fraction": Decimal("1.50"),
    "big": 10**37 + 1,
    "yes": True,
    "no": False,
    "null": None,
    "bytes": b"\x00\xff",
    "list": [1, "two", [3], {"four": 4}],
    "map": {"inner": {"leaf": "x"}, "list": [5, 6]},
    "texts": frozenset({"a", "b"}),
    "numbers": frozenset({1, Decimal("2.5")}),
    "blobs": frozenset({b"a", b"b"}),
    "same": 7,
    "name": "a reserved word, as are size and status",
    "size": 3,
    "status.with.dots": "one name",
}
NOTHING: Item = {}


@dataclass(frozen=True)
class Case:
    """One condition on one item, and whether it holds; `instead` is what an endpoint with that gap gives."""

    condition: Condition
    holds: bool
    item: Item | None = None
    gap: str = ""
    instead: bool | type[Exception] = False

    @property
    def subject(self) -> Item | None:
        return ITEM if self.item is None else self.item or None


def case(condition: Condition, holds: bool, gap: str = "", instead: bool | type[Exception] = False) -> Case:
    return Case(condition, holds, None, gap, instead)


def of_nothing(condition: Condition, holds: bool, gap: str = "", instead: bool | type[Exception] = False) -> Case:
    return Case(condition, holds, NOTHING, gap, instead)


CRASH = OutcomeUnknown

EQUALITY = [
    case(equals("text", "straße"), True),
    case(equals("text", "strasse"), False),
    case(equals("empty", ""), True),
    case(equals("whole", 7.0), True),
    case(equals("whole", Decimal("7.000")), True),
    case(equals("whole", "7"), False),
    case(equals("fraction", 1.5), True),
    case(equals("big", 10**37 + 1), True),
    case(equals("big", 10**37), False),
    case(equals("yes", True), True),
    case(equals("yes", 1), False, "truth-is-number", True),
    case(equals("null", None), True),
    case(equals("missing", None), False, "missing-equal", True),
    case(equals("bytes", b"\x00\xff"), True),
    case(equals("list", [1.0, "two", [3], {"four": Decimal(4)}]), True),
    case(equals("list", ["two", 1, [3], {"four": 4}]), False),
    case(equals("map", {"list": [5, 6], "inner": {"leaf": "x"}}), True),
    case(equals("texts", {"b", "a"}), True),
    case(equals("texts", ["a", "b"]), False),
    case(equals("numbers", {2.5, 1.0}), True),
    case(equals("blobs", {b"a"}), False),
    case(equals("whole", attribute("same")), True),
    case(equals("whole", attribute("fraction")), False),
    case(equals(("map", "inner", "leaf"), "x"), True),
    case(equals(("list", 3, "four"), 4), True),
    case(equals(("list", 9), 4), False),
    case(equals(("text", "leaf"), "x"), False),
    case(equals("name", "a reserved word, as are size and status"), True),
    case(equals("status.with.dots", "one name"), True),
    case(equals("missing", attribute("gone")), False, "missing-equal", True),
    case(differs("missing", "x"), True),
    case(differs("text", 7), True),
    case(differs("text", "straße"), False),
    case(differs("missing", attribute("gone")), True, "missing-equal", False),
    of_nothing(equals("text", "x"), False),
    of_nothing(differs("text", "x"), True),
]
ORDER = [
    case(less("whole", 8), True),
    case(less("whole", 7), False),
    case(at_most("whole", 7), True),
    case(greater("whole", Decimal("6.9999999999999999999999")), True),
    case(at_least("whole", 7.5), False),
    case(greater("big", 10**37), True),
    case(less("text", "strasse"), False),
    case(less("text", "\U0001f600"), True),
    case(less("bytes", b"\x01"), True),
    case(less("whole", "8"), False, "kinds-crash", CRASH),
    case(greater("text", 1), False, "kinds-crash", CRASH),
    case(less("missing", 1), False),
    case(less("null", 1), False),
    case(less("fraction", attribute("whole")), True),
    case(less("whole", attribute("missing")), False),
    case(less_if_present("missing", 1), True),
    case(less_if_present("whole", 8), True),
    case(less_if_present("whole", 7), False),
    case(between("whole", 7, 9), True),
    case(between("whole", 5, 7), True),
    case(between("whole", 8, 9), False),
    case(between("text", "a", "z"), True),
    case(between("text", 1, 9), False, "kinds-crash", CRASH),
    case(between("missing", 1, 9), False),
    case(between("fraction", 1, attribute("whole")), True),
    of_nothing(less("whole", 9), False),
    of_nothing(less_if_present("whole", 9), True),
]
SHAPE = [
    case(one_of("text", ["x", "straße"]), True),
    case(one_of("whole", ["7", 8]), False),
    case(one_of("whole", ["7", 7.0]), True),
    case(one_of("missing", ["x"]), False),
    case(begins_with("text", "stra"), True),
    case(begins_with("text", "STRA"), False),
    case(begins_with("text", ""), True),
    case(begins_with("bytes", b"\x00"), True, "bytes-unsearched", False),
    case(begins_with("whole", "7"), False),
    case(begins_with("missing", "x"), False),
    case(contains("text", "aß"), True),
    case(contains("text", "AS"), False),
    case(contains("bytes", b"\xff"), True, "bytes-unsearched", False),
    case(contains("list", "two"), True),
    case(contains("list", 1.0), True),
    case(contains("list", [3]), True),
    case(contains("list", 3), False),
    case(contains("texts", "a"), True),
    case(contains("texts", "c"), False),
    case(contains("numbers", 2.50), True),
    case(contains("map", "inner"), False),
    case(contains("whole", 7), False),
    case(contains("missing", "x"), False),
    case(equals(size("text"), 6), True),
    case(equals(size("smile"), 3), True, "size-in-characters", False),
    case(equals(size("bytes"), 2), True),
    case(equals(size("list"), 4), True),
    case(greater(size("map"), 1), True),
    case(at_most(size("texts"), 2), True),
    case(equals(size("empty"), 0), True),
    case(equals(size(("map", "list")), 2), True),
    case(less(size("texts"), attribute("size")), True),
    case(equals(size("texts"), size("numbers")), True),
    case(greater(size("whole"), 0), False, "size-crash", CRASH),
    case(greater(size("missing"), 0), False, "size-crash", CRASH),
    case(differs(size("missing"), 0), True, "size-crash", CRASH),
    case(has_kind("text", "S"), True),
    case(has_kind("whole", "N"), True),
    case(has_kind("no", "BOOL"), True),
    case(has_kind("null", "NULL"), True),
    case(has_kind("numbers", "NS"), True),
    case(has_kind("texts", "L"), False),
    case(has_kind("missing", "S"), False),
    case(has_kind(("map", "list"), "L"), True),
]
PRESENCE = [
    case(present(), True),
    case(absent(), False),
    case(present("null"), True),
    case(absent("null"), False),
    case(absent_or_null("null"), True),
    case(absent_or_null("missing"), True),
    case(absent_or_null("no"), False),
    case(present(("map", "inner", "leaf")), True),
    case(absent(("map", "inner", "twig")), True),
    case(present(("list", 3)), True),
    case(absent(("list", 4)), True),
    case(always(), True),
    of_nothing(present(), False),
    of_nothing(absent(), True),
    of_nothing(absent("text"), True),
    of_nothing(absent_or_null("text"), True),
    of_nothing(always(), True),
]
COMBINED = [
    case(equals("whole", 7) & equals("yes", True), True),
    case(equals("whole", 7) & equals("yes", False), False),
    case(equals("whole", 8) | equals("yes", True), True),
    case(~equals("whole", 7), False),
    case(~equals("missing", 7), True),
    case(~(equals("whole", 8) | equals("yes", False)), True),
    case((equals("whole", 8) | present("text")) & ~absent("map"), True),
    case(equals("whole", 8) | (present("text") & absent("map")), False),
    case((present("text") | present("map")) & equals("whole", 8), False),
    case(equals("whole", 8) & (equals("whole", 9) | present("text")), False),
    case(~(present("text") & present("gone")) & equals("whole", 8), False),
    case(all_of(present("text"), always(), equals("whole", 7)), True),
    case(any_of(equals("whole", 8), always()), True),
    case(~~present("text"), True),
    of_nothing(absent() & absent("x") & ~present(), True),
    of_nothing(present() | equals("x", 1), False),
]
CASES = [*EQUALITY, *ORDER, *SHAPE, *PRESENCE, *COMBINED]


async def _outcome(engine: Engine, case: Case) -> bool | type[Exception]:
    """Does a write under this condition happen? It must leave the item as it was either way."""
    write = DeleteItem(KEY, case.condition) if case.subject is None else PutItem(KEY, case.subject, case.condition)
    try:
        await engine.write(write)
    except ConditionFailed as failed:
        return False if failed.failures[0].item == await stored(engine, *KEY) else KeyError
    except Exception as error:
        return type(error)
    return True


async def test_a_conditional_write_happens_exactly_when_its_condition_holds(engine: Engine, store: Store) -> None:
    wrong = []
    await engine.write(PutItem(KEY, ITEM))
    for case in sorted(CASES, key=lambda case: case.subject is None):
        if case.subject is None:
            await engine.write(DeleteItem(KEY))
        expected = case.instead if case.gap and gaps.has(store, case.gap) else case.holds
        outcome = await _outcome(engine, case)
        if outcome != expected:
            wrong.append((case.condition, "expected", expected, "but", outcome))

    assert not wrong, "\n".join(map(str, wrong))


async def test_a_check_in_a_transaction_means_the_same_as_a_condition_of_a_write(engine: Engine, store: Store) -> None:
    await engine.write(PutItem(KEY, ITEM))
    wrong = []
    for number, case in enumerate(case for case in CASES if case.subject and case.condition != always()):
        if case.gap and gaps.has(store, case.gap):
            continue  # stated above, by the write of one
        written = row("log", f"{number:03d}")
        failed = await refusal(
            lambda case=case, written=written: engine.transact(  # type: ignore[misc]
                [CheckItem(KEY, case.condition), written], None
            )
        )
        if (failed is None) != case.holds or (await stored(engine, *written.key) is not None) != case.holds:
            wrong.append((case.condition, case.holds, failed))

    assert not wrong, "\n".join(map(str, wrong))


async def test_a_filter_means_the_same_as_a_condition(engine: Engine, store: Store) -> None:
    from sobremesa.table.engines.protocol import QueryRequest

    await engine.write(PutItem(KEY, ITEM))
    wrong = []
    for case in CASES:
        if not case.subject or (case.gap and gaps.has(store, case.gap)) or "path=None" in repr(case.condition):
            continue
        page = await engine.query(QueryRequest(pk="case", where=case.condition))
        if (page.count == 1) != case.holds or page.scanned != 1:
            wrong.append((case.condition, case.holds, page.count, page.scanned))

    assert not wrong, "\n".join(map(str, wrong))


NONSENSE: dict[str, Condition] = {
    "an order of truths": less("yes", True),
    "an order of nulls": at_least("null", None),
    "an order of lists": greater("list", [1]),
    "an order of sets": between("texts", {"a"}, {"b"}),
    "bounds turned round": between("whole", 9, 1),
    "bounds of two kinds": between("whole", 1, "9"),
    "the beginning of a number": begins_with("text", 7),
    "no choices": one_of("text", []),
    "a hundred and one choices": one_of("whole", range(101)),
    "an unknown kind": has_kind("text", "X"),  # type: ignore[arg-type]
    "an empty name": equals("", 1),
    "an empty path": equals((), 1),
    "a path that starts with a place": equals((0, "x"), 1),
    "a place before the first": equals(("list", -1), 1),
    "an attribute and itself": equals("text", attribute("text")),
    "a group of nothing": AllOf(()),
    "a choice of nothing": AnyOf(()),
    "always inside of another": ~always(),
}


async def test_a_condition_that_makes_no_sense_is_refused_and_nothing_is_written(engine: Engine) -> None:
    for what, condition in NONSENSE.items():
        attempts = (
            partial(engine.write, PutItem(KEY, ITEM, condition)),
            partial(engine.transact, [row("other", "item"), CheckItem(KEY, condition)], None),
        )
        for attempt in attempts:
            assert await refusal(attempt) is BadExpression, what

    assert await stored(engine, *KEY) is None
    assert await stored(engine, "other", "item") is None


async def test_a_condition_with_a_value_that_no_table_holds_is_refused(engine: Engine) -> None:
    for value in (float("nan"), 10**126, set(), object(), {1: 2}, {1, "a"}):
        assert (
            await refusal(
                lambda value=value: engine.write(  # type: ignore[misc]
                    PutItem(KEY, ITEM, equals("whole", value))
                )
            )
            is BadValue
        ), value


@pytest.mark.parametrize("condition", [equals("x", 1), present(), always(), ~absent(), present("a") & absent("b")])
def test_the_truth_value_of_a_condition_raises(condition: Condition) -> None:
    with pytest.raises(TypeError, match="no truth value"):
        assert condition
    with pytest.raises(TypeError, match="no truth value"):
        bool(condition)


def test_the_truth_value_of_an_update_raises() -> None:
    (action,) = set_to(x=1)
    with pytest.raises(TypeError, match="no truth value"):
        assert action


def test_conditions_are_equal_by_value_and_flatten() -> None:
    assert equals("a", 1) & equals("b", 2) & equals("c", 3) == all_of(equals("a", 1), equals("b", 2), equals("c", 3))
    assert all_of(always(), always()) == always()
    assert any_of(equals("a", 1), always()) == always()
    assert all_of(equals("a", 1)) == equals("a", 1)
