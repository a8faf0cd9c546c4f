"""The AsyncAPI document: the event catalog for programs.

Everything in it comes from the types that events are encoded from, so it cannot differ from what is published.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

from sobremesa.http.endpoints import PREFIX
from sobremesa.http.examples import Examples
from sobremesa.http.schemas import Json, described, require_all
from sobremesa.live.events import EventType

ASYNCAPI = "3.0.0"
ABOUT = (
    "Events, over a WebSocket and by long polling. JSON is camelCase; times are RFC 3339 in UTC with "
    "milliseconds. The same event may come twice: a client ignores an `id` that it has seen."
)
_FRAME = "Frame"
_ADDRESS = f"{PREFIX}/gateway"


def document(events: Iterable[EventType[msgspec.Struct]], *, title: str, version: str, server_url: str) -> Json:
    """Return the AsyncAPI document of these events."""
    events = list(events)
    kinds = list(dict.fromkeys(event.payload for event in events))
    found, components = described(kinds)
    for schema in components.values():
        require_all(schema)
    payloads = dict(zip(kinds, found, strict=True))
    examples = Examples(components)
    server = urlsplit(server_url)
    return {
        "asyncapi": ASYNCAPI,
        "info": {
            "title": title,
            "version": version,
            "description": ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"gateway": {"host": server.netloc, "protocol": "wss" if server.scheme == "https" else "ws"}},
        "channels": {
            "gateway": {
                "address": _ADDRESS,
                "description": "One socket of one user, identified by an access token.",
                "messages": {event.name: {"$ref": f"#/components/messages/{event.name}"} for event in events},
            }
        },
        "operations": {
            "tell": {
                "action": "send",
                "channel": {"$ref": "#/channels/gateway"},
                "summary": "Events are published to the users that may see them.",
                "messages": [{"$ref": f"#/channels/gateway/messages/{event.name}"} for event in events],
            }
        },
        "components": {
            "messages": {event.name: _message(event, payloads[event.payload], examples) for event in events},
            "schemas": {**components, _FRAME: _frame()},
        },
    }


def _message(event: EventType[msgspec.Struct], payload: Json, examples: Examples) -> Json:
    """Return the frame of one kind of event."""
    own: Json = {"type": "object", "properties": {"t": {"const": event.name}, "d": payload}}
    if event.durable:
        own["required"] = ["s", "id"]
    example: Json = {"op": 0, "t": event.name, "d": examples.of(payload)}
    if event.durable:
        example |= {"s": "4f0c1a", "id": "01KA5XJQ3N5T7V9XBDFHKMPRT2"}
    return {
        "name": event.name,
        "title": event.name,
        "summary": event.summary,
        "description": f"To {event.to}.",
        "payload": {"allOf": [{"$ref": f"#/components/schemas/{_FRAME}"}, own]},
        "examples": [{"payload": example}],
    }


def _frame() -> Json:
    return {
        "title": _FRAME,
        "description": "The envelope of every event.",
        "type": "object",
        "required": ["op", "t", "d"],
        "properties": {
            "op": {"const": 0},
            "t": {"type": "string", "description": "The name of the event."},
            "s": {"type": "string", "description": "The cursor of the event, from which a client resumes."},
            "id": {"type": "string", "description": "The id of the event: the same if it comes again."},
            "d": {"type": "object", "description": "The payload."},
        },
    }
