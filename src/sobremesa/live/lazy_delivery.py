"""Lazy delivery: in crowded topics, events about a channel go only to those who watch it.

All other subscribers receive at most once a second which channels have moved: `channel.activity`, one frame for all
subscribers of a topic. So an event costs nothing for those who do not look, and a private channel is reported only to
those who see it, since it has a topic of its own.

Whether a topic is crowded is decided for each event. Each is delivered or reported to every subscriber, whichever it
is, so that a topic may become crowded, or empty, at any time. What was not reported yet when a connection broke is
reported to the client that resumes: the position of an event that it received may be after that of an activity of
which it was not informed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec
import structlog

from sobremesa.core.ids import MessageId, first_of, time_of
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Event, EventType, Topic, parts_of
from sobremesa.live.feed import Entry, Feed, FeedPosition
from sobremesa.live.frames import event_payload, text_frame
from sobremesa.live.membership_checks import MembershipChecks
from sobremesa.live.recent_events import RecentEvents
from sobremesa.live.subscriber import Activity, Subscriber
from sobremesa.live.subscriber_index import SubscriberIndex

REPORT_SECONDS = 1.0
"""How often a topic is reported at most."""
AT_ONCE = 500
"""How many subscribers are informed before other tasks get a turn."""
MAX_WINDOWS = 4096
"""For how many reports it is kept when they were made: over an hour of them."""
DEFAULT_CROWD = 250

_log = structlog.get_logger("sobremesa.live")


class ActiveChannel(Output):
    """What happened in a channel that you do not watch."""

    channel_id: str
    after: MessageId | None
    """New messages come after this one, which need not exist; null if there are none."""
    until: MessageId | None
    """The newest of them."""
    changed: bool
    """Whether older messages were edited, deleted or pinned, or have other reactions."""


class ChannelActivity(Output):
    """The channels of a server in which something happened."""

    server_id: str
    channels: list[ActiveChannel]


channel_activity = EventType(
    "channel.activity",
    ChannelActivity,
    "In a large server: something happened in these channels, whose events only those receive who watch them.",
    to="the members of the server who see the channels",
    durable=False,
)


class _Window(msgspec.Struct):
    """What happened from one report to the next."""

    opened: FeedPosition
    """The position of the first event in it."""
    topics: set[Topic]
    closed: FeedPosition | None = None
    """The position when all subscribers had been informed; None before."""


class Unreported(NamedTuple):
    """What a client that received everything up to a position may not have been informed of."""

    after: FeedPosition
    topics: Collection[Topic]


class LazyDelivery:
    """Decides which subscribers receive an event, and informs the others of what they did not."""

    def __init__(
        self,
        index: SubscriberIndex,
        checks: MembershipChecks,
        recent: RecentEvents,
        feed: Feed,
        crowd: int = DEFAULT_CROWD,
    ) -> None:
        self._index = index
        self._checks = checks
        self._recent = recent
        self._feed = feed
        self._crowd = crowd
        self._active: dict[Topic, Activity] = {}
        """What happened since the last report."""
        self._windows: deque[_Window] = deque(maxlen=MAX_WINDOWS)
        self._has_activity = asyncio.Event()

    def watch(self, subscriber: Subscriber, rooms: Collection[str]) -> None:
        """Replace the channels whose events a subscriber receives in crowded topics, unless it was detached."""
        if subscriber in self._index.by_subject.get(subscriber.user_id, ()):
            self._index.watch(subscriber, rooms)

    def is_crowded(self, topic: Topic) -> bool:
        """Return whether a topic has so many subscribers that events about channels are delivered lazily."""
        return len(self._index.by_topic.get(topic, ())) > self._crowd

    def applies_to(self, event: Event) -> bool:
        """Return whether an event is only for those who watch its channel, and its addressees."""
        return bool(event.room) and self.is_crowded(event.topics[0])

    def recipients(self, event: Event) -> Collection[Subscriber]:
        """Return the subscribers that watch the channel of an event, and those of its addressees."""
        [topic] = event.topics
        found = {each for each in self._index.by_room.get(event.room, ()) if topic in each.subscriptions}
        for user_id in event.addressees:
            found.update(each for each in self._index.by_subject.get(user_id, ()) if topic in each.subscriptions)
        return found

    def note(self, entry: Entry, event: Event) -> None:
        """Note that an event was delivered to a part of its subscribers."""
        [topic] = event.topics
        if not self._active:
            self._windows.append(_Window(entry.position, set()))
            self._has_activity.set()
        self._windows[-1].topics.add(topic)
        add_activity(self._active.setdefault(topic, {}), event)

    def clear(self) -> None:
        """Forget everything: events were lost."""
        self._active = {}
        self._windows.clear()

    # Reports

    async def run(self) -> None:
        """Report what happens, at most once a second, until cancelled."""
        while True:
            await self._has_activity.wait()
            try:
                await self._report()
            except Exception as error:
                _log.error("activity was not reported", exc_info=error)
            await asyncio.sleep(REPORT_SECONDS)

    async def _report(self) -> None:
        """Inform all subscribers of what happened since the last report, once it is known who they are."""
        await self._checks.settled()
        self._has_activity.clear()
        active, self._active = self._active, {}
        if not active:
            return
        window = self._windows[-1]
        # Not the present position: a client may be cut between the frames of two topics.
        s = self._feed.s_of(_just_before(window.opened))
        number = 0
        for topic, channels in active.items():
            frame = _frame(topic, channels, s)
            for subscriber in list(self._index.by_topic.get(topic, ())):
                if topic in subscriber.subscriptions:
                    subscriber.pending.append(frame)
                    subscriber.flush()
                number += 1
                if number % AT_ONCE == 0:
                    await asyncio.sleep(0)
                    await self._checks.settled()
        window.closed = self._recent.position

    def unreported(self, at: FeedPosition) -> Unreported | None:
        """Return what had happened at a position and was not reported by then; None if there is nothing."""
        topics: set[Topic] = set()
        first: FeedPosition | None = None
        for window in reversed(self._windows):
            if window.closed is not None and window.closed <= at:
                break
            if window.opened <= at:
                topics |= window.topics
                first = window.opened
        return None if first is None else Unreported(_just_before(first), topics)

    async def report_now(self, subscriber: Subscriber) -> None:
        """Inform one subscriber of what happened since the last report: it is about to be detached."""
        if self._active:
            await self._checks.settled()
            self.report_if_settled(subscriber)

    def report_if_settled(self, subscriber: Subscriber) -> None:
        """Do so without waiting, if it is known what it is subscribed to."""
        if self._checks.are_settled:
            topics = self._active.keys() & subscriber.subscriptions.keys()
            self._deliver(subscriber, {topic: self._active[topic] for topic in topics})

    # Replay

    def holds_back(self, subscriber: Subscriber, event: Event) -> bool:
        """Return whether a subscriber of the topic is only informed that the event happened."""
        return (
            bool(event.room)
            and event.room not in subscriber.watched
            and subscriber.user_id not in event.addressees
            and self.is_crowded(event.topics[0])
        )

    def note_missed(self, subscriber: Subscriber, event: Event) -> None:
        """Note for a subscriber that is brought up to date that it is only informed of an event."""
        if self.holds_back(subscriber, event):
            add_activity(subscriber.activity.setdefault(event.topics[0], {}), event)

    def note_unreported(self, subscriber: Subscriber, unreported: Unreported, event: Event) -> None:
        """Note for a subscriber that comes back what it may not have been informed of."""
        if event.room and event.room not in subscriber.watched and event.topics[0] in unreported.topics:
            add_activity(subscriber.activity.setdefault(event.topics[0], {}), event)

    def report_missed(self, subscriber: Subscriber) -> None:
        """Inform a subscriber of what was noted for it."""
        missed, subscriber.activity = subscriber.activity, {}
        self._deliver(subscriber, missed)

    def _deliver(self, subscriber: Subscriber, active: Mapping[Topic, Activity]) -> None:
        frames = [_frame(topic, channels) for topic, channels in active.items() if topic in subscriber.subscriptions]
        if frames:
            subscriber.pending += frames
            subscriber.flush()


def add_activity(channels: Activity, event: Event) -> None:
    """Add an event to what happened in the channels of a topic."""
    after, until, changed = channels.get(event.room, (None, None, False))
    if event.t.endswith(".created"):
        id = MessageId(event.subject)
        after = id if after is None else min(after, id)
        until = id if until is None else max(until, id)
    else:
        changed = True
    channels[event.room] = (after, until, changed)


def _just_before(position: FeedPosition) -> FeedPosition:
    return position._replace(number=position.number - 1)


def _frame(topic: Topic, channels: Activity, s: str = "") -> bytes:
    kind, id = parts_of(topic)
    server_id = id if kind == "server" else id.partition("/")[0]
    active = [ActiveChannel(room, _before(first), last, changed) for room, (first, last, changed) in channels.items()]
    event = channel_activity.event(ChannelActivity(server_id, active))
    return text_frame(event_payload(event.t, event.d, s))


def _before(first: MessageId | None) -> MessageId | None:
    """Return a bound before a message: the lowest id of its millisecond; ids of other writers have no time."""
    if first is None:
        return None
    try:
        return MessageId(first_of(time_of(first)))
    except ValueError:
        return None
