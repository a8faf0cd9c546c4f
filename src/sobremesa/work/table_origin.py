"""The origin of a table: our own is complete, one that another program created is complete once it is adopted.

Until then rows may lack what only Sobremesa writes (claims, index keys), and reads also query the documented indexes.
On our own table that costs nothing: the origin is known from the start.
"""

from __future__ import annotations

import contextlib

from sobremesa.core.clock import Clock, Instant
from sobremesa.table import Create, Entity, Keys, Lookup, Table, WritePattern
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.migration.entities import migration_of

ADOPTION = "adopt"
"""The name of the migration that completes a table."""


SYSTEM = "SYSTEM"


class TableOrigin(Entity):
    """Another program created this table. Our own tables have no such row."""

    keys = Keys(pk="SYSTEM", sk="ORIGIN")

    noticed_at: Instant


origin_of_table = Lookup("ORI.1", "Was this table created by another program?", TableOrigin, consistent=True)
note_origin = WritePattern("ORI.2", "Record that another program created this table", TableOrigin)


class Origin:
    """Whether the table is complete."""

    def __init__(self, table: Table, *, is_complete: bool = True) -> None:
        self._table = table
        self._is_complete = is_complete

    @classmethod
    async def of(cls, table: Table, clock: Clock, *, is_foreign: bool) -> Origin:
        """Return the origin of a table; record one that is `foreign`: opened for the first time, not created by us."""
        if is_foreign:
            with contextlib.suppress(ConditionFailed):
                row = TableOrigin(noticed_at=clock.now())
                await table.write(Create(row), pattern=note_origin)
        origin = cls(table, is_complete=await table.get(origin_of_table()) is None)
        await origin.is_complete()
        return origin

    async def is_complete(self) -> bool:
        """Return whether reads may rely on what only we write. Checked until true: another process may adopt it."""
        if not self._is_complete:
            adoption = await self._table.get(migration_of(name=ADOPTION))
            self._is_complete = adoption is not None and adoption.phase == "cut_over"
        return self._is_complete


async def has_rows(table: Table) -> bool:
    """Return whether the table has rows, other than those that a starting server writes."""
    async for item in table.scan(consistent=True):
        if item[table.layout.pk] != SYSTEM:
            return True
    return False
