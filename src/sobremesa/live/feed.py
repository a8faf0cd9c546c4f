"""The feed: events_of with their places, one after the other, and those of before for whoever missed them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from sobremesa.core.errors import Invalid, SobremesaError
from sobremesa.live.events import Event
from sobremesa.live.frames import event_payload, text_frame

Order: TypeAlias = tuple[int, ...]
"""A place in the feed, to be compared with others of the same feed."""


class Cursor(NamedTuple):
    """What a client sends back as `s`: a place, and the moment of it."""

    order: Order | None
    """None: it is a place of another feed, of which only the moment is known."""
    at_ms: int


class Entry:
    """An event and its place. Its frame is made once, for all who hear it."""

    def __init__(self, order: Order, s: str, at_ms: int, event: Event) -> None:
        self.order = order
        self.s = s
        self.at_ms = at_ms
        """When it happened, or was told."""
        self.event = event

    def with_event(self, event: Event) -> Entry:
        """The same place with what is told there now."""
        return self if event is self.event else Entry(self.order, self.s, self.at_ms, event)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes: what is told, and the frame of it."""
        return 1000 + 2 * len(self.event.d)

    @cached_property
    def frame(self) -> bytes:
        """As everybody hears it."""
        event = self.event
        return text_frame(event_payload(event.t, event.d, self.s, event.id))

    @cached_property
    def full_frame(self) -> bytes:
        """As moderators and the author hear it."""
        event = self.event
        return self.frame if event.full is None else text_frame(event_payload(event.t, event.full, self.s, event.id))

    def __repr__(self) -> str:
        return f"Entry({self.s} {self.event.t})"


class Page(NamedTuple):
    """Some events_of of before, and the place after them."""

    entries: Sequence[Entry]
    position: Order


class FeedBatch(NamedTuple):
    """Some events_of, and the place after them and after whatever else happened."""

    entries: Sequence[Entry]
    position: Order
    is_complete: bool
    """Did anybody listen, so that this is all there was?"""


class Trimmed(SobremesaError):
    """What came after this place is not known any more."""


class BadEventCursor(Invalid):
    """This is no place in a feed."""

    code = "bad_cursor"
    says = "This is no cursor of events."


class Feed(Protocol):
    """All events_of of one table."""

    @property
    def repeats(self) -> bool:
        """Can an event come twice, the second time in its own place?"""
        ...

    async def open(self) -> Order:
        """Begin with what comes next; the place before it."""
        ...

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        """What comes next; waits for something, but not for ever. If nobody hears it then, only the place moves."""
        ...

    def s_of(self, order: Order, at_ms: int | None = None) -> str:
        """A place as clients keep it; the time is the present unless given."""
        ...

    def cursor_of(self, s: str) -> Cursor:
        """The place that a client has kept; BadEventCursor if it is none."""
        ...

    def history(self, after: Order, until: Order) -> AsyncIterator[Page]:
        """What came after one place up to another, some at a time; Trimmed if that is not kept any more."""
        ...

    async def close(self) -> None: ...
