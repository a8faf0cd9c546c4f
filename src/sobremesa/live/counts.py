"""Inbox counts, which are specific to a reader and are read right before delivery.

After a broadcast, the counts of all connected users of a tenant change at once. `BroadcastCounts` publishes them a few
at a time, without holding up other events.
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
"""Returns the counts of a user in an inbox, as JSON."""
Inbox: TypeAlias = tuple[str, str]
"""The tenant and the name of an inbox."""
PublishToUser: TypeAlias = Callable[[UserId, Event], None]

COUNTED_AT_ONCE = 8
"""For how many users counts are read at the same time after a broadcast."""

_log = structlog.get_logger("sobremesa.live")


class FreshCounts:
    """Reads counts for the subscribers of an event."""

    def __init__(self, count: Count) -> None:
        self._count = count

    async def of(self, user_id: UserId, inbox: Inbox) -> bytes:
        """Return the current counts of a user in an inbox, as JSON."""
        return await self._count(Tenant(inbox[0]), user_id, inbox[1])

    def are_missing(self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None) -> bool:
        """Return whether counts must be read for subscribers of these topics."""
        return any(_is_counted(entry, topics, reader) for entry in entries)

    async def with_counts(
        self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None
    ) -> Sequence[Entry]:
        """Return the entries with their counts; those of broadcasts only on behalf of a reader."""
        if not self.are_missing(entries, topics, reader):
            return entries
        return [
            await self._with_count(entry, reader) if _is_counted(entry, topics, reader) else entry for entry in entries
        ]

    async def _with_count(self, entry: Entry, reader: UserId | None) -> Entry:
        event = entry.event
        assert event.fresh is not None  # noqa: S101 - for the type checker
        user_id = reader or user_of(event.topics[0])
        return entry.with_event(msgspec.structs.replace(event, d=await self.of(user_id, event.fresh), fresh=None))


class BroadcastCounts:
    """Publishes the counts of every connected user of a tenant after a broadcast."""

    def __init__(
        self, counts: FreshCounts, users: Callable[[Topic], Collection[UserId]], publish: PublishToUser
    ) -> None:
        self._counts = counts
        self._users = users
        self._publish = publish
        self._waiting: dict[Inbox, Event] = {}
        """What is to be published: once for each inbox, however many broadcasts came meanwhile."""
        self._task: asyncio.Task[None] | None = None

    def start(self, event: Event) -> None:
        """Publish the counts of all connected users, in the background."""
        assert event.fresh is not None  # noqa: S101 - for the type checker
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
        assert event.fresh is not None  # noqa: S101 - for the type checker
        try:
            d = await self._counts.of(user_id, event.fresh)
        except TableError as error:
            _log.warning("inbox counts were not published", why=f"{type(error).__name__}: {error}")
        else:
            self._publish(user_id, msgspec.structs.replace(event, d=d, fresh=None))


def is_broadcast(event: Event) -> bool:
    """Return whether the counts of all users of a tenant change."""
    return event.fresh is not None and parts_of(event.topics[0])[0] == "tenant"


def _is_counted(entry: Entry, topics: Container[Topic], reader: UserId | None) -> bool:
    event = entry.event
    return event.fresh is not None and event.topics[0] in topics and not (reader is None and is_broadcast(event))
