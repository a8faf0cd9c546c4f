"""Pages: what a query or a scan reads, cut exactly where DynamoDB cuts it.

A page ends at its limit, or before the item that would make it larger than 1 MB; both are counted before the
filter. It tells where the next one starts even if nothing follows, as DynamoDB does when the limit is met.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import apsw

from sobremesa.table.capacity import Capacity, read_units
from sobremesa.table.engines.embedded.codec import recall
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
from sobremesa.table.values import Item


def query(connection: apsw.Connection, schema: Schema, request: QueryRequest) -> RawPage:
    """One page of a question to a partition of the table or of an index."""
    table = schema.index_tables[request.index] if request.index else None
    low, high, closed = _bounds(request.sort)
    started = request.start is not None
    # The start lies within the bounds and takes the place of one: of two on one side, SQLite seeks only by one of
    # them, which may be the farther one, and steps through all that is between.
    if started and request.backward:
        high = None
    elif started:
        low = None
    needs_body = request.where is not None or not request.count_only
    sql = _query_sql(table, request.backward, low is not None, high is not None, closed, started, needs_body)
    bindings: list[str | int] = [request.pk, *(bound for bound in (low, high) if bound is not None)]
    if isinstance(request.start, IndexKey):
        bindings += [request.start.sk, *request.start.base]
    elif request.start is not None:
        bindings.append(request.start.sk)
    bindings.append(request.limit or -1)
    return _page(connection.execute(sql, bindings), request)


def scan(connection: apsw.Connection, request: ScanRequest) -> RawPage:
    """One page of one segment; partitions are dealt out to segments by a hash of their key."""
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
    return _page(connection.execute(sql + " ORDER BY pk, sk LIMIT ?", [*bindings, request.limit or -1]), request)


def _segment(*arguments: Any) -> int:
    pk, segments = arguments
    return int(zlib.crc32(pk.encode()) % segments)


def _page(rows: Iterable[Any], request: QueryRequest | ScanRequest) -> RawPage:
    """The page of some rows: each has its place, its size and its body."""
    items: list[Item] = []
    count = scanned = size = 0
    where = request.where
    counting = isinstance(request, QueryRequest) and request.count_only
    last_row = None
    full = False
    for row in rows:
        size += row[-2]
        if size > MAX_PAGE_BYTES:
            size -= row[-2]
            full = True
            break
        last_row = row
        scanned += 1
        if where is None and counting:
            continue
        item = recall(row[-1])
        if where is None or holds(where, item):
            count += 1
            if not counting:
                items.append(item)
    if where is None:
        count = scanned
    last = _place_of(last_row, request) if full or scanned == request.limit else None
    if isinstance(request, QueryRequest) and request.fields is not None:
        items = [project(item, request.fields) for item in items]
    return RawPage(items, count, scanned, last, Capacity(read=read_units(size, consistent=request.consistent)))


def project(item: Item, fields: Iterable[str]) -> Item:
    """Only these attributes of an item."""
    return {name: item[name] for name in fields if name in item}


def _place_of(row: Any, request: QueryRequest | ScanRequest) -> RawKey | IndexKey:
    if isinstance(request, ScanRequest):
        return RawKey(row[0], row[1])
    return RawKey(request.pk, row[0]) if request.index is None else IndexKey(row[0], RawKey(row[1], row[2]))


def _bounds(sort: SortCondition) -> tuple[str | None, str | None, bool]:
    """The lowest and the highest sort key, and whether the highest itself is meant."""
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
        # CROSS JOIN keeps SQLite from turning the order of the tables round.
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
