"""Replay: what a listener has missed, as they may see it now.

Only topics of present memberships are replayed, each from the start of the membership on, and every event shows today's
content: one whose message was deleted since is left out, one that was edited or blocked shows what it shows now. What
is still in memory is known to be current unless a later event says otherwise; what comes from the feed's history is
looked up, many rows at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence, Set
from functools import partial
from typing import Protocol, TypeAlias

from sobremesa.core.errors import SobremesaError
from sobremesa.live.counts import FreshCounts
from sobremesa.live.events import Admission, Announcement, Topic, person
from sobremesa.live.feed import Cursor, Entry, Feed, Order
from sobremesa.live.kept import Kept
from sobremesa.live.listener import Listener, receives_all

PART = 256
PART_BYTES = 128 * 1024
"""How many missed events, and how much of them, a client has to read before it gets more."""
CAUGHT_UP = 32
"""Who missed no more than this is brought up to date in one go."""
DRAIN_SECONDS = 10.0
"""How long a client may take to read a part of what it missed."""
READ_AT_ONCE = 8
"""How many listeners read the feed's history at the same time."""
CACHED_SUBJECTS = 20_000
SEARCHED_PAGES = 8
"""In how much of the feed's history the start of a membership is looked for."""

Again: TypeAlias = Callable[[], Awaitable[Sequence[Admission]]]
"""Reads the memberships of a listener once more, consistently."""


Renewed: TypeAlias = Callable[[], Awaitable[None]]
"""Does so, and subscribes the listener to them."""


class TooSlow(SobremesaError):
    """The client does not read what it missed."""


class Present(Protocol):
    """Knows what events show now."""

    def is_volatile(self, said: Announcement) -> bool:
        """Can what an event shows change without a later event about it?"""
        ...

    async def current(self, said: Sequence[Announcement]) -> Sequence[Announcement | None]:
        """The same events as they would be told now; None for what is not shown any more."""
        ...


class Replay:
    """Brings listeners up to date."""

    def __init__(self, feed: Feed, kept: Kept, counts: FreshCounts, present: Present) -> None:
        self._feed = feed
        self._kept = kept
        self._counts = counts
        self._present = present
        self._turns = asyncio.Semaphore(READ_AT_ONCE)
        self._current: dict[str, dict[str, Announcement | None]] = {}
        """Events of the history as they are shown now, by subject and id; until something is told of the subject."""
        self._amendments = 0

    async def run(self, listener: Listener, after: Cursor, again: Again) -> Sequence[Entry] | Cursor:
        """Replay what a listener missed, up to the last few entries, which are the answer.

        If the listener wants no more before that, the answer is the place that was reached.
        """
        listener.before = await self._before_start(listener, after)
        place, renewed = after, partial(self._subscribe_again, listener, after, again)
        while True:
            order, floor = place.order or (), self._kept.floor
            if order < floor:
                place, wants_more = await self._from_history(listener, place, floor, renewed)
                if not wants_more:
                    return place
                continue
            missed = self._kept.since(order)
            if len(missed) <= CAUGHT_UP and not listener.is_stale and not self._waits(listener, missed):
                return missed
            part = next(_parts(missed), [])
            await self._part(listener, part, renewed, is_kept=True)
            if part:
                place = Cursor(part[-1].order, part[-1].at_ms)
                if not listener.wants_more():
                    return place

    def deliver(self, listener: Listener, entries: Sequence[Entry]) -> None:
        """Give a listener these entries of what it missed: those of its topics."""
        for entry in entries:
            said = entry.announcement
            if self._is_for(listener, entry):
                listener.pending.append(entry.full_frame if receives_all(listener, said) else entry.frame)
            listener.lost -= {topic for user_id, topic, _ in said.expels if user_id in (None, listener.user_id)}
            if said.ends and not {listener.user_id, listener.session_id}.isdisjoint(said.ends):
                listener.is_over = True
        if listener.pending:
            listener.flush()

    def amended(self, subject: str) -> None:
        """Something was told of a subject: what was known of it may not be true any more."""
        self._amendments += 1
        self._current.pop(subject, None)

    def forget(self) -> None:
        """Nobody listens, so nothing is told of what changes."""
        self._amendments += 1
        self._current.clear()

    # Inside

    async def _subscribe_again(self, listener: Listener, after: Cursor, again: Again) -> None:
        """Subscribe a listener to what it is in now."""
        listener.is_stale = False
        held = listener.subscriptions.keys()
        listener.subscribe(await again(), self._kept.count)
        listener.lost = (listener.lost | held) - listener.subscriptions.keys()
        listener.before = await self._before_start(listener, after)

    async def _before_start(self, listener: Listener, after: Cursor) -> Set[str]:
        """The ids of missed events from before the start of the membership that lets the listener receive them.

        It is looked for only where a membership may have begun after the place, and only in the first pages: what is
        further away is replayed, and is no more than what the reader finds in the room's history.
        """
        held = listener.subscriptions
        recent = {topic for topic, found in held.items() if found.starts_ms >= after.at_ms > 0}
        if not recent:
            return frozenset()
        entries = await self._first_pages(after.order or ())
        starts: dict[Topic, int] = {}
        seen: set[str] = set()
        for place, entry in enumerate(entries):
            said = entry.announcement
            if said.id not in seen and person(listener.user_id) in said.topics:
                admitted = (each.topic for each in said.admits if each.user_id == listener.user_id)
                starts.update((topic, place) for topic in admitted if topic in recent)
            seen.add(said.id)
        return {
            entry.announcement.id
            for place, entry in enumerate(entries)
            if all(starts.get(topic, -1) > place for topic in entry.announcement.topics if topic in held)
        }

    async def _first_pages(self, after: Order) -> list[Entry]:
        """The first of what was missed."""
        floor = self._kept.floor
        if after >= floor:
            return self._kept.since(after)
        entries: list[Entry] = []
        pages = self._feed.history(after, floor)
        for _ in range(SEARCHED_PAGES):
            async with self._turns:
                page = await anext(pages, None)
            if page is None:
                return entries + self._kept.since(floor)
            entries += page.entries
            await asyncio.sleep(0)
        return entries

    async def _from_history(
        self, listener: Listener, place: Cursor, until: Order, renewed: Renewed
    ) -> tuple[Cursor, bool]:
        """Replay from the feed's history; the place that was reached, and whether the listener wants more."""
        pages = self._feed.history(place.order or (), until)
        while True:
            async with self._turns:
                page = await anext(pages, None)
            if page is None:
                return Cursor(until, place.at_ms), True
            for part in _parts(page.entries):
                await self._part(listener, part, renewed, is_kept=False)
            place = Cursor(page.here, page.entries[-1].at_ms if page.entries else place.at_ms)
            if not listener.wants_more():
                return place, False
            await asyncio.sleep(0)

    async def _part(self, listener: Listener, entries: Sequence[Entry], renewed: Renewed, *, is_kept: bool) -> None:
        """Replay some entries, and wait until the client has taken them."""
        while True:
            if listener.is_stale:
                await renewed()
            shown = [entry for entry in entries if entry.announcement.ends or self._is_for(listener, entry)]
            shown = await self._as_now(shown, is_kept=is_kept)
            counted = await self._counts.looked_up(shown, listener.subscriptions, listener.user_id)
            if not listener.is_stale:
                break
        self.deliver(listener, counted)
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await listener.drained()
        except TimeoutError:
            raise TooSlow from None

    def _is_for(self, listener: Listener, entry: Entry) -> bool:
        """Is this an event of a topic of the listener, and not from before they were there?"""
        said = entry.announcement
        if not said.t:
            return False
        if any(user_id is None and topic in listener.lost for user_id, topic, _ in said.expels):
            return True
        held = listener.subscriptions
        for admission in said.admits:
            if admission.user_id == listener.user_id and admission.topic not in held:
                return False  # it shows a room in which they are no longer
        return said.id not in listener.before and any(topic in held for topic in said.topics)

    def _waits(self, listener: Listener, entries: Sequence[Entry]) -> bool:
        """Has something to be looked up before these entries can be delivered?"""
        if self._counts.lacks(entries, listener.subscriptions, listener.user_id):
            return True
        return any(self._is_asked(entry, is_kept=True) and self._is_for(listener, entry) for entry in entries)

    def _is_asked(self, entry: Entry, *, is_kept: bool) -> bool:
        """Has it to be looked up what an event shows now?"""
        said = entry.announcement
        if not said.subject:
            return False
        return not (is_kept and self._kept.is_current(entry)) or self._present.is_volatile(said)

    async def _as_now(self, entries: list[Entry], *, is_kept: bool) -> list[Entry]:
        """The entries with what they show now, without those that show nothing any more."""
        asked = [entry.announcement for entry in entries if self._is_asked(entry, is_kept=is_kept)]
        if not asked:
            return entries
        unknown = [said for said in asked if said.id not in self._current.get(said.subject, ())]
        amendments = self._amendments
        found = dict(zip((said.id for said in unknown), await self._present.current(unknown), strict=True))
        for said in asked:
            if said.id not in found:
                found[said.id] = self._current.get(said.subject, {}).get(said.id, said)
        if amendments == self._amendments:
            self._remember([said for said in unknown if not self._present.is_volatile(said)], found)
        now = [(entry, found.get(entry.announcement.id, entry.announcement)) for entry in entries]
        return [entry.showing(said) for entry, said in now if said is not None]

    def _remember(self, asked: Sequence[Announcement], found: dict[str, Announcement | None]) -> None:
        if len(self._current) > CACHED_SUBJECTS:
            self._current.clear()
        for said in asked:
            self._current.setdefault(said.subject, {})[said.id] = found[said.id]


def _parts(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """The entries in parts of a bounded size."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        part.append(entry)
        size += len(entry.announcement.d)
        if len(part) >= PART or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
