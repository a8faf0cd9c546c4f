"""Subscribers whose clients have received more than this node has delivered.

A client may resume at a node that was paused, or is behind for another reason, with a cursor of a node that is not.
What comes before its cursor it has received, or was left out because it was edited or deleted: shown now, that would
come after the event of its deletion, whose repetition the client drops.
"""

from __future__ import annotations

from collections.abc import Collection

from sobremesa.live.feed import START, Entry, FeedPosition
from sobremesa.live.subscriber import Subscriber


class AheadSubscribers:
    """Knows up to where subscribers have received everything, until this node is there, too."""

    def __init__(self) -> None:
        self._reached: dict[Subscriber, FeedPosition] = {}

    def note(self, subscriber: Subscriber, reached: FeedPosition | None, here: FeedPosition) -> None:
        """Note the cursor of a subscriber that is attached, if it is ahead."""
        if reached is not None and reached > here:
            self._reached[subscriber] = reached

    def settle(self, here: FeedPosition) -> None:
        """Forget those that are no longer ahead."""
        if self._reached:
            self._reached = {each: reached for each, reached in self._reached.items() if reached > here}

    def discard(self, subscriber: Subscriber) -> None:
        self._reached.pop(subscriber, None)

    def without(self, receiving: Collection[Subscriber], entry: Entry) -> Collection[Subscriber]:
        """Return the subscribers that have not reached an event yet."""
        if not self._reached:
            return receiving
        return [each for each in receiving if self._reached.get(each, START) < entry.position]
