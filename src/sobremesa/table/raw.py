"""Raw rows: items in their stored form, for migration, export, copies and repair.

Keys are in their stored form, in indexes too, so that rows without an entity can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from sobremesa.table.calls import BulkWrite, Calls
from sobremesa.table.capacity import Capacity
from sobremesa.table.conditions import Condition
from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.protocol import QueryRequest, RawKey, RawPage, ScanRequest
from sobremesa.table.layout import IndexName
from sobremesa.table.values import Item

RAW = "raw"
"""The name of these reads in the meter."""


class RawResults(NamedTuple):
    """Some rows, and the cursor of the page after them."""

    items: list[Item]
    cursor: str | None


class RawRows:
    """Reads and writes of one table without entities."""

    def __init__(self, calls: Calls, cursors: Callable[[], Cursors], record: Callable[[str, Capacity], None]) -> None:
        self._calls = calls
        self._cursors = cursors
        self._record = record

    async def get_many(self, keys: Sequence[RawKey]) -> dict[RawKey, Item]:
        """Return the rows of any number of keys, by key, read consistently."""
        found, used = await self._calls.get_many(keys, consistent=True)
        self._record(RAW, used)
        return found

    async def query(
        self, pk: str, *, index: IndexName | None = None, limit: int | None = None, cursor: str | None = None
    ) -> RawResults:
        """Return one page of a partition of the table or of an index; raise BadCursor if the cursor is of another."""
        page = await self._calls.query(self.request(pk, index=index, limit=limit, cursor=cursor))
        self._record(RAW, page.capacity)
        following = None if page.last is None else self._cursors().seal_key(page.last, _question(pk, index))
        return RawResults(page.items, following)

    def request(
        self, pk: str, *, index: IndexName | None = None, limit: int | None = None, cursor: str | None = None
    ) -> QueryRequest:
        """Return the request of `query`, as the engine gets it."""
        start = None if cursor is None else self._cursors().open_key(cursor, _question(pk, index), pk)
        return QueryRequest(pk=pk, index=index, limit=limit, start=start, consistent=index is None)

    async def scan(
        self, *, start: RawKey | None = None, limit: int | None = None, where: Condition | None = None
    ) -> RawPage:
        """Return one page of the whole table from a key on, read consistently. `where` refers to stored attributes."""
        page = await self._calls.scan_page(ScanRequest(start=start, limit=limit, where=where, consistent=True))
        self._record(RAW, page.capacity)
        return page

    async def write_many(self, operations: Sequence[BulkWrite]) -> None:
        """Run any number of independent puts and deletes; of two on one item the later one wins."""
        self._record(RAW, await self._calls.write_many(operations))


def _question(pk: str, index: IndexName | None) -> bytes:
    """Return the hash that binds cursors to a partition."""
    return hashlib.blake2b(msgspec.msgpack.encode((RAW, index, pk)), digest_size=16).digest()
