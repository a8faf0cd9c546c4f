"""Items and index entries in SQL: reading and writing rows in bulk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

import apsw
import msgspec

from sobremesa.table.engines.embedded.codec import cached_item, pack
from sobremesa.table.engines.embedded.schema import Schema
from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.evaluation import same
from sobremesa.table.layout import IndexLayout, Layout
from sobremesa.table.values import Item, Value

NEVER_SECONDS = 1 << 62

_SELECT = "SELECT size, body FROM items WHERE pk = ? AND sk = ?"
_SELECT_NUMBERED = "SELECT ?3, size, body FROM items WHERE pk = ?1 AND sk = ?2"
_PUT = "REPLACE INTO items VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM items WHERE pk = ? AND sk = ?"

Stored: TypeAlias = tuple[int, bytes]
"""The size of an item and its bytes."""
Entry: TypeAlias = tuple[str, str, str, str]
"""A row of an index: the key there, and the key of the item."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """An item as it is stored in the file."""

    item: Item
    size: int
    body: bytes


class RowChange(msgspec.Struct, frozen=True, gc=False):
    """The change of one row by one operation, not yet written.

    An unchanged row is neither written nor logged, though it costs the same.
    """

    key: RawKey
    old: Row | None
    new: Row | None
    unchanged: bool


def row_change(key: RawKey, old: Row | None, new: Row | None) -> RowChange:
    if old is None or new is None:
        return RowChange(key, old, new, old is new)
    # Equal items may have different bytes, in another order. `==` takes 1 for True, but is a fast first check.
    unchanged = old.body == new.body or (old.size == new.size and old.item == new.item and same(old.item, new.item))
    return RowChange(key, old, new, unchanged)


class IndexRows(NamedTuple):
    """One index: the names of its key, the attributes that it projects (None: all), and its SQL statements."""

    names: IndexLayout
    projected: frozenset[str] | None
    insert: str
    delete: str


class Rows:
    """The rows of one file, through one connection."""

    def __init__(self, connection: apsw.Connection, layout: Layout, schema: Schema) -> None:
        # Reusing one cursor halves the cost; its rows must always be fetched to the end.
        cursor = connection.cursor()
        self._execute = cursor.execute
        self._execute_many = cursor.executemany
        self.ttl = layout.ttl
        self.indexes = [
            IndexRows(
                layout.indexes[index],
                layout.projected(index),
                f"INSERT INTO {table} VALUES (?, ?, ?, ?)",
                f"DELETE FROM {table} WHERE pk = ? AND sk = ? AND base_pk = ? AND base_sk = ?",
            )
            for index, table in schema.index_tables.items()
        ]

    def find_item(self, key: RawKey) -> tuple[Item | None, int]:
        """Return the item and its size; (None, 0) if there is none."""
        found: list[Any] = self._execute(_SELECT, key).fetchall()
        if not found:
            return None, 0
        size, body = found[0]
        return cached_item(body), size

    def read(self, keys: Sequence[RawKey]) -> list[Stored | None]:
        """Return these rows, read at once; None for a missing one."""
        rows: list[Stored | None] = [None] * len(keys)
        numbered = [(*key, number) for number, key in enumerate(keys)]
        found: list[Any] = self._execute_many(_SELECT_NUMBERED, numbered).fetchall()
        for number, size, body in found:
            rows[number] = size, body
        return rows

    def write(self, rows: Mapping[RawKey, Row | None]) -> None:
        """Store these items; None deletes."""
        ttl = self.ttl
        self._execute_many(
            _PUT,
            [
                (*key, row.size, _expiry(row.item[ttl]) if ttl in row.item else None, row.body)
                for key, row in rows.items()
                if row is not None
            ],
        )
        self._execute_many(_DELETE, [key for key, row in rows.items() if row is None])

    def write_entries(self, index: IndexRows, entries: Mapping[Entry, bool]) -> None:
        """Add index entries (True) or remove them (False)."""
        self._execute_many(index.delete, [entry for entry, is_added in entries.items() if not is_added])
        self._execute_many(index.insert, [entry for entry, is_added in entries.items() if is_added])


def _expiry(ttl: Value) -> int | None:
    """Return the second of an expiry; None if it is not a number, or outside the range of SQLite's integers."""
    return int(ttl) if isinstance(ttl, int | float | Decimal) and -NEVER_SECONDS < ttl < NEVER_SECONDS else None


def row_of(item: Item, size: int) -> Row:
    return Row(item, size, pack(item))
