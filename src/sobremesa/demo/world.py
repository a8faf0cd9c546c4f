"""The state of the seeding: users, rooms and messages."""

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
STARTED_AT = "36 08:00"
"""When users and rooms were created."""

PUBLISHER = Actor(tenant=DEFAULT_TENANT, key_id=KeyId("demo"), scopes=frozenset({"inbox:publish", "inbox:admin"}))
"""The server key that publishes notices."""


class Act(NamedTuple):
    """An action at a time."""

    at_ms: int
    do: Callable[[], Awaitable[None]]
    is_beside: bool = False
    """Whether nothing depends on it, so that it can run concurrently."""


class Place(NamedTuple):
    """A room, and the service of its kind."""

    rooms: Rooms
    room_id: RoomId


class World:
    """Everything that actions need."""

    def __init__(self, app: Sobremesa, clock: StoryClock, calendar: Calendar) -> None:
        self.app = app
        self.clock = clock
        self.calendar = calendar
        self.chance = Random(SEED)  # noqa: S311 - the same data each time
        self.people: dict[str, Actor] = {}
        self.places: dict[str, Place] = {}
        self.last: dict[str, list[MessageId]] = {}
        """The messages of each room, in order."""
        self.cards: dict[str, MessageId] = {}
        self.files: dict[str, asyncio.Task[AttachmentView]] = {}
        self.icons: list[asyncio.Task[None]] = []

    def act(self, written: str, do: Callable[[], Awaitable[None]]) -> Act:
        """Return an action at a relative time."""
        return Act(self.calendar.past(written), do)

    async def upload(
        self, who: str, name: str, mime: str, content: bytes, *, public: bool = False, at_ms: int | None = None
    ) -> AttachmentView:
        """Upload a file; run it as a task of its own.

        Its id has the time of the start; `at_ms` is the time of its arrival, from which its expiry is counted.
        """

        async def pieces() -> AsyncIterator[bytes]:
            if at_ms is not None:
                self.clock.go_to(at_ms)
            yield content

        return await self.app.attachments.receive(self.people[who], UploadedFile(name, mime, pieces()), public=public)
