"""Tallies: what a row counts for. A partition's counts are the sum over its rows, at every moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sobremesa.domains.inboxes.entities import Row, Stats
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part


class Tally(NamedTuple):
    """A number of messages, of those that are read, and of those that are hidden."""

    published: int = 0
    read: int = 0
    hidden: int = 0

    def plus(self, other: Tally) -> Tally:
        return Tally(self.published + other.published, self.read + other.read, self.hidden + other.hidden)

    def minus(self, other: Tally) -> Tally:
        return Tally(self.published - other.published, self.read - other.read, self.hidden - other.hidden)

    def changes(self) -> dict[str, int]:
        """What to add to which count; what stays the same is left out."""
        return {name: number for name, number in self._asdict().items() if number}


NOTHING = Tally()


def tally_of(row: Row) -> Tally:
    """What a row counts for, as it is stored. A hidden one is not among the read ones."""
    published = int(row.is_message)
    if row.is_hidden:
        return Tally(published, 0, 1)
    return Tally(published, int(row.readat is not None), 0)


def counted(stats: Stats) -> Tally:
    """The count that a stats row holds."""
    return Tally(stats.published, stats.read, stats.hidden)


def category_of(row: Row) -> str | None:
    """The category that a row is counted under; None where another writer's cannot be part of a key."""
    if row.category is None:
        return None
    try:
        check_part("category", row.category)
    except BadKey:
        return None
    return row.category


class Sums:
    """Tallies in all and by category."""

    def __init__(self) -> None:
        self.total = NOTHING
        self.categories: dict[str, Tally] = {}

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Sums:
        sums = cls()
        for row in rows:
            sums.add(category_of(row), tally_of(row))
        return sums

    def add(self, category: str | None, tally: Tally) -> None:
        self.total = self.total.plus(tally)
        if category is not None:
            self.categories[category] = self.categories.get(category, NOTHING).plus(tally)

    def take(self, category: str | None, tally: Tally) -> None:
        self.add(category, NOTHING.minus(tally))
