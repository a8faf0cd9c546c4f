"""The protocols of both systems, for clients that are cut off and come back with what they have."""

from __future__ import annotations

import time
from typing import Any, Protocol

import msgspec
from joserfc import jwt
from joserfc.jwk import OctKey

from sobremesa.loadtest.connection import Connection, Dialect
from sobremesa.loadtest.gateway import EVENT, PATH
from sobremesa.loadtest.scenarios import MARK

SECRET = "the secret of the benchmark, which is public"
TOKEN_SECONDS = 3600
ROOM = "room:1"
_encode = msgspec.json.encode
_decode = msgspec.json.decode


class Client(Dialect, Protocol):
    """A client that resumes where it was, whenever it connects again."""

    retry_after: float | None
    """When the server asked it to come back, if it did."""

    def beat(self, connection: Connection) -> None:
        """Show that the client is there."""
        ...


class GatewayClient:
    """A client of Sobremesa's gateway, which watches these channels."""

    path = PATH
    event = EVENT

    def __init__(self, token: str, *channels: str) -> None:
        self.retry_after: float | None = None
        self._identity = {"token": token, "channelIds": channels}
        self._session: dict[str, str] = {}

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if payload.startswith(b'{"op":13'):
            connection.on_result(b'"d":{"status":20' in payload[:80], payload)
        elif payload.startswith(b'{"op":10'):
            op = 6 if self._session else 2
            connection.send_text(_encode({"op": op, "d": self._identity | self._session}))
        elif payload.startswith(b'{"op":7'):
            self.retry_after = float(_decode(payload)["d"]["retryAfter"])
        elif payload.startswith((b'{"op":0,"t":"ready"', b'{"op":0,"t":"resumed"')) and not connection.ready.done():
            if not self._session:
                self._session = {"sessionId": _field(payload, b"sessionId"), "s": _field(payload, b"s")}
            connection.ready.set_result(None)

    def beat(self, connection: Connection) -> None:
        connection.send_text(b'{"op":1}')


class CentrifugoClient:
    """A client of Centrifugo; without a channel, one that only sends."""

    path = "/connection/websocket"
    event = b"\0"
    """None: one frame may have several publications, so that they are counted here."""

    def __init__(self, user: str, channel: str | None) -> None:
        self.retry_after: float | None = None
        self._token = jwt.encode(
            {"alg": "HS256"}, {"sub": user, "exp": int(time.time()) + TOKEN_SECONDS}, OctKey.import_key(SECRET)
        )
        self._channel = channel
        self._position: dict[str, Any] = {}

    def handle_open(self, connection: Connection) -> None:
        frames: list[dict[str, Any]] = [{"id": 1, "connect": {"token": self._token}}]
        if self._channel is not None:
            frames.append({"id": 2, "subscribe": {"channel": self._channel, **self._position}})
        connection.send_text(b"\n".join(map(_encode, frames)))

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if payload == b"{}":
            connection.send_text(b"{}")
            return
        tally = connection.tally
        tally.count += payload.count(MARK)
        if b'{"id":' in payload:
            for line in payload.split(b"\n"):
                if line.startswith(b'{"id":'):
                    self._handle_reply(connection, line)
        if tally.count >= tally.target:
            tally.on_target()

    def _handle_reply(self, connection: Connection, line: bytes) -> None:
        if connection.ready.done():
            connection.on_result(b'"error"' not in line, line)
            return
        reply = _decode(line)
        if "error" in reply:
            raise ValueError(f"Centrifugo refused a client: {reply['error']}")
        if "subscribe" in reply and not self._position:
            found = reply["subscribe"]
            self._position = {"recover": True, "epoch": found["epoch"], "offset": found.get("offset", 0)}
        if ("subscribe" if self._channel else "connect") in reply:
            connection.ready.set_result(None)

    def beat(self, connection: Connection) -> None:
        """It answers the server's pings instead."""


def _field(payload: bytes, name: bytes) -> str:
    """Return the first string of this name in a frame."""
    return payload.partition(b'"%b":"' % name)[2].partition(b'"')[0].decode()
