"""Typing: that somebody is writing, told to those who look now, and nowhere kept."""

from __future__ import annotations

import asyncio

from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType, Topic
from sobremesa.live.whispers import Whispers
from sobremesa.memory import Memory
from sobremesa.people import UserId

QUIET_SECONDS = 3.0
"""How long it goes without saying that the same person still writes in the same room."""
REMEMBERED = 10_000


class TypingStarted(Output):
    """Somebody is writing; it holds for ten seconds, or until they have said something."""

    room_id: str
    room_kind: str
    user_id: UserId
    username: str


typing_started = EventType(
    "typing.started", TypingStarted, "Somebody is writing: at most once in three seconds.", durable=False
)


class Typing:
    """Tells that people write."""

    def __init__(self, whispers: Whispers) -> None:
        self._whispers = whispers
        self._told_at: Memory[tuple[str, UserId], float] = Memory(REMEMBERED)

    def started(self, typing: TypingStarted, topic: Topic) -> None:
        """Tell it, unless it was told a moment ago."""
        key = (typing.room_id, typing.user_id)
        now = asyncio.get_running_loop().time()
        told_at = self._told_at.find(key)
        if told_at is not None and now - told_at < QUIET_SECONDS:
            return
        self._told_at.keep(key, now)
        self._whispers.whisper(typing_started(typing, topic))
