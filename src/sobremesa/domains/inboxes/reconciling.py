"""Recounts all inboxes and repairs wrong counts.

It scans the table once and recounts every partition of an inbox, so it also finds the effects of lost stream records
and of rows of another writer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from sobremesa.core.actor import Tenant
from sobremesa.domains.inboxes.current_counts import CurrentCounts, Drift
from sobremesa.domains.inboxes.partitions import Partition, find_partition
from sobremesa.table import Table


class Checked(NamedTuple):
    """A recounted partition, and its drift."""

    partition: Partition
    drift: Sequence[Drift]


class Reconciling:
    """Recounts all partitions."""

    def __init__(self, table: Table, current_counts: CurrentCounts) -> None:
        self._table = table
        self._current_counts = current_counts

    async def run(self, *, tenant: Tenant | None = None, dry: bool = False) -> AsyncIterator[Checked]:
        """Recount the partitions of one or all tenants; a dry run only reports drift."""
        layout = self._table.layout
        last: Partition | None = None
        async for item in self._table.scan(consistent=True):
            partition = find_partition(item, layout)
            # A scan returns the rows of a partition together; counting one twice would be harmless.
            if partition is None or partition == last or tenant not in (None, partition.tenant):
                continue
            last = partition
            yield Checked(partition, (await self._current_counts.recount(partition, dry=dry)).drift)
