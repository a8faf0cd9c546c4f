"""Renders conditions, updates and queries as DynamoDB expressions.

Names and values are always placeholders, `#0` and `:0`, each used once: no attribute name can be a reserved word, and
user input is never parsed. All input has passed `checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from sobremesa.table.conditions import (
    Absent,
    AllOf,
    Always,
    AnyOf,
    Attribute,
    BeginsWith,
    Between,
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
from sobremesa.table.engines.protocol import SortBetween, SortCondition, SortEquals, SortPrefix
from sobremesa.table.errors import BadExpression
from sobremesa.table.typed_items import dump_value
from sobremesa.table.update_evaluation import in_safe_order
from sobremesa.table.updates import Action, Add, AddToSet, Append, DeleteFromSet, Remove, Set, SetIfAbsent
from sobremesa.table.values import Value, stored_value

_encode = msgspec.json.Encoder().encode


class Expressions:
    """The expressions of one request, and the names and values that they share."""

    def __init__(self, pk: str) -> None:
        self._pk = pk
        self._names: dict[str, str] = {}
        self._values: dict[bytes, str] = {}

    def into(self, request: dict[str, Any]) -> None:
        """Add the names and values of the expressions to the request."""
        if self._names:
            request["ExpressionAttributeNames"] = {mark: name for name, mark in self._names.items()}
        if self._values:
            request["ExpressionAttributeValues"] = {
                mark: msgspec.Raw(encoded) for encoded, mark in self._values.items()
            }

    def condition(self, condition: Condition | None) -> str | None:
        """Return the text of a condition or filter; None if there is none."""
        if condition is None or type(condition) is Always:
            return None
        return self._test(_unwrapped(condition))

    def update(self, actions: Sequence[Action]) -> str:
        """Return the text of an update."""
        clauses: dict[str, list[str]] = {}
        # DynamoDB accepts any order; an endpoint that removes list elements one by one needs this one.
        for action in in_safe_order(actions):
            clause, text = _ACTIONS[type(action)](self, action)
            clauses.setdefault(clause, []).append(text)
        return " ".join(f"{clause} {', '.join(texts)}" for clause, texts in clauses.items())

    def key_condition(self, pk: tuple[str, str], sort_name: str, sort: SortCondition) -> str:
        """Return the text that selects a partition (an attribute and its value) and a range of it."""
        text = f"{self._name(pk[0])} = {self.value(pk[1])}"
        match sort:
            case SortPrefix(prefix):
                return f"{text} AND begins_with({self._name(sort_name)}, {self.value(prefix)})"
            case SortEquals(value):
                return f"{text} AND {self._name(sort_name)} = {self.value(value)}"
            case SortBetween(low, high):
                bounds = f"{self.value(low)} AND {self.value(high)}"
                return f"{text} AND {self._name(sort_name)} BETWEEN {bounds}"
            case None:
                return text

    def projection(self, fields: Iterable[str]) -> str:
        """Return the text that names the attributes to return."""
        return ", ".join(map(self._name, fields))

    def path(self, path: Path) -> str:
        """Return a path, with a placeholder for each name; numbers are list indexes."""
        if isinstance(path, str):
            return self._name(path)
        text = self._name(str(path[0]))
        for step in path[1:]:
            text += f"[{step}]" if isinstance(step, int) else f".{self._name(step)}"
        return text

    def value(self, value: Value) -> str:
        """Return the placeholder of a value."""
        encoded = _encode(dump_value(stored_value(value)))
        return self._values.setdefault(encoded, f":{len(self._values)}")

    def _name(self, name: str) -> str:
        return self._names.setdefault(name, f"#{len(self._names)}")

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Attribute):
            return self.path(operand.path)
        if isinstance(operand, Size):
            return f"size({self.path(operand.path)})"
        return self.value(operand)

    def _test(self, condition: Condition) -> str:
        match condition:
            case Compare(left, comparator, right):
                return f"{self._operand(left)} {comparator} {self._operand(right)}"
            case Between(operand, low, high):
                return f"{self._operand(operand)} BETWEEN {self._operand(low)} AND {self._operand(high)}"
            case OneOf(operand, choices):
                return f"{self._operand(operand)} IN ({', '.join(map(self._operand, choices))})"
            case Present(path):
                return f"attribute_exists({self.path(self._pk if path is None else path)})"
            case Absent(path):
                return f"attribute_not_exists({self.path(self._pk if path is None else path)})"
            case HasKind(path, kind):
                return f"attribute_type({self.path(path)}, {self.value(kind)})"
            case BeginsWith(path, prefix):
                return f"begins_with({self.path(path)}, {self._operand(prefix)})"
            case Contains(path, element):
                return f"contains({self.path(path)}, {self._operand(element)})"
            case AllOf(parts):
                return " AND ".join(map(self._part, parts))
            case AnyOf(parts):
                return " OR ".join(map(self._part, parts))
            case Not(part):
                return f"NOT ({self._test(_unwrapped(part))})"
            case _:
                raise BadExpression(f"{condition!r} cannot be a part of another condition")

    def _part(self, condition: Condition) -> str:
        part = _unwrapped(condition)
        text = self._test(part)
        return f"({text})" if isinstance(part, AllOf | AnyOf) else text


def _unwrapped(condition: Condition) -> Condition:
    """Return the condition without groups of one, since DynamoDB rejects redundant parentheses."""
    if isinstance(condition, LessIfPresent):
        return condition.spelled_out
    while isinstance(condition, AllOf | AnyOf) and len(condition.parts) == 1:
        condition = condition.parts[0]
    return condition


def _set(expressions: Expressions, action: Set) -> tuple[str, str]:
    return "SET", f"{expressions.path(action.path)} = {expressions.value(action.value)}"


def _set_if_absent(expressions: Expressions, action: SetIfAbsent) -> tuple[str, str]:
    path = expressions.path(action.path)
    return "SET", f"{path} = if_not_exists({path}, {expressions.value(action.value)})"


def _append(expressions: Expressions, action: Append) -> tuple[str, str]:
    path = expressions.path(action.path)
    before = f"if_not_exists({path}, {expressions.value([])})"
    return "SET", f"{path} = list_append({before}, {expressions.value(action.values)})"


def _remove(expressions: Expressions, action: Remove) -> tuple[str, str]:
    return "REMOVE", expressions.path(action.path)


def _add(expressions: Expressions, action: Add) -> tuple[str, str]:
    return "ADD", f"{expressions.path(action.path)} {expressions.value(action.number)}"


def _add_to_set(expressions: Expressions, action: AddToSet) -> tuple[str, str]:
    return "ADD", f"{expressions.path(action.path)} {expressions.value(action.elements)}"


def _delete_from_set(expressions: Expressions, action: DeleteFromSet) -> tuple[str, str]:
    return "DELETE", f"{expressions.path(action.path)} {expressions.value(action.elements)}"


_ACTIONS: Mapping[type[Action], Callable[[Expressions, Any], tuple[str, str]]] = {
    Set: _set,
    SetIfAbsent: _set_if_absent,
    Append: _append,
    Remove: _remove,
    Add: _add,
    AddToSet: _add_to_set,
    DeleteFromSet: _delete_from_set,
}
