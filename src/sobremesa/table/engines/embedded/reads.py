"""Pages of a query or a scan, with the same boundaries as in DynamoDB.

A page ends at its limit, or before the item that would make it larger than 1 MB; both are counted before the
filter. It has a start for the next page even if nothing follows, as in DynamoDB when the limit is met.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import apsw

from sobremesa.table.capacity import Capacity, read_units
from sobremesa.table.engines.embedded.codec import cached_item
from sobremesa.table.engines.embedded.schema import Schema
from sobremesa.table.engines.protocol import (
    MAX_PAGE_BYTES,
    IndexKey,
    QueryRequest,
    RawKey,
    RawPage,
    ScanRequest,
    SortBetween,
    SortCondition,
    SortEquals,
    SortPrefix,
)
from sobremesa.table.evaluation import holds
from sobremesa.table.keys import successor
from sobremesa.table.values import Item, weigh

PART_ROWS = 500
"""How many rows of a page are read before other tasks of the event loop run."""


class QueryRun:
    """One page of a query of the table or of an index, read in parts."""

    def __init__(self, connection: apsw.Connection, schema: Schema, request: QueryRequest) -> None:
        self._connection = connection
        self._table = schema.index_tables[request.index] if request.index else None
        self._request = request
        self._projected = schema.layout.projected(request.index) if request.index else None
        self._builder = PageBuilder(request, self._projected)
        self.is_done = False

    @property
    def page(self) -> RawPage:
        """The page with the rows read so far."""
        return self._builder.page()

    def read_part(self) -> int:
        """Read the next rows of the page; return the work, in rows of ordinary size."""
        request, builder = self._request, self._builder
        start = request.start if builder.last_row is None else builder.last_key()
        at_most = PART_ROWS if request.limit is None else min(PART_ROWS, request.limit - builder.scanned)
        scanned, size = builder.scanned, builder.size
        builder.add(self._select(start, at_most))
        read = builder.scanned - scanned
        self.is_done = builder.is_full or read < at_most or builder.scanned == request.limit
        return work_of(read, builder.size - size)

    def _select(self, start: RawKey | IndexKey | None, at_most: int) -> Iterable[Any]:
        request = self._request
        low, high, closed = _bounds(request.sort)
        # The start is within the bounds and replaces one of them: of two bounds on one side SQLite seeks by only one,
        # which may be the farther one, and then steps through everything between.
        if start is not None and request.backward:
            high = None
        elif start is not None:
            low = None
        needs_body = request.where is not None or not request.count_only or self._projected is not None
        sql = _query_sql(
            self._table, request.backward, low is not None, high is not None, closed, start is not None, needs_body
        )
        bindings: list[str | int] = [request.pk, *(bound for bound in (low, high) if bound is not None)]
        if isinstance(start, IndexKey):
            bindings += [start.sk, *start.base]
        elif start is not None:
            bindings.append(start.sk)
        return self._connection.execute(sql, [*bindings, at_most])


def work_of(rows: int, size: int) -> int:
    """Return the work of reading these rows: a large one counts as many small ones."""
    return rows + size // 1024


def scan(connection: apsw.Connection, request: ScanRequest) -> RawPage:
    """Return one page of one segment; a hash of the partition key selects the segment."""
    sql = "SELECT pk, sk, size, body FROM items"
    bindings: list[str | int] = []
    conditions = []
    if request.start is not None:
        conditions.append("(pk, sk) > (?, ?)")
        bindings += request.start
    if request.segments > 1:
        connection.create_scalar_function("segment", _segment, 2, deterministic=True)
        conditions.append("segment(pk, ?) = ?")
        bindings += [request.segments, request.segment]
    if conditions:
        sql += " WHERE " + " AND ".join(conditions)
    builder = PageBuilder(request)
    builder.add(connection.execute(sql + " ORDER BY pk, sk LIMIT ?", [*bindings, request.limit or -1]))
    return builder.page()


def _segment(*arguments: Any) -> int:
    pk, segments = arguments
    return int(zlib.crc32(pk.encode()) % segments)


class PageBuilder:
    """Builds a page from rows: each has its key, its size and its body.

    Of a row in an index that does not project all attributes, only those that it does project count.
    """

    def __init__(self, request: QueryRequest | ScanRequest, projected: frozenset[str] | None = None) -> None:
        self._request = request
        self._projected = projected
        self._counting = isinstance(request, QueryRequest) and request.count_only
        self._items: list[Item] = []
        self._count = 0
        self.scanned = 0
        self.size = 0
        self.last_row: Any = None
        self.is_full = False

    def add(self, rows: Iterable[Any]) -> None:
        """Add rows up to the one that would make the page too large."""
        where, items, projected = self._request.where, self._items, self._projected
        if projected is not None:
            rows = (_projected_row(row, projected) for row in rows)
        for row in rows:
            if self.size + row[-2] > MAX_PAGE_BYTES:
                self.is_full = True
                return
            self.size += row[-2]
            self.last_row = row
            self.scanned += 1
            if where is None and self._counting:
                continue
            item = cached_item(row[-1]) if projected is None else row[-1]
            if where is None or holds(where, item):
                self._count += 1
                if not self._counting:
                    items.append(item)

    def last_key(self) -> RawKey | IndexKey:
        """Return the key of the last row."""
        return _key_of(self.last_row, self._request)

    def page(self) -> RawPage:
        request, items = self._request, self._items
        count = self.scanned if request.where is None else self._count
        last = self.last_key() if self.is_full or self.scanned == request.limit else None
        if isinstance(request, QueryRequest) and request.fields is not None:
            items = [project(item, request.fields) for item in items]
        units = read_units(self.size, consistent=request.consistent)
        return RawPage(items, count, self.scanned, last, Capacity(read=units))


def project(item: Item, fields: Iterable[str]) -> Item:
    """Return only these attributes of an item."""
    return {name: item[name] for name in fields if name in item}


def _projected_row(row: Any, projected: frozenset[str]) -> Any:
    """Return a row of an index with the size and the attributes of what the index has, in place of its body."""
    entry = project(cached_item(row[-1]), projected)
    return *row[:-2], weigh(entry)[1], entry


def _key_of(row: Any, request: QueryRequest | ScanRequest) -> RawKey | IndexKey:
    if isinstance(request, ScanRequest):
        return RawKey(row[0], row[1])
    return RawKey(request.pk, row[0]) if request.index is None else IndexKey(row[0], RawKey(row[1], row[2]))


def _bounds(sort: SortCondition) -> tuple[str | None, str | None, bool]:
    """Return the lowest and the highest sort key, and whether the highest is included."""
    match sort:
        case SortEquals(value):
            return value, value, True
        case SortBetween(low, high):
            return low, high, True
        case SortPrefix(prefix):
            return prefix, successor(prefix), False
        case None:
            return None, None, False


@lru_cache(maxsize=256)
def _query_sql(
    table: str | None, backward: bool, low: bool, high: bool, closed: bool, start: bool, needs_body: bool
) -> str:
    body = "body" if needs_body else "NULL"
    order = "DESC" if backward else "ASC"
    after = "<" if backward else ">"
    if table is None:
        sql = f"SELECT sk, size, {body} FROM items AS x WHERE x.pk = ?"
        following = f" AND x.sk {after} ?"
        ordering = f" ORDER BY x.sk {order}"
    else:
        # CROSS JOIN keeps SQLite from reversing the order of the tables.
        sql = (
            f"SELECT x.sk, x.base_pk, x.base_sk, size, {body} FROM {table} AS x"
            " CROSS JOIN items ON items.pk = x.base_pk AND items.sk = x.base_sk WHERE x.pk = ?"
        )
        following = f" AND (x.sk, x.base_pk, x.base_sk) {after} (?, ?, ?)"
        ordering = f" ORDER BY x.sk {order}, x.base_pk {order}, x.base_sk {order}"
    if low:
        sql += " AND x.sk >= ?"
    if high:
        sql += f" AND x.sk {'<=' if closed else '<'} ?"
    return sql + (following if start else "") + ordering + " LIMIT ?"
