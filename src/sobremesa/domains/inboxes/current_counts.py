"""Current counts: stored counts are settled, if necessary, before they are returned.

A total stores when a row of its partition next expires or a snooze ends. Once that has passed, all rows are read.
Expired rows are removed, by transactions that delete some of them and update the counts, and ended snoozes are cleared
the same way, one by one. Then the total is set to the sum over the remaining rows, on the condition that no count has
changed since, and `settled_at` is the second up to which expired rows are not counted. So a row that the store itself
has expired leaves the counts at once, and its stream record, which may arrive a day later or never, has no effect
(`expiring`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.domains.inboxes.entities import CategoryStats, PublicCategoryStats, PublicStats, settle
from sobremesa.domains.inboxes.message_counts import (
    NO_MESSAGES,
    CategoryCounts,
    MessageCount,
    category_of,
    row_count,
    stats_count,
)
from sobremesa.domains.inboxes.partitions import HeldRow, InCategory, Partition, Total, UserPartition, count_operations
from sobremesa.table import (
    Condition,
    Delete,
    Operation,
    Question,
    Table,
    Update,
    Upsert,
    absent_or_null,
    add,
    all_of,
    equals,
    present,
    remove,
    set_if_absent,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.keyed_lock import KeyedLocks

ATTEMPTS = 40
READ_ATTEMPTS = 5
REMOVED_AT_ONCE = 40
"""Expired rows that one transaction removes, together with the total and up to as many categories."""
REPAIRED_AT_ONCE = 90
"""Categories that one transaction repairs, together with the total."""


class Counts(NamedTuple):
    """The stored counts of a partition."""

    total: Total
    categories: dict[str, InCategory]

    def is_due(self, now: int) -> bool:
        """Return whether to settle. A partition that never was may have rows of another writer."""
        next_expiry = self.total.next_expiry
        return self.total.settled_at is None or (next_expiry is not None and next_expiry <= now)


class Drift(NamedTuple):
    """A count that differs from the rows: of a category, or of the total (`*`)."""

    category: str
    stored: MessageCount
    true: MessageCount


class Recounted(NamedTuple):
    """Correct counts, and the drift that was found beside expired rows."""

    counts: Counts
    drift: Sequence[Drift]


class CurrentCounts:
    """Loads and settles counts."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._locks = KeyedLocks(needed=True)

    async def load(self, partition: Partition) -> Counts:
        """Load the stored counts."""
        total: Total = partition.nothing()
        categories: dict[str, InCategory] = {}
        async for stats in self._table.every(partition.counts()):
            if isinstance(stats, CategoryStats | PublicCategoryStats):
                categories[stats.category] = stats
            else:
                total = stats
        return Counts(total, categories)

    async def get(self, partition: Partition) -> Counts:
        """Return the counts, settled as of now."""
        counts = await self.load(partition)
        if not counts.is_due(self._clock.now_seconds()):
            return counts
        # One of many readers settles; the others find the counts settled.
        async with self._locks.of(partition.total().raw.pk):
            counts = await self.load(partition)
            if not counts.is_due(self._clock.now_seconds()):
                return counts
            for _ in range(READ_ATTEMPTS):
                recounted = await self._recount(partition, counts, dry=False)
                if recounted is not None:
                    return recounted.counts
                counts = await self.load(partition)
            # Writes keep interfering. The sum over the rows is correct; a later reader stores it.
            return (await self.recount(partition, dry=True)).counts

    async def settle_recalls(self, own: UserPartition, recalls: int, live: Collection[str]) -> Counts:
        """Return a user's counts without the receipts of broadcasts that were recalled, given the live ones."""

        def is_void(row: HeldRow) -> bool:
            return not (row.is_message or row.is_recalled or row.message_id in live)

        async with self._locks.of(own.total().raw.pk):
            for _ in range(ATTEMPTS):
                counts = await self.load(own)
                if (counts.total.recalls or 0) >= recalls:
                    return counts
                recounted = await self._recount(own, counts, dry=False, is_void=is_void, recalls=recalls)
                if recounted is not None:
                    return recounted.counts
        raise Busy

    async def recount(self, partition: Partition, *, dry: bool = False) -> Recounted:
        """Count all rows and store the result; a dry run changes nothing."""
        for _ in range(ATTEMPTS):
            recounted = await self._recount(partition, await self.load(partition), dry=dry)
            if recounted is not None:
                return recounted
        raise Busy

    async def _recount(
        self,
        partition: Partition,
        counts: Counts,
        *,
        dry: bool,
        is_void: Callable[[HeldRow], bool] | None = None,
        recalls: int | None = None,
    ) -> Recounted | None:
        """Try once; None after a concurrent change."""
        question: Question[HeldRow] = partition.rows()
        rows = [row async for row in self._table.every(question)]
        # After the read: rows that the store has removed by then have expired by now.
        now = self._clock.now_seconds()
        expected = _stored_sums(counts)
        kept: list[HeldRow] = []
        gone: list[HeldRow] = []
        done = 0
        for row in rows:
            if is_expired(row, now) or (is_void is not None and is_void(row)):
                gone.append(row)
            elif row.snoozeduntil is not None and row.snoozeduntil <= now:
                woken = msgspec.structs.replace(row, snoozeduntil=None)
                if not (dry or await self._write(_wake_up(partition, row, woken))):
                    return None
                done += 1
                expected.add(category_of(row), row_count(woken).minus(row_count(row)))
                kept.append(woken)
            else:
                kept.append(row)
        for start in range(0, len(gone), REMOVED_AT_ONCE):
            together = gone[start : start + REMOVED_AT_ONCE]
            # One that was changed or removed meanwhile refuses all: then each is removed by itself.
            steps = [together] if dry or await self._write(_removal(partition, together)) else []
            if not steps:
                steps = [[row] for row in together if await self._write(_removal(partition, [row]))]
            done += len(steps)
            # A row that the store has just removed is still counted: it shows as drift and is repaired.
            for row in chain.from_iterable(steps):
                expected.subtract(category_of(row), row_count(row))
        true = CategoryCounts.of(kept)
        drift = _drift(expected, true)
        closing = {
            **true.total._asdict(),
            "next_expiry": _next_expiry(kept),
            "settled_at": now,
            "lists_categories": True,
            **({"categories": frozenset(true.categories)} if true.categories else {}),
            **_newest(counts.total, rows),
            **({} if recalls is None else {"recalls": recalls}),
        }
        wrong = {each.category: each.true for each in drift if each.category != "*"}
        if not dry and not await self._close(partition, (counts.total.version or 0) + done, wrong, closing):
            return None
        return Recounted(_true_counts(partition, counts, true, closing), drift)

    async def _close(
        self, partition: Partition, version: int, wrong: dict[str, MessageCount], closing: dict[str, Any]
    ) -> bool:
        """Store the counted values; False if a count changed since the version."""
        categories = list(wrong)
        steps = [categories[n : n + REPAIRED_AT_ONCE] for n in range(0, len(categories), REPAIRED_AT_ONCE)] or [[]]
        for step in steps:
            # The total closes with the last step, so that an interrupted run is settled again.
            changes = set_to(**closing) if step is steps[-1] else ()
            same = equals("version", version) if version else absent_or_null("version")
            total: Upsert[Any] = Upsert(
                partition.total(), add(version=1), set_if_absent(None, **partition.fixed()), changes, when=same
            )
            if not await self._write([total, *(_repaired(partition, category, wrong[category]) for category in step)]):
                return False
            version += 1
        return True

    async def _write(self, operations: Sequence[Operation]) -> bool:
        try:
            await self._table.write(counts=operations, pattern=settle)
        except ConditionFailed:
            return False
        return True


def is_expired(row: HeldRow, now: int) -> bool:
    """Return whether a row that still exists has expired."""
    return row.expiredat is not None and row.expiredat <= now


def unchanged(row: HeldRow) -> Condition:
    """Return the condition that a row exists and counts for the same as when it was read."""
    fields = ("readat", "archivedat", "snoozeduntil")
    same = [
        absent_or_null(field) if getattr(row, field) is None else equals(field, getattr(row, field)) for field in fields
    ]
    return all_of(present(), *same)


def _removal(partition: Partition, rows: Sequence[HeldRow]) -> Sequence[Operation]:
    gone: dict[str | None, MessageCount] = {}
    for row in rows:
        gone[category_of(row)] = gone.get(category_of(row), NO_MESSAGES).minus(row_count(row))
    deletions = [Delete(row.own_key(), when=unchanged(row)) for row in rows]
    return [*deletions, *count_operations(partition, gone)]


def _wake_up(partition: Partition, row: HeldRow, woken: HeldRow) -> Sequence[Operation]:
    back = {category_of(row): row_count(woken).minus(row_count(row))}
    return [Update(row.own_key(), remove("snoozeduntil"), when=unchanged(row)), *count_operations(partition, back)]


def _repaired(partition: Partition, category: str, true: MessageCount) -> Upsert[Any]:
    return Upsert(partition.category(category), set_to(**true._asdict()), set_if_absent(None, **partition.fixed()))


def _stored_sums(counts: Counts) -> CategoryCounts:
    sums = CategoryCounts()
    sums.total = stats_count(counts.total)
    sums.categories = {category: stats_count(stats) for category, stats in counts.categories.items()}
    return sums


def _drift(expected: CategoryCounts, true: CategoryCounts) -> list[Drift]:
    found = [] if expected.total == true.total else [Drift("*", expected.total, true.total)]
    for category in sorted({*expected.categories, *true.categories}):
        stored, real = expected.categories.get(category, NO_MESSAGES), true.categories.get(category, NO_MESSAGES)
        if stored != real:
            found.append(Drift(category, stored, real))
    return found


def _next_expiry(rows: Sequence[HeldRow]) -> int | None:
    moments = [int(row.expiredat) for row in rows if row.expiredat is not None and not row.is_recalled]
    moments += [row.snoozeduntil for row in rows if row.snoozeduntil is not None]
    return min(moments, default=None)


def _newest(total: Total, rows: Sequence[HeldRow]) -> dict[str, str]:
    """Return the newest id of broadcasts: another writer's may be newer than the stored one."""
    if not isinstance(total, PublicStats):
        return {}
    newest = max((row.message_id for row in rows), default="")
    return {"last_id": newest} if newest > (total.last_id or "") else {}


def _true_counts(partition: Partition, counts: Counts, true: CategoryCounts, closing: dict[str, Any]) -> Counts:
    total = msgspec.structs.replace(counts.total, **closing)
    categories: dict[str, InCategory] = {}
    for category in {*counts.categories, *true.categories}:
        stats = counts.categories.get(category) or _no_stats(partition, category)
        true_count = true.categories.get(category, NO_MESSAGES)
        categories[category] = msgspec.structs.replace(stats, **true_count._asdict())
    return Counts(total, categories)


def _no_stats(partition: Partition, category: str) -> InCategory:
    entity: Any = CategoryStats if isinstance(partition, UserPartition) else PublicCategoryStats
    stats: InCategory = entity(**partition.parts(), category=category)
    return stats
