"""Updates of an item, as values.

    Update(key, set_to(name="Lunch", updated_at=now), add(edits=1), when=present())

Names are given as keywords; a path into a map or list is given in a mapping, `set_to({("flags", "moderation"):
"clean"})`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NoReturn, TypeAlias

import msgspec

from sobremesa.table.conditions import Path
from sobremesa.table.values import Value


class Action(msgspec.Struct, frozen=True):
    """One change of one attribute."""

    path: Path

    def __bool__(self) -> NoReturn:
        raise TypeError("an update has no truth value; give it to an Update operation")


class Set(Action, frozen=True):
    value: Value


class SetIfAbsent(Action, frozen=True):
    value: Value


class Add(Action, frozen=True):
    number: int | float | Decimal


class Append(Action, frozen=True):
    values: list[Value]


class Remove(Action, frozen=True):
    pass


class AddToSet(Action, frozen=True):
    elements: frozenset[Value]


class DeleteFromSet(Action, frozen=True):
    elements: frozenset[Value]


Changes: TypeAlias = tuple[Action, ...]
_Named: TypeAlias = Mapping[Path, Value]


def set_to(paths: _Named | None = None, /, **names: Value) -> Changes:
    """Set these attributes. None removes the attribute: null means absent."""
    return tuple(Remove(path) if value is None else Set(path, value) for path, value in _all(paths, names))


def set_if_absent(paths: _Named | None = None, /, **names: Value) -> Changes:
    """Set these attributes if they are absent; None is ignored."""
    return tuple(SetIfAbsent(path, value) for path, value in _all(paths, names) if value is not None)


def add(**names: int | float | Decimal) -> Changes:
    """Add to these numbers; a missing one counts as zero."""
    return tuple(Add(path, number) for path, number in names.items())


def append(paths: Mapping[Path, Iterable[Value]] | None = None, /, **names: Iterable[Value]) -> Changes:
    """Append these values to these lists; a missing list counts as empty."""
    return tuple(Append(path, list(values)) for path, values in _all(paths, names))


def remove(*paths: Path) -> Changes:
    """Remove these attributes; missing ones are ignored."""
    return tuple(Remove(path) for path, _ in _all(dict.fromkeys(paths), {}))


def add_to_set(**names: Iterable[Value]) -> Changes:
    """Add these elements to these sets; a missing set counts as empty."""
    return tuple(AddToSet(path, frozenset(elements)) for path, elements in names.items())


def delete_from_set(**names: Iterable[Value]) -> Changes:
    """Remove these elements from these sets; an empty set is removed."""
    return tuple(DeleteFromSet(path, frozenset(elements)) for path, elements in names.items())


def _all(paths: Mapping[Path, Value] | None, names: Mapping[str, Value]) -> list[tuple[Path, Value]]:
    """Return all paths and values; a path of one step becomes a name."""
    given = [*(paths or {}).items(), *names.items()]
    return [(path if isinstance(path, str) or len(path) != 1 else str(path[0]), value) for path, value in given]
