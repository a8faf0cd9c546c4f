"""Requests that want more than their share: each ends at a limit, and the server answers others meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections.abc import AsyncGenerator

import aiohttp
import pytest

from edge.running import ANA, connected, running, site_of, status_of
from sobremesa.http import connection, timers
from sobremesa.http.connection import MAX_HEAD_BYTES, MAX_PIPELINED
from sobremesa.http.endpoints import Content, Endpoint, Routes

CHUNKED = b"POST /v1/kitchen/films HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def answers(client: aiohttp.ClientSession, *sent: bytes) -> bytes:
    """What the server writes until it closes the connection on which this is sent."""
    reader, writer = await connected(client)
    received = b""
    with contextlib.suppress(ConnectionError):
        for piece in sent:
            writer.write(piece)
            await writer.drain()
    with contextlib.suppress(ConnectionError):
        while piece := await asyncio.wait_for(reader.read(65_536), 60):
            received += piece
    writer.close()
    return received


def head_of(size: int) -> bytes:
    """A whole request head of so many bytes."""
    start, end = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Padding: ", b"\r\n\r\n"
    return start + b"x" * (size - len(start) - len(end)) + end


async def test_a_head_that_is_too_large_is_refused_though_it_comes_in_one_write(client: aiohttp.ClientSession) -> None:
    assert b" 431 " in await answers(client, head_of(70_000))
    assert b" 431 " in await answers(client, head_of(MAX_HEAD_BYTES + 1))
    assert b" 200 " in await answers(client, head_of(MAX_HEAD_BYTES))


@pytest.mark.parametrize("head", [b"GET /healthz HTTP/1.1\r\nX: ", b"GET /"])
async def test_a_head_without_an_end_is_refused(client: aiohttp.ClientSession, head: bytes) -> None:
    assert b" 431 " in await answers(client, head, *[b"x" * 4096] * 20)


@pytest.mark.parametrize(
    "framing",
    [
        b"5\r\nhello\r\n0\r\n" + b"X-Trailer: " + b"x" * 1000 + b"\r\n",
        b"5\r\nhello\r\n0\r\nX-Trailer: ",
        b"5;name=",
    ],
    ids=["trailers", "one trailer", "a chunk extension"],
)
async def test_bytes_that_are_no_body_are_bounded_in_the_whole_request(
    client: aiohttp.ClientSession, framing: bytes
) -> None:
    more = b"X-Trailer: " + b"x" * 1011 + b"\r\n" if framing.endswith(b"\r\n") else b"x" * 1024
    received = await answers(client, CHUNKED + framing, *[more] * 40)
    assert received.startswith(b"HTTP/1.1 431 ")
    assert b'"code":"too_large"' in received


async def test_chunk_extensions_on_every_chunk_are_bounded(client: aiohttp.ClientSession) -> None:
    chunk = b"1;" + b"x" * 200 + b"\r\ny\r\n"
    assert (await answers(client, CHUNKED, *[chunk * 10] * 20)).startswith(b"HTTP/1.1 431 ")


async def test_small_chunks_and_a_few_trailers_are_no_offence(client: aiohttp.ClientSession) -> None:
    chunks = b"1\r\nx\r\n" * 20_000
    reader, writer = await connected(client)
    writer.write(CHUNKED + chunks + b"0\r\nX-Checksum: abc\r\n\r\n")
    received = await asyncio.wait_for(reader.readuntil(b"}"), 60)
    writer.close()
    assert received.startswith(b"HTTP/1.1 201 ")
    assert b'"size":20000' in received


async def test_trailers_do_not_become_headers_of_the_request(client: aiohttp.ClientSession) -> None:
    request = b"PATCH /v1/tables/T1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    forged = b"2\r\n{}\r\n0\r\nAuthorization: Bearer ana-token\r\n\r\n"
    received = await answers(client, request + forged + head_of(100))
    assert received.startswith(b"HTTP/1.1 401 ")


async def test_pipelined_requests_are_bounded(client: aiohttp.ClientSession) -> None:
    few = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * MAX_PIPELINED
    received = await answers(client, few + head_of(100))
    assert received.count(b"HTTP/1.1 200 ") == MAX_PIPELINED + 1
    received = await answers(client, few * 100)
    assert received.count(b"HTTP/1.1 200 ") < MAX_PIPELINED * 100


async def test_a_body_that_goes_on_after_the_answer_ends_with_the_connection(
    client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.05)
    request = b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{"
    received = await answers(client, request)
    assert received.startswith(b"HTTP/1.1 401 ")


async def test_a_body_that_comes_too_slowly_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LINGER_SECONDS", 0.05)
    head = b"PATCH /v1/tables/T1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ana-token\r\nContent-Length: 99\r\n\r\n"
    async with running(site_of(request_seconds=0.1)) as client:
        received = await answers(client, head, b"{")
    assert received.startswith(b"HTTP/1.1 504 ")


async def test_a_connection_is_used_again_when_the_rest_of_a_refused_body_comes_soon(
    client: aiohttp.ClientSession,
) -> None:
    refused = b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
    reader, writer = await connected(client)
    writer.write(refused)
    assert b" 401 " in await asyncio.wait_for(reader.readuntil(b"}"), 60)
    writer.write(b"0123456789" + head_of(100))
    assert (await asyncio.wait_for(reader.read(), 60)).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_others_are_served_after_an_attack(client: aiohttp.ClientSession) -> None:
    await asyncio.gather(*[answers(client, CHUNKED + b"0\r\nX-Trailer: ", b"x" * 200_000) for _ in range(4)])
    assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 200


async def test_an_answer_that_is_not_read_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "WRITE_SECONDS", 0.1)
    async with running(site_of([*long_reports()])) as client:
        sock = await asked_without_reading(client, b"GET /v1/reports/pieces HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await is_reset(sock)


async def test_the_rest_of_an_answer_that_is_not_read_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is all written, and the connection waits for nothing but the client."""
    monkeypatch.setattr(timers, "WRITE_SECONDS", 0.1)
    async with running(site_of([*long_reports()])) as client:
        sock = await asked_without_reading(
            client, b"GET /v1/reports/whole HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        assert await is_reset(sock)


def long_reports() -> list[Endpoint]:
    """Answers that are larger than every buffer between server and client."""
    reports = Routes("Reports")

    @reports.get("/reports/{name}")
    async def print_report(name: str) -> Content:
        """Print a report."""

        async def pieces() -> AsyncGenerator[bytes, None]:
            for _ in range(1 if name == "whole" else 100):
                yield b"x" * (20_000_000 if name == "whole" else 200_000)

        return Content(pieces(), {"content-type": "text/plain"})

    return reports.endpoints


async def asked_without_reading(client: aiohttp.ClientSession, request: bytes) -> socket.socket:
    assert client._base_url is not None
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", client._base_url.port))
    sock.sendall(request)
    return sock


async def is_reset(sock: socket.socket) -> bool:
    """Does the server break the connection off, though nothing is read from it?"""
    poll = select.poll()
    poll.register(sock, 0)
    events = await asyncio.to_thread(poll.poll, 10_000)
    sock.close()
    return bool(events)
