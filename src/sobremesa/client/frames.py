"""The frames of the gateway."""

from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum
from typing import Any

import msgspec

from sobremesa.client.models import Command, Json, Message

MAX_SEEN_IDS = 10_000
_MESSAGE_EVENTS = ("message.created", "message.updated")


class Op(IntEnum):
    """The kind of a frame."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    RESUME = 6
    RECONNECT = 7
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11
    CALL = 12
    RESULT = 13
    WATCH = 14


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A frame; `s` and `id` are the server's own, sent back and compared unchanged."""

    op: int
    d: Any = None
    t: str | None = None
    s: Any = None
    id: str | None = None


class Hello(msgspec.Struct, frozen=True, rename="camel"):
    """The first frame of the server."""

    heartbeat_interval: float
    """In milliseconds."""


class Reconnect(msgspec.Struct, frozen=True, rename="camel"):
    """When to reconnect, in seconds."""

    retry_after: float = 0.0
    spread: float = 0.0
    """Of this, a client waits a random part more."""


class Result(msgspec.Struct, frozen=True):
    """The result of a call, as over HTTP."""

    status: int
    body: Any = None


class Session(msgspec.Struct, frozen=True, rename="camel"):
    """What a resume needs of a `ready`."""

    session_id: str


class Event(msgspec.Struct, frozen=True):
    """An event: `t` is its name, `d` its payload as plain JSON. Typing and presence have no `s` and `id`."""

    t: str
    d: Json
    s: Any = None
    id: str | None = None

    def message(self) -> Message:
        """Return the message of `message.created` or `message.updated`; raises ValueError for other events."""
        if self.t not in _MESSAGE_EVENTS:
            raise ValueError(f"{self.t} has no message")
        return msgspec.convert(self.d, Message)

    def command(self) -> Command:
        """Return the command of `command.invoked`; raises ValueError for other events."""
        if self.t != "command.invoked":
            raise ValueError(f"{self.t} has no command")
        return msgspec.convert(self.d, Command)


class SessionCursor:
    """The position in the event stream, from which a new connection resumes."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.s: Any = None
        self.watched: tuple[str, ...] = ()
        """The channels that the client watches, also after the next connection."""
        self._seen: OrderedDict[str, None] = OrderedDict()

    def clear(self) -> None:
        """Forget the session: the server does not accept it."""
        self.session_id = None
        self.s = None

    def has_seen(self, event: Event) -> bool:
        """Return whether this event was delivered before: after a resume, or from two nodes, it may come twice."""
        return event.id is not None and event.id in self._seen

    def advance(self, event: Event) -> None:
        """Move past an event that was delivered."""
        if event.t == "ready":
            self.session_id = msgspec.convert(event.d, Session).session_id
        if event.s is not None:
            self.s = event.s
        if event.id is not None:
            self._seen[event.id] = None
            if len(self._seen) > MAX_SEEN_IDS:
                self._seen.popitem(last=False)
