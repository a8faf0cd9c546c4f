"""The declarations of a registry as data: entities with their literal keys, and access patterns with their prices.

    schema = describe(registry)
    schema.patterns[0].price.read_units

Documentation, `sobremesa schema` and the table explorer are made from it, for the registry of any application.
"""

from __future__ import annotations

import inspect
import types
import typing
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from sobremesa.table.capacity import TRANSACTION_FACTOR, Capacity, read_units, write_units
from sobremesa.table.entities import Entity, Index
from sobremesa.table.keys import Template
from sobremesa.table.layout import Layout
from sobremesa.table.patterns import AnyPattern, Lookup, Pattern, Registry, WritePattern
from sobremesa.table.prices import per_million

ROW_BYTES = 1024
"""The size of a row that prices assume."""
EXAMPLE_NUMBER = 1_767_225_600_000

Kind: TypeAlias = Literal["get", "query", "write"]


class FieldSchema(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A field of an entity, and the attribute that stores it."""

    name: str
    attribute: str
    type: str
    required: bool


class IndexSchema(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The key of an entity in an index. With `projects`, reads rely on these attributes only."""

    index: str
    pk: str
    sk: str
    projects: list[str] | None


class EntitySchema(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An entity: the literal templates of its keys, and its fields."""

    name: str
    entity_type: str
    description: str
    pk: str
    sk: str
    indexes: list[IndexSchema]
    fields: list[FieldSchema]
    expires: str | None
    """The attribute with the time of expiry, in epoch seconds."""
    schema_version: int


class Price(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The capacity units and the price of one call, for rows of 1 KB.

    A query returns a full page, and a write changes one row of each entity. Rows that a write only checks, and rows
    above 1 KB, cost more.
    """

    read_units: float
    write_units: float
    dollars_per_million: float


class PatternSchema(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An access pattern: the question, the key condition that answers it, an example and a price."""

    id: str
    question: str
    operation: Kind
    entities: list[str]
    returns: str
    index: str | None = None
    """The index that is queried; None for the table."""
    key_condition: str | None = None
    """Where the rows are; None for a write."""
    parts: list[str] = []
    """The parts of the key that the question takes."""
    newest_first: bool = False
    consistent: bool = False
    page_size: int | None = None
    example: str | None = None
    """The key condition with example values."""
    price: Price


class Schema(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that a registry declares."""

    entities: list[EntitySchema]
    patterns: list[PatternSchema]


def describe(registry: Registry, layout: Layout | None = None) -> Schema:
    """Return the declarations of a registry, with the attribute names of a layout."""
    layout = layout or Layout()
    return Schema(
        entities=[_entity(entity, layout) for entity in registry.entities],
        patterns=[_pattern(pattern, layout) for pattern in registry.patterns.values()],
    )


def _description(entity: type[Entity]) -> str:
    """Return the first line of the docstring; an entity without one has that of the class that it extends."""
    documented = next((each for each in entity.__mro__ if each is Entity or each.__doc__), Entity)
    return "" if documented is Entity else (documented.__doc__ or "").strip().split("\n")[0]


def _entity(entity: type[Entity], layout: Layout) -> EntitySchema:
    shape = entity.shape
    return EntitySchema(
        name=shape.name,
        entity_type=shape.type_name,
        description=_description(entity),
        pk=shape.keys.pk.text,
        sk=shape.keys.sk.text,
        indexes=[_index(index, entity, layout) for index in shape.indexes.values()],
        fields=[
            FieldSchema(name=info.name, attribute=info.encode_name, type=type_name(info.type), required=info.required)
            for info in shape.fields
        ],
        expires=layout.ttl if shape.expires else None,
        schema_version=shape.schema_version or 1,
    )


def _index(index: Index, entity: type[Entity], layout: Layout) -> IndexSchema:
    projects = None if index.projects is None else [entity.shape.attribute(field) for field in index.projects]
    return IndexSchema(index=layout.indexes[index.index].name, pk=index.pk.text, sk=index.sk.text, projects=projects)


def _pattern(pattern: AnyPattern, layout: Layout) -> PatternSchema:
    match pattern:
        case Lookup():
            return _lookup(pattern, layout)
        case Pattern():
            return _query(pattern, layout)
        case WritePattern():
            return _write(pattern)


def _lookup(pattern: Lookup[Any], layout: Layout) -> PatternSchema:
    entity = pattern.entities[0]
    keys = entity.shape.keys
    return PatternSchema(
        id=pattern.id,
        question=pattern.question,
        operation="get",
        entities=_names(pattern),
        key_condition=_condition(layout.pk, keys.pk.text, layout.sk, f"= {keys.sk.text}"),
        parts=list(keys.fields),
        consistent=pattern.consistent,
        returns=_returns(pattern),
        example=_condition(layout.pk, _example(keys.pk, entity), layout.sk, f"= {_example(keys.sk, entity)}"),
        price=_price(read=read_units(ROW_BYTES, consistent=pattern.consistent)),
    )


def _query(pattern: Pattern[Any], layout: Layout) -> PatternSchema:
    entity, keys = pattern.entities[0], pattern.keys
    pk, sk = _key_attributes(pattern, layout)
    returns = _returns(pattern)
    return PatternSchema(
        id=pattern.id,
        question=pattern.question,
        operation="query",
        entities=_names(pattern),
        index=None if pattern.index_name is None else layout.indexes[pattern.index_name].name,
        key_condition=_condition(pk, keys.pk.text, sk, _sort(pattern, lambda each: each.text)),
        parts=list(pattern.fields),
        newest_first=pattern.newest_first,
        consistent=pattern.consistent,
        page_size=pattern.page,
        returns=returns if pattern.into is None else f"{pattern.into.__name__} of {returns}",
        example=_condition(pk, _example(keys.pk, entity), sk, _sort(pattern, lambda each: _example(each, entity))),
        price=_price(read=read_units(ROW_BYTES * pattern.page, consistent=pattern.consistent)),
    )


def _write(pattern: WritePattern) -> PatternSchema:
    return PatternSchema(
        id=pattern.id,
        question=pattern.question,
        operation="write",
        entities=_names(pattern),
        returns=_returns(pattern),
        price=_price(write=_write_units(pattern)),
    )


def _names(pattern: AnyPattern) -> list[str]:
    return [entity.shape.type_name for entity in pattern.entities]


def _returns(pattern: AnyPattern) -> str:
    return ", ".join(dict.fromkeys(_names(pattern)))


def _key_attributes(pattern: Pattern[Any], layout: Layout) -> tuple[str, str]:
    if pattern.index_name is None:
        return layout.pk, layout.sk
    names = layout.indexes[pattern.index_name]
    return names.pk, names.sk


def _condition(pk: str, partition: str, sk: str, sort: str | None) -> str:
    return f"{pk} = {partition}" + ("" if sort is None else f", {sk} {sort}")


def _sort(pattern: Pattern[Any], text: typing.Callable[[Template], str]) -> str | None:
    if pattern.prefix:
        return f"begins with {text(pattern.prefix)}"
    if pattern.exactly:
        return f"= {text(pattern.exactly)}"
    if pattern.between:
        return f"from {text(pattern.between[0])} to {text(pattern.between[1])}"
    return None


def _example(template: Template, entity: type[Entity]) -> str:
    """Return a template with example values."""
    parts: dict[str, Any] = {}
    for field in template.fields:
        if entity.shape.part_types.get(field) is int:
            parts[field] = EXAMPLE_NUMBER % 10 ** template.padded.get(field, 15)
        else:
            parts[field] = f"{field.removesuffix('_id').replace('_', '-')}-1"
    return template.format(parts)


def _write_units(pattern: WritePattern) -> float:
    units = write_units(ROW_BYTES)
    factor = TRANSACTION_FACTOR if len(pattern.entities) > 1 else 1
    # A row is at most once in an index, however many keys of it are declared.
    return float(sum(units * (factor + len(entity.shape.by_index)) for entity in pattern.entities))


def _price(*, read: float = 0.0, write: float = 0.0) -> Price:
    dollars = round(per_million(Capacity(read, write)), 4)
    return Price(read_units=read, write_units=write, dollars_per_million=dollars)


def type_name(hint: Any) -> str:
    """Return a type as a reader writes it, without constraints and modules."""
    if isinstance(hint, typing.NewType):
        return hint.__name__
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return type_name(hint.__origin__)
    if origin is Literal:
        return " | ".join(repr(value) for value in typing.get_args(hint))
    if origin in (typing.Union, types.UnionType):
        return " | ".join(type_name(each) for each in typing.get_args(hint))
    if origin is not None:
        inner = ", ".join("..." if each is ... else type_name(each) for each in typing.get_args(hint))
        return f"{origin.__name__}[{inner}]"
    if hint is type(None):
        return "None"
    return hint.__name__ if inspect.isclass(hint) else str(hint).removeprefix("typing.")
