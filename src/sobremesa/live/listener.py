"""A listener: a socket, or a request that waits for events, with the topics that it subscribes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import lenient_ms
from sobremesa.live.events import Admission, Announcement, Topic


class Subscription(NamedTuple):
    """How a listener subscribes to a topic: as a moderator, by which membership, and since when."""

    moderates: bool
    since: str
    """The version of the membership."""
    starts_ms: int
    """When the membership began; 0 if that is not known."""
    after: int
    """How many announcements the hub had delivered by then."""

    @classmethod
    def by(cls, member: Admission, after: int) -> Subscription:
        """The subscription that a membership gives."""
        starts_ms = lenient_ms(member.since) if member.since else None
        return cls(member.moderates, member.since, starts_ms or 0, after)


class Listener:
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
        """Has a membership changed since the topics were read, and before the listener was attached?"""

    def subscribe(self, admissions: Iterable[Admission], count: int) -> None:
        """Subscribe to these topics, and to no others."""
        self.subscriptions = {each.topic: Subscription.by(each, count) for each in admissions}

    def has_come_since(self, count: int, topics: Sequence[Topic]) -> bool:
        """Did it subscribe to one of these topics when so many announcements had been delivered, or later?"""
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


def receives_all(listener: Listener, said: Announcement) -> bool:
    """Does a listener receive what is withheld from others?"""
    if said.full is None:
        return False
    if said.author == listener.user_id:
        return True
    return any(held.moderates for topic in said.topics if (held := listener.subscriptions.get(topic)) is not None)
