"""A ledger: which partitions some reads looked at, in which state, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sobremesa.table.capacity import Capacity


class Ledger:
    """What was read while it was open. `is_complete` is False if something was read whose state nobody can tell."""

    __slots__ = ("is_complete", "used", "versions")

    def __init__(self) -> None:
        self.versions: dict[str, object] = {}
        self.used: list[tuple[str, Capacity]] = []
        self.is_complete = True

    def note(self, pk: str, version: object | None) -> None:
        """A partition is being read, in this state."""
        if version is None or self.versions.setdefault(pk, version) is not version:
            self.is_complete = False

    def take_in(self, other: Ledger) -> None:
        """Everything that another ledger holds was read here, too."""
        for pk, version in other.versions.items():
            self.note(pk, version)
        self.used += other.used
        self.is_complete &= other.is_complete


_open: ContextVar[Ledger | None] = ContextVar("ledger", default=None)
current_ledger = _open.get


@contextmanager
def new_ledger() -> Iterator[Ledger]:
    """A ledger of the reads inside of the block; one that was open already gets them, too."""
    ledger, outer = Ledger(), _open.get()
    token = _open.set(ledger)
    try:
        yield ledger
    finally:
        _open.reset(token)
        if outer is not None:
            outer.take_in(ledger)
