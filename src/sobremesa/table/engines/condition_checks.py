"""The checks of conditions that every engine makes before it reads or writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import get_args

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
    Kind,
    LessIfPresent,
    Not,
    OneOf,
    Operand,
    Path,
    Present,
    Size,
)
from sobremesa.table.errors import BadExpression
from sobremesa.table.evaluation import kind_of
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.values import stored_value

MAX_CHOICES = 100
MAX_PATH_STEPS = 32

_ORDERED_KINDS = frozenset({"S", "N", "B"})
_KINDS = frozenset(get_args(Kind))
_PLAIN = frozenset({str, int})
"""Types of values that have an order, and nothing in them to check but the size of a number."""


_WITHOUT_VALUES = frozenset({Present, Absent, HasKind})


def has_no_values(parts: Sequence[Condition]) -> bool:
    """Return whether conditions only name attributes: those of most rules are always the same, and can be cached."""
    for part in parts:  # noqa: SIM110 - a generator would cost more than the rest
        if type(part) not in _WITHOUT_VALUES:
            return False
    return True


def check_condition(condition: Condition | None) -> None:
    """Raise BadExpression or BadValue if this condition is not valid."""
    if condition is None or type(condition) is Always:
        return
    # Most writes only check whether their item exists.
    if (type(condition) is Present or type(condition) is Absent) and condition.path is None:
        return
    _check_part(condition)


def check_filter(condition: Condition | None, layout: Layout, index: IndexName | None) -> None:
    """Raise BadExpression if this cannot filter a query: it must not name a key of the table or of the index."""
    if condition is None or type(condition) is Always:
        return
    _check_part(condition)
    keys = {layout.pk, layout.sk}
    if index is not None:
        keys |= {layout.indexes[index].pk, layout.indexes[index].sk}
    for path in _paths_of(condition):
        if path is None:
            raise BadExpression("a filter sees only existing items: give present() or absent() a name")
        if steps(path)[0] in keys:
            raise BadExpression(f"a filter cannot name the key {steps(path)[0]}; put it in the key condition")
    if index is not None and (projected := layout.projected(index)) is not None:
        check_projected(condition, projected, layout.indexes[index].name)


def check_projected(condition: Condition, attributes: Collection[str], index: str) -> None:
    """Raise BadExpression if a filter names an attribute that the index does not have: it would always be absent."""
    for path in _paths_of(condition):
        if path is not None and steps(path)[0] not in attributes:
            raise BadExpression(f"a filter cannot name {steps(path)[0]}, which the index {index} does not project")


def steps(path: Path) -> tuple[str | int, ...]:
    """Return the steps of a path, also of a plain name."""
    return (path,) if isinstance(path, str) else path


def check_path(path: Path) -> None:
    """Raise BadExpression unless this is a valid path of an attribute."""
    if type(path) is str and path:
        return
    taken = steps(path)
    if not 1 <= len(taken) <= MAX_PATH_STEPS or type(taken[0]) is not str:
        raise BadExpression(f"{path!r} is not a path: it must start with a name and has up to {MAX_PATH_STEPS} steps")
    for step in taken:
        if not (isinstance(step, str) and step) and not (type(step) is int and step >= 0):
            raise BadExpression(f"{path!r} is not a path: {step!r} is neither a name nor a list index")


def _check_part(condition: Condition) -> None:
    # The common ones first, and by `type`: `match` tries every case before, and `isinstance` is slow to fail.
    if type(condition) is AllOf or type(condition) is AnyOf:
        if condition.parts and has_no_values(condition.parts):
            _check_once(condition.parts)
        else:
            _check_parts(condition.parts)
    elif type(condition) is Present or type(condition) is Absent:
        if condition.path is not None:
            check_path(condition.path)
    elif type(condition) is Compare and type(condition.right) in _PLAIN and type(condition.left) is Attribute:
        check_path(condition.left.path)
        if type(condition.right) is int:
            stored_value(condition.right)
    elif type(condition) is LessIfPresent and type(condition.value) is str:
        check_path(condition.path)
    else:
        _check_uncommon(condition)


def _check_uncommon(condition: Condition) -> None:
    match condition:
        case Compare(left, comparator, right):
            _check_comparison(left, (right,), ordered=comparator not in ("=", "<>"))
        case Between(operand, low, high):
            _check_comparison(operand, (low, high), ordered=True)
            _check_bounds(low, high)
        case OneOf(operand, choices):
            _check_comparison(operand, choices, ordered=False)
            if not 1 <= len(choices) <= MAX_CHOICES:
                raise BadExpression(f"one_of has 1 to {MAX_CHOICES} choices, not {len(choices)}")
        case LessIfPresent():
            _check_parts(condition.spelled_out.parts)
        case HasKind(path, kind):
            check_path(path)
            if kind not in _KINDS:
                raise BadExpression(f"{kind!r} is not a type of value")
        case BeginsWith(path, prefix):
            _check_comparison(Attribute(path), (prefix,), ordered=False)
            if _literal_kind(prefix) not in (None, "S", "B"):
                raise BadExpression(f"begins_with takes text or bytes, not {_literal_kind(prefix)}")
        case Contains(path, element):
            _check_comparison(Attribute(path), (element,), ordered=False)
        case Not(part):
            _check_part(part)
        case _:
            raise BadExpression(f"{condition!r} cannot be a part of another condition")


def _check_parts(parts: tuple[Condition, ...]) -> None:
    if not parts:
        raise BadExpression("all_of and any_of need at least one part")
    for part in parts:
        _check_part(part)


@lru_cache(maxsize=1024)
def _check_once(parts: tuple[Condition, ...]) -> None:
    """Check conditions without values; an error is not cached."""
    _check_parts(parts)


def _check_comparison(first: Operand, others: Iterable[Operand], *, ordered: bool) -> None:
    for operand in (first, *others):
        if isinstance(operand, Attribute | Size):
            check_path(operand.path)
        elif (kind := _literal_kind(operand)) not in _ORDERED_KINDS and ordered:
            raise BadExpression(f"a value of type {kind} has no order")
    for operand in others:
        if type(operand) is type(first) and operand == first:
            raise BadExpression(f"{first!r} is compared with itself")


def _check_bounds(low: Operand, high: Operand) -> None:
    kinds = _literal_kind(low), _literal_kind(high)
    if None not in kinds and (kinds[0] != kinds[1] or stored_value(low) > stored_value(high)):
        raise BadExpression(f"nothing is between {low!r} and {high!r}")


def _literal_kind(operand: Operand) -> str | None:
    """Return the type of a literal value; None if the operand is an attribute."""
    return None if isinstance(operand, Attribute | Size) else kind_of(stored_value(operand))


def _paths_of(condition: Condition) -> Iterator[Path | None]:
    """Yield every path in a condition; None where it refers to the whole item."""
    for name in condition.__struct_fields__:
        given = getattr(condition, name)
        if name == "path":
            yield given
        for part in given if name in ("parts", "choices") else (given,):
            if isinstance(part, Condition):
                yield from _paths_of(part)
            elif isinstance(part, Attribute | Size):
                yield part.path
