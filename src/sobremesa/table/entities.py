"""Entities: typed, frozen rows with literal keys.

    class Participant(Entity):
        keys = Keys(pk="CONVO#{convo_id}", sk="PARTICIPANT#{user_id}")
        by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{convo_id}")

        convo_id: ConversationId
        user_id: UserId
        role: Role = "member"

The class is checked when it is created: a template that names an unknown field, or a field that may be None without a
default, fails at import. Attributes are stored in camelCase (`class X(Entity, rename=...)` changes that); None and
empty sets are not stored. A row is not in an index if a part of its key there is None; of several declarations on one
index, the first complete one is used. `expires = "field"` names the field with the time, in epoch seconds, at which the
row expires. `schema_version = 2` declares the version of the rows; `upgrade` converts rows of older versions.

Rows of other writers load unchanged: missing parts are taken from the keys, NULL counts as absent, and unknown
attributes are kept in `other` and stored again. A key is formatted by its template; `to_item` and `Key.stored`
convert it to the spelling of the table (`Layout.spelling`).
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec

from sobremesa.table.annotations import may_be_none, scalar_types
from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.errors import BadExpression, BadKey, BadRow
from sobremesa.table.keys import Template, check_key, did_you_mean, wrong_parts
from sobremesa.table.layout import SCHEMA_VERSION, IndexName, Layout, Spelling
from sobremesa.table.values import SCALARS, Item, Value, to_stored
from sobremesa.table.versions import check_version, upgraded

E = TypeVar("E", bound="Entity")
E_co = TypeVar("E_co", bound="Entity", covariant=True)

_TAKEN_NAMES = frozenset(
    {
        "keys", "shape", "expires", "entity_type", "schema_version", "other",
        "key", "own_key", "to_item", "from_item", "upgrade",
    }
)  # fmt: skip
_EMPTY_SET: frozenset[Any] = frozenset()


class Keys:
    """The templates of an entity's own key."""

    def __init__(self, *, pk: str, sk: str) -> None:
        self.pk = Template(pk)
        self.sk = Template(sk)
        self.fields = tuple(dict.fromkeys(self.pk.fields + self.sk.fields))
        self.names = frozenset(self.fields)

    def of(self, row: Entity) -> tuple[str, str] | None:
        """Return the key of a row; None if a part of it is missing."""
        get = row.__getattribute__
        pk, sk = self.pk.format_or_none(get), self.sk.format_or_none(get)
        if pk is None or sk is None:
            return None
        check_key(pk, sk)
        return pk, sk


class Index(Keys):
    """The templates of an entity's key in an index.

    `projects` names the fields that reads of the index may rely on besides the parts of its keys, if it does not have
    whole rows: the index of the table must have at least these.
    """

    def __init__(self, index: IndexName, *, pk: str, sk: str, projects: Iterable[str] | None = None) -> None:
        super().__init__(pk=pk, sk=sk)
        self.index = index
        self.projects = None if projects is None else tuple(projects)


class Shape:
    """The declaration of an entity class, processed once."""

    def __init__(self, entity: type[Entity]) -> None:
        self.name = entity.__name__
        self.type_name = entity.entity_type or entity.__name__
        self.keys = keys = entity.keys
        self.indexes = indexes = _indexes_of(entity)
        self.expires = entity.expires
        self.schema_version = entity.schema_version
        self.redacted = entity.redacted
        self.upgrade = entity.upgrade
        self.fields = tuple(info for info in msgspec.structs.fields(entity) if info.name != "other")
        self.attributes = {info.name: info.encode_name for info in self.fields}
        types_of = {info.name: scalar_types(info.type) for info in self.fields}
        self.numbers = {field for field, found in types_of.items() if int in found}
        _check_declaration(self)
        check_version(self, has_upgrade=entity.upgrade.__func__ is not Entity.upgrade.__func__)  # type: ignore[attr-defined]
        self.is_plain = self.expires is None and self.schema_version is None
        """Rows neither expire nor have versions."""
        self.is_read_as_written = all(info.default is None for info in self.fields if may_be_none(info.type))
        """Whether a field that is None, and so not stored, is None again when the row is read."""
        self.part_types = {field: found[0] for field, found in types_of.items() if found in ((int,), (str,))}
        """The type of a field that is only text, or only an integer."""
        for each in (keys, *indexes.values()):
            each.pk.expect(self.part_types)
            each.sk.expect(self.part_types)
        self.by_index: dict[IndexName, list[Index]] = {}
        for index in indexes.values():
            self.by_index.setdefault(index.index, []).append(index)
        self.stored_fields = tuple(self.attributes.items())
        self.stored_names = tuple(self.attributes.get(field, "") for field in entity.__struct_fields__)
        """The stored name of each field, in their order; empty for `other`."""
        in_keys = {field for each in (keys, *indexes.values()) for field in each.fields}
        self.plain_fields = frozenset(self.attributes.keys() - in_keys - {self.expires})
        """The fields that an update may set without changing a key, an index or the expiry."""
        self.key_attributes = tuple(
            (field, self.attributes[field])
            for field in dict.fromkeys(field for each in (keys, *indexes.values()) for field in each.fields)
        )
        self.needed = frozenset(attribute for _, attribute in self.key_attributes)
        if self.expires:
            self.needed |= {self.attributes[self.expires]}
        self.version_mark: dict[str, int] = {}
        """The attribute with the version of a row; a row of version 1 has none."""
        if self.schema_version is not None and self.schema_version > 1:
            self.version_mark = {SCHEMA_VERSION: self.schema_version}
            # Not one of `own_attributes`: so a row with another version, or none, is always normalized.
            self.needed |= {SCHEMA_VERSION}

    @cache  # noqa: B019 - shapes and layouts are few and live as long as the program
    def own_attributes(self, layout: Layout) -> frozenset[str]:
        """Return every attribute that this entity writes; other attributes belong to other writers."""
        names = {*self.attributes.values(), layout.pk, layout.sk, layout.entity_type}
        for index in self.by_index:
            names |= {layout.indexes[index].pk, layout.indexes[index].sk}
        if self.expires:
            names.add(layout.ttl)
        if layout.spelling is not None:
            names |= layout.spelling.marks.keys()
        return frozenset(names)

    def attribute(self, field: str) -> str:
        """Return the stored name of a field."""
        try:
            return self.attributes[field]
        except KeyError:
            hint = did_you_mean(field, self.attributes)
            raise BadExpression(
                f"{self.name} has no field {field!r}{hint}; it has {', '.join(self.attributes)}"
            ) from None


class _EntityMeta(msgspec.StructMeta):
    """Checks an entity's declaration when its class is created."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        # Unlike other options, this one is not inherited. With it fields may be in any order.
        config.setdefault("kw_only", True)
        taken = _TAKEN_NAMES.intersection(namespace.get("__annotations__", ())) if bases != (msgspec.Struct,) else ()
        if taken:
            raise BadExpression(f"{name}.{min(taken)}: this name is reserved; rename the field")
        cls: Any = super().__new__(mcls, name, bases, namespace, **config)
        if hasattr(cls, "keys"):
            cls.shape = Shape(cls)
        return cls


@typing.dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Entity(msgspec.Struct, frozen=True, kw_only=True, rename="camel", repr_omit_defaults=True, metaclass=_EntityMeta):
    """A row of the table. Subclasses declare `keys`, any number of `Index`es, and fields."""

    keys: ClassVar[Keys]
    entity_type: ClassVar[str | None] = None
    expires: ClassVar[str | None] = None
    reads_expired: ClassVar[bool] = False
    """Whether these are rows of entities that expire, read also when they have."""
    schema_version: ClassVar[int | None] = None
    redacted: ClassVar[tuple[str, ...]] = ()
    """Fields with secrets, or with hashes of them: tools that show rows leave their values out."""
    shape: ClassVar[Shape]

    other: dict[str, Value] = msgspec.field(name="$other", default_factory=dict)

    @classmethod
    def upgrade(cls, item: Item, from_version: int) -> Item:
        """Return a stored row of `from_version` in the form of the next version. An entity with versions defines it."""
        raise NotImplementedError

    @classmethod
    def key(cls, **parts: Any) -> Key[Self]:
        """Return the key of the row with these parts; raise BadKey if one is missing, unknown or invalid."""
        keys = cls.shape.keys
        known = parts.keys() == keys.names
        pk = keys.pk.format_or_none(parts.get) if known else None
        sk = keys.sk.format_or_none(parts.get) if known else None
        if pk is None or sk is None:
            raise wrong_parts(f"the key of {cls.shape.name}", keys.fields, parts)
        check_key(pk, sk)
        return Key(cls, RawKey(pk, sk), parts)

    def own_key(self) -> Key[Self]:
        """Return the key of this row."""
        return type(self).key(**{field: getattr(self, field) for field in self.shape.keys.fields})

    def to_item(self, layout: Layout) -> Item:
        """Return the row in its stored form."""
        shape = self.shape
        spelling = layout.spelling
        pk, sk = shape.keys.of(self) or self.own_key().raw
        if spelling is None:
            item: Item = {layout.pk: pk, layout.sk: sk, layout.entity_type: shape.type_name}
        else:
            item = {layout.pk: spelling.key(pk), layout.sk: spelling.key(sk), **identity(shape, layout)}
        for index, alternatives in shape.by_index.items():
            found = index_key(alternatives, self.__getattribute__)
            if found is not None:
                names = layout.indexes[index]
                check_key(*found, names.name)
                item[names.pk], item[names.sk] = found if spelling is None else map(spelling.key, found)
        for attribute, value in zip(shape.stored_names, msgspec.structs.astuple(self), strict=True):
            if value is None:
                continue
            if type(value) in SCALARS:
                item[attribute] = value
            elif attribute and value != _EMPTY_SET:
                item[attribute] = to_stored(value)
        if not shape.is_plain:
            expiry = getattr(self, shape.expires) if shape.expires else None
            if expiry is not None:
                item[layout.ttl] = expiry
            item |= shape.version_mark
        if self.other:
            own = shape.own_attributes(layout)
            marks = () if spelling is None else spelling.marks
            item.update((name, value) for name, value in self.other.items() if name not in own or name in marks)
        return item

    @classmethod
    def from_item(cls, item: Mapping[str, Value], layout: Layout) -> Self:
        """Return the entity of a stored row; raise BadRow if a required field is missing or invalid."""
        shape = cls.shape
        # A row that we wrote needs no normalization: nothing unknown, nothing missing, nothing NULL.
        is_whole = (
            shape.own_attributes(layout).issuperset(item)
            and item.keys() >= shape.needed
            and None not in item.values()
            and (layout.spelling is None or layout.spelling.is_marked(item))
        )
        try:
            return msgspec.convert(item if is_whole else _normalized(item, shape, layout), cls)
        except msgspec.ValidationError as error:
            key = RawKey(item.get(layout.pk, ""), item.get(layout.sk, ""))
            raise BadRow(f"the row {key.pk} / {key.sk} is not a valid {shape.name}: {error}", key) from None


def _normalized(item: Mapping[str, Value], shape: Shape, layout: Layout) -> Item:
    """Return a row of another writer without NULLs, with its key parts, and unknown attributes apart."""
    if shape.schema_version is not None:
        item = upgraded(item, shape, layout)
    known = {name: value for name, value in item.items() if value is not None}
    for field, attribute in shape.key_attributes:
        if attribute not in known:
            part = part_from_keys(shape, field, item, layout)
            if part is not None:
                known[attribute] = part
    if shape.expires and type(known.get(layout.ttl)) in (int, float, Decimal):
        known.setdefault(shape.attributes[shape.expires], known[layout.ttl])
    other = item.keys() - shape.own_attributes(layout)
    if layout.spelling is not None and not layout.spelling.is_marked(item):
        other |= item.keys() & layout.spelling.marks.keys()
    if other:
        known["$other"] = {name: item[name] for name in other}
    return known


class Key(Generic[E_co]):
    """The key of one row, and the entity of that row."""

    __slots__ = ("consistent", "entity", "parts", "pattern", "raw")

    def __init__(
        self,
        entity: type[E_co],
        raw: RawKey,
        parts: Mapping[str, Any],
        pattern: str | None = None,
        consistent: bool = False,
    ) -> None:
        self.entity = entity
        self.raw = raw
        self.parts = parts
        self.pattern = pattern
        self.consistent = consistent

    def stored(self, spelling: Spelling | None) -> RawKey:
        """Return the key in the spelling of a table."""
        return self.raw if spelling is None else RawKey(spelling.key(self.raw.pk), spelling.key(self.raw.sk))

    def is_spelled_in(self, item: Mapping[str, Value]) -> bool:
        """Return whether a row found by this key has its parts in the same case."""
        shape = self.entity.shape
        return is_spelled_as(item, shape, self.parts, shape.keys.fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.raw == self.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"{self.entity.__name__} {self.raw.pk} / {self.raw.sk}"


def index_key(alternatives: list[Index], get: typing.Callable[[str], Any]) -> tuple[str, str] | None:
    """Return the key of the first declaration whose parts are all set, or None."""
    for index in alternatives:
        pk = index.pk.format_or_none(get)
        sk = None if pk is None else index.sk.format_or_none(get)
        if pk is not None and sk is not None:
            return pk, sk
    return None


def identity(shape: Shape, layout: Layout) -> dict[str, str]:
    """Return the attributes that identify the entity of a row."""
    spelling = layout.spelling
    if spelling is None:
        return {layout.entity_type: shape.type_name}
    return {layout.entity_type: spelling.type_name(shape.type_name), **spelling.marks}


def is_spelled_as(item: Mapping[str, Value], shape: Shape, parts: Mapping[str, Any], fields: Sequence[str]) -> bool:
    """Return whether a row has these parts in the same case.

    Two ids that differ only in case have the same key in lower case, but they are ids of different rows. A row that has
    a part only in its key matches.
    """
    for field in fields:
        held, part = item.get(shape.attributes[field]), parts.get(field)
        if isinstance(held, str) and isinstance(part, str) and held != part:
            return False
    return True


def has_key_of(item: Mapping[str, Value], entity: type[Entity], layout: Layout) -> bool:
    """Return whether a stored row has a key as this entity has them."""
    keys, lowered = entity.shape.keys, layout.spelling is not None
    if keys.pk.parse(item[layout.pk], lowered=lowered) is None:
        return False
    return keys.sk.parse(item[layout.sk], lowered=lowered) is not None


def match_entity(item: Mapping[str, Value], entities: Sequence[type[E]], layout: Layout) -> type[E] | None:
    """Return the entity of a stored row: by its key, then by its type, then the first; None if none matches."""
    if len(entities) == 1:
        return entities[0] if has_key_of(item, entities[0], layout) else None
    fitting = [entity for entity in entities if has_key_of(item, entity, layout)]
    written = item.get(layout.entity_type)
    for entity in fitting:
        if identity(entity.shape, layout)[layout.entity_type] == written:
            return entity
    return fitting[0] if fitting else None


def part_from_keys(shape: Shape, field: str, item: Mapping[str, Value], layout: Layout) -> Any:
    """Return a key part that is not an attribute of the row, parsed from one of its keys."""
    sources = [(shape.keys, layout.pk, layout.sk)]
    for index in shape.indexes.values():
        names = layout.indexes[index.index]
        sources.append((index, names.pk, names.sk))
    for templates, pk, sk in sources:
        for template, attribute in ((templates.pk, pk), (templates.sk, sk)):
            if field not in template.fields:
                continue
            parts = template.parse(item.get(attribute) or "", lowered=layout.spelling is not None)
            if parts is not None:
                text = parts[field]
                return int(text) if field in shape.numbers and text.isdecimal() else text
    return None


def _indexes_of(entity: type[Entity]) -> dict[str, Index]:
    return {
        name: value
        for each in reversed(entity.__mro__)
        for name, value in vars(each).items()
        if isinstance(value, Index)
    }


def _check_declaration(shape: Shape) -> None:
    for name, templates in (("keys", shape.keys), *shape.indexes.items()):
        for template in (templates.pk, templates.sk):
            for field in template.fields:
                if field not in shape.attributes:
                    raise BadKey(
                        f"{shape.name}.{name}: the template {template.text} names {field}, which is not a field"
                    )
    for info in shape.fields:
        if info.required and may_be_none(info.type):
            raise BadExpression(f"{shape.name}.{info.name} may be None and is then not stored; give it a default")
        if info.name in shape.keys.fields and may_be_none(info.type):
            raise BadKey(f"{shape.name}.{info.name} is part of the key and may not be None")
    if shape.expires and shape.expires not in shape.attributes:
        raise BadExpression(f"{shape.name}.expires names {shape.expires}, which is not a field")
    for field in shape.redacted:
        if field not in shape.attributes:
            raise BadExpression(f"{shape.name}.redacted names {field}, which is not a field")
    for name, index in shape.indexes.items():
        if index.projects is not None:
            _check_projects(shape, name, index.projects)


def _check_projects(shape: Shape, name: str, projects: tuple[str, ...]) -> None:
    for field in projects:
        if field not in shape.attributes:
            raise BadExpression(
                f"{shape.name}.{name} projects {field!r}, which is not a field{did_you_mean(field, shape.attributes)}"
            )
    if shape.schema_version is not None:
        raise BadExpression(f"{shape.name}.{name} must have whole rows: an upgrade of a row may need any attribute")
    if shape.expires is not None and shape.expires not in projects:
        raise BadExpression(f"{shape.name}.{name} must project {shape.expires}, or expired rows would be returned")
