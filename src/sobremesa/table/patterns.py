"""Access patterns: every question and every write has a name and is declared once.

    participants_of = Pattern("AP3", "Who is in this conversation?", Participant, prefix="PARTICIPANT#")
    page = await table.query(participants_of(convo_id=convo_id))

A `Pattern` queries one partition, a `Lookup` gets one row, a `WritePattern` names a write. Calling the first two with
the parts of the key returns a typed argument for `Table.query` and `Table.get`. Without a condition on the sort key, a
pattern uses the prefix that the sort keys of its entities share, so that other rows of the partition are excluded. A
`Registry` collects the declarations of modules; docs, cost tables and tests iterate over it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, Generic, TypeAlias, TypedDict, TypeVar, Unpack, overload

import msgspec

from sobremesa.table.engines.protocol import IndexKey, RawKey, SortBetween, SortCondition, SortEquals, SortPrefix
from sobremesa.table.entities import Entity, Index, Key, Keys, index_key, match_entity
from sobremesa.table.errors import BadExpression
from sobremesa.table.keys import Template, check_key, successor, wrong_parts
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.names import BadNames
from sobremesa.table.projections import projection
from sobremesa.table.values import Value

E_co = TypeVar("E_co", bound=Entity, covariant=True)
R_co = TypeVar("R_co", bound=msgspec.Struct, covariant=True)
S = TypeVar("S", bound=msgspec.Struct)

DEFAULT_PAGE = 50


class Question(Generic[R_co]):
    """A pattern with the parts of its key, for `Table.query`."""

    __slots__ = ("parts", "pattern", "pk", "sort")

    def __init__(self, pattern: Pattern[R_co], pk: str, sort: SortCondition, parts: Mapping[str, Any]) -> None:
        self.pattern = pattern
        self.pk = pk
        self.sort = sort
        self.parts = parts

    def position_of(self, row: Entity) -> RawKey | IndexKey:
        """Return the position of a row among the results; raise BadExpression if it is not among them."""
        own = row.own_key().raw
        index = self.pattern.index_name
        if index is None:
            return own
        found = index_key(row.shape.by_index.get(index, []), row.__getattribute__)
        if found is None:
            raise BadExpression(f"{row.own_key()!r} is not in the index {index}")
        return IndexKey(found[1], own)

    def fingerprint(self, *, backward: bool) -> bytes:
        """Return a hash of this question, which cursors are bound to."""
        identity = (self.pattern.id, self.pattern.index_name, self.pk, repr(self.sort), backward)
        return hashlib.blake2b(msgspec.msgpack.encode(identity), digest_size=16).digest()


class PatternOptions(TypedDict, total=False):
    """What a pattern may say besides its entities: the arguments of `Pattern`."""

    index: str
    prefix: str
    exactly: str
    between: tuple[str, str]
    newest_first: bool
    page: int
    consistent: bool


class Pattern(Generic[R_co]):
    """A query of one partition of the table or of an index. With `into` its rows are a smaller struct."""

    @overload
    def __init__(self, id: str, question: str, *entities: type[R_co], **options: Unpack[PatternOptions]) -> None: ...
    @overload
    def __init__(
        self: Pattern[S],
        id: str,
        question: str,
        *entities: type[Entity],
        into: type[S],
        **options: Unpack[PatternOptions],
    ) -> None: ...
    def __init__(
        self,
        id: str,
        question: str,
        *entities: type[Any],
        into: type[Any] | None = None,
        index: str | None = None,
        prefix: str | None = None,
        exactly: str | None = None,
        between: tuple[str, str] | None = None,
        newest_first: bool = False,
        page: int = DEFAULT_PAGE,
        consistent: bool = False,
    ) -> None:
        if not entities or sum(given is not None for given in (prefix, exactly, between)) > 1:
            raise BadExpression(f"pattern {id} needs an entity, and at most one of prefix, exactly and between")
        self.id = id
        self.question = question
        self.entities: tuple[type[Entity], ...] = entities
        self.into: type[Any] | None = into
        """The struct of its rows, if it does not return entities."""
        self.index = index
        self.newest_first = newest_first
        self.page = page
        self.consistent = consistent
        self.keys = self._keys_of(entities[0])
        self.index_name: IndexName | None = getattr(self.keys, "index", None)
        if prefix is None and exactly is None and between is None:
            prefix = self._shared_prefix() or None
        self.prefix = Template(prefix) if prefix is not None else None
        self.exactly = Template(exactly) if exactly is not None else None
        self.between = (Template(between[0]), Template(between[1])) if between else None
        self.closes: str | None = None
        """The prefix that `between` includes completely at its end, if it does."""
        templates = [self.keys.pk, *self._sort_templates()]
        self.fields = tuple(dict.fromkeys(field for template in templates for field in template.fields))
        """The parts that the question takes."""
        self._names = frozenset(self.fields)
        for entity in entities:
            self._check_fits(entity)
        for template in self._sort_templates():
            template.expect(entities[0].shape.part_types)
        if into is not None:
            projection(self.only_entity(), into, self.keys)

    def __call__(self, **parts: Any) -> Question[R_co]:
        """Return the question with these parts in its key."""
        if parts.keys() != self._names or None in parts.values():
            raise wrong_parts(f"pattern {self.id}", self.fields, parts)
        pk = self.keys.pk.format(parts)
        sort: SortCondition = None
        if self.prefix:
            sort = SortPrefix(self.prefix.format(parts))
        elif self.exactly:
            sort = SortEquals(self.exactly.format(parts))
        elif self.between:
            sort = SortBetween(self.between[0].format(parts), self.between[1].format(parts))
        check_key(pk, "-")
        return Question(self, pk, sort, parts)

    def only_entity(self) -> type[Entity]:
        """Return the entity; raise BadExpression if there are several."""
        if len(self.entities) > 1:
            raise BadExpression(f"pattern {self.id} has several entities, so its rows have no fields in common")
        return self.entities[0]

    @property
    def condition(self) -> str:
        """The condition on the sort key, as readable text."""
        if self.prefix:
            return f"begins with {self.prefix.text}"
        if self.exactly:
            return f"= {self.exactly.text}"
        if self.between:
            return f"from {self.between[0].text} to {self.between[1].text}"
        return "any"

    def _shared_prefix(self) -> str:
        """Return the prefix that the sort keys of all entities share, which excludes other rows."""
        first, *others = (self._keys_of(entity).sk.literal_prefix for entity in self.entities)
        while not all(prefix.startswith(first) for prefix in others):
            first = first[:-1]
        return first

    def _sort_templates(self) -> list[Template]:
        return [template for template in (self.prefix, self.exactly, *(self.between or ())) if template]

    def _keys_of(self, entity: type[Entity]) -> Keys:
        if self.index is None:
            return entity.shape.keys
        try:
            return entity.shape.indexes[self.index]
        except KeyError:
            raise BadExpression(f"pattern {self.id}: {entity.__name__} has no index {self.index!r}") from None

    def _check_fits(self, entity: type[Entity]) -> None:
        """Raise BadExpression for a prefix that no key of the entity has: it would find nothing, or other rows."""
        keys = self._keys_of(entity)
        if keys.pk.text != self.keys.pk.text:
            raise BadExpression(f"pattern {self.id}: {entity.__name__} is in another partition, {keys.pk.text}")
        if self.into is None and isinstance(keys, Index) and keys.projects is not None:
            has = ", ".join(dict.fromkeys((*entity.shape.keys.fields, *keys.fields, *keys.projects)))
            raise BadExpression(
                f"pattern {self.id}: {entity.__name__}.{self.index} projects only {has}, not whole rows; "
                "give the pattern `into`, a struct with some of these fields"
            )
        own = keys.sk.literal_prefix
        several = len(self.entities) > 1
        for template in self._sort_templates():
            asked = template.literal_prefix
            is_end = self.between is not None and template is self.between[1] and template.text == successor(own)
            if is_end:
                self.closes = own
            if not (is_end or asked.startswith(own) or (several and own.startswith(asked))):
                raise BadExpression(
                    f"pattern {self.id} asks for {template.text}, but a {entity.__name__} is at {keys.sk.text}"
                )
            if field := template.padded_unlike(keys.sk):
                raise BadExpression(
                    f"pattern {self.id}: {field} in {template.text} must have as many digits as in {keys.sk.text}"
                )


class Lookup(Generic[E_co]):
    """A question for one row, by its key."""

    def __init__(self, id: str, question: str, entity: type[E_co], *, consistent: bool = False) -> None:
        self.id = id
        self.question = question
        self.entities = (entity,)
        self.consistent = consistent

    def __call__(self, **parts: Any) -> Key[E_co]:
        key = self.entities[0].key(**parts)
        key.pattern, key.consistent = self.id, self.consistent
        return key


class WritePattern:
    """A write, and the entities that it changes."""

    def __init__(self, id: str, question: str, *entities: type[Entity]) -> None:
        self.id = id
        self.question = question
        self.entities = entities


AnyPattern: TypeAlias = Pattern[Any] | Lookup[Any] | WritePattern


class PatternGroup(msgspec.Struct, frozen=True):
    """A value that declares patterns itself, such as those that follow from the entities in it."""

    def patterns(self) -> Iterable[AnyPattern]:
        """Return the patterns, which a registry collects."""
        raise NotImplementedError


class Registry:
    """All entities and patterns of some modules."""

    def __init__(self, entities: Iterable[type[Entity]] = (), patterns: Iterable[AnyPattern] = ()) -> None:
        self.entities = tuple(entities)
        self.patterns: dict[str, AnyPattern] = {}
        for pattern in patterns:
            if pattern.id in self.patterns:
                raise BadExpression(f"two patterns have the id {pattern.id}")
            self.patterns[pattern.id] = pattern

    @classmethod
    def of(cls, *modules: ModuleType) -> Registry:
        """Return the registry of what these modules declare, in order."""
        entities: list[type[Entity]] = []
        patterns: list[AnyPattern] = []
        for value in _values(modules):
            if isinstance(value, type) and _is_entity(value):
                entities.append(value)
            elif isinstance(value, Pattern | Lookup | WritePattern):
                patterns.append(value)
            elif isinstance(value, PatternGroup):
                patterns += value.patterns()
        return cls(entities, patterns)

    def require_free_names(self, layout: Layout) -> None:
        """Raise BadNames if an entity stores a field under a name that this layout uses for another purpose."""
        keys = layout.key_attributes() | {layout.entity_type}
        if layout.spelling is not None:
            keys |= layout.spelling.marks.keys()
        for entity in self.entities:
            shape = entity.shape
            for field, attribute in shape.stored_fields:
                # A number would be taken for the expiry of the row; a text would not.
                expires = (
                    attribute == layout.ttl and field != shape.expires and (shape.expires or field in shape.numbers)
                )
                if attribute in keys or expires:
                    raise BadNames(f"names: {shape.name} already has an attribute {attribute!r}; choose another name")
        unknown = set(layout.spelling.types if layout.spelling else ()) - {
            each.shape.type_name for each in self.entities
        }
        if unknown:
            raise BadNames(f"names: types has {min(unknown)!r}, which is not an entity type")

    def entity_of(self, item: Mapping[str, Value], layout: Layout) -> type[Entity] | None:
        """Return the entity of a stored row: by its key, then by its type, then the first declared."""
        return match_entity(item, self.entities, layout)


def _values(modules: Iterable[ModuleType]) -> Iterator[Any]:
    seen = set()
    for module in modules:
        for value in vars(module).values():
            if id(value) not in seen:
                seen.add(id(value))
                yield value


def _is_entity(value: type) -> bool:
    return issubclass(value, Entity) and hasattr(value, "keys")


def require_keys(*keys: object) -> None:
    """Raise BadExpression, with a hint, unless all of these are keys."""
    for key in keys:
        if not isinstance(key, Key):
            raise BadExpression(
                f"get takes the key of one row, as `User.key(user_id=...)` or a Lookup called with the parts of a key; "
                f"{_called(key)}"
            )


def require_question(question: object) -> None:
    """Raise BadExpression, with a hint, unless this is a question."""
    if not isinstance(question, Question):
        raise BadExpression(
            f"query takes a question: a Pattern called with the parts of its key, as `messages_of(room_id=...)`; "
            f"{_called(question)}"
        )


def _called(given: object) -> str:
    match given:
        case Question(pattern=pattern):
            return f"{pattern.id} ({pattern.question}) may have many results: use query"
        case Key():
            return "a key has one row: use get"
        case Pattern() | Lookup():
            return f"{given.id} ({given.question}) was not called"
        case _:
            return f"not {type(given).__name__}"
