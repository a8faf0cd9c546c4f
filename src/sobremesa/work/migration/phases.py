"""The phase of a migration for readers, at most a second old."""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.table import Table
from sobremesa.work.migration.entities import Migration, migration_of

CACHED_MS = 1000


class Phases:
    """Returns the state of one migration, cached for a second.

    The delay is harmless: a reader that still looks for old rows after the cut-over finds the new ones first.
    """

    def __init__(self, table: Table, clock: Clock, name: str) -> None:
        self._table = table
        self._clock = clock
        self._key = migration_of(name=name)
        self._known: Migration | None = None
        self._read_ms: int | None = None

    async def find(self) -> Migration | None:
        """Return the migration; None if it was never planned."""
        now = self._clock.now_ms()
        if self._read_ms is None or not 0 <= now - self._read_ms < CACHED_MS:
            self._known = await self._table.get(self._key)
            self._read_ms = now
        return self._known
