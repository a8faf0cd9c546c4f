"""The AsyncAPI document: the frames and the event catalog for programs.

Everything in it comes from the types that frames are decoded into and events are encoded from, so it cannot differ from
what is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from sobremesa.http.endpoints import PREFIX
from sobremesa.http.examples import Examples
from sobremesa.http.schemas import REF, Json, described, require_all
from sobremesa.live.events import EventType
from sobremesa.live.frames import CLIENT_FRAMES, CLOSE_CODES, DISPATCH, SERVER_FRAMES, FrameType

ASYNCAPI = "3.1.0"
ABOUT = (
    "Frames and events of the WebSocket; the same events come by long polling. JSON is camelCase; times are RFC 3339 "
    "in UTC with milliseconds. The same event may come twice: a client ignores an `id` that it has seen."
)
_DISPATCH = "DispatchFrame"
_ADDRESS = f"{PREFIX}/gateway"
_CHANNEL: Json = {"$ref": "#/channels/gateway"}
_REPLIES = {
    "identify": ["ready", "renewed"],
    "heartbeat": ["heartbeatAck"],
    "resume": ["resumed", "gap", "invalidSession"],
    "call": ["result"],
    "watch": ["result"],
}
"""The messages that answer each frame of a client."""


def document(events: Iterable[EventType[msgspec.Struct]], *, title: str, version: str, server_url: str) -> Json:
    """Return the AsyncAPI document of the frames and of these events."""
    events = list(events)
    all_frames = [*CLIENT_FRAMES, *SERVER_FRAMES]
    kinds = list(dict.fromkeys([event.payload for event in events] + [frame.payload for frame in all_frames]))
    found, components = described(kinds)
    from_clients = {frame.payload.__name__ for frame in CLIENT_FRAMES}
    for name, schema in components.items():
        if name not in from_clients:  # a client may omit optional fields; the server never does
            require_all(schema)
    payloads = dict(zip(kinds, found, strict=True))
    examples = Examples(components)
    messages = {frame.name: _frame_message(frame, payloads[frame.payload], examples) for frame in all_frames}
    messages |= {event.name: _event_message(event, payloads[event.payload], examples) for event in events}
    server = urlsplit(server_url)
    return {
        "asyncapi": ASYNCAPI,
        "info": {"title": title, "version": version, "description": ABOUT, "license": {"name": "MIT"}},
        "defaultContentType": "application/json",
        "servers": {"gateway": {"host": server.netloc, "protocol": "wss" if server.scheme == "https" else "ws"}},
        "channels": {
            "gateway": {
                "address": _ADDRESS,
                "description": "One socket of one user, identified by a token, or by a key that acts as the user.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": {"method": "GET"}},
                "x-close-codes": {str(code): reason for code, reason in CLOSE_CODES.items()},
            }
        },
        "operations": _operations([event.name for event in events]),
        "components": {"messages": messages, "schemas": {**components, _DISPATCH: _dispatch()}},
    }


def _operations(events: Iterable[str]) -> Json:
    """Return what the server receives, with the replies, and what it sends by itself."""
    received: Json = {
        frame.name: {
            "action": "receive",
            "channel": _CHANNEL,
            "summary": frame.summary,
            "messages": _in_channel([frame.name]),
            "reply": {"channel": _CHANNEL, "messages": _in_channel(_REPLIES[frame.name])},
        }
        for frame in CLIENT_FRAMES
    }
    replies = {name for names in _REPLIES.values() for name in names}
    sent: Json = {
        frame.name: {
            "action": "send",
            "channel": _CHANNEL,
            "summary": frame.summary,
            "messages": _in_channel([frame.name]),
        }
        for frame in SERVER_FRAMES
        if frame.name not in replies
    }
    dispatch: Json = {
        "action": "send",
        "channel": _CHANNEL,
        "summary": "Events are published to the users that may see them.",
        "messages": _in_channel(events),
    }
    return {**received, **sent, "dispatch": dispatch}


def _in_channel(names: Iterable[str]) -> list[Json]:
    return [{"$ref": f"#/channels/gateway/messages/{name}"} for name in names]


def _frame_message(frame: FrameType, payload: Json, examples: Examples) -> Json:
    """Return a frame of the protocol itself."""
    properties: Json = {"op": {"const": frame.op}}
    example: Json = {"op": frame.op}
    if frame.has_id:
        properties["id"] = {"description": "The id of the call.", "anyOf": [{"type": "string"}, {"type": "integer"}]}
        example["id"] = 1
    if frame.payload is not type(None):
        properties["d"] = payload
        example["d"] = examples.of(payload)
    return _message(
        frame.name,
        frame.summary,
        {"type": "object", "required": list(properties), "properties": properties},
        example,
    )


def _event_message(event: EventType[msgspec.Struct], payload: Json, examples: Examples) -> Json:
    """Return the frame of one kind of event."""
    own: Json = {"type": "object", "properties": {"t": {"const": event.name}, "d": payload}}
    example: Json = {"op": DISPATCH, "t": event.name, "d": examples.of(payload)}
    if event.durable:
        own["required"] = ["s", "id"]
        example |= {"s": "4f0c1a", "id": "01KA5XJQ3N5T7V9XBDFHKMPRT2"}
    frame = {"allOf": [{"$ref": REF.format(name=_DISPATCH)}, own]}
    return {**_message(event.name, event.summary, frame, example), "description": f"To {event.to}."}


def _message(name: str, summary: str, payload: Json, example: Mapping[str, Any]) -> Json:
    return {
        "name": name,
        "title": name,
        "summary": summary,
        "payload": payload,
        "examples": [{"payload": example}],
    }


def _dispatch() -> Json:
    return {
        "title": _DISPATCH,
        "description": "The envelope of every event.",
        "type": "object",
        "required": ["op", "t", "d"],
        "properties": {
            "op": {"const": DISPATCH},
            "t": {"type": "string", "description": "The name of the event."},
            "s": {"type": "string", "description": "The cursor of the event, from which a client resumes."},
            "id": {"type": "string", "description": "The id of the event: the same if it comes again."},
            "d": {"type": "object", "additionalProperties": True, "description": "The payload."},
        },
    }
