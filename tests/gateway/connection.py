"""A gateway client that speaks the protocol frame by frame.

async with served.connect(ana) as socket:
    await socket.identify()
    await served.send(channel, "hello")
    assert (await socket.wait_for("message.created"))["content"] == "hello"
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self

import websockets
from websockets.asyncio.client import ClientConnection, connect

SOON_SECONDS = 60.0
QUIET_SECONDS = 0.3


class Closed(Exception):
    """The server has closed the socket, with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code


class Connection:
    """One socket."""

    def __init__(self, url: str, token: str | None = None, *, act_as: str | None = None, **options: Any) -> None:
        self._url = url.replace("http", "ws", 1) + "/v1/gateway"
        self._options = {"compression": None, "ping_interval": None, "max_queue": None} | options
        self._calls = 0
        self._socket: ClientConnection | None = None
        self.token = token
        self._acting = {} if act_as is None else {"actAs": act_as}
        self.session_id = ""
        self.s = ""
        """The cursor of the last event that was received."""
        self.ready: dict[str, Any] = {}

    @property
    def socket(self) -> ClientConnection:
        assert self._socket is not None
        return self._socket

    async def __aenter__(self) -> Self:
        self._socket = await connect(self._url, **self._options)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    # Frames

    async def send(self, op: int, d: Any = None, **more: Any) -> None:
        await self.socket.send(json.dumps({"op": op, "d": d, **more}))

    async def frame(self, seconds: float = SOON_SECONDS) -> dict[str, Any]:
        """Return the next frame; raises Closed if there is none."""
        try:
            async with asyncio.timeout(seconds):
                found: dict[str, Any] = json.loads(await self.socket.recv())
        except websockets.ConnectionClosed as closed:
            closing = closed.rcvd
            raise Closed(1006 if closing is None else closing.code, "" if closing is None else closing.reason) from None
        if "s" in found:
            self.s = found["s"]
        return found

    async def closed(self) -> Closed:
        """Return how the server closes the socket, whatever it sends before."""
        while True:
            try:
                await self.frame()
            except Closed as closed:
                return closed

    async def is_quiet(self, *names: str) -> bool:
        """Return whether no more events come, or none of these names."""
        try:
            async with asyncio.timeout(QUIET_SECONDS):
                while names and (await self.frame()).get("t") not in names:
                    pass
                if not names:
                    await self.frame()
        except TimeoutError:
            return True
        return False

    # The protocol

    async def identify(self, token: str | None = None) -> dict[str, Any]:
        """Identify; return the payload of `ready`."""
        assert (await self.frame())["op"] == 10
        await self.send(2, {"token": token or self.token, **self._acting})
        ready = await self.frame()
        assert (ready["op"], ready["t"]) == (0, "ready"), ready
        self.ready = ready["d"]
        self.session_id = self.ready["sessionId"]
        return self.ready

    async def resume(self, before: Connection, s: str | None = None, **more: Any) -> list[dict[str, Any]]:
        """Resume the session of another socket; return the missed events, until `resumed`."""
        assert (await self.frame())["op"] == 10
        self.session_id = before.session_id
        cursor = before.s if s is None else s
        await self.send(6, {"token": self.token, "sessionId": before.session_id, "s": cursor, **self._acting, **more})
        missed: list[dict[str, Any]] = []
        while (frame := await self.frame())["t"] != "resumed":
            missed.append(frame)
        return missed

    async def event(self, *names: str) -> dict[str, Any]:
        """Return the next event of one of these names, or of any."""
        while True:
            frame = await self.frame()
            if frame["op"] == 0 and (not names or frame["t"] in names):
                return frame

    async def wait_for(self, *names: str, **fields: Any) -> Any:
        """Return the payload of the next event of one of these names that has these fields.

        On DynamoDB, events of what was done before a client connected may still arrive: name the field that
        distinguishes the expected event from them.
        """
        while True:
            payload = (await self.event(*names))["d"]
            if fields.items() <= payload.items():
                return payload

    async def call(self, method: str, **params: Any) -> tuple[int, Any]:
        """Return status and body of a call; events before the result are dropped."""
        return await self._result(12, {"method": method, "params": params})

    async def watch(self, *channel_ids: str) -> list[dict[str, Any]]:
        """Watch these channels; return those that are watched now. Events before the result are dropped."""
        status, body = await self.ask_to_watch(list(channel_ids))
        assert status == 200, body
        channels: list[dict[str, Any]] = body["channels"]
        return channels

    async def ask_to_watch(self, channel_ids: Any) -> tuple[int, Any]:
        """Return status and body of the result."""
        return await self._result(14, {"channelIds": channel_ids})

    async def _result(self, op: int, d: Any) -> tuple[int, Any]:
        self._calls += 1
        await self.send(op, d, id=self._calls)
        while True:
            frame = await self.frame()
            if frame["op"] == 13 and frame["id"] == self._calls:
                return frame["d"]["status"], frame["d"]["body"]
