"""A subscriber: a socket, or a request that waits for events, with its subscriptions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import lenient_ms
from sobremesa.core.ids import MessageId
from sobremesa.live.events import Event, Topic, TopicMembership, TopicRemoval
from sobremesa.live.feed import START, Entry, FeedPosition

MAX_EPHEMERAL = 500
"""How many ephemeral events are kept for a subscriber that is being attached; older ones are dropped."""

Activity: TypeAlias = dict[str, tuple[MessageId | None, MessageId | None, bool]]
"""What happened in channels: the first and the last new message, and whether older ones were changed."""


class Subscription(NamedTuple):
    """How a subscriber is subscribed to a topic."""

    moderates: bool
    since: str
    """The version of the membership."""
    starts_ms: int
    """When the membership started; 0 if unknown."""
    after: int
    """How many events the hub had delivered by then."""
    is_known: bool = True
    """Whether the client was informed of the membership, by its snapshot or by an event."""

    @classmethod
    def by(cls, member: TopicMembership, after: int, *, is_known: bool = True) -> Subscription:
        """Return the subscription that a membership gives."""
        starts_ms = lenient_ms(member.since) if member.since else None
        return cls(member.moderates, member.since, starts_ms or 0, after, is_known)


class Subscriber:
    """Receives the events of its topics."""

    __slots__ = (
        "_ephemeral",
        "_reported_losses",
        "activity",
        "before",
        "has_snapshot",
        "hidden",
        "is_interrupted",
        "is_over",
        "is_stale",
        "last_received",
        "lost",
        "pending",
        "reached",
        "session_id",
        "subscriptions",
        "tenant",
        "user_id",
        "watched",
    )

    def __init__(self) -> None:
        self.user_id = UserId("")
        self.tenant = Tenant("")
        self.session_id: str | None = None
        self.subscriptions: dict[Topic, Subscription] = {}
        self.hidden: frozenset[Topic] = frozenset()
        """Private channels that the user does not see: events from before they became private are not replayed."""
        self.watched: frozenset[str] = frozenset()
        """The channels whose events it receives in crowded servers."""
        self.pending: list[bytes] = []
        self._reported_losses: frozenset[Topic] = frozenset()
        """Channels that it was informed to have lost, and not yet to have regained."""
        self._ephemeral: deque[tuple[bytes, Sequence[Topic], UserId | None]] | None = None
        self.has_snapshot = False
        """Whether its client has just received a snapshot of its memberships; else it knows those of its cursor."""
        self.before: Mapping[str, FeedPosition] = {}
        """The missed events from before the memberships started: their ids and last positions."""
        self.reached = START
        """Up to where it was brought up to date, before it was attached."""
        self.last_received = START
        """The position of the last event that its client has received, if it comes back."""
        self.activity: dict[Topic, Activity] = {}
        """What it is informed of once it is brought up to date."""
        self.is_over = False
        """Whether the session ended during the replay."""
        self.lost: set[Topic] = set()
        """Topics of memberships that ended before it was attached: it still receives the deletion of such a topic."""
        self.is_interrupted = False
        """Whether events were lost before it was attached."""
        self.is_stale = False
        """Whether a membership has changed since the memberships were read, and before it was attached."""

    def subscribe(
        self,
        memberships: Iterable[TopicMembership],
        count: int,
        before: Mapping[Topic, Subscription] | None = None,
    ) -> None:
        """Subscribe to exactly these topics; `before` has the subscriptions that the memberships replace, if any."""
        found = list(memberships)
        self.hidden = frozenset(each.topic for each in found if each.is_hidden)
        self.subscriptions = {}
        for each in found:
            if not each.is_hidden:
                is_known = self.has_snapshot
                if before is not None:
                    held = before.get(each.topic)
                    is_known = held is not None and held.is_known and held.since == each.since
                self.subscriptions[each.topic] = Subscription.by(each, count, is_known=is_known)

    def note_caught_up(self) -> None:
        """Note that the client was informed of all memberships, by its snapshot and the events since its cursor."""
        self.subscriptions = {topic: each._replace(is_known=True) for topic, each in self.subscriptions.items()}

    def holds_one_of(self, memberships: Sequence[TopicMembership]) -> bool:
        """Return whether it is subscribed by one of these memberships, and not by another one in the same topic."""
        for each in memberships:
            held = self.subscriptions.get(each.topic)
            if held is not None and (held.since == each.since or not held.since or not each.since):
                return True
        return False

    def membership_in(self, topic: Topic) -> TopicMembership:
        """Return the membership behind a subscription."""
        held = self.subscriptions[topic]
        return TopicMembership(self.user_id, topic, held.moderates, held.since)

    def has_subscribed_since(self, count: int, topics: Sequence[Topic]) -> bool:
        """Return whether it subscribed to one of these topics at this event count or later."""
        found = (self.subscriptions.get(topic) for topic in topics)
        return any(each is not None and each.after >= count for each in found)

    def has_returned_since(self, removals: Iterable[TopicRemoval]) -> bool:
        """Return whether one of these ended its membership before the one that the client was informed of.

        A feed may return such a removal again, or late. The client would drop the event of the later membership when it
        comes again.
        """
        for user_id, topic, since in removals:
            held = self.subscriptions.get(topic) if user_id == self.user_id else None
            if held is not None and held.is_known and since and held.since and since < held.since:
                return True
        return False

    def is_addressed(self, event: Event) -> bool:
        """Return whether an event that excludes subscribers of its topics is for this one."""
        held = self.subscriptions
        if event.without in held:
            return False
        return event.moderates is None or any(
            held[topic].moderates is event.moderates for topic in event.topics if topic in held
        )

    def note_loss(self, topic: Topic) -> bool:
        """Note that it is informed of the loss of a channel; return False if it was already."""
        is_new = topic not in self._reported_losses
        self._reported_losses |= {topic}
        return is_new

    def forget_loss(self, topic: Topic) -> None:
        """Note that it sees a channel, or is informed of it, again."""
        if topic in self._reported_losses:
            self._reported_losses -= {topic}

    def lost_topic(self, topic: Topic) -> None:
        """Note that a subscription has ended."""

    def keep_ephemeral(self, frame: bytes, topics: Sequence[Topic], without: UserId | None) -> None:
        """Keep an ephemeral event of any topic until this is attached: its own topics may not be known yet."""
        if self._ephemeral is None:
            self._ephemeral = deque(maxlen=MAX_EPHEMERAL)
        self._ephemeral.append((frame, topics, without))

    def deliver_ephemeral(self) -> None:
        """Send the kept events of its topics: presence, for example, may have changed since `ready` was read."""
        kept, self._ephemeral = self._ephemeral or (), None
        self.pending += [
            frame
            for frame, topics, without in kept
            if self.user_id != without and any(topic in self.subscriptions for topic in topics)
        ]
        if self.pending:
            self.flush()

    def flush(self) -> None:
        """Send what is pending."""
        raise NotImplementedError

    async def drained(self) -> None:
        """Wait until there is room for more."""

    def wants_more(self) -> bool:
        """Return whether to go on after a page of missed events was replayed."""
        return True

    def end(self) -> None:
        """The session has ended: nothing more is delivered."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Events were lost: nothing more is delivered, and the client must resume to learn what it missed."""
        self.end()


def frame_for(subscriber: Subscriber, entry: Entry) -> bytes:
    """Return the frame of an event for a subscriber: the author and moderators may receive more than others."""
    event = entry.event
    if event is None:
        return entry.frame
    if event.author == subscriber.user_id:
        return entry.author_frame
    held = subscriber.subscriptions
    if event.full is not None and any(held[topic].moderates for topic in event.topics if topic in held):
        return entry.full_frame
    return entry.frame
