"""One connection to the gateway, from its hello to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from sobremesa.client.calls import Calls
from sobremesa.client.errors import ApiError, ClientError, SignedOut
from sobremesa.client.frames import Event, Frame, Hello, Op, Reconnect, Result, SessionCursor
from sobremesa.client.pace import Pace
from sobremesa.client.tokens import Tokens

HELLO_WITHIN_SECONDS = 10.0
MAX_FRAME_BYTES = 64 * 1024

TOKEN_REFUSED = 4004
_NEVER = {400, 401, 404, 405, 410}

log = logging.getLogger("sobremesa.client")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Frame).decode


class Connection:
    """Speaks the protocol on one socket: identifies, sends heartbeats, renews the token, and delivers events."""

    def __init__(
        self,
        socket: ClientConnection,
        *,
        cursor: SessionCursor,
        tokens: Tokens,
        calls: Calls,
        pace: Pace,
        deliver: Callable[[Event], bool],
    ) -> None:
        self._socket = socket
        self._cursor = cursor
        self._tokens = tokens
        self._calls = calls
        self._pace = pace
        self._deliver = deliver
        self._acknowledged = True
        self._signed_out: SignedOut | None = None
        self.token: str | None = None
        """The token that this connection last identified with."""
        self.reconnect: Reconnect | None = None
        """When to reconnect, if the server has named a time."""

    @property
    def close_code(self) -> int | None:
        """The close code of the server, if it closed the socket."""
        return self._socket.close_code

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Run until the connection ends, for whatever reason; raises SignedOut if there is no valid token."""
        try:
            interval = await self._hello()
            await self._identify()
            beside = [asyncio.create_task(self._beat(interval)), asyncio.create_task(self._renew())]
            try:
                await self._read(on_ready)
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
        except ConnectionClosed as closed:
            log.info("the gateway closed the connection: %s", closed)
        except TimeoutError:
            log.warning("the gateway sent no hello in time")
        except msgspec.MsgspecError as error:
            # A resume would replay the frame that cannot be decoded, so start over with a new snapshot.
            log.warning("the gateway sent a frame that is not valid: %r", error)
            self._cursor.clear()
        if self._signed_out is not None:
            raise self._signed_out

    async def send(self, frame: Frame) -> None:
        """Send a frame; raises ApiError if it is too long for the server, which would close the connection."""
        raw = _encode(frame)
        if len(raw) > MAX_FRAME_BYTES:
            raise ApiError(
                413, "too_large", f"A frame has at most {MAX_FRAME_BYTES} bytes.", {"limit": MAX_FRAME_BYTES}
            )
        await self._socket.send(raw, text=True)

    async def _hello(self) -> float:
        """Return the seconds between heartbeats."""
        async with asyncio.timeout(HELLO_WITHIN_SECONDS):
            frame = await self._receive()
        if frame.op != Op.HELLO:
            raise msgspec.ValidationError(f"op {frame.op} instead of a hello")
        return msgspec.convert(frame.d, Hello).heartbeat_interval / 1000

    async def _identify(self) -> None:
        """Identify, or resume if there was a session before."""
        self.token = await self._tokens.current()
        asked: dict[str, Any] = {"token": self.token}
        if self._cursor.watched:
            asked["channelIds"] = self._cursor.watched
        if self._cursor.session_id is None:
            await self.send(Frame(Op.IDENTIFY, asked))
        else:
            await self.send(Frame(Op.RESUME, asked | {"sessionId": self._cursor.session_id, "s": self._cursor.s}))

    async def _read(self, on_ready: Callable[[], None]) -> None:
        while True:
            frame = await self._receive()
            match frame.op:
                case Op.DISPATCH:
                    if not self._dispatch(frame, on_ready):
                        return
                case Op.HEARTBEAT_ACK:
                    self._acknowledged = True
                case Op.RESULT:
                    self._calls.resolve(frame.id, msgspec.convert(frame.d, Result))
                case Op.INVALID_SESSION:
                    self._cursor.clear()
                    await self._identify()
                case Op.RECONNECT:
                    # Older servers do not say when.
                    self.reconnect = None if frame.d is None else msgspec.convert(frame.d, Reconnect)
                    return
                case _:
                    log.debug("a frame of an unknown kind: op %s", frame.op)

    def _dispatch(self, frame: Frame, on_ready: Callable[[], None]) -> bool:
        """Deliver an event; False if there is no room for it, so that it must be replayed later."""
        event = msgspec.convert(frame, Event, from_attributes=True)
        if event.t == "renewed":
            return True
        if not self._cursor.has_seen(event) and not self._deliver(event):
            return False
        self._cursor.advance(event)
        if event.t in ("ready", "resumed"):
            on_ready()
        return True

    async def _receive(self) -> Frame:
        return _decode(await self._socket.recv(decode=False))

    async def _beat(self, interval: float) -> None:
        """Send heartbeats, the first after a random part of the interval; abort if one is not acknowledged."""
        await self._pace.sleep(interval * self._pace.chance())
        while True:
            self._acknowledged = False
            await self.send(Frame(Op.HEARTBEAT, {"s": self._cursor.s}))
            await self._pace.sleep(interval)
            if not self._acknowledged:
                log.warning("a heartbeat was not acknowledged; closing the connection")
                self._socket.transport.abort()
                return

    async def _renew(self) -> None:
        """Identify with a fresh token before the current one expires."""
        attempt = 0
        while (due_in := self._tokens.due_in) is not None:
            await self._pace.sleep(due_in)
            try:
                self.token = await self._tokens.current()
                await self.send(Frame(Op.IDENTIFY, {"token": self.token}))
                attempt = 0
            except SignedOut as error:
                self._signed_out = error
                await self._socket.close()
                return
            except ClientError as error:
                log.warning("the token could not be renewed; retrying: %s", error)
                await self._pace.sleep(self._pace.backoff(attempt))
                attempt += 1


def is_permanent(error: Exception) -> bool:
    """Return whether a retry of a refused handshake is pointless. 403 may come from a server that is stopping."""
    return isinstance(error, InvalidStatus) and error.response.status_code in _NEVER
