"""Lists a user's messages and broadcasts together, newest first.

Both partitions are read in the order of ids and merged; a receipt has the id of its broadcast. A page ends at an id and
the next one starts below it, so that publishing and expiry do not shift pages.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from math import inf
from typing import Generic, NamedTuple, TypeVar

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.broadcasts import Broadcasts
from sobremesa.domains.inboxes.entities import (
    MESSAGE,
    Held,
    InboxKey,
    PublicMessage,
    messages_to,
    public_messages,
)
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.tenancy import user_partition
from sobremesa.table import IndexKey, RawKey, ReadCache, Table, valid_until

R = TypeVar("R", bound=Held | PublicMessage)

CACHED_PAGES = 2000
MAX_READ = 1000
"""Messages that one page reads: with a selective filter, it may return fewer than `limit`."""


class Entry(NamedTuple):
    """A message, and the user's row of it: their copy, their receipt, or None."""

    message: Held | PublicMessage
    held: Held | None

    @property
    def message_id(self) -> InboxMessageId:
        return self.message.message_id

    @property
    def readat(self) -> int | None:
        return None if self.held is None else self.held.readat

    @property
    def expiredat(self) -> int | None:
        return None if self.message.expiredat is None else int(self.message.expiredat)

    def is_shown(self, now: int) -> bool:
        """Return whether it is neither archived nor snoozed now."""
        held = self.held
        if held is None:
            return True
        return held.archivedat is None and (held.snoozeduntil is None or held.snoozeduntil <= now)


class InboxPage:
    """A page of messages, and the cursor of the next one."""

    __slots__ = ("_json", "cursor", "entries")

    def __init__(self, entries: Sequence[Entry], cursor: str | None) -> None:
        self.entries = entries
        self.cursor = cursor
        self._json: bytes | None = None

    def json(self, encode: Callable[[InboxPage], bytes]) -> bytes:
        """Return the page as JSON, encoded once for all requests."""
        if self._json is None:
            self._json = encode(self)
        return self._json


class Listing:
    """Lists messages."""

    def __init__(self, table: Table, clock: Clock, floor: BroadcastFloor, broadcasts: Broadcasts) -> None:
        self._table = table
        self._clock = clock
        self._floor = floor
        self._broadcasts = broadcasts
        self._newest: ReadCache[tuple[UserPartition, int, str | None, bool], InboxPage] = ReadCache(table, CACHED_PAGES)

    async def list_messages(
        self,
        actor: Actor,
        tenant: Tenant,
        inbox: InboxKey,
        *,
        limit: int,
        cursor: str | None = None,
        category: str | None = None,
        unread: bool = False,
    ) -> tuple[list[Entry], str | None]:
        """Return a page of messages, newest first, optionally of a category or unread only."""
        page = await self.page(actor, tenant, inbox, limit=limit, cursor=cursor, category=category, unread=unread)
        return list(page.entries), page.cursor

    async def page(
        self,
        actor: Actor,
        tenant: Tenant,
        inbox: InboxKey,
        *,
        limit: int,
        cursor: str | None = None,
        category: str | None = None,
        unread: bool = False,
    ) -> InboxPage:
        """Return the same page; the newest one is cached until one of its messages changes, expires or returns."""
        own = user_partition(actor, tenant, inbox)
        if cursor is not None:
            return await self._read(own, limit, cursor, category, unread=unread)
        return await self._newest.get_or_load(
            (own, limit, category, unread), lambda: self._read(own, limit, None, category, unread=unread)
        )

    async def _read(
        self, own: UserPartition, limit: int, cursor: str | None, category: str | None, *, unread: bool
    ) -> InboxPage:
        asked = f"messages {own.tenant} {own.user_id} {own.inbox}".encode()
        before = None if cursor is None else self._table.cursors.open(cursor, asked, 1)[0]
        floor = await self._floor.floor_of(own)

        found: list[Entry] = []
        seen: list[Entry] = []
        read = 0
        last: Entry | None = None
        now = self._clock.now_seconds()
        async with aclosing(self.walk(own, floor, before=before, page=limit + 1)) as pieces:
            async for entries in pieces:
                seen += entries
                for entry in entries:
                    if last is not None and (len(found) == limit or read == MAX_READ):
                        _note_changes(seen, now)
                        return InboxPage(found, self._table.cursors.seal([last.message_id], asked))
                    read += 1
                    last = entry
                    if _passes(entry, category, unread=unread, now=now):
                        found.append(entry)
        _note_changes(seen, now)
        return InboxPage(found, None)

    async def walk(
        self, own: UserPartition, floor: str, *, before: str | None = None, page: int = 100
    ) -> AsyncGenerator[list[Entry]]:
        """Yield all messages that have not expired, newest first, including hidden ones, as they are read."""
        mine = _Rows(self._mine(own, before, page))
        public = _Rows(self._public(own, floor, before, page))
        while not (mine.is_read and public.is_read):
            await mine.read_on()
            await public.read_on()
            yield _merged(mine, public, page)

    async def _mine(self, own: UserPartition, before: str | None, page: int) -> AsyncIterator[list[Held]]:
        question = messages_to(**own.parts())
        after: RawKey | IndexKey | None = None
        if before is not None:
            after = Held.key(**own.parts(), message_id=before).raw
        while True:
            found = await self._table.query(question, limit=page, after=after)
            now = self._clock.now_seconds()
            yield [row for row in found.items if row.expiredat is None or row.expiredat > now]
            if found.last is None:
                return
            after = found.last

    async def _public(
        self, own: UserPartition, floor: str, before: str | None, page: int
    ) -> AsyncIterator[list[PublicMessage]]:
        question = public_messages(**own.public.parts())
        after: RawKey | IndexKey | None = None
        if before is not None:
            after = PublicMessage.key(**own.public.parts(), message_id=before).raw
        while True:
            if after is None:
                found = await self._broadcasts.first_page(own.public, page)
            else:
                found = await self._table.query(question, limit=page, after=after)
            now = self._clock.now_seconds()
            above = [row for row in found.items if row.message_id > floor]
            yield [row for row in above if row.kind == MESSAGE and (row.expiredat is None or row.expiredat > now)]
            if found.last is None or len(above) < len(found.items):
                return
            after = found.last


class _Rows(Generic[R]):
    """The rows of one partition, of which a page at a time is read."""

    def __init__(self, pages: AsyncIterator[list[R]]) -> None:
        self._pages = pages
        self.known: list[R] = []
        """Those that were read, the newest last, so that it can be popped."""
        self.is_read = False
        """Whether there are no others."""

    async def read_on(self) -> None:
        """Read until the next row is known."""
        while not (self.known or self.is_read):
            page = await anext(self._pages, None)
            self.is_read = page is None
            self.known = (page or [])[::-1]


def _merged(mine: _Rows[Held], public: _Rows[PublicMessage], at_most: int) -> list[Entry]:
    """Return so many messages, or those before one of the partitions must be read further."""
    rows, messages = mine.known, public.known
    entries: list[Entry] = []
    while (rows or mine.is_read) and (messages or public.is_read) and len(entries) < at_most:
        held = rows[-1] if rows else None
        message = messages[-1] if messages else None
        if held is not None and message is not None and held.message_id != message.message_id:
            if held.message_id < message.message_id:
                held = None
            else:
                message = None
        if held is not None:
            rows.pop()
        if message is not None:
            messages.pop()
            entries.append(Entry(message, held))
        elif held is None:
            break
        elif held.kind == MESSAGE:
            entries.append(Entry(held, held))
        # Otherwise it is a receipt without a broadcast, which has expired or is below the floor.
    return entries


def _passes(entry: Entry, category: str | None, *, unread: bool, now: int) -> bool:
    message, held = entry
    if category is not None and message.category != category:
        return False
    return held is None or (not (unread and held.readat is not None) and entry.is_shown(now))


def _note_changes(entries: Sequence[Entry], now: int) -> None:
    """Note when the first message expires, or the first that is snoozed returns: both happen without a write."""
    times = [message.expiredat for message, _ in entries if message.expiredat is not None]
    returning = [held.snoozeduntil for _, held in entries if held is not None and held.snoozeduntil is not None]
    times += [second for second in returning if second > now]
    valid_until(min(times, default=inf))
