"""What each action of an update does, on every store."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from sobremesa.table import add, add_to_set, append, delete_from_set, remove, set_if_absent, set_to
from sobremesa.table.engines.protocol import Engine, PutItem, RawKey, UpdateItem
from sobremesa.table.errors import BadExpression, BadKey, BadValue, ConditionFailed, OutcomeUnknown, TableError
from sobremesa.table.updates import Add, AddToSet, Append, Changes, DeleteFromSet, Remove, Set, SetIfAbsent
from sobremesa.table.values import Item
from table import gaps
from table.engines import Store
from table.samples import refusal, row, stored

KEY = RawKey("update", "item")
BEFORE: Item = {
    "pk": "update",
    "sk": "item",
    "text": "old",
    "number": 5,
    "fraction": 0.1,
    "null": None,
    "list": [0, 1, 2, 3],
    "map": {"a": 1, "inner": {"b": [1, 2]}},
    "texts": frozenset({"a", "b"}),
    "numbers": frozenset({1, 2}),
    "blobs": frozenset({b"a"}),
}


@dataclass(frozen=True)
class Case:
    """Actions, and the attributes that are different afterwards (`...`: gone)."""

    name: str
    actions: Changes
    after: dict[str, Any]
    gap: str = ""
    instead: Any = None


CASES = [
    Case("set", set_to(text="new", fresh=1), {"text": "new", "fresh": 1}),
    Case("set none removes", set_to(text=None), {"text": ...}),
    Case("set null keeps", (Set("text", None),), {"text": None}),
    Case("set any kind", set_to(text=[{"x": {b"y"}}]), {"text": [{"x": frozenset({b"y"})}]}),
    Case("set inside a map", set_to({("map", "a"): 2, ("map", "c"): 3}), {"map": BEFORE["map"] | {"a": 2, "c": 3}}),
    Case("set deep inside", set_to({("map", "inner", "b", 1): "x"}), {"map": {"a": 1, "inner": {"b": [1, "x"]}}}),
    Case("set a place", set_to({("list", 2): "x"}), {"list": [0, 1, "x", 3]}),
    Case(
        "set beyond the end appends",
        set_to({("list", 9): "x"}),
        {"list": [0, 1, 2, 3, "x"]},
        "list-padded",
        {"list": [0, 1, 2, 3, None, None, None, None, None, "x"]},
    ),
    Case("set if absent", set_if_absent(text="x", fresh="y"), {"fresh": "y"}),
    Case("null is not absent", set_if_absent(null=1), {}),
    Case("set if absent inside", set_if_absent({("map", "a"): 9, ("map", "z"): 9}), {"map": BEFORE["map"] | {"z": 9}}),
    Case("add", add(number=3, fresh=2), {"number": 8, "fresh": 2}),
    Case("add less than nothing", add(number=-7), {"number": -2}),
    Case("add decimals exactly", add(fraction=Decimal("0.2")), {"fraction": 0.3}),
    Case("add to nothing gives zero", add(number=-5), {"number": 0}),
    Case("append", append(list=["x", ["y"]], fresh=[1]), {"list": [0, 1, 2, 3, "x", ["y"]], "fresh": [1]}),
    Case("append nothing", append(list=[]), {}),
    Case("append inside", append({("map", "inner", "b"): [3]}), {"map": {"a": 1, "inner": {"b": [1, 2, 3]}}}),
    Case("remove", remove("text", "null"), {"text": ..., "null": ...}),
    Case("remove what is not there", remove("gone"), {}),
    Case("remove inside a map", remove(("map", "inner"), ("map", "gone")), {"map": {"a": 1}}),
    Case("remove places", remove(("list", 0), ("list", 1)), {"list": [2, 3]}),
    Case("remove a place beyond the end", remove(("list", 9)), {}),
    Case(
        "set and remove places",
        (*remove(("list", 0)), *set_to({("list", 1): "x"})),
        {"list": ["x", 2, 3]},
    ),
    Case("add to a set", add_to_set(texts=["b", "c"], fresh=["x"]), {"texts": {"a", "b", "c"}, "fresh": {"x"}}),
    Case(
        "add to sets of numbers and bytes",
        add_to_set(numbers=[2.0, 3], blobs=[b"b"]),
        {"numbers": {1, 2, 3}, "blobs": {b"a", b"b"}},
    ),
    Case("delete from a set", delete_from_set(texts=["b", "z"]), {"texts": {"a"}}),
    Case("a set without elements is gone", delete_from_set(texts=["a", "b"], gone=["x"]), {"texts": ...}),
    Case("a set named by a path of one step", (DeleteFromSet(("texts",), frozenset("ab")),), {"texts": ...}),
    Case(
        "all kinds at once",
        (
            *set_to(text="x"),
            *add(number=1),
            *remove("null"),
            *add_to_set(texts=["c"]),
            *delete_from_set(numbers=[1]),
            *append(list=[4]),
            *set_if_absent(fresh=0),
        ),
        {
            "text": "x",
            "number": 6,
            "null": ...,
            "texts": {"a", "b", "c"},
            "numbers": {2},
            "list": [0, 1, 2, 3, 4],
            "fresh": 0,
        },
    ),
]


def _after(changes: dict[str, Any]) -> Item:
    return {name: value for name, value in (BEFORE | changes).items() if value is not ...}


async def test_each_action_changes_only_its_attribute(engine: Engine, store: Store) -> None:
    wrong = []
    for case in CASES:
        await engine.write(PutItem(KEY, BEFORE))
        expected = _after(case.instead if case.gap and gaps.has(store, case.gap) else case.after)
        written = await engine.write(UpdateItem(KEY, case.actions))
        kept = await stored(engine, *KEY)
        if kept != expected or written.item != kept:
            wrong.append((case.name, kept, "instead of", expected))

    assert not wrong, "\n".join(map(str, wrong))


async def test_each_action_does_the_same_inside_of_a_transaction(engine: Engine, store: Store) -> None:
    wrong = []
    for case in CASES:
        await engine.write(PutItem(KEY, BEFORE))
        expected = _after(case.instead if case.gap and gaps.has(store, case.gap) else case.after)
        await engine.transact([UpdateItem(KEY, case.actions), row("update", "beside")], None)
        kept = await stored(engine, *KEY)
        if kept != expected:
            wrong.append((case.name, kept, "instead of", expected))

    assert not wrong, "\n".join(map(str, wrong))


async def test_update_of_a_missing_item_creates_it(engine: Engine) -> None:
    written = await engine.write(UpdateItem(RawKey("new", "item"), (*add(n=1), *append(l=["x"]))))

    assert written.item == {"pk": "new", "sk": "item", "n": 1, "l": ["x"]}


FAILING: dict[str, tuple[Changes, dict[str, type[Exception] | None]]] = {
    "adding to text": (add(text=1), {}),
    "adding to null": (add(null=1), {}),
    "adding to a set a number": (add(texts=1), {}),
    "appending to text": (append(text=["x"]), {}),
    "adding numbers to a set of texts": (add_to_set(texts=[1]), {}),
    "adding to a set that is a number": (add_to_set(number=["x"]), {}),
    "deleting bytes from texts": (delete_from_set(texts=[b"a"]), {}),
    "deleting from text": (delete_from_set(text=["a"]), {}),
    "setting inside of nothing": (set_to({("gone", "x"): 1}), {}),
    "setting inside of text": (set_to({("text", "x"): 1}), {"path-into-text": None}),
    "setting a name of a list": (set_to({("list", "x"): 1}), {"path-into-text": None}),
    "setting a place of a map": (set_to({("map", 0): 1}), {}),
    "setting two levels down of nothing": (set_to({("map", "gone", "x"): 1}), {}),
    "removing inside of nothing": (remove(("gone", "x")), {"remove-nowhere": None}),
    "removing inside of text": (remove(("text", "x")), {"remove-nowhere": None, "remove-crash": OutcomeUnknown}),
}
"""What does not fit the item, and what an endpoint with a gap gives instead of BadExpression."""


def _expected(store: Store, instead: dict[str, type[Exception] | None]) -> type[Exception] | None:
    return next((outcome for gap, outcome in instead.items() if gaps.has(store, gap)), BadExpression)


async def test_an_update_that_does_not_fit_the_item_is_refused_and_changes_nothing(
    engine: Engine, store: Store
) -> None:
    wrong = []
    for name, (actions, instead) in FAILING.items():
        expected = _expected(store, instead)
        await engine.write(PutItem(KEY, BEFORE))
        refused = await refusal(lambda actions=actions: engine.write(UpdateItem(KEY, actions)))  # type: ignore[misc]
        kept = await stored(engine, *KEY)
        if refused is not expected or (refused and kept != BEFORE):
            wrong.append((name, refused, "instead of", expected, kept))

    assert not wrong, "\n".join(map(str, wrong))


async def test_an_update_that_does_not_fit_its_item_undoes_the_whole_transaction(engine: Engine, store: Store) -> None:
    wrong = []
    for name, (actions, instead) in FAILING.items():
        if _expected(store, instead) is not BadExpression:
            continue  # a gap, stated in the test before
        await engine.write(PutItem(KEY, BEFORE))
        refused = await refusal(
            lambda actions=actions: engine.transact(  # type: ignore[misc]
                [row("update", "beside"), UpdateItem(KEY, actions)], None
            )
        )
        kept = await stored(engine, *KEY), await stored(engine, "update", "beside")
        if refused is not BadExpression or kept != (BEFORE, None):
            wrong.append((name, refused, kept))

    assert not wrong, "\n".join(map(str, wrong))


NONSENSE: list[tuple[str, Changes]] = [
    ("nothing to do", ()),
    ("the same attribute twice", (*set_to(x=1), *add(x=1))),
    ("an attribute and a part of it", set_to({("map", "a"): 1, "map": 2})),
    ("a map and a list", set_to({("map", "a"): 1, ("map", 0): 2})),
    ("the partition key", set_to(pk="x")),
    ("the sort key", remove("sk")),
    ("adding inside", (Add(("map", "a"), 1),)),
    ("a set inside", (AddToSet(("map", "a"), frozenset({"x"})),)),
    ("adding text", (Add("number", "1"),)),  # type: ignore[arg-type]
    ("adding a truth", (Add("number", True),)),
    ("an empty name", (Set("", 1),)),
    ("an empty path", (Set((), 1),)),
    ("a place before the first", (SetIfAbsent(("list", -1), 1),)),
    ("appending text", (Append("list", "text"),)),  # type: ignore[arg-type]
]


async def test_an_update_that_makes_no_sense_is_refused_and_nothing_is_written(engine: Engine) -> None:
    for what, actions in NONSENSE:
        for attempt in (
            partial(engine.write, UpdateItem(KEY, actions)),
            partial(engine.transact, [row("update", "beside"), UpdateItem(KEY, actions)], None),
        ):
            assert await refusal(attempt) is BadExpression, what

    assert await stored(engine, *KEY) is None
    assert await stored(engine, "update", "beside") is None


UNKEEPABLE: list[tuple[str, Changes, type[TableError]]] = [
    ("a number", (Set("gsi1pk", 7),), BadKey),
    ("empty", (Set("gsi1sk", ""),), BadKey),
    ("null", (Set("gsi1pk", None),), BadKey),
    ("too long", (Set("gsi1sk", "x" * 1025),), BadKey),
    ("adding to it", (Add("gsi2pk", 1),), BadKey),
    ("no finite number", (Set("x", float("inf")),), BadValue),
    ("an empty set", (AddToSet("x", frozenset()),), BadValue),
    ("no value", (Append("x", [object()]),), BadValue),
]


async def test_an_update_to_a_value_that_cannot_be_kept_is_refused(engine: Engine) -> None:
    for what, actions, error in UNKEEPABLE:
        assert await refusal(partial(engine.write, UpdateItem(KEY, actions))) is error, what

    assert await stored(engine, *KEY) is None


async def test_a_sum_of_more_than_38_digits_is_refused(engine: Engine, store: Store) -> None:
    await engine.write(row("sum", "item", n=10**37 + 1, tiny=Decimal("1E-20")))

    refused = await refusal(lambda: engine.write(UpdateItem(RawKey("sum", "item"), add(n=Decimal("0.001")))))

    assert refused is (None if gaps.has(store, "sum-rounded") else BadValue)


async def test_a_failed_condition_of_an_update_gives_the_item_that_was_there(engine: Engine) -> None:
    from sobremesa.table import equals

    await engine.write(PutItem(KEY, BEFORE))

    with pytest.raises(ConditionFailed) as failed:
        await engine.write(UpdateItem(KEY, set_to(text="x"), equals("number", 6)))

    (failure,) = failed.value.failures
    assert (failure.index, failure.key, failure.item) == (0, KEY, BEFORE)


def test_actions_are_values() -> None:
    assert set_to(a=1) == (Set("a", 1),)
    assert set_to(a=None) == (Remove("a"),)
    assert append({("a", 0): (1, 2)}) == (Append(("a", 0), [1, 2]),)
