"""Recent events, kept in memory for subscribers that connect or resume."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque

from sobremesa.live.events import Event
from sobremesa.live.feed import START, Entry, FeedPosition

MAX_ENTRIES = 8192
MAX_BYTES = 16 * 1024 * 1024
"""How many events are kept, and how many bytes they may take."""
MAX_PENDING = 10_000


class RecentEvents:
    """The most recent events, without a gap."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self._last_of: dict[str, FeedPosition] = {}
        """The position of the last kept event that changed what is shown of each subject."""
        self._pending: dict[str, bool] = {}
        """Subjects that this process has changed, before the feed reported it, and whether they are gone."""
        self.floor = START
        """Everything after this position is kept."""
        self.position = START
        """The position up to which everything was delivered."""
        self.count = 0

    def reset(self, position: FeedPosition) -> None:
        """Drop everything, and keep what comes after this position."""
        self._entries.clear()
        self._last_of.clear()
        self._bytes = 0
        self.floor = self.position = position

    def advance(self, position: FeedPosition) -> None:
        """Move to a position up to which there are no more events."""
        self.position = position

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._bytes += entry.weight
        event = entry.event
        if event is not None and event.supersedes and entry.first_position == entry.position:  # a copy changes nothing
            self._last_of[event.subject] = entry.position
            if not (self.is_gone(event.subject) and not event.is_deletion):
                self._pending.pop(event.subject, None)
        while len(self._entries) > MAX_ENTRIES or self._bytes > MAX_BYTES:
            oldest = self._entries.popleft()
            self._bytes -= oldest.weight
            self.floor = oldest.position
            if oldest.event is not None and self._last_of.get(oldest.event.subject) == oldest.position:
                del self._last_of[oldest.event.subject]
        self.position = entry.position
        self.count += 1

    def since(self, after: FeedPosition) -> list[Entry]:
        """Return the kept entries after a position."""
        if not self._entries or after >= self.position:
            return []
        start = bisect_right(self._entries, after, key=lambda entry: entry.position)
        return [self._entries[index] for index in range(start, len(self._entries))]

    def since_ms(self, at_ms: int) -> list[Entry]:
        """Return the kept entries that were published since a time."""
        start = bisect_left(self._entries, at_ms, key=lambda entry: entry.at_ms)
        return [self._entries[index] for index in range(start, len(self._entries))]

    def mark_changed(self, subject: str, *, is_gone: bool) -> None:
        """Note that this process has changed what is shown of a subject."""
        self._pending[subject] = is_gone or self.is_gone(subject)
        while len(self._pending) > MAX_PENDING:
            del self._pending[next(iter(self._pending))]

    def is_gone(self, subject: str) -> bool:
        """Return whether this process has deleted a subject, and the feed has not reported that yet."""
        return self._pending.get(subject, False)

    def is_current(self, event: Event, position: FeedPosition) -> bool:
        """Return whether no change after a position affects what an event from there shows.

        A creation that comes after a change is a copy whose first delivery is unknown, such as after a restart.
        """
        changed_at = self._last_of.get(event.subject)
        is_known = position > self.floor and event.subject not in self._pending
        return is_known and (changed_at is None or (changed_at <= position and not event.t.endswith(".created")))
