"""Ephemeral events that reach all nodes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.live.events import Event
from sobremesa.live.hub import Hub
from sobremesa.live.redis_channel import RedisChannel

SUBJECT = "ephemeral"
QUESTIONS = "ephemeral-questions"


class _Published(msgspec.Struct, array_like=True):
    """An event, and to which of its subscribers it is not delivered."""

    event: Event
    without: UserId | None
    max_subscribers: int | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Published).decode
_decode_event = msgspec.msgpack.Decoder(Event).decode


class RedisEphemeralEvents:
    """Publishes to the subscribers of this node, and through Redis to those of the others."""

    def __init__(self, hub: Hub, channel: RedisChannel) -> None:
        self._hub = hub
        self._channel = channel
        self._remote_handlers: list[Callable[[Event], None]] = []
        channel.on(SUBJECT, self._on_message)
        channel.on(QUESTIONS, self._on_question)

    def publish(self, event: Event, *, without: UserId | None = None, max_subscribers: int | None = None) -> None:
        self._hub.publish(event, without=without, max_subscribers=max_subscribers)
        self._channel.publish(SUBJECT, _encode(_Published(event, without, max_subscribers)))

    def ask_nodes(self, event: Event) -> None:
        self._channel.publish(QUESTIONS, _encode(event))

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        self._remote_handlers.append(handler)

    def _on_message(self, body: bytes) -> None:
        published = _decode(body)
        self._hub.publish(published.event, without=published.without, max_subscribers=published.max_subscribers)
        self._handle(published.event)

    def _on_question(self, body: bytes) -> None:
        self._handle(_decode_event(body))

    def _handle(self, event: Event) -> None:
        for handler in self._remote_handlers:
            handler(event)
