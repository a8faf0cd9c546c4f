"""A ledger: the partitions that some reads used, their versions, until when it is valid, and the cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from math import inf

from sobremesa.table.capacity import Capacity


class Ledger:
    """The reads made while it was open. `is_complete` is False if a partition without a known version was read."""

    __slots__ = ("checked_at", "is_complete", "until", "used", "versions")

    def __init__(self) -> None:
        self.versions: dict[tuple[str, bool], object] = {}
        """By partition, and by whether rows that expire were read."""
        self.used: list[tuple[str, Capacity]] = []
        self.is_complete = True
        self.until: float | Decimal = inf
        """The second at which the first of the rows expires."""
        self.checked_at: object | None = None
        """The version of the table at which nothing had changed since the reads."""

    def note(self, pk: str, version: object | None, *, with_expiring: bool = False) -> None:
        """Record that a partition is read, at this version."""
        if version is None or self.versions.setdefault((pk, with_expiring), version) is not version:
            self.is_complete = False

    def end_at(self, second: float | Decimal) -> None:
        """Record that the result is valid only until a second, given as those of a time to live are."""
        self.until = min(self.until, second)

    def merge(self, other: Ledger) -> None:
        """Add the reads of another ledger."""
        self.depend_on(other)
        self.used += other.used

    def depend_on(self, other: Ledger) -> None:
        """Add the reads of another ledger without their cost, which others have paid."""
        for (pk, with_expiring), version in other.versions.items():
            self.note(pk, version, with_expiring=with_expiring)
        self.is_complete &= other.is_complete
        self.end_at(other.until)


_open: ContextVar[Ledger | None] = ContextVar("ledger", default=None)
current_ledger = _open.get


def note_unversioned(pk: str) -> None:
    """Record in the open ledger that a result is of a partition without a known version, so that it is not cached."""
    ledger = _open.get()
    if ledger is not None:
        ledger.note(pk, None)


@contextmanager
def new_ledger(*, is_own: bool = False) -> Iterator[Ledger]:
    """Open a ledger for the reads inside the block; an outer ledger gets them, too, unless it is one of its own."""
    ledger, outer = Ledger(), _open.get()
    token = _open.set(ledger)
    try:
        yield ledger
    finally:
        _open.reset(token)
        if outer is not None and not is_own:
            outer.merge(ledger)


def valid_until(second: float) -> None:
    """Note that what is being loaded changes at a second by itself, so that no cache keeps it longer."""
    ledger = _open.get()
    if ledger is not None:
        ledger.end_at(second)
