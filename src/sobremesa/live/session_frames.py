"""The gateway's own events about a session: resumed, renewed, gap, and its part of ready."""

from __future__ import annotations

from typing import Final

from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId, RoomKindName
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType
from sobremesa.live.presence import PresenceView

READY: Final = "ready"
"""The first event of an identified client. The application declares it, since its payload has views of all domains."""


class Identified(Output):
    """What the gateway itself contributes to the payload of `ready`."""

    session_id: str
    expires_at: Instant
    """When the token expires: identify with a new one on this socket before."""
    presences: list[PresenceView] = []
    """The users on this node who share conversations and small servers with the user; events follow for other nodes."""


class Resumed(Output):
    """All missed events have been delivered."""


class Renewed(Output):
    """The new token is accepted, and expires then."""

    expires_at: Instant


class MissedRoom(Output):
    """A room with new messages: fetch `messages?after={after}`, up to the message `until`."""

    room_kind: RoomKindName
    room_id: RoomId
    after: MessageId
    until: MessageId


class Gap(Output):
    """What was missed since a time, with some tolerance for clocks that differ."""

    since: Instant
    rooms: list[MissedRoom]


resumed = EventType("resumed", Resumed, "All events that you missed have been delivered.", durable=False)
renewed = EventType("renewed", Renewed, "Your new token is accepted.", durable=False)
gap = EventType("gap", Gap, "Events that you missed are no longer kept; a new `ready` follows.", durable=False)
