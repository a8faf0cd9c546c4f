"""A scripted endpoint with DynamoDB's protocol: errors, incomplete responses, no response."""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeAlias

import msgspec
from aiohttp import web

MAX_REQUEST_BYTES = 2**26


class Received(NamedTuple):
    """One request as it arrived."""

    service: str
    action: str
    body: dict[str, Any]
    raw: bytes
    request: web.Request


Answering: TypeAlias = Callable[[Received], Awaitable[web.StreamResponse]]
"""How one request is answered."""


class ScriptedEndpoint:
    """Responds with the queued responses, then with the default; records every request."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[Received] = []
        self.closing = asyncio.Event()
        self._next: deque[Answering] = deque()
        self._always: Answering = rejects("NothingScripted")
        self._arrival = asyncio.Event()

    def answers_next(self, *answers: Answering) -> None:
        """Give the next requests these answers, in this order."""
        self._next.extend(answers)

    def answers_always(self, answer: Answering) -> None:
        """Give this answer where none is in the queue."""
        self._always = answer

    async def has_received(self, count: int) -> None:
        """Wait until this many requests have come."""
        while len(self.received) < count:
            self._arrival.clear()
            await self._arrival.wait()

    def actions(self) -> list[str]:
        """What was asked for, in order."""
        return [received.action for received in self.received]

    async def never(self, _: Received) -> web.StreamResponse:
        """No answer, as long as the endpoint lives."""
        await self.closing.wait()
        return web.Response()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Take one request in and answer it."""
        service, _, action = request.headers["X-Amz-Target"].partition(".")
        raw = await request.read()
        received = Received(service, action, msgspec.json.decode(raw), raw, request)
        self.received.append(received)
        self._arrival.set()
        answer = self._next.popleft() if self._next else self._always
        return await answer(received)


@asynccontextmanager
async def scripted_endpoint() -> AsyncIterator[ScriptedEndpoint]:
    """A scripted endpoint on a free port of this machine."""
    endpoint = ScriptedEndpoint()
    app = web.Application(client_max_size=MAX_REQUEST_BYTES)
    app.router.add_post("/", endpoint.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0]
        endpoint.url = f"http://{host}:{port}"
        yield endpoint
    finally:
        endpoint.closing.set()
        await runner.cleanup()


def answers(body: dict[str, Any] | None = None) -> Answering:
    """A whole answer, with its checksum."""
    content = msgspec.json.encode(body or {})

    async def answer(_: Received) -> web.StreamResponse:
        return web.Response(body=content, headers={"x-amz-crc32": str(zlib.crc32(content))})

    return answer


def answers_bytes(content: bytes, *, status: int = 200, **headers: str) -> Answering:
    """These bytes, whatever they are."""

    async def answer(_: Received) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=content, status=status, headers=named)

    return answer


def rejects(code: str, message: str = "", *, status: int = 400, **more: Any) -> Answering:
    """An error, as DynamoDB writes it."""
    named = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message or code}
    return answers_bytes(msgspec.json.encode(named | more), status=status)


def cancels(*codes: str, message: str = "") -> Answering:
    """A transaction that was not done, with one reason for each operation."""
    reasons = [{"Code": code, "Message": message or code} for code in codes]
    return rejects("TransactionCanceledException", "Transaction cancelled", CancellationReasons=reasons)


async def hangs_up(received: Received) -> web.StreamResponse:
    """No answer at all: the connection is cut after the request was read."""
    assert received.request.transport is not None
    received.request.transport.abort()
    return web.Response()


async def answers_half(received: Received) -> web.StreamResponse:
    """The beginning of an answer, then the connection is cut."""
    response = web.StreamResponse(headers={"Content-Length": "100"})
    await response.prepare(received.request)
    await response.write(b'{"Item": {')
    assert received.request.transport is not None
    received.request.transport.close()
    return response
