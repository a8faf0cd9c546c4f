"""Ephemeral events that reach the nodes with subscribers of their topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.live.events import Event, MembershipKey, user
from sobremesa.live.hub import Hub
from sobremesa.live.topic_messages import TopicMessages

EVENT = b"ephemeral"
QUESTION = b"question"
REMOVAL = b"removal"


class _Published(msgspec.Struct, array_like=True):
    """An event, and to which of its subscribers it is not delivered."""

    event: Event
    without: UserId | None
    max_subscribers: int | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Published).decode
_decode_event = msgspec.msgpack.Decoder(Event).decode
_decode_key = msgspec.msgpack.Decoder(MembershipKey).decode


class TopicEphemeralEvents:
    """Publishes to the subscribers of this node, and through Redis to those of the others."""

    def __init__(self, hub: Hub, messages: TopicMessages) -> None:
        self._hub = hub
        self._messages = messages
        self._remote_handlers: list[Callable[[Event], None]] = []
        messages.on(EVENT, self._on_event)
        messages.on(QUESTION, self._on_question)
        messages.on(REMOVAL, self._on_removal)

    def publish(self, event: Event, *, without: UserId | None = None, max_subscribers: int | None = None) -> None:
        self._hub.publish(event, without=without, max_subscribers=max_subscribers)
        self._messages.publish(EVENT, event.topics, _encode(_Published(event, without, max_subscribers)))

    def ask_nodes(self, event: Event) -> None:
        self._messages.publish(QUESTION, event.topics, _encode(event))

    def on_remote(self, handler: Callable[[Event], None]) -> None:
        self._remote_handlers.append(handler)

    def disconnect(self, keys: Sequence[MembershipKey]) -> None:
        self._hub.disconnect(keys)
        for key in keys:
            self._messages.publish(REMOVAL, [user(key.user_id)], _encode(key), is_repeated=True)

    def _on_event(self, body: bytes) -> None:
        published = _decode(body)
        self._hub.publish(published.event, without=published.without, max_subscribers=published.max_subscribers)
        self._handle(published.event)

    def _on_question(self, body: bytes) -> None:
        self._handle(_decode_event(body))

    def _handle(self, event: Event) -> None:
        for handler in self._remote_handlers:
            handler(event)

    def _on_removal(self, body: bytes) -> None:
        self._hub.suspect(_decode_key(body))
