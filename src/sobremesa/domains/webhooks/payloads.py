"""The body of a webhook request: `{type, timestamp, data}`, as a subscriber of the room would receive the event.

`userId` is added to events of one user, whose payload does not name them. The payload is never the one of moderators or
of the author: withheld content and private fields are not in it. A body above the limit has only the ids of its data,
and `truncated`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from sobremesa.core.clock import instant
from sobremesa.live.events import Event, parts_of

MAX_BODY_BYTES = 256 * 1024
MAX_ID = 512
_KINDS = ("roomKind", "type", "tenant", "inbox", "name", "tab", "createdAt")

ROOM_IDS = ("roomId", "convoId", "threadId", "channelId")
"""The fields that name the room of an event."""


class EventBody(NamedTuple):
    """An event as webhooks send it."""

    type: str
    room_id: str | None
    room_key: str
    """Events with the same key are sent in order: the id of the room, or else the topic."""
    body: str


def body_of(event: Event, at_ms: int) -> EventBody:
    """Return the body of an event; its payload must be resolved."""
    data: dict[str, Any] = msgspec.json.decode(event.d)
    room_id = next((str(data[name]) for name in ROOM_IDS if data.get(name)), None)
    kind, id = parts_of(event.topics[0])
    whole: dict[str, Any] = {"type": event.t, "timestamp": instant(at_ms), "data": data}
    if kind == "user":
        whole["userId"] = id
    body = msgspec.json.encode(whole)
    if len(body) > MAX_BODY_BYTES:
        body = msgspec.json.encode({**whole, "data": _ids_of(data), "truncated": True})
    return EventBody(event.t, room_id, room_id or event.topics[0], body.decode())


def _ids_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the ids and kinds of a payload, from which a receiver can fetch the rest."""
    return {
        name: value
        for name, value in data.items()
        if isinstance(value, str) and len(value) <= MAX_ID and (name.endswith("Id") or name in _KINDS)
    }
