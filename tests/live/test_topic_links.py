"""A connection that receives topics may be closed by another task at any moment."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Collection

import pytest

from servers import Endpoint
from sobremesa.live.redis_server import RedisServer
from sobremesa.live.topic_links import TopicLinks


@pytest.fixture
async def links(valkey: Endpoint) -> AsyncIterator[TopicLinks]:
    async def catch_up(channels: Collection[str]) -> None:
        pass

    server = RedisServer(valkey.url)
    links = TopicLinks(server, lambda channel, message: True, catch_up)
    yield links
    await links.close()
    await server.close()


@pytest.mark.parametrize("steps", range(12))
async def test_subscribing_while_the_connection_is_made_anew_is_no_error(links: TopicLinks, steps: int) -> None:
    first, second = uuid.uuid4().hex, uuid.uuid4().hex
    async with asyncio.timeout(60):
        await links.subscribe([first])
        await _settled(links)

        subscribing = asyncio.create_task(links.subscribe([second]))
        for _ in range(steps):
            await asyncio.sleep(0)
        links.restart()

        await subscribing
        await _settled(links)


@pytest.mark.parametrize("steps", range(40))
async def test_all_connections_are_closed_with_the_links(links: TopicLinks, steps: int) -> None:
    async with asyncio.timeout(60):
        subscribing = asyncio.create_task(links.subscribe([uuid.uuid4().hex]))
        for _ in range(steps):
            await asyncio.sleep(0)
        links.restart()
        await asyncio.sleep(0)
        subscribing.cancel()
        await asyncio.gather(subscribing, return_exceptions=True)

        await links.close()

        assert asyncio.all_tasks() == {asyncio.current_task()}


async def _settled(links: TopicLinks) -> None:
    """Wait for the connection, by a ping: it answers when all channels are received."""
    while not await links.settle(uuid.uuid4().hex):  # noqa: ASYNC110 - polled
        await asyncio.sleep(0.01)
