"""Copies: rows of a new shape that were created from old rows.

A copy keeps the fingerprint of its old row until it is changed through Sobremesa. Until then, a later change of the old
row updates the copy; after that, the old row is ignored. Deleting a copy leaves a tombstone, so that it is not created
from its old row again.
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
    """A row that may be a copy of an old one."""

    legacy_print: str | None = None
    """The fingerprint of the old row; None if there was none, or the copy was changed since."""


def fingerprint_of(item: Mapping[str, Value]) -> str:
    """Return a hash of the content of a stored row: equal on every engine, different after any change."""
    return hashlib.blake2b(_encode(_plain(item)), digest_size=16).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value in types that are distinct and have one order."""
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if isinstance(value, frozenset | set):
        return {"set": sorted(map(_encode, map(_plain, value)))}
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return ["number", number_text(stored_number(value))]
    return value
