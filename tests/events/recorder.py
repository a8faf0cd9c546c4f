"""Records the events of everything that was written."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.clock import Clock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live.events import Event, Topic, TopicMembership, TopicRemoval
from sobremesa.table import NEWEST, Entity, Keys, Position, Put, RawChange

SOON = 20.0
"""Long enough for a change that must come."""


class Mark(Entity):
    """A row that is written only to see that everything before it was read."""

    keys = Keys(pk="MARK#{number}", sk="MARK")

    number: int


class Published(NamedTuple):
    """An event as ordinary subscribers receive it."""

    t: str
    topics: tuple[Topic, ...]
    d: Any


class EventRecorder:
    """Records the events of changes from the moment it starts."""

    def __init__(self, app: Sobremesa, clock: Clock) -> None:
        self.app = app
        self.translation = translation_of(app.table, clock, app.accounts)
        self._position: Position = NEWEST
        self._marks = 0

    async def start(self) -> None:
        """Skip what was written until now."""
        await self.changes()

    async def changes(self) -> list[RawChange]:
        """Return all changes since the last time."""
        reader = await self.app.table.changes(self._position)
        self._marks += 1
        await self.app.table.write(Put(Mark(number=self._marks)))
        changes: list[RawChange] = []
        try:
            while not any(change.key.pk.upper() == f"MARK#{self._marks}" for change in changes):
                batch = await reader.read(SOON)
                assert batch.changes, "the mark did not come"
                changes += batch.changes
                self._position = batch.position
        finally:
            await reader.close()
        return changes

    async def translated(self, changes: list[RawChange]) -> list[Event]:
        return [each for change in changes for each in await self.translation.events_of(change)]

    async def events(self) -> list[Event]:
        """Return the events of all changes since the last time."""
        return await self.translated(await self.changes())

    async def published(self) -> list[Published]:
        """Return the same as ordinary subscribers receive them, without mere audience changes."""
        return [published(each) for each in await self.events() if each.t]


def published(event: Event) -> Published:
    return Published(event.t, event.topics, msgspec.json.decode(event.d or b"null"))


def full(event: Event) -> Any:
    """Return the payload for the author and moderators."""
    assert event.full is not None
    return msgspec.json.decode(event.full)


def added_members(events: list[Event]) -> list[TopicMembership]:
    """Return the memberships that these events add, without their versions."""
    return [admission._replace(since="") for each in events for admission in each.adds]


def removed_members(events: list[Event]) -> list[TopicRemoval]:
    return [expulsion._replace(since="") for each in events for expulsion in each.removes]


def names(events: list[Event]) -> list[str]:
    return [each.t for each in events if each.t]
