"""The hub: who listens to what; it hands every announcement to those listeners, in the order of the feed.

Nobody is ever waited for: an announcement is put into the buffers of all who hear it, and each buffer is handed on at
the end of a batch, in one piece. The last announcements are kept, so that somebody who comes in, or comes back, gets
what they missed and then what comes next, with nothing in between.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeAlias

import msgspec
import structlog

from sobremesa.live.barred import Barred
from sobremesa.live.events import Admission, Announcement, Expulsion, Topic, person_of
from sobremesa.live.feed import Entry, Feed, Order
from sobremesa.live.frames import event_payload, text_frame
from sobremesa.memory import Memory
from sobremesa.people import Tenant, UserId

KEPT_ENTRIES = 8192
KEPT_BYTES = 16 * 1024 * 1024
"""How many of the last announcements are kept in memory, and how much they may weigh."""
REMEMBERED_IDS = 50_000
PAUSE_SECONDS = 1.0
AT_ONCE = 500
"""To how many listeners something is handed before others get a turn."""
CAUGHT_UP = 32
"""Whoever missed no more than this is brought up to date in one go."""

Fresh: TypeAlias = Callable[[Tenant, UserId, str], Awaitable[bytes]]
"""What a person has in an inbox of their tenant now, as JSON."""

_log = structlog.get_logger("sobremesa.live")


class Ear(NamedTuple):
    """How somebody listens to a topic: do they hear what is withheld; and since when do they listen."""

    moderates: bool
    since: int


class Listener:
    """Somebody who listens: a socket, or a request that waits for events."""

    __slots__ = ("ears", "is_over", "pending", "session_id", "tenant", "user_id")

    def __init__(self) -> None:
        self.user_id = UserId("")
        self.tenant = Tenant("")
        self.session_id: str | None = None
        self.ears: dict[Topic, Ear] = {}
        self.pending: list[bytes] = []
        self.is_over = False
        """Has the session ended while what was missed was told?"""

    def flush(self) -> None:
        """Hand on what is pending."""
        raise NotImplementedError

    async def drained(self) -> None:
        """Wait until there is room for more."""

    def end(self) -> None:
        """The session is over: nothing more is to be heard."""
        raise NotImplementedError


class Hub:
    """All listeners of one process."""

    def __init__(self, feed: Feed, fresh: Fresh) -> None:
        self._feed = feed
        self._fresh = fresh
        self._listeners: dict[Topic, set[Listener]] = defaultdict(set)
        self._of_subject: dict[str, set[Listener]] = defaultdict(set)
        self._kept: deque[Entry] = deque()
        self._kept_bytes = 0
        self._floor: Order = ()
        """Everything after this place is kept."""
        self._here: Order = ()
        """The place of the last announcement that was handed out."""
        self._told: Memory[str, tuple[int, Order]] = Memory(REMEMBERED_IDS)
        """When and where each was told first."""
        self._count = 0
        self._arriving = 0
        self._barred = Barred(tells_others=feed.repeats)
        self.delivered = 0

    # Running

    async def open(self) -> None:
        """Begin to follow the feed."""
        self._here = self._floor = await self._feed.open()

    async def run(self) -> None:
        """Hand out what the feed tells, until cancelled."""
        while True:
            try:
                await self.step()
            except Exception as error:
                _log.warning("the feed of events is interrupted", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> None:
        """Wait for what comes next, and hand it out."""
        entries, here, was_heard = await self._feed.next(self.is_heard)
        while self._is_unasked(entries):  # again, if somebody came in meanwhile
            entries = [await self._asked(entry) for entry in entries]
        touched = self._take(entries)
        self._here = here
        if not was_heard:
            self._kept.clear()
            self._kept_bytes = 0
            self._floor = here  # whoever comes in meanwhile asks the feed for what is not kept
        await self._flush(touched)

    def position(self) -> str:
        """The place up to which everything was handed out, as clients keep it."""
        return self._feed.s_of(self._here)

    # Listening

    async def attach(self, listener: Listener, admissions: Iterable[Admission], after: Order) -> None:
        """Let somebody listen from a place on: first what they missed, then what comes.

        Trimmed if what they missed is not kept any more.
        """
        topics = {admission.topic: admission for admission in admissions}
        for topic, admission in topics.items():
            listener.ears[topic] = Ear(admission.moderates, self._count)
        while True:
            if after < (floor := self._floor):
                async for entries in self._feed.history(after, floor):
                    await self._tell_again(listener, entries)
                after = floor
                continue
            missed = self._since(after)
            if len(missed) <= CAUGHT_UP and not any(_is_own(listener, entry) for entry in missed):
                break
            some = missed[:CAUGHT_UP]
            await self._tell_again(listener, some)
            after = some[-1].order
        # From here on nothing waits, so that nothing can come in between.
        self._repeat(listener, missed)
        if listener.is_over:
            listener.end()
            return
        for topic in [topic for topic in listener.ears if self._is_barred(listener.user_id, topic)]:
            del listener.ears[topic]
        for topic in listener.ears:
            self._listeners[topic].add(listener)
        for subject in (listener.user_id, listener.session_id):
            if subject is not None:
                self._of_subject[subject].add(listener)

    def leave(self, listener: Listener) -> None:
        """Nobody listens here any more."""
        for topic in listener.ears:
            self._discard(topic, listener)
        listener.ears = {}
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

    def people_in(self, topic: Topic, at_most: int) -> set[UserId]:
        """Who listens to a topic here; nobody, where that are too many."""
        listeners = self._listeners.get(topic, ())
        return {listener.user_id for listener in listeners} if len(listeners) <= at_most else set()

    def topics_of(self, user_id: UserId) -> set[Topic]:
        """What a person listens to here."""
        return {topic for listener in self._of_subject.get(user_id, ()) for topic in listener.ears}

    def audience(self) -> Counter[UserId]:
        """Who listens here, and by how many listeners."""
        listeners = set[Listener]().union(*self._of_subject.values())
        return Counter(listener.user_id for listener in listeners)

    def is_heard(self) -> bool:
        """Does anybody listen, or is about to?"""
        return bool(self._of_subject) or self._arriving > 0

    @asynccontextmanager
    async def arriving(self) -> AsyncIterator[None]:
        """Somebody is about to listen: from here on everything is kept for them."""
        self._arriving += 1
        try:
            yield
        finally:
            self._arriving -= 1

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

    def send_out(self, expulsions: Sequence[Expulsion]) -> None:
        """From now on these people do not listen, before the feed says so."""
        for expulsion in expulsions:
            self._barred.bar(expulsion)
            self._expel(expulsion)

    def end(self, subjects: Iterable[str]) -> None:
        """End the listeners of these sessions or people."""
        for subject in subjects:
            for listener in list(self._of_subject.get(subject, ())):
                self.leave(listener)
                listener.end()

    # Inside

    def _take(self, entries: Sequence[Entry]) -> list[Listener]:
        """Put announcements into the buffers of those who hear them; whose buffers have something now."""
        touched: dict[Listener, None] = {}
        for entry in entries:
            self._keep(entry)
            said = entry.announcement
            first = self._first_told(entry)
            for admission in said.admits if first is None else ():
                self._admit(admission)
            if said.t:
                self._put(entry, first, touched)
            for expulsion in said.expels if first is None else ():
                self._barred.lift(expulsion)
                self._expel(expulsion)
            self.end(said.ends if first is None else ())
        return list(touched)

    def _first_told(self, entry: Entry) -> int | None:
        """If this was told before, when that was. Who listens changes by the first time only."""
        if not self._feed.repeats:
            return None
        first = self._told.find(entry.announcement.id)
        if first is None:
            self._told.keep(entry.announcement.id, (self._count, entry.order))
            return None
        return first[0]

    def _keep(self, entry: Entry) -> None:
        self._kept.append(entry)
        self._kept_bytes += entry.weight
        while len(self._kept) > KEPT_ENTRIES or self._kept_bytes > KEPT_BYTES:
            oldest = self._kept.popleft()
            self._kept_bytes -= oldest.weight
            self._floor = oldest.order
        self._here = entry.order
        self._count += 1

    def _put(self, entry: Entry, first: int | None, touched: dict[Listener, None]) -> None:
        said = entry.announcement
        hearing = self._hearing(said.topics)
        if first is not None:
            # The second time it is for those only who have come since the first.
            hearing = [each for each in hearing if any(_since(each, topic) >= first for topic in said.topics)]
        if not hearing:
            return
        frame = entry.frame
        if said.full is not None:
            for listener in hearing:
                listener.pending.append(entry.full_frame if _hears_all(listener, said) else frame)
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

    async def _tell_again(self, listener: Listener, entries: Sequence[Entry]) -> None:
        """Tell one listener what they missed, with what is their own, and wait until they have taken it."""
        own = [await self._with_fresh(entry) if _is_own(listener, entry) else entry for entry in entries]
        self._repeat(listener, own)
        await listener.drained()

    def _repeat(self, listener: Listener, entries: Sequence[Entry]) -> None:
        """Tell one listener what they missed, and let in or send out as it was."""
        for entry in entries:
            said = entry.announcement
            is_first = not self._is_repeat(entry)
            for admission in said.admits:
                if is_first and admission.user_id == listener.user_id:
                    listener.ears[admission.topic] = Ear(admission.moderates, self._count)
            if said.t and any(topic in listener.ears for topic in said.topics):
                listener.pending.append(entry.full_frame if _hears_all(listener, said) else entry.frame)
            for expulsion in said.expels:
                if is_first and expulsion.user_id in (listener.user_id, None):
                    listener.ears.pop(expulsion.topic, None)
            if is_first and said.ends and not {listener.user_id, listener.session_id}.isdisjoint(said.ends):
                listener.is_over = True
        if listener.pending:
            listener.flush()

    def _is_repeat(self, entry: Entry) -> bool:
        """Is this known to have been told before, in another place?"""
        first = self._told.find(entry.announcement.id) if self._feed.repeats else None
        return first is not None and entry.order > first[1]

    def _since(self, after: Order) -> list[Entry]:
        """The kept entries after a place."""
        if not self._kept or after >= self._here:
            return []
        start = bisect_right(self._kept, after, key=lambda entry: entry.order)
        return [self._kept[place] for place in range(start, len(self._kept))]

    def _admit(self, admission: Admission) -> None:
        user_id, topic, moderates = admission
        if self._is_barred(user_id, topic):
            return
        for listener in self._of_subject.get(user_id, ()):
            listener.ears[topic] = Ear(moderates, self._count)
            self._listeners[topic].add(listener)

    def _expel(self, expulsion: Expulsion) -> None:
        user_id, topic = expulsion
        listeners = self._listeners.get(topic, ()) if user_id is None else self._of_subject.get(user_id, ())
        for listener in list(listeners):
            if listener.pending:
                listener.flush()  # what came before is heard, and nothing after
            if listener.ears.pop(topic, None) is not None:
                self._discard(topic, listener)

    def _is_barred(self, user_id: UserId, topic: Topic) -> bool:
        return bool(self._barred) and Expulsion(user_id, topic) in self._barred

    def _discard(self, topic: Topic, listener: Listener) -> None:
        listeners = self._listeners.get(topic)
        if listeners is not None:
            listeners.discard(listener)
            if not listeners:
                del self._listeners[topic]

    def _is_unasked(self, entries: Sequence[Entry]) -> bool:
        """Is there something of a reader's own, who listens, that has to be asked for?"""
        return any(
            entry.announcement.fresh is not None and entry.announcement.topics[0] in self._listeners
            for entry in entries
        )

    async def _asked(self, entry: Entry) -> Entry:
        return await self._with_fresh(entry) if self._is_unasked([entry]) else entry

    async def _with_fresh(self, entry: Entry) -> Entry:
        said = entry.announcement
        assert said.fresh is not None  # noqa: S101 - told to the type checker
        tenant, inbox = said.fresh
        d = await self._fresh(Tenant(tenant), person_of(said.topics[0]), inbox)
        return Entry(entry.order, entry.s, msgspec.structs.replace(said, d=d, fresh=None))


def _is_own(listener: Listener, entry: Entry) -> bool:
    """Is it this reader's own, and still to be asked for?"""
    said = entry.announcement
    return said.fresh is not None and said.topics[0] in listener.ears


def _since(listener: Listener, topic: Topic) -> int:
    ear = listener.ears.get(topic)
    return -1 if ear is None else ear.since


def _hears_all(listener: Listener, said: Announcement) -> bool:
    """Is somebody told what is withheld from others?"""
    if said.full is None:
        return False
    if said.author == listener.user_id:
        return True
    return any(ear.moderates for topic in said.topics if (ear := listener.ears.get(topic)) is not None)
