"""The gateway's own events about a session: ready, resumed, renewed and gap."""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType


class Ready(Output):
    """The initial snapshot, read after the cursor of this frame: an event may repeat what is in it.

    The lists are as the API returns them: all servers, each with the user's role, its channels and their unread counts,
    and the first page of everything else.
    """

    session_id: str
    expires_at: Instant
    """When the token expires: identify with a new one on this socket before."""
    user: Any
    servers: list[Any]
    conversations: list[Any]
    threads: list[Any]
    inboxes: list[Any]
    workspaces: list[Any]
    presences: list[Any] = []
    """The online users who share conversations and small servers with the user."""


class Resumed(Output):
    """All missed events have been delivered."""


class Renewed(Output):
    """The new token is accepted, and expires then."""

    expires_at: Instant


class MissedRoom(Output):
    """A room with new messages: fetch `messages?after={after}`, up to the message `until`."""

    room_kind: str
    room_id: str
    after: str
    until: str


class Gap(Output):
    """What was missed since a time, with some tolerance for clocks that differ."""

    since: Instant
    rooms: list[MissedRoom]


ready = EventType("ready", Ready, "You are identified; from here on you receive events.", durable=False)
resumed = EventType("resumed", Resumed, "All events that you missed have been delivered.", durable=False)
renewed = EventType("renewed", Renewed, "Your new token is accepted.", durable=False)
gap = EventType("gap", Gap, "Events that you missed are no longer kept; a new `ready` follows.", durable=False)
