"""Versions of stored rows: a row of an older version is upgraded when it is read, and before it is changed.

An entity that declares `schema_version` stores it in `schemaVersion`; a row without that attribute has version 1. An
update changes single attributes, so it requires a row of the current version: an older row is upgraded in place first.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sobremesa.table.conditions import Condition, absent, absent_or_null, all_of, equals
from sobremesa.table.engines.protocol import PutItem, RawKey
from sobremesa.table.errors import BadExpression, BadRow, RowTooNew
from sobremesa.table.layout import SCHEMA_VERSION, Layout
from sobremesa.table.values import Item, Value

if TYPE_CHECKING:
    from sobremesa.table.entities import Entity, Shape


def check_version(shape: Shape, *, has_upgrade: bool) -> None:
    """Raise BadExpression unless the declared version is possible."""
    version = shape.schema_version
    if version is None:
        return
    if type(version) is not int or version < 1:
        raise BadExpression(f"{shape.name}.schema_version is {version!r}; it must be a positive integer")
    if version > 1 and not has_upgrade:
        raise BadExpression(f"{shape.name} has the version {version}, but no method `upgrade` for older rows")
    if SCHEMA_VERSION in shape.attributes.values():
        raise BadExpression(f"{shape.name} stores a field as {SCHEMA_VERSION}, which holds the version of a row")


def is_outdated(item: Mapping[str, Value], shape: Shape, layout: Layout) -> bool:
    """Return whether this row has an older version than the entity; raise RowTooNew if it has a newer one."""
    return shape.schema_version is not None and _version_of(item, shape, layout) < shape.schema_version


def upgraded(item: Mapping[str, Value], shape: Shape, layout: Layout) -> Item:
    """Return the row in the form of the current version, without the attribute for the version."""
    current = shape.schema_version or 1
    version = _version_of(item, shape, layout)
    # A deep copy, since a cached row must not change.
    row = copy.deepcopy(dict(item)) if version < current else dict(item)
    for before in range(version, current):
        try:
            row = shape.upgrade(row, before)
        except Exception as error:
            key = _key_of(item, layout)
            where = f"the row {key.pk} / {key.sk}"
            raise BadRow(f"{where} cannot be upgraded from version {before}: {error!r}", key) from error
    row.pop(SCHEMA_VERSION, None)
    return row


def is_current(shape: Shape) -> Condition:
    """Return the condition that a row has the current version, or does not exist."""
    if shape.schema_version == 1:
        return absent_or_null(SCHEMA_VERSION) | equals(SCHEMA_VERSION, 1)
    return absent() | equals(SCHEMA_VERSION, shape.schema_version)


def rewrite(item: Item, entity: type[Entity], layout: Layout) -> PutItem:
    """Return the write that replaces a row by its current version, unless it has changed meanwhile."""
    new = entity.from_item(item, layout).to_item(layout)
    key = _key_of(item, layout)
    if _key_of(new, layout) != key:
        raise BadRow(f"the upgrade of {key.pk} / {key.sk} changes its key", key)
    unchanged = [equals(name, value) for name, value in item.items() if name not in (layout.pk, layout.sk)]
    unchanged += [absent(name) for name in new if name not in item]
    return PutItem(key, new, all_of(*unchanged))


def _version_of(item: Mapping[str, Value], shape: Shape, layout: Layout) -> int:
    stored = item.get(SCHEMA_VERSION)
    version = 1 if stored is None else stored
    if type(version) is not int or version < 1:
        key = _key_of(item, layout)
        raise BadRow(f"the row {key.pk} / {key.sk} has the invalid {SCHEMA_VERSION} {stored!r}", key)
    if version > (shape.schema_version or 1):
        raise RowTooNew(shape.name, _key_of(item, layout), version, shape.schema_version or 1)
    return version


def _key_of(item: Mapping[str, Value], layout: Layout) -> RawKey:
    return RawKey(item.get(layout.pk, ""), item.get(layout.sk, ""))
