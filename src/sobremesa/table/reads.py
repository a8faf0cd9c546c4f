"""The reads of a table: from keys and questions to entities, with cursors, expiry and metering."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any, TypeVar, cast, overload

import msgspec

from sobremesa.table.call_stats import CallStats
from sobremesa.table.calls import Calls
from sobremesa.table.capacity import UNNAMED, Capacity, Meter
from sobremesa.table.clock import Clock
from sobremesa.table.conditions import Condition
from sobremesa.table.cursor import Cursors
from sobremesa.table.engines.checks import check_start
from sobremesa.table.engines.condition_checks import check_projected
from sobremesa.table.engines.protocol import (
    NEWEST,
    ChangeReader,
    Engine,
    IndexKey,
    Position,
    QueryRequest,
    RawKey,
    ShardList,
    ShardReader,
)
from sobremesa.table.entities import Entity, Index, Key, has_key_of, is_spelled_as, match_entity
from sobremesa.table.errors import BadCursor, BadExpression, BadRow, Refused
from sobremesa.table.layout import Layout
from sobremesa.table.ledger import Ledger, current_ledger
from sobremesa.table.lowering import expiry_of, is_expired, lower_condition, spelled
from sobremesa.table.pages import Counted, Page
from sobremesa.table.patterns import Pattern, Question, require_keys, require_question
from sobremesa.table.prefetched import current_prefetched
from sobremesa.table.projections import Projection, projection, require_whole_rows
from sobremesa.table.raw import RawRows
from sobremesa.table.retries import Retries
from sobremesa.table.values import Item, SharedItem

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Entity)
G = TypeVar("G", bound=Entity)
S = TypeVar("S", bound=msgspec.Struct)


class TableReads:
    """The reads of one table, on any engine."""

    def __init__(
        self,
        engine: Engine,
        *,
        clock: Clock | None = None,
        cursor_secret: bytes = b"",
        retries: Retries | None = None,
    ) -> None:
        self.engine = engine
        self.layout: Layout = engine.layout
        self.meter = Meter()
        self._spelling = engine.layout.spelling
        self._clock = clock or engine.clock
        self.cursors = Cursors(cursor_secret)
        """Seals the ends of pages, also for lists that are merged from several questions."""
        self._calls = Calls(engine, retries or Retries())
        self.raw = RawRows(self._calls, lambda: self.cursors, self._record)
        """Rows in their stored form."""

    @property
    def call_stats(self) -> CallStats:
        """The latency, the errors and the retries of the calls to the engine, by operation."""
        return self._calls.stats

    @overload
    async def get(self, key: Key[E], *, consistent: bool | None = None) -> E | None: ...
    @overload
    async def get(self, key: Key[Any], *, into: type[S], consistent: bool | None = None) -> S | None: ...
    async def get(self, key: Key[Any], *, into: type[Any] | None = None, consistent: bool | None = None) -> Any:
        """Return the row of this key, or None if there is none or it has expired. `into` reads some of its fields."""
        require_keys(key)
        raw = key.stored(self._spelling)
        self._note(raw.pk, key.entity)
        shown = None if into is None else projection(key.entity, into)
        found = await self._calls.get(
            raw,
            consistent=key.consistent if consistent is None else consistent,
            fields=None if shown is None else shown.attributes(self.layout),
        )
        self._record(key.pattern, found.capacity)
        return self._row(found.item, key, shown)

    @overload
    async def get_many(self, keys: Sequence[Key[E]], *, consistent: bool = False) -> list[E | None]: ...
    @overload
    async def get_many(
        self, keys: Sequence[Key[Any]], *, into: type[S], consistent: bool = False
    ) -> list[S | None]: ...
    async def get_many(
        self, keys: Sequence[Key[Any]], *, into: type[Any] | None = None, consistent: bool = False
    ) -> list[Any]:
        """Return the rows of any number of keys, in order; None if there is none. `into` reads some of their fields."""
        if not keys:
            return []
        require_keys(*keys)
        shown = None if into is None else projection(_only_entity(keys), into)
        stored = [key.stored(self._spelling) for key in keys]
        for key, raw in zip(keys, stored, strict=True):
            self._note(raw.pk, key.entity)
        fields = None if shown is None else shown.attributes(self.layout)
        found, used = await self._calls.get_many(stored, consistent=consistent, fields=fields)
        self._record(keys[0].pattern, used)
        return [self._row(found.get(raw), key, shown) for key, raw in zip(keys, stored, strict=True)]

    async def get_pair(self, one: Key[E], other: Key[F], *, consistent: bool = False) -> tuple[E | None, F | None]:
        """Return two rows of different entities with one request."""
        first, second = one.stored(self._spelling), other.stored(self._spelling)
        self._note(first.pk, one.entity)
        self._note(second.pk, other.entity)
        found, used = await self._calls.get_many([first, second], consistent=consistent)
        self._record(one.pattern, used)
        return self._row(found.get(first), one), self._row(found.get(second), other)

    @overload
    async def get_together(self, one: Key[E], other: Key[F], /) -> tuple[E | None, F | None]: ...
    @overload
    async def get_together(
        self, one: Key[E], other: Key[F], third: Key[G], /
    ) -> tuple[E | None, F | None, G | None]: ...
    @overload
    async def get_together(self, *keys: Key[E]) -> tuple[E | None, ...]: ...
    async def get_together(self, *keys: Key[Any]) -> tuple[Any, ...]:
        """Return the rows of up to 100 keys as they were at one moment; None for a missing row.

        It is a transaction: it never sees a part of another one, and costs twice as much as consistent reads.
        """
        if not keys:
            return ()
        require_keys(*keys)
        stored = [key.stored(self._spelling) for key in keys]
        for key, raw in zip(keys, stored, strict=True):
            self._note(raw.pk, key.entity)
        found = await self._calls.get_together(stored)
        self._record(keys[0].pattern, found.capacity)
        return tuple(self._row(found.items.get(raw), key) for key, raw in zip(keys, stored, strict=True))

    @overload
    async def query(
        self,
        question: Question[S],
        *,
        limit: int | None = None,
        cursor: str | None = None,
        after: Entity | Key[Any] | RawKey | IndexKey | None = None,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Page[S]: ...
    @overload
    async def query(
        self,
        question: Question[Any],
        *,
        into: type[S],
        limit: int | None = None,
        cursor: str | None = None,
        after: Entity | Key[Any] | RawKey | IndexKey | None = None,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Page[S]: ...
    async def query(
        self,
        question: Question[Any],
        *,
        into: type[Any] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        after: Entity | Key[Any] | RawKey | IndexKey | None = None,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Page[Any]:
        """Return one page. `limit` counts examined rows, so a filter or expiry can make the page shorter.

        `into` reads only the fields of a smaller struct. It costs as much as whole rows, but transfers less.
        """
        require_question(question)
        request = self._request(question, limit, after, newest_first, where, consistent)
        request = self._started(request, question, cursor)
        return await self._page(question, request, into)

    @overload
    def every(
        self,
        question: Question[S],
        *,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> AsyncIterator[S]: ...
    @overload
    def every(
        self,
        question: Question[Any],
        *,
        into: type[S],
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> AsyncIterator[S]: ...
    async def every(
        self,
        question: Question[Any],
        *,
        into: type[Any] | None = None,
        newest_first: bool | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> AsyncIterator[Any]:
        """Yield all rows, reading page by page; raise BadRow at the first page with an unreadable row."""
        request = _with(self._request(question, None, None, newest_first, where, consistent), limit=None)
        while True:
            page = await self._page(question, request, into)
            if page.unreadable:
                raise page.unreadable[0]
            for item in page.items:
                yield item
            if page.last is None:
                return
            request = _with(request, start=page.last)

    async def count(
        self,
        question: Question[Any],
        *,
        at_most: int | None = None,
        after: Entity | Key[Any] | RawKey | IndexKey | None = None,
        where: Condition | None = None,
        consistent: bool | None = None,
    ) -> Counted:
        """Return the number of rows, up to `at_most`. Expired rows that are not removed yet are counted."""
        if at_most is not None and at_most < 1:
            raise BadExpression(f"at_most must be at least 1, not {at_most}")
        request = _with(self._request(question, None, after, None, where, consistent), count_only=True)
        total = 0
        while True:
            limit = None if at_most is None or where is not None else at_most - total
            self._note_question(question)
            page = await self._calls.query(_with(request, limit=limit))
            self._record(question.pattern.id, page.capacity)
            total += page.count
            if at_most is not None and total >= at_most:
                return Counted(at_most, total > at_most or page.last is not None)
            if page.last is None:
                return Counted(total, False)
            request = _with(request, start=page.last)

    async def scan(
        self, *, segments: int = 1, where: Condition | None = None, consistent: bool = False
    ) -> AsyncIterator[Item]:
        """Yield every row in its stored form, for migration, export and repair. Segments are read concurrently.

        `where` refers to stored attributes, not to fields, since rows of all entities are read.
        """
        async with contextlib.aclosing(self._calls.scan(segments, where, consistent)) as pages:
            async for page in pages:
                self._record("scan", page.capacity)
                for item in page.items:
                    yield item

    def request(self, question: Question[Any], *, limit: int | None = None, cursor: str | None = None) -> QueryRequest:
        """Return the request for one page, as the engine gets it."""
        return self._started(self._request(question, limit, None, None, None, None), question, cursor)

    def whole(self, question: Question[Any]) -> QueryRequest:
        """Return the request for the first page of all rows of a question."""
        return _with(self._request(question, None, None, None, None, None), limit=None)

    def stored(self, key: Key[Any]) -> RawKey:
        """Return a key as the table stores it."""
        return key.stored(self._spelling)

    def start_of(self, question: Question[Any], cursor: str, *, newest_first: bool) -> RawKey | IndexKey | None:
        """Return the position of a cursor, as the table stores it; raise BadCursor unless it is of this question."""
        request = self._request(question, None, None, newest_first, None, None)
        return self._started(request, question, cursor).start

    async def changes(self, position: Position = NEWEST) -> ChangeReader:
        """Return a reader of all changes after a position, in order within each partition."""
        return await self._calls.changes(position)

    async def shards(self) -> ShardList:
        """Return the shards of the change stream that are kept, parents first."""
        return await self._calls.shards()

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        """Return a reader of the changes of one shard after a sequence number, OLDEST or NEWEST."""
        return await self._calls.open_shard(shard_id, after)

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        """Return a position of `changes` as one in each shard; None for a shard that was read to its end."""
        return await self._calls.shard_positions(position)

    def is_current(self, ledger: Ledger) -> bool:
        """Return whether nothing that this ledger recorded has changed or expired since."""
        if ledger.until is not inf and ledger.until <= self._now_seconds():
            return False
        # Between two writes, one comparison answers for all partitions.
        version = self.engine.version()
        if version is not None and ledger.checked_at is version:
            return True
        version_of = self.engine.version_of
        for (pk, with_expiring), recorded in ledger.versions.items():
            if version_of(pk, with_expiring=with_expiring) is not recorded:
                return False
        ledger.checked_at = version
        return True

    def record_again(self, ledger: Ledger) -> None:
        """Meter the reads of this ledger as if they were made again."""
        self.meter.record_all(ledger.used)

    def as_entity(self, item: Item, entity: type[E]) -> E | None:
        """Return a stored row, such as one of a change, as this entity; None if it is another or unreadable."""
        try:
            return self.decode(item, entity)
        except BadRow:
            return None

    def decode(self, item: Item, entity: type[E]) -> E | None:
        """Return a stored row as this entity; None if it is another; raise BadRow if it is unreadable."""
        if type(item) is SharedItem and type(item.entity) is entity:
            return item.entity
        if not has_key_of(item, entity, self.layout):
            return None
        return entity.from_item(item, self.layout)

    # Inside

    async def _page(self, question: Question[Any], request: QueryRequest, into: type[Any] | None) -> Page[Any]:
        shown = None
        pattern = question.pattern
        into = into or pattern.into
        if into is not None:
            shown = projection(pattern.only_entity(), into, pattern.keys)
            request = _with(request, fields=shown.attributes(self.layout))
        elif pattern.index_name is not None:
            require_whole_rows(self.layout, pattern.index_name)
        self._note_question(question)
        page = await self._calls.query(request)
        self._record(question.pattern.id, page.capacity)
        self._note_expiry(page.items, pattern.entities)
        items: list[Any] = []
        unreadable: list[BadRow] = []
        entities = pattern.entities
        only = entities[0] if len(entities) == 1 and shown is None else None
        now_seconds = self._now_seconds()
        for item in page.items if self._spelling is None else self._matching_case(question, page.items):
            if type(item) is SharedItem and type(item.entity) is only:
                if item.expiry is None or item.expiry > now_seconds:
                    items.append(item.entity)
                continue
            try:
                loaded = self._load(item, entities, now_seconds, shown)
            except BadRow as error:
                unreadable.append(error)
            else:
                if loaded is not None:
                    items.append(loaded)
        # Most pages are read without asking for the cursor of the next one.
        fingerprint = partial(question.fingerprint, backward=request.backward)
        return Page(items, page.last, self.cursors, fingerprint, unreadable)

    def _request(
        self,
        question: Question[Any],
        limit: int | None,
        after: Entity | Key[Any] | RawKey | IndexKey | None,
        newest_first: bool | None,
        where: Condition | None,
        consistent: bool | None,
    ) -> QueryRequest:
        pattern = question.pattern
        start: RawKey | IndexKey | None
        match after:
            case Entity():
                start = question.position_of(after)
            case Key():
                start = after.raw
            case _:
                start = after
        request = QueryRequest(
            pk=question.pk,
            sort=question.sort,
            index=pattern.index_name,
            backward=pattern.newest_first if newest_first is None else newest_first,
            limit=pattern.page if limit is None else limit,
            start=start,
            where=None if where is None else _lower_filter(where, pattern),
            consistent=pattern.consistent if consistent is None else consistent,
        )
        return request if self._spelling is None else spelled(request, pattern, self._spelling)

    def _started(self, request: QueryRequest, question: Question[Any], cursor: str | None) -> QueryRequest:
        """Return the request from the position of a cursor; raise BadCursor unless it is within the question."""
        if cursor is None:
            return request
        if request.start is not None:
            raise BadExpression("a page starts after a cursor or after a key, not after both")
        start = self.cursors.open_key(cursor, question.fingerprint(backward=request.backward), request.pk)
        started = _with(request, start=start)
        try:
            # Without a secret cursors can be forged, but none may reach outside its question.
            check_start(started, self.layout.indexes[request.index] if request.index else None)
        except Refused:
            raise BadCursor("this cursor belongs to another question") from None
        return started

    def _row(self, item: Item | None, key: Key[E], shown: Projection[Any] | None = None) -> Any:
        """Return the row of a key; None if there is none, or its id differs in case."""
        if item is None or (self._spelling is not None and not key.is_spelled_in(item)):
            return None
        self._note_expiry([item], [key.entity])
        return self._load(item, (key.entity,), self._now_seconds(), shown)

    def _matching_case(self, question: Question[E], items: Iterable[Item]) -> Iterator[Item]:
        """Yield the rows of a partition, without those of one whose id differs in case. An index has both."""
        pattern = question.pattern
        for item in items:
            entity = None if pattern.index_name else match_entity(item, pattern.entities, self.layout)
            if entity is None or is_spelled_as(item, entity.shape, question.parts, pattern.keys.pk.fields):
                yield item

    def _load(
        self, item: Item, entities: tuple[type[E], ...], now_seconds: int, shown: Projection[Any] | None = None
    ) -> Any:
        """Return the entity of a row, or what is shown of it; None if it has expired, or is none of these entities."""
        entity = entities[0] if len(entities) == 1 else match_entity(item, entities, self.layout)
        if entity is None or (entity.expires is not None and is_expired(item, entity.shape, self.layout, now_seconds)):
            return None
        return self._entity(item, entity) if shown is None else shown.load(item, self.layout)

    def _entity(self, item: Item, entity: type[E]) -> E:
        """Return the entity of a row, from the cache of a shared item if possible."""
        if type(item) is not SharedItem:
            return entity.from_item(item, self.layout)
        if type(item.entity) is not entity:
            item.entity = entity.from_item(item, self.layout)
            item.expiry = expiry_of(item, entity.shape, self.layout)
        return cast(E, item.entity)

    def _now_seconds(self) -> int:
        return self._clock.now_ms() // 1000

    def _record(self, pattern: str | None, used: Capacity) -> None:
        self.meter.record(pattern or UNNAMED, used)
        ledger = current_ledger()
        if ledger is not None:
            ledger.used.append((pattern or UNNAMED, used))

    def _note(self, pk: str, entity: type[Entity]) -> None:
        """Record a read in the open ledger."""
        ledger = current_ledger()
        if ledger is None:
            return
        expires = _may_expire(entity)
        # What was prefetched may be older than the version of its partition.
        is_known = current_prefetched() is None
        version = self.engine.version_of(pk, with_expiring=expires) if is_known else None
        ledger.note(pk, version, with_expiring=expires)

    def _note_expiry(self, items: Iterable[Item], entities: Sequence[type[Entity]]) -> None:
        """Record in the open ledger when the first of these rows expires."""
        ledger = current_ledger()
        if ledger is None:
            return
        if not any(map(_may_expire, entities)):
            # The version of the partition stays the same when rows that expire are created.
            ledger.is_complete &= not any(self.layout.ttl in item for item in items)
            return
        now_seconds = self._now_seconds()
        for entity in entities:
            if entity.expires is not None:
                times = [expiry_of(item, entity.shape, self.layout) for item in items]
                ledger.end_at(min((each for each in times if each is not None and each > now_seconds), default=inf))

    def _note_question(self, question: Question[Any]) -> None:
        ledger = current_ledger()
        if ledger is not None:
            pk = question.pk if self._spelling is None else self._spelling.key(question.pk)
            for entity in question.pattern.entities:
                self._note(pk, entity)
            if question.pattern.index_name is not None:
                ledger.is_complete = False


def _may_expire(entity: type[Entity]) -> bool:
    return entity.expires is not None or entity.reads_expired


def _only_entity(keys: Sequence[Key[Any]]) -> type[Entity]:
    entity, *others = {key.entity for key in keys}
    if others:
        raise BadExpression("`into` reads rows of one entity; these keys are of several")
    return entity


def _lower_filter(where: Condition, pattern: Pattern[Any]) -> Condition:
    """Return a filter with stored names; BadExpression if it names what the index is not declared to project."""
    shape = pattern.entities[0].shape
    lowered = lower_condition(where, shape)
    if isinstance(pattern.keys, Index) and pattern.keys.projects is not None:
        check_projected(lowered, {shape.attributes[field] for field in pattern.keys.projects}, pattern.keys.index)
    return lowered


def _with(request: QueryRequest, **changes: Any) -> QueryRequest:
    return msgspec.structs.replace(request, **changes)
