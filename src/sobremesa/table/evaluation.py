"""The evaluation of conditions, with the semantics of DynamoDB expressions.

A comparison with a missing attribute, or between two types of value, does not hold; only `<>` does. Numbers compare
by value, text by its UTF-8 bytes, which is also the order of code points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from sobremesa.table.conditions import (
    Absent,
    AllOf,
    Always,
    AnyOf,
    Attribute,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    HasKind,
    LessIfPresent,
    Not,
    OneOf,
    Operand,
    Path,
    Present,
    Size,
)
from sobremesa.table.values import Item, SharedItem, Value, stored_value

MISSING: Any = type("Missing", (), {"__repr__": lambda _: "missing"})()
_ORDERED = frozenset({"S", "N", "B"})
_SIZED = frozenset({"S", "B", "L", "M", "SS", "NS", "BS"})
_KINDS = {
    str: "S",
    bool: "BOOL",
    int: "N",
    float: "N",
    Decimal: "N",
    bytes: "B",
    type(None): "NULL",
    list: "L",
    dict: "M",
    SharedItem: "M",
}


def holds(condition: Condition | None, item: Item | None) -> bool:
    """Return whether a condition holds for the item (None: there is none)."""
    return condition is None or _TESTS[type(condition)](condition, item)


def kind_of(value: Value) -> str:
    """Return DynamoDB's name for the type of a value."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    element = next(iter(value))
    return "SS" if type(element) is str else "BS" if type(element) is bytes else "NS"


def resolve(path: Path, item: Item | None) -> Value:
    """Return the value at a path of an item, or MISSING."""
    if item is None:
        return MISSING
    if type(path) is str:
        return item.get(path, MISSING)
    value: Value = item
    for step in path:
        if isinstance(step, str):
            value = value.get(step, MISSING) if isinstance(value, dict) else MISSING
        else:
            value = value[step] if type(value) is list and 0 <= step < len(value) else MISSING
    return value


def _operand(operand: Operand, item: Item | None) -> Value:
    if type(operand) is Attribute:
        return resolve(operand.path, item)
    if type(operand) is Size:
        value = resolve(operand.path, item)
        if value is MISSING or kind_of(value) not in _SIZED:
            return MISSING
        # Text is counted as DynamoDB counts it: in UTF-16, where some characters are two.
        return len(value.encode("utf-16-le")) // 2 if type(value) is str else len(value)
    return stored_value(operand)


def same(left: Value, right: Value) -> bool:
    """Return whether two values are equal and of the same types, recursively."""
    if left is MISSING or right is MISSING or kind_of(left) != kind_of(right):
        return False
    if type(left) is list:
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return bool(left == right)


def _ordered(left: Value, right: Value) -> bool:
    """Return whether two values can be ordered."""
    if type(left) is str and type(right) is str:
        return True
    return (
        left is not MISSING and right is not MISSING and kind_of(left) == kind_of(right) and kind_of(left) in _ORDERED
    )


def _compare(condition: Compare, item: Item | None) -> bool:
    left, right = _operand(condition.left, item), _operand(condition.right, item)
    return _COMPARATORS[condition.comparator](left, right)


_COMPARATORS: Mapping[Comparator, Callable[[Value, Value], bool]] = {
    "=": same,
    "<>": lambda left, right: not same(left, right),
    "<": lambda left, right: _ordered(left, right) and left < right,
    "<=": lambda left, right: _ordered(left, right) and left <= right,
    ">": lambda left, right: _ordered(left, right) and left > right,
    ">=": lambda left, right: _ordered(left, right) and left >= right,
}


def _between(condition: Between, item: Item | None) -> bool:
    value, low, high = (_operand(each, item) for each in (condition.operand, condition.low, condition.high))
    return _ordered(value, low) and _ordered(value, high) and bool(low <= value <= high)


def _one_of(condition: OneOf, item: Item | None) -> bool:
    value = _operand(condition.operand, item)
    return any(same(value, _operand(choice, item)) for choice in condition.choices)


def _present(condition: Present, item: Item | None) -> bool:
    return item is not None and (condition.path is None or resolve(condition.path, item) is not MISSING)


def _absent(condition: Absent, item: Item | None) -> bool:
    return item is None or (condition.path is not None and resolve(condition.path, item) is MISSING)


def _has_kind(condition: HasKind, item: Item | None) -> bool:
    value = resolve(condition.path, item)
    return value is not MISSING and kind_of(value) == condition.kind


def _less_if_present(condition: LessIfPresent, item: Item | None) -> bool:
    there, value = resolve(condition.path, item), condition.value
    if there is MISSING or there is None:
        return True
    if type(there) is str and type(value) is str and there.isascii() and value.isascii():
        return there < value
    return _any_of(condition.spelled_out, item)


def _begins_with(condition: BeginsWith, item: Item | None) -> bool:
    value, prefix = resolve(condition.path, item), _operand(condition.prefix, item)
    return type(value) is type(prefix) and type(value) in (str, bytes) and bool(value.startswith(prefix))


def _contains(condition: Contains, item: Item | None) -> bool:
    value, element = resolve(condition.path, item), _operand(condition.element, item)
    if value is MISSING or element is MISSING:
        return False
    if type(value) in (str, bytes):
        return type(element) is type(value) and element in value
    if type(value) in (list, frozenset):
        return any(same(held, element) for held in value)
    return False


# Loops, since a generator costs more than the parts of most conditions.
def _all_of(condition: AllOf, item: Item | None) -> bool:
    for part in condition.parts:  # noqa: SIM110
        if not _TESTS[type(part)](part, item):
            return False
    return True


def _any_of(condition: AnyOf, item: Item | None) -> bool:
    for part in condition.parts:  # noqa: SIM110
        if _TESTS[type(part)](part, item):
            return True
    return False


_TESTS: Mapping[type[Condition], Callable[[Any, Item | None], bool]] = {
    Compare: _compare,
    Between: _between,
    OneOf: _one_of,
    Present: _present,
    Absent: _absent,
    HasKind: _has_kind,
    LessIfPresent: _less_if_present,
    BeginsWith: _begins_with,
    Contains: _contains,
    AllOf: _all_of,
    AnyOf: _any_of,
    Not: lambda condition, item: not holds(condition.part, item),
    Always: lambda condition, item: True,
}
