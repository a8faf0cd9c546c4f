"""Whispers: what is told to those who listen now, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sobremesa.live.events import Announcement
from sobremesa.live.hub import Hub


class Whispers(Protocol):
    """Carries what has no place in the order of events."""

    def whisper(self, announcement: Announcement) -> None:
        """Tell it to whoever listens, on every node."""
        ...

    def overhear(self, hear: Callable[[Announcement], None]) -> None:
        """Let somebody know of what other nodes whisper."""
        ...


class LocalWhispers:
    """One process: everybody who listens is here."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def whisper(self, announcement: Announcement) -> None:
        self._hub.tell(announcement)

    def overhear(self, hear: Callable[[Announcement], None]) -> None:
        """Nothing to do: there are no others."""
