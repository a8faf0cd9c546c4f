"""The feed: the ordered stream of events with their positions, and its history."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from sobremesa.core.errors import Invalid, SobremesaError
from sobremesa.live.events import Event
from sobremesa.live.frames import event_payload, text_frame

Order: TypeAlias = tuple[int, ...]
"""A position in the feed, comparable with others of the same feed."""


class Cursor(NamedTuple):
    """What a client sends back as `s`: a position and its time."""

    order: Order | None
    """None if it is a position of another feed, of which only the time is known."""
    at_ms: int


class Entry:
    """An event and its position. Its frame is encoded once for all subscribers."""

    def __init__(self, order: Order, s: str, at_ms: int, event: Event) -> None:
        self.order = order
        self.s = s
        self.at_ms = at_ms
        """When it happened, or was published."""
        self.event = event

    def with_event(self, event: Event) -> Entry:
        """Return the same position with another version of the event."""
        return self if event is self.event else Entry(self.order, self.s, self.at_ms, event)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes: the event and its frame."""
        return 1000 + 2 * len(self.event.d)

    @cached_property
    def frame(self) -> bytes:
        """The frame for ordinary subscribers."""
        event = self.event
        return text_frame(event_payload(event.t, event.d, self.s, event.id))

    @cached_property
    def full_frame(self) -> bytes:
        """The frame for moderators and the author."""
        event = self.event
        return self.frame if event.full is None else text_frame(event_payload(event.t, event.full, self.s, event.id))

    def __repr__(self) -> str:
        return f"Entry({self.s} {self.event.t})"


class Page(NamedTuple):
    """Some events of the history, and the position after them."""

    entries: Sequence[Entry]
    position: Order


class FeedBatch(NamedTuple):
    """Some events, and the position after them."""

    entries: Sequence[Entry]
    position: Order
    is_complete: bool
    """Whether there were subscribers; without any, events are skipped and only the position moves."""


class Trimmed(SobremesaError):
    """The events after this position are no longer kept."""


class BadEventCursor(Invalid):
    """Not a position in this feed."""

    code = "bad_cursor"
    says = "This is not a valid event cursor."


class Feed(Protocol):
    """The events of one table."""

    @property
    def repeats(self) -> bool:
        """Whether an event can come twice, the second time at its own position."""
        ...

    async def open(self) -> Order:
        """Start with the next event; return the position before it."""
        ...

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        """Wait for the next events, up to a limit of time. Without subscribers only the position moves."""
        ...

    def s_of(self, order: Order, at_ms: int | None = None) -> str:
        """Return a position as a cursor for clients; the time is now unless given."""
        ...

    def cursor_of(self, s: str) -> Cursor:
        """Parse a client's cursor; raises BadEventCursor."""
        ...

    def history(self, after: Order, until: Order) -> AsyncIterator[Page]:
        """Yield the events between two positions in pages; raises Trimmed if they are no longer kept."""
        ...

    async def close(self) -> None: ...
