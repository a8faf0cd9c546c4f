"""The table: typed reads and writes over any engine.

Here, once for all engines: entities and their keys, batches of any size, retries, cursors, expiry, and what
everything costs.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Generic, TypeVar, overload

import msgspec

from sobremesa.clock import Clock, SystemClock
from sobremesa.table.capacity import NOTHING, Capacity, Meter
from sobremesa.table.conditions import Condition, always, present
from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.checks import check_start
from sobremesa.table.engines.protocol import (
    MAX_BATCH_GET,
    MAX_BATCH_WRITE,
    NEWEST,
    ChangeReader,
    DeleteItem,
    Engine,
    IndexKey,
    ItemWrite,
    Position,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    UpdateItem,
    Written,
)
from sobremesa.table.entities import Entity, Key
from sobremesa.table.errors import BadCursor, BadExpression, Refused, Throttled
from sobremesa.table.layout import Layout
from sobremesa.table.lowering import is_expired, lower, lower_condition
from sobremesa.table.operations import Check, Delete, Operation, Put, Update
from sobremesa.table.patterns import Question, WritePattern
from sobremesa.table.retries import Retries
from sobremesa.table.updates import Set
from sobremesa.table.values import Item

E = TypeVar("E", bound=Entity)
T = TypeVar("T")

UNNAMED = "unnamed"


class Page(Generic[T]):
    """Some answers to a question, and where the next page starts (`cursor` is None after the last)."""

    __slots__ = ("_cursors", "_fingerprint", "items", "last")

    def __init__(self, items: list[T], last: RawKey | IndexKey | None, cursors: Cursors, fingerprint: bytes) -> None:
        self.items = items
        self.last = last
        self._cursors = cursors
        self._fingerprint = fingerprint

    @property
    def cursor(self) -> str | None:
        """An opaque text for clients: with it, the same question goes on after this page."""
        return None if self.last is None else self._cursors.seal(self.last, self._fingerprint)


class Counted:
    """How many rows answer a question; `capped` if there may be more."""

    __slots__ = ("capped", "count")

    def __init__(self, count: int, capped: bool) -> None:
        self.count = count
        self.capped = capped


class Table:
    """One table, whatever keeps it."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Clock | None = None,
        cursor_secret: bytes = b"",
        retries: Retries | None = None,
    ) -> None:
        self.engine = engine
        self.meter = Meter()
        self._clock = clock or SystemClock()
        self._cursors = Cursors(cursor_secret)
        self._retries = retries or Retries()

    @property
    def layout(self) -> Layout:
        return self.engine.layout

    async def close(self) -> None:
        await self.engine.close()

    # Reading

    async def get(self, key: Key[E], *, consistent: bool | None = None) -> E | None:
        """The row of this key, or None; an expired one is not there."""
        consistently = key.consistent if consistent is None else consistent
        found = await self._retries.run(
            lambda: self.engine.get(key.raw, consistent=consistently, fields=None), repeatable=True
        )
        self._record(key.pattern, found.capacity)
        return None if found.item is None else self._load(found.item, key.entity)

    async def get_many(self, keys: Sequence[Key[E]], *, consistent: bool = False) -> list[E | None]:
        """The rows of any number of keys, in their order; None where there is none."""
        found: dict[RawKey, Item] = {}
        used = NOTHING
        waiting = list(dict.fromkeys(key.raw for key in keys))
        unanswered = 0
        while waiting:
            batch, rest = waiting[:MAX_BATCH_GET], waiting[MAX_BATCH_GET:]
            answer = await self._retries.run(
                lambda batch=batch: self.engine.batch_get(batch, consistent=consistent),  # type: ignore[misc]
                repeatable=True,
            )
            found |= answer.items
            used = used.plus(answer.capacity)
            waiting = answer.unprocessed + rest
            unanswered = await self._after_batch(len(answer.unprocessed), len(batch), unanswered)
        self._record(keys[0].pattern if keys else None, used)
        return [self._load(found[key.raw], key.entity) if key.raw in found else None for key in keys]

    async def query(
        self,
        question: Question[E],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        after: Key[E] | RawKey | IndexKey | None = None,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Page[E]:
        """One page of answers. `limit` counts rows looked at, so a filter or expiry can make a page shorter."""
        request, fingerprint = self._request(question, limit, cursor, after, newest_first, where, consistent)
        page = await self._retries.run(lambda: self.engine.query(request), repeatable=True)
        self._record(question.pattern.id, page.capacity)
        items = [loaded for item in page.items if (loaded := self._load(item, *question.pattern.entities)) is not None]
        return Page(items, page.last, self._cursors, fingerprint)

    async def query_fields(
        self,
        question: Question[E],
        fields: Sequence[str],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        newest_first: bool | None = None,
    ) -> Page[dict[str, Any]]:
        """One page with only some fields of each row. It costs as much as whole rows, but less travels."""
        request, fingerprint = self._request(question, limit, cursor, None, newest_first, None, None)
        names = {question.pattern.entities[0].shape.attribute(field): field for field in fields}
        page = await self._retries.run(lambda: self.engine.query(_with(request, fields=tuple(names))), repeatable=True)
        self._record(question.pattern.id, page.capacity)
        items = [{field: item.get(name) for name, field in names.items()} for item in page.items]
        return Page(items, page.last, self._cursors, fingerprint)

    async def every(
        self, question: Question[E], *, where: Condition | None = None, consistent: bool | None = None
    ) -> AsyncIterator[E]:
        """All answers, page after page as they are used up."""
        last: RawKey | IndexKey | None = None
        while True:
            page = await self.query(question, after=last, where=where, consistent=consistent)
            for item in page.items:
                yield item
            if page.last is None:
                return
            last = page.last

    async def count(
        self,
        question: Question[Any],
        *,
        at_most: int | None = None,
        after: Key[Any] | RawKey | IndexKey | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Counted:
        """How many rows answer; stops at `at_most`. Rows that expired but were not removed yet are counted."""
        if at_most is not None and at_most < 1:
            raise BadExpression(f"a count goes up to at least one, not {at_most}")
        total = 0
        last = after
        while True:
            limit = None if at_most is None or where is not None else at_most - total
            request, _ = self._request(question, limit, None, last, None, where, consistent)
            request = _with(request, limit=limit, count_only=True)
            page = await self._retries.run(lambda request=request: self.engine.query(request), repeatable=True)  # type: ignore[misc]
            self._record(question.pattern.id, page.capacity)
            total += page.count
            if at_most is not None and total >= at_most:
                return Counted(at_most, total > at_most or page.last is not None)
            if page.last is None:
                return Counted(total, False)
            last = page.last

    async def scan(self, *, segments: int = 1, where: Condition | None = None) -> AsyncIterator[Item]:
        """Every stored row, as it is: for migration, export and repair. Segments are read side by side."""
        rows: asyncio.Queue[list[Item] | BaseException | None] = asyncio.Queue(maxsize=2 * segments)
        readers = [
            asyncio.create_task(self._scan_segment(segment, segments, where, rows)) for segment in range(segments)
        ]
        try:
            running = segments
            while running:
                page = await rows.get()
                if isinstance(page, BaseException):
                    raise page
                if page is None:
                    running -= 1
                    continue
                for item in page:
                    yield item
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)

    async def changes(self, position: Position = NEWEST) -> ChangeReader:
        """A reader of all changes after a position, in order within each partition."""
        return await self.engine.changes(position)

    # Writing

    @overload
    async def write(self, operation: Update[E], /, *, pattern: WritePattern | None = None) -> E: ...
    @overload
    async def write(self, operation: Put[E], /, *, pattern: WritePattern | None = None) -> E: ...
    @overload
    async def write(self, operation: Delete[E], /, *, pattern: WritePattern | None = None) -> E | None: ...
    @overload
    async def write(
        self,
        first: Operation,
        second: Operation,
        /,
        *more: Operation,
        token: str | None = None,
        pattern: WritePattern | None = None,
    ) -> None: ...
    @overload
    async def write(
        self, operation: Operation, /, *, token: str | None, pattern: WritePattern | None = None
    ) -> None: ...
    async def write(
        self, *operations: Operation, token: str | None = None, pattern: WritePattern | None = None
    ) -> Entity | None:
        """One operation, or up to 100 as one transaction: all or none. ConditionFailed says which did not hold.

        One operation gives a row: an update the row after it, a put the row itself, a delete the row that was there.
        With a token, the same call again within ten minutes does nothing more.
        """
        now_seconds = self._clock.now_ms() // 1000
        lowered = [lower(operation, self.layout, now_seconds) for operation in operations]
        single = len(lowered) == 1 and token is None and not isinstance(operations[0], Check)
        written = await (self._write_one(lowered[0]) if single else self._transact(lowered, token))
        self._record(pattern.id if pattern else None, written.capacity)
        return self._given_back(operations[0], written) if single else None

    async def write_many(
        self, operations: Iterable[Put[Any] | Delete[Any]], *, pattern: WritePattern | None = None
    ) -> int:
        """Any number of unconditional puts and deletes, each by itself; how many were done."""
        now_seconds = self._clock.now_ms() // 1000
        waiting: list[PutItem | DeleteItem] = []
        for operation in operations:
            item_write = lower(operation, self.layout, now_seconds)
            if isinstance(item_write, PutItem) and item_write.when is None:
                waiting.append(item_write)
            elif isinstance(item_write, DeleteItem) and operation.when in (present(), always()):
                waiting.append(DeleteItem(item_write.key))
            else:
                raise BadExpression(f"write_many checks no conditions, but the write of {item_write.key} has one")
        return await self._write_batches(waiting, pattern)

    # Inside

    async def _write_one(self, operation: ItemWrite) -> Written:
        return await self._retries.run(lambda: self.engine.write(operation), repeatable=_is_repeatable(operation))

    async def _transact(self, operations: list[ItemWrite], token: str | None) -> Written:
        if token is None and self.engine.answers_can_be_lost:
            token = str(uuid.uuid4())
        return await self._retries.run(lambda: self.engine.transact(operations, token), repeatable=token is not None)

    async def _write_batches(self, waiting: list[PutItem | DeleteItem], pattern: WritePattern | None) -> int:
        total = len(waiting)
        used = NOTHING
        unanswered = 0
        while waiting:
            batch, rest = _different(waiting, MAX_BATCH_WRITE)
            answer = await self._retries.run(
                lambda batch=batch: self.engine.batch_write(batch),  # type: ignore[misc]
                repeatable=True,
            )
            used = used.plus(answer.capacity)
            waiting = answer.unprocessed + rest
            unanswered = await self._after_batch(len(answer.unprocessed), len(batch), unanswered)
        self._record(pattern.id if pattern else None, used)
        return total

    async def _after_batch(self, unprocessed: int, asked: int, unanswered: int) -> int:
        """Pause before the left-over part of a batch is sent again; give up when nothing at all moves."""
        if not unprocessed:
            return 0
        unanswered = unanswered + 1 if unprocessed == asked else 1
        if unanswered > self._retries.attempts:
            raise Throttled(f"{unprocessed} operations of a batch were not processed, also after retries")
        await self._retries.pause(unanswered)
        return unanswered

    async def _scan_segment(
        self,
        segment: int,
        segments: int,
        where: Condition | None,
        rows: asyncio.Queue[list[Item] | BaseException | None],
    ) -> None:
        last: RawKey | None = None
        try:
            while True:
                request = ScanRequest(segment=segment, segments=segments, start=last, where=where)
                page = await self._retries.run(lambda request=request: self.engine.scan(request), repeatable=True)  # type: ignore[misc]
                self._record("scan", page.capacity)
                await rows.put(page.items)
                if not isinstance(page.last, RawKey):
                    break
                last = page.last
        except Exception as error:
            await rows.put(error)
            return
        await rows.put(None)

    def _request(
        self,
        question: Question[Any],
        limit: int | None,
        cursor: str | None,
        after: Key[Any] | RawKey | IndexKey | None,
        newest_first: bool | None,
        where: Condition | None,
        consistent: bool | None,
    ) -> tuple[QueryRequest, bytes]:
        pattern = question.pattern
        backward = pattern.newest_first if newest_first is None else newest_first
        fingerprint = question.fingerprint(backward=backward)
        start: RawKey | IndexKey | None
        if cursor is not None:
            if after is not None:
                raise BadExpression("a page starts after a cursor or after a key, not after both")
            start = self._cursors.open(cursor, fingerprint, question.pk)
        else:
            start = after.raw if isinstance(after, Key) else after
        request = QueryRequest(
            pk=question.pk,
            sort=question.sort,
            index=pattern.index_name,
            backward=backward,
            limit=pattern.page if limit is None else limit,
            start=start,
            where=None if where is None else lower_condition(where, pattern.entities[0].shape),
            consistent=pattern.consistent if consistent is None else consistent,
        )
        if cursor is not None:
            self._check_cursor(request)
        return request, fingerprint

    def _check_cursor(self, request: QueryRequest) -> None:
        """Without a secret anybody can make a cursor, but none that leads out of its question."""
        try:
            check_start(request, self.layout.indexes[request.index] if request.index else None)
        except Refused:
            raise BadCursor("this cursor belongs to another question") from None

    def _load(self, item: Item, *entities: type[E]) -> E | None:
        entity = entities[0] if len(entities) == 1 else self._entity_of(item, entities)
        if entity.shape.expires and is_expired(item, entity.shape, self.layout, self._clock.now_ms() // 1000):
            return None
        return entity.from_item(item, self.layout)

    def _entity_of(self, item: Item, entities: Sequence[type[E]]) -> type[E]:
        """Which of several kinds a row is: by its key, then by its type."""
        layout = self.layout
        fitting = [entity for entity in entities if entity.shape.keys.sk.parse(item[layout.sk]) is not None]
        written = item.get(layout.entity_type)
        return next((entity for entity in fitting if entity.shape.type_name == written), (fitting or entities)[0])

    def _given_back(self, operation: Operation, written: Written) -> Entity | None:
        if isinstance(operation, Put):
            return operation.entity
        return None if written.item is None else self._load(written.item, operation.key.entity)

    def _record(self, pattern: str | None, used: Capacity) -> None:
        self.meter.record(pattern or UNNAMED, used)


def _with(request: QueryRequest, **changes: Any) -> QueryRequest:
    return msgspec.structs.replace(request, **changes)


def _different(
    waiting: list[PutItem | DeleteItem], most: int
) -> tuple[list[PutItem | DeleteItem], list[PutItem | DeleteItem]]:
    """The first operations on different items, and the rest: a batch takes an item once, and later wins."""
    batch: dict[RawKey, PutItem | DeleteItem] = {}
    place = 0
    for place, operation in enumerate(waiting):
        if operation.key in batch or len(batch) == most:
            return list(batch.values()), waiting[place:]
        batch[operation.key] = operation
    return list(batch.values()), []


def _is_repeatable(operation: ItemWrite) -> bool:
    """Is doing it twice the same as once? Then a lost answer may be asked for again."""
    if operation.when is not None:
        return False
    return not isinstance(operation, UpdateItem) or all(isinstance(action, Set) for action in operation.actions)
