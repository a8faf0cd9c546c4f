"""Copies: rows of a new shape that were made of old rows, and what they remember of them.

A copy keeps the print of the old row it was made of for as long as nobody has changed it through us: until then a later
change of the old row goes into it, after that the old row has no more say. A deletion of a copy is a change of it that
leaves a tombstone, so it does not come back from its old row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from sobremesa.table import Entity
from sobremesa.table.values import Value, number_text, stored_number

_encode = msgspec.msgpack.Encoder(order="sorted").encode


class Copied(Entity):
    """A row that may have been made of an old one."""

    legacy_print: str | None = None
    """The print of the old row that it was made of; None: there was none, or somebody has changed it here since."""


def print_of(item: Mapping[str, Value]) -> str:
    """A text that stands for the content of a stored row: the same on every engine, another for any change."""
    return hashlib.blake2b(_encode(_plain(item)), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """A value in kinds that are told apart and have one order."""
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if isinstance(value, frozenset | set):
        return {"set": sorted(map(_encode, map(_plain, value)))}
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return ["number", number_text(stored_number(value))]
    return value
