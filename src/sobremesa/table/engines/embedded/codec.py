"""Items as bytes: msgpack, with extensions for the types that msgpack lacks."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
from msgspec.msgpack import Ext

from sobremesa.table.cache import Cache
from sobremesa.table.values import Item, SharedItem, Value, number_text, stored_number

_NUMBER = 1
_TEXT_SET = 2
_NUMBER_SET = 3
_BYTES_SET = 4

_NEEDS_CONVERSION = frozenset({list, dict, frozenset, Decimal})
_WIDEST_INT = (1 << 63) - 1

CACHED_BYTES = 4 << 20

_encoder = msgspec.msgpack.Encoder()


def pack(item: Item) -> bytes:
    """Return the bytes of an item in stored form."""
    if _NEEDS_CONVERSION.isdisjoint(map(type, item.values())):
        try:
            return _encoder.encode(item)
        except OverflowError:
            pass
    return _encoder.encode({name: _packable(value) for name, value in item.items()})


def _packable(value: Value) -> Any:
    kind = type(value)
    if kind is list:
        return [_packable(element) for element in value]
    if kind is dict:
        return {name: _packable(element) for name, element in value.items()}
    if kind is Decimal or (kind is int and not -_WIDEST_INT <= value <= _WIDEST_INT):
        return Ext(_NUMBER, number_text(value).encode())
    if kind is frozenset:
        return _packable_set(value)
    return value


def _packable_set(elements: frozenset[Value]) -> Ext:
    sample = next(iter(elements))
    # In order, so that equal sets have equal bytes.
    if type(sample) is str:
        return Ext(_TEXT_SET, _encoder.encode(sorted(elements)))
    if type(sample) is bytes:
        return Ext(_BYTES_SET, _encoder.encode(sorted(elements)))
    return Ext(_NUMBER_SET, _encoder.encode([number_text(number) for number in sorted(elements)]))


def _unpack_extension(code: int, data: memoryview) -> Value:
    if code == _NUMBER:
        return stored_number(Decimal(bytes(data).decode()))
    elements: list[Any] = msgspec.msgpack.decode(data)
    if code == _NUMBER_SET:
        return frozenset(stored_number(Decimal(text)) for text in elements)
    return frozenset(elements)


_decoder = msgspec.msgpack.Decoder(dict[str, Any], ext_hook=_unpack_extension)
unpack = _decoder.decode
"""Return the item of some bytes."""

_cache: Cache[bytes, SharedItem] = Cache(CACHED_BYTES)


def cached_item(body: bytes) -> SharedItem:
    """Return the item of some bytes, cached by its bytes: do not change it."""
    item = _cache.young.get(body)
    if item is not None:
        return item
    item = _cache.find(body, len(body))
    if item is None:
        item = SharedItem(unpack(body))
        _cache.keep(body, item, len(body))
    return item
