"""What a client receives is what uvicorn alone would send, though most responses are written in one piece."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from edge.running import connected, running, site_of
from sobremesa.http import server
from sobremesa.http.asgi import App, Headers, Receive, Scope, Send
from sobremesa.http.connection import HttpConnection
from sobremesa.http.connection_limits import ConnectionLimits, MaxConnections
from sobremesa.http.endpoints import Routes

TEXT = (b"content-type", b"text/plain")
FIVE = (b"content-length", b"5")

Case = tuple[int, Headers, list[bytes]]
CASES: dict[str, Case] = {
    "/whole": (200, [TEXT, FIVE], [b"bread"]),
    "/created": (201, [TEXT, FIVE, (b"cache-control", b"no-store"), (b"ratelimit", b'"read";r=5;t=1')], [b"bread"]),
    "/names": (200, [(b"Content-Type", b"text/plain"), (b"Content-Length", b"5"), (b"X-Kitchen", b"open")], [b"bread"]),
    "/empty": (200, [TEXT, (b"content-length", b"0")], [b""]),
    "/pieces": (200, [TEXT, FIVE], [b"br", b"ead"]),
    "/nothing-first": (200, [TEXT, FIVE], [b"", b"bread"]),
    "/chunked": (200, [TEXT], [b"br", b"ead"]),
    "/declared-chunked": (200, [TEXT, (b"transfer-encoding", b"chunked")], [b"bread"]),
    "/closing": (200, [TEXT, FIVE, (b"connection", b"close")], [b"bread"]),
    "/no-content": (204, [], [b""]),
    "/not-modified": (304, [(b"etag", b'"1"')], [b""]),
    "/too-short": (200, [TEXT, FIVE], [b"bre"]),
    "/too-long": (200, [TEXT, FIVE], [b"breads"]),
    "/bad-value": (200, [TEXT, FIVE, (b"x-kitchen", b"open\r\nx-door: closed")], [b"bread"]),
    "/bad-name": (200, [TEXT, FIVE, (b"x kitchen", b"open")], [b"bread"]),
    "/bad-length": (200, [TEXT, (b"content-length", b"five")], [b"bread"]),
}
FAILING = "/failing"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond as the case of the path says, or fail between the head and the body."""
    status, headers, pieces = CASES["/whole" if scope["path"] == FAILING else scope["path"]]
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    if scope["path"] == FAILING:
        raise RuntimeError("the oven is off")
    for number, piece in enumerate(pieces, 1):
        await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})


def limits() -> ConnectionLimits:
    return ConnectionLimits(MaxConnections(), (), None)


@contextlib.asynccontextmanager
async def listening(
    kind: type[HttpToolsProtocol], state: Callable[[], ServerState], application: App = app
) -> AsyncIterator[int]:
    """A server with this class of connections; yields its port."""
    config = uvicorn.Config(application, http=kind, lifespan="off", log_config=None, access_log=False)
    config.load()
    shared = state()
    shared.default_headers = [(b"server", b"kitchen")]
    opened = await asyncio.get_running_loop().create_server(
        lambda: kind(config=config, server_state=shared, app_state={}), "127.0.0.1", 0
    )
    async with opened:
        yield opened.sockets[0].getsockname()[1]


async def received(port: int, request: bytes) -> bytes:
    """All that the server sends until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := await asyncio.wait_for(reader.read(65_536), 60):
            found += piece
    writer.close()
    return found


@pytest.mark.parametrize("path", CASES)
@pytest.mark.parametrize("head", [b"GET %b HTTP/1.1\r\nhost: x", b"HEAD %b HTTP/1.1\r\nhost: x", b"GET %b HTTP/1.0"])
async def test_every_response_is_byte_for_byte_that_of_uvicorn(path: str, head: bytes) -> None:
    request = head % path.encode() + b"\r\n\r\n"
    last = b"GET /whole HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    async with listening(HttpConnection, limits) as ours, listening(HttpToolsProtocol, ServerState) as uvicorns:
        for sent in (request + last, request + request + last):
            assert await received(ours, sent) == await received(uvicorns, sent)


async def test_response_without_its_body_is_not_begun() -> None:
    async with listening(HttpConnection, limits) as port:
        assert await received(port, b"GET %b HTTP/1.1\r\nhost: x\r\n\r\n" % FAILING.encode()) == b""


async def test_response_to_a_client_that_left_between_its_head_and_its_body_is_dropped() -> None:
    ended: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [TEXT, FIVE]})
        while (await receive())["type"] != "http.disconnect":
            pass
        try:
            await send({"type": "http.response.body", "body": b"bread"})
        except Exception as error:
            ended.set_result(error)
        else:
            ended.set_result(None)

    async with listening(HttpConnection, limits, slow) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /whole HTTP/1.1\r\nhost: x\r\n\r\n")
        await writer.drain()
        writer.close()
        assert await asyncio.wait_for(ended, 60) is None


async def test_connection_is_closed_once_it_was_idle_for_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that takes longer than that is not disturbed, nor is one that comes just before."""
    monkeypatch.setattr(server, "KEEP_ALIVE_SECONDS", 0.2)
    api = Routes("Kitchen")

    @api.get("/soup")
    async def cook() -> str:
        """Return the soup after a while."""
        await asyncio.sleep(0.5)
        return "soup"

    async with running(site_of(api.endpoints)) as client:
        reader, writer = await connected(client)
        for _ in range(2):
            writer.write(b"GET /v1/soup HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b" 200 " in await asyncio.wait_for(reader.readuntil(b'"soup"'), 60)
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()
        reader, writer = await connected(client)
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()
