"""The feed: announcements with their places, one after the other, and those of before for whoever missed them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from sobremesa.core.errors import Invalid, SobremesaError
from sobremesa.live.events import Announcement
from sobremesa.live.frames import event_payload, text_frame

Order: TypeAlias = tuple[int, ...]
"""A place in the feed, to be compared with others of the same feed."""


class Cursor(NamedTuple):
    """What a client sends back as `s`: a place, and the moment of it."""

    order: Order | None
    """None: it is a place of another feed, of which only the moment is known."""
    at_ms: int


class Entry:
    """An announcement and its place. Its frame is made once, for all who hear it."""

    def __init__(self, order: Order, s: str, at_ms: int, announcement: Announcement) -> None:
        self.order = order
        self.s = s
        self.at_ms = at_ms
        """When it happened, or was told."""
        self.announcement = announcement

    def showing(self, announcement: Announcement) -> Entry:
        """The same place with what is told there now."""
        return self if announcement is self.announcement else Entry(self.order, self.s, self.at_ms, announcement)

    @property
    def weight(self) -> int:
        """About how many bytes of memory it takes: what is told, and the frame of it."""
        return 1000 + 2 * len(self.announcement.d)

    @cached_property
    def frame(self) -> bytes:
        """As everybody hears it."""
        said = self.announcement
        return text_frame(event_payload(said.t, said.d, self.s, said.id))

    @cached_property
    def full_frame(self) -> bytes:
        """As moderators and the author hear it."""
        said = self.announcement
        return self.frame if said.full is None else text_frame(event_payload(said.t, said.full, self.s, said.id))

    def __repr__(self) -> str:
        return f"Entry({self.s} {self.announcement.t})"


class Page(NamedTuple):
    """Some announcements of before, and the place after them."""

    entries: Sequence[Entry]
    here: Order


class Heard(NamedTuple):
    """Some announcements, and the place after them and after whatever else happened."""

    entries: Sequence[Entry]
    here: Order
    was_heard: bool
    """Did anybody listen, so that this is all there was?"""


class Trimmed(SobremesaError):
    """What came after this place is not known any more."""


class BadPlace(Invalid):
    """This is no place in a feed."""

    code = "bad_cursor"
    says = "This is no cursor of events."


class Feed(Protocol):
    """All announcements of one table."""

    @property
    def repeats(self) -> bool:
        """Can an announcement come twice, the second time in its own place?"""
        ...

    async def open(self) -> Order:
        """Begin with what comes next; the place before it."""
        ...

    async def next(self, is_heard: Callable[[], bool]) -> Heard:
        """What comes next; waits for something, but not for ever. If nobody hears it then, only the place moves."""
        ...

    def s_of(self, order: Order, at_ms: int | None = None) -> str:
        """A place as clients keep it; the time is the present unless given."""
        ...

    def cursor_of(self, s: str) -> Cursor:
        """The place that a client has kept; BadPlace if it is none."""
        ...

    def history(self, after: Order, until: Order) -> AsyncIterator[Page]:
        """What came after one place up to another, some at a time; Trimmed if that is not kept any more."""
        ...

    async def close(self) -> None: ...
