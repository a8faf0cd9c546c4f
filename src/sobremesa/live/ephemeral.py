"""EphemeralEvents: what is told to those who listen now, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sobremesa.live.events import Event
from sobremesa.live.hub import Hub


class EphemeralEvents(Protocol):
    """Carries what has no place in the order of events."""

    def publish(self, event: Event) -> None:
        """Tell it to whoever listens, on every node."""
        ...

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        """Let somebody know of what other nodes publish."""
        ...


class LocalEphemeralEvents:
    """One process: everybody who listens is here."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def publish(self, event: Event) -> None:
        self._hub.publish(event)

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        """Nothing to do: there are no others."""
