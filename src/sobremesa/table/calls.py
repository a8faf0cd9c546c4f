"""Calls to an engine, with retries and batches of any size.

Retries, batches and scans are implemented once for all engines; items are in their stored form.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from sobremesa.table.call_stats import CallStats
from sobremesa.table.capacity import NOTHING, Capacity
from sobremesa.table.conditions import Condition
from sobremesa.table.engines.protocol import (
    MAX_BATCH_GET,
    MAX_BATCH_WRITE,
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
    TransactionRead,
    UpdateItem,
    Written,
)
from sobremesa.table.errors import StoreError, TableError, Throttled
from sobremesa.table.prefetched import current_prefetched
from sobremesa.table.retries import Retries, RetryingCalls
from sobremesa.table.updates import Action, Remove, Set, SetIfAbsent
from sobremesa.table.values import Item

BulkWrite: TypeAlias = PutItem | DeleteItem
T = TypeVar("T")

STREAM = "changes"
"""The operation of reads of the change stream in the statistics."""


class Calls:
    """The calls of one engine."""

    def __init__(self, engine: Engine, retries: Retries) -> None:
        self._engine = engine
        self.stats = CallStats()
        self._retries = RetryingCalls(retries, self.stats)
        self._conflicting = self._retries.raising_conflicts()
        # A budget of its own: when only the stream fails, the calls of the table are still retried.
        self._stream = RetryingCalls(retries, self.stats, is_timed=False)
        self.write_error: StoreError | None = None
        """The error of the last write, or None if it succeeded."""

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead:
        prefetched = current_prefetched()
        if prefetched is not None and key in (known := prefetched.known([key])):
            return ItemRead(known[key], NOTHING)
        return await self._retries.repeatable("get", self._engine.get, key, consistent=consistent, fields=fields)

    async def query(self, request: QueryRequest) -> RawPage:
        prefetched = current_prefetched()
        if prefetched is not None and (known := prefetched.page(request)) is not None:
            return known
        page = await self._retries.repeatable("query", self._engine.query, request)
        if prefetched is not None and prefetched.records:
            prefetched.keep_page(request, page)
        return page

    async def get_many(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> tuple[dict[RawKey, Item], Capacity]:
        """Return the items of any number of keys, by key, and the capacity used."""
        prefetched = current_prefetched()
        known = {} if prefetched is None else prefetched.known(keys)
        found: dict[RawKey, Item] = {key: item for key, item in known.items() if item is not None}
        used = NOTHING
        asked = waiting = [key for key in dict.fromkeys(keys) if key not in known]
        stuck = 0
        while waiting:
            batch, rest = waiting[:MAX_BATCH_GET], waiting[MAX_BATCH_GET:]
            answer = await self._retries.repeatable(
                "batch_get", self._engine.batch_get, batch, consistent=consistent, fields=fields
            )
            found |= answer.items
            used = used.plus(answer.capacity)
            waiting = answer.unprocessed + rest
            stuck = await self._after_batch("batch_get", len(answer.unprocessed), len(batch), stuck)
        if prefetched is not None and prefetched.records and consistent and fields is None:
            prefetched.keep_items(asked, found)
        return found, used

    async def get_together(self, keys: Sequence[RawKey]) -> TransactionRead:
        """Return the items of up to 100 keys, by key, all as they were at one moment."""
        return await self._retries.repeatable("transact_get", self._engine.transact_get, list(dict.fromkeys(keys)))

    async def write(self, operation: ItemWrite) -> Written:
        """Run one operation; raise OutcomeUnknown if the response is lost and the operation is not idempotent."""
        run = self._retries.repeatable if _is_repeatable(operation) else self._retries.once
        return await self._tracked(run("write", self._engine.write, operation))

    async def transact(
        self, operations: Sequence[ItemWrite], token: str | None, *, retry_conflicts: bool = True
    ) -> Written:
        """Run several operations, all or none; where responses can be lost, a token makes it safe to retry."""
        if token is None and self._engine.responses_can_be_lost:
            token = str(uuid.uuid4())
        retries = self._retries if retry_conflicts else self._conflicting
        run = retries.once if token is None else retries.repeatable
        return await self._tracked(run("transact", self._engine.transact, operations, token))

    async def write_many(self, operations: Sequence[BulkWrite]) -> Capacity:
        """Run any number of independent puts and deletes; of two on one item the later one wins."""
        used = NOTHING
        waiting = list(operations)
        stuck = 0
        while waiting:
            batch, rest = _split_batch(waiting)
            answer = await self._tracked(self._retries.repeatable("batch_write", self._engine.batch_write, batch))
            used = used.plus(answer.capacity)
            waiting = answer.unprocessed + rest
            stuck = await self._after_batch("batch_write", len(answer.unprocessed), len(batch), stuck)
        return used

    async def changes(self, position: Position) -> ChangeReader:
        """Return a reader of the stream whose reads are retried, too."""
        # A budget of its own: when only the stream fails, the calls of the table are still retried.
        retries = RetryingCalls(self._retries.policy, self.stats, is_timed=False)
        return RetryingReader(await retries.repeatable(STREAM, self._engine.changes, position), retries)

    async def shards(self) -> ShardList:
        return await self._stream.repeatable(STREAM, self._engine.shards)

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        """Return a reader of a shard. Its reads are not retried: its caller paces them, with those that failed."""
        reader = await self._stream.repeatable(STREAM, self._engine.open_shard, shard_id, after)
        return CountedShardReader(reader, self.stats)

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        return await self._stream.repeatable(STREAM, self._engine.shard_positions, position)

    async def scan(self, segments: int, where: Condition | None, consistent: bool) -> AsyncGenerator[RawPage, None]:
        """Yield the pages of all segments, which are read concurrently."""
        pages: asyncio.Queue[RawPage | Exception | None] = asyncio.Queue(maxsize=2 * segments)
        readers = [
            asyncio.create_task(self._scan(first, pages))
            for first in (
                ScanRequest(segment=number, segments=segments, where=where, consistent=consistent)
                for number in range(segments)
            )
        ]
        running = segments
        try:
            while running:
                page = await pages.get()
                if isinstance(page, Exception):
                    raise page
                if page is None:
                    running -= 1
                else:
                    yield page
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def scan_page(self, request: ScanRequest) -> RawPage:
        """Return one page of one segment."""
        return await self._retries.repeatable("scan", self._engine.scan, request)

    async def _tracked(self, writing: Awaitable[T]) -> T:
        """Return the result of a write, and record whether it failed."""
        prefetched = current_prefetched()
        if prefetched is not None:
            prefetched.clear()
        try:
            written = await writing
        except StoreError as error:
            self.write_error = error
            raise
        self.write_error = None
        return written

    async def _scan(self, request: ScanRequest, pages: asyncio.Queue[RawPage | Exception | None]) -> None:
        try:
            while True:
                page = await self.scan_page(request)
                await pages.put(page)
                if not isinstance(page.last, RawKey):
                    break
                request = msgspec.structs.replace(request, start=page.last)
        except Exception as error:
            # The consumer of the queue raises it.
            await pages.put(error)
        else:
            await pages.put(None)

    async def _after_batch(self, operation: str, unprocessed: int, asked: int, stuck: int) -> int:
        """Pause before the unprocessed part of a batch is sent again; give up when no item makes progress.

        A batch of which nothing was processed is a throttle, and takes tokens of the retry budget.
        """
        if not unprocessed:
            return 0
        stuck = stuck + 1 if unprocessed == asked else 1
        if unprocessed == asked:
            throttled = Throttled(f"{unprocessed} operations of a batch were not processed, even after retries")
            self.stats.count_error(operation, throttled)
            if stuck > self._retries.policy.attempts or self._retries.allow_retry(operation, throttled) is None:
                raise throttled
        await self._retries.policy.pause(stuck)
        return stuck


class RetryingReader:
    """A reader of the stream that retries."""

    def __init__(self, reader: ChangeReader, retries: RetryingCalls) -> None:
        self._reader = reader
        self._retries = retries

    async def read(self, wait_seconds: float) -> ChangeBatch:
        return await self._retries.repeatable(STREAM, self._reader.read, wait_seconds)

    def nudge(self) -> None:
        self._reader.nudge()

    def has_reached(self, goal: Position) -> bool:
        return self._reader.has_reached(goal)

    def includes(self, position: Position, change: RawChange) -> bool:
        return self._reader.includes(position, change)

    async def close(self) -> None:
        await self._reader.close()


class CountedShardReader:
    """A reader of a shard whose failed reads are in the statistics."""

    def __init__(self, reader: ShardReader, stats: CallStats) -> None:
        self._reader = reader
        self._stats = stats

    @property
    def pause_seconds(self) -> float:
        return self._reader.pause_seconds

    async def read(self) -> ShardBatch:
        try:
            return await self._reader.read()
        except TableError as error:
            self._stats.count_error(STREAM, error)
            raise


def _is_repeatable(operation: ItemWrite) -> bool:
    """Return whether repeating the operation has no further effect."""
    if operation.when is not None:
        return False
    return not isinstance(operation, UpdateItem) or all(map(_is_idempotent, operation.actions))


def _is_idempotent(action: Action) -> bool:
    """Return whether repeating the action leaves the same value; a list index may name another element then."""
    return isinstance(action, Set | SetIfAbsent | Remove) and not any(isinstance(step, int) for step in action.path)


def _split_batch(waiting: list[BulkWrite]) -> tuple[list[BulkWrite], list[BulkWrite]]:
    """Return the first operations on distinct items, as many as a batch takes, and the rest."""
    batch: dict[RawKey, BulkWrite] = {}
    for number, operation in enumerate(waiting):
        if operation.key in batch or len(batch) == MAX_BATCH_WRITE:
            return list(batch.values()), waiting[number:]
        batch[operation.key] = operation
    return list(batch.values()), []
