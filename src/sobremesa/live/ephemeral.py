"""Ephemeral events, such as typing and presence: delivered to connected clients, and not stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sobremesa.core.actor import UserId
from sobremesa.live.events import Event
from sobremesa.live.hub import Hub


class EphemeralEvents(Protocol):
    """Publishes events that have no position in the feed."""

    def publish(self, event: Event, *, without: UserId | None = None, max_subscribers: int | None = None) -> None:
        """Publish an event to its subscribers on every node, but not to those of one user.

        A node does not deliver it to topics with more subscribers than the maximum.
        """
        ...

    def ask_nodes(self, event: Event) -> None:
        """Pass an event to the handlers of the other nodes; no client receives it."""
        ...

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        """Call a handler for the ephemeral events of other nodes, and for what they ask."""
        ...


class LocalEphemeralEvents:
    """Ephemeral events of a single process."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def publish(self, event: Event, *, without: UserId | None = None, max_subscribers: int | None = None) -> None:
        self._hub.publish(event, without=without, max_subscribers=max_subscribers)

    def ask_nodes(self, event: Event) -> None:
        """Do nothing: there are no other nodes."""

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        """Do nothing: there are no other nodes."""
