"""Expressions: names and values stand behind placeholders, always, and each of them once."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb.rows import KEY, put
from sobremesa.table import add, add_to_set, append, delete_from_set, remove, set_if_absent, set_to
from sobremesa.table.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    Path,
    absent,
    absent_or_null,
    all_of,
    always,
    any_of,
    attribute,
    begins_with,
    between,
    contains,
    differs,
    equals,
    greater,
    has_kind,
    less,
    one_of,
    present,
    size,
)
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.render import Expressions
from sobremesa.table.engines.protocol import QueryRequest, SortBetween, SortEquals, SortPrefix, UpdateItem
from sobremesa.table.errors import BadExpression, ConditionFailed
from sobremesa.table.updates import Append, Changes, Remove, Set, SetIfAbsent
from sobremesa.table.values import Item

RESERVED = (
    *("name", "size", "count", "date", "time", "status", "user", "users", "role", "roles", "type", "value", "values"),
    *("key", "keys", "year", "month", "order", "group", "index", "table", "set", "add", "delete", "remove", "and"),
    *("or", "not", "between", "in", "exists", "comment", "language", "location", "connection", "data", "text", "ttl"),
    *("url", "token", "timestamp", "zone", "view", "hash", "range", "limit", "select", "from", "where"),
)

WORDS = re.compile(
    r"(SET|REMOVE|ADD|DELETE|AND|OR|NOT|BETWEEN|IN|size|attribute_exists|attribute_not_exists|attribute_type"
    r"|begins_with|contains|if_not_exists|list_append)(?= |\()"
    r"|#\d+|:\d+|\[\d+\]|<>|<=|>=|[=<>(),. ]"
)
"""The syntax of expressions; any other text would come from a name or a value."""

names = st.text(min_size=1, max_size=6) | st.sampled_from([*RESERVED, "a.b", "#0", ":0", "x[0]", "a = b OR c", "ñ"])
values = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3) | st.just("1 OR 2") | st.just([1, "#0"])
paths: st.SearchStrategy[Path] = names | st.tuples(names, names | st.integers(0, 9)) | st.tuples(names, names, names)
operands = values | paths.map(attribute) | paths.map(size)
simple_conditions = st.one_of(
    st.builds(equals, paths, operands),
    st.builds(differs, paths.map(size), operands),
    st.builds(less, paths, operands),
    st.builds(between, paths, operands, operands),
    st.builds(one_of, paths, st.lists(operands, min_size=1, max_size=3)),
    st.builds(begins_with, paths, st.text(max_size=3)),
    st.builds(contains, paths, operands),
    st.builds(has_kind, paths, st.sampled_from(["S", "N", "NULL"])),
    st.builds(present, st.none() | paths),
    st.builds(absent, st.none() | paths),
    st.builds(absent_or_null, paths),
)
conditions = st.recursive(
    simple_conditions,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
    ),
    max_leaves=6,
)
one_action = st.one_of(
    st.builds(Set, paths, values),
    st.builds(SetIfAbsent, paths, values),
    st.builds(Append, paths, st.lists(values, max_size=2)),
    st.builds(Remove, paths),
    st.builds(lambda name, number: add(**{name: number})[0], names, st.integers(-3, 3)),
    st.builds(lambda name, words: add_to_set(**{name: words})[0], names, st.sets(st.text(max_size=2), min_size=1)),
    st.builds(lambda name, words: delete_from_set(**{name: words})[0], names, st.sets(st.text(max_size=2), min_size=1)),
)
updates = st.lists(one_action, min_size=1, max_size=4).map(tuple)


def meant(expressions: Expressions) -> dict[str, Any]:
    """What the placeholders stand for, as it is sent."""
    request: dict[str, Any] = {}
    expressions.into(request)
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(request))
    return decoded


def assert_only_placeholders(expressions: Expressions, *texts: str) -> None:
    """Nothing but words of the language, and every placeholder defined, used, and different from all others."""
    for text in texts:
        assert WORDS.sub("", text) == "", text
    whole = " ".join(texts)
    for marks, field in (("#", "ExpressionAttributeNames"), (":", "ExpressionAttributeValues")):
        defined = meant(expressions).get(field, {})
        assert set(re.findall(rf"{marks}\d+", whole)) == set(defined)
        assert len({msgspec.json.encode(each) for each in defined.values()}) == len(defined)


@settings(max_examples=60)
@given(condition=conditions, update=updates, where=conditions)
def test_expressions_contain_only_placeholders(condition: Condition, update: Changes, where: Condition) -> None:
    expressions = Expressions("pk")

    texts = [expressions.update(update), expressions.condition(condition), expressions.condition(where)]

    assert_only_placeholders(expressions, *(text for text in texts if text is not None))


@given(pk=st.tuples(names, st.text(min_size=1)), name=names, low=st.text(max_size=4), fields=st.sets(names, min_size=1))
def test_nor_in_a_question(pk: tuple[str, str], name: str, low: str, fields: set[str]) -> None:
    for sort in (None, SortPrefix(low), SortEquals(low), SortBetween(low, low + "z")):
        expressions = Expressions("pk")

        texts = expressions.key_condition(pk, name, sort), expressions.projection(sorted(fields))

        assert_only_placeholders(expressions, *texts)


@given(condition=conditions)
def test_there_are_no_parentheses_that_dynamodb_calls_redundant(condition: Condition) -> None:
    text = Expressions("pk").condition(condition)

    assert text is not None
    assert not text.startswith("(") or not _encloses_all(text)
    for place in range(len(text)):
        if text[place : place + 2] == "((":
            assert not _encloses_all(text[place + 1 : _closing(text, place)]), text


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise AssertionError(f"{text} is never closed")


def _encloses_all(text: str) -> bool:
    return _closing(text, 0) == len(text) - 1


CONDITIONS: list[tuple[Condition, str]] = [
    (equals("a", 1), "#0 = :0"),
    (differs("a", attribute("b")), "#0 <> #1"),
    (greater(size(("a", "b", 0)), 2), "size(#0.#1[0]) > :0"),
    (between("a", 1, attribute("b")), "#0 BETWEEN :0 AND #1"),
    (one_of("a", ["x", "y", "x"]), "#0 IN (:0, :1, :0)"),
    (present(), "attribute_exists(#0)"),
    (absent(("a", 3)), "attribute_not_exists(#0[3])"),
    (has_kind("a", "NULL"), "attribute_type(#0, :0)"),
    (begins_with("a", "x"), "begins_with(#0, :0)"),
    (contains("a", 1), "contains(#0, :0)"),
    (all_of(present("a"), any_of(equals("a", 1), equals("b", 1))), "attribute_exists(#0) AND (#0 = :0 OR #1 = :0)"),
    (Not(all_of(present("a"), present("b"))), "NOT (attribute_exists(#0) AND attribute_exists(#1))"),
    (Not(Not(present("a"))), "NOT (NOT (attribute_exists(#0)))"),
    (AllOf((AnyOf((AllOf((present("a"), present("b"))),)),)), "attribute_exists(#0) AND attribute_exists(#1)"),
]


@pytest.mark.parametrize(("condition", "text"), CONDITIONS)
def test_a_condition_reads_like_this(condition: Condition, text: str) -> None:
    assert Expressions("pk").condition(condition) == text


def test_no_condition_is_no_text() -> None:
    assert Expressions("pk").condition(None) is None
    assert Expressions("pk").condition(always()) is None


def test_a_part_that_always_holds_is_refused() -> None:
    with pytest.raises(BadExpression):
        Expressions("pk").condition(AnyOf((always(), present())))


def test_an_update_has_one_clause_of_each_kind() -> None:
    expressions = Expressions("pk")
    actions = (
        *set_to(a=1),
        *add(n=1),
        *set_if_absent(b=1),
        *append(l=[1]),
        *remove("c", "d"),
        *add_to_set(s={"x"}),
        *delete_from_set(t={"x"}),
    )

    text = expressions.update(actions)

    assert text == (
        "SET #0 = :0, #2 = if_not_exists(#2, :0), #3 = list_append(if_not_exists(#3, :1), :2) "
        "ADD #1 :0, #6 :3 REMOVE #4, #5 DELETE #7 :3"
    )
    assert meant(expressions) == {
        "ExpressionAttributeNames": {f"#{place}": name for place, name in enumerate("anblcdst")},
        "ExpressionAttributeValues": {
            ":0": {"N": "1"},
            ":1": {"L": []},
            ":2": {"L": [{"N": "1"}]},
            ":3": {"SS": ["x"]},
        },
    }


def test_values_that_python_calls_equal_are_kept_apart() -> None:
    expressions = Expressions("pk")

    marks = [expressions.value(value) for value in (1, True, "1", b"1", [1], {"1": 1}, 1.0)]

    assert marks == [":0", ":1", ":2", ":3", ":4", ":5", ":0"]


async def test_reserved_words_and_odd_characters_are_names_like_any_other(stored: DynamoEngine) -> None:
    odd = [*RESERVED, "a.b", "#0", ":0", "x[0]", "a = b OR c", "with space", "ñ", "😀", "'\"\\"]
    item: Item = {name: place for place, name in enumerate(odd)}
    await stored.write(put(**item))

    condition = all_of(*(equals(name, place) for name, place in item.items()))
    written = await stored.write(UpdateItem(KEY, add(**dict.fromkeys(odd, 1)), condition))
    fields = await stored.get(KEY, consistent=True, fields=tuple(odd))
    page = await stored.query(QueryRequest(pk="p", where=any_of(*map(absent, odd)), fields=tuple(odd)))

    raised = {name: place + 1 for place, name in enumerate(odd)}
    assert written.item == {"pk": "p", "sk": "s", **raised}
    assert fields.item == raised
    assert (page.count, page.scanned) == (0, 1)


async def test_paths_lead_through_names_with_dots_and_brackets(stored: DynamoEngine) -> None:
    item: Item = {"a.b": {"c[0]": [{"size": 1}]}, "a": {"b": "another"}}
    await stored.write(put(**item))

    path = ("a.b", "c[0]", 0, "size")
    written = await stored.write(UpdateItem(KEY, set_to({path: 2}), equals(path, 1)))

    assert written.item == {"pk": "p", "sk": "s", "a.b": {"c[0]": [{"size": 2}]}, "a": {"b": "another"}}


async def test_what_a_user_wrote_is_never_parsed(stored: DynamoEngine) -> None:
    await stored.write(put(owner="ada"))

    with pytest.raises(ConditionFailed):
        await stored.write(UpdateItem(KEY, set_to(taken=True), equals("owner", "x OR attribute_exists(pk)")))
    with pytest.raises(ConditionFailed):
        await stored.write(UpdateItem(KEY, set_to(taken=True), present("owner) OR attribute_exists(pk")))
