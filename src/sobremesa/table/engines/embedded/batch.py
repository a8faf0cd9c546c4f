"""One batch of writes: rows read ahead, changed in memory, and written together just before the commit.

SQLite asked the same thing many times in a row is quicker than SQLite asked in turn with everything that Python does
for a write, and a row that several writes of a batch change is written once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol

from sobremesa.table.capacity import index_write_units, write_units
from sobremesa.table.engines.embedded.changelog import ChangeLog, Logged, logged
from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.engines.embedded.rows import Entry, Row, RowChange, Rows, Stored
from sobremesa.table.engines.embedded.schema import index_entry
from sobremesa.table.engines.protocol import ItemWrite, RawKey
from sobremesa.table.layout import IndexLayout
from sobremesa.table.values import Item

_NOTHING: Item = {}


class Write(Protocol):
    """Some operations that are done together."""

    @property
    def operations(self) -> Sequence[ItemWrite]: ...


class Batch:
    """What the writes of one commit see and change."""

    def __init__(self, rows: Rows, log: ChangeLog) -> None:
        self._rows = rows
        self._log = log
        self._found: dict[object, list[Stored | None]] = {}
        self._changed: dict[RawKey, Row | None] = {}
        self._entries: list[tuple[str, IndexLayout, dict[Entry, bool]]] = [
            (index.names.pk, index.names, {}) for index in rows.indexes
        ]
        self._logged: list[Logged] = []
        self.bytes = 0

    @property
    def changed_rows(self) -> Mapping[RawKey, Row | None]:
        """What it has changed, as it is now; None is gone."""
        return self._changed

    def has_read(self, write: Write) -> bool:
        return write in self._found

    def read_ahead(self, writes: Sequence[Write]) -> None:
        """Fetch the rows of all these writes."""
        rows = iter(self._rows.read([operation.key for write in writes for operation in write.operations]))
        self._found = {write: list(islice(rows, len(write.operations))) for write in writes}

    def find(self, write: Write, place: int, key: RawKey) -> Row | None:
        """The row of one operation of a write, as the writes before have left it."""
        if key in self._changed:
            return self._changed[key]
        found = self._found[write][place]
        return None if found is None else Row(unpack(found[1]), found[0], found[1])

    def apply(self, change: RowChange, *, factor: int) -> int:
        """Make a change, in the table and its indexes; its units, those of the table itself times a factor."""
        key, old, new, unchanged = change.key, change.old, change.new, change.unchanged
        if not unchanged:
            self._changed[key] = new
        old_item, old_size = (_NOTHING, 0) if old is None else (old.item, old.size)
        new_item, new_size = (_NOTHING, 0) if new is None else (new.item, new.size)
        whole = write_units(max(old_size, new_size))
        units = factor * whole
        for pk, names, entries in self._entries:
            if pk not in old_item and pk not in new_item:
                continue
            before, after = index_entry(old_item, names), index_entry(new_item, names)
            if before == after:
                # It stays where it is, as most do, and costs there what it costs in the table.
                units += whole if before and not unchanged else 0
                continue
            if before:
                _turn(entries, before + key, there=False)
            if after:
                _turn(entries, after + key, there=True)
            units += index_write_units(before, after, old_size, new_size, changed=not unchanged)
        return units

    def log(self, at_ms: int, changes: Sequence[RowChange], *, expired: bool) -> None:
        """Note what a transaction changed for the stream."""
        noted = logged(at_ms, changes, expired=expired)
        if noted is not None:
            self._logged.append(noted)
            self.bytes += len(noted.body)

    def write(self) -> None:
        """Write everything that was changed and noted."""
        self._rows.write(self._changed)
        for index, (_, _, entries) in zip(self._rows.indexes, self._entries, strict=True):
            self._rows.write_entries(index, entries)
        self._log.write(self._logged)


def _turn(entries: dict[Entry, bool], entry: Entry, *, there: bool) -> None:
    """Let an entry be in an index or not; where the batch has just done the opposite, nothing remains to be done."""
    if entry in entries:
        del entries[entry]
    else:
        entries[entry] = there
