"""Which memberships must be read again before the next events are delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from sobremesa.core.actor import UserId
from sobremesa.live.events import MembershipKey, Topic, TopicMembership, server_of
from sobremesa.live.feed import Entry
from sobremesa.live.subscriber_index import SubscriberIndex


class MembershipChecks:
    """Collects what events and nodes report of the memberships of connected users."""

    def __init__(self, index: SubscriberIndex) -> None:
        self._index = index
        self._suspects: set[MembershipKey] = set()
        """Memberships that another node has ended."""
        self._rechecks: set[tuple[UserId | None, Topic]] = set()
        """Channels whose access list this process has changed, and members whose role it has changed in a server:
        their subscriptions to channels are read again.
        """
        self._settled = asyncio.Event()
        self._settled.set()
        self.count = 0
        """How many changes this process, or another node, has reported: rows that were read before are outdated."""

    @property
    def has_rechecks(self) -> bool:
        return bool(self._rechecks)

    @property
    def are_settled(self) -> bool:
        """Whether no membership is about to be read again, whatever the next events are."""
        return self._settled.is_set()

    async def settled(self) -> None:
        """Wait until no membership is about to be read again."""
        await self._settled.wait()

    def note_removal(self) -> None:
        """Note that this process has ended a membership."""
        self.count += 1

    def suspect(self, key: MembershipKey) -> None:
        """Note that another node has ended a membership."""
        if key.user_id in self._index.by_subject:
            self.count += 1
            self._suspects.add(key)
            self._settled.clear()

    def recheck(self, topic: Topic, user_id: UserId | None) -> None:
        """Note that this process has changed the access list of a channel, or a member's role in a server."""
        self.count += 1
        self._rechecks.add((user_id, topic))
        self._settled.clear()

    def clear(self) -> None:
        """Everything has been read and applied."""
        self._suspects.clear()
        self._rechecks.clear()
        self._settled.set()

    def pending(self, entries: Sequence[Entry]) -> set[MembershipKey]:
        """Return the memberships of connected users that these entries change, or that were reported."""
        changes = [entry.audience for entry in entries if entry.audience is not None]
        keys = {key for change in changes for key in change.membership_keys if key.user_id in self._index.by_subject}
        keys |= self._suspects
        topics = {topic for change in changes for topic in change.rechecks}
        topics |= {topic for user_id, topic in self._rechecks if user_id is None}
        for topic in topics:
            keys |= self.in_channel(topic)
        for user_id, server in self._rechecks:
            if user_id is not None:
                held = self._index.topics_of(user_id)
                keys |= {MembershipKey(user_id, topic) for topic in held if server_of(topic) == server}
        return keys

    def in_channel(self, topic: Topic) -> set[MembershipKey]:
        """Return the possible memberships in a channel of all who are subscribed to its server."""
        users = self._index.all_users_in(topic) | self._index.all_users_in(server_of(topic) or topic)
        return {MembershipKey(user_id, topic) for user_id in users}


def over_in(entry: Entry, members: Mapping[MembershipKey, TopicMembership]) -> set[UserId]:
    """Return the users who are not to be informed of the memberships that an event adds, since they are over.

    They may have been informed of their end already, and would drop that event when it comes again.
    """
    adds = () if entry.audience is None else entry.audience.adds
    current = {
        added.user_id
        for added in adds
        if (member := members.get(MembershipKey(added.user_id, added.topic))) is not None
        and (member.since == added.since or not member.since or not added.since)
    }
    return {added.user_id for added in adds} - current
