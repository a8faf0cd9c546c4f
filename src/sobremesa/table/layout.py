"""The names of a table's attributes and indexes.

Entities refer to `gsi1` and `gsi2`; a layout maps these, the keys, the type and the time-to-live attribute to the names
of a table, so that an existing table can be used as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NewType

import msgspec

from sobremesa.table.names import INDEXES, BadNames, Names

IndexName = NewType("IndexName", str)

gsi1 = IndexName("gsi1")
gsi2 = IndexName("gsi2")

MODEL_VERSION = "1"
"""The version of ElectroDB's models that our rows are written for."""


SCHEMA_VERSION = "schemaVersion"
"""The attribute with the version of a row, of entities that declare one."""


KEYS_ONLY: tuple[str, ...] = ()
"""The projection of an index that has nothing but keys."""


class IndexLayout(msgspec.Struct, frozen=True, omit_defaults=True):
    """The name of one index in the table, of its two key attributes, and what it has besides the keys."""

    name: str
    pk: str
    sk: str
    projects: tuple[str, ...] | None = None
    """The attributes that the index has besides its own key and the table's (INCLUDE, or KEYS_ONLY); None is ALL."""


class Spelling(msgspec.Struct, frozen=True, kw_only=True):
    """How ElectroDB writes rows: keys in lower case, its own type names, and marker attributes on every row.

    Attributes keep their case, so ids are read from them first.
    """

    marks: dict[str, str]
    types: dict[str, str] = {}

    def key(self, text: str) -> str:
        """Return the stored form of a key."""
        return text.lower()

    def type_name(self, name: str) -> str:
        """Return the name of ElectroDB's model for an entity type."""
        if name in self.types:
            return self.types[name]
        return name.lower() if name.isupper() else name[:1].lower() + name[1:]

    def is_marked(self, item: Mapping[str, object]) -> bool:
        """Return whether this row has our marker attributes. Another version of a model has others."""
        return all(item.get(name) == value for name, value in self.marks.items())


class Layout(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The names of one table; compared by identity, so that results for it can be cached."""

    table: str = "sobremesa"
    pk: str = "pk"
    sk: str = "sk"
    ttl: str = "ttl"
    entity_type: str = "entityType"
    indexes: Mapping[IndexName, IndexLayout] = msgspec.field(
        default_factory=lambda: {
            gsi1: IndexLayout("gsi1", "gsi1pk", "gsi1sk"),
            gsi2: IndexLayout("gsi2", "gsi2pk", "gsi2sk"),
        }
    )
    spelling: Spelling | None = None
    """None: keys and types are stored as entities declare them."""

    def __post_init__(self) -> None:
        for index in self.indexes.values():
            given = index.projects or KEYS_ONLY
            if len(set(given)) < len(given) or {"", self.pk, self.sk, index.pk, index.sk} & set(given):
                raise BadNames(f"the index {index.name} projects {', '.join(given)}: name each once, and no keys")

    @classmethod
    def named(cls, names: Names) -> Layout:
        """Return the layout of a name map in the settings."""
        electrodb = names.style == "electrodb"
        return cls(
            pk=names.pk,
            sk=names.sk,
            ttl=names.ttl,
            entity_type=names.type_attribute,
            indexes={IndexName(index): IndexLayout(*names.index(index)) for index in INDEXES},
            spelling=Spelling(marks={names.version_attribute: MODEL_VERSION}, types=names.types) if electrodb else None,
        )

    @cache  # noqa: B019 - layouts are few and live as long as the program
    def key_attributes(self) -> frozenset[str]:
        """Return every attribute that is a key of the table or of an index."""
        names = {self.pk, self.sk}
        for index in self.indexes.values():
            names |= {index.pk, index.sk}
        return frozenset(names)

    @cache  # noqa: B019 - layouts are few and live as long as the program
    def projected(self, index: IndexName) -> frozenset[str] | None:
        """Return the attributes that an index has, including the keys; None if it has all."""
        names = self.indexes[index]
        if names.projects is None:
            return None
        return frozenset({self.pk, self.sk, names.pk, names.sk, *names.projects})
