"""What all readers of an inbox share: the broadcasts, their counts and pages, and the list of inboxes.

It is the same for everyone, so a node reads it at most once a second, whatever the number of readers. How many
broadcasts a user who joined late does not see comes from a list of their ids, categories and expiry times.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Clock
from sobremesa.domains.inboxes.current_counts import Counts, CurrentCounts
from sobremesa.domains.inboxes.entities import (
    HeldPublic,
    InboxConfig,
    PublicCategoryStats,
    PublicMessage,
    PublicStats,
    held_public,
    inboxes_of,
    public_messages,
)
from sobremesa.domains.inboxes.message_counts import category_of
from sobremesa.domains.inboxes.partitions import PublicPartition, Total
from sobremesa.table import IndexKey, Page, RawKey, SharedReads, Table
from sobremesa.table.cache import Cache

MAX_INBOXES = 2000
MAX_LISTED = 1_000_000
"""Broadcasts whose ids are kept in memory, of all inboxes."""


class Base(NamedTuple):
    """The number of broadcasts that a user does not see, in total and by category."""

    total: int
    categories: dict[str, int]


class Live(NamedTuple):
    """The ids of the broadcasts of an inbox, and how many were recalled before."""

    recalls: int
    ids: frozenset[str]


class _Listed(NamedTuple):
    message_id: str
    category: str | None
    expiredat: float | None


class _BroadcastList:
    """The broadcasts of an inbox as of a version of its counts."""

    def __init__(self, version: int | None, recalls: int, rows: Sequence[_Listed]) -> None:
        self.version = version
        self.recalls = recalls
        self.rows = rows
        self.ids = frozenset(row.message_id for row in rows)
        self._until: float = 0
        self._ids: list[str] = []
        self._by_category: dict[str, list[str]] = {}

    def up_to(self, floor: str, now: int) -> Base:
        """Return the number of broadcasts up to an id that have not expired."""
        if now >= self._until:
            self._index(now)
        found = {category: bisect_right(ids, floor) for category, ids in self._by_category.items()}
        return Base(bisect_right(self._ids, floor), {category: number for category, number in found.items() if number})

    def _index(self, now: int) -> None:
        live = [row for row in self.rows if row.expiredat is None or row.expiredat > now]
        self._until = min((row.expiredat for row in live if row.expiredat is not None), default=float("inf"))
        self._ids = [row.message_id for row in live]
        self._by_category = {}
        for row in live:
            if row.category is not None:
                self._by_category.setdefault(row.category, []).append(row.message_id)


class _Shared(NamedTuple):
    """The stored counts of the broadcasts of an inbox, and the list that they belong to."""

    counts: Counts
    listed: _BroadcastList


class Broadcasts:
    """Reads what all readers of an inbox share."""

    def __init__(self, table: Table, clock: Clock, current_counts: CurrentCounts) -> None:
        self._table = table
        self._clock = clock
        self._current_counts = current_counts
        entities = (PublicMessage, HeldPublic, PublicStats, PublicCategoryStats, InboxConfig)
        self._shared = SharedReads(table, *entities, limit=MAX_INBOXES)
        self._lists: Cache[str, _BroadcastList] = Cache(MAX_LISTED)

    async def inboxes(self, tenant: Tenant) -> Sequence[InboxConfig]:
        """Return the settings of all inboxes of a tenant."""
        question = inboxes_of(tenant=tenant)

        async def load() -> list[InboxConfig]:
            return [config async for config in self._table.every(question)]

        return await self._shared.get_or_load(question.pk, "inboxes", load)

    async def first_page(self, partition: PublicPartition, limit: int) -> Page[PublicMessage]:
        """Return the newest broadcasts; the reader leaves out what has expired since."""
        question = public_messages(**partition.parts())
        return await self._shared.get_or_load(question.pk, limit, lambda: self._table.query(question, limit=limit))

    async def counts(self, partition: PublicPartition) -> Counts:
        """Return the counts of the broadcasts, settled as of now."""
        counts = (await self._read(partition)).counts
        if not counts.is_due(self._clock.now_seconds()):
            return counts
        pk = partition.total().raw.pk
        return await self._shared.get_or_load(pk, "settled", lambda: self._current_counts.get(partition))

    async def base(self, partition: PublicPartition, floor: str) -> Base:
        """Return the broadcasts up to a floor."""
        if not floor:
            return Base(0, {})
        return (await self._read(partition)).listed.up_to(floor, self._clock.now_seconds())

    async def live(self, partition: PublicPartition) -> Live:
        """Return the ids of all broadcasts, and how many were recalled before."""
        listed = (await self._read(partition)).listed
        return Live(listed.recalls, listed.ids)

    def changed(self, partition: PublicPartition, mark: str) -> None:
        """Read anew what was read before the first event about this change."""
        self._shared.forget_once(partition.total().raw.pk, mark)

    async def _read(self, partition: PublicPartition) -> _Shared:
        return await self._shared.get_or_load(partition.total().raw.pk, "counts", lambda: self._load(partition))

    async def _load(self, partition: PublicPartition) -> _Shared:
        counts = await self._current_counts.load(partition)
        return _Shared(counts, await self._list(partition, counts.total))

    async def _list(self, partition: PublicPartition, total: Total) -> _BroadcastList:
        pk, version, recalls = partition.total().raw.pk, total.version, total.recalls or 0
        known = self._lists.find(pk)
        if known is not None and version is not None and known.version == version:
            return known
        rows: list[_Listed] = []
        if known is not None and known.version and version and known.rows and known.recalls == recalls:
            added = await self._rows(partition, known.rows[-1].message_id)
            # Each new broadcast is one version: then nothing but these has changed.
            if known.version + len(added) == version:
                rows = [*known.rows, *added]
        listed = _BroadcastList(version, recalls, rows or await self._rows(partition, None))
        self._lists.keep(pk, listed, len(listed.rows) + 1)
        return listed

    async def _rows(self, partition: PublicPartition, after: str | None) -> list[_Listed]:
        start: RawKey | IndexKey | None = (
            None if after is None else HeldPublic.key(**partition.parts(), message_id=after).raw
        )
        found: list[_Listed] = []
        while True:
            page = await self._table.query(held_public(**partition.parts()), after=start)
            found += [_Listed(row.message_id, category_of(row), row.expiredat) for row in page.items if row.is_message]
            if page.last is None:
                return found
            start = page.last
