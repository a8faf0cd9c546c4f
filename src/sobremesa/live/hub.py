"""The hub: who subscribes to what; it delivers every announcement to its subscribers, in the order of the feed.

Nobody is ever waited for: an announcement is put into the buffers of all who hear it, and each buffer is handed on at
the end of a batch, in one piece. The last announcements are kept, so that a listener who comes in, or comes back, gets
what they missed (`replay`) and then what comes next, with nothing in between.

Who receives the events of a topic follows the memberships as they are now. A change of a membership in the feed, which
may come late or twice, is only a reason to read that membership again, consistently, before the batch is delivered.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

import structlog

from sobremesa.core.actor import UserId
from sobremesa.live.counts import BroadcastCounts, FreshCounts, is_broadcast
from sobremesa.live.events import Admission, Announcement, Expulsion, Seat, Topic
from sobremesa.live.feed import Cursor, Entry, Feed, Heard
from sobremesa.live.frames import event_payload, text_frame
from sobremesa.live.kept import Kept
from sobremesa.live.listener import Listener, Subscription, receives_all
from sobremesa.live.replay import Again, Present, Replay
from sobremesa.table.cache import Cache

REMEMBERED_IDS = 50_000
PAUSE_SECONDS = 1.0
AT_ONCE = 500
"""To how many listeners something is handed before others get a turn."""

Memberships: TypeAlias = Callable[[Collection[Seat]], Awaitable[Mapping[Seat, Admission]]]
"""The memberships that there are now at these seats, read consistently."""

_log = structlog.get_logger("sobremesa.live")


class Hub:
    """All listeners of one process."""

    def __init__(self, feed: Feed, counts: FreshCounts, memberships: Memberships, present: Present) -> None:
        self._feed = feed
        self._counts = counts
        self._memberships = memberships
        self._listeners: dict[Topic, set[Listener]] = defaultdict(set)
        self._of_subject: dict[str, set[Listener]] = defaultdict(set)
        self._arriving: list[Listener] = []
        self._kept = Kept()
        self._replay = Replay(feed, self._kept, counts, present)
        self._broadcast = BroadcastCounts(counts, self._users_in, self._tell_user)
        self._told: Cache[str, int] = Cache(REMEMBERED_IDS)
        """When each was told first."""
        self._untaken: Heard | None = None
        """What the feed has told and is not delivered yet: if that fails, it is tried again."""
        self._unsubscribed_early: dict[Topic, set[Listener]] = defaultdict(set)
        """Listeners whose membership was found to be over before the feed said why: if the topic ended, they receive
        that event as well."""
        self._removals = 0
        """How many memberships this process has ended."""
        self.delivered = 0

    # Running

    async def open(self) -> None:
        """Begin to follow the feed."""
        self._kept.begin(await self._feed.open())

    async def run(self) -> None:
        """Deliver what the feed tells, until cancelled."""
        while True:
            try:
                await self.step()
            except Exception as error:
                _log.warning("the feed of events is interrupted", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> None:
        """Wait for what comes next, and deliver it."""
        if self._untaken is None:
            self._untaken = await self._feed.next(self.is_heard)
        entries, here, was_heard = self._untaken
        entries, members = await self._looked_up(entries)
        # From here on nothing waits, so that what was read is still true.
        touched = self._take(entries, members)
        self._untaken = None
        self._kept.move(here)
        if not was_heard:
            self._kept.begin(here)  # whoever comes in meanwhile asks the feed for what is not kept
            self._replay.forget()
        await self._flush(touched)

    def position(self) -> str:
        """The place up to which everything was delivered, as clients keep it."""
        return self._feed.s_of(self._kept.here)

    # Listening

    async def attach(
        self, listener: Listener, admissions: Iterable[Admission], after: Cursor, again: Again
    ) -> Cursor | None:
        """Subscribe a listener from a place on: first what they missed, then what comes.

        The listener must be `arriving` since before its memberships were read; `again` reads them again where they
        have changed since. Trimmed if what was missed is not kept any more, TooSlow if it is not taken. A listener that
        wants no more before it has everything is not attached: the answer is the place that it has come to.
        """
        listener.subscribe(admissions, self._kept.count)
        missed = await self._replay.run(listener, after, again)
        if isinstance(missed, Cursor):
            return missed
        # From here on nothing waits, so that nothing can come in between.
        self._replay.deliver(listener, missed)
        if listener.is_over:
            listener.end()
            return None
        for topic in listener.subscriptions:
            self._listeners[topic].add(listener)
        for topic in listener.lost:
            self._unsubscribed_early[topic].add(listener)
        for subject in (listener.user_id, listener.session_id):
            if subject is not None:
                self._of_subject[subject].add(listener)
        return None

    def leave(self, listener: Listener) -> None:
        """Nobody listens here any more."""
        for topic in listener.subscriptions:
            self._discard(topic, listener)
        for topic in list(self._unsubscribed_early):
            self._settle_early(topic, listener)
        listener.subscriptions = {}
        listener.pending = []
        for subject in (listener.user_id, listener.session_id):
            listeners = self._of_subject.get(subject or "")
            if listeners is not None:
                listeners.discard(listener)
                if not listeners:
                    del self._of_subject[subject or ""]

    def listeners_of(self, user_id: UserId) -> int:
        """How many listeners a person has here."""
        return len(self._of_subject.get(user_id, ()))

    def arriving_of(self, user_id: UserId) -> int:
        """How many listeners of a user are being brought up to date."""
        return sum(listener.user_id == user_id for listener in self._arriving)

    def _users_in(self, topic: Topic) -> set[UserId]:
        return {listener.user_id for listener in self._listeners.get(topic, ())}

    def people_in(self, topic: Topic, at_most: int) -> set[UserId]:
        """Who listens to a topic here; nobody, where that are too many."""
        listeners = self._listeners.get(topic, ())
        return {listener.user_id for listener in listeners} if len(listeners) <= at_most else set()

    def topics_of(self, user_id: UserId) -> set[Topic]:
        """What a person listens to here."""
        return {topic for listener in self._of_subject.get(user_id, ()) for topic in listener.subscriptions}

    def audience(self) -> Counter[UserId]:
        """Who listens here, and by how many listeners."""
        listeners = set[Listener]().union(*self._of_subject.values())
        return Counter(listener.user_id for listener in listeners)

    def is_heard(self) -> bool:
        """Does anybody listen, or is about to?"""
        return bool(self._of_subject or self._arriving)

    @asynccontextmanager
    async def arriving(self, listener: Listener) -> AsyncIterator[None]:
        """A listener is about to be attached: from here on everything is kept for it, and its memberships watched."""
        self._arriving.append(listener)
        try:
            yield
        finally:
            self._arriving.remove(listener)

    # Telling

    def tell(self, announcement: Announcement) -> None:
        """Hand out what has no place in the order, typing and presence, to all but the one it is about."""
        frame = text_frame(event_payload(announcement.t, announcement.d))
        topics = announcement.topics
        if announcement.crowd:
            topics = tuple(topic for topic in topics if len(self._listeners.get(topic, ())) <= announcement.crowd)
        for listener in self._hearing(topics):
            if listener.user_id != announcement.author:
                listener.pending.append(frame)
                listener.flush()

    def _tell_user(self, user_id: UserId, said: Announcement) -> None:
        """Deliver what is a user's own, after all that was delivered before."""
        frame = text_frame(event_payload(said.t, said.d, self.position(), said.id))
        for listener in self._of_subject.get(user_id, ()):
            listener.pending.append(frame)
            listener.flush()

    def send_out(self, seats: Sequence[Seat]) -> None:
        """This process has ended these memberships: they receive nothing more, before the feed says so."""
        for seat in seats:
            self._removals += 1
            self._mark_stale(seat.user_id)
            self._unsubscribe(seat)

    def amended(self, subject: str) -> None:
        """This process has changed what is shown of a subject: it is replayed as it is, before the feed says so."""
        self._kept.amend(subject)
        self._replay.amended(subject)

    def end(self, subjects: Iterable[str]) -> None:
        """End the listeners of these sessions or people."""
        for subject in subjects:
            for listener in list(self._of_subject.get(subject, ())):
                self.leave(listener)
                listener.end()

    # Inside

    async def _looked_up(self, entries: Sequence[Entry]) -> tuple[Sequence[Entry], Mapping[Seat, Admission]]:
        """The entries with what is a reader's own, and the memberships that they change, as those are now.

        Again, if somebody came in meanwhile, or a membership was ended here.
        """
        while True:
            seats, removals = self._seats_changed(entries), self._removals
            members = await self._memberships(seats) if seats else {}
            entries = await self._counts.looked_up(entries, self._listeners)
            is_settled = removals == self._removals and self._seats_changed(entries) <= seats
            if is_settled and not self._counts.lacks(entries, self._listeners):
                return entries, {seat: member for seat in seats if (member := members.get(seat)) is not None}

    def _seats_changed(self, entries: Sequence[Entry]) -> set[Seat]:
        """The seats of users who listen here, of which these entries say something."""
        return {seat for entry in entries for seat in entry.announcement.seats if seat.user_id in self._of_subject}

    def _take(self, entries: Sequence[Entry], members: Mapping[Seat, Admission]) -> list[Listener]:
        """Put announcements into the buffers of those who hear them; whose buffers have something now."""
        touched: dict[Listener, None] = {}
        for entry in entries:
            self._kept.keep(entry)
            said = entry.announcement
            if said.amends:
                self._replay.amended(said.subject)
            first = self._first_told(entry)
            for admission in said.admits if first is None else ():
                self._mark_stale(admission.user_id)
                self._subscribe(members.get(Seat(admission.user_id, admission.topic)))
            if is_broadcast(said):
                self._broadcast.begin(said)
            elif said.t:
                self._put(entry, first, touched)
            for expulsion in said.expels if first is None else ():
                self._expel(expulsion)
            self.end(said.ends if first is None else ())
        for seat in self._seats_changed(entries):
            # Whatever was told of it, and in which order: this is how it is.
            member = members.get(seat)
            self._subscribe(member) if member is not None else self._unsubscribe_early(seat)
        return list(touched)

    def _first_told(self, entry: Entry) -> int | None:
        """If this was told before, when that was. Subscriptions change by the first time only."""
        if not self._feed.repeats:
            return None
        first = self._told.find(entry.announcement.id)
        if first is None:
            self._told.keep(entry.announcement.id, self._kept.count)
        return first

    def _put(self, entry: Entry, first: int | None, touched: dict[Listener, None]) -> None:
        said = entry.announcement
        hearing = self._hearing(said.topics)
        if first is None:
            ended = [topic for user_id, topic, _ in said.expels if user_id is None]
            if ended:
                hearing = set(hearing).union(*(self._unsubscribed_early.pop(topic, ()) for topic in ended))
        else:
            # The second time it is for those only who have come since the first.
            hearing = [each for each in hearing if each.has_come_since(first, said.topics)]
        if not hearing:
            return
        frame = entry.frame
        if said.full is not None:
            for listener in hearing:
                listener.pending.append(entry.full_frame if receives_all(listener, said) else frame)
        else:
            for listener in hearing:
                listener.pending.append(frame)
        touched.update(dict.fromkeys(hearing))
        self.delivered += len(hearing)

    def _hearing(self, topics: Sequence[Topic]) -> Collection[Listener]:
        found = [listeners for topic in topics if (listeners := self._listeners.get(topic)) is not None]
        if len(found) == 1:
            return found[0]
        return set[Listener]().union(*found) if found else ()

    async def _flush(self, touched: Sequence[Listener]) -> None:
        for number, listener in enumerate(touched, 1):
            if listener.pending:
                listener.flush()
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _mark_stale(self, user_id: UserId | None) -> None:
        """What was read of the memberships of listeners on their way in is not sure any more."""
        for listener in self._arriving:
            if user_id is None or listener.user_id == user_id:
                listener.is_stale = True

    def _subscribe(self, member: Admission | None) -> None:
        if member is None:
            return
        for listener in self._of_subject.get(member.user_id, ()):
            known = listener.subscriptions.get(member.topic)
            since = self._kept.count if known is None else known.after
            listener.subscriptions[member.topic] = Subscription.by(member, since)
            self._listeners[member.topic].add(listener)
            self._settle_early(member.topic, listener)

    def _expel(self, expulsion: Expulsion) -> None:
        """End the subscriptions by the membership that is over; not those by a later one."""
        user_id, topic, since = expulsion
        self._mark_stale(user_id)
        listeners = self._listeners.get(topic, ()) if user_id is None else self._of_subject.get(user_id, ())
        for listener in list(listeners):
            self._settle_early(topic, listener)
            held = listener.subscriptions.get(topic)
            if held is not None and not (since and held.since and since != held.since):
                self._drop(topic, listener)

    def _unsubscribe(self, seat: Seat) -> None:
        for listener in list(self._of_subject.get(seat.user_id, ())):
            if seat.topic in listener.subscriptions:
                self._drop(seat.topic, listener)

    def _unsubscribe_early(self, seat: Seat) -> None:
        for listener in list(self._of_subject.get(seat.user_id, ())):
            if seat.topic in listener.subscriptions:
                self._drop(seat.topic, listener)
                self._unsubscribed_early[seat.topic].add(listener)

    def _settle_early(self, topic: Topic, listener: Listener) -> None:
        """The feed has said what became of this membership, or the listener has left."""
        listeners = self._unsubscribed_early.get(topic)
        if listeners is not None:
            listeners.discard(listener)
            if not listeners:
                del self._unsubscribed_early[topic]

    def _drop(self, topic: Topic, listener: Listener) -> None:
        if listener.pending:
            listener.flush()  # what came before is heard, and nothing after
        del listener.subscriptions[topic]
        self._discard(topic, listener)

    def _discard(self, topic: Topic, listener: Listener) -> None:
        listeners = self._listeners.get(topic)
        if listeners is not None:
            listeners.discard(listener)
            if not listeners:
                del self._listeners[topic]
