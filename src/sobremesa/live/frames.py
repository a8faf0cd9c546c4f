"""Frames: what goes over a socket in both directions, and the close codes."""

from __future__ import annotations

from typing import Any, Final

import msgspec

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

UNKNOWN_ERROR: Final = 4000
UNKNOWN_OP: Final = 4001
UNREADABLE: Final = 4002
NOT_IDENTIFIED: Final = 4003
REFUSED: Final = 4004
"""The token is invalid or has expired: reconnect with another."""
ALREADY_IDENTIFIED: Final = 4005
TOO_MANY: Final = 4008
TIMED_OUT: Final = 4009
TOO_SLOW: Final = 4015
"""The client did not keep up; a resume delivers what it missed."""
RESTARTING: Final = 1012

_TEXT = b"\x81"

_encode = msgspec.json.Encoder().encode


class ClientFrame(msgspec.Struct):
    """A frame from a client; `d` is decoded once `op` is known."""

    op: int
    d: msgspec.Raw = msgspec.Raw(b"null")
    id: str | int | None = None


class Identify(msgspec.Struct):
    token: str


class Resume(msgspec.Struct, rename="camel"):
    token: str
    session_id: str
    s: str


class Call(msgspec.Struct):
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


decode_frame = msgspec.json.Decoder(ClientFrame).decode
decode_identify = msgspec.json.Decoder(Identify).decode
decode_resume = msgspec.json.Decoder(Resume).decode
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
