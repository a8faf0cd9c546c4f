"""What missed events show now: looked up once for all who missed them.

What was found is kept until its subject changes. Clients that come back together ask while the first of them is still
waiting for the table, and wait for the same answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from sobremesa.live.events import Event

CACHED_SUBJECTS = 20_000

Found: TypeAlias = dict[str, Event | None]
"""Events by id; None if they are no longer visible."""


class CurrentEvents(Protocol):
    """Looks up what events show now."""

    def is_volatile(self, event: Event) -> bool:
        """Return whether what an event shows can change without a later event about it."""
        ...

    async def current(self, events: Sequence[Event]) -> Sequence[Event | None]:
        """Return the same events with their current content; None if it is no longer visible."""
        ...


class CurrentContent:
    """Finds and keeps the current content of events."""

    def __init__(self, lookup: CurrentEvents) -> None:
        self._lookup = lookup
        self._cached: dict[str, Found] = {}
        """By subject and id, until the subject changes."""
        self._lookups: dict[str, asyncio.Future[Found]] = {}
        """What is being looked up since the last change, by the id of an event."""
        self._changes = 0

    def invalidate(self, subject: str) -> None:
        """Forget the content of a subject, which has changed."""
        self._changes += 1
        self._cached.pop(subject, None)
        self._lookups.clear()

    def clear(self) -> None:
        """Forget everything: without subscribers, changes are not reported."""
        self._changes += 1
        self._cached.clear()
        self._lookups.clear()

    async def find(self, events: Mapping[str, Event]) -> Found:
        """Return these events with their current content."""
        found = self._known(events)
        lookups = {id: self._lookups[id] for id in events if id not in found and id in self._lookups}
        mine = {id: event for id, event in events.items() if id not in found and id not in lookups}
        if mine:
            found |= await self._look_up(mine)
        if lookups:
            # Not a plain await: a client that gives up must not cancel what others wait for.
            await asyncio.wait(set(lookups.values()))
            found |= {id: each.result()[id] for id, each in lookups.items() if id in each.result()}
        failed = {id: event for id, event in events.items() if id not in found}
        return found | await self._look_up(failed) if failed else found

    def _known(self, events: Mapping[str, Event]) -> Found:
        known = {id: self._cached.get(event.subject, {}) for id, event in events.items()}
        return {id: cached[id] for id, cached in known.items() if id in cached}

    async def _look_up(self, events: Mapping[str, Event]) -> Found:
        shared = {id: event for id, event in events.items() if not self._lookup.is_volatile(event)}
        lookup: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._lookups |= dict.fromkeys(shared, lookup)
        found: Found = {}
        changes = self._changes
        try:
            current = await self._lookup.current(list(events.values()))
            for (id, event), now in zip(events.items(), current, strict=True):
                # What shows the same is the same object: then its frame is encoded once for all.
                found[id] = event if now == event else now
            if changes == self._changes:
                self._keep(shared, found)
        finally:
            # Empty after a failure: then those who wait look up by themselves.
            lookup.set_result({id: found[id] for id in shared if id in found})
            for id in shared:
                if self._lookups.get(id) is lookup:
                    del self._lookups[id]
        return found

    def _keep(self, asked: Mapping[str, Event], found: Found) -> None:
        if len(self._cached) > CACHED_SUBJECTS:
            self._cached.clear()
        for id, event in asked.items():
            self._cached.setdefault(event.subject, {})[id] = found[id]
