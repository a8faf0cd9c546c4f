"""Counts the rows that the store has expired by itself, once each.

A transaction that deletes a row also updates the counts. Rows that the store expires appear only in the change stream.
Each is counted together with a marker row in its partition, so a repeated record has no effect, and on the condition
that the partition is not settled beyond the row's expiry, so a late record counts nothing twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.inboxes.entities import Held, HeldPublic, count_expiry
from sobremesa.domains.inboxes.message_counts import NO_MESSAGES, category_of, row_count
from sobremesa.domains.inboxes.partitions import HeldRow, count_operations, find_partition
from sobremesa.table import Create, RawChange, Table, hash_part, less_if_present
from sobremesa.table.errors import ConditionFailed

AT_ONCE = 8
MARKED_SECONDS = 3 * 86400
"""How long a marker is stored: the stream itself keeps records for a day."""

_PARTITION = "t#"
_ROW = "m#"


class Expiring:
    """Subtracts rows that the store has expired from the counts."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._waiting: dict[str, RawChange] = {}

    def collect(self, change: RawChange) -> None:
        if change.expired and change.key.pk.startswith(_PARTITION) and change.key.sk.startswith(_ROW):
            self._waiting[change.id] = change

    async def flush(self) -> None:
        async def count_all(changes: Sequence[RawChange]) -> None:
            for change in changes:
                await self.count(change)

        # One partition at a time, since its changes contend for the same total.
        by_partition: dict[str, list[RawChange]] = {}
        for change in self._waiting.values():
            by_partition.setdefault(change.key.pk, []).append(change)
        await gather_bounded(AT_ONCE, count_all, by_partition.values())
        self._waiting.clear()

    async def count(self, change: RawChange) -> bool:
        """Count an expired row; return False if it was counted before."""
        row = None if change.old is None else self._row(change.old)
        partition = None if change.old is None else find_partition(change.old, self._table.layout)
        if row is None or row.expiredat is None or partition is None or row.is_recalled:
            return False
        until = self._clock.now_seconds() + MARKED_SECONDS
        not_settled = less_if_present("settled_at", int(row.expiredat))
        out = {category_of(row): NO_MESSAGES.minus(row_count(row))}
        total, *rest = count_operations(partition, out, when=not_settled)
        marker = partition.marker(hash_part(change.id), until)
        try:
            await self._table.write(total=total, marker=Create(marker), categories=rest, pattern=count_expiry)
        except ConditionFailed:
            return False
        return True

    def _row(self, item: Mapping[str, Any]) -> HeldRow | None:
        stored = dict(item)
        return self._table.as_entity(stored, Held) or self._table.as_entity(stored, HeldPublic)
