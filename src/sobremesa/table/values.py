"""The values of attributes: their types, sizes and the stored form of numbers.

Sizes follow DynamoDB's rules, since both the 400 KB limit and the bill depend on them. Numbers keep 38 digits:
an integer is read as int, a float as the same float, anything more precise as Decimal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from enum import Enum
from typing import Any, TypeAlias

import msgspec

from sobremesa.table.errors import BadValue, TooLarge

Value: TypeAlias = Any
"""None, bool, int, float, Decimal, str, bytes, list, dict with str keys, or a set of str, numbers or bytes."""

Item: TypeAlias = dict[str, Value]


class SharedItem(dict[str, Value]):
    """An item that several reads may return: do not change it. It caches its entity, and when that expires."""

    __slots__ = ("entity", "expiry")

    def __init__(self, item: Mapping[str, Value]) -> None:
        super().__init__(item)
        self.entity: Any = None
        self.expiry: float | Decimal | None = None


def shared(item: Item) -> SharedItem:
    """Return an item that several reads may return."""
    return item if type(item) is SharedItem else SharedItem(item)


SCALARS = frozenset({str, int, bool, float, bytes})
KEPT_AS_THEY_ARE = SCALARS - {float}
"""The types of values whose stored form is the value itself: a float may be stored as an integer."""

MAX_ITEM_BYTES = 400 * 1024
MAX_DEPTH = 32
MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130

EXACT = Context(prec=300)
"""Wide enough for every sum of two numbers that a table can hold; the default context rounds to 28 digits."""

_PLAIN_INT = 10**18


def to_stored(value: Any) -> Value:
    """Return a field's value in the types that a table stores."""
    if value is None or type(value) in SCALARS:
        return value
    if isinstance(value, msgspec.Struct):
        return _struct_to_stored(value)
    if isinstance(value, Enum):
        return to_stored(value.value)
    if isinstance(value, Mapping):
        return {name: to_stored(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [to_stored(element) for element in value]
    if isinstance(value, set | frozenset):
        return frozenset(to_stored(element) for element in value)
    return value


def _struct_to_stored(value: msgspec.Struct) -> dict[str, Value]:
    config = value.__struct_config__
    stored = {config.tag_field: config.tag} if config.tag_field is not None else {}
    for info in msgspec.structs.fields(type(value)):
        held = getattr(value, info.name)
        if held is not None:
            stored[info.encode_name] = to_stored(held)
    return stored


def weigh(item: Mapping[str, Value]) -> tuple[Item, int]:
    """Return the item with its numbers in stored form, and its size; raise BadValue or TooLarge if it is invalid."""
    if "" in item:
        raise BadValue("an attribute has an empty name")
    texts = [value for value in item.values() if type(value) is str]  # most values
    size = 0
    changed: Item | None = None
    for name, value in item.items() if len(texts) < len(item) else ():
        kind = type(value)
        if kind is str:
            continue
        if kind is bool or value is None:
            size += 1
        elif kind is int and 0 <= value < _PLAIN_INT:
            size += whole_weight(value)
        else:
            stored, weight = _weigh_value(value, name, 1)
            size += weight
            if stored is not value:
                if changed is None:
                    changed = dict(item)
                changed[name] = stored
    size = refuse_too_large(size + _texts_size([*item, *texts]))
    if changed is not None:
        return changed, size
    return item if type(item) is dict or type(item) is SharedItem else dict(item), size


def _texts_size(texts: list[str]) -> int:
    """Return the UTF-8 size of some texts, computed at once if all are ASCII, as most are."""
    whole = "".join(texts)
    return len(whole) if whole.isascii() else sum(map(_utf8_length, texts))


def reweigh(old: Item, old_size: int, new: Item, names: Iterable[str]) -> int:
    """Return the size of an item in stored form that differs from an old one only in these attributes."""
    size = old_size
    for name in set(names):
        size += _attribute_weight(new, name) - _attribute_weight(old, name)
    return size


def _attribute_weight(item: Item, name: str) -> int:
    return _utf8_length(name) + _weigh_value(item[name], name, 1)[1] if name in item else 0


def stored_value(value: Value) -> Value:
    """Return a value in stored form, as an operand of a condition or an update."""
    if type(value) is str and value.isascii():
        return value
    return _weigh_value(value, "operand", 0)[0]


def stored_number(number: int | float | Decimal) -> int | float | Decimal:
    """Return the stored form of a number: int if it is integral, else float if that is exact, else Decimal."""
    if type(number) is int:
        if -_PLAIN_INT < number < _PLAIN_INT:
            return number
        exact = Decimal(number)
    elif isinstance(number, float):
        if not math.isfinite(number):
            raise BadValue(f"a number must be finite, not {number}")
        exact = Decimal(repr(number))
    else:
        exact = Decimal(number)
        if not exact.is_finite():
            raise BadValue(f"a number must be finite, not {number}")
    _, digits, _ = exact.as_tuple()
    text = "".join(map(str, digits)).strip("0")
    if not text:
        return 0
    # The message omits the number: Python refuses to format very long ones.
    if len(text) > MAX_DIGITS:
        raise BadValue(f"a number has at most {MAX_DIGITS} digits, not {len(text)}")
    if not MIN_EXPONENT <= exact.adjusted() <= MAX_EXPONENT:
        raise BadValue(
            f"a number of the magnitude 1E{exact.adjusted()} is outside of 1E{MIN_EXPONENT} to 9.9E{MAX_EXPONENT}"
        )
    if exact == exact.to_integral_value():
        return int(exact)
    nearest = float(exact)
    return nearest if Decimal(repr(nearest)) == exact else EXACT.normalize(exact)


def number_text(number: int | float | Decimal) -> str:
    """Return a stored number as text, as DynamoDB formats it."""
    if type(number) is int:
        return str(number)
    return format(Decimal(repr(number)) if isinstance(number, float) else number, "f")


def number_from_text(text: str) -> int | float | Decimal:
    """Return the stored form of a number given as text."""
    try:
        return int(text) if len(text) < 19 else stored_number(Decimal(text))
    except ValueError:
        return stored_number(Decimal(text))


def refuse_too_large(size: int) -> int:
    """Return the size; raise TooLarge if it is above the limit."""
    if size > MAX_ITEM_BYTES:
        raise TooLarge(f"the item has {size} bytes, more than {MAX_ITEM_BYTES}", MAX_ITEM_BYTES)
    return size


def _utf8_length(text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BadValue(f"{text!r} contains a lone surrogate, which has no UTF-8 form") from None


def whole_weight(number: int) -> int:
    """Return the size of an integer that is not negative."""
    return _digits_weight(str(number))


def _digits_weight(digits: str) -> int:
    """Return the size of digits: two per byte without zeros at either end, and one byte for the exponent."""
    return (len(digits.strip("0")) + 1) // 2 + 1


def _number_weight(number: int | float | Decimal) -> int:
    """Return the size that DynamoDB charges: with digits on both sides of the point, each side is rounded up."""
    sign = 1 if number < 0 else 0
    whole, _, fraction = number_text(-number if number < 0 else number).partition(".")
    if not fraction or whole == "0":
        return sign + _digits_weight(whole + fraction)
    return sign + 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2


def _weigh_value(value: Value, path: str, depth: int) -> tuple[Value, int]:
    if type(value) is str:
        return value, _utf8_length(value)
    if type(value) is int and 0 <= value < _PLAIN_INT:
        return value, whole_weight(value)
    match value:
        case None | bool():
            return value, 1
        case str():
            return value, _utf8_length(value)
        case int() | float() | Decimal():
            number = stored_number(value)
            return (value if type(number) is type(value) and number == value else number), _number_weight(number)
        case bytes():
            return value, len(value)
        case list() | tuple():
            return _weigh_list(value, path, depth)
        case dict():
            return _weigh_map(value, path, depth)
        case set() | frozenset():
            return _weigh_set(value, path)
        case _:
            raise BadValue(f"{path} is a {type(value).__name__}, which cannot be stored")


def _weigh_list(values: Sequence[Value], path: str, depth: int) -> tuple[list[Value], int]:
    _check_depth(path, depth)
    size = 3
    stored = []
    for number, element in enumerate(values):
        kept, weight = _weigh_value(element, f"{path}[{number}]", depth + 1)
        stored.append(kept)
        size += weight + 1
    return stored, size


def _weigh_map(values: Mapping[str, Value], path: str, depth: int) -> tuple[Item, int]:
    _check_depth(path, depth)
    size = 3
    stored: Item = {}
    for name, element in values.items():
        if type(name) is not str:
            raise BadValue(f"{path} has the key {name!r}; the keys of a map must be text")
        if not name:
            raise BadValue(f"{path} has an empty key")
        kept, weight = _weigh_value(element, f"{path}.{name}", depth + 1)
        stored[name] = kept
        size += _utf8_length(name) + weight + 1
    return stored, size


def _weigh_set(values: set[Value] | frozenset[Value], path: str) -> tuple[frozenset[Value], int]:
    if not values:
        raise BadValue(f"{path} is an empty set, which cannot be stored; omit the attribute")
    if all(type(element) is str for element in values):
        return frozenset(values), sum(map(_utf8_length, values))
    if all(type(element) is bytes for element in values):
        return frozenset(values), sum(map(len, values))
    if all(type(element) is not bool and isinstance(element, int | float | Decimal) for element in values):
        numbers = frozenset(map(stored_number, values))
        return numbers, sum(map(_number_weight, numbers))
    raise BadValue(f"{path} is a set of mixed types; a set contains only text, only numbers or only bytes")


def _check_depth(path: str, depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise BadValue(f"{path} is nested deeper than {MAX_DEPTH} levels, including the item itself")
