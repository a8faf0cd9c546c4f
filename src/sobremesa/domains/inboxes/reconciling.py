"""Reconciling: everything is counted again, and counts that are wrong are mended.

It reads the whole table once and looks at every partition of an inbox that it meets, so it finds what was lost: a
record of the stream that never came, or rows of another writer.
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
"""What is wrong when it is the number of messages to everyone from before a person came."""


class Checked(NamedTuple):
    """A partition that was counted again, and what was wrong there."""

    partition: Partition
    drift: Sequence[Drift]


class Reconciling:
    """Counts everything again."""

    def __init__(self, table: Table, current_counts: CurrentCounts, floor: BroadcastFloor) -> None:
        self._table = table
        self._current_counts = current_counts
        self._floor = floor

    async def run(self, *, tenant: Tenant | None = None, dry: bool = False) -> AsyncIterator[Checked]:
        """Every partition of a tenant, or of all, one after the other; a dry run only tells what is wrong."""
        layout = self._table.layout
        last: Partition | None = None
        async for item in self._table.scan(consistent=True):
            partition = find_partition(item, layout)
            # The rows of a partition come together; one that came apart would be counted twice, which does no harm.
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
