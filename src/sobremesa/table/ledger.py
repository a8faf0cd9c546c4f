"""A ledger: the partitions that some reads used, their versions, and the cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sobremesa.table.capacity import Capacity


class Ledger:
    """The reads made while it was open. `is_complete` is False if a partition without a known version was read."""

    __slots__ = ("checked_at", "is_complete", "used", "versions")

    def __init__(self) -> None:
        self.versions: dict[str, object] = {}
        self.used: list[tuple[str, Capacity]] = []
        self.is_complete = True
        self.checked_at: object | None = None
        """The version of the table at which nothing had changed since the reads."""

    def note(self, pk: str, version: object | None) -> None:
        """Record that a partition is read, at this version."""
        if version is None or self.versions.setdefault(pk, version) is not version:
            self.is_complete = False

    def merge(self, other: Ledger) -> None:
        """Add the reads of another ledger."""
        for pk, version in other.versions.items():
            self.note(pk, version)
        self.used += other.used
        self.is_complete &= other.is_complete


_open: ContextVar[Ledger | None] = ContextVar("ledger", default=None)
current_ledger = _open.get


@contextmanager
def new_ledger() -> Iterator[Ledger]:
    """Open a ledger for the reads inside the block; an outer ledger gets them, too."""
    ledger, outer = Ledger(), _open.get()
    token = _open.set(ledger)
    try:
        yield ledger
    finally:
        _open.reset(token)
        if outer is not None:
            outer.merge(ledger)
