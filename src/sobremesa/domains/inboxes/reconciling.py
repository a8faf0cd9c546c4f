"""Recounts all inboxes and repairs wrong counts.

It scans the table once and recounts every partition of an inbox, so it also finds the effects of lost stream records
and of rows of another writer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from sobremesa.core.actor import Tenant
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.current_counts import CurrentCounts, Drift
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.domains.inboxes.message_counts import MessageCount
from sobremesa.domains.inboxes.partitions import Partition, UserPartition, find_partition
from sobremesa.table import Table

BASE = "base"
"""The name of the drift of a base: the number of broadcasts that a user does not see."""


class Checked(NamedTuple):
    """A recounted partition, and its drift."""

    partition: Partition
    drift: Sequence[Drift]


class Reconciling:
    """Recounts all partitions."""

    def __init__(self, table: Table, current_counts: CurrentCounts, floor: BroadcastFloor) -> None:
        self._table = table
        self._current_counts = current_counts
        self._floor = floor

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
            yield Checked(partition, await self._check(partition, dry=dry))

    async def _check(self, partition: Partition, *, dry: bool) -> Sequence[Drift]:
        recounted = await self._current_counts.recount(partition, dry=dry)
        drift = list(recounted.drift)
        total = recounted.counts.total
        if isinstance(partition, UserPartition) and isinstance(total, UserStats) and total.floor is not None:
            true = await self._floor.base_of(partition, total)
            now_is_due = total.base_until is not None and total.base_until <= (total.settled_at or 0)
            if true["base"] != total.base and not now_is_due:
                drift.append(Drift(BASE, MessageCount(total.base_total), MessageCount(true["base_total"])))
            if not dry and (true["base"], true["base_until"]) != (total.base, total.base_until):
                await self._floor.renew(partition, total)
        return drift
