"""Converts typed operations to stored ones: fields to attributes, entities to items, expiry to a condition.

An expired row counts as absent, whether or not it has been removed yet: a row that must be absent may be expired, one
that must be present may not. Setting a field that is part of an index key moves the row in that index; the update must
then determine the whole new key, and is rejected otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

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
    absent_or_null,
    at_most,
    equals,
)
from sobremesa.table.engines.condition_checks import has_no_values
from sobremesa.table.engines.protocol import (
    CheckItem,
    DeleteItem,
    IndexKey,
    ItemWrite,
    PutItem,
    QueryRequest,
    RawKey,
    SortBetween,
    SortEquals,
    SortPrefix,
    UpdateItem,
)
from sobremesa.table.entities import Entity, Key, Shape, identity, index_key
from sobremesa.table.errors import BadExpression, ConditionFailed, FailedCondition
from sobremesa.table.evaluation import holds
from sobremesa.table.keys import check_key, successor
from sobremesa.table.layout import IndexLayout, Layout, Spelling
from sobremesa.table.operations import Check, Delete, Operation, Put, Update
from sobremesa.table.patterns import Pattern
from sobremesa.table.updates import Action, Changes, Remove, Set, SetIfAbsent
from sobremesa.table.values import KEPT_AS_THEY_ARE, Item, SharedItem, Value, to_stored
from sobremesa.table.versions import is_current

AtKey: TypeAlias = UpdateItem | DeleteItem | CheckItem


def lower(operation: Operation, layout: Layout, now_seconds: int) -> ItemWrite:
    """Return the stored form of an operation."""
    lowered: AtKey
    match operation:
        case Put():
            item = _stored(operation.entity, layout)
            key = RawKey(item[layout.pk], item[layout.sk])
            return PutItem(key, item, _when(operation.when, operation.entity.shape, layout, now_seconds))
        case Update():
            shape = operation.key.entity.shape
            when = _when(operation.when, shape, layout, now_seconds, is_update=True)
            if shape.expires and holds(operation.when, None):
                raise BadExpression(f"a {shape.name} expires: use Create, since an update could change an expired row")
            lowered = UpdateItem(operation.key.raw, _actions(operation, layout), when)
        case Delete():
            when = _when(operation.when, operation.key.entity.shape, layout, now_seconds)
            lowered = DeleteItem(operation.key.raw, when)
        case Check():
            when = _when(operation.when, operation.key.entity.shape, layout, now_seconds)
            lowered = CheckItem(operation.key.raw, Always() if when is None else when)
    return lowered if layout.spelling is None else _respelled(lowered, operation.key, layout.spelling)


def _stored(entity: Entity, layout: Layout) -> Item:
    """Return a row in its stored form; with its entity, if that is what a read of it would return."""
    item = entity.to_item(layout)
    if not entity.shape.is_read_as_written or entity.other or not KEPT_AS_THEY_ARE.issuperset(map(type, item.values())):
        return item
    stored = SharedItem(item)
    stored.entity, stored.expiry = entity, expiry_of(item, entity.shape, layout)
    return stored


def lower_condition(condition: Condition, shape: Shape) -> Condition:
    """Return the condition with the stored names and values of an entity's fields."""
    if type(condition) is Present or type(condition) is Absent:
        return condition if condition.path is None else type(condition)(_path(condition.path, shape))
    if type(condition) is AllOf or type(condition) is AnyOf:
        if has_no_values(condition.parts):
            return _lowered_once(condition, shape)
        return type(condition)(tuple([lower_condition(part, shape) for part in condition.parts]))
    if type(condition) is LessIfPresent:
        return LessIfPresent(_path(condition.path, shape), _operand(condition.value, shape))
    match condition:
        case Always():
            return condition
        case Compare(left, comparator, right):
            return Compare(_operand(left, shape), comparator, _operand(right, shape))
        case Between(operand, low, high):
            return Between(_operand(operand, shape), _operand(low, shape), _operand(high, shape))
        case OneOf(operand, choices):
            return OneOf(_operand(operand, shape), tuple(_operand(choice, shape) for choice in choices))
        case HasKind(path, kind):
            return HasKind(_path(path, shape), kind)
        case BeginsWith(path, prefix):
            return BeginsWith(_path(path, shape), _operand(prefix, shape))
        case Contains(path, element):
            return Contains(_path(path, shape), _operand(element, shape))
        case Not(part):
            return Not(lower_condition(part, shape))
        case _:
            raise BadExpression(f"{condition!r} is not a condition")


@lru_cache(maxsize=1024)
def _lowered_once(condition: AllOf | AnyOf, shape: Shape) -> Condition:
    return type(condition)(tuple([lower_condition(part, shape) for part in condition.parts]))


def spelled(request: QueryRequest, pattern: Pattern[Any], spelling: Spelling) -> QueryRequest:
    """Return the request with keys in the spelling of the table."""
    sort = request.sort
    match sort:
        case SortPrefix(prefix):
            sort = SortPrefix(spelling.key(prefix))
        case SortEquals(value):
            sort = SortEquals(spelling.key(value))
        case SortBetween(low, high):
            # What follows a prefix in upper case need not follow it in lower case: after Z comes [, which is before z.
            end = None if pattern.closes is None else successor(spelling.key(pattern.closes))
            sort = SortBetween(spelling.key(low), spelling.key(high) if end is None else end)
        case None:
            pass
    start = request.start
    if isinstance(start, IndexKey):
        start = IndexKey(spelling.key(start.sk), RawKey(*map(spelling.key, start.base)))
    elif start is not None:
        start = RawKey(*map(spelling.key, start))
    return msgspec.structs.replace(request, pk=spelling.key(request.pk), sort=sort, start=start)


def described(
    failed: ConditionFailed, operations: Sequence[Operation], names: Sequence[str], known_names: Collection[str]
) -> ConditionFailed:
    """Return the failure with the names and keys of the operations, instead of the table's spelling of the keys.

    `known_names` has all that the write may be asked for, also the names that stood for no operation.
    """
    return ConditionFailed(
        [
            FailedCondition(
                failure.index,
                _raw_key(operations[failure.index]),
                failure.item,
                name=names[failure.index] if names else None,
                operation=operations[failure.index],
            )
            for failure in failed.failures
        ],
        names=known_names,
        operations=operations,
    )


def expiry_of(item: Mapping[str, Value], shape: Shape, layout: Layout) -> float | Decimal | None:
    """Return the second at which this row expires, if it does."""
    if shape.expires is None:
        return None
    expiry = item.get(layout.ttl)
    if expiry is None:
        expiry = item.get(shape.attributes[shape.expires])
    # As in DynamoDB, only a number is a time.
    return expiry if isinstance(expiry, int | float | Decimal) and not isinstance(expiry, bool) else None


def is_expired(item: Mapping[str, Value], shape: Shape, layout: Layout, now_seconds: int) -> bool:
    """Return whether this row has expired, though it may still be stored."""
    expiry = expiry_of(item, shape, layout)
    return expiry is not None and expiry <= now_seconds


@lru_cache(maxsize=256)
def _expired(shape: Shape, layout: Layout, now_seconds: int) -> Condition:
    """Return `is_expired` as a condition."""
    expired = at_most(layout.ttl, now_seconds)
    attribute = shape.attributes[str(shape.expires)]
    if attribute == layout.ttl:
        return expired
    return expired | (absent_or_null(layout.ttl) & at_most(attribute, now_seconds))


def _when(
    condition: Condition, shape: Shape, layout: Layout, now_seconds: int, *, is_update: bool = False
) -> Condition | None:
    lowered = None if isinstance(condition, Always) else lower_condition(condition, shape)
    if shape.is_plain:
        return lowered
    if shape.schema_version is not None and (is_update or not isinstance(condition, Always | Present | Absent)):
        # The fields that are changed or compared are those of the current version of a row.
        lowered = is_current(shape) if lowered is None else lowered & is_current(shape)
    if lowered is None or shape.expires is None:
        return lowered
    if holds(condition, None):
        return lowered | _expired(shape, layout, now_seconds)
    return lowered & ~_expired(shape, layout, now_seconds)


def _respelled(lowered: AtKey, key: Key[Any], spelling: Spelling) -> AtKey:
    """Return the write with the table's spelling of the key; a condition then also checks the case of the ids."""
    shape = key.entity.shape
    when = lowered.when
    if when is not None and not isinstance(when, Always):
        for field in shape.keys.fields:
            if isinstance(key.parts[field], str):
                attribute = shape.attributes[field]
                when &= absent_or_null(attribute) | equals(attribute, key.parts[field])
    return msgspec.structs.replace(lowered, key=key.stored(spelling), when=when)


def _raw_key(operation: Operation) -> RawKey:
    return operation.entity.own_key().raw if isinstance(operation, Put) else operation.key.raw


def _path(path: Path, shape: Shape) -> Path:
    if isinstance(path, str):
        return shape.attribute(path)
    return (shape.attribute(str(path[0])), *path[1:])


def _operand(operand: Operand, shape: Shape) -> Operand:
    if type(operand) is str:
        return operand
    if isinstance(operand, Attribute | Size):
        return type(operand)(_path(operand.path, shape))
    return to_stored(operand)


def _actions(operation: Update[Entity], layout: Layout) -> Changes:
    key = operation.key
    shape = key.entity.shape
    actions = [_action(action, shape) for action in operation.changes]
    creates_row = holds(operation.when, None)
    # Most updates: of an existing row, and of no field of a key or an index.
    if not creates_row and shape.plain_fields.issuperset([action.path for action in operation.changes]):
        return tuple(actions)
    whole = {action.path: action for action in operation.changes if isinstance(action.path, str)}
    for action in operation.changes:
        field = action.path if isinstance(action.path, str) else action.path[0]
        if field in shape.keys.fields:
            raise BadExpression(f"{field} is part of the key of {shape.name}, which cannot change")
    if creates_row:
        actions += _identity_actions(key, layout)
    for index, alternatives in shape.by_index.items():
        fields = {field for each in alternatives for field in each.fields}
        if not fields.isdisjoint(whole) or (creates_row and fields <= key.parts.keys()):
            found = index_key(alternatives, _parts(key, whole))
            if found is not None and layout.spelling is not None:
                found = layout.spelling.key(found[0]), layout.spelling.key(found[1])
            actions += _index_actions(layout.indexes[index], found)
    if shape.expires and shape.expires in whole and shape.attributes[shape.expires] != layout.ttl:
        actions.append(msgspec.structs.replace(_action(whole[shape.expires], shape), path=layout.ttl))
    return tuple(actions)


def _action(action: Action, shape: Shape) -> Action:
    path = _path(action.path, shape)
    if type(action) is Set and type(action.value) is str:
        return Set(path, action.value)
    if isinstance(action, Set):
        return Remove(path) if action.value == frozenset() else Set(path, to_stored(action.value))
    lowered = {name: to_stored(getattr(action, name)) for name in action.__struct_fields__ if name != "path"}
    return msgspec.structs.replace(action, path=path, **lowered)


def _identity_actions(key: Key[Entity], layout: Layout) -> list[Action]:
    """Return the actions that complete a row which the update may create."""
    shape = key.entity.shape
    attributes: Item = {**identity(shape, layout), **shape.version_mark}
    attributes |= {shape.attributes[field]: key.parts[field] for field in shape.keys.fields}
    return [SetIfAbsent(name, value) for name, value in attributes.items()]


def _parts(key: Key[Entity], whole: Mapping[str, Action]) -> Callable[[str], Any]:
    """Return a function that gives the value of a field after the update."""

    def part(field: str) -> Any:
        if field in key.parts:
            return key.parts[field]
        match whole.get(field):
            case Set(_, value):
                return value
            case Remove():
                return None
            case None:
                raise BadExpression(f"{key!r} would move in an index whose key also contains {field}: set that as well")
            case _:
                raise BadExpression(f"{field} is part of an index's key of {key!r}: give it a value with set_to")

    return part


def _index_actions(names: IndexLayout, found: tuple[str, str] | None) -> list[Action]:
    if found is None:
        return [Remove(names.pk), Remove(names.sk)]
    check_key(*found, names.name)
    return [Set(names.pk, found[0]), Set(names.sk, found[1])]
