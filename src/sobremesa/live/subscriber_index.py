"""The attached subscribers of one process, by topic and by subject."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import TypeVar

from sobremesa.core.actor import UserId
from sobremesa.live.events import Topic
from sobremesa.live.subscriber import Subscriber

K = TypeVar("K")


class SubscriberIndex:
    """Finds subscribers. A subject is a user, or the session or server key of a subscriber."""

    def __init__(self) -> None:
        self.by_topic: dict[Topic, set[Subscriber]] = defaultdict(set)
        self.by_subject: dict[str, set[Subscriber]] = defaultdict(set)
        self.by_room: dict[str, set[Subscriber]] = defaultdict(set)
        """The subscribers that watch a channel, whether or not they are still subscribed to its topic."""

    def add(self, subscriber: Subscriber) -> None:
        """Add a subscriber to its subjects."""
        for subject in (subscriber.user_id, subscriber.session_id):
            if subject is not None:
                self.by_subject[subject].add(subscriber)

    def watch(self, subscriber: Subscriber, rooms: Collection[str]) -> None:
        """Replace the channels that a subscriber watches."""
        for room in subscriber.watched:
            discard_from(self.by_room, room, subscriber)
        subscriber.watched = frozenset(rooms)
        for room in rooms:
            self.by_room[room].add(subscriber)

    def remove(self, subscriber: Subscriber) -> None:
        """Remove a subscriber from its subjects."""
        for subject in (subscriber.user_id, subscriber.session_id):
            if subject is not None:
                discard_from(self.by_subject, subject, subscriber)

    def discard(self, topic: Topic, subscriber: Subscriber) -> None:
        """Remove a subscriber from a topic."""
        discard_from(self.by_topic, topic, subscriber)

    def subscribers_to(self, topics: Sequence[Topic]) -> Collection[Subscriber]:
        """Return the subscribers to any of these topics."""
        found = [subscribers for topic in topics if (subscribers := self.by_topic.get(topic)) is not None]
        if len(found) == 1:
            return found[0]
        return set[Subscriber]().union(*found) if found else ()

    def count_of(self, user_id: UserId) -> int:
        """Return how many subscribers a user has on this node."""
        return len(self.by_subject.get(user_id, ()))

    def all_users_in(self, topic: Topic) -> set[UserId]:
        """Return the users subscribed to a topic on this node."""
        return {subscriber.user_id for subscriber in self.by_topic.get(topic, ())}

    def users_in(self, topic: Topic, at_most: int) -> set[UserId]:
        """Return the users subscribed to a topic on this node; empty if there are more than `at_most` subscribers."""
        return self.all_users_in(topic) if len(self.by_topic.get(topic, ())) <= at_most else set()

    def topics_of(self, user_id: UserId) -> set[Topic]:
        """Return the topics that a user is subscribed to on this node."""
        return {topic for subscriber in self.by_subject.get(user_id, ()) for topic in subscriber.subscriptions}

    def audience(self) -> Counter[UserId]:
        """Return the users connected to this node, with their number of subscribers."""
        subscribers = set[Subscriber]().union(*self.by_subject.values())
        return Counter(subscriber.user_id for subscriber in subscribers)


def discard_from(index: dict[K, set[Subscriber]], key: K, subscriber: Subscriber) -> None:
    """Remove a subscriber from the set of a key, and the set if it is empty then."""
    subscribers = index.get(key)
    if subscribers is not None:
        subscribers.discard(subscriber)
        if not subscribers:
            del index[key]
