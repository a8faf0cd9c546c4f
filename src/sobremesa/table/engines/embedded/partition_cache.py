"""PartitionCache that are remembered until something in their partition changes.

The newest page of a channel that people look at, and who is in its server, are asked for far more often than they
change; and in a file each question costs SQLite locks, before it reads anything. Every commit of this process takes
the partitions that it touched out of memory before anybody is answered. `neighbours` tells whether another process
has written to the file, and then everything is forgotten. So an answer from memory is the answer that SQLite would
give.

Rows by their key and questions to the table itself are remembered, as they stand: no filters, no counts, no indexes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sobremesa.table.capacity import READ_UNIT_BYTES
from sobremesa.table.engines.embedded.other_processes import OtherProcesses
from sobremesa.table.engines.embedded.rows import Row
from sobremesa.table.engines.protocol import QueryRequest, RawKey, RawPage
from sobremesa.table.values import Item, SharedItem

MAX_BYTES = 16 << 20
"""How much may be remembered, as large as it is stored; in memory it takes a few times as much."""
ENTRY_BYTES = 200
"""What remembering one thing takes by itself, also that there is nothing."""


class Partition:
    """What is known of one partition. `version` is another object as soon as anything in it has changed."""

    __slots__ = ("bytes", "items", "pages", "version")

    def __init__(self, items: dict[str, tuple[Item | None, int]] | None = None) -> None:
        self.items = {} if items is None else items
        self.pages: dict[Any, RawPage] = {}
        self.bytes = sum(size + ENTRY_BYTES for _, size in self.items.values())
        self.version = object()


class PartitionCache:
    """What was read of one store, and has not changed since."""

    def __init__(self, others: OtherProcesses) -> None:
        self._others = others
        self._bytes = 0
        self._partitions: dict[str, Partition] = {}

    def partition(self, pk: str) -> Partition:
        """What is known of a partition now; whoever reads more of it adds that."""
        self.check_other_processes()
        partition = self._partitions.get(pk)
        if partition is None:
            partition = self._partitions[pk] = Partition()
        return partition

    def keep_item(self, partition: Partition, sk: str, found: tuple[Item | None, int]) -> None:
        """Remember the row of a key, or that there is none."""
        partition.items[sk] = found
        self._grow(partition, found[1] + ENTRY_BYTES)

    def keep_page(self, partition: Partition, request: QueryRequest, page: RawPage) -> None:
        partition.pages[question(request)] = page
        units = page.capacity.read if request.consistent else 2 * page.capacity.read
        self._grow(partition, int(units * READ_UNIT_BYTES) + len(page.items) * ENTRY_BYTES)

    def check_other_processes(self) -> None:
        """Forget everything if another process has written."""
        if self._others.have_written():
            self.forget_all()

    def changed(self, rows: Mapping[RawKey, Row | None]) -> None:
        """This process has committed these rows, of which None are gone.

        The pages of their partitions are forgotten. A row that somebody has asked for by its key is known as it is
        now: a room's head changes with every message, and the next sender asks for it first.
        """
        if not rows:
            # A commit that changed nothing is not counted: whatever is new is a neighbour's.
            self.check_other_processes()
            return
        if not self._others.only_we_wrote():
            self.forget_all()
        renewed: dict[str, Partition] = {}
        for key, row in rows.items():
            partition = renewed.get(key.pk)
            if partition is None:
                before = self._partitions.pop(key.pk, None)
                if before is None:
                    continue
                partition = renewed[key.pk] = self._partitions[key.pk] = Partition(before.items)
                self._bytes += partition.bytes - before.bytes
            if key.sk in partition.items:
                partition.items[key.sk] = (None, 0) if row is None else (SharedItem(row.item), row.size)

    def close(self) -> None:
        """To be called after the connection is closed."""
        self.forget_all()
        self._others.close()

    def forget_all(self) -> None:
        self._partitions.clear()
        self._bytes = 0

    def _grow(self, partition: Partition, size: int) -> None:
        """Count something new, and forget the partitions that have been there for longest if it is too much."""
        self._bytes += size
        partition.bytes += size
        while self._bytes > MAX_BYTES and self._partitions:
            oldest = self._partitions.pop(next(iter(self._partitions)))
            self._bytes = self._bytes - oldest.bytes if self._partitions else 0


def is_plain(request: QueryRequest) -> bool:
    """May the answer to this be remembered?"""
    return request.index is None and request.where is None and request.fields is None and not request.count_only


def question(request: QueryRequest) -> tuple[Any, ...]:
    """What tells the questions to one partition apart."""
    return request.sort, request.backward, request.limit, request.start, request.consistent
