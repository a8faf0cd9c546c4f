"""The rows that the writer read or changed last, decoded.

The head of a room and the membership of a sender are needed by every send, so they are neither read nor decoded again.
A new row is not kept: most are messages, which are rarely changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from sobremesa.table.engines.embedded.rows import Row
from sobremesa.table.engines.protocol import RawKey

MAX_BYTES = 4 << 20
"""The limit, in stored size; the memory used is a few times as much."""
ROW_BYTES = 500
"""The overhead of one row."""


class KnownRows:
    """Rows as they are in the file. The cache of partitions, which detects writes of other processes, clears it."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._rows: dict[RawKey, Row] = {}
        self._bytes = 0
        self._max_bytes = max_bytes

    def find(self, key: RawKey) -> Row | None:
        """Return a row; None if it is not known whether there is one."""
        return self._rows.get(key)

    def keep(self, key: RawKey, row: Row) -> None:
        """Keep a row that was read, and drop the oldest ones above the limit."""
        self._forget(key)
        self._rows[key] = row
        self._bytes += row.size + ROW_BYTES
        while self._bytes > self._max_bytes:
            self._forget(next(iter(self._rows)))

    def replace(self, changed: Mapping[RawKey, Row | None]) -> None:
        """Replace the known ones of these rows after their commit; None means deleted."""
        for key, row in changed.items():
            if key in self._rows:
                if row is None:
                    self._forget(key)
                else:
                    self.keep(key, row)

    def clear(self) -> None:
        self._rows.clear()
        self._bytes = 0

    def _forget(self, key: RawKey) -> None:
        row = self._rows.pop(key, None)
        if row is not None:
            self._bytes -= row.size + ROW_BYTES
