"""How a table's attributes and indexes are named.

Entities speak of `gsi1` and `gsi2`; a layout says what these, the keys, the type and the time-to-live attribute
are called in the table at hand, so that a table that somebody already has can be used as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NewType

import msgspec

IndexName = NewType("IndexName", str)

gsi1 = IndexName("gsi1")
gsi2 = IndexName("gsi2")


class IndexLayout(msgspec.Struct, frozen=True):
    """The name of one index in the table, and of its two key attributes."""

    name: str
    pk: str
    sk: str


class Layout(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The names of one table; the same only as itself, so that what is worked out for it can be kept."""

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

    @cache  # noqa: B019 - layouts are few and live as long as the program
    def key_attributes(self) -> frozenset[str]:
        """Every attribute that is a key of the table or of an index."""
        names = {self.pk, self.sk}
        for index in self.indexes.values():
            names |= {index.pk, index.sk}
        return frozenset(names)
