"""Two engines side by side: the same call to both, and everything that they answer compared."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from servers import WITH_DYNAMODB_LOCAL, Endpoint
from sobremesa.core.clock import SetClock
from sobremesa.table import Entity, Index, Keys, Pattern, Question, Table, gsi1, gsi2
from sobremesa.table.capacity import Capacity
from sobremesa.table.engines.protocol import (
    OLDEST,
    BatchRead,
    BatchWritten,
    Engine,
    ItemRead,
    QueryRequest,
    RawChange,
    RawKey,
    RawPage,
    ScanRequest,
    SortBetween,
    TransactionRead,
    Written,
)
from sobremesa.table.errors import ConditionFailed, TableError
from sobremesa.table.values import Item
from table.engines import dynamo, embedded

PROJECTIONS = {gsi2: ("n", "s", "l", "pad")}
"""One index has whole items, the other some attributes."""

Result = Any
Call = Callable[[Engine], Awaitable[Result]]


class Pair:
    """The embedded engine in memory and DynamoDB's on an endpoint, with fresh tables."""

    def __init__(self, runner: asyncio.Runner, endpoint: Endpoint) -> None:
        self._runner = runner
        self._stack = AsyncExitStack()
        runner.run(self._open(endpoint))

    async def _open(self, endpoint: Endpoint) -> None:
        clock = SetClock()
        self.ours: Engine = await self._stack.enter_async_context(embedded(None, clock, projections=PROJECTIONS))
        self.theirs: Engine = await self._stack.enter_async_context(dynamo(endpoint, clock, projections=PROJECTIONS))

    def close(self) -> None:
        self._runner.run(self._stack.aclose())

    def compare(self, call: Call, *, is_transaction: bool = False) -> Any:
        """What both answer to a call; AssertionError if it is not the same in every part."""
        ours, theirs = self._runner.run(self._both(call))
        if is_transaction and WITH_DYNAMODB_LOCAL and ours[0] == "ConditionFailed" and theirs == ("BadExpression",):
            return ours  # invalid-update-first
        assert ours == theirs, f"\nembedded: {ours}\nendpoint: {theirs}"
        return ours

    def peek(self, key: RawKey) -> Item:
        """The item as it is now, or an empty one."""
        return self._runner.run(self.ours.get(key, consistent=True, fields=None)).item or {}

    async def _both(self, call: Call) -> tuple[Any, Any]:
        return await outcome(self.ours, call), await outcome(self.theirs, call)


async def outcome(engine: Engine, call: Call) -> Any:
    """A result in a form that shows every difference; an error as its class and its failures."""
    try:
        return canonical(await call(engine))
    except ConditionFailed as failed:
        return "ConditionFailed", [(each.index, each.key, typed(each.item)) for each in failed.failures]
    except TableError as error:
        return (type(error).__name__,)


def canonical(answer: Result) -> Any:
    match answer:
        case ItemRead(item, capacity) | Written(item, capacity):
            return typed(item), charged(capacity)
        case BatchRead(items, unprocessed, capacity):
            return {key: typed(item) for key, item in items.items()}, unprocessed, charged(capacity)
        case TransactionRead(items, capacity):
            return {key: typed(item) for key, item in items.items()}, charged(capacity)
        case BatchWritten(unprocessed, capacity):
            return unprocessed, charged(capacity)
        case RawPage(items, count, scanned, last, capacity):
            return [typed(item) for item in items], count, scanned, last, charged(capacity)
        case _:
            return answer


def charged(capacity: Capacity) -> Capacity | None:
    """The capacity, to compare; None on DynamoDB Local: absent-uncharged, transaction-capacity and others."""
    return None if WITH_DYNAMODB_LOCAL else capacity


def typed(value: Any) -> Any:
    """A value with the kind of every part, so that 1, 1.0 and True differ."""
    match value:
        case dict():
            return {name: typed(held) for name, held in value.items()}
        case list():
            return [typed(held) for held in value]
        case frozenset():
            return frozenset((type(held).__name__, held) for held in value)
        case _:
            return type(value).__name__, value


async def queried(engine: Engine, request: QueryRequest) -> RawPage:
    """The answer to a query. On DynamoDB Local, without the start of a next page at the end of a range.

    These are the gaps page-ends-at-bound and page-starts-at-bound.
    """
    page = await engine.query(request)
    if WITH_DYNAMODB_LOCAL and page.last is not None and page.last.sk == end_of_range(request):
        return msgspec.structs.replace(page, last=None)
    return page


def end_of_range(request: QueryRequest) -> str | None:
    """The last sort key that a query from one sort key to another may return."""
    if not isinstance(request.sort, SortBetween):
        return None
    return request.sort.low if request.backward else request.sort.high


async def whole_table(engine: Engine) -> Any:
    """Every item by its key, and what it cost to read them."""
    page = await engine.scan(ScanRequest(consistent=True))
    assert page.last is None
    return (
        {(item["pk"], item["sk"]): typed(item) for item in page.items},
        page.count,
        page.scanned,
        charged(page.capacity),
    )


async def segments(engine: Engine, request: ScanRequest) -> Any:
    """What all segments give together, page after page; in which segment a partition is differs by engine."""
    found: dict[tuple[str, str], Any] = {}
    scanned = 0
    for segment in range(request.segments):
        start: RawKey | None = None
        while True:
            page = await engine.scan(
                ScanRequest(
                    segment=segment, segments=request.segments, limit=request.limit, start=start, where=request.where
                )
            )
            scanned += page.scanned
            for item in page.items:
                assert (item["pk"], item["sk"]) not in found
                found[item["pk"], item["sk"]] = typed(item)
            if page.last is None:
                break
            assert isinstance(page.last, RawKey)
            start = page.last
    return found, scanned


class AnyRow(Entity):
    """Whatever is stored; only its keys are known."""

    keys = Keys(pk="{partition}", sk="{place}")
    by_index = Index(gsi1, pk="{index_partition}", sk="{index_place}")

    partition: str = ""
    place: str = ""
    index_partition: str | None = None
    index_place: str | None = None


whole_partition = Pattern("D1", "All of a partition", AnyRow)
whole_index_partition = Pattern("D2", "All of a partition of an index", AnyRow, index="by_index")


async def cursors(engine: Engine, question: Question[AnyRow], limit: int, *, turning_back: bool) -> Any:
    """The pages of a question and the cursors between them; one that turns back uses a cursor the wrong way round."""
    table = Table(engine, cursor_secret=b"the same on both")
    pages: list[Any] = []
    cursor: str | None = None
    while True:
        backward = turning_back and cursor is not None
        page = await table.query(question, limit=limit, cursor=cursor, newest_first=backward)
        cursor = page.cursor
        pages.append(([typed(row.other) for row in page.items], cursor))
        if cursor is None:
            return pages


async def history(engine: Engine) -> list[tuple[Any, ...]]:
    """All changes so far, in order, without those that changed nothing (the gap unchanged-logged).

    On DynamoDB Local, in the order of each item (the gap batch-deletes-last).
    """
    reader = await engine.changes(OLDEST)
    changes: list[RawChange] = []
    while batch := (await reader.read(0.0)).changes:
        changes += batch
    await reader.close()
    images = ((change.key, typed(change.old), typed(change.new), change.expired) for change in changes)
    changed = [image for image in images if image[1] != image[2]]
    return sorted(changed, key=lambda image: image[0]) if WITH_DYNAMODB_LOCAL else changed
