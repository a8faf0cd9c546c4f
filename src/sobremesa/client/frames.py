"""What goes over the gateway's socket."""

from __future__ import annotations

from collections import OrderedDict
from enum import IntEnum
from typing import Any

import msgspec

from sobremesa.client.shapes import Json, Message

REMEMBERED_EVENTS = 10_000
_MESSAGE_EVENTS = ("message.created", "message.updated")


class Op(IntEnum):
    """What a frame is about."""

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


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One frame; `s` and `id` are the server's own, sent back and compared as they came."""

    op: int
    d: Any = None
    t: str | None = None
    s: Any = None
    id: str | None = None


class Hello(msgspec.Struct, frozen=True, rename="camel"):
    """What the server says first."""

    heartbeat_interval: float
    """In milliseconds."""


class Result(msgspec.Struct, frozen=True):
    """What a call has come to, as over HTTP."""

    status: int
    body: Any = None


class Session(msgspec.Struct, frozen=True, rename="camel"):
    """What a resume needs of a `ready`."""

    session_id: str


class Event(msgspec.Struct, frozen=True):
    """Something that happened: `t` says what, `d` tells it as plain JSON. Typing and presence have no `s` and `id`."""

    t: str
    d: Json
    s: Any = None
    id: str | None = None

    def message(self) -> Message:
        """The message of `message.created` and `message.updated`; ValueError of another event."""
        if self.t not in _MESSAGE_EVENTS:
            raise ValueError(f"{self.t} has no message")
        return msgspec.convert(self.d, Message)


class Place:
    """Where one stands in the stream of events: what a new connection needs to go on."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.s: Any = None
        self._seen: OrderedDict[str, None] = OrderedDict()

    def forget(self) -> None:
        """The server does not know the session any more."""
        self.session_id = None
        self.s = None

    def passed(self, event: Event) -> bool:
        """Has this event been here before? The server may tell one twice, after a resume or from two nodes."""
        return event.id is not None and event.id in self._seen

    def move(self, event: Event) -> None:
        """This event was handed over."""
        if event.t == "ready":
            self.session_id = msgspec.convert(event.d, Session).session_id
        if event.s is not None:
            self.s = event.s
        if event.id is not None:
            self._seen[event.id] = None
            if len(self._seen) > REMEMBERED_EVENTS:
                self._seen.popitem(last=False)
