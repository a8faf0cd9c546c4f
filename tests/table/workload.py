"""Random operations for the differential test: few keys, so that they meet; values of every kind and critical sizes.

What dynoxide gets wrong is not asked of it. Each such place names its gap.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from servers import WITH_DYNAMODB_LOCAL
from sobremesa.table.conditions import (
    Absent,
    AllOf,
    AnyOf,
    Attribute,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    HasKind,
    Not,
    OneOf,
    Path,
    Present,
    Size,
)
from sobremesa.table.engines.protocol import (
    CheckItem,
    DeleteItem,
    IndexKey,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    SortBetween,
    SortEquals,
    SortPrefix,
    UpdateItem,
)
from sobremesa.table.layout import gsi1, gsi2
from sobremesa.table.updates import Action, Add, AddToSet, Append, DeleteFromSet, Remove, Set, SetIfAbsent
from sobremesa.table.values import Item, weigh

# No two keys that differ only in case: prefix-ignores-case.
PARTITIONS = ("p", "q", "ä")
SORTS = ("a", "a#1", "a#2", "a#é", "b", "b#1", "c", "é", "😀")
PREFIXES = ("a", "a#", "b#", "é", "z", "😀")
INDEX_PARTITIONS = ("g", "h")
INDEX_SORTS = ("1", "1#a", "1#b", "2", "é")

TEXTS: tuple[Any, ...] = ("", "a", "b", "ab", "é", "aé", "日本", "😀", "zz")
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 100, -123, 0.1, 1.5, -0.5, 100.5, 10**20, 10**37 + 1, 10**38 - 1, -(10**37),
    12345678901234567890123456789012345678, Decimal("1E-20"), Decimal("1.2345678901234567890123456789012345678"),
    Decimal("9.99E125"), Decimal("1E-130"), 1.0, Decimal("2.50"),
)  # fmt: skip
BLOBS = (b"", b"\x00", b"\xff\x00", b"ab", b"a")
SETS = (
    frozenset({"a"}), frozenset({"a", "b"}), frozenset({"é", ""}), frozenset({1}), frozenset({1.0, 2.5, -3}),
    frozenset({10**37 + 1, 2}), frozenset({b"a"}), frozenset({b"", b"ab"}),
)  # fmt: skip
NESTED: tuple[Any, ...] = (
    [], {}, [1, "a"], [[0], {"x": None}], {"x": 1}, {"x": {"y": [1, 2]}, "l": []}, {"x": "a", "n": 2.5},
    [True, False, None, b"a"], [frozenset({"a"})], {"é": {"😀": Decimal("1E-20")}},
)  # fmt: skip
BAD_VALUES: tuple[Any, ...] = (float("nan"), 10**126, frozenset(), "\ud800", object)
SIZES = (1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193)

NAMES = ("n", "s", "l", "m", "t", "name", "é")
APPENDED: tuple[Path, ...] = ("l", "l", "l", "s", "n", ("m", "l"), ("x", "l"))
PATHS: tuple[Path, ...] = (*NAMES, ("m", "x"), ("m", "x", "y"), ("m", "l"), ("l", 0), ("l", 1), ("x", "y"))

texts = st.sampled_from(TEXTS)
numbers = st.sampled_from(NUMBERS)
scalars = st.sampled_from((*TEXTS, *NUMBERS, *BLOBS, True, False, None))
values = st.one_of(scalars, scalars, st.sampled_from(SETS), st.sampled_from(NESTED))
keys = st.builds(RawKey, st.sampled_from(PARTITIONS), st.sampled_from(SORTS))
paths = st.sampled_from(PATHS)
sometimes = st.integers(0, 5).map(lambda chance: chance == 5)


def index_sort(sort: str, key: RawKey) -> str:
    """A sort key of an index. On DynamoDB Local no two items have the same one: equal-keys-unordered."""
    return f"{sort}#{key.pk}{key.sk}" if WITH_DYNAMODB_LOCAL else sort


@st.composite
def index_keys(draw: st.DrawFn, key: RawKey) -> Item:
    """Keys of the two indexes, of one, of half of one, of none."""
    item: Item = {}
    for name, choices in (
        ("gsi1pk", INDEX_PARTITIONS), ("gsi1sk", INDEX_SORTS), ("gsi2pk", INDEX_PARTITIONS), ("gsi2sk", INDEX_SORTS),
    ):  # fmt: skip
        chance = draw(st.integers(0, 19))
        if chance == 19:
            item[name] = draw(st.sampled_from(("", 7, None)))  # refused by both
        elif chance > 5:
            choice = draw(st.sampled_from(choices))
            item[name] = index_sort(choice, key) if name.endswith("sk") else choice
    return item


@st.composite
def items(draw: st.DrawFn, key: RawKey) -> Item:
    """An item of any content, now and then of a size just below, at or above a step of the capacity."""
    item: Item = {"pk": key.pk, "sk": key.sk, **draw(index_keys(key))}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True)):
        item[name] = draw(values)
    kind = draw(st.integers(0, 19))
    if kind == 19:
        item["bad"] = draw(st.sampled_from(BAD_VALUES))
    elif kind > 12 and not any(
        item.get(name, "x") in ("", 7, None) for name in ("gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk")
    ):
        room = draw(st.sampled_from(SIZES)) - weigh(item)[1] - len("pad")
        if room >= 0:
            item["pad"] = "é" * (room // 2) + "x" * (room % 2)
    return item


operands = st.one_of(values, paths.map(Attribute), paths.map(Size))
lefts = st.one_of(paths.map(Attribute), paths.map(Attribute), paths.map(Size))


ordered = st.sampled_from((*TEXTS, *NUMBERS, *BLOBS))
bounds = st.one_of(
    st.tuples(numbers, numbers).map(sorted),
    st.tuples(texts, texts).map(sorted),
    st.tuples(st.sampled_from(BLOBS), paths.map(Attribute)),
    st.tuples(operands, operands),
)
leaves = st.one_of(
    st.builds(Compare, lefts, st.sampled_from(("=", "<>")), operands),
    st.builds(Compare, lefts, st.sampled_from(("<", "<=", ">", ">=")), st.one_of(ordered, ordered, ordered, operands)),
    st.builds(lambda left, pair: Between(left, *pair), lefts, bounds),
    st.builds(OneOf, lefts, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    st.builds(Present, st.none() | paths),
    st.builds(Absent, st.none() | paths),
    st.builds(HasKind, paths, st.sampled_from(("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"))),
    st.builds(BeginsWith, paths, st.one_of(texts, texts, st.sampled_from(BLOBS), paths.map(Attribute), scalars)),
    st.builds(Contains, paths, operands),
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        st.builds(Not, inner),
    ),
    max_leaves=4,
)
whens = st.one_of(st.none(), st.none(), st.builds(Present, st.none()), st.builds(Absent, st.none()), conditions)


@st.composite
def actions(draw: st.DrawFn, key: RawKey, before: Item) -> Action:
    """One action; places of lists and paths to remove are such as the item really has."""
    name = draw(st.sampled_from(NAMES))
    match draw(st.integers(0, 12)):
        case 0 | 1:
            return Set(name, draw(values))
        case 2:
            return SetIfAbsent(name, draw(values))
        case 3 | 4:
            return Add(draw(st.sampled_from(("n", "n", "n", name))), draw(numbers))
        case 5:
            return Append(draw(st.sampled_from(APPENDED)), draw(st.lists(scalars, max_size=2)))
        case 6:
            return Remove(name)
        case 7:
            return AddToSet(draw(st.sampled_from(("t", name))), draw(st.sampled_from(SETS)))
        case 8:
            return DeleteFromSet(draw(st.sampled_from(("t", name))), draw(st.sampled_from(SETS)))
        case 9:
            path = draw(st.sampled_from((("m", "x"), ("m", "new"), ("m", "x", "y"), ("x", "y"), ("s", "y"))))
            return draw(st.sampled_from((Set, SetIfAbsent)))(path, draw(values))
        case 10:
            return _in_list(draw, before)
        case 11 if isinstance(before.get("m"), dict):  # else: remove-nowhere
            return Remove(("m", draw(st.sampled_from(("x", "l", "none")))))
        case _:
            attribute = draw(st.sampled_from(("gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk")))
            sorts = [index_sort(sort, key) for sort in INDEX_SORTS]
            choices = INDEX_PARTITIONS if attribute.endswith("pk") else sorts
            return draw(st.sampled_from((Remove(attribute), *(Set(attribute, choice) for choice in choices))))


def _in_list(draw: st.DrawFn, before: Item) -> Action:
    held = before.get("l")
    if not isinstance(held, list) or not held:  # a place beyond the end: list-padded; of no list: remove-nowhere
        return Append("l", [draw(scalars), draw(scalars)])
    place = draw(st.integers(0, len(held) - 1))
    return draw(st.sampled_from((Set(("l", place), draw(values)), Remove(("l", place)))))


@st.composite
def updates(draw: st.DrawFn, key: RawKey, before: Item) -> UpdateItem:
    chosen = draw(st.lists(actions(key, before), min_size=1, max_size=3))
    return UpdateItem(key, tuple(chosen), draw(whens))


sort_conditions = st.one_of(
    st.none(),
    st.sampled_from(PREFIXES).map(SortPrefix),
    st.sampled_from(SORTS).map(SortEquals),
    st.tuples(st.sampled_from(SORTS), st.sampled_from(SORTS)).map(sorted).map(lambda pair: SortBetween(*pair)),
)
index_sort_conditions = st.one_of(
    st.none(),
    st.sampled_from(("1", "1#", "z")).map(SortPrefix),
    st.builds(index_sort, st.sampled_from(INDEX_SORTS), keys).map(SortEquals),
    st.tuples(st.sampled_from(INDEX_SORTS), st.sampled_from(INDEX_SORTS)).map(lambda pair: SortBetween(*pair)),
)
fields = st.lists(st.sampled_from((*NAMES, "pk", "gsi1sk", "pad")), min_size=1, max_size=3, unique=True).map(tuple)


@st.composite
def queries(draw: st.DrawFn) -> QueryRequest:
    index = draw(st.sampled_from((None, None, gsi1, gsi2)))
    count_only = draw(sometimes)
    start: RawKey | IndexKey | None = None
    pk = draw(st.sampled_from(PARTITIONS if index is None else INDEX_PARTITIONS))
    sort = draw(sort_conditions if index is None else index_sort_conditions)
    if draw(sometimes):
        if index is None:
            start = RawKey(draw(st.sampled_from((pk, pk, pk, *PARTITIONS))), draw(st.sampled_from(SORTS)))
            sort = sort if draw(sometimes) else None
        else:
            sort = sort if draw(sometimes) else None
            base = draw(keys)
            start = IndexKey(index_sort(draw(st.sampled_from(INDEX_SORTS)), base), base)
    backward = draw(st.booleans())
    if WITH_DYNAMODB_LOCAL and start is not None and isinstance(sort, SortBetween):
        start = None if start.sk == (sort.low if backward else sort.high) else start  # page-starts-at-bound
    return QueryRequest(
        pk=pk,
        index=index,
        sort=sort,
        backward=backward,
        limit=draw(st.sampled_from((None, 1, 2, 3, 5))),
        start=start,
        where=draw(conditions) if draw(sometimes) else None,
        fields=draw(fields) if draw(sometimes) and not count_only else None,
        count_only=count_only,
        consistent=draw(sometimes) and (index is None or draw(sometimes)),
    )


scans = st.builds(
    ScanRequest,
    segments=st.sampled_from((1, 2, 3)),
    limit=st.sampled_from((None, 1, 4)),
    where=st.none() | conditions,
)


@st.composite
def puts(draw: st.DrawFn, key: RawKey) -> PutItem:
    return PutItem(key, draw(items(key)), draw(whens))


@st.composite
def others(draw: st.DrawFn, key: RawKey) -> DeleteItem | CheckItem:
    return CheckItem(key, draw(conditions)) if draw(st.booleans()) else DeleteItem(key, draw(whens))


@st.composite
def writes(draw: st.DrawFn, key: RawKey, before: Item) -> PutItem | UpdateItem | DeleteItem | CheckItem:
    """Any one operation."""
    match draw(st.integers(0, 5)):
        case 0 | 1:
            return draw(puts(key))
        case 2 | 3 | 4:
            return draw(updates(key, before))
        case _:
            return draw(others(key))


@st.composite
def some_keys(draw: st.DrawFn, most: int) -> list[RawKey]:
    """Different keys, but now and then one of them twice, which both refuse."""
    chosen = draw(st.lists(keys, min_size=1, max_size=most, unique=True))
    return [*chosen, chosen[0]] if draw(st.integers(0, 19)) == 19 else chosen


@st.composite
def batch(draw: st.DrawFn) -> list[PutItem | DeleteItem]:
    chosen = draw(some_keys(6))
    return [DeleteItem(key) if draw(sometimes) else PutItem(key, draw(items(key))) for key in chosen]
