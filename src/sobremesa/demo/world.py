"""What the seeding knows while it runs: who there is, where they talk, and what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import NamedTuple

from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.demo.calendar import Calendar, StoryClock
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.attachments.views import AttachmentView
from sobremesa.rooms.service import Rooms

SEED = 1983
BEGUN = "36 08:00"
"""When everything began: people and places are of this moment."""

PUBLISHER = Actor(tenant=DEFAULT_TENANT, key_id=KeyId("demo"), scopes=frozenset({"inbox:publish", "inbox:admin"}))
"""The house that tells people things."""


class Act(NamedTuple):
    """Something that happened."""

    at_ms: int
    do: Callable[[], Awaitable[None]]
    is_beside: bool = False
    """Does nothing come after it? Then it waits for nobody, and nobody waits for it."""


class Place(NamedTuple):
    """A room, and the verbs of its kind."""

    rooms: Rooms
    room_id: RoomId


class World:
    """Everything that acts need."""

    def __init__(self, app: Sobremesa, clock: StoryClock, calendar: Calendar) -> None:
        self.app = app
        self.clock = clock
        self.calendar = calendar
        self.chance = Random(SEED)  # noqa: S311 - the same world each time
        self.people: dict[str, Actor] = {}
        self.places: dict[str, Place] = {}
        self.last: dict[str, list[MessageId]] = {}
        """What was said in each room, in order."""
        self.cards: dict[str, MessageId] = {}
        self.files: dict[str, asyncio.Task[AttachmentView]] = {}
        self.icons: list[asyncio.Task[None]] = []

    def act(self, written: str, do: Callable[[], Awaitable[None]]) -> Act:
        """Something that happened at this moment."""
        return Act(self.calendar.past(written), do)

    async def upload(
        self, who: str, name: str, mime: str, content: bytes, *, public: bool = False, at_ms: int | None = None
    ) -> AttachmentView:
        """A file of somebody's, to be run as a task of its own.

        Its id is of the moment in which it begins; `at_ms` is when it has arrived, from which its day is counted.
        """

        async def pieces() -> AsyncIterator[bytes]:
            if at_ms is not None:
                self.clock.go_to(at_ms)
            yield content

        return await self.app.attachments.receive(self.people[who], UploadedFile(name, mime, pieces()), public=public)
