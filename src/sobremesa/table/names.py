"""The names of the attributes and indexes of a table that another program created."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

import msgspec

from sobremesa.table.errors import TableError

MAX_ATTRIBUTE_NAME_BYTES = 255

IndexRole: TypeAlias = Literal["gsi1", "gsi2"]
INDEXES: tuple[IndexRole, ...] = get_args(IndexRole)

_INDEX_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")


class BadNames(TableError):
    """Names cannot be used together, or clash with an attribute of an entity."""


class IndexNames(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The names of one index and its two keys; a name that is left out keeps its default."""

    name: str | None = None
    pk: str | None = None
    sk: str | None = None


_NOT_GIVEN = IndexNames()


class Names(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The names that an existing table uses; a name that is left out keeps its default.

    The style `electrodb` is for tables created by ElectroDB: keys in lower case, and two attributes with the type and
    version of a row. `types` maps our entity types to the names of ElectroDB's models; the default is the type in lower
    camel case, such as conversation for Conversation.
    """

    style: Literal["sobremesa", "electrodb"] = "sobremesa"
    pk: str = "pk"
    sk: str = "sk"
    ttl: str = "ttl"
    entity_type: str | None = None
    entity_version: str | None = None
    indexes: dict[IndexRole, IndexNames] = {}
    types: dict[str, str] = {}

    def __post_init__(self) -> None:
        if self.style != "electrodb" and (self.entity_version is not None or self.types):
            raise BadNames("names: entityVersion and types go with the style electrodb only")
        roles = self.attributes()
        for role, name in roles.items():
            if not 1 <= len(name.encode()) <= MAX_ATTRIBUTE_NAME_BYTES:
                raise BadNames(f"names: {role} has a name of 1 to {MAX_ATTRIBUTE_NAME_BYTES} bytes, not {name!r}")
        _refuse_double(roles)
        indexes = {f"indexes.{index}.name": self.index(index)[0] for index in INDEXES}
        for role, name in indexes.items():
            if not _INDEX_NAME.fullmatch(name):
                raise BadNames(f"names: {role} is {name!r}; an index has 3 to 255 letters, digits, `_`, `-` or `.`")
        _refuse_double(indexes)

    def attributes(self) -> dict[str, str]:
        """Return the attribute of each role, by the role's path in this map."""
        roles = {"pk": self.pk, "sk": self.sk, "ttl": self.ttl, "entityType": self.type_attribute}
        if self.style == "electrodb":
            roles["entityVersion"] = self.version_attribute
        for index in INDEXES:
            _, roles[f"indexes.{index}.pk"], roles[f"indexes.{index}.sk"] = self.index(index)
        return roles

    def index(self, index: IndexRole) -> tuple[str, str, str]:
        """Return the names of one index and of its two keys, with the defaults filled in."""
        given = self.indexes.get(index, _NOT_GIVEN)
        return (
            index if given.name is None else given.name,
            f"{index}pk" if given.pk is None else given.pk,
            f"{index}sk" if given.sk is None else given.sk,
        )

    @property
    def type_attribute(self) -> str:
        """The attribute that holds the entity type of a row."""
        if self.entity_type is not None:
            return self.entity_type
        return "__edb_e__" if self.style == "electrodb" else "entityType"

    @property
    def version_attribute(self) -> str:
        """The attribute in which ElectroDB keeps the version of a model."""
        return "__edb_v__" if self.entity_version is None else self.entity_version


def _refuse_double(roles: Mapping[str, str]) -> None:
    """Raise BadNames if two roles have the same name."""
    taken: dict[str, str] = {}
    for role, name in roles.items():
        if name in taken:
            raise BadNames(f"names: {taken[name]} and {role} are both called {name!r}")
        taken[name] = role
