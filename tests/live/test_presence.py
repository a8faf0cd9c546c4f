"""Presence: published once on every node when users go online or offline, also after their node died."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.connection import Connection
from live.nodes import LOOK_SECONDS, SOON_SECONDS, Community, Node, nodes
from servers import Endpoint
from sobremesa.domains.communities.entities import connections_of

QUICK = {"lease_seconds": 4.0, "renew_seconds": 0.5, "gather_seconds": 0.1, "return_seconds": 3.0}
"""Like the defaults, but shorter; long enough for a busy machine."""


@pytest.fixture
def redis(valkey: Endpoint) -> str:
    return valkey.url


async def expect_presence(connection: Connection, community: Community, who: str, status: str) -> None:
    """Wait for this as the next presence event of a user."""
    while (presence := await connection.wait_for("presence.updated"))["userId"] != community.users[who].user.user_id:
        pass
    assert presence["status"] == status


async def presence_of(community: Community, node: Node, asking: str, *users: str) -> list[str]:
    ids = [community.users[who].user.user_id for who in users]
    response: Any = await community.call(node, asking, "GET", "/presence", userIds=",".join(ids))
    assert [each["userId"] for each in response["items"]] == ids
    return [each["status"] for each in response["items"]]


async def sockets_of(community: Community, who: str) -> int:
    """Return how many sockets the table has."""
    question = connections_of(user_id=community.users[who].user.user_id)
    return len([row async for row in community.app.table.every(question)])


async def has_sockets(community: Community, who: str, count: int) -> None:
    """Wait until the table has this many sockets."""
    async with asyncio.timeout(SOON_SECONDS):
        while True:
            if await sockets_of(community, who) == count:
                return
            await asyncio.sleep(LOOK_SECONDS)


async def test_presence_changes_are_published_on_every_node(
    community: Community, store: str, redis: str, tmp_path: Path
) -> None:
    await community.register("dora")
    with nodes(2, store, tmp_path, redis, presence=QUICK) as [one, two]:
        async with community.connect(one, "ana") as ana:
            await ana.identify()
            await has_sockets(community, "ana", 1)
            async with community.connect(two, "bea") as bea, community.connect(two, "dora") as dora:
                await bea.identify()
                await expect_presence(bea, community, "ana", "online")  # the answer of the other node
                assert (await dora.identify())["presences"] == []
                await expect_presence(ana, community, "bea", "online")
                asked = await presence_of(community, one, "ana", "bea", "carl", "dora", "ana")
                assert asked == ["online", "offline", "offline", "online"]
                assert await presence_of(community, two, "dora", "ana", "bea") == ["offline", "offline"]

                # A user who reconnects soon was never offline.
                async with community.connect(two, "carl") as carl:
                    await carl.identify()
                    await expect_presence(ana, community, "carl", "online")
                async with community.connect(one, "carl") as again:
                    await again.resume(carl)
                    assert await presence_of(community, two, "bea", "carl") == ["online"]
                    await expect_presence(
                        ana, community, "carl", "online"
                    )  # repeated by the other node, without an offline event
                left = time.monotonic()
                await expect_presence(ana, community, "carl", "offline")
                assert time.monotonic() - left > QUICK["return_seconds"] * 0.9
            await expect_presence(ana, community, "bea", "offline")
            assert await presence_of(community, two, "ana", "bea") == ["offline"]


async def test_users_of_a_dead_node_go_offline(community: Community, store: str, redis: str, tmp_path: Path) -> None:
    with nodes(3, store, tmp_path, redis, presence=QUICK) as [one, two, three]:
        async with (
            community.connect(one, "ana") as ana,
            community.connect(two, "bea") as bea,
            community.connect(two, "carl") as carl,
            community.connect(three, "carl") as carls_phone,
        ):
            await ana.identify()
            await bea.identify()
            await expect_presence(ana, community, "bea", "online")
            await carl.identify()
            await carls_phone.identify()
            await expect_presence(ana, community, "carl", "online")

            two.kill()
            await expect_presence(ana, community, "bea", "offline")
            assert await presence_of(community, one, "ana", "bea", "carl") == ["offline", "online"]
            assert await sockets_of(community, "bea") == 0


async def test_presence_works_with_a_single_process(community: Community, store: str, tmp_path: Path) -> None:
    with nodes(1, store, tmp_path, None, presence=QUICK) as [node]:
        async with community.connect(node, "ana") as ana:
            await ana.identify()
            async with community.connect(node, "bea") as bea:
                ready = await bea.identify()
                assert [each["userId"] for each in ready["presences"]] == [community.users["ana"].user.user_id]
                await expect_presence(ana, community, "bea", "online")
                assert await presence_of(community, node, "ana", "bea") == ["online"]
            await expect_presence(ana, community, "bea", "offline")
        node.kill()
    assert await sockets_of(community, "ana") == 1
    with nodes(1, store, tmp_path, None, presence=QUICK):
        await has_sockets(community, "ana", 0)
