"""The engine protocol: the contract between the typed table and its storage.

An engine makes one attempt at each call. Retries, batches of any size, types and cursors are implemented once for all
engines (`calls.py`, `table.py`), so that injected faults run the same code as real ones. Items are plain dictionaries
with their stored names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NewType, Protocol, TypeAlias, runtime_checkable

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
"""A position in the change stream: opaque, stored by the reader."""

OLDEST = Position("oldest")
NEWEST = Position("newest")


class RawKey(NamedTuple):
    """The key of an item, as it is stored."""

    pk: str
    sk: str


class IndexKey(NamedTuple):
    """The position of an item in an index: its sort key there, and its own key."""

    sk: str
    base: RawKey


class SortPrefix(msgspec.Struct, frozen=True):
    """Sort keys that start with a text."""

    prefix: str


class SortEquals(msgspec.Struct, frozen=True):
    """Exactly this sort key."""

    value: str


class SortBetween(msgspec.Struct, frozen=True):
    """Sort keys from `low` to `high`, both included."""

    low: str
    high: str


SortCondition: TypeAlias = SortPrefix | SortEquals | SortBetween | None


class QueryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A query of one partition of the table or of an index, for one page."""

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
    """Store this item, replacing the one with its key."""

    key: RawKey
    item: Item
    when: Condition | None = None


class UpdateItem(msgspec.Struct, frozen=True):
    """Change these attributes, and create the item if it does not exist."""

    key: RawKey
    actions: tuple[Action, ...]
    when: Condition | None = None


class DeleteItem(msgspec.Struct, frozen=True):
    """Delete the item; a missing one is ignored, unless the condition requires it."""

    key: RawKey
    when: Condition | None = None


class CheckItem(msgspec.Struct, frozen=True):
    """Change nothing; the transaction fails unless the condition holds."""

    key: RawKey
    when: Condition


ItemWrite: TypeAlias = PutItem | UpdateItem | DeleteItem | CheckItem


class ItemRead(NamedTuple):
    item: Item | None
    capacity: Capacity


class BatchRead(NamedTuple):
    """The items found, by key, and the keys that must be requested again."""

    items: dict[RawKey, Item]
    unprocessed: list[RawKey]
    capacity: Capacity


class TransactionRead(NamedTuple):
    """The items found, by key, all as they were at one moment."""

    items: dict[RawKey, Item]
    capacity: Capacity


class RawPage(msgspec.Struct, frozen=True):
    """One page. `count` and `scanned` are after and before the filter; the next page starts after `last`."""

    items: list[Item]
    count: int
    scanned: int
    last: RawKey | IndexKey | None
    capacity: Capacity


class Written(NamedTuple):
    """The result of a write. A single update returns the new item, a single put or delete the old one."""

    item: Item | None
    capacity: Capacity


class BatchWritten(NamedTuple):
    unprocessed: list[PutItem | DeleteItem]
    capacity: Capacity


class RawChange(NamedTuple):
    """One change of one item: the old item (None: it is new) and the new one (None: it was deleted)."""

    id: str
    at_ms: int
    key: RawKey
    old: Item | None
    new: Item | None
    expired: bool
    shard_id: str = ""
    """The shard of the stream that the change was read from."""
    sequence: str = ""
    """Its number in the shard, in decimal digits: a later change of the shard has a greater one."""


class ChangeBatch(NamedTuple):
    """Some changes in order, and the position after them."""

    changes: list[RawChange]
    position: Position


class ChangeReader(Protocol):
    """Reads the change stream from a position on."""

    async def read(self, wait_seconds: float) -> ChangeBatch:
        """Return the next changes; wait up to this long for one, then return an empty batch."""
        ...

    def nudge(self) -> None:
        """Signal that something was written, so that a waiting read checks soon."""
        ...

    def has_reached(self, goal: Position) -> bool:
        """Return whether this reader has read everything up to a position of another reader."""
        ...

    def includes(self, position: Position, change: RawChange) -> bool:
        """Return whether a change that this reader has read is before a position of another reader, not after it."""
        ...

    async def close(self) -> None: ...


class StreamShard(NamedTuple):
    """A part of the change stream that is in order; it continues the one it was split from, its parent."""

    id: str
    parent: str | None


class ShardList(NamedTuple):
    """The shards of a stream that are still kept. Another stream of the same table has another name."""

    stream: str
    shards: list[StreamShard]


class ShardBatch(NamedTuple):
    """Some changes of a shard, in order, and the position after them."""

    changes: list[RawChange]
    after: Position
    """The sequence number of the last change that was read; as before, if none was."""
    ended: bool = False
    """Whether the shard has no further changes, now and later."""
    is_full: bool = False
    """Whether there are probably more changes already."""


class ShardReader(Protocol):
    """Reads one shard of the change stream, one request at a time."""

    @property
    def pause_seconds(self) -> float:
        """How long to pause between two reads of the shard, by all of its readers together."""
        ...

    async def read(self) -> ShardBatch:
        """Return the next changes without waiting for any; raise PositionTrimmed if some are no longer kept."""
        ...


class TableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a table."""

    store: str
    table: str
    status: str
    items: int
    bytes: int
    indexes: tuple[str, ...]
    ttl: str | None
    stream: bool
    building: tuple[str, ...] = ()
    """The indexes that are not active yet."""


class Engine(Protocol):
    """The storage of one table."""

    @property
    def layout(self) -> Layout: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def responses_can_be_lost(self) -> bool:
        """Whether a write can be done and its response lost. Then the table adds a token to every transaction."""
        ...

    @property
    def keeps_order(self) -> bool:
        """Whether transactions are applied in the order of the calls, so that they never conflict."""
        ...

    def version(self) -> object | None:
        """Return an object that is the same until anything changes; None if the engine cannot know."""
        ...

    def version_of(self, pk: str, *, with_expiring: bool = False) -> object | None:
        """Return an object that is the same until the partition changes; None if the engine cannot know.

        Only `with_expiring` must it differ after the creation of a row that expires.
        """
        ...

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead: ...

    async def batch_get(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> BatchRead:
        """Read up to 100 different keys. `fields` must include the attributes of the key."""
        ...

    async def transact_get(self, keys: Sequence[RawKey]) -> TransactionRead:
        """Read up to 100 different keys at one moment: no write is seen in part."""
        ...

    async def query(self, request: QueryRequest) -> RawPage: ...

    async def scan(self, request: ScanRequest) -> RawPage: ...

    async def write(self, operation: ItemWrite) -> Written:
        """Run a single operation."""
        ...

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        """Run up to 100 operations on different items, all or none; a repeated token has no effect."""
        ...

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        """Run up to 25 independent puts and deletes without conditions."""
        ...

    async def changes(self, position: Position) -> ChangeReader:
        """Return a reader of the changes after a position; raise PositionTrimmed if they are no longer kept."""
        ...

    async def shards(self) -> ShardList:
        """Return the shards of the change stream, parents first."""
        ...

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        """Return a reader of a shard after a sequence number; raise PositionTrimmed if that is no longer kept.

        OLDEST starts at the first change of the shard that is kept, NEWEST after the last one.
        """
        ...

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        """Return a position in the whole stream as one in each shard; None for a shard that was read to its end.

        A shard that is missing was not read yet. Raises PositionTrimmed if the position is of another stream.
        """
        ...

    async def create_table(self) -> None: ...

    async def describe_table(self) -> TableFacts: ...

    async def complete_table(self) -> list[str]:
        """Add what another program's table lacks (indexes, time to live, stream), and return what was added."""
        ...

    async def drop_table(self) -> None: ...

    async def close(self) -> None: ...


@runtime_checkable
class OperatedEngine(Protocol):
    """An engine whose table is operated by a service."""

    async def describe_operation(self) -> dict[str, str]:
        """Return how the table is operated, by name, for display."""
        ...
