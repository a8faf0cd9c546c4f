"""What can go wrong at the table.

TableError
├── Refused            the request itself is wrong; nothing was sent or written
│   ├── BadKey         a key part that breaks a rule, or a key that is too long
│   ├── BadValue       a value that a table cannot hold
│   ├── BadExpression  a condition, update or question that makes no sense
│   ├── BadCursor      a cursor or position that was altered, or belongs to another question
│   ├── TooLarge       an item, page or transaction above a limit
│   └── TokenReused    an idempotency token that came with other operations before
├── ConditionFailed    a condition did not hold: which operation, and what was there
├── Conflict           another transaction was at the same items, also after retries
├── Throttled          more than the table takes now, also after retries
├── OutcomeUnknown     a write may or may not have happened
├── BadRow             a stored row that its entity cannot be made of
├── PositionTrimmed    the changes after this position are no longer kept
├── TableMissing       the table does not exist
├── TableExists        the table exists already
└── StoreError         the store under the table fails
    ├── StoreFailed    an input or output error, a full disk; reads may still work
    │   └── StoreDenied    credentials, or a permission
    ├── StoreBusy      another process holds the store, or has it open where nobody else may
    ├── StoreClosed    the engine was closed
    ├── StoreTooNew    the file was written by a newer version
    ├── StoreForeign   the file is a database, but none of ours, or has another layout
    └── StoreDamaged   the file is not a whole database
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sobremesa.table.engines.protocol import RawKey


class TableError(Exception):
    """Anything that goes wrong at the table."""


class Refused(TableError):
    """The request is wrong as it stands; nothing was written, and the same request will never work."""


class BadKey(Refused):
    """A key, or a part of one, that breaks a rule for keys."""


class BadValue(Refused):
    """A value that a table cannot hold."""


class BadExpression(Refused):
    """A condition, an update or a question that makes no sense for this table or this item."""


class BadCursor(Refused):
    """A cursor that was altered, or that belongs to another question."""


class BadRow(TableError):
    """A stored row that its entity cannot be made of. Out of a write it means: done, but the row cannot be read."""

    def __init__(self, message: str, key: RawKey) -> None:
        super().__init__(message)
        self.key = key


class TooLarge(Refused):
    """Above a limit of the table; `limit` is that limit."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class TokenReused(Refused):
    """An idempotency token that came with other operations before."""


class FailedCondition:
    """One operation whose condition did not hold, and the item that was there (None: nothing)."""

    __slots__ = ("index", "item", "key")

    def __init__(self, index: int, key: RawKey, item: Mapping[str, Any] | None) -> None:
        self.index = index
        self.key = key
        self.item = item

    def __repr__(self) -> str:
        return f"operation {self.index} on {self.key.pk} / {self.key.sk}"


class ConditionFailed(TableError):
    """At least one condition of a write did not hold; nothing of the write was done."""

    def __init__(self, failures: Sequence[FailedCondition]) -> None:
        super().__init__(f"condition failed: {', '.join(map(repr, failures))}")
        self.failures = tuple(failures)

    def at(self, index: int) -> bool:
        """Was it (also) the operation at this place, counted from 0, that failed?"""
        return any(failure.index == index for failure in self.failures)


class Conflict(TableError):
    """Another transaction was working on the same items."""


class Throttled(TableError):
    """More requests than the table takes at the moment."""


class OutcomeUnknown(TableError):
    """The answer was lost: the write may or may not have happened. A write with a token is safe to repeat."""


class PositionTrimmed(TableError):
    """Changes after this position are no longer kept; `oldest` is the first position that is."""

    def __init__(self, message: str, oldest: str) -> None:
        super().__init__(message)
        self.oldest = oldest


class TableMissing(TableError):
    """The table does not exist."""


class TableExists(TableError):
    """The table exists already."""


class StoreError(TableError):
    """The store under the table fails."""


class StoreFailed(StoreError):
    """Input or output failed. A write that got this is not there.

    One exception: where the last step failed, the fsync of a commit, and the process dies before its next write, the
    write may come back when the file is opened again, as a whole. With a token it can be repeated safely.
    """


class StoreDenied(StoreFailed):
    """The store does not let us in: credentials, or a permission. Asking again does not help."""


class StoreBusy(StoreError):
    """Another process held the lock of the store for too long."""


class StoreClosed(StoreError):
    """The engine has been closed."""


class StoreTooNew(StoreError):
    """The file was written by a newer version of this software."""


class StoreForeign(StoreError):
    """The file is a database of something else, or its layout is another one."""


class StoreDamaged(StoreError):
    """The file is not a whole database."""
