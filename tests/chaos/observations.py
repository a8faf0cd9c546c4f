"""What was answered and delivered during a cycle, and when."""

from __future__ import annotations

import math

import msgspec

from simulation.oracle import Membership, Send
from sobremesa.core.actor import UserId
from sobremesa.core.ids import MessageId, RoomId


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


class Observations:
    """Everything that the checks judge."""

    def __init__(self) -> None:
        self.sends: dict[str, TimedSend] = {}
        self.deliveries: list[Delivery] = []
        self.absences: list[Absence] = []
        self.members: dict[UserId, Membership] = {}
        self.joined: dict[UserId, float] = {}
        """When each user last tried to join, or was answered to have joined."""

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
