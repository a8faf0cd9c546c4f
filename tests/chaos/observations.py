"""What was answered and delivered during a cycle, and when."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from simulation.clients import Shown
from simulation.oracle import Membership, Send
from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId

BROADCAST_SECONDS = 1.5
"""How long other nodes may show an inbox without a new broadcast: a second, and a read that was under way."""

Reaction: TypeAlias = tuple[str, int, tuple[str, ...]]
"""An emoji, how many users have reacted with it, and who."""


class ShownMessage(NamedTuple):
    """What a client shows of a message."""

    content: str
    is_deleted: bool
    reactions: tuple[Reaction, ...] = ()

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> ShownMessage:
        """Return what a message in a page, or in an event, shows."""
        found = [reaction_of(each) for each in payload["reactions"]]
        return cls(payload["content"], payload["deleted"], tuple(sorted(found)))

    def with_reaction(self, reaction: Reaction) -> ShownMessage:
        """Return what it shows after an event of a reaction."""
        others = [each for each in self.reactions if each[0] != reaction[0]]
        return self._replace(reactions=tuple(sorted([*others, reaction] if reaction[1] else others)))

    @property
    def without_reactions(self) -> Shown:
        return Shown(self.content, self.is_deleted)


def reaction_of(payload: Mapping[str, Any]) -> Reaction:
    return payload["emoji"], payload["count"], tuple(sorted(payload["userIds"]))


class Reacted(NamedTuple):
    """A user, and the message and emoji that they reacted with, or wanted to."""

    message_id: MessageId
    emoji: str
    user_id: UserId


class Notice(msgspec.Struct):
    """A message that the product wanted to publish to the inboxes of users, under one id of its own."""

    host_id: str
    recipients: frozenset[UserId]
    message_id: str | None = None
    """The id that was answered; None if there was no answer."""


class TimedSend(Send):
    """A message that a user wanted to send, and when it was first tried."""

    began_at: float = 0.0


class Delivery(msgspec.Struct, frozen=True):
    """A new message that a client received."""

    client: str
    user_id: UserId
    node: str
    """The run of the node that delivered it."""
    room: RoomId
    message_id: MessageId
    nonce: str
    at: float
    is_live: bool = True
    """Whether it was news: not part of a replay, and not known from a snapshot."""
    joined_at: float | None = None
    """When its user last joined, or the client saw it; None for those who are members from the start."""


class Absence(msgspec.Struct):
    """A time in which a user was not a member: from the answer to the removal to the next attempt to join."""

    user_id: UserId
    since: float
    by: str
    """The run of the node that answered the removal."""
    until: float = math.inf


class Outage(msgspec.Struct):
    """A time in which Redis did not answer."""

    began: float
    ended: float = math.inf


class Observations:
    """Everything that the checks judge."""

    def __init__(self) -> None:
        self.outages: list[Outage] = []
        self.notices: dict[str, Notice] = {}
        self.reactions: dict[Reacted, Literal["there", "gone", "unknown"]] = {}
        """What the last request of each reaction was answered."""
        self.sends: dict[str, TimedSend] = {}
        self.deliveries: list[Delivery] = []
        self.absences: list[Absence] = []
        self.members: dict[UserId, Membership] = {}
        self.joined: dict[UserId, float] = {}
        """When each user last tried to join, or was answered to have joined."""
        self._broadcast_at = -math.inf

    def broadcast(self, at: float) -> None:
        """An attempt to publish to all users is over."""
        self._broadcast_at = at

    def until_inboxes_are_complete(self, now: float) -> float:
        """Return the seconds until every node shows what was published to all users."""
        return max(0.0, self._broadcast_at + BROADCAST_SECONDS - now)

    def removed(self, user_id: UserId, at: float, by: str) -> None:
        """A removal was answered."""
        self.members[user_id] = "out"
        self.absences.append(Absence(user_id, at, by))

    def joining(self, user_id: UserId, at: float) -> None:
        """A user is about to join: events may come from now on."""
        self.members[user_id] = "unknown"
        self.joined[user_id] = at
        for absence in self.absences:
            if absence.user_id == user_id:
                absence.until = min(absence.until, at)

    def has_joined(self, user_id: UserId, at: float) -> None:
        """An attempt to join was answered."""
        self.members[user_id] = "in"
        self.joined[user_id] = at
