"""Conditions on an item, as values.

    less("uses", attribute("max_uses")) & absent_or_null("revoked_at")

A condition is written once, rendered to a DynamoDB expression by one engine and evaluated by the other. It has no
truth value of its own: `if equals("role", "admin")` raises instead of always being true. `present()` and `absent()`
without a name refer to the whole item.

A name is one attribute; a path into maps and lists is a tuple, `("flags", "moderation")` or `("tags", 0)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NoReturn, TypeAlias

import msgspec

from sobremesa.table.values import Value

Path: TypeAlias = str | tuple[str | int, ...]
Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]
Kind: TypeAlias = Literal["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]


class Attribute(msgspec.Struct, frozen=True):
    """The value of another attribute, for comparisons."""

    path: Path


class Size(msgspec.Struct, frozen=True):
    """The size of an attribute: a text's UTF-16 code units (most characters are one), bytes, or elements."""

    path: Path


Operand: TypeAlias = Attribute | Size | Value


class Condition(msgspec.Struct, frozen=True):
    """A condition on an item; combine with `&`, `|` and `~`."""

    def __and__(self, other: Condition) -> Condition:
        return all_of(self, other)

    def __or__(self, other: Condition) -> Condition:
        return any_of(self, other)

    def __invert__(self) -> Condition:
        return Not(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition has no truth value here: combine with &, | and ~, and give it to a write or a query"
        )


class Compare(Condition, frozen=True):
    left: Operand
    comparator: Comparator
    right: Operand


class Between(Condition, frozen=True):
    operand: Operand
    low: Operand
    high: Operand


class OneOf(Condition, frozen=True):
    operand: Operand
    choices: tuple[Operand, ...]


class Present(Condition, frozen=True):
    path: Path | None


class Absent(Condition, frozen=True):
    path: Path | None


class HasKind(Condition, frozen=True):
    path: Path
    kind: Kind


class LessIfPresent(Condition, frozen=True):
    """One condition in place of three, since every send uses it."""

    path: Path
    value: Operand

    @property
    def spelled_out(self) -> AnyOf:
        return AnyOf((Absent(self.path), HasKind(self.path, "NULL"), Compare(Attribute(self.path), "<", self.value)))


class BeginsWith(Condition, frozen=True):
    path: Path
    prefix: Operand


class Contains(Condition, frozen=True):
    path: Path
    element: Operand


class AllOf(Condition, frozen=True):
    parts: tuple[Condition, ...]


class AnyOf(Condition, frozen=True):
    parts: tuple[Condition, ...]


class Not(Condition, frozen=True):
    part: Condition


class Always(Condition, frozen=True):
    """Holds for every item, and if there is none: the write may create a row or change one."""


def attribute(path: Path) -> Attribute:
    """Return another attribute's value, as the right side of a comparison."""
    return Attribute(path)


def size(path: Path) -> Size:
    """Return an attribute's size, as either side of a comparison."""
    return Size(path)


def equals(path: Path | Size, value: Operand) -> Condition:
    return Compare(_left(path), "=", value)


def differs(path: Path | Size, value: Operand) -> Condition:
    """Not equal; a missing attribute differs from everything."""
    return Compare(_left(path), "<>", value)


def less(path: Path | Size, value: Operand) -> Condition:
    return Compare(_left(path), "<", value)


def at_most(path: Path | Size, value: Operand) -> Condition:
    return Compare(_left(path), "<=", value)


def greater(path: Path | Size, value: Operand) -> Condition:
    return Compare(_left(path), ">", value)


def at_least(path: Path | Size, value: Operand) -> Condition:
    return Compare(_left(path), ">=", value)


def less_if_present(path: Path, value: Operand) -> Condition:
    """Absent (or NULL), or less: the condition under which a cursor moves forward and never back."""
    return LessIfPresent(path, value)


def between(path: Path | Size, low: Operand, high: Operand) -> Condition:
    """At least `low` and at most `high`."""
    return Between(_left(path), low, high)


def one_of(path: Path | Size, choices: Iterable[Operand]) -> Condition:
    return OneOf(_left(path), tuple(choices))


def begins_with(path: Path, prefix: Operand) -> Condition:
    return BeginsWith(path, prefix)


def contains(path: Path, element: Operand) -> Condition:
    """A text that contains this text, or a list or set that contains this element."""
    return Contains(path, element)


def present(path: Path | None = None) -> Condition:
    """The attribute, or the item, exists. An attribute that is NULL exists."""
    return Present(path)


def absent(path: Path | None = None) -> Condition:
    """The attribute, or the item, does not exist."""
    return Absent(path)


def absent_or_null(path: Path) -> Condition:
    """Absent, or NULL, which some writers store instead."""
    return Absent(path) | HasKind(path, "NULL")


def has_kind(path: Path, kind: Kind) -> Condition:
    return HasKind(path, kind)


def always() -> Condition:
    """Explicitly no condition: an update with it creates the item if it does not exist."""
    return Always()


def all_of(*parts: Condition) -> Condition:
    """Every part holds; a part that always holds is left out."""
    flat: list[Condition] = []
    for part in parts:
        for each in part.parts if type(part) is AllOf else (part,):
            if type(each) is not Always and each not in flat:
                flat.append(each)
    if not flat:
        return Always()
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(*parts: Condition) -> Condition:
    """At least one part holds."""
    flat: list[Condition] = []
    for part in parts:
        if type(part) is Always:
            return part
        flat.extend(part.parts if type(part) is AnyOf else (part,))
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def _left(path: Path | Size) -> Operand:
    return path if isinstance(path, Size) else Attribute(path)
