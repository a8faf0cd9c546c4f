"""A subscriber: a socket, or a request that waits for events, with the topics that it subscribes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import lenient_ms
from sobremesa.live.events import Event, Topic, TopicMembership


class Subscription(NamedTuple):
    """How a subscriber subscribes to a topic: as a moderator, by which membership, and since when."""

    moderates: bool
    since: str
    """The version of the membership."""
    starts_ms: int
    """When the membership began; 0 if that is not known."""
    after: int
    """How many events_of the hub had delivered by then."""

    @classmethod
    def by(cls, member: TopicMembership, after: int) -> Subscription:
        """The subscription that a membership gives."""
        starts_ms = lenient_ms(member.since) if member.since else None
        return cls(member.moderates, member.since, starts_ms or 0, after)


class Subscriber:
    """Receives the events of its topics."""

    __slots__ = ("before", "is_over", "is_stale", "lost", "pending", "session_id", "subscriptions", "tenant", "user_id")

    def __init__(self) -> None:
        self.user_id = UserId("")
        self.tenant = Tenant("")
        self.session_id: str | None = None
        self.subscriptions: dict[Topic, Subscription] = {}
        self.pending: list[bytes] = []
        self.before: Set[str] = frozenset()
        """The ids of missed events from before the memberships began."""
        self.is_over = False
        """Has the session ended while what was missed was told?"""
        self.lost: set[Topic] = set()
        """Topics of memberships that ended before it was attached: it still receives that such a topic ended."""
        self.is_stale = False
        """Has a membership changed since the topics were read, and before the subscriber was attached?"""

    def subscribe(self, memberships: Iterable[TopicMembership], count: int) -> None:
        """Subscribe to these topics, and to no others."""
        self.subscriptions = {each.topic: Subscription.by(each, count) for each in memberships}

    def has_subscribed_since(self, count: int, topics: Sequence[Topic]) -> bool:
        """Did it subscribe to one of these topics when so many events_of had been delivered, or later?"""
        found = (self.subscriptions.get(topic) for topic in topics)
        return any(each is not None and each.after >= count for each in found)

    def flush(self) -> None:
        """Hand on what is pending."""
        raise NotImplementedError

    async def drained(self) -> None:
        """Wait until there is room for more."""

    def wants_more(self) -> bool:
        """A page of what was missed was replayed: is there to be more now?"""
        return True

    def end(self) -> None:
        """The session is over: nothing more is to be heard."""
        raise NotImplementedError


def receives_all(subscriber: Subscriber, event: Event) -> bool:
    """Does a subscriber receive what is withheld from others?"""
    if event.full is None:
        return False
    if event.author == subscriber.user_id:
        return True
    return any(held.moderates for topic in event.topics if (held := subscriber.subscriptions.get(topic)) is not None)
