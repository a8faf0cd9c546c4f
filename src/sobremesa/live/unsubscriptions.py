"""The end of subscriptions: those of memberships that have ended, as the feed reports it or before."""

from __future__ import annotations

from collections import defaultdict

from sobremesa.core.actor import UserId
from sobremesa.live.events import MembershipKey, Topic, TopicRemoval, server_of
from sobremesa.live.subscriber import Subscriber
from sobremesa.live.subscriber_index import SubscriberIndex, discard_from


class Unsubscriptions:
    """Ends subscriptions."""

    def __init__(self, index: SubscriberIndex) -> None:
        self._index = index
        self.early: dict[Topic, set[Subscriber]] = defaultdict(set)
        """Subscribers whose membership had ended when it was read, before the feed reported it: if the topic was
        deleted, they receive that event as well.
        """

    def remove(self, removal: TopicRemoval) -> None:
        """End the subscriptions of the membership that ended, but not those of a later one."""
        user_id, topic, since = removal
        subscribers = (
            self._index.by_topic.get(topic, ()) if user_id is None else self._index.by_subject.get(user_id, ())
        )
        for subscriber in list(subscribers):
            self.settle_early(topic, subscriber)
            held = subscriber.subscriptions.get(topic)
            if held is not None and not (since and held.since and since != held.since):
                self._drop(topic, subscriber)
                self._drop_channels(topic, subscriber)

    def unsubscribe(self, key: MembershipKey) -> None:
        """End the subscriptions of a membership that this process has ended."""
        for subscriber in list(self._index.by_subject.get(key.user_id, ())):
            if key.topic in subscriber.subscriptions:
                self._drop(key.topic, subscriber)
                self._drop_channels(key.topic, subscriber)

    def unsubscribe_early(self, key: MembershipKey) -> None:
        """End the subscriptions of a membership that is not in the table, before the feed reports its end."""
        for subscriber in list(self._index.by_subject.get(key.user_id, ())):
            if key.topic in subscriber.subscriptions:
                self._drop(key.topic, subscriber)
                self._drop_channels(key.topic, subscriber)
                self.early[key.topic].add(subscriber)

    def forget_loss(self, user_id: UserId, topic: Topic) -> None:
        """A user is informed of a channel again, even if they have lost it since."""
        for subscriber in self._index.by_subject.get(user_id, ()):
            subscriber.forget_loss(topic)

    def settle_early(self, topic: Topic, subscriber: Subscriber) -> None:
        """The feed has reported the end of this membership, or the subscriber is gone."""
        discard_from(self.early, topic, subscriber)

    def _drop(self, topic: Topic, subscriber: Subscriber) -> None:
        if subscriber.pending:
            subscriber.flush()  # events from before the removal are delivered, later ones are not
        del subscriber.subscriptions[topic]
        self._index.discard(topic, subscriber)
        subscriber.lost_topic(topic)

    def _drop_channels(self, server: Topic, subscriber: Subscriber) -> None:
        """End the subscriptions to channels of a server that the user is no longer in."""
        for topic in [topic for topic in subscriber.subscriptions if server_of(topic) == server]:
            self._drop(topic, subscriber)
