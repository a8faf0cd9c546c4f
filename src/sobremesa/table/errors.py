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
│   └── RowTooNew      a row of a newer version of its entity
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

from collections.abc import Collection, Mapping, Sequence
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


class RowTooNew(BadRow):
    """A row has a newer version than its entity: a newer program wrote it. `known` is the version of the entity."""

    def __init__(self, entity: str, key: RawKey, version: int, known: int) -> None:
        super().__init__(
            f"the row {key.pk} / {key.sk} has version {version} of {entity}; this program knows version {known}", key
        )
        self.version = version
        self.known = known


class TooLarge(Refused):
    """A limit of the table is exceeded; `limit` is that limit."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class TokenReused(Refused):
    """An idempotency token was used with other operations before."""


class FailedCondition:
    """One operation whose condition did not hold, and the item (None: there was none).

    An engine counts the operations from 0; the table adds the operation and its name in the transaction.
    """

    __slots__ = ("index", "item", "key", "name", "operation")

    def __init__(
        self,
        index: int,
        key: RawKey,
        item: Mapping[str, Any] | None,
        *,
        name: str | None = None,
        operation: object = None,
    ) -> None:
        self.index = index
        self.key = key
        self.item = item
        self.name = name
        self.operation = operation

    def __repr__(self) -> str:
        return f"{self.name or f'operation {self.index}'} on {self.key.pk} / {self.key.sk}"


class ConditionFailed(TableError):
    """At least one condition of a write did not hold; nothing was written.

    `"head" in failed` asks for the operations that `write(head=...)` named, `operation in failed` for a single one.
    LookupError for a name or an operation that the write did not have: a misspelled name would otherwise never fail.
    """

    def __init__(
        self,
        failures: Sequence[FailedCondition],
        *,
        names: Collection[str] = (),
        operations: Sequence[object] = (),
    ) -> None:
        super().__init__(f"condition failed: {', '.join(map(repr, failures))}")
        self.failures = tuple(failures)
        self._known_names = names
        self._operations = operations

    @property
    def names(self) -> frozenset[str]:
        """The names of the operations that failed."""
        return frozenset(failure.name for failure in self.failures if failure.name is not None)

    def __contains__(self, asked: object) -> bool:
        return bool(self._failures_of(asked))

    def is_only(self, name: str) -> bool:
        """Return whether every operation that failed has this name."""
        return len(self._failures_of(name)) == len(self.failures)

    def item(self, asked: object) -> Mapping[str, Any] | None:
        """Return the item that this operation found; None if it did not fail, or found none."""
        return next((failure.item for failure in self._failures_of(asked)), None)

    def _failures_of(self, asked: object) -> Sequence[FailedCondition]:
        if isinstance(asked, str):
            if asked not in self._known_names:
                known = ", ".join(self._known_names) or "none"
                raise LookupError(f"the write had no operation named {asked!r}; its names: {known}")
            return [failure for failure in self.failures if failure.name == asked]
        if not any(operation is asked for operation in self._operations):
            raise LookupError(f"the write did not have the operation {asked!r}")
        return [failure for failure in self.failures if failure.operation is asked]


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
