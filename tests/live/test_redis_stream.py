"""The stream of events in Valkey: it detects lost entries, and trims old ones."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import pytest

from servers import Endpoint
from sobremesa.live.redis_stream import Lost, RedisStream


@pytest.fixture
async def stream(valkey: Endpoint) -> AsyncIterator[RedisStream]:
    stream = RedisStream(valkey.url, uuid.uuid4().hex)
    yield stream
    await stream.close()


async def test_all_nodes_open_the_same_stream(stream: RedisStream) -> None:
    epoch, first = await stream.open()
    last = await stream.add(epoch, [b"one", b"two"])

    assert await stream.open() == (epoch, last)
    assert [each.body for each in await stream.read(epoch, first)] == [b"one", b"two"]
    assert [each.body for each in await stream.between("-", "+")] == [None, b"one", b"two"]


async def test_truncated_stream_is_replaced(stream: RedisStream) -> None:
    epoch, _ = await stream.open()
    ms, number = await stream.add(epoch, [b"kept"])
    lost = (ms + 1, number)  # a node has seen this id, and the server has lost it

    anew, _ = await stream.open(lost)

    assert anew != epoch
    assert [each.body for each in await stream.between("-", "+")] == [None]
    with pytest.raises(Lost):
        await stream.add(epoch, [b"of another time"])
    with pytest.raises(Lost):
        await stream.read(epoch, (0, 0))


async def test_writer_notices_lost_entries_before_adding_more(stream: RedisStream) -> None:
    epoch, (ms, _) = await stream.open()

    with pytest.raises(Lost):
        await stream.add(epoch, [b"next"], seen=(ms + 60_000, 0))


async def test_entries_older_than_a_day_are_trimmed(stream: RedisStream, monkeypatch: pytest.MonkeyPatch) -> None:
    epoch, _ = await stream.open()
    await stream.add(epoch, [b"old"] * 1000)
    monkeypatch.setattr("sobremesa.live.redis_stream.KEPT_MS", -60_000)
    await stream.add(epoch, [b"new"])

    assert len(await stream.between("-", "+")) < 200  # about: whole blocks go at once
