"""Projections: some fields of a row, as a smaller struct.

    class Title(msgspec.Struct, frozen=True):
        isbn: str
        title: str

    page = await table.query(books_on_shelf(shelf="sf"), into=Title)

The fields have the names that they have in the entity. Only their attributes are transferred; DynamoDB charges for
the whole row all the same, or for what an index has of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.entities import Entity, Index, Keys, part_from_keys
from sobremesa.table.errors import BadExpression, BadRow
from sobremesa.table.keys import did_you_mean
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.values import Item, Value
from sobremesa.table.versions import upgraded

S = TypeVar("S", bound=msgspec.Struct)


class Projection(Generic[S]):
    """How rows of one entity, in the table or in an index, are read as a smaller struct."""

    def __init__(self, entity: type[Entity], into: type[S], keys: Keys) -> None:
        self._shape = shape = entity.shape
        self._into = into
        self._keys = keys
        self._fields = msgspec.structs.fields(into)
        known = {info.name: info for info in shape.fields}
        for info in self._fields:
            if info.name not in known:
                raise BadExpression(
                    f"{into.__name__}.{info.name} is not a field of {shape.name}"
                    f"{did_you_mean(info.name, known)}, which has {', '.join(known)}"
                )
        if not self._fields:
            raise BadExpression(f"{into.__name__} has no fields")
        if isinstance(keys, Index) and keys.projects is not None:
            self._require({*keys.projects, *keys.names, *shape.keys.names}, keys.index)
        self._defaults = {info.name: known[info.name] for info in self._fields if info.required}
        """The fields whose default, for a row without the attribute, is that of the entity."""

    def attributes(self, layout: Layout) -> tuple[str, ...] | None:
        """Return the attributes to read: those of the fields, the key, and the expiry; None for all.

        Rows of an entity with versions are read whole: an upgrade may need any attribute.
        """
        shape = self._shape
        if shape.schema_version is not None:
            if isinstance(self._keys, Index):
                require_whole_rows(layout, self._keys.index)
            return None
        fields = {info.name for info in self._fields}
        names = {layout.pk, layout.sk, *(shape.attributes[field] for field in fields)}
        for index in shape.indexes.values():
            if fields.intersection(index.fields) - shape.keys.names:
                names |= {layout.indexes[index.index].pk, layout.indexes[index.index].sk}
        if shape.expires:
            names |= {layout.ttl, shape.attributes[shape.expires]}
        if layout.spelling is not None:
            names.update(shape.attributes[field] for field in shape.keys.fields)
        if isinstance(self._keys, Index):
            names = self._projected(names, layout, self._keys)
        return tuple(sorted(names))

    def load(self, item: Mapping[str, Value], layout: Layout) -> S:
        """Return the struct of a row; raise BadRow if a required field is missing or invalid."""
        if self._shape.schema_version is not None:
            item = upgraded(item, self._shape, layout)
        values: Item = {}
        for info in self._fields:
            value = self._value(info.name, item, layout)
            if value is not msgspec.UNSET:
                values[info.encode_name] = value
        try:
            return msgspec.convert(values, self._into)
        except msgspec.ValidationError as error:
            key = RawKey(item[layout.pk], item[layout.sk])
            raise BadRow(f"the row {key.pk} / {key.sk} is not a valid {self._into.__name__}: {error}", key) from None

    def _projected(self, names: set[str], layout: Layout, index: Index) -> set[str]:
        """Return the attributes that an index of this layout has; raise BadExpression if a field needs more."""
        projected = layout.projected(index.index)
        if projected is None:
            return names
        shape = self._shape
        known = {field for field, attribute in shape.stored_fields if attribute in projected}
        if layout.spelling is None:
            known |= index.names | shape.keys.names  # otherwise keys are in lower case
        self._require(known, layout.indexes[index.index].name)
        if shape.expires is not None and shape.expires not in known and layout.ttl not in projected:
            raise BadExpression(f"the index {layout.indexes[index.index].name} does not project {shape.expires}")
        return names & projected

    def _require(self, known: Collection[str], index: str) -> None:
        for info in self._fields:
            if info.name not in known:
                raise BadExpression(
                    f"{self._into.__name__}.{info.name} is not projected by the index {index}, "
                    f"which has {', '.join(sorted(known))} of {self._shape.name}"
                )

    def _value(self, field: str, item: Mapping[str, Value], layout: Layout) -> Any:
        """Return the value of a field, as `Entity.from_item` finds it; UNSET if it is absent."""
        shape = self._shape
        value = item.get(shape.attributes[field])
        if value is None and field == shape.expires:
            value = item.get(layout.ttl)
        if value is None and shape.attributes[field] in shape.needed:
            value = part_from_keys(shape, field, item, layout)
        if value is None and field in self._defaults:
            info = self._defaults[field]
            if info.default is not msgspec.NODEFAULT:
                return info.default
            if info.default_factory is not msgspec.NODEFAULT:
                return info.default_factory()
        return msgspec.UNSET if value is None else value


_checked: dict[tuple[type[Entity], type[Any], Keys], Projection[Any]] = {}


def projection(entity: type[Entity], into: type[S], keys: Keys | None = None) -> Projection[S]:
    """Return the projection of an entity, in the table or in the index with these keys, checked once."""
    keys = keys or entity.shape.keys
    found = _checked.get((entity, into, keys))
    if found is None:
        found = _checked[entity, into, keys] = Projection(entity, into, keys)
    return found


def require_whole_rows(layout: Layout, index: IndexName) -> None:
    """Raise BadExpression unless this index of the table has all attributes of its rows."""
    projected = layout.projected(index)
    if projected is not None:
        raise BadExpression(
            f"the index {layout.indexes[index].name} projects only {', '.join(sorted(projected))}: "
            "declare this with `projects` in the entity's Index, and read it with `into`"
        )
