"""The embedded engine: reads on the event loop, writes by group commit, scans and copies in threads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from sobremesa.clock import Clock
from sobremesa.table.capacity import Capacity, read_units
from sobremesa.table.conditions import between
from sobremesa.table.engines import checks
from sobremesa.table.engines.embedded import reads
from sobremesa.table.engines.embedded.changelog import ChangeLog, LogReader
from sobremesa.table.engines.embedded.file import MEMORY, connect, copy_file, open_file, remove_file, store_error
from sobremesa.table.engines.embedded.rows import Row, Rows, row_of
from sobremesa.table.engines.embedded.schema import Schema
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
    TableFacts,
    UpdateItem,
    Written,
)
from sobremesa.table.errors import ConditionFailed, StoreClosed, StoreFailed, TableError
from sobremesa.table.keys import check_key
from sobremesa.table.layout import Layout
from sobremesa.table.values import MAX_ITEM_BYTES, Item, weigh

SWEEP_EVERY_SECONDS = 30.0
EXPIRED_A_SWEEP = 500
TTL_HORIZON_SECONDS = 5 * 365 * 24 * 3600
"""As in DynamoDB, what should have gone more than five years ago is taken for a mistake and stays."""


class EmbeddedEngine:
    """A table in one SQLite file, or in memory."""

    answers_can_be_lost = False

    def __init__(self, connection: apsw.Connection, schema: Schema, path: str, layout: Layout, clock: Clock) -> None:
        self.layout = layout
        self.path = path
        self._connection = connection
        self._schema = schema
        self._clock = clock
        self._rows = Rows(connection, layout, schema)
        self._log = ChangeLog(connection, schema.store_id)
        self._writer = Writer(connection, layout, self._rows, self._log, clock)
        self._janitor: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls, path: str, layout: Layout, *, clock: Clock, janitor: bool = True, vfs: str | None = None
    ) -> EmbeddedEngine:
        """The engine on this file, which is made if it is not there; `:memory:` keeps nothing."""
        connection, schema = await asyncio.to_thread(open_file, path, layout, vfs=vfs)
        engine = cls(connection, schema, path, layout, clock)
        if janitor:
            engine._janitor = asyncio.create_task(engine._sweep_for_ever())
        return engine

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead:
        check_key(*key)
        checks.check_fields(fields)
        item, size = self._find(key)
        if item is not None and fields is not None:
            item = reads.project(item, fields)
        return ItemRead(item, Capacity(read=read_units(size, consistent=consistent)))

    async def batch_get(self, keys: Sequence[RawKey], *, consistent: bool) -> BatchRead:
        checks.check_batch_get(keys)
        found: dict[RawKey, Item] = {}
        units = 0.0
        total = 0
        for place, key in enumerate(keys):
            item, size = self._find(key)
            if total + size > MAX_BATCH_GET_BYTES:
                return BatchRead(found, list(keys[place:]), Capacity(read=units))
            total += size
            units += read_units(size, consistent=consistent)
            if item is not None:
                found[key] = item
        return BatchRead(found, [], Capacity(read=units))

    async def query(self, request: QueryRequest) -> RawPage:
        checks.check_query(request, self.layout)
        try:
            return reads.query(self._connection, self._schema, request)
        except apsw.Error as error:
            raise self._error(error) from error

    async def scan(self, request: ScanRequest) -> RawPage:
        self._refuse_closed()
        checks.check_scan(request)
        try:
            if self.path == MEMORY:
                return reads.scan(self._connection, request)
            return await asyncio.to_thread(self._scan_apart, request)
        except apsw.Error as error:
            raise self._error(error) from error

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

    async def changes(self, position: Position) -> LogReader:
        self._refuse_closed()
        try:
            return self._log.reader(position)
        except apsw.Error as error:
            raise self._error(error) from error

    async def sweep(self) -> int:
        """Delete what has expired, and forget old changes and tokens; how many items were deleted.

        A deletion is a write like others, with its condition and its record in the log, which says that it was an
        expiry.
        """
        now_ms = self._clock.now_ms()
        deleted = 0
        horizon = now_ms // 1000 - TTL_HORIZON_SECONDS
        expired = between(self.layout.ttl, horizon, now_ms // 1000)
        for key in self._expired_keys(horizon, now_ms // 1000):
            job = Job((DeleteItem(key, expired),), (None,), as_transaction=False, expired=True)
            # Somebody may have renewed it meanwhile.
            with contextlib.suppress(ConditionFailed):
                await self._writer.submit(job)
                deleted += 1
        await self._writer.submit(Job((), (), as_transaction=False, work=lambda: self._forget(now_ms)))
        return deleted

    async def backup(self, target: Path) -> None:
        """A whole copy of the store as it is now, while it is being used."""
        self._refuse_closed()
        if self.path == MEMORY:
            raise StoreFailed("a store in memory has no file to copy")
        await asyncio.to_thread(copy_file, self.path, target)

    async def create_table(self) -> None:
        """Opening has made it."""

    async def describe_table(self) -> TableFacts:
        count, size = self._select("SELECT count(*), coalesce(sum(size), 0) FROM items")[0]
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

    async def drop_table(self) -> None:
        """Close the store and remove its file."""
        await self.close()
        if self.path != MEMORY:
            await asyncio.to_thread(remove_file, self.path)

    async def close(self) -> None:
        """Commit what waits, then let go of the file."""
        if self._closed:
            return
        self._closed = True
        if self._janitor:
            self._janitor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._janitor
        await self._writer.close()
        self._log.close()
        self._connection.close()

    def _checked(self, operation: ItemWrite) -> Row | None:
        put = checks.check_write(operation, self.layout)
        return row_of(*put) if put else None

    def _select(self, sql: str, bindings: tuple[int, ...] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, bindings).fetchall()
        except apsw.Error as error:
            raise self._error(error) from error

    def _find(self, key: RawKey) -> tuple[Item | None, int]:
        try:
            return self._rows.find_item(key)
        except apsw.Error as error:
            raise self._error(error) from error

    def _scan_apart(self, request: ScanRequest) -> RawPage:
        connection = connect(self.path)
        try:
            return reads.scan(connection, request)
        finally:
            connection.close()

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY_SECONDS)
            # A full disk is no reason to stop: the next round may find space.
            with contextlib.suppress(TableError):
                while await self.sweep() >= EXPIRED_A_SWEEP:
                    pass

    def _expired_keys(self, since: int, until: int) -> list[RawKey]:
        sql = "SELECT pk, sk FROM items WHERE ttl BETWEEN ? AND ? LIMIT ?"
        return [RawKey(*key) for key in self._select(sql, (since, until, EXPIRED_A_SWEEP))]

    def _forget(self, now_ms: int) -> None:
        self._log.prune(now_ms)
        self._connection.execute("DELETE FROM tokens WHERE until_ms <= ?", (now_ms,))

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")

    def _error(self, error: apsw.Error) -> TableError:
        return store_error(error, self.path)


def _bytes_sent(operation: ItemWrite, row: Row | None) -> int:
    """What counts against the limit of a transaction: items put, and values of updates."""
    if row is not None:
        return row.size
    if isinstance(operation, UpdateItem):
        values: Item = {}
        for place, action in enumerate(operation.actions):
            values[str(place)] = next((getattr(action, name) for name in action.__struct_fields__[1:]), None)
        return weigh(values)[1]
    return 0
