"""Fault injection: an engine that wraps another, and throttles, conflicts and loses responses by a seed.

The same seed and calls produce the same faults, which are those of DynamoDB. The table's retries must hide all of them,
or report what they could not.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence

import msgspec

from sobremesa.table.capacity import NOTHING
from sobremesa.table.clock import Clock
from sobremesa.table.engines.protocol import (
    BatchRead,
    BatchWritten,
    ChangeBatch,
    ChangeReader,
    DeleteItem,
    Engine,
    ItemRead,
    ItemWrite,
    Position,
    PutItem,
    QueryRequest,
    RawChange,
    RawKey,
    RawPage,
    ScanRequest,
    ShardBatch,
    ShardList,
    ShardReader,
    TableFacts,
    TransactionRead,
    Written,
)
from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreClosed, Throttled
from sobremesa.table.layout import Layout

MAX_CACHED = 1000


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """How often each fault happens, from 0 (never) to 1 (always)."""

    throttle: float = 0.0
    conflict: float = 0.0
    lost_response: float = 0.0
    """A write is done, and its response is lost."""
    unprocessed: float = 0.0
    """For each item of a batch: it is unprocessed."""
    stale_index: float = 0.0
    """A query of an index returns its result from before the last writes."""
    repeated_change: float = 0.0
    late_changes: float = 0.0
    """A read of the stream returns nothing, though there are changes."""

    @classmethod
    def all(cls, rate: float) -> Rates:
        """Return every fault at one rate."""
        return cls(**dict.fromkeys(cls.__struct_fields__, rate))


class FaultyEngine:
    """Wraps an engine and injects faults."""

    responses_can_be_lost = True
    keeps_order = False

    def __init__(self, engine: Engine, rates: Rates, seed: int = 0) -> None:
        self.engine = engine
        self.rates = rates
        self._chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._cached: dict[QueryRequest, RawPage] = {}
        self.injected: dict[str, int] = dict.fromkeys(Rates.__struct_fields__, 0)
        self.is_cut_off = False
        """Whether every call fails from now on, as if the process that makes them had ended."""

    @property
    def layout(self) -> Layout:
        return self.engine.layout

    @property
    def clock(self) -> Clock:
        return self.engine.clock

    def version(self) -> object | None:
        return None

    def version_of(self, pk: str, *, with_expiring: bool = False) -> object | None:
        return None

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead:
        self._throttle()
        return await self.engine.get(key, consistent=consistent, fields=fields)

    async def batch_get(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> BatchRead:
        self._throttle()
        answered = [key for key in keys if not self._happens("unprocessed")]
        left = [key for key in keys if key not in set(answered)]
        if not answered:
            return BatchRead({}, left, NOTHING)
        read = await self.engine.batch_get(answered, consistent=consistent, fields=fields)
        return BatchRead(read.items, read.unprocessed + left, read.capacity)

    async def transact_get(self, keys: Sequence[RawKey]) -> TransactionRead:
        self._throttle()
        self._collide()
        return await self.engine.transact_get(keys)

    async def query(self, request: QueryRequest) -> RawPage:
        self._throttle()
        if request.index is None or request.where is not None:
            return await self.engine.query(request)
        if request in self._cached and self._happens("stale_index"):
            return self._cached[request]
        if len(self._cached) == MAX_CACHED:
            self._cached.clear()
        page = self._cached[request] = await self.engine.query(request)
        return page

    async def scan(self, request: ScanRequest) -> RawPage:
        self._throttle()
        return await self.engine.scan(request)

    async def write(self, operation: ItemWrite) -> Written:
        self._throttle()
        self._collide()
        return self._lose(await self.engine.write(operation))

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        self._throttle()
        self._collide()
        return self._lose(await self.engine.transact(operations, token))

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        self._throttle()
        done: list[PutItem | DeleteItem] = []
        left: list[PutItem | DeleteItem] = []
        for operation in operations:
            (left if self._happens("unprocessed") else done).append(operation)
        if not done:
            return BatchWritten(left, NOTHING)
        written = await self.engine.batch_write(done)
        if self._happens("lost_response"):
            raise OutcomeUnknown("the response was lost after the batch was written (injected)")
        return BatchWritten(written.unprocessed + left, written.capacity)

    async def changes(self, position: Position) -> ChangeReader:
        self._throttle()
        return _FaultyReader(self, await self.engine.changes(position))

    async def shards(self) -> ShardList:
        self._throttle()
        return await self.engine.shards()

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        self._throttle()
        return _FaultyShardReader(self, await self.engine.open_shard(shard_id, after), after)

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        self._throttle()
        return await self.engine.shard_positions(position)

    async def create_table(self) -> None:
        await self.engine.create_table()

    async def describe_table(self) -> TableFacts:
        return await self.engine.describe_table()

    async def complete_table(self) -> list[str]:
        return await self.engine.complete_table()

    async def drop_table(self) -> None:
        await self.engine.drop_table()

    async def close(self) -> None:
        await self.engine.close()

    def _happens(self, fault: str) -> bool:
        happens: bool = self._chance.random() < getattr(self.rates, fault)
        self.injected[fault] += happens
        return happens

    def _throttle(self) -> None:
        if self.is_cut_off:
            raise StoreClosed("the engine is cut off (injected)")
        if self._happens("throttle"):
            raise Throttled("the throughput of the table is exceeded (injected)")

    def _collide(self) -> None:
        if self._happens("conflict"):
            raise Conflict("another transaction uses one of these items (injected)")

    def _lose(self, written: Written) -> Written:
        if self._happens("lost_response"):
            raise OutcomeUnknown("the response was lost after the write was done (injected)")
        return written


class _FaultyReader:
    """A reader that repeats and delays changes, but keeps the order of their first delivery."""

    def __init__(self, owner: FaultyEngine, reader: ChangeReader) -> None:
        self._owner = owner
        self._reader = reader
        self._position: Position | None = None
        self._recent: deque[RawChange] = deque(maxlen=16)

    async def read(self, wait_seconds: float) -> ChangeBatch:
        self._owner._throttle()
        if self._position is not None and self._owner._happens("late_changes"):
            return ChangeBatch([], self._position)
        batch = await self._reader.read(wait_seconds)
        self._position = batch.position
        changes: list[RawChange] = []
        for change in batch.changes:
            changes.append(change)
            self._recent.append(change)
            if self._owner._happens("repeated_change"):
                changes.append(self._recent[0])
        return ChangeBatch(changes, batch.position)

    def nudge(self) -> None:
        self._reader.nudge()

    def has_reached(self, goal: Position) -> bool:
        return self._reader.has_reached(goal)

    def includes(self, position: Position, change: RawChange) -> bool:
        return self._reader.includes(position, change)

    async def close(self) -> None:
        await self._reader.close()


class _FaultyShardReader:
    """A reader of a shard whose reads are throttled or late. It repeats nothing: a shard has each change once."""

    def __init__(self, owner: FaultyEngine, reader: ShardReader, after: Position) -> None:
        self._owner = owner
        self._reader = reader
        self._after = after

    @property
    def pause_seconds(self) -> float:
        return self._reader.pause_seconds

    async def read(self) -> ShardBatch:
        self._owner._throttle()
        if self._owner._happens("late_changes"):
            return ShardBatch([], self._after)
        batch = await self._reader.read()
        self._after = batch.after
        return batch
