"""A receiver of webhooks on this machine: it verifies each request by the reference library and keeps what came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from aiohttp import web
from standardwebhooks import Webhook

SOON_SECONDS = 30.0
LOOPBACK = "127.0.0.0/8"


class Received(NamedTuple):
    """A request."""

    path: str
    id: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def type(self) -> str:
        return str(self.body["type"])

    @property
    def content(self) -> str:
        """The content of the message."""
        return str(self.body["data"]["content"])

    def verify(self, secret: str) -> Any:
        """Return the body; the reference library raises unless the signature is valid."""
        return Webhook(secret).verify(self.raw, self.headers)


Answer = Callable[[Received], Awaitable[web.StreamResponse | int] | web.StreamResponse | int]


class Receiver:
    """Keeps the requests, those that it refused too, and answers as a test wants."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Received] = []
        self.accepted: list[Received] = []
        self.answer: Answer = lambda _: 204
        self._changed = asyncio.Condition()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(request.path, headers.get("webhook-id", ""), headers, await request.read())
        async with self._changed:
            self.requests.append(received)
            self._changed.notify_all()
        answer = self.answer(received)
        if isinstance(answer, Awaitable):
            answer = await answer
        answer = web.Response(status=answer) if isinstance(answer, int) else answer
        if 200 <= answer.status < 300:
            async with self._changed:
                self.accepted.append(received)
                self._changed.notify_all()
        return answer

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON_SECONDS), self._changed:
            await self._changed.wait_for(holds)

    async def until_accepted(self, *contents: str) -> None:
        """Wait until these messages were accepted, in this order and no others."""
        try:
            await self.until(lambda: len(self.accepted) >= len(contents))
        finally:
            assert [each.content for each in self.accepted] == list(contents)


@asynccontextmanager
async def receiving(port: int = 0) -> AsyncIterator[Receiver]:
    """A receiver until the end of the block."""
    receiver = Receiver()
    app = web.Application(client_max_size=4 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", receiver.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield receiver
    finally:
        await runner.cleanup()
