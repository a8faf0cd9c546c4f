"""Frames: what goes over a socket in both directions, and the close codes."""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple

import msgspec

from sobremesa.core.ids import RoomId
from sobremesa.http.decoding import MAX_ID_CHARACTERS

DISPATCH: Final = 0
HEARTBEAT: Final = 1
IDENTIFY: Final = 2
RESUME: Final = 6
RECONNECT: Final = 7
INVALID_SESSION: Final = 9
HELLO: Final = 10
HEARTBEAT_ACK: Final = 11
CALL: Final = 12
RESULT: Final = 13
WATCH: Final = 14

UNKNOWN_ERROR: Final = 4000
UNKNOWN_OP: Final = 4001
UNREADABLE: Final = 4002
NOT_IDENTIFIED: Final = 4003
REFUSED: Final = 4004
ALREADY_IDENTIFIED: Final = 4005
TOO_MANY: Final = 4008
TIMED_OUT: Final = 4009
BUSY: Final = 4013
TOO_SLOW: Final = 4015
RESTARTING: Final = 1012

CLOSE_CODES: Final = {
    UNKNOWN_ERROR: "Internal error: resume.",
    UNKNOWN_OP: "A frame has an op that clients cannot send.",
    UNREADABLE: "A frame is malformed.",
    NOT_IDENTIFIED: "A call before identify.",
    REFUSED: "The token is not valid, or the token or session has ended: get a new token; or a key may not act so.",
    ALREADY_IDENTIFIED: "A token of another user on an identified socket.",
    TOO_MANY: "Too many frames or connections: wait, then resume.",
    TIMED_OUT: "No identify or no heartbeat in time: resume.",
    BUSY: "No turn soon: wait as long as op 7 says, then resume or identify.",
    TOO_SLOW: "The client did not keep up: a resume delivers what it missed.",
    RESTARTING: "The server restarts: resume.",
}
"""Why the server closes a socket, and what to do."""

_TEXT = b"\x81"

_encode = msgspec.json.Encoder().encode


class ClientFrame(msgspec.Struct):
    """A frame from a client; `d` is decoded once `op` is known."""

    op: int
    d: msgspec.Raw = msgspec.Raw(b"null")
    id: str | int | None = None


class Hello(msgspec.Struct, rename="camel"):
    """The first frame of the server."""

    heartbeat_interval: Annotated[int, msgspec.Meta(description="Milliseconds between heartbeats.", examples=[30_000])]


class Reconnect(msgspec.Struct, rename="camel"):
    """When to reconnect: after `retryAfter`, and a random part of `spread` more."""

    retry_after: Annotated[float, msgspec.Meta(description="Seconds to wait at least.", examples=[12.5])]
    spread: Annotated[float, msgspec.Meta(description="Seconds of which to wait a random part more.", examples=[5.0])]


class Heartbeat(msgspec.Struct):
    """The cursor of the last event, null before the first."""

    s: str | None


ActAs = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=MAX_ID_CHARACTERS,
        description="With a server key: the user that it acts as, by id or by `ext:` and the external id.",
        examples=["ext:customer-17"],
    ),
]


ChannelIds = Annotated[
    list[Annotated[RoomId, msgspec.Meta(min_length=1, max_length=MAX_ID_CHARACTERS)]],
    msgspec.Meta(description="The channels to watch from now on. Those that you do not see are ignored."),
]


class Identify(msgspec.Struct, rename="camel"):
    """The access token of a user; or a server key, and the user that it acts as."""

    token: str
    act_as: ActAs | None = None
    channel_ids: ChannelIds = []


class Resume(msgspec.Struct, rename="camel"):
    """The session of `ready`, and the cursor of the last event."""

    token: str
    session_id: str
    s: str
    act_as: ActAs | None = None
    channel_ids: ChannelIds = []


class Watch(msgspec.Struct, rename="camel"):
    """The channels that the client shows, instead of those before."""

    channel_ids: ChannelIds


class Call(msgspec.Struct):
    """An endpoint, by its operation id or its request line, and its parameters in one object."""

    method: Annotated[str, msgspec.Meta(examples=["channels.sendMessage"])]
    # A default would have to be encoded for the schema, which a raw value cannot.
    params: Annotated[msgspec.Raw, msgspec.Meta(examples=[{"content": "Hello"}])] = msgspec.field(
        default_factory=lambda: msgspec.Raw(b"{}")
    )


class Result(msgspec.Struct):
    """The status and the body of the response; the body of an error is a problem."""

    status: Annotated[int, msgspec.Meta(examples=[200])]
    body: Any


class FrameType(NamedTuple):
    """A kind of frame of the protocol itself, for the documentation."""

    name: str
    op: int
    payload: Any
    summary: str
    has_id: bool = False


CLIENT_FRAMES: Final = (
    FrameType("identify", IDENTIFY, Identify, "Identify, or renew the token of an identified socket."),
    FrameType("heartbeat", HEARTBEAT, Heartbeat, "Show that the client is there."),
    FrameType("resume", RESUME, Resume, "Identify, and receive the events that were missed."),
    FrameType("call", CALL, Call, "Run an endpoint.", has_id=True),
    FrameType("watch", WATCH, Watch, "Watch channels: receive their events in large servers, too.", has_id=True),
)
SERVER_FRAMES: Final = (
    FrameType("hello", HELLO, Hello, "The first frame: identify or resume within 10 seconds."),
    FrameType("heartbeatAck", HEARTBEAT_ACK, type(None), "The heartbeat was received."),
    FrameType("reconnect", RECONNECT, Reconnect, "The server is about to stop, or is busy: reconnect when it says."),
    FrameType("invalidSession", INVALID_SESSION, bool, "The session or cursor is not valid: identify on this socket."),
    FrameType("result", RESULT, Result, "The result of a call, or the channels that are watched now.", has_id=True),
)


decode_frame = msgspec.json.Decoder(ClientFrame).decode
decode_identify = msgspec.json.Decoder(Identify).decode
decode_resume = msgspec.json.Decoder(Resume).decode
decode_watch = msgspec.json.Decoder(Watch).decode
decode_call = msgspec.json.Decoder(Call).decode


def text_frame(payload: bytes) -> bytes:
    """Return a whole WebSocket text frame from a server: not masked, not compressed, not fragmented."""
    size = len(payload)
    if size < 126:
        return _TEXT + size.to_bytes(1, "big") + payload
    if size < 65536:
        return _TEXT + b"\x7e" + size.to_bytes(2, "big") + payload
    return _TEXT + b"\x7f" + size.to_bytes(8, "big") + payload


def payload_of(frame: bytes) -> bytes:
    """Return the payload of a frame made by `text_frame`."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


def op_frame(op: int, d: Any = None) -> bytes:
    """Return a frame of the protocol itself."""
    return text_frame(_encode({"op": op} if d is None else {"op": op, "d": d}))


def event_payload(t: str, d: bytes, s: str = "", id: str = "") -> bytes:
    """Return an event as JSON; without `s` and `id` if it is ephemeral."""
    position = b',"s":%b' % _encode(s) if s else b""
    if id:
        position += b',"id":%b' % _encode(id)
    return b'{"op":0,"t":"%b"%b,"d":%b}' % (t.encode(), position, d)


def result_frame(id: str | int | None, status: int, body: bytes) -> bytes:
    """Return the frame with the result of a call."""
    return text_frame(b'{"op":13,"id":%b,"d":{"status":%d,"body":%b}}' % (_encode(id), status, body or b"null"))
