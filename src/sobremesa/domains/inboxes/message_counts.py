"""What a row counts for. The counts of a partition are always the sum over its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sobremesa.domains.inboxes.entities import Row, Stats
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part


class MessageCount(NamedTuple):
    """The numbers of messages, of read ones and of hidden ones."""

    published: int = 0
    read: int = 0
    hidden: int = 0

    def plus(self, other: MessageCount) -> MessageCount:
        return MessageCount(self.published + other.published, self.read + other.read, self.hidden + other.hidden)

    def minus(self, other: MessageCount) -> MessageCount:
        return MessageCount(self.published - other.published, self.read - other.read, self.hidden - other.hidden)

    def changes(self) -> dict[str, int]:
        """Return the increments by field, without zeros."""
        return {name: number for name, number in self._asdict().items() if number}


NO_MESSAGES = MessageCount()


def row_count(row: Row) -> MessageCount:
    """Return what a row counts for. A hidden row does not count as read."""
    published = int(row.is_message)
    if row.is_hidden:
        return MessageCount(published, 0, 1)
    return MessageCount(published, int(row.readat is not None), 0)


def stats_count(stats: Stats) -> MessageCount:
    """Return the count of a stats row."""
    return MessageCount(stats.published, stats.read, stats.hidden)


def category_of(row: Row) -> str | None:
    """Return the category that a row is counted in; None if another writer's is not valid in a key."""
    if row.category is None:
        return None
    try:
        check_part("category", row.category)
    except BadKey:
        return None
    return row.category


class CategoryCounts:
    """Counts in total and by category."""

    def __init__(self) -> None:
        self.total = NO_MESSAGES
        self.categories: dict[str, MessageCount] = {}

    @classmethod
    def of(cls, rows: Iterable[Row]) -> CategoryCounts:
        sums = cls()
        for row in rows:
            sums.add(category_of(row), row_count(row))
        return sums

    def add(self, category: str | None, count: MessageCount) -> None:
        self.total = self.total.plus(count)
        if category is not None:
            self.categories[category] = self.categories.get(category, NO_MESSAGES).plus(count)

    def subtract(self, category: str | None, count: MessageCount) -> None:
        self.add(category, NO_MESSAGES.minus(count))
