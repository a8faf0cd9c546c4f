"""Ephemeral events that reach all nodes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sobremesa.live.events import Event
from sobremesa.live.hub import Hub
from sobremesa.live.redis_channel import RedisChannel

SUBJECT = "whispers"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Event).decode


class RedisEphemeralEvents:
    """Publishes to the subscribers of this node, and through Redis to those of the others."""

    def __init__(self, hub: Hub, channel: RedisChannel) -> None:
        self._hub = hub
        self._channel = channel
        self._remote_handlers: list[Callable[[Event], None]] = []
        channel.on(SUBJECT, self._on_message)

    def publish(self, event: Event) -> None:
        self._hub.publish(event)
        self._channel.publish(SUBJECT, _encode(event))

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        self._remote_handlers.append(handler)

    def _on_message(self, body: bytes) -> None:
        event = _decode(body)
        self._hub.publish(event)
        for handler in self._remote_handlers:
            handler(event)
