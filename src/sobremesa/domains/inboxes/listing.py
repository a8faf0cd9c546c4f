"""Lists a user's messages and broadcasts together, newest first.

Both partitions are read in the order of ids and merged; a receipt has the id of its broadcast. A page ends at an id and
the next one starts below it, so that publishing and expiry do not shift pages.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import NamedTuple

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.current_counts import is_expired
from sobremesa.domains.inboxes.entities import (
    Held,
    InboxKey,
    PublicMessage,
    messages_to,
    public_messages,
)
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.tenancy import user_partition
from sobremesa.table import IndexKey, RawKey, Table

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


class Listing:
    """Lists messages."""

    def __init__(self, table: Table, clock: Clock, floor: BroadcastFloor) -> None:
        self._table = table
        self._clock = clock
        self._floor = floor

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
        own = user_partition(actor, tenant, inbox)
        asked = f"messages {own.tenant} {own.user_id} {own.inbox}".encode()
        before = None if cursor is None else self._table.cursors.open(cursor, asked, 1)[0]
        floor = await self._floor.floor_of(own)

        found: list[Entry] = []
        read = 0
        last: Entry | None = None
        async with aclosing(self.walk(own, floor, before=before, page=limit + 1)) as entries:
            async for entry in entries:
                if last is not None and (len(found) == limit or read == MAX_READ):
                    return found, self._table.cursors.seal([last.message_id], asked)
                read += 1
                last = entry
                if self._passes(entry, category, unread):
                    found.append(entry)
        return found, None

    async def walk(
        self, own: UserPartition, floor: str, *, before: str | None = None, page: int = 100
    ) -> AsyncGenerator[Entry]:
        """Yield all messages that have not expired, newest first, including hidden ones."""
        mine = self._mine(own, before, page)
        public = self._public(own, floor, before, page)
        held, message = await anext(mine, None), await anext(public, None)
        while held is not None or message is not None:
            if message is None or (held is not None and held.message_id > message.message_id):
                # A receipt without a broadcast: the broadcast has expired or is below the floor.
                if held is not None and held.is_message:
                    yield Entry(held, held)
                held = await anext(mine, None)
            elif held is None or held.message_id < message.message_id:
                yield Entry(message, None)
                message = await anext(public, None)
            else:
                yield Entry(message, held)
                held, message = await anext(mine, None), await anext(public, None)

    def _passes(self, entry: Entry, category: str | None, unread: bool) -> bool:
        if unread and entry.readat is not None:
            return False
        if category is not None and entry.message.category != category:
            return False
        return entry.is_shown(self._clock.now_seconds())

    async def _mine(self, own: UserPartition, before: str | None, page: int) -> AsyncIterator[Held]:
        question = messages_to(**own.parts())
        after: RawKey | IndexKey | None = None
        if before is not None:
            after = Held.key(**own.parts(), message_id=before).raw
        while True:
            found = await self._table.query(question, limit=page, after=after)
            now = self._clock.now_seconds()
            for row in found.items:
                if not is_expired(row, now):
                    yield row
            if found.last is None:
                return
            after = found.last

    async def _public(
        self, own: UserPartition, floor: str, before: str | None, page: int
    ) -> AsyncIterator[PublicMessage]:
        question = public_messages(**own.public.parts())
        after: RawKey | IndexKey | None = None
        if before is not None:
            after = PublicMessage.key(**own.public.parts(), message_id=before).raw
        while True:
            found = await self._table.query(question, limit=page, after=after)
            for row in found.items:
                if row.message_id <= floor:
                    return
                yield row
            if found.last is None:
                return
            after = found.last
