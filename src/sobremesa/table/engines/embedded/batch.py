"""One batch of writes: rows are read ahead, changed in memory, and written together just before the commit.

Running one SQL statement many times in a row is faster than alternating statements with Python code, and a row that
several writes of a batch change is written once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sobremesa.table.capacity import index_write_units, write_units
from sobremesa.table.engines.embedded.changelog import ChangeLog, Logged, logged
from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.engines.embedded.known_rows import KnownRows
from sobremesa.table.engines.embedded.reads import project
from sobremesa.table.engines.embedded.rows import Entry, Row, RowChange, Rows, Stored
from sobremesa.table.engines.embedded.schema import index_entry
from sobremesa.table.engines.protocol import ItemWrite, RawKey
from sobremesa.table.evaluation import same
from sobremesa.table.layout import IndexLayout
from sobremesa.table.values import Item, weigh

_NOTHING: Item = {}


class Write(Protocol):
    """Some operations that are applied together."""

    @property
    def operations(self) -> Sequence[ItemWrite]: ...


class Batch:
    """The rows that the writes of one commit read and change."""

    def __init__(self, rows: Rows, log: ChangeLog, known: KnownRows) -> None:
        self._rows = rows
        self._log = log
        self._known = known
        self._read: set[object] = set()
        self._found: dict[RawKey, Row | Stored | None] = {}
        self._changed: dict[RawKey, Row | None] = {}
        self.new_expiring: set[RawKey] = set()
        """The keys of rows that were not there before this batch, and expire."""
        self._entries: list[tuple[str, IndexLayout, frozenset[str] | None, dict[Entry, bool]]] = [
            (index.names.pk, index.names, index.projected, {}) for index in rows.indexes
        ]
        self._logged: list[Logged] = []
        self.bytes = 0

    @property
    def changed_rows(self) -> Mapping[RawKey, Row | None]:
        """The changed rows; None means deleted."""
        return self._changed

    def has_read(self, write: Write) -> bool:
        return write in self._read

    def read_ahead(self, writes: Sequence[Write]) -> None:
        """Fetch the rows of all these writes that are not known."""
        self._read = set(writes)
        found: dict[RawKey, Row | Stored | None] = {
            operation.key: self._known.find(operation.key) for write in writes for operation in write.operations
        }
        unknown = [key for key, row in found.items() if row is None]
        found.update(zip(unknown, self._rows.read(unknown), strict=True))
        self._found = found

    def find(self, key: RawKey) -> Row | None:
        """Return the row of an operation that was read ahead, as the previous writes left it."""
        if key in self._changed:
            return self._changed[key]
        found = self._found[key]
        if isinstance(found, tuple):
            size, body = found
            found = self._found[key] = Row(unpack(body), size, body)
            self._known.keep(key, found)
        return found

    def apply(self, change: RowChange, *, factor: int) -> int:
        """Apply a change to the table and its indexes; return its units, those of the table times a factor."""
        key, old, new, unchanged = change.key, change.old, change.new, change.unchanged
        if not unchanged:
            if old is None and new is not None and self._rows.ttl in new.item and key not in self._changed:
                self.new_expiring.add(key)
            self._changed[key] = new
        old_item, old_size = (_NOTHING, 0) if old is None else (old.item, old.size)
        new_item, new_size = (_NOTHING, 0) if new is None else (new.item, new.size)
        whole = write_units(max(old_size, new_size))
        units = factor * whole
        for pk, names, projected, entries in self._entries:
            if pk not in old_item and pk not in new_item:
                continue
            before, after = index_entry(old_item, names), index_entry(new_item, names)
            if before == after and projected is None:
                # It does not move, as most do not, and costs there what it costs in the table.
                units += whole if before and not unchanged else 0
                continue
            if before and before != after:
                _toggle(entries, before + key, there=False)
            if after and before != after:
                _toggle(entries, after + key, there=True)
            if projected is None:
                units += index_write_units(before, after, old_size, new_size, changed=True)
            else:
                units += _projected_units(before, after, old_item, new_item, projected)
        return units

    def log(self, at_ms: int, changes: Sequence[RowChange], *, expired: bool) -> None:
        """Add the changes of a transaction to the change log."""
        noted = logged(at_ms, changes, expired=expired)
        if noted is not None:
            self._logged.append(noted)
            self.bytes += len(noted.body)

    def write(self) -> None:
        """Write all changed rows, index entries and log entries."""
        self._rows.write(self._changed)
        for index, (*_, entries) in zip(self._rows.indexes, self._entries, strict=True):
            self._rows.write_entries(index, entries)
        self._log.write(self._logged)


def _projected_units(
    before: tuple[str, str] | None,
    after: tuple[str, str] | None,
    old_item: Item,
    new_item: Item,
    projected: frozenset[str],
) -> int:
    """Return the units of a write in an index that has only some attributes: no other attribute costs anything."""
    old, new = project(old_item, projected), project(new_item, projected)
    return index_write_units(before, after, weigh(old)[1], weigh(new)[1], changed=not same(old, new))


def _toggle(entries: dict[Entry, bool], entry: Entry, *, there: bool) -> None:
    """Add or remove an index entry; the opposite change earlier in the batch cancels out."""
    if entry in entries:
        del entries[entry]
    else:
        entries[entry] = there
