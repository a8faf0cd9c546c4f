"""Repeated and late events: copies of those that the feed has returned before, and what comes after its deletion.

A copy is only for subscribers that were attached since the first delivery. It has the content of back then, which may
have been edited or deleted since, so that, as in a replay, the current content is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.live.events import Event
from sobremesa.live.feed import Entry, FeedPosition
from sobremesa.live.recent_events import RecentEvents
from sobremesa.live.replay import Replay
from sobremesa.live.subscriber_index import SubscriberIndex
from sobremesa.table.cache import Cache

CACHED_IDS = 50_000


class _First(NamedTuple):
    """The first delivery of an event."""

    after: int
    """How many events the hub had delivered by then."""
    position: FeedPosition


class Repeats:
    """Knows which events were delivered before, and what their copies show now."""

    def __init__(self, index: SubscriberIndex, recent: RecentEvents, replay: Replay, *, may_come: bool) -> None:
        self._index = index
        self._recent = recent
        self._replay = replay
        self._may_come = may_come
        self._first: Cache[str, _First] = Cache(CACHED_IDS)
        self._current: dict[str, Event | None] = {}
        """The current content of the copies that are about to be delivered, by id."""
        self._subjects: dict[str, set[str]] = {}
        """The ids of these copies, by subject."""

    def clear(self) -> None:
        """Forget everything: all subscribers are new, and receive the next delivery of each event."""
        self._first = Cache(CACHED_IDS)

    def note(self, entry: Entry) -> int | None:
        """Return the event count at the first delivery of an event that comes next; None if this is the first."""
        if not self._may_come:
            return None
        first = self._first.find(entry.id)
        if first is None:
            self._first.keep(entry.id, _First(self._recent.count + 1, entry.position))
            return None
        entry.first_position = first.position
        return first.after

    async def look_up(self, entries: Sequence[Entry]) -> None:
        """Look up what copies show now, and what comes after its deletion by this process."""
        outdated = self._outdated(entries)
        ids = {entry.id for entry in outdated}
        self._current = {id: event for id, event in self._current.items() if id in ids}
        self._subjects = {}
        for entry in outdated:
            if entry.event is not None:
                self._subjects.setdefault(entry.event.subject, set()).add(entry.id)
        missing = [entry for entry in outdated if entry.id not in self._current]
        if missing:
            for entry in missing:
                if entry.event is not None:
                    self._replay.invalidate(entry.event.subject)  # its reactions may be later than those of the first
            self._current |= dict.fromkeys(ids - self._current.keys())
            found = await self._replay.as_current(missing, is_recent=True)
            self._current |= {entry.id: entry.event for entry in found if entry.id in self._current}

    def are_known(self, entries: Sequence[Entry]) -> bool:
        """Return whether nothing must be looked up before these entries are delivered."""
        return all(entry.id in self._current for entry in self._outdated(entries))

    def invalidate(self, subject: str) -> None:
        """Forget what was looked up of a subject, which has changed."""
        for id in self._subjects.get(subject, ()):
            self._current.pop(id, None)

    def current(self, entry: Entry, *, is_first: bool) -> Event | None:
        """Return what an event shows now; None to leave it out."""
        if entry.id in self._current:
            return self._current[entry.id]
        if is_first:
            return entry.event
        # Otherwise no subscriber waits for it, or both are in one batch: who joined in between has looked back.
        return None if self._replay.must_look_up(entry, is_recent=True) else entry.event

    def _outdated(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the entries that have subscribers, and may show what is no longer there."""
        found: list[Entry] = []
        for entry in entries if self._may_come else ():
            if entry.event is None:
                continue
            first, topics = self._first.find(entry.id), entry.event.topics
            if first is None:
                is_late = self._recent.is_gone(entry.event.subject) and not entry.event.is_deletion
                if is_late and self._index.subscribers_to(topics):
                    found.append(entry)
                continue
            entry.first_position = first.position
            if self._replay.must_look_up(entry, is_recent=True) and any(
                each.has_subscribed_since(first.after, topics) for each in self._index.subscribers_to(topics)
            ):
                found.append(entry)
        return found
