"""The evaluation of updates, with the semantics of DynamoDB expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sobremesa.table.conditions import Path
from sobremesa.table.errors import BadExpression
from sobremesa.table.evaluation import MISSING, kind_of, resolve
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

_SMALL = 10**17


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
    before = item.get(name, MISSING)
    if type(before) is str and before.isascii():
        result[name] = value
        return len(value) - len(before)
    if before is MISSING and name.isascii():
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
        return container.get(step, MISSING)
    return container[step] if 0 <= int(step) < len(container) else MISSING


def _set(item: Item, result: Item, action: Set) -> None:
    if type(action.path) is str:
        result[action.path] = stored_value(action.value)
    else:
        _put_at(result, action.path, stored_value(action.value))


def _set_if_absent(item: Item, result: Item, action: SetIfAbsent) -> None:
    if resolve(action.path, item) is MISSING:
        _put_at(result, action.path, stored_value(action.value))


def _add(item: Item, result: Item, action: Add) -> None:
    before = resolve(action.path, item)
    if before is MISSING:
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
    before = resolve(action.path, item)
    if before is MISSING:
        before = []
    elif type(before) is not list:
        raise BadExpression(f"{action.path!r} is not a list")
    _put_at(result, action.path, before + stored_value(action.values))


def _remove(item: Item, result: Item, action: Remove) -> None:
    if isinstance(action.path, str):
        result.pop(action.path, None)
        return
    way, last = action.path[:-1], action.path[-1]
    container: Any = resolve(way, result)
    if type(container) is not (dict if type(last) is str else list):
        raise BadExpression(f"there is nothing at {action.path!r} to remove")
    if _step(container, last) is MISSING:
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
    before = resolve(action.path, item)
    elements = stored_value(action.elements)
    if before is MISSING:
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
