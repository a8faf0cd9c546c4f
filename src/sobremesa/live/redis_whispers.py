"""Whispers that all nodes hear."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sobremesa.live.events import Announcement
from sobremesa.live.hub import Hub
from sobremesa.live.redis_channel import RedisChannel

SUBJECT = "whispers"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Announcement).decode


class RedisWhispers:
    """Tells those who listen here at once, and all others by their own nodes."""

    def __init__(self, hub: Hub, channel: RedisChannel) -> None:
        self._hub = hub
        self._channel = channel
        self._overhear: list[Callable[[Announcement], None]] = []
        channel.on(SUBJECT, self._hear)

    def whisper(self, announcement: Announcement) -> None:
        self._hub.tell(announcement)
        self._channel.say(SUBJECT, _encode(announcement))

    def overhear(self, hear: Callable[[Announcement], None]) -> None:
        self._overhear.append(hear)

    def _hear(self, body: bytes) -> None:
        announcement = _decode(body)
        self._hub.tell(announcement)
        for hear in self._overhear:
            hear(announcement)
