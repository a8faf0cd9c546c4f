"""Counts of an inbox: what is a reader's own and has to be inbox for, right before it is delivered.

After a message to everyone of a tenant, the counts of all its users who are online change at once: each is told, some
at a time, by `BroadcastCounts`, without holding up other events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Container, Sequence
from typing import TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import Tenant, UserId
from sobremesa.live.events import Event, Topic, parts_of, user_of
from sobremesa.live.feed import Entry
from sobremesa.table.errors import TableError

Count: TypeAlias = Callable[[Tenant, UserId, str], Awaitable[bytes]]
"""What a person has in an inbox of their tenant now, as JSON."""
Inbox: TypeAlias = tuple[str, str]
"""The tenant and the name of an inbox."""
PublishToUser: TypeAlias = Callable[[UserId, Event], None]

COUNTED_AT_ONCE = 8
"""For how many users the counts are read at the same time after a message to everyone."""

_log = structlog.get_logger("sobremesa.live")


class FreshCounts:
    """Asks for counts on behalf of those who listen."""

    def __init__(self, count: Count) -> None:
        self._count = count

    async def of(self, user_id: UserId, inbox: Inbox) -> bytes:
        """What a user has in an inbox now, as JSON."""
        return await self._count(Tenant(inbox[0]), user_id, inbox[1])

    def are_missing(self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None) -> bool:
        """Is there something to be inbox for, for subscribers of these topics?"""
        return any(_is_counted(entry, topics, reader) for entry in entries)

    async def with_counts(
        self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None
    ) -> Sequence[Entry]:
        """The entries, with what had to be inbox for; what is for everyone is inbox for only on behalf of a reader."""
        if not self.are_missing(entries, topics, reader):
            return entries
        return [
            await self._with_count(entry, reader) if _is_counted(entry, topics, reader) else entry for entry in entries
        ]

    async def _with_count(self, entry: Entry, reader: UserId | None) -> Entry:
        event = entry.event
        assert event.fresh is not None  # noqa: S101 - told to the type checker
        user_id = reader or user_of(event.topics[0])
        return entry.with_event(msgspec.structs.replace(event, d=await self.of(user_id, event.fresh), fresh=None))


class BroadcastCounts:
    """Tells everybody of a tenant who is online what they have in an inbox, after a message to everyone."""

    def __init__(
        self, counts: FreshCounts, users: Callable[[Topic], Collection[UserId]], publish: PublishToUser
    ) -> None:
        self._counts = counts
        self._users = users
        self._publish = publish
        self._waiting: dict[Inbox, Event] = {}
        """What is to be told, once for each inbox, however many messages came to it meanwhile."""
        self._task: asyncio.Task[None] | None = None

    def start(self, event: Event) -> None:
        """A message went to everyone: tell all who are online, in the background."""
        assert event.fresh is not None  # noqa: S101 - told to the type checker
        self._waiting[event.fresh] = event
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            inbox = next(iter(self._waiting))
            event = self._waiting.pop(inbox)
            users = list(self._users(event.topics[0]))
            for start in range(0, len(users), COUNTED_AT_ONCE):
                await asyncio.gather(*(self._count(user, event) for user in users[start : start + COUNTED_AT_ONCE]))
                await asyncio.sleep(0)

    async def _count(self, user_id: UserId, event: Event) -> None:
        assert event.fresh is not None  # noqa: S101 - told to the type checker
        try:
            d = await self._counts.of(user_id, event.fresh)
        except TableError as error:
            _log.warning("counts were not told", why=f"{type(error).__name__}: {error}")
        else:
            self._publish(user_id, msgspec.structs.replace(event, d=d, fresh=None))


def is_broadcast(event: Event) -> bool:
    """Do the counts of everybody of a tenant change?"""
    return event.fresh is not None and parts_of(event.topics[0])[0] == "tenant"


def _is_counted(entry: Entry, topics: Container[Topic], reader: UserId | None) -> bool:
    event = entry.event
    return event.fresh is not None and event.topics[0] in topics and not (reader is None and is_broadcast(event))
