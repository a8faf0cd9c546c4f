"""Payloads that differ for each recipient: the event has a reference, which is resolved right before delivery.

An event for a whole tenant has as many payloads as there are connected users. `Broadcasts` resolves and publishes them
a few at a time, without holding up other events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Container, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.live.events import Event, Topic, parts_of, user_of
from sobremesa.live.feed import Entry
from sobremesa.table.errors import TableError

Resolve: TypeAlias = Callable[[UserId, bytes], Awaitable[bytes]]
"""From a recipient and the reference of an event to its payload for them; both are JSON."""
PublishToUser: TypeAlias = Callable[[UserId, str, Event], None]
"""Publishes an event to a user, with an id."""

RESOLVED_AT_ONCE = 8
"""For how many recipients of a broadcast payloads are resolved at the same time."""

_log = structlog.get_logger("sobremesa.live")


class RecipientPayloads:
    """Resolves the payloads of events, by the name of their type."""

    def __init__(self, resolvers: Mapping[str, Resolve]) -> None:
        self._resolvers = resolvers

    async def resolve(self, event: Event, recipient: UserId) -> Event:
        """Return an event with its payload for one recipient."""
        d = await self._resolvers[event.t](recipient, event.d)
        return msgspec.structs.replace(event, d=d, is_reference=False)

    def are_missing(self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None) -> bool:
        """Return whether payloads must be resolved for subscribers of these topics."""
        return any(_to_resolve(entry, topics, reader) is not None for entry in entries)

    async def resolve_all(
        self, entries: Sequence[Entry], topics: Container[Topic], reader: UserId | None = None
    ) -> Sequence[Entry]:
        """Return the entries with their payloads; those of broadcasts only on behalf of a reader."""
        if not self.are_missing(entries, topics, reader):
            return entries
        resolved: list[Entry] = []
        for entry in entries:
            event = _to_resolve(entry, topics, reader)
            if event is None:
                resolved.append(entry)
            else:
                resolved.append(entry.with_event(await self.resolve(event, reader or user_of(event.topics[0]))))
        return resolved


class Broadcasts:
    """Publishes events whose payloads differ to every connected user of a topic."""

    def __init__(
        self, payloads: RecipientPayloads, users: Callable[[Topic], Collection[UserId]], publish: PublishToUser
    ) -> None:
        self._payloads = payloads
        self._users = users
        self._publish = publish
        self._waiting: dict[Event, str] = {}
        """What is to be published, and its last id: once for equal events, however many came meanwhile."""
        self._task: asyncio.Task[None] | None = None

    def start(self, id: str, event: Event) -> None:
        """Publish an event to all connected users of its topic, in the background."""
        self._waiting[event] = id
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            event = next(iter(self._waiting))
            id = self._waiting.pop(event)
            users = list(self._users(event.topics[0]))
            await gather_bounded(RESOLVED_AT_ONCE, partial(self._publish_to, id, event), users)

    async def _publish_to(self, id: str, event: Event, user_id: UserId) -> None:
        try:
            resolved = await self._payloads.resolve(event, user_id)
        except TableError as error:
            _log.warning("an event was not published", event_type=event.t, why=f"{type(error).__name__}: {error}")
        else:
            self._publish(user_id, id, resolved)


def is_broadcast(event: Event) -> bool:
    """Return whether an event has as many payloads as its topic has users."""
    return event.is_reference and parts_of(event.topics[0])[0] != "user"


def _to_resolve(entry: Entry, topics: Container[Topic], reader: UserId | None) -> Event | None:
    event = entry.event
    if event is None or not event.is_reference or event.topics[0] not in topics:
        return None
    return None if reader is None and is_broadcast(event) else event
