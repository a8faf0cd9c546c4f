"""How a response is written to its connection: its head together with what comes first of its body."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import uvicorn

from edge.test_websocket import Line
from sobremesa.http.connection import HttpConnection
from sobremesa.http.connection_limits import ConnectionLimits, MaxConnections

Talk: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HEAD = GET.replace(b"GET", b"HEAD")
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
HELLO = {"type": "http.response.body", "body": b"hello"}


async def written(talk: Talk, *requests: bytes) -> list[bytes]:
    """Return what is written for these requests, write by write."""
    line = Line()
    config = uvicorn.Config(talk, interface="asgi3", log_config=None, server_header=False, date_header=False)
    config.load()
    limits = ConnectionLimits(MaxConnections(), [], None)
    connection = HttpConnection(config=config, server_state=limits, app_state={})
    connection.connection_made(line)
    for request in requests:
        connection.data_received(request)
        for _ in range(20):
            await asyncio.sleep(0)
    connection.connection_lost(None)
    return line.written


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send(START)
    await send(HELLO)


async def test_head_and_body_are_one_write() -> None:
    [first, second] = await written(hello, GET, GET)
    assert first == second
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    assert first.endswith(b"\r\n\r\nhello")


async def test_response_to_head_is_only_a_head() -> None:
    [first, second] = await written(hello, HEAD, GET)
    assert first.endswith(b"\r\n\r\n")
    assert second.endswith(b"\r\n\r\nhello")


async def test_pipelined_responses_come_in_order() -> None:
    assert len(await written(hello, GET + HEAD + GET)) == 3


async def test_status_without_a_body_is_written() -> None:
    async def nothing(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    assert b"".join(await written(nothing, GET)) == b"HTTP/1.1 204 No Content\r\n\r\n"


async def test_each_further_piece_of_a_body_is_written_at_once() -> None:
    async def stream(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await send({"type": "http.response.body", "body": b"two", "more_body": True})
        await asyncio.Event().wait()

    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    assert b"".join(await written(stream, GET)) == head + b"3\r\none\r\n" + b"3\r\ntwo\r\n"


async def test_client_is_asked_for_the_body_before_there_is_a_response() -> None:
    async def read(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await hello(scope, receive, send)

    post = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    asked, answered = await written(read, post, b"hi")
    assert asked == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert answered.endswith(b"\r\n\r\nhello")


async def test_response_that_fails_before_its_body_is_not_begun() -> None:
    async def fail(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        raise ConnectionError

    assert await written(fail, GET) == []
