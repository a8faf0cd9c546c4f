"""Presence: published once on every node when users go online or offline, also after their node died."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.connection import Connection
from live.nodes import LOOK_SECONDS, SOON_SECONDS, Node, Town, nodes
from servers import Endpoint
from sobremesa.domains.communities.entities import connections_of

QUICK = {"lease_seconds": 4.0, "renew_seconds": 0.5, "gather_seconds": 0.1, "return_seconds": 3.0}
"""Like the defaults, but shorter; long enough for a busy machine."""


@pytest.fixture
def redis(valkey: Endpoint) -> str:
    return valkey.url


async def expect_presence(connection: Connection, town: Town, who: str, status: str) -> None:
    """Wait for this as the next presence event of a user."""
    while (presence := await connection.wait_for("presence.updated"))["userId"] != town.people[who].user.user_id:
        pass
    assert presence["status"] == status


async def presence_of(town: Town, node: Node, asking: str, *people: str) -> list[str]:
    ids = [town.people[who].user.user_id for who in people]
    response: Any = await town.call(node, asking, "GET", "/presence", userIds=",".join(ids))
    assert [each["userId"] for each in response["items"]] == ids
    return [each["status"] for each in response["items"]]


async def sockets_of(town: Town, who: str) -> int:
    """Return how many sockets the table has."""
    question = connections_of(user_id=town.people[who].user.user_id)
    return len([row async for row in town.app.table.every(question)])


async def has_sockets(town: Town, who: str, count: int) -> None:
    """Wait until the table has this many sockets."""
    async with asyncio.timeout(SOON_SECONDS):
        while True:
            if await sockets_of(town, who) == count:
                return
            await asyncio.sleep(LOOK_SECONDS)


async def test_presence_changes_are_published_on_every_node(town: Town, store: str, redis: str, tmp_path: Path) -> None:
    await town.settle_stranger("dora")
    with nodes(2, store, tmp_path, redis, presence=QUICK) as [one, two]:
        async with town.connect(one, "ana") as ana:
            await ana.identify()
            await has_sockets(town, "ana", 1)
            async with town.connect(two, "bea") as bea, town.connect(two, "dora") as dora:
                ready = await bea.identify()
                assert {each["userId"] for each in ready["presences"]} == {town.people["ana"].user.user_id}
                assert (await dora.identify())["presences"] == []
                await expect_presence(ana, town, "bea", "online")
                asked = await presence_of(town, one, "ana", "bea", "carl", "dora", "ana")
                assert asked == ["online", "offline", "offline", "online"]
                assert await presence_of(town, two, "dora", "ana", "bea") == ["offline", "offline"]

                # A user who reconnects soon was never offline.
                async with town.connect(two, "carl") as carl:
                    await carl.identify()
                    await expect_presence(ana, town, "carl", "online")
                async with town.connect(one, "carl") as again:
                    await again.resume(carl)
                    assert await presence_of(town, two, "bea", "carl") == ["online"]
                    await expect_presence(
                        ana, town, "carl", "online"
                    )  # repeated by the other node, without an offline event
                left = time.monotonic()
                await expect_presence(ana, town, "carl", "offline")
                assert time.monotonic() - left > QUICK["return_seconds"] * 0.9
            await expect_presence(ana, town, "bea", "offline")
            assert await presence_of(town, two, "ana", "bea") == ["offline"]


async def test_users_of_a_dead_node_go_offline(town: Town, store: str, redis: str, tmp_path: Path) -> None:
    with nodes(3, store, tmp_path, redis, presence=QUICK) as [one, two, three]:
        async with (
            town.connect(one, "ana") as ana,
            town.connect(two, "bea") as bea,
            town.connect(two, "carl") as carl,
            town.connect(three, "carl") as carls_phone,
        ):
            await ana.identify()
            await bea.identify()
            await expect_presence(ana, town, "bea", "online")
            await carl.identify()
            await carls_phone.identify()
            await expect_presence(ana, town, "carl", "online")

            two.kill()
            await expect_presence(ana, town, "bea", "offline")
            assert await presence_of(town, one, "ana", "bea", "carl") == ["offline", "online"]
            assert await sockets_of(town, "bea") == 0


async def test_presence_works_with_a_single_process(town: Town, store: str, tmp_path: Path) -> None:
    with nodes(1, store, tmp_path, None, presence=QUICK) as [node]:
        async with town.connect(node, "ana") as ana:
            await ana.identify()
            async with town.connect(node, "bea") as bea:
                ready = await bea.identify()
                assert [each["userId"] for each in ready["presences"]] == [town.people["ana"].user.user_id]
                await expect_presence(ana, town, "bea", "online")
                assert await presence_of(town, node, "ana", "bea") == ["online"]
            await expect_presence(ana, town, "bea", "offline")
        node.kill()
    assert await sockets_of(town, "ana") == 1
    with nodes(1, store, tmp_path, None, presence=QUICK):
        await has_sockets(town, "ana", 0)
