"""Greetings: what the gateway says of itself to a client that comes in, comes back or stays."""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.http.endpoints import Output
from sobremesa.live.events import EventType


class Ready(Output):
    """Everything to begin with, read after the cursor of this frame: an event may tell of it once more.

    The lists are as the API gives them: all servers, each with one's role and its channels and what is unread there,
    and the first page of everything else.
    """

    session_id: str
    expires_at: Instant
    """When the token ends: identify with a new one on this socket before."""
    user: Any
    servers: list[Any]
    conversations: list[Any]
    threads: list[Any]
    inboxes: list[Any]
    workspaces: list[Any]
    presences: list[Any] = []
    """Who is here of those that one shares conversations and small servers with."""


class Resumed(Output):
    """Everything that was missed has been told."""


class Renewed(Output):
    """The new token holds until then."""

    expires_at: Instant


class MissedRoom(Output):
    """A room in which something was said: fetch `messages?after={after}`, up to the message `until`."""

    room_kind: str
    room_id: str
    after: str
    until: str


class Gap(Output):
    """What was missed since a moment, with some time for clocks that differ."""

    since: Instant
    rooms: list[MissedRoom]


ready = EventType("ready", Ready, "You are known; from here on you hear what happens.", durable=False)
resumed = EventType("resumed", Resumed, "You have heard everything that you had missed.", durable=False)
renewed = EventType("renewed", Renewed, "Your new token has been taken.", durable=False)
gap = EventType(
    "gap", Gap, "You were away for longer than events are kept; a new `ready` comes right after it.", durable=False
)
