"""A cache of rows and pages, valid until something in their partition changes.

The newest page of a channel and the members of its community are read far more often than they change, and every query
of a file costs SQLite locks before it reads anything. Every commit of this process removes the partitions that it
changed before the writers get their results. `other_processes` detects writes of other processes to the file, after
which the cache is cleared. So a cached result is always the result that SQLite would return.

Rows by key and pages of the table are cached; filters, counts and indexes are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from sobremesa.table.capacity import READ_UNIT_BYTES
from sobremesa.table.engines.embedded.known_rows import KnownRows
from sobremesa.table.engines.embedded.other_processes import OtherProcesses
from sobremesa.table.engines.embedded.rows import Row
from sobremesa.table.engines.protocol import QueryRequest, RawKey, RawPage
from sobremesa.table.values import Item, shared

MAX_BYTES = 16 << 20
"""The limit of the cache, in stored size; the memory used is a few times as much."""
ENTRY_BYTES = 200
"""The overhead of one entry, also of a missing row."""


class Partition:
    """The cached rows and pages of one partition.

    `exact_version` is replaced when anything in it changes, `version` except by new rows that expire.
    """

    __slots__ = ("bytes", "exact_version", "item_bytes", "items", "pages", "version")

    def __init__(self) -> None:
        self.items: dict[str, tuple[Item | None, int]] = {}
        self.pages: dict[Any, RawPage] = {}
        self.item_bytes = 0
        """The part of the items in `bytes`."""
        self.bytes = 0
        self.exact_version = object()
        self.version = self.exact_version

    def without_pages(self, version: object | None) -> Partition:
        """Return the cache of the same items, with a version, or a new one."""
        other = Partition()
        other.items = self.items
        other.item_bytes = other.bytes = self.item_bytes
        if version is not None:
            other.version = version
        return other


class PartitionCache:
    """The cached reads of one store."""

    def __init__(self, others: OtherProcesses) -> None:
        self._others = others
        self._bytes = 0
        self._partitions: dict[str, Partition] = {}
        self._version = object()
        """Replaced when anything changes, or may have."""
        self.written_rows = KnownRows()
        """For the writer, which needs rows with their bytes."""

    def version(self) -> object:
        """Return an object that is the same until anything changes."""
        if self._others.have_written():
            self.forget_all()
        return self._version

    def partition(self, pk: str) -> Partition:
        """Return the cache of a partition, to which reads add their results."""
        self.check_other_processes()
        partition = self._partitions.get(pk)
        if partition is None:
            partition = self._partitions[pk] = Partition()
        return partition

    def keep_item(self, partition: Partition, sk: str, found: tuple[Item | None, int]) -> None:
        """Cache the row of a key, or that there is none."""
        partition.items[sk] = found
        partition.item_bytes += found[1] + ENTRY_BYTES
        self._grow(partition, found[1] + ENTRY_BYTES)

    def keep_page(self, partition: Partition, request: QueryRequest, page: RawPage) -> None:
        partition.pages[question(request)] = page
        units = page.capacity.read if request.consistent else 2 * page.capacity.read
        self._grow(partition, int(units * READ_UNIT_BYTES) + len(page.items) * ENTRY_BYTES)

    def check_other_processes(self) -> None:
        """Clear the cache if another process has written."""
        if self._others.have_written():
            self.forget_all()

    def changed(self, rows: Mapping[RawKey, Row | None], new_expiring: Set[RawKey] = frozenset()) -> None:
        """Update the cache after a commit of these rows; None means deleted. Some of them are new and expire.

        The pages of their partitions are removed. A row that is cached by its key is replaced: the head of a room
        changes with every message, and the next sender reads it first.
        """
        if not rows:
            # A commit that changed nothing is not counted, so any new commit is another process's.
            self.check_other_processes()
            return
        self._version = object()
        if not self._others.only_we_wrote():
            # Another process may have changed the same rows since.
            self.forget_all()
            return
        self.written_rows.replace(rows)
        changed_pks = {key.pk for key in rows if key not in new_expiring} if new_expiring else None
        renewed: dict[str, Partition] = {}
        for key, row in rows.items():
            partition = renewed.get(key.pk)
            if partition is None:
                before = self._partitions.pop(key.pk, None)
                if before is None:
                    continue
                version = before.version if changed_pks is not None and key.pk not in changed_pks else None
                partition = renewed[key.pk] = self._partitions[key.pk] = before.without_pages(version)
                self._bytes += partition.bytes - before.bytes
            if key.sk in partition.items:
                found = (None, 0) if row is None else (shared(row.item), row.size)
                grown = found[1] - partition.items[key.sk][1]
                partition.items[key.sk] = found
                partition.item_bytes += grown
                partition.bytes += grown
                self._bytes += grown

    def close(self) -> None:
        """Clear the cache. Call it after the connection is closed."""
        self.forget_all()
        self._others.close()

    def forget_all(self) -> None:
        self._version = object()
        self._partitions.clear()
        self._bytes = 0
        self.written_rows.clear()

    def _grow(self, partition: Partition, size: int) -> None:
        """Add to the size, and remove the oldest partitions above the limit."""
        self._bytes += size
        partition.bytes += size
        while self._bytes > MAX_BYTES and self._partitions:
            oldest = self._partitions.pop(next(iter(self._partitions)))
            self._bytes = self._bytes - oldest.bytes if self._partitions else 0


def is_plain(request: QueryRequest) -> bool:
    """Return whether the result of this request may be cached."""
    return request.index is None and request.where is None and request.fields is None and not request.count_only


def question(request: QueryRequest) -> tuple[Any, ...]:
    """Return the cache key of a request within its partition."""
    return request.sort, request.backward, request.limit, request.start, request.consistent
