"""The embedded engine: reads on the event loop, writes by group commit, scans and copies in threads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import apsw

from sobremesa.table.capacity import TRANSACTION_FACTOR, Capacity, read_units
from sobremesa.table.clock import Clock
from sobremesa.table.engines import checks
from sobremesa.table.engines.embedded import reads
from sobremesa.table.engines.embedded.changelog import ChangeLog, LogReader, LogShardReader
from sobremesa.table.engines.embedded.codec import cached_item
from sobremesa.table.engines.embedded.file import (
    MEMORY,
    connect,
    copy_file,
    open_file,
    remove_file,
    require_sole_use,
    store_error,
)
from sobremesa.table.engines.embedded.loop_budget import LoopBudget
from sobremesa.table.engines.embedded.other_processes import watch
from sobremesa.table.engines.embedded.partition_cache import PartitionCache, is_plain, question
from sobremesa.table.engines.embedded.rows import Row, Rows, row_of
from sobremesa.table.engines.embedded.schema import Schema
from sobremesa.table.engines.embedded.sweeper import Sweeper
from sobremesa.table.engines.embedded.writer import Job, Writer
from sobremesa.table.engines.protocol import (
    MAX_BATCH_GET_BYTES,
    MAX_TRANSACTION_BYTES,
    BatchRead,
    BatchWritten,
    CheckItem,
    DeleteItem,
    ItemRead,
    ItemWrite,
    Position,
    PutItem,
    QueryRequest,
    RawKey,
    RawPage,
    ScanRequest,
    ShardList,
    TableFacts,
    TransactionRead,
    UpdateItem,
    Written,
)
from sobremesa.table.errors import StoreClosed, StoreFailed, TableError, Throttled
from sobremesa.table.keys import check_key
from sobremesa.table.layout import Layout
from sobremesa.table.values import MAX_ITEM_BYTES, Item, weigh

T = TypeVar("T")

CACHED_ROWS_AS_ONE = 32
"""How many rows of a cached page cost as much as one row that must be read."""
SWEEP_EVERY_SECONDS = 30.0


class EmbeddedEngine:
    """A table in one SQLite file, or in memory."""

    responses_can_be_lost = False
    keeps_order = True

    def __init__(
        self,
        connection: apsw.Connection,
        schema: Schema,
        path: str,
        clock: Clock,
        vfs: str | None = None,
        stopwatch: Callable[[], float] = perf_counter,
    ) -> None:
        self.layout = layout = schema.layout
        self.path = path
        self._connection = connection
        self._schema = schema
        self.clock = clock
        self._vfs = vfs
        self._rows = Rows(connection, layout, schema)
        self._log = ChangeLog(connection, schema.store_id)
        self._cache = PartitionCache(watch(path, in_memory=path == MEMORY))
        self._writer = Writer(connection, layout, self._rows, self._log, clock, self._cache, stopwatch=stopwatch)
        self._sweeper = Sweeper(connection, layout, self._writer, self._log, clock, stopwatch)
        self._budget = LoopBudget()
        self._janitor: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: str,
        layout: Layout | None,
        *,
        clock: Clock,
        janitor: bool = True,
        vfs: str | None = None,
        stopwatch: Callable[[], float] = perf_counter,
    ) -> EmbeddedEngine:
        """Open the engine on a file, which is created if it does not exist; `:memory:` stores nothing.

        Without a layout, an existing store keeps its own, so that commands work with every store.
        """
        connection, schema = await asyncio.to_thread(open_file, path, layout, vfs=vfs)
        engine = cls(connection, schema, path, clock, vfs, stopwatch)
        if janitor:
            engine._janitor = asyncio.create_task(engine._sweep_forever())
        return engine

    def version(self) -> object | None:
        return self._cache.version()

    def version_of(self, pk: str, *, with_expiring: bool = False) -> object | None:
        partition = self._cache.partition(pk)
        return partition.exact_version if with_expiring else partition.version

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead:
        check_key(*key)
        checks.check_fields(fields)
        await self._budget.wait()
        item, size = self._find(key)
        if item is not None and fields is not None:
            item = reads.project(item, fields)
        return ItemRead(item, Capacity(read=read_units(size, consistent=consistent)))

    async def batch_get(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> BatchRead:
        checks.check_batch_get(keys, fields, self.layout)
        await self._budget.wait()
        found: dict[RawKey, Item] = {}
        units = 0.0
        total = 0
        for number, key in enumerate(keys):
            item, size = self._find(key)
            if total + size > MAX_BATCH_GET_BYTES:
                return BatchRead(found, list(keys[number:]), Capacity(read=units))
            total += size
            units += read_units(size, consistent=consistent)
            if item is not None:
                found[key] = item if fields is None else reads.project(item, fields)
        return BatchRead(found, [], Capacity(read=units))

    async def transact_get(self, keys: Sequence[RawKey]) -> TransactionRead:
        checks.check_transaction_read(keys)
        self._refuse_closed()
        await self._budget.wait()
        try:
            # One snapshot of the file: another process may write between two reads, and rows in the cache may be older.
            with self._connection:
                rows = self._rows.read(keys)
        except apsw.Error as error:
            raise self._error(error) from error
        sizes = [row[0] if row else 0 for row in rows]
        checks.check_transaction_bytes(sum(sizes))
        self._budget.count(reads.work_of(len(keys), sum(sizes)))
        units = TRANSACTION_FACTOR * sum(read_units(size, consistent=True) for size in sizes)
        found: dict[RawKey, Item] = {key: cached_item(row[1]) for key, row in zip(keys, rows, strict=True) if row}
        return TransactionRead(found, Capacity(read=units))

    async def query(self, request: QueryRequest) -> RawPage:
        checks.check_query(request, self.layout)
        self._refuse_closed()
        await self._budget.wait()
        partition = self._cache.partition(request.pk) if is_plain(request) else None
        page = partition.pages.get(question(request)) if partition is not None else None
        if page is not None:
            self._budget.count(1 + len(page.items) // CACHED_ROWS_AS_ONE)
            return page
        page = await self._query(request)
        # A write between the parts of a long page makes it stale: it must not be cached then.
        if partition is not None and self._cache.partition(request.pk) is partition:
            self._cache.keep_page(partition, request, page)
        return page

    async def scan(self, request: ScanRequest) -> RawPage:
        self._refuse_closed()
        checks.check_scan(request)
        return await self._in_thread(lambda connection: reads.scan(connection, request))

    async def write(self, operation: ItemWrite) -> Written:
        row = self._checked(operation)
        as_transaction = isinstance(operation, CheckItem)
        return await self._writer.submit(Job((operation,), (row,), as_transaction=as_transaction))

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        checks.check_transaction(operations)
        checks.check_token(token)
        rows = [self._checked(operation) for operation in operations]
        if len(operations) > MAX_TRANSACTION_BYTES // MAX_ITEM_BYTES:
            checks.check_transaction_bytes(sum(map(_bytes_sent, operations, rows)))
        return await self._writer.submit(Job(operations, rows, as_transaction=True, token=token))

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        checks.check_batch_write(operations)
        rows = [self._checked(operation) for operation in operations]
        written = await self._writer.submit(Job(operations, rows, as_transaction=False))
        return BatchWritten([], written.capacity)

    async def shards(self) -> ShardList:
        self._refuse_closed()
        return self._log.shards()

    async def open_shard(self, shard_id: str, after: Position) -> LogShardReader:
        self._refuse_closed()
        try:
            return self._log.shard_reader(after)
        except apsw.Error as error:
            raise self._error(error) from error

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        self._refuse_closed()
        try:
            return self._log.shard_positions(position)
        except apsw.Error as error:
            raise self._error(error) from error

    async def changes(self, position: Position) -> LogReader:
        self._refuse_closed()
        try:
            return self._log.reader(position)
        except apsw.Error as error:
            raise self._error(error) from error

    async def sweep(self) -> int:
        """Delete expired items, and old changes and tokens; return how many items were deleted."""
        return await self._sweeper.sweep()

    async def backup(self, target: Path) -> None:
        """Copy the whole store as it is now, while it is in use."""
        self._refuse_closed()
        if self.path == MEMORY:
            raise StoreFailed("a store in memory has no file to copy")
        await asyncio.to_thread(copy_file, self.path, target)

    async def create_table(self) -> None:
        """Do nothing: opening creates the table."""

    async def describe_table(self) -> TableFacts:
        self._refuse_closed()
        count, size = await self._in_thread(_count)
        return TableFacts(
            store=self.path,
            table=self.layout.table,
            status="ACTIVE",
            items=count,
            bytes=size,
            indexes=tuple(index.name for index in self.layout.indexes.values()),
            ttl=self.layout.ttl,
            stream=True,
        )

    async def complete_table(self) -> list[str]:
        """Do nothing: a file is always complete."""
        return []

    async def drop_table(self) -> None:
        """Close the store and remove its file; raise StoreBusy while another process has it open."""
        self._refuse_closed()
        if self.path != MEMORY:
            require_sole_use(self._connection, self.path)
        await self.close()
        if self.path != MEMORY:
            await asyncio.to_thread(remove_file, self.path)

    async def close(self) -> None:
        """Commit the waiting writes, then close the file."""
        if self._closed:
            return
        self._closed = True
        if self._janitor:
            self._janitor.cancel()
            await asyncio.wait([self._janitor])
        await self._writer.close()
        self._log.close()
        self._connection.close()
        self._cache.close()

    def _checked(self, operation: ItemWrite) -> Row | None:
        put = checks.check_write(operation, self.layout)
        return row_of(*put) if put else None

    async def _query(self, request: QueryRequest) -> RawPage:
        run = reads.QueryRun(self._connection, self._schema, request)
        while True:
            self._refuse_closed()
            try:
                self._budget.count(run.read_part())
            except apsw.Error as error:
                raise self._error(error) from error
            if run.is_done:
                return run.page
            await self._budget.wait()

    def _find(self, key: RawKey) -> tuple[Item | None, int]:
        self._refuse_closed()
        partition = self._cache.partition(key.pk)
        found = partition.items.get(key.sk)
        if found is None:
            try:
                found = self._rows.find_item(key)
            except apsw.Error as error:
                raise self._error(error) from error
            self._budget.count(reads.work_of(1, found[1]))
            self._cache.keep_item(partition, key.sk, found)
        return found

    async def _in_thread(self, read: Callable[[apsw.Connection], T]) -> T:
        """Run a long read in a thread with its own connection; a store in memory has only one connection."""

        def reading() -> T:
            connection = connect(self.path, vfs=self._vfs)
            try:
                return read(connection)
            finally:
                connection.close()

        try:
            return read(self._connection) if self.path == MEMORY else await asyncio.to_thread(reading)
        except apsw.Error as error:
            raise self._error(error) from error

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_SECONDS)
            # Go on after a full disk: there may be space in the next round.
            with contextlib.suppress(TableError):
                await self.sweep()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")

    def _error(self, error: apsw.Error) -> TableError:
        """Return the error of a failed read. Another process blocks reads only while it recovers the log."""
        if isinstance(error, apsw.BusyError):
            return Throttled(f"{self.path} is being recovered by another process")
        return store_error(error, self.path)


def _bytes_sent(operation: ItemWrite, row: Row | None) -> int:
    """Return the bytes that count toward the limit of a transaction: items put, and values of updates."""
    if row is not None:
        return row.size
    if isinstance(operation, UpdateItem):
        values: Item = {}
        for number, action in enumerate(operation.actions):
            values[str(number)] = next((getattr(action, name) for name in action.__struct_fields__[1:]), None)
        return weigh(values)[1]
    return 0


def _count(connection: apsw.Connection) -> tuple[int, int]:
    found: list[Any] = connection.execute("SELECT count(*), coalesce(sum(size), 0) FROM items").fetchall()
    return found[0][0], found[0][1]
