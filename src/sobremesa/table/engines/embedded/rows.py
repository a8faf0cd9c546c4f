"""Items and index entries in SQL: one row read, one row changed, and what that costs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import apsw
import msgspec

from sobremesa.table.capacity import index_write_units, write_units
from sobremesa.table.engines.embedded.codec import pack, unpack
from sobremesa.table.engines.embedded.schema import Schema, index_entry
from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.evaluation import same
from sobremesa.table.layout import Layout
from sobremesa.table.values import Item, Value

NEVER_SECONDS = 1 << 62

_SELECT = "SELECT size, body FROM items WHERE pk = ? AND sk = ?"
_INSERT = "INSERT INTO items VALUES (?, ?, ?, ?, ?)"
_REPLACE = "UPDATE items SET size = ?3, ttl = ?4, body = ?5 WHERE pk = ?1 AND sk = ?2"
_DELETE = "DELETE FROM items WHERE pk = ? AND sk = ?"


class Row(msgspec.Struct, frozen=True, gc=False):
    """An item as it is in the file."""

    item: Item
    size: int
    body: bytes


class RowChange(msgspec.Struct, frozen=True, gc=False):
    """What one operation makes of one row; nothing has been written yet.

    Where everything stays as it was, nothing is written or announced, though it costs the same.
    """

    key: RawKey
    old: Row | None
    new: Row | None
    unchanged: bool


def row_change(key: RawKey, old: Row | None, new: Row | None) -> RowChange:
    if old is None or new is None:
        return RowChange(key, old, new, old is new)
    # The same item may have other bytes, in another order. Python takes 1 for True, but is quick to say no.
    unchanged = old.body == new.body or (old.size == new.size and old.item == new.item and same(old.item, new.item))
    return RowChange(key, old, new, unchanged)


class Rows:
    """The rows of one file, through one connection."""

    def __init__(self, connection: apsw.Connection, layout: Layout, schema: Schema) -> None:
        # One kept cursor is half as dear as a new one each time; its rows must always be fetched to the end.
        self._execute = connection.cursor().execute
        self._ttl = layout.ttl
        self._indexes = [
            (
                layout.indexes[index],
                f"INSERT INTO {table} VALUES (?, ?, ?, ?)",
                f"DELETE FROM {table} WHERE pk = ? AND sk = ? AND base_pk = ? AND base_sk = ?",
            )
            for index, table in schema.index_tables.items()
        ]

    def find(self, key: RawKey) -> Row | None:
        found: list[Any] = self._execute(_SELECT, key).fetchall()
        if not found:
            return None
        size, body = found[0]
        return Row(unpack(body), size, body)

    def find_item(self, key: RawKey) -> tuple[Item | None, int]:
        """The item and its size; nothing has the size 0."""
        row = self.find(key)
        return (row.item, row.size) if row else (None, 0)

    def apply(self, change: RowChange, *, factor: int) -> int:
        """Write a change, in the table and its indexes; its units, those of the table itself times a factor."""
        key, old, new, unchanged = change.key, change.old, change.new, change.unchanged
        if not unchanged:
            self._write_row(key, old, new)
        old_size = old.size if old else 0
        new_size = new.size if new else 0
        units = factor * write_units(max(old_size, new_size))
        for names, insert, delete in self._indexes:
            before = index_entry(old.item, names) if old and names.pk in old.item else None
            after = index_entry(new.item, names) if new and names.pk in new.item else None
            if before is None and after is None:
                continue
            if before != after:
                if before:
                    self._execute(delete, before + key)
                if after:
                    self._execute(insert, after + key)
            units += index_write_units(before, after, old_size, new_size, changed=not unchanged)
        return units

    def _write_row(self, key: RawKey, old: Row | None, new: Row | None) -> None:
        if new is None:
            self._execute(_DELETE, key)
            return
        ttl = new.item.get(self._ttl)
        seconds = None if ttl is None else _seconds(ttl)
        self._execute(_INSERT if old is None else _REPLACE, (*key, new.size, seconds, new.body))


def _seconds(ttl: Value) -> int | None:
    """The second of an expiry; what is no number, or later than SQLite's numbers reach, is never."""
    return int(ttl) if isinstance(ttl, int | float | Decimal) and ttl < NEVER_SECONDS else None


def row_of(item: Item, size: int) -> Row:
    return Row(item, size, pack(item))
