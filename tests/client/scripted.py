"""A gateway that follows a script, frame by frame, over a real socket; it also refreshes tokens.

async with Scripted() as script, Client(script.url, token="t") as client:
    async with script.live(client) as (live, peer):
        await peer.send(t="message.created", s="2", id="e2", d=...)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any

import aiohttp
from aiohttp import web

from sobremesa.client import Client, Event, Gateway

WITHIN_SECONDS = 10.0
INTERVAL_SECONDS = 30.0
LIFETIME_SECONDS = 600


class Peer:
    """The server's end of one connection."""

    def __init__(self, request: web.Request, socket: web.WebSocketResponse) -> None:
        self._request = request
        self._socket = socket
        self._received: asyncio.Queue[Any] = asyncio.Queue()
        self.closed: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def read(self) -> None:
        async for message in self._socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._received.put_nowait(message.json())
        self.closed.set_result(self._socket.close_code)

    async def receives(self, op: int) -> Any:
        """Return the payload of the next frame, which must be of this kind."""
        async with asyncio.timeout(WITHIN_SECONDS):
            frame = await self._received.get()
        assert frame["op"] == op, frame
        return frame if op == 12 else frame["d"]

    async def sends(self, op: int = 0, **frame: Any) -> None:
        await self._socket.send_json({"op": op, **frame})

    async def sends_raw(self, text: str) -> None:
        await self._socket.send_str(text)

    async def sends_ready(self, session_id: str = "session", s: str = "1", **more: Any) -> None:
        await self.sends(t="ready", s=s, d={"sessionId": session_id} | more)

    async def answers(self, call: Any, status: int, body: Any = None) -> None:
        await self.sends(13, id=call["id"], d={"status": status, "body": body})

    async def close(self, code: int) -> None:
        await self._socket.close(code=code)

    def cut(self) -> None:
        """Abort the connection, as when a cable is pulled."""
        assert self._request.transport is not None
        self._request.transport.abort()


class Scripted:
    """Waits for connections, and does nothing by itself but refresh tokens."""

    def __init__(self, interval_seconds: float = INTERVAL_SECONDS) -> None:
        self._interval_seconds = interval_seconds
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()
        self.refuse: list[int] = []
        """The statuses with which the next handshakes are refused."""
        self.retry_after: str | None = None
        """Sent with them."""
        self.sessions_end = False
        self.refreshed = 0
        self.url = ""

    async def __aenter__(self) -> Scripted:
        application = web.Application()
        application.router.add_get("/v1/gateway", self._gateway)
        application.router.add_post("/v1/auth/refresh", self._refresh)
        application.router.add_routes(self.routes())
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def routes(self) -> list[web.RouteDef]:
        """Further routes, for scripts that need some."""
        return []

    async def accepts(self) -> Peer:
        """Return the next connection, after its hello."""
        async with asyncio.timeout(WITHIN_SECONDS):
            peer = await self._peers.get()
        await peer.sends(10, d={"heartbeatInterval": int(self._interval_seconds * 1000)})
        return peer

    @asynccontextmanager
    async def live(self, client: Client, **options: Any) -> AsyncIterator[tuple[Gateway, Peer]]:
        """Return a ready client, and the server's end of its connection."""
        live = client.gateway(**options)
        entering = asyncio.create_task(live.__aenter__())
        try:
            peer = await self.accepts()
            await peer.receives(2)
            await peer.sends_ready()
            async with asyncio.timeout(WITHIN_SECONDS):
                await entering
            yield live, peer
        finally:
            entering.cancel()
            await live.__aexit__(None, None, None)

    async def _gateway(self, request: web.Request) -> web.StreamResponse:
        if self.refuse:
            headers = {} if self.retry_after is None else {"Retry-After": self.retry_after}
            return web.Response(status=self.refuse.pop(0), headers=headers)
        socket = web.WebSocketResponse(timeout=0.1)
        await socket.prepare(request)
        peer = Peer(request, socket)
        self._peers.put_nowait(peer)
        await peer.read()
        return socket

    async def _refresh(self, request: web.Request) -> web.Response:
        if self.sessions_end:
            return web.json_response({"status": 401, "code": "session_ended", "detail": "It is over."}, status=401)
        self.refreshed += 1
        tokens = {"accessToken": f"token {self.refreshed}", "refreshToken": f"refresh {self.refreshed}"}
        user = {"userId": "u1", "username": "ana"}
        return web.json_response(tokens | {"user": user, "expiresIn": LIFETIME_SECONDS})


async def take(events: AsyncIterator[Event], count: int) -> list[Event]:
    """Return the next events."""
    async with asyncio.timeout(WITHIN_SECONDS):
        return [await anext(events) for _ in range(count)]
