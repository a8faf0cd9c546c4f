"""Replay delivers the events that a subscriber has missed, as it may see them now.

Only topics of current memberships are replayed, each from the start of the membership, and every event shows the
current content: events of deleted messages are left out, edited or blocked messages are shown as they are now. Recent
events in memory are current unless a later event changed their subject; older ones, from the feed's history, are
looked up in batches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sobremesa.core.errors import SobremesaError
from sobremesa.live.current_content import CurrentContent, CurrentEvents
from sobremesa.live.events import Event, Topic, TopicMembership, channel_topic_of, server_of, user
from sobremesa.live.feed import START, Cursor, Entry, Feed, FeedPosition
from sobremesa.live.lazy_delivery import LazyDelivery
from sobremesa.live.look_back import LookedBack, happened_ms
from sobremesa.live.recent_events import RecentEvents
from sobremesa.live.recipient_payloads import RecipientPayloads
from sobremesa.live.subscriber import Subscriber, frame_for

PART = 256
PART_BYTES = 128 * 1024
"""How many missed events, and how many bytes, a client must read before it gets more."""
CAUGHT_UP = 32
"""At most this many missed events are delivered in one step."""
DRAIN_SECONDS = 10.0
"""How long a client may take to read one part of the missed events."""
READ_AT_ONCE = 8
"""How many subscribers read the feed's history at the same time."""
LOOKED_BACK = 1000
"""About how many events of a topic a new member gets at most of those that came before it joined."""
SEARCHED_PAGES = 8
"""In how many pages of the feed's history the start of a membership is searched."""

LoadMemberships: TypeAlias = Callable[[], Awaitable[Sequence[TopicMembership]]]
"""Reads the memberships of a subscriber again, consistently."""


Resubscribe: TypeAlias = Callable[[], Awaitable[None]]
"""Reads them again and subscribes the subscriber to them."""


class TooSlow(SobremesaError):
    """The client does not read the missed events."""


class Replay:
    """Brings subscribers up to date."""

    def __init__(
        self,
        feed: Feed,
        recent: RecentEvents,
        payloads: RecipientPayloads,
        lookup: CurrentEvents,
        lazy: LazyDelivery,
    ) -> None:
        self._feed = feed
        self._lazy = lazy
        self._recent = recent
        self._payloads = payloads
        self._lookup = lookup
        self._turns = asyncio.Semaphore(READ_AT_ONCE)
        self._content = CurrentContent(lookup)

    async def run(self, subscriber: Subscriber, after: Cursor, load: LoadMemberships) -> Sequence[Entry] | Cursor:
        """Replay what a subscriber missed; return the last few entries, which are not delivered yet.

        If the subscriber stops wanting more, return the cursor that it reached.
        """
        await self._feed.cover(subscriber.subscriptions)
        subscriber.before = await self._before_start(subscriber, after)
        cursor, resubscribe = after, partial(self._resubscribe, subscriber, after, load)
        await self._note_unreported(subscriber)
        while True:
            position, floor = cursor.position or START, self._floor(subscriber.subscriptions)
            subscriber.reached = position
            if position < floor:
                cursor, wants_more = await self._from_history(subscriber, cursor, floor, resubscribe)
                if not wants_more:
                    return cursor
                continue
            missed = self._recent.since(position)
            if len(missed) <= CAUGHT_UP and not subscriber.is_stale and not self._needs_lookup(subscriber, missed):
                return missed
            part = next(_parts(missed), [])
            await self._part(subscriber, part, resubscribe, is_recent=True)
            if part:
                cursor = Cursor(part[-1].position, part[-1].at_ms)
                if not subscriber.wants_more():
                    return cursor

    def deliver(self, subscriber: Subscriber, entries: Sequence[Entry]) -> None:
        """Deliver those of these missed entries that are for the subscriber."""
        own = (None, subscriber.user_id)
        for entry in entries:
            if self._is_for(subscriber, entry):
                subscriber.pending.append(frame_for(subscriber, entry))
            if entry.audience is not None:
                subscriber.lost -= {each.topic for each in entry.audience.removes if each.user_id in own}
                if not {subscriber.user_id, subscriber.session_id}.isdisjoint(entry.audience.ends):
                    subscriber.is_over = True
        if subscriber.pending:
            subscriber.flush()

    def finish(self, subscriber: Subscriber, entries: Sequence[Entry]) -> None:
        """Deliver the last missed entries, and inform the subscriber of those that it does not receive."""
        self._note_missed(subscriber, entries)
        self.deliver(subscriber, entries)
        self._lazy.report_missed(subscriber)

    def _note_missed(self, subscriber: Subscriber, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.event is not None and self._may_see(subscriber, entry):
                self._lazy.note_missed(subscriber, entry.event)

    async def _note_unreported(self, subscriber: Subscriber) -> None:
        """Note what happened before a client was cut that it may not have been informed of."""
        if subscriber.last_received == START:
            return
        unreported = self._lazy.unreported(subscriber.last_received)
        if unreported is None:
            return
        for entry in await self._first_pages(unreported.after, unreported.topics):
            is_before = entry.position <= subscriber.last_received
            if is_before and entry.event is not None and self._may_see(subscriber, entry):
                self._lazy.note_unreported(subscriber, unreported, entry.event)

    def invalidate(self, subject: str) -> None:
        """Forget the cached content of a subject, which has changed."""
        self._content.invalidate(subject)

    def clear(self) -> None:
        """Forget everything: without subscribers, changes are not reported."""
        self._content.clear()

    # Inside

    def _floor(self, topics: Collection[Topic]) -> FeedPosition:
        """Return the position after which everything of these topics is in memory."""
        return max(self._recent.floor, self._feed.covered_since(topics))

    async def _resubscribe(self, subscriber: Subscriber, after: Cursor, load: LoadMemberships) -> None:
        """Subscribe a subscriber to its current memberships."""
        subscriber.is_stale = False
        held = subscriber.subscriptions.keys()
        subscriber.subscribe(await load(), self._recent.count, subscriber.subscriptions)
        await self._feed.cover(subscriber.subscriptions)
        subscriber.lost = (subscriber.lost | held) - subscriber.subscriptions.keys()
        subscriber.before = await self._before_start(subscriber, after)
        for topic in subscriber.subscriptions.keys() - held:
            member = subscriber.membership_in(topic)
            missed = self.missed_by(subscriber, member, await self.look_back([member]))
            self.deliver(subscriber, [entry for entry in missed if entry.position <= subscriber.reached])

    def has_in_memory(self, topics: Collection[Topic], after: FeedPosition) -> bool:
        """Return whether everything of these topics after a position is in memory."""
        return after >= self._floor(topics)

    # New members

    async def look_back(self, members: Iterable[TopicMembership], coming: Sequence[Entry] = ()) -> LookedBack:
        """Return what new members may have missed of their topics; `coming` is delivered before they join."""
        starts: dict[Topic, int] = {}
        for member in members:
            since_ms = self._feed.looks_back_to(member)
            if since_ms is not None:
                starts[member.topic] = min(since_ms, starts.get(member.topic, since_ms))
        changed = await self._changed_since(starts, coming) if starts else {}
        kept = {topic: await self._kept_since(topic, since_ms) for topic, since_ms in starts.items()}
        return LookedBack(kept, changed)

    async def _changed_since(self, starts: Mapping[Topic, int], coming: Sequence[Entry]) -> dict[str, Event | None]:
        """Return the events in memory, and those to come, that show something else now.

        A new member may have received a later event about the same subject before, and would drop that one.
        """
        superseded = {entry.event.subject for entry in coming if entry.event is not None and entry.event.supersedes}
        for subject in superseded:
            self.invalidate(subject)
        asked = {
            entry.id: entry.event
            for entry in (*self._recent.since_ms(min(starts.values())), *coming)
            if entry.event is not None
            and not starts.keys().isdisjoint(entry.event.topics)
            and (entry.event.subject in superseded or self.must_look_up(entry, is_recent=True))
        }
        return await self._content.find(asked) if asked else {}

    async def _kept_since(self, topic: Topic, since_ms: int) -> list[Entry]:
        entries: list[Entry] = []
        async for page in self._feed.kept_since(since_ms, self._floor([topic]), topic):
            entries += page.entries
            if len(entries) >= LOOKED_BACK:
                break
        return await self.as_current(entries, is_recent=False)

    def missed_by(self, subscriber: Subscriber, member: TopicMembership, looked_back: LookedBack) -> list[Entry]:
        """Return the events that a new member of a topic did not receive, although they came after it joined."""
        since_ms = self._feed.looks_back_to(member)
        if since_ms is None:
            return []
        found = [*looked_back.kept.get(member.topic, ()), *self._recent.since_ms(since_ms)]
        others = subscriber.subscriptions.keys() - {member.topic}
        return [
            entry.with_event(shown)
            for entry in {entry.id: entry for entry in found}.values()
            if entry.event is not None
            and member.topic in entry.event.topics
            and others.isdisjoint(entry.event.topics)
            and not entry.event.is_reference
            and happened_ms(entry) >= since_ms
            and self._may_see(subscriber, entry)
            and (shown := looked_back.changed.get(entry.id, entry.event)) is not None
            and (shown.is_deletion or not self._recent.is_gone(shown.subject))
        ]

    async def _before_start(self, subscriber: Subscriber, after: Cursor) -> Mapping[str, FeedPosition]:
        """Return the ids of missed events from before the start of the membership that gives access.

        Each has the last position at which it was found: a message may overtake the stream, and with it the join of
        its reader, and is then repeated where it belongs. Only searched where a membership may have started after the
        cursor, and only in the first pages: what is further away is replayed, and is no more than what the reader finds
        in the room's history.
        """
        held = subscriber.subscriptions
        recent = {topic for topic, found in held.items() if found.starts_ms >= after.at_ms > 0}
        if not recent:
            return {}
        starts: dict[Topic, int] = {}
        last: dict[str, tuple[int, Entry]] = {}
        for index, entry in enumerate(await self._first_pages(after.position or START, held)):
            last[entry.id] = (index, entry)
            event, change = entry.event, entry.audience
            if change is not None and event is not None and user(subscriber.user_id) in event.topics:
                joined = (each.topic for each in change.adds if each.user_id == subscriber.user_id)
                starts.update((topic, index) for topic in joined if topic in recent and server_of(topic) is None)
        return {
            id: entry.position
            for id, (index, entry) in last.items()
            if entry.event is not None
            and not self._came_late(subscriber, entry)
            # A membership in a channel starts with that in its server: a channel that an access list or a role shows
            # later shows its history as well.
            and all(starts.get(server_of(topic) or topic, -1) > index for topic in entry.event.topics if topic in held)
        }

    def _came_late(self, subscriber: Subscriber, entry: Entry) -> bool:
        """Return whether an event came before the membership that gives access to it, but happened after it."""
        topics = () if entry.event is None else entry.event.topics
        for topic in topics:
            root = server_of(topic) or topic
            if root in subscriber.subscriptions:
                since_ms = self._feed.looks_back_to(subscriber.membership_in(root))
                if since_ms is not None and happened_ms(entry) >= since_ms:
                    return True
        return False

    async def _first_pages(self, after: FeedPosition, topics: Collection[Topic]) -> list[Entry]:
        """Return the first missed entries."""
        floor = self._floor(topics)
        if after >= floor:
            return self._recent.since(after)
        entries: list[Entry] = []
        pages = self._feed.history(after, floor, topics)
        for _ in range(SEARCHED_PAGES):
            async with self._turns:
                page = await anext(pages, None)
            if page is None:
                return entries + self._recent.since(floor)
            entries += page.entries
            await asyncio.sleep(0)
        return entries

    async def _from_history(
        self, subscriber: Subscriber, cursor: Cursor, until: FeedPosition, resubscribe: Resubscribe
    ) -> tuple[Cursor, bool]:
        """Replay from the feed's history; return the cursor reached, and whether the subscriber wants more."""
        pages = self._feed.history(cursor.position or START, until, list(subscriber.subscriptions))
        while True:
            async with self._turns:
                page = await anext(pages, None)
            if page is None:
                return Cursor(until, cursor.at_ms), True
            for part in _parts(page.entries):
                await self._part(subscriber, part, resubscribe, is_recent=False)
            cursor = Cursor(page.position, page.entries[-1].at_ms if page.entries else cursor.at_ms)
            if not subscriber.wants_more():
                return cursor, False
            await asyncio.sleep(0)

    async def _part(
        self, subscriber: Subscriber, entries: Sequence[Entry], resubscribe: Resubscribe, *, is_recent: bool
    ) -> None:
        """Replay some entries, and wait until the client has read them."""
        while True:
            if subscriber.is_stale:
                await resubscribe()
            shown = [entry for entry in entries if _ends_sockets(entry) or self._is_for(subscriber, entry)]
            shown = await self.as_current(shown, is_recent=is_recent)
            resolved = await self._payloads.resolve_all(shown, subscriber.subscriptions, subscriber.user_id)
            if not subscriber.is_stale:
                break
        self._note_missed(subscriber, entries)
        self.deliver(subscriber, resolved)
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await subscriber.drained()
        except TimeoutError:
            raise TooSlow from None

    def _is_for(self, subscriber: Subscriber, entry: Entry) -> bool:
        """Return whether a subscriber receives an event that it may see, and is not only informed of it."""
        event = entry.event
        return event is not None and self._may_see(subscriber, entry) and not self._lazy.holds_back(subscriber, event)

    def _may_see(self, subscriber: Subscriber, entry: Entry) -> bool:
        """Return whether an event is of a topic of the subscriber, and not from before its membership."""
        event, change = entry.event, entry.audience
        if event is None:
            return False
        held = subscriber.subscriptions
        if change is not None:
            if any(topic in subscriber.lost for topic in change.ended_topics):
                return True
            own = [each for each in change.adds if each.user_id == subscriber.user_id]
            if own and not subscriber.holds_one_of(own):
                return False  # it shows a room that they have left, even if they have joined again
            if subscriber.has_returned_since(change.removes):
                return False
        if event.without:
            if not subscriber.is_addressed(event):
                return False
        elif subscriber.hidden and channel_topic_of(event) in subscriber.hidden:
            return False  # it is from before the channel became private
        is_from_before = entry.position <= subscriber.before.get(entry.id, START)
        return not is_from_before and any(topic in held for topic in event.topics)

    def _needs_lookup(self, subscriber: Subscriber, entries: Sequence[Entry]) -> bool:
        """Return whether something must be looked up before these entries can be delivered."""
        if self._payloads.are_missing(entries, subscriber.subscriptions, subscriber.user_id):
            return True
        return any(self.must_look_up(entry, is_recent=True) and self._is_for(subscriber, entry) for entry in entries)

    def must_look_up(self, entry: Entry, *, is_recent: bool) -> bool:
        """Return whether the current content of an event must be looked up."""
        event = entry.event
        if event is None or not event.subject:
            return False
        is_current = is_recent and self._recent.is_current(event, entry.first_position)
        return not is_current or self._lookup.is_volatile(event)

    async def as_current(self, entries: list[Entry], *, is_recent: bool) -> list[Entry]:
        """Return the entries with their current content, without those that are no longer visible."""
        asked = {
            entry.id: entry.event
            for entry in entries
            if entry.event is not None and self.must_look_up(entry, is_recent=is_recent)
        }
        if not asked:
            return entries
        found = await self._content.find(asked)
        now = [(entry, found.get(entry.id, entry.event)) for entry in entries]
        return [entry.with_event(event) for entry, event in now if event is not None or entry.event is None]


def _ends_sockets(entry: Entry) -> bool:
    return entry.audience is not None and bool(entry.audience.ends)


def _parts(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Split entries into parts of a bounded size."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        part.append(entry)
        size += entry.size
        if len(part) >= PART or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
