"""What an engine does: the whole contract between the typed table and whatever keeps it.

An engine makes one attempt at each call. Retries, batches of any size, types and cursors are the table's, written once
above all engines (`calls.py`, `table.py`), so that injected faults meet the same code as real ones.
Items are plain dictionaries under their stored names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NewType, Protocol, TypeAlias

import msgspec

from sobremesa.table.capacity import Capacity
from sobremesa.table.clock import Clock
from sobremesa.table.conditions import Condition
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.updates import Action
from sobremesa.table.values import Item

MAX_TRANSACTION_ITEMS = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_BATCH_GET = 100
MAX_BATCH_WRITE = 25
MAX_PAGE_BYTES = 1024 * 1024
MAX_BATCH_GET_BYTES = 16 * 1024 * 1024
TOKEN_MINUTES = 10

Position = NewType("Position", str)
"""A place in the stream of changes: opaque, kept by whoever reads it."""

OLDEST = Position("oldest")
NEWEST = Position("newest")


class RawKey(NamedTuple):
    """The key of an item, as it is stored."""

    pk: str
    sk: str


class IndexKey(NamedTuple):
    """The place of an item in an index: its sort key there, and its own key."""

    sk: str
    base: RawKey


class SortPrefix(msgspec.Struct, frozen=True):
    """Sort keys that begin with a text."""

    prefix: str


class SortEquals(msgspec.Struct, frozen=True):
    """Just this sort key."""

    value: str


class SortBetween(msgspec.Struct, frozen=True):
    """Sort keys from `low` to `high`, both included."""

    low: str
    high: str


SortCondition: TypeAlias = SortPrefix | SortEquals | SortBetween | None


class QueryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question to one partition of the table or of an index, and one page of its answer."""

    pk: str
    sort: SortCondition = None
    index: IndexName | None = None
    backward: bool = False
    limit: int | None = None
    start: RawKey | IndexKey | None = None
    where: Condition | None = None
    fields: tuple[str, ...] | None = None
    count_only: bool = False
    consistent: bool = False


class ScanRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One page of one segment of the whole table."""

    segment: int = 0
    segments: int = 1
    limit: int | None = None
    start: RawKey | None = None
    where: Condition | None = None
    consistent: bool = False


class PutItem(msgspec.Struct, frozen=True):
    """Store this item, in place of the one that has its key."""

    key: RawKey
    item: Item
    when: Condition | None = None


class UpdateItem(msgspec.Struct, frozen=True):
    """Change these attributes, and make the item if it is not there."""

    key: RawKey
    actions: tuple[Action, ...]
    when: Condition | None = None


class DeleteItem(msgspec.Struct, frozen=True):
    """Take the item away; one that is not there is no mistake, unless the condition says so."""

    key: RawKey
    when: Condition | None = None


class CheckItem(msgspec.Struct, frozen=True):
    """Change nothing, but let the transaction fail unless this holds."""

    key: RawKey
    when: Condition


ItemWrite: TypeAlias = PutItem | UpdateItem | DeleteItem | CheckItem


class ItemRead(NamedTuple):
    item: Item | None
    capacity: Capacity


class BatchRead(NamedTuple):
    """What was found, by key, and the keys that must be asked for again."""

    items: dict[RawKey, Item]
    unprocessed: list[RawKey]
    capacity: Capacity


class RawPage(msgspec.Struct, frozen=True):
    """One page. `count` and `scanned` are after and before the filter; `last` is where the next page starts."""

    items: list[Item]
    count: int
    scanned: int
    last: RawKey | IndexKey | None
    capacity: Capacity


class Written(NamedTuple):
    """A write that was done. A single update gives the item after it, a single put or delete the one before it."""

    item: Item | None
    capacity: Capacity


class BatchWritten(NamedTuple):
    unprocessed: list[PutItem | DeleteItem]
    capacity: Capacity


class RawChange(NamedTuple):
    """One change of one item: what it was (None: it is new) and what it is now (None: it is gone)."""

    id: str
    at_ms: int
    key: RawKey
    old: Item | None
    new: Item | None
    expired: bool


class ChangeBatch(NamedTuple):
    """Some changes in order, and the position after them."""

    changes: list[RawChange]
    position: Position


class ChangeReader(Protocol):
    """Follows the stream from a position on."""

    async def read(self, wait_seconds: float) -> ChangeBatch:
        """The next changes; waits up to this long for one, then gives an empty batch."""
        ...

    def nudge(self) -> None:
        """Something was written: whoever waits for a change should look soon."""
        ...

    def has_reached(self, goal: Position) -> bool:
        """Was everything read that another reader of this stream had read at a position?"""
        ...

    async def close(self) -> None: ...


class TableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What `describe` tells of a table."""

    store: str
    table: str
    status: str
    items: int
    bytes: int
    indexes: tuple[str, ...]
    ttl: str | None
    stream: bool


class Engine(Protocol):
    """One table, kept somewhere."""

    @property
    def layout(self) -> Layout: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def responses_can_be_lost(self) -> bool:
        """Can a write happen and its answer not arrive? Then the table gives every transaction a token."""
        ...

    @property
    def keeps_order(self) -> bool:
        """Are transactions applied in the order in which they were asked for, so that none gets in another's way?"""
        ...

    def version_of(self, pk: str) -> object | None:
        """An object that stays the same as long as nothing in the partition changes; None where nobody can tell."""
        ...

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead: ...

    async def batch_get(self, keys: Sequence[RawKey], *, consistent: bool) -> BatchRead:
        """Up to 100 different keys."""
        ...

    async def query(self, request: QueryRequest) -> RawPage: ...

    async def scan(self, request: ScanRequest) -> RawPage: ...

    async def write(self, operation: ItemWrite) -> Written:
        """One operation by itself."""
        ...

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        """Up to 100 operations on different items, all or none; the same token again does nothing."""
        ...

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        """Up to 25 puts and deletes without conditions, each by itself."""
        ...

    async def changes(self, position: Position) -> ChangeReader:
        """A reader of what happened after a position; PositionTrimmed if that is no longer known."""
        ...

    async def create_table(self) -> None: ...

    async def describe_table(self) -> TableFacts: ...

    async def complete_table(self) -> list[str]:
        """Add what a table that others made lacks: indexes, time to live, stream; what was added."""
        ...

    async def drop_table(self) -> None: ...

    async def close(self) -> None: ...
