"""The protocol of Sobremesa's gateway, as a client of the load test."""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.loadtest.connection import TEXT, Connection, frame

PATH = "/v1/gateway"
EVENT = b'{"op":0,"t":"message.created"'
FILLER = "The coffee is ready, and there is cake for all who come. "

_encode = msgspec.json.encode
_HELLO = b'{"op":10'
_READY = b'{"op":0,"t":"ready"'
_RESULT = b'{"op":13'
_GOOD = b'"d":{"status":20'


class GatewayDialect:
    """Identifies with a token, and then makes calls; watches channels, if there are any."""

    path = PATH
    event = EVENT

    def __init__(self, token: str, *channels: str) -> None:
        self._identify = _encode({"op": 2, "d": {"token": token, "channelIds": channels}})

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if payload.startswith(_RESULT):
            connection.on_result(_GOOD in payload[:80], payload)
        elif payload.startswith(_HELLO):
            connection.send_text(self._identify)
        elif payload.startswith(_READY) and not connection.ready.done():
            connection.ready.set_result(None)


def content(number: int) -> str:
    """Return the content of a message; it starts with a number that identifies it."""
    return f"{number:08d} {FILLER}"


def call(method: str, **params: Any) -> bytes:
    """Return the frame of a call."""
    return frame(TEXT, _encode({"op": 12, "id": 1, "d": {"method": method, "params": params}}))


def send_frames(channel_id: str) -> tuple[bytes, bytes]:
    """Return the frame that sends a message, in two pieces with the eight digits of its number between them."""
    before, _, after = call("channels.sendMessage", roomId=channel_id, content=content(0)).partition(b"00000000")
    return before, after


def page_frame(channel_id: str) -> bytes:
    """Return the frame that requests the newest 50 messages of a channel."""
    return call("channels.listMessages", roomId=channel_id, limit=50)
