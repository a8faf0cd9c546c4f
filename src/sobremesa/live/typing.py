"""Typing: that a user is writing in a room, or no longer is, published to those connected now and stored nowhere."""

from __future__ import annotations

import asyncio

from sobremesa.core.actor import UserId
from sobremesa.core.ids import RoomId, RoomKindName
from sobremesa.http.endpoints import Output
from sobremesa.live.ephemeral import EphemeralEvents
from sobremesa.live.events import Event, EventType, Topic
from sobremesa.table.cache import Cache

QUIET_SECONDS = 3.0
"""How long the same is not published again of the same user in the same room."""
CACHE_SIZE = 10_000


class TypingStarted(Output):
    """A user is writing; it holds for ten seconds, or until they send a message or stop."""

    room_id: RoomId
    room_kind: RoomKindName
    user_id: UserId
    username: str
    display_name: str | None


typing_started = EventType(
    "typing.started", TypingStarted, "A user is writing; at most once in three seconds.", durable=False
)


class TypingStopped(Output):
    """A user has cleared what they were writing."""

    room_id: RoomId
    room_kind: RoomKindName
    user_id: UserId


typing_stopped = EventType(
    "typing.stopped", TypingStopped, "A user who was writing stopped without sending.", durable=False
)


class Typing:
    """Publishes that users write, and that they stopped; the same again only after a pause."""

    def __init__(self, ephemeral: EphemeralEvents) -> None:
        self._ephemeral = ephemeral
        self._last: Cache[tuple[str, UserId], tuple[str, float]] = Cache(CACHE_SIZE)
        """What was published last of a user in a room, and when."""

    def started(self, typing: TypingStarted, topic: Topic) -> None:
        self._publish(typing_started.event(typing, topic, room=_watched(typing)), typing.room_id, typing.user_id)

    def stopped(self, typing: TypingStopped, topic: Topic) -> None:
        self._publish(typing_stopped.event(typing, topic, room=_watched(typing)), typing.room_id, typing.user_id)

    def _publish(self, event: Event, room_id: str, user_id: UserId) -> None:
        now = asyncio.get_running_loop().time()
        last = self._last.find((room_id, user_id))
        if last is not None and last[0] == event.t and now - last[1] < QUIET_SECONDS:
            return
        self._last.keep((room_id, user_id), (event.t, now))
        self._ephemeral.publish(event)


def _watched(typing: TypingStarted | TypingStopped) -> str:
    """Return the channel that users watch; empty in other kinds of room."""
    return typing.room_id if typing.room_kind == "channel" else ""
