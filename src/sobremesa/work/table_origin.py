"""Who made the table: a table of ours is complete, one that others made is so once it has been adopted.

Until then rows may lack what only we write (claims, places in indexes), and reads also ask the documented indexes. On a
table of ours that costs nothing: whether it is one is known from the start.
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
    """That others made this table. A table of ours has no such row."""

    keys = Keys(pk="SYSTEM", sk="ORIGIN")

    noticed_at: Instant


origin_of_table = Lookup("ORI.1", "Did others make this table?", TableOrigin, consistent=True)
note_origin = WritePattern("ORI.2", "Note that others made this table", TableOrigin)


class Origin:
    """What is known about who made the table."""

    def __init__(self, table: Table, *, is_complete: bool = True) -> None:
        self._table = table
        self._is_complete = is_complete

    @classmethod
    async def of(cls, table: Table, clock: Clock, *, is_strange: bool) -> Origin:
        """What the table says; one that is `strange`, met for the first time and not made by us, is noted."""
        if is_strange:
            with contextlib.suppress(ConditionFailed):
                row = TableOrigin(noticed_at=clock.now())
                await table.write(Create(row), token=None, pattern=note_origin)
        origin = cls(table, is_complete=await table.get(origin_of_table()) is None)
        await origin.is_complete()
        return origin

    async def is_complete(self) -> bool:
        """May reads trust what only we write? Asked again until it is so, since another process may adopt the table."""
        if not self._is_complete:
            adoption = await self._table.get(migration_of(name=ADOPTION))
            self._is_complete = adoption is not None and adoption.phase == "cut_over"
        return self._is_complete


async def has_rows(table: Table) -> bool:
    """Is there anything in the table, beside what a server that starts writes about itself?"""
    async for item in table.scan(consistent=True):
        if item[table.layout.pk] != SYSTEM:
            return True
    return False
