"""The limits of a modelled table: each partition key, of the table and of an index, has units for each second."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from sobremesa.table.capacity import index_write_units
from sobremesa.table.engines.protocol import Engine, ItemWrite, PutItem, RawChange, RawKey
from sobremesa.table.errors import Throttled
from sobremesa.table.values import Item, weigh

EXCEEDED = "the limit of the partition is exceeded (modelled)"

Partition = tuple[str | None, str]
"""The name of an index (None: the table), and a partition key in it."""


class PartitionLimits:
    """What each partition may still read and write."""

    def __init__(self, engine: Engine, *, reads: float, writes: float) -> None:
        self._engine = engine
        self._indexes = engine.layout.indexes
        self._reads = reads
        self._writes = writes
        self._readable: dict[Partition, _Budget] = {}
        self._writable: dict[Partition, _Budget] = {}
        self._overdrawn: set[Partition] = set()
        """Partitions of indexes that writes were more than the limit of, lately."""
        self.refusals: Counter[str] = Counter()
        """How often a limit was reached, by the kind of partition and what is limited."""

    def may_read(self, pk: str, index: str | None = None) -> bool:
        return not self._is_refused(self._to_read((index, pk)), "read", (index, pk))

    def admit_read(self, pk: str, index: str | None = None) -> None:
        """Raise Throttled if the partition has no units left."""
        if not self.may_read(pk, index):
            raise Throttled(EXCEEDED)

    def spend_read(self, units: float, *pks: str, index: str | None = None) -> None:
        """Take the units of one call from the partitions that it has read."""
        for pk in pks:
            self._to_read((index, pk)).spend(units / len(pks))

    async def admit_writes(self, operations: Sequence[ItemWrite]) -> None:
        """Raise Throttled if a partition that one of these writes needs has no units left."""
        for operation in operations:
            if not await self.may_write(operation):
                raise Throttled(EXCEEDED)

    async def may_write(self, operation: ItemWrite) -> bool:
        """Return whether the partitions of a write have units left: that of the row, and those of its index entries."""
        of_row = (None, operation.key.pk)
        if self._is_refused(self._to_write(of_row), "write", of_row):
            return False
        self._overdrawn = {each for each in self._overdrawn if self._to_write(each).is_spent}
        if not self._overdrawn:
            return True
        # DynamoDB refuses a write whose index cannot take it, since the index would fall behind without a bound.
        stored = (await self._engine.get(operation.key, consistent=True, fields=None)).item
        items = [stored or {}, operation.item if isinstance(operation, PutItem) else {}]
        needed = [
            (index.name, str(item[index.pk])) for index in self._indexes.values() for item in items if index.pk in item
        ]
        return not any(self._is_refused(self._to_write(each), "write", each) for each in needed)

    def spend_write(self, units: float, keys: Sequence[RawKey]) -> None:
        """Take the units of one call, with those of its index entries, from the partitions of its rows."""
        for key in keys:
            self._to_write((None, key.pk)).spend(units / len(keys))

    def spend_indexes(self, change: RawChange) -> None:
        """Take the units of a change's index entries from their partitions, and not from that of the row."""
        old, new = change.old or {}, change.new or {}
        for index in self._indexes.values():
            before, after = _entry(old, index.pk, index.sk), _entry(new, index.pk, index.sk)
            if before is None and after is None:
                continue
            units = index_write_units(before, after, weigh(old)[1], weigh(new)[1], changed=True)
            self._to_write((None, change.key.pk)).spend(-units)
            partitions = {(index.name, entry[0]) for entry in (before, after) if entry is not None}
            for partition in partitions:
                budget = self._to_write(partition)
                budget.spend(units / len(partitions))
                if budget.is_spent:
                    self._overdrawn.add(partition)

    def _is_refused(self, budget: _Budget, what: str, partition: Partition) -> bool:
        if budget.is_spent:
            index, pk = partition
            self.refusals[f"{kind_of(pk)}{f' in {index}' if index else ''} {what}"] += 1
        return budget.is_spent

    def _to_read(self, partition: Partition) -> _Budget:
        budget = self._readable.get(partition)
        if budget is None:
            budget = self._readable[partition] = _Budget(self._reads)
        return budget

    def _to_write(self, partition: Partition) -> _Budget:
        budget = self._writable.get(partition)
        if budget is None:
            budget = self._writable[partition] = _Budget(self._writes)
        return budget


def kind_of(key: str) -> str:
    """Return the part of a key that all rows of its kind share."""
    kind, separator, _ = key.partition("#")
    return kind + separator


def _entry(item: Item, pk: str, sk: str) -> tuple[str, str] | None:
    return (str(item[pk]), str(item[sk])) if pk in item and sk in item else None


class _Budget:
    """The units that a partition may still spend. What a call costs is known afterwards, so it can be overdrawn."""

    __slots__ = ("_at", "_left", "_rate")

    def __init__(self, rate: float) -> None:
        self._rate = self._left = rate
        self._at = asyncio.get_running_loop().time()

    @property
    def is_spent(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        return self._left < 0

    def spend(self, units: float) -> None:
        self._left -= units
