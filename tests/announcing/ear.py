"""An ear at the change log: what would be told of everything that was written."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.clock import Clock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live.events import Admission, Announcement, Expulsion, Topic
from sobremesa.table import NEWEST, Entity, Keys, Position, Put, RawChange

SOON = 20.0
"""Long enough for a change that surely comes; nobody waits for so long."""


class Mark(Entity):
    """A row that is written only to see that everything before it was heard."""

    keys = Keys(pk="MARK#{number}", sk="MARK")

    number: int


class Told(NamedTuple):
    """What everybody is told who listens to these topics."""

    t: str
    topics: tuple[Topic, ...]
    d: Any


class Ear:
    """Hears what is written from the moment on at which it begins to listen."""

    def __init__(self, app: Sobremesa, clock: Clock) -> None:
        self.app = app
        self.translation = translation_of(app.table, clock, app.accounts)
        self._position: Position = NEWEST
        self._marks = 0

    async def listen(self) -> None:
        """What was written until now is not heard."""
        await self.changes()

    async def changes(self) -> list[RawChange]:
        """All changes since the last time."""
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

    async def translated(self, changes: list[RawChange]) -> list[Announcement]:
        return [each for change in changes for each in await self.translation.announcements(change)]

    async def hears(self) -> list[Announcement]:
        """Everything that is announced of what was written since the last time."""
        return await self.translated(await self.changes())

    async def told(self) -> list[Told]:
        """The same, as what everybody is told; where only the listeners change, nothing is."""
        return [told(each) for each in await self.hears() if each.t]


def told(announcement: Announcement) -> Told:
    return Told(announcement.t, announcement.topics, msgspec.json.decode(announcement.d or b"null"))


def full(announcement: Announcement) -> Any:
    """What the author and the moderators are told."""
    assert announcement.full is not None
    return msgspec.json.decode(announcement.full)


def admitted(announcements: list[Announcement]) -> list[Admission]:
    """Who is admitted where, whichever membership it is by."""
    return [admission._replace(since="") for each in announcements for admission in each.admits]


def expelled(announcements: list[Announcement]) -> list[Expulsion]:
    return [expulsion._replace(since="") for each in announcements for expulsion in each.expels]


def names(announcements: list[Announcement]) -> list[str]:
    return [each.t for each in announcements if each.t]
