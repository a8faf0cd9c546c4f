"""How many connections there may be, and what happens to one too many."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from edge.running import connected, running, site_of, status_of
from sobremesa.http import connection
from sobremesa.http.connection_limits import MAX_REFUSED, MaxConnections, raise_file_limit

SERVER = Path(__file__).with_name("slow_server.py")
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@asynccontextmanager
async def opened(client: aiohttp.ClientSession, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    """So many connections, until the end of the block."""
    both = [await connected(client) for _ in range(count)]
    try:
        for _, writer in both:
            writer.write(REQUEST)
        yield [reader for reader, _ in both]
    finally:
        for _, writer in both:
            writer.close()
        for _, writer in both:
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@asynccontextmanager
async def idle(client: aiohttp.ClientSession, count: int) -> AsyncIterator[None]:
    """So many connections that the server has answered once, and that stay open."""
    async with opened(client, count) as readers:
        for reader in readers:
            assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        yield


async def refusal(client: aiohttp.ClientSession, request: bytes = REQUEST) -> bytes:
    """What the server writes on another connection until it closes it."""
    reader, writer = await connected(client)
    writer.write(request)
    received = b""
    with contextlib.suppress(ConnectionError):
        received = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return received


async def served_again(client: aiohttp.ClientSession) -> bool:
    """Is a request answered, once the server has noticed that others are gone?"""
    for _ in range(500):
        if await status_of(client.get("/healthz")) == 200:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_a_connection_beyond_the_limit_in_all_gets_503(logged: list[dict[str, Any]]) -> None:
    async with running(site_of(), max_connections=MaxConnections(total=3)) as client:
        async with idle(client, 3):
            assert (await refusal(client)).startswith(b"HTTP/1.1 503 ")
            assert (await refusal(client)).startswith(b"HTTP/1.1 503 ")
        assert await served_again(client)
    (line,) = [line for line in logged if line["event"] == "refusing connections"]
    assert line["limit"] == "max_connections"


async def test_far_beyond_the_limit_connections_are_closed_without_an_answer() -> None:
    async with (
        running(site_of(), max_connections=MaxConnections(total=1)) as client,
        contextlib.AsyncExitStack() as stack,
    ):
        await stack.enter_async_context(idle(client, 1))
        readers = await stack.enter_async_context(opened(client, MAX_REFUSED))
        assert [(await reader.readline())[:12] for reader in readers] == [b"HTTP/1.1 503"] * MAX_REFUSED
        assert await refusal(client) == b""


async def test_one_address_has_a_limit_of_connections(logged: list[dict[str, Any]]) -> None:
    async with running(site_of(), max_connections=MaxConnections(per_address=2)) as client:
        async with idle(client, 2):
            received = await refusal(client)
            assert received.startswith(b"HTTP/1.1 429 ")
            assert b'"code":"too_many_connections"' in received
        assert await served_again(client)


async def test_a_trusted_proxy_has_no_limit_of_connections() -> None:
    limits = MaxConnections(per_address=1)
    async with running(site_of(), max_connections=limits, trusted_proxies=["127.0.0.0/8"]) as client, idle(client, 3):
        assert await status_of(client.get("/healthz")) == 200


async def test_a_websocket_counts_until_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.05)
    upgrade = (
        b"GET /v1/gateway HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    limits = MaxConnections(total=50, per_address=1)
    async with running(site_of(gateway=Silent()), max_connections=limits) as client:
        reader, writer = await connected(client)
        writer.write(upgrade)
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        assert (await refusal(client)).startswith(b"HTTP/1.1 429 ")
        writer.close()
        assert await served_again(client)


class Silent:
    """A gateway that accepts every connection, and sends nothing."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass

    def drain(self) -> None:
        pass


async def test_running_out_of_files_is_logged_and_over_when_connections_end(tmp_path: Path) -> None:
    limit = 150

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit // 2, limit))

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SERVER), str(tmp_path), "5"), stdout=asyncio.subprocess.PIPE, preexec_fn=few_files
    )
    assert process.stdout is not None
    lines: list[dict[str, Any]] = []
    try:
        while (line := await process.stdout.readline()).startswith(b"{"):
            lines.append(json.loads(line))
        async with aiohttp.ClientSession(line.decode().strip()) as client:
            async with idle(client, limit // 4), opened(client, limit) as readers:
                answered = [await asyncio.wait_for(_first_line(reader), 60) for reader in readers]
            assert b"HTTP/1.1 503 Unavailable\r\n" in answered
            assert await served_again(client)
    finally:
        process.terminate()
        lines += [json.loads(line) for line in (await process.stdout.read()).splitlines()]
        await process.wait()
    logged = {line["event"]: line for line in lines}
    assert logged["low limit of open files: raise `ulimit -n` to allow more connections"]["limit"] == limit
    assert logged["refusing connections"]["limit"] == "the system's limit of open files"


async def _first_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ConnectionError:
        return b""


def test_the_process_may_open_as_many_files_as_it_is_allowed_to() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        assert raise_file_limit() == (None if hard == resource.RLIM_INFINITY else hard)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
