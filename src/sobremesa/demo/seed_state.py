"""The state of the seeding: users, rooms and messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import NamedTuple

from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.demo.calendar import Calendar, SettableClock
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.attachments.views import AttachmentView
from sobremesa.rooms.service import Rooms

SEED = 1983
STARTED_AT = "36 08:00"
"""When users and rooms were created."""

PUBLISHER = Actor(tenant=DEFAULT_TENANT, key_id=KeyId("demo"), scopes=frozenset({"inbox:publish", "inbox:admin"}))
"""The server key that publishes notices."""


class Action(NamedTuple):
    """An action at a time."""

    at_ms: int
    run: Callable[[], Awaitable[None]]
    is_concurrent: bool = False
    """Whether nothing depends on it, so that it can run concurrently."""


class SeededRoom(NamedTuple):
    """A room of the demo, and the service of its kind."""

    service: Rooms
    room_id: RoomId


class SeedState:
    """The application, and what the actions so far have created in it."""

    def __init__(self, app: Sobremesa, clock: SettableClock, calendar: Calendar) -> None:
        self.app = app
        self.clock = clock
        self.calendar = calendar
        self.random = Random(SEED)  # noqa: S311 - the same data each time
        self.users: dict[str, Actor] = {}
        self.rooms: dict[str, SeededRoom] = {}
        self.last: dict[str, list[MessageId]] = {}
        """The messages of each room, in order."""
        self.cards: dict[str, MessageId] = {}
        self.files: dict[str, asyncio.Task[AttachmentView]] = {}
        self.icons: list[asyncio.Task[None]] = []

    def action(self, written: str, run: Callable[[], Awaitable[None]]) -> Action:
        """Return an action at a relative time."""
        return Action(self.calendar.past(written), run)

    async def upload(
        self, user: str, name: str, mime: str, content: bytes, *, public: bool = False, at_ms: int | None = None
    ) -> AttachmentView:
        """Upload a file; run it as a task of its own.

        Its id has the time of the start; `at_ms` is the time of its arrival, from which its expiry is counted.
        """

        async def pieces() -> AsyncIterator[bytes]:
            if at_ms is not None:
                self.clock.go_to(at_ms)
            yield content

        return await self.app.attachments.receive(self.users[user], UploadedFile(name, mime, pieces()), public=public)
