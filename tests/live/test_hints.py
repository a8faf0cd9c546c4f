"""Hints that something was written: few of them, and only for nodes that read the change stream."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio

from live.nodes import Community
from live.test_topic_feed import Parts
from servers import Endpoint
from sobremesa.live import topic_receiver
from sobremesa.live.topic_routes import READERS
from sobremesa.live.topic_writer import HINT, HINT_SECONDS

WRITES = 300


@pytest.fixture
async def reader(community: Community, valkey: Endpoint) -> AsyncIterator[Parts]:
    """A node that may read the change stream, and reads no shard yet."""
    reader = Parts(community, valkey, uuid.uuid4().hex, node="reader", reads=True)
    await reader.feed.open(lambda _: False)
    yield reader
    await reader.feed.close()


async def receivers(valkey: Endpoint, parts: Parts) -> int:
    """Return how many nodes receive hints."""
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    async with client:
        channel = parts.streams.channel_of(READERS)
        return int((await client.execute_command("PUBSUB", "SHARDNUMSUB", channel))[1])


async def until_received_by(count: int, valkey: Endpoint, parts: Parts) -> None:
    async with asyncio.timeout(60):
        while await receivers(valkey, parts) != count:  # noqa: ASYNC110 - polled: there is no signal
            await asyncio.sleep(0.02)


async def test_node_that_writes_much_sends_few_hints(reader: Parts, community: Community, valkey: Endpoint) -> None:
    loop, received = asyncio.get_running_loop(), asyncio.Queue[bytes]()
    reader.messages.on(HINT, received.put_nowait)
    await until_received_by(1, valkey, reader)
    writer = Parts(community, valkey, reader.name, node="writer")
    await writer.feed.open(lambda _: False)
    try:
        began = loop.time()
        for _ in range(WRITES):
            writer.writer.note([])
            await writer.streams.look()  # long enough for a hint
        async with asyncio.timeout(60):
            await received.get()
            await received.get()  # what was written last is not left out
        assert received.qsize() + 2 <= (loop.time() - began) / HINT_SECONDS + 2
    finally:
        await writer.feed.close()


async def test_only_nodes_that_read_the_change_stream_receive_hints(
    reader: Parts, community: Community, valkey: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Parts(community, valkey, reader.name, node="writer")
    await writer.feed.open(lambda _: False)
    try:
        await until_received_by(1, valkey, reader)  # from the start: it is about to read
        monkeypatch.setattr(topic_receiver, "KEPT_SECONDS", 0.0)
        monkeypatch.setattr(topic_receiver, "RELEASED_EVERY", 1)
        await until_received_by(0, valkey, reader)  # others read all shards

        assert reader.relay is not None
        reader.relay.is_reading = lambda: True
        await reader.relay.publish("shard", [])
        assert await receivers(valkey, reader) == 1
    finally:
        await writer.feed.close()
