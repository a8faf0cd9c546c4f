"""Bytes in and out: uploads arrive in pieces and within a bound, answers may be bytes or an address."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from edge.api import MAX_PHOTO_BYTES
from edge.running import ANA, MAX_BODY_BYTES, connected
from edge.test_requests import problem
from sobremesa.http.endpoints import Routes, Upload


async def test_an_upload_arrives_in_pieces_with_its_type(client: aiohttp.ClientSession) -> None:
    async with client.post(
        "/v1/kitchen/photos", data=b"x" * 900_000, headers=ANA | {"Content-Type": "image/png"}
    ) as got:
        assert got.status == 201
        photo = await got.json()
    assert (photo["contentType"], photo["size"]) == ("image/png", 900_000)
    assert photo["pieces"] > 1


async def test_json_may_stand_in_the_place_of_an_upload(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/kitchen/photos", json={"name": "soup"}, headers=ANA) as got:
        assert (await got.json())["contentType"] == "json:soup"
    async with client.post("/v1/kitchen/photos", json={"title": "soup"}, headers=ANA) as got:
        await problem(got, 422, "invalid")
    async with client.post("/v1/kitchen/photos", json={"name": "x" * MAX_BODY_BYTES}, headers=ANA) as got:
        await problem(got, 413, "too_large")


async def test_json_is_an_upload_like_any_other_where_nothing_else_is_taken(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/kitchen/films", json={"name": "soup"}) as got:
        assert await got.json() == {"contentType": "application/json", "size": 16, "pieces": 0}


async def test_too_large_an_upload_is_refused_whether_it_was_announced_or_not(client: aiohttp.ClientSession) -> None:
    async def unannounced() -> bytes:
        reader, writer = await connected(client)
        writer.write(b"POST /v1/kitchen/films HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(MAX_PHOTO_BYTES // 10_000 + 1):
            writer.write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
        await writer.drain()
        received = await asyncio.wait_for(reader.readuntil(b"}"), 60)
        writer.close()
        return received

    async with client.post("/v1/kitchen/films", data=b"x" * (MAX_PHOTO_BYTES + 1)) as got:
        assert (await problem(got, 413, "too_large"))["limit"] == MAX_PHOTO_BYTES
    assert b"413" in await unannounced()


async def test_an_upload_has_more_time_than_other_requests(client: aiohttp.ClientSession) -> None:
    """The second half comes when an ordinary request that began after the upload has been cut off."""
    arrived = asyncio.Event()

    async def slow() -> object:
        yield b"first"
        async with client.get("/v1/kitchen/slow") as cut_off:
            assert cut_off.status == 504
        arrived.set()
        yield b"second"

    async with client.post("/v1/kitchen/films", data=slow()) as got:
        assert got.status == 201
        assert (await got.json())["size"] == 11
    assert arrived.is_set()


async def test_an_upload_needs_a_token_where_the_endpoint_does(client: aiohttp.ClientSession) -> None:
    async with client.post("/v1/kitchen/photos", data=b"x", headers={"Content-Type": "image/png"}) as got:
        await problem(got, 401, "unauthenticated")


async def test_an_answer_of_bytes_has_its_own_headers(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/photos/soup") as got:
        assert (got.status, await got.read()) == (200, b"all!!!")
        assert got.headers["Content-Type"] == "image/png"
        assert got.headers.getall("Cache-Control") == ["private, max-age=300"]
        assert got.headers["X-Content-Type-Options"] == "nosniff"
    async with client.get("/v1/kitchen/photos/soup", headers={"Range": "bytes=0-1"}) as got:
        assert (got.status, await got.read()) == (206, b"bytes=0-1!!!")
    async with client.head("/v1/kitchen/photos/soup") as got:
        assert (got.status, got.headers["Content-Length"], await got.read()) == (200, "6", b"")


async def test_a_response_may_name_the_file_of_its_bytes(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/kitchen/photos/elsewhere", allow_redirects=False) as got:
        assert (got.status, await got.read()) == (302, b"")
        assert got.headers["Location"] == "https://photos.example.com/1"
        assert got.headers["Cache-Control"] == "no-store"


def test_an_upload_without_a_bound_is_no_endpoint() -> None:
    routes = Routes("Photos")
    with pytest.raises(TypeError, match="max_upload"):

        @routes.post("/photos")
        async def take(upload: Upload) -> None:
            """Take it."""
