"""A model of DynamoDB around the embedded engine: its latencies, conflicts, limits and delays, all from one seed.

A transaction holds its items while it runs, and another one that needs them is refused. Each partition key, of the
table and of an index, has its own limit of units a second (`modelled_limits`). Indexes, and reads that are not
consistent, show a copy that lags behind. The change stream has several shards (`modelled_stream`). The engine takes its
time from the event loop: on a loop with virtual time hours pass in seconds, and the same seed and calls give the same
results in the same order.

Left out: burst and adaptive capacity, projections of indexes in their limits, and scans that lag.
"""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from sobremesa.table.clock import Clock
from sobremesa.table.engines.modelled_copy import LaggingCopy
from sobremesa.table.engines.modelled_limits import EXCEEDED, PartitionLimits, kind_of
from sobremesa.table.engines.modelled_shards import ModelledShardReader, list_shards
from sobremesa.table.engines.modelled_stream import ModelledReader, ShardedStream
from sobremesa.table.engines.protocol import (
    OLDEST,
    BatchRead,
    BatchWritten,
    CheckItem,
    DeleteItem,
    Engine,
    ItemRead,
    ItemWrite,
    Position,
    PutItem,
    QueryRequest,
    RawKey,
    RawPage,
    ScanRequest,
    ShardList,
    ShardReader,
    TableFacts,
    TransactionRead,
    Written,
)
from sobremesa.table.errors import Conflict, Throttled
from sobremesa.table.layout import Layout

T = TypeVar("T")
Seconds = tuple[float, float]
"""The shortest and the longest time that something takes."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What the model assumes of DynamoDB."""

    read: Seconds = (0.003, 0.005)
    write: Seconds = (0.004, 0.006)
    transaction: Seconds = (0.010, 0.014)
    held: float = 0.7
    """For which part of its time a transaction holds its items."""
    partition_writes: float = 1000
    partition_reads: float = 3000
    """The units a second of one partition key, in the table or in an index."""
    copy_lag: Seconds = (0.005, 0.5)
    """How far indexes, and reads that are not consistent, may be behind."""
    inconsistent: float = 0.5
    """How many of the reads that need not be consistent show the copy."""
    shards: int = 4
    stream_lag: Seconds = (0.02, 0.4)
    stall: float = 0.002
    """For how many of the changes the stream of their shard stalls."""
    stall_seconds: Seconds = (1.0, 4.0)
    rewind: float = 0.0
    """How often a reader of a shard repeats some changes before it goes on."""
    retention_seconds: float = 24 * 60 * 60
    """How long changes are kept."""


class ModelledEngine:
    """One table of the model, which all nodes share."""

    responses_can_be_lost = True
    keeps_order = False

    def __init__(self, engine: Engine, copy: Engine, figures: Figures, seed: int) -> None:
        """Wrap a new engine; `copy` is another one, for what indexes and inconsistent reads show."""
        self.engine = engine
        self.figures = figures
        self._chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._context = contextvars.copy_context()
        self._copy = LaggingCopy(copy, figures.copy_lag, self._chance)
        self.stream = ShardedStream(
            random.Random(self._chance.random()),  # noqa: S311
            shards=figures.shards,
            lag=figures.stream_lag,
            stall=figures.stall,
            stall_seconds=figures.stall_seconds,
            rewind=figures.rewind,
            retention_seconds=figures.retention_seconds,
        )
        self.limits = PartitionLimits(engine, reads=figures.partition_reads, writes=figures.partition_writes)
        self._held: set[RawKey] = set()
        self.conflicts: Counter[str] = Counter()
        """How often another transaction held a row, by the kind of row."""
        self._under_way: set[asyncio.Task[Any]] = set()
        self._distributing = asyncio.create_task(self._distribute())

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
        self.limits.admit_read(key.pk)
        await self._travel(self.figures.read)
        read = await self._source(consistent=consistent).get(key, consistent=consistent, fields=fields)
        self.limits.spend_read(read.capacity.read, key.pk)
        await self._travel(self.figures.read)
        return read

    async def batch_get(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> BatchRead:
        admitted = [key for key in keys if self.limits.may_read(key.pk)]
        if not admitted:
            raise Throttled(EXCEEDED)
        refused = [key for key in keys if key not in admitted]
        await self._travel(self.figures.read)
        source = self._source(consistent=consistent)
        read = await source.batch_get(admitted, consistent=consistent, fields=fields)
        self.limits.spend_read(read.capacity.read, *(key.pk for key in admitted))
        await self._travel(self.figures.read)
        return BatchRead(read.items, read.unprocessed + refused, read.capacity)

    async def transact_get(self, keys: Sequence[RawKey]) -> TransactionRead:
        for key in keys:
            self.limits.admit_read(key.pk)
        await self._travel(self.figures.read)
        self._refuse_held(keys)
        read = await self.engine.transact_get(keys)
        self.limits.spend_read(read.capacity.read, *(key.pk for key in keys))
        await self._travel(self.figures.read)
        return read

    async def query(self, request: QueryRequest) -> RawPage:
        self.limits.admit_read(request.pk, request.index)
        await self._travel(self.figures.read)
        source = self._copy.engine if request.index is not None else self._source(consistent=request.consistent)
        page = await source.query(request)
        self.limits.spend_read(page.capacity.read, request.pk, index=request.index)
        await self._travel(self.figures.read)
        return page

    async def scan(self, request: ScanRequest) -> RawPage:
        await self._travel(self.figures.read)
        page = await self.engine.scan(request)
        await self._travel(self.figures.read)
        return page

    async def write(self, operation: ItemWrite) -> Written:
        if isinstance(operation, CheckItem):
            return await self.transact([operation], None)
        return await self._serve(self._write(operation))

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        return await self._serve(self._transact(operations, token))

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        return await self._serve(self._batch_write(operations))

    async def changes(self, position: Position) -> ModelledReader:
        await self._travel(self.figures.read)
        return self.stream.reader(position, latency=sum(self.figures.read) / 2)

    async def shards(self) -> ShardList:
        await self._travel(self.figures.read)
        return list_shards(self.stream)

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        await self._travel(self.figures.read)
        return ModelledShardReader.open(self.stream, shard_id, after, sum(self.figures.read) / 2)

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        await self._travel(self.figures.read)
        return self.stream.positions(position)

    async def create_table(self) -> None:
        await self.engine.create_table()

    async def describe_table(self) -> TableFacts:
        return await self.engine.describe_table()

    async def complete_table(self) -> list[str]:
        return await self.engine.complete_table()

    async def drop_table(self) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what is under way, and close."""
        if self._under_way:
            await asyncio.wait(self._under_way)
        self._distributing.cancel()
        await asyncio.wait({self._distributing})
        await self._copy.close()
        await self.engine.close()

    # The server's side

    async def _serve(self, writing: Coroutine[Any, Any, T]) -> T:
        """Run a write to its end, even if the caller is gone meanwhile: a request on its way is not taken back."""
        task = asyncio.get_running_loop().create_task(writing, context=self._context.copy())
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may be gone, and not ask for it

    async def _write(self, operation: PutItem | DeleteItem | ItemWrite) -> Written:
        await self.limits.admit_writes([operation])
        await self._travel(self.figures.write)
        self._refuse_held([operation.key])
        written = await self.engine.write(operation)
        self.limits.spend_write(written.capacity.write, [operation.key])
        await self._travel(self.figures.write)
        return written

    async def _transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        keys = [operation.key for operation in operations]
        await self.limits.admit_writes(operations)
        seconds = self._chance.uniform(*self.figures.transaction)
        await asyncio.sleep(seconds * (1 - self.figures.held) / 2)
        self._refuse_held(keys)
        self._held.update(keys)
        try:
            await asyncio.sleep(seconds * self.figures.held)
            written = await self.engine.transact(operations, token)
        finally:
            self._held.difference_update(keys)
        self.limits.spend_write(written.capacity.write, keys)
        await asyncio.sleep(seconds * (1 - self.figures.held) / 2)
        return written

    async def _batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        await self._travel(self.figures.write)
        done: list[PutItem | DeleteItem] = []
        left: list[PutItem | DeleteItem] = []
        for operation in operations:
            is_free = operation.key not in self._held and await self.limits.may_write(operation)
            (done if is_free else left).append(operation)
        if not done:
            raise Throttled(EXCEEDED)
        written = await self.engine.batch_write(done)
        self.limits.spend_write(written.capacity.write, [operation.key for operation in done])
        await self._travel(self.figures.write)
        return BatchWritten(written.unprocessed + left, written.capacity)

    async def _distribute(self) -> None:
        """Pass the changes of the table to the stream and to the copy."""
        reader = await self.engine.changes(OLDEST)
        while True:
            for change in (await reader.read(3600)).changes:
                self.stream.append(change)
                self._copy.append(change)
                self.limits.spend_indexes(change)

    def _source(self, *, consistent: bool) -> Engine:
        if consistent or self._chance.random() >= self.figures.inconsistent:
            return self.engine
        return self._copy.engine

    async def _travel(self, seconds: Seconds) -> None:
        """Wait for half of a call: the way there, or the way back."""
        await asyncio.sleep(self._chance.uniform(*seconds) / 2)

    def _refuse_held(self, keys: Sequence[RawKey]) -> None:
        held = self._held.intersection(keys)
        if held:
            for key in held:
                self.conflicts[f"{kind_of(key.pk)} {kind_of(key.sk)}"] += 1
            raise Conflict("another transaction uses one of these items (modelled)")
