"""The evaluation of conditions and updates, with the semantics of DynamoDB expressions.

A comparison with a missing attribute, or between two types of value, does not hold; only `<>` does. Numbers compare
by value, text by its UTF-8 bytes, which is also the order of code points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
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
from sobremesa.table.errors import BadExpression
from sobremesa.table.updates import Action, Add, AddToSet, Append, DeleteFromSet, Remove, Set, SetIfAbsent
from sobremesa.table.values import (
    EXACT,
    Item,
    Value,
    refuse_too_large,
    reweigh,
    stored_number,
    stored_value,
    whole_weight,
)

_MISSING: Any = type("Missing", (), {"__repr__": lambda _: "missing"})()
_SMALL = 10**17
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
}


def holds(condition: Condition | None, item: Item | None) -> bool:
    """Return whether a condition holds for the item (None: there is none)."""
    return condition is None or _TESTS[type(condition)](condition, item)


def changed(item: Item, size: int, actions: Sequence[Action]) -> tuple[Item, int]:
    """Return an item after these actions, and its new size; raise TooLarge if it cannot be stored.

    Each action sees the original item, not the results of the others.
    """
    result = item.copy()
    others: list[Action] = []
    for action in actions:
        grown = None
        if type(action) is Set:
            grown = _set_fast(item, result, action)
        elif type(action) is Add:
            grown = _add_fast(item, result, action)
        if grown is None:
            others.append(action)
        else:
            size += grown
    if others:
        for action in in_safe_order(others):
            _CHANGES[type(action)](item, result, action)
        size = reweigh(item, size, result, map(_attribute, others))
    return result, refuse_too_large(size)


def _attribute(action: Action) -> str:
    """Return the name of the top-level attribute of an action."""
    return action.path if type(action.path) is str else str(action.path[0])


def _set_fast(item: Item, result: Item, action: Set) -> int | None:
    """Fast path: set ASCII text over ASCII text or nothing; return the change in size, or None if it does not apply."""
    name, value = action.path, action.value
    if type(value) is not str or type(name) is not str or not value.isascii():
        return None
    before = item.get(name, _MISSING)
    if type(before) is str and before.isascii():
        result[name] = value
        return len(value) - len(before)
    if before is _MISSING and name.isascii():
        result[name] = value
        return len(name) + len(value)
    return None


def _add_fast(item: Item, result: Item, action: Add) -> int | None:
    """Fast path: add two small integers; return the change in size, or None if it does not apply."""
    name, number = action.path, action.number
    if type(number) is not int or type(name) is not str:
        return None
    before = item.get(name)
    if type(before) is not int or not 0 <= before <= _SMALL or not 0 <= number <= _SMALL:
        return None
    result[name] = after = before + number
    return whole_weight(after) - whole_weight(before)


def kind_of(value: Value) -> str:
    """Return DynamoDB's name for the type of a value."""
    kind = _KINDS.get(type(value))
    if kind is not None:
        return kind
    element = next(iter(value))
    return "SS" if type(element) is str else "BS" if type(element) is bytes else "NS"


def _resolve(path: Path, item: Item | None) -> Value:
    if item is None:
        return _MISSING
    if type(path) is str:
        return item.get(path, _MISSING)
    value: Value = item
    for step in path:
        if isinstance(step, str):
            value = value.get(step, _MISSING) if isinstance(value, dict) else _MISSING
        else:
            value = value[step] if type(value) is list and 0 <= step < len(value) else _MISSING
    return value


def _operand(operand: Operand, item: Item | None) -> Value:
    if type(operand) is Attribute:
        return _resolve(operand.path, item)
    if type(operand) is Size:
        value = _resolve(operand.path, item)
        if value is _MISSING or kind_of(value) not in _SIZED:
            return _MISSING
        # Text is counted as DynamoDB counts it: in UTF-16, where some characters are two.
        return len(value.encode("utf-16-le")) // 2 if type(value) is str else len(value)
    return stored_value(operand)


def same(left: Value, right: Value) -> bool:
    """Return whether two values are equal and of the same types, recursively."""
    if left is _MISSING or right is _MISSING or kind_of(left) != kind_of(right):
        return False
    if type(left) is list:
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) is dict:
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return bool(left == right)


def _ordered(left: Value, right: Value) -> bool:
    """Return whether two values can be ordered."""
    if type(left) is str and type(right) is str:
        return True
    return (
        left is not _MISSING and right is not _MISSING and kind_of(left) == kind_of(right) and kind_of(left) in _ORDERED
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
    return item is not None and (condition.path is None or _resolve(condition.path, item) is not _MISSING)


def _absent(condition: Absent, item: Item | None) -> bool:
    return item is None or (condition.path is not None and _resolve(condition.path, item) is _MISSING)


def _has_kind(condition: HasKind, item: Item | None) -> bool:
    value = _resolve(condition.path, item)
    return value is not _MISSING and kind_of(value) == condition.kind


def _less_if_present(condition: LessIfPresent, item: Item | None) -> bool:
    there, value = _resolve(condition.path, item), condition.value
    if there is _MISSING or there is None:
        return True
    if type(there) is str and type(value) is str and there.isascii() and value.isascii():
        return there < value
    return _any_of(condition.spelled_out, item)


def _begins_with(condition: BeginsWith, item: Item | None) -> bool:
    value, prefix = _resolve(condition.path, item), _operand(condition.prefix, item)
    return type(value) is type(prefix) and type(value) in (str, bytes) and bool(value.startswith(prefix))


def _contains(condition: Contains, item: Item | None) -> bool:
    value, element = _resolve(condition.path, item), _operand(condition.element, item)
    if value is _MISSING or element is _MISSING:
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


def in_safe_order(actions: Sequence[Action]) -> Sequence[Action]:
    """Return actions in an order that keeps every list index valid."""
    # Only list indexes depend on each other, and a plain name has none.
    for action in actions:
        if type(action.path) is not str:
            return sorted(actions, key=_order)
    return actions


def _order(action: Action) -> tuple[bool, list[int]]:
    """The sort key of an action: removals come last, and from the end of a list."""
    indexes = [step for step in action.path if isinstance(step, int)]
    if isinstance(action, Remove):
        return True, [-index for index in indexes]
    return False, indexes


def _put_at(result: Item, path: Path, value: Value) -> None:
    """Set a value at a path of the result, copying the containers on the way."""
    if type(path) is str:
        result[path] = value
        return
    container: Any = result
    for step, following in pairwise(path):
        held = _step(container, step)
        wanted = dict if type(following) is str else list
        if type(held) is not wanted:
            raise BadExpression(f"there is no {'map' if wanted is dict else 'list'} at {path!r} to change")
        container[step] = container = held.copy()
    last = path[-1]
    if type(container) is list and last >= len(container):  # type: ignore[operator]
        container.append(value)
    else:
        container[last] = value


def _step(container: Any, step: str | int) -> Value:
    if type(container) is dict:
        return container.get(step, _MISSING)
    return container[step] if 0 <= int(step) < len(container) else _MISSING


def _set(item: Item, result: Item, action: Set) -> None:
    if type(action.path) is str:
        result[action.path] = stored_value(action.value)
    else:
        _put_at(result, action.path, stored_value(action.value))


def _set_if_absent(item: Item, result: Item, action: SetIfAbsent) -> None:
    if _resolve(action.path, item) is _MISSING:
        _put_at(result, action.path, stored_value(action.value))


def _add(item: Item, result: Item, action: Add) -> None:
    before = _resolve(action.path, item)
    if before is _MISSING:
        before = 0
    elif type(before) is not int and kind_of(before) != "N":
        raise BadExpression(f"{action.path!r} is not a number")
    _put_at(result, action.path, _sum(before, stored_number(action.number)))


def _sum(left: int | float | Decimal, right: int | float | Decimal) -> int | float | Decimal:
    if type(left) is int and type(right) is int:
        return stored_number(left + right)
    return stored_number(EXACT.add(_decimal(left), _decimal(right)))


def _decimal(number: int | float | Decimal) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _append(item: Item, result: Item, action: Append) -> None:
    before = _resolve(action.path, item)
    if before is _MISSING:
        before = []
    elif type(before) is not list:
        raise BadExpression(f"{action.path!r} is not a list")
    _put_at(result, action.path, before + stored_value(action.values))


def _remove(item: Item, result: Item, action: Remove) -> None:
    if isinstance(action.path, str):
        result.pop(action.path, None)
        return
    way, last = action.path[:-1], action.path[-1]
    container: Any = _resolve(way, result)
    if type(container) is not (dict if type(last) is str else list):
        raise BadExpression(f"there is nothing at {action.path!r} to remove")
    if _step(container, last) is _MISSING:
        return
    remaining: Any = container.copy()
    del remaining[last]
    _put_at(result, way, remaining)


def _add_to_set(item: Item, result: Item, action: AddToSet) -> None:
    before = _set_at(item, action)
    _put_at(result, action.path, stored_value(before | action.elements))


def _delete_from_set(item: Item, result: Item, action: DeleteFromSet) -> None:
    remaining = _set_at(item, action) - stored_value(action.elements)
    if remaining:
        _put_at(result, action.path, remaining)
    else:
        result.pop(action.path if isinstance(action.path, str) else str(action.path[0]), None)


def _set_at(item: Item, action: AddToSet | DeleteFromSet) -> frozenset[Value]:
    before = _resolve(action.path, item)
    elements = stored_value(action.elements)
    if before is _MISSING:
        return frozenset()
    if kind_of(before) != kind_of(elements):
        raise BadExpression(f"{action.path!r} is not a set of that type")
    return frozenset(before)


_CHANGES: Mapping[type[Action], Callable[[Item, Item, Any], None]] = {
    Set: _set,
    SetIfAbsent: _set_if_absent,
    Add: _add,
    Append: _append,
    Remove: _remove,
    AddToSet: _add_to_set,
    DeleteFromSet: _delete_from_set,
}
