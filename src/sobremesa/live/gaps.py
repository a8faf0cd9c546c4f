"""The gap: what somebody has to fetch who was away for longer than events are kept."""

from __future__ import annotations

from sobremesa.clock import Instant
from sobremesa.http.endpoints import Output


class MissedRoom(Output):
    """A room in which something was said: fetch `messages?after={after}`, up to the message `until`."""

    room_kind: str
    room_id: str
    after: str
    until: str


class Gap(Output):
    """What was missed since a moment. A fresh `ready` comes right after it."""

    since: Instant
    rooms: list[MissedRoom]
