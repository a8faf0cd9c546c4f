"""The feed: the ordered stream of events with their positions, and its history."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from functools import cached_property
from typing import Final, NamedTuple, Protocol, TypeAlias

from sobremesa.core.errors import Invalid, SobremesaError
from sobremesa.live.events import Event, Publication, Topic, TopicMembership
from sobremesa.live.frames import event_payload, text_frame

ENTRY_BYTES: Final = 1000
"""About how many bytes an entry takes besides its payload and its frame."""


class FeedPosition(NamedTuple):
    """A position in the feed. Those of one feed are ordered."""

    generation: int
    """Which run, in order: all positions of an earlier run are before those of a later one."""
    at_ms: int
    """When a former run of the server was at the number, since its runs have no other order; 0 otherwise."""
    run: str
    """The id of what numbers the events: a store, a run of the server, or an epoch of the stream in Redis."""
    number: int
    stretch: int = 0
    """The id of a part of the feed that was read again and starts at the number; 0: none."""
    offset: int = 0
    """After how many events of the number, or of the stretch."""


START: Final = FeedPosition(-1, 0, "", 0)
"""Before all positions."""


class Cursor(NamedTuple):
    """What a client sends back as `s`: a position and its time."""

    position: FeedPosition | None
    """None if it is a position of another feed, of which only the time is known."""
    at_ms: int


class Entry:
    """A publication and its position. The frame of an event is encoded once for all subscribers."""

    def __init__(self, position: FeedPosition, s: str, at_ms: int, publication: Publication) -> None:
        self.position = position
        self.first_position = position
        """Where it was delivered first, if it is a copy: it shows no more than that did."""
        self.s = s
        self.at_ms = at_ms
        """When it happened, or was published."""
        self.id = publication.id
        self.event = publication.event
        self.audience = publication.audience

    def with_event(self, event: Event | None) -> Entry:
        """Return the same entry with another version of the event."""
        if event is self.event:
            return self
        publication = Publication(id=self.id, event=event, audience=self.audience)
        return Entry(self.position, self.s, self.at_ms, publication)

    @property
    def size(self) -> int:
        """How many bytes the payload has."""
        return 0 if self.event is None else len(self.event.d)

    @property
    def weight(self) -> int:
        """About how many bytes it takes in memory, with its frame."""
        return ENTRY_BYTES + 2 * self.size

    @cached_property
    def frame(self) -> bytes:
        """The frame for ordinary subscribers; empty if there is no event."""
        return b"" if self.event is None else self._framed(self.event, self.event.d)

    @cached_property
    def full_frame(self) -> bytes:
        """The frame for moderators."""
        event = self.event
        return self.frame if event is None or event.full is None else self._framed(event, event.full)

    @cached_property
    def author_frame(self) -> bytes:
        """The frame for the author."""
        event = self.event
        if event is None or not event.private:
            return self.full_frame
        payload = event.d if event.full is None else event.full
        return self._framed(event, b"%b,%b}" % (payload[:-1], event.private))

    def _framed(self, event: Event, d: bytes) -> bytes:
        return text_frame(event_payload(event.t, d, self.s, self.id))

    def __repr__(self) -> str:
        return f"Entry({self.s} {self.event and self.event.t})"


class Page(NamedTuple):
    """Some events of the history, and the position after them."""

    entries: Sequence[Entry]
    position: FeedPosition


class FeedBatch(NamedTuple):
    """Some events, and the position after them."""

    entries: Sequence[Entry]
    position: FeedPosition
    is_complete: bool
    """Whether there were subscribers; without any, events are skipped and only the position moves."""
    begins_anew: bool = False
    """Whether events before it are lost, so that no earlier position is valid."""
    missed: frozenset[Topic] = frozenset()
    """Topics of which events before it are no longer kept: their subscribers must resume, and get a gap."""


class Trimmed(SobremesaError):
    """The events after this position are no longer kept."""


IsNeeded: TypeAlias = Callable[[Topic], bool]
"""Whether a topic has subscribers, or one is being attached."""


class BadEventCursor(Invalid):
    """Not a position in this feed."""

    code = "bad_cursor"
    default_detail = "This is not a valid event cursor."


class Feed(Protocol):
    """The events of one table."""

    @property
    def repeats(self) -> bool:
        """Whether an event can come twice, the second time at its own position."""
        ...

    async def open(self, is_needed: IsNeeded) -> FeedPosition:
        """Start with the next event; return the position before it."""
        ...

    async def cover(self, topics: Collection[Topic]) -> None:
        """Receive the events of these topics from now on."""
        ...

    def covered_since(self, topics: Collection[Topic]) -> FeedPosition:
        """Return the position after which `next` has returned, or will return, all events of these topics."""
        ...

    async def missing(self, after: FeedPosition, topics: Collection[Topic]) -> set[Topic]:
        """Return the topics of which not all events after a position are kept."""
        ...

    def looks_back_to(self, member: TopicMembership) -> int | None:
        """Return the time from which on a new member may have missed events of the topic.

        None if the feed has one order for all rows, so that a membership comes before the events that it gives access
        to. Otherwise these may come first, and are then delivered after it.
        """
        ...

    def kept_since(self, at_ms: int, until: FeedPosition, topic: Topic) -> AsyncIterator[Page]:
        """Yield what is kept of a topic, from a time up to a position, in pages."""
        ...

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        """Wait for the next events, up to a limit of time. Without subscribers only the position moves."""
        ...

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        """Return a position as a cursor for clients; the time is now unless given."""
        ...

    def cursor_of(self, s: str) -> Cursor:
        """Parse a client's cursor; raises BadEventCursor."""
        ...

    def history(self, after: FeedPosition, until: FeedPosition, topics: Collection[Topic]) -> AsyncIterator[Page]:
        """Yield the events of these topics, and perhaps of others, between two positions, in pages.

        Raises Trimmed if they are no longer kept.
        """
        ...

    async def close(self) -> None: ...


class AllTopics:
    """What a feed does that receives the events of all topics."""

    async def cover(self, topics: Collection[Topic]) -> None:
        """Do nothing."""

    def covered_since(self, topics: Collection[Topic]) -> FeedPosition:
        return START

    async def missing(self, after: FeedPosition, topics: Collection[Topic]) -> set[Topic]:
        return set()

    def looks_back_to(self, member: TopicMembership) -> int | None:
        return None

    async def kept_since(self, at_ms: int, until: FeedPosition, topic: Topic) -> AsyncIterator[Page]:
        nothing: Sequence[Page] = ()
        for page in nothing:
            yield page
