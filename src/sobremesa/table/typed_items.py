"""Converts values to the format of DynamoDB, `{"S": "Ada"}`, and back: for requests, and for files that lose nothing.

A hot path: one lookup by exact type per value.

Values are in stored form (`values.weigh`, `values.stored_value`), so nothing is checked again.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from sobremesa.table.errors import BadValue
from sobremesa.table.values import Item, Value, number_from_text, number_text

TypedItem: TypeAlias = dict[str, dict[str, Any]]
"""An item in the format of DynamoDB: `{"name": {"S": "Ada"}}`."""


def dump_item(item: Mapping[str, Value]) -> TypedItem:
    """Return a stored item in the format of DynamoDB."""
    return {
        name: {"S": value} if type(value) is str else dump_value(value)  # most are text
        for name, value in item.items()
    }


def dump_value(value: Value) -> dict[str, Any]:
    """Return a stored value in the format of DynamoDB. Bytes stay bytes: the JSON encoder writes base64."""
    dump = _DUMPS.get(type(value))
    if dump is None:
        return _dump_subclass(value)
    return dump(value)


def load_item(typed: TypedItem) -> Item:
    """Return the item of DynamoDB's format."""
    return {name: value["S"] if "S" in value else load_value(value) for name, value in typed.items()}


def load_value(typed: Mapping[str, Any]) -> Value:
    """Return the value of DynamoDB's format."""
    ((kind, value),) = typed.items()
    return _LOADS[kind](value)


def _dump_set(elements: frozenset[Value]) -> dict[str, Any]:
    # Sorted, since a transaction repeated with its token must have the same bytes.
    ordered = sorted(elements)
    if isinstance(ordered[0], str):
        return {"SS": ordered}
    if isinstance(ordered[0], bytes):
        return {"BS": ordered}
    return {"NS": [number_text(number) for number in ordered]}


def _dump_subclass(value: Value) -> dict[str, Any]:
    if isinstance(value, str):
        return {"S": str.__str__(value)}
    if isinstance(value, bytes):
        return {"B": bytes(value)}
    raise BadValue(f"a {type(value).__name__} is not in stored form")


_DUMPS: dict[type, Callable[[Any], dict[str, Any]]] = {
    str: lambda text: {"S": text},
    int: lambda number: {"N": str(number)},
    bool: lambda truth: {"BOOL": truth},
    type(None): lambda _: {"NULL": True},
    float: lambda number: {"N": number_text(number)},
    Decimal: lambda number: {"N": number_text(number)},
    bytes: lambda content: {"B": content},
    list: lambda values: {"L": [dump_value(value) for value in values]},
    dict: lambda values: {"M": dump_item(values)},
    frozenset: _dump_set,
}

_LOADS: dict[str, Callable[[Any], Value]] = {
    "S": lambda text: text,
    "N": number_from_text,
    "BOOL": lambda truth: truth,
    "NULL": lambda _: None,
    "B": a2b_base64,
    "L": lambda values: [load_value(value) for value in values],
    "M": load_item,
    "SS": frozenset,
    "NS": lambda texts: frozenset(map(number_from_text, texts)),
    "BS": lambda texts: frozenset(map(a2b_base64, texts)),
}
