"""The errors of the table.

TableError
├── Refused            the request is invalid; nothing was sent or written
│   ├── BadKey         an invalid key part, or a key that is too long
│   ├── BadValue       a value that cannot be stored
│   ├── BadExpression  an invalid condition, update or question
│   ├── BadCursor      a cursor or position that was altered, or is of another question
│   ├── TooLarge       an item, page or transaction above a limit
│   └── TokenReused    an idempotency token that was used with other operations
├── ConditionFailed    a condition did not hold: which operation, and the item
├── Conflict           another transaction used the same items, even after retries
├── Throttled          the throughput of the table is exceeded, even after retries
├── OutcomeUnknown     a write may or may not have been done
├── BadRow             a stored row that is not valid for its entity
├── PositionTrimmed    the changes after this position are no longer kept
├── TableMissing       the table does not exist
├── TableExists        the table already exists
└── StoreError         the store fails
    ├── StoreFailed    an input or output error, a full disk; reads may still work
    │   └── StoreDenied    invalid credentials, or a missing permission
    ├── StoreBusy      another process holds the lock of the store, or has it open exclusively
    ├── StoreClosed    the engine was closed
    ├── StoreTooNew    the file was written by a newer version
    ├── StoreForeign   the file is another program's database, or has another layout
    └── StoreDamaged   the file is corrupt or incomplete
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sobremesa.table.engines.protocol import RawKey


class TableError(Exception):
    """The base class of the errors of the table."""


class Refused(TableError):
    """The request is invalid; nothing was written, and repeating it will not help."""


class BadKey(Refused):
    """A key, or a part of one, is invalid."""


class BadValue(Refused):
    """A value cannot be stored."""


class BadExpression(Refused):
    """A condition, an update or a question is not valid for this table or this item."""


class BadCursor(Refused):
    """A cursor was altered, or belongs to another question."""


class BadRow(TableError):
    """A stored row is not valid for its entity. Raised by a write: it was done, but the row cannot be read."""

    def __init__(self, message: str, key: RawKey) -> None:
        super().__init__(message)
        self.key = key


class TooLarge(Refused):
    """A limit of the table is exceeded; `limit` is that limit."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class TokenReused(Refused):
    """An idempotency token was used with other operations before."""


class FailedCondition:
    """One operation whose condition did not hold, and the item (None: there was none)."""

    __slots__ = ("index", "item", "key")

    def __init__(self, index: int, key: RawKey, item: Mapping[str, Any] | None) -> None:
        self.index = index
        self.key = key
        self.item = item

    def __repr__(self) -> str:
        return f"operation {self.index} on {self.key.pk} / {self.key.sk}"


class ConditionFailed(TableError):
    """At least one condition of a write did not hold; nothing was written."""

    def __init__(self, failures: Sequence[FailedCondition]) -> None:
        super().__init__(f"condition failed: {', '.join(map(repr, failures))}")
        self.failures = tuple(failures)

    def at(self, index: int) -> bool:
        """Return whether the operation at this index, counted from 0, is among those that failed."""
        return any(failure.index == index for failure in self.failures)


class Conflict(TableError):
    """Another transaction used the same items."""


class Throttled(TableError):
    """The throughput of the table is exceeded."""


class OutcomeUnknown(TableError):
    """The response was lost: the write may or may not have been done. A write with a token is safe to repeat."""


class PositionTrimmed(TableError):
    """Changes after this position are no longer kept; `oldest` is the first position that is."""

    def __init__(self, message: str, oldest: str) -> None:
        super().__init__(message)
        self.oldest = oldest


class TableMissing(TableError):
    """The table does not exist."""


class TableExists(TableError):
    """The table already exists."""


class StoreError(TableError):
    """The store under the table fails."""


class StoreFailed(StoreError):
    """Input or output failed. A write that raised this was not done.

    One exception: if the fsync of a commit failed and the process dies before its next write, the whole write may
    appear when the file is opened again. With a token it can be repeated safely.
    """


class StoreDenied(StoreFailed):
    """The store denies access: invalid credentials, or a missing permission. Retrying does not help."""


class StoreBusy(StoreError):
    """Another process held the lock of the store for too long."""


class StoreClosed(StoreError):
    """The engine has been closed."""


class StoreTooNew(StoreError):
    """The file was written by a newer version of this software."""


class StoreForeign(StoreError):
    """The file is a database of another program, or has another layout."""


class StoreDamaged(StoreError):
    """The file is not a whole database."""
