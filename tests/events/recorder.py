"""Records the events of everything that was written."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.clock import Clock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live.events import AudienceChange, Event, Publication, Topic, TopicMembership, TopicRemoval
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

    async def translated(self, changes: list[RawChange]) -> list[Publication]:
        return [each for change in changes for each in await self.translation.publications_of(change)]

    async def publications(self) -> list[Publication]:
        """Return what all changes since the last time publish."""
        return await self.translated(await self.changes())

    async def published(self) -> list[Published]:
        """Return the same as ordinary subscribers receive them."""
        return [published(each) for each in await self.publications() if each.event is not None]


def events_of(publications: list[Publication]) -> list[Event]:
    return [each.event for each in publications if each.event is not None]


def audience_changes(publications: list[Publication]) -> list[AudienceChange]:
    return [each.audience for each in publications if each.audience is not None]


def event_of(publication: Publication) -> Event:
    assert publication.event is not None
    return publication.event


def published(publication: Publication) -> Published:
    event = event_of(publication)
    return Published(event.t, event.topics, msgspec.json.decode(event.d or b"null"))


def full(publication: Publication) -> Any:
    """Return the payload for the author and moderators."""
    payload = event_of(publication).full
    assert payload is not None
    return msgspec.json.decode(payload)


def named(publications: list[Publication], name: str) -> list[Publication]:
    """Return those whose event has this name."""
    return [each for each in publications if each.event is not None and each.event.t == name]


def added_members(publications: list[Publication]) -> list[TopicMembership]:
    """Return the memberships that these publications add, without their versions."""
    return [added._replace(since="") for each in audience_changes(publications) for added in each.adds]


def removed_members(publications: list[Publication]) -> list[TopicRemoval]:
    return [removed._replace(since="") for each in audience_changes(publications) for removed in each.removes]


def names(publications: list[Publication]) -> list[str]:
    return [each.t for each in events_of(publications)]
