"""The feed over the embedded engine's change log.

The position of an event is the number of its transaction and its index in there, the same for every socket and
restart. Past events are translated again from the log, some transactions at a time; clients that resume after the
same outage share them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Final, NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.events import Topic
from sobremesa.live.feed import (
    AllTopics,
    BadEventCursor,
    Cursor,
    Entry,
    FeedBatch,
    FeedPosition,
    IsNeeded,
    Page,
    Trimmed,
)
from sobremesa.live.translation import Translation
from sobremesa.table import NEWEST, ChangeBatch, ChangeReader, Position, RawChange, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadCursor, PositionTrimmed

WAIT_SECONDS = 5.0
PAGE_TRANSACTIONS = 128
CACHED_ENTRIES = 50_000
END: Final = 1 << 30
"""The index after all events of a transaction."""


class _LastPage(NamedTuple):
    """The page of transactions that the log ends in."""

    page: int
    entries: Sequence[Entry]
    reached: int
    """The number of the transaction up to which it was read."""


class LogFeed(AllTopics):
    """The events of the change log, in its order."""

    repeats = False

    def __init__(self, table: Table, clock: Clock, translation: Translation, cursors: EventCursors) -> None:
        self._table = table
        self._cursors = cursors
        self._clock = clock
        self._translation = translation
        self._reader: ChangeReader | None = None
        self._unpublished: ChangeBatch | None = None
        """A batch that was read and is not translated yet; retried if that fails."""
        self._store = ""
        self._pages: Cache[int, Sequence[Entry]] = Cache(CACHED_ENTRIES)
        self._last_page = _LastPage(-1, [], 0)

    async def open(self, is_needed: IsNeeded) -> FeedPosition:
        self._reader = await self._table.changes(NEWEST)
        self._store, number = _split((await self._reader.read(0)).position)
        return self._position(number)

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        if self._reader is None:
            raise RuntimeError("the feed is not open")
        if self._unpublished is None:
            self._unpublished = await self._reader.read(WAIT_SECONDS)
        batch = self._unpublished
        is_complete = has_subscribers()
        entries = await self._entries(batch.changes) if is_complete else []
        self._unpublished = None
        return FeedBatch(entries, self._position(_split(batch.position)[1]), is_complete)

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        return self._cursors.format(position, self._clock.now_ms() if at_ms is None else at_ms)

    def cursor_of(self, s: str) -> Cursor:
        position, at_ms = self._cursors.parse(s)
        return Cursor(position if position.run == self._store else None, at_ms)

    async def history(self, after: FeedPosition, until: FeedPosition, topics: Collection[Topic]) -> AsyncIterator[Page]:
        # The cursor may be inside its transaction.
        number = after.number - 1 if after.offset < END else after.number
        while number < until.number:
            page = number // PAGE_TRANSACTIONS
            entries = await self._page(page, number, min(until.number, (page + 1) * PAGE_TRANSACTIONS))
            number = (page + 1) * PAGE_TRANSACTIONS
            shown = [entry for entry in entries if after < entry.position <= until]
            yield Page(shown, min(self._position(number), until))

    async def close(self) -> None:
        if self._reader is not None:
            await self._reader.close()

    async def _page(self, page: int, number: int, until: int) -> Sequence[Entry]:
        """Return the entries of some transactions, at least of those after a number and up to another one.

        Whole pages are cached, and the last one as far as it was read: after a restart, all clients resume from there.
        """
        known = self._pages.find(page)
        if known is not None:
            return known
        first, last = page * PAGE_TRANSACTIONS, (page + 1) * PAGE_TRANSACTIONS
        before = self._last_page if self._last_page.page == page else _LastPage(page, [], first)
        if before.reached >= until:
            return before.entries
        try:
            entries, reached = await self._read(before.reached, last)
        except Trimmed:
            return (await self._read(number, last))[0]  # the start of the page is trimmed, but not what is needed
        entries = [*before.entries, *entries]
        if reached >= last:
            self._pages.keep(page, entries, weight=len(entries) + 1)
        elif page >= self._last_page.page:
            self._last_page = _LastPage(page, entries, reached)
        return entries

    async def _read(self, number: int, last: int) -> tuple[Sequence[Entry], int]:
        try:
            reader = await self._table.changes(Position(f"{self._store}-{number}"))
            changes: list[RawChange] = []
            while number < last:
                batch = await reader.read(0)
                if not batch.changes:
                    break
                changes += batch.changes
                number = _split(batch.position)[1]
        except PositionTrimmed as trimmed:
            raise Trimmed(str(trimmed)) from None
        except BadCursor:
            raise BadEventCursor from None
        entries = await self._entries(changes)
        return [entry for entry in entries if entry.position.number <= last], number

    async def _entries(self, changes: Sequence[RawChange]) -> list[Entry]:
        entries: list[Entry] = []
        number = index = 0
        for change in changes:
            if not self._translation.publishes(change):
                continue
            for publication in await self._translation.publications_of(change):
                own = _transaction_of(change)
                number, index = (number, index + 1) if own == number else (own, 1)
                position = self._position(number, index)
                entries.append(Entry(position, self.s_of(position, change.at_ms), change.at_ms, publication))
        return entries

    def _position(self, transaction: int, index: int = END) -> FeedPosition:
        return FeedPosition(0, 0, self._store, transaction, offset=index)


def _split(position: Position) -> tuple[str, int]:
    """Return the store and the number of a position in the embedded engine's log."""
    store, _, number = position.rpartition("-")
    return store, int(number)


def _transaction_of(change: RawChange) -> int:
    """Return the number of the transaction of a change, from its id: store, transaction, index."""
    return int(change.id.split("-")[-2])
