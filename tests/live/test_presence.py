"""Who is here: told when they come and go, once, on every node, also of those whose node died."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.talking import Talk
from live.nodes import LOOK_SECONDS, SOON_SECONDS, Node, Town, nodes
from servers import Endpoint
from sobremesa.domains.communities.entities import connections_of

QUICK = {"lease_seconds": 4.0, "renew_seconds": 0.5, "gather_seconds": 0.1, "return_seconds": 3.0}
"""As in earnest, but more impatient; patient enough for a busy machine."""


@pytest.fixture
def redis(valkey: Endpoint) -> str:
    return valkey.url


async def hears(talk: Talk, town: Town, who: str, status: str) -> None:
    """The next that is told of somebody is this."""
    while (told := await talk.hear("presence.updated"))["userId"] != town.people[who].user.user_id:
        pass
    assert told["status"] == status


async def presence_of(town: Town, node: Node, asking: str, *people: str) -> list[str]:
    ids = [town.people[who].user.user_id for who in people]
    told: Any = await town.call(node, asking, "GET", "/presence", userIds=",".join(ids))
    assert [each["userId"] for each in told["items"]] == ids
    return [each["status"] for each in told["items"]]


async def sockets_of(town: Town, who: str) -> int:
    """How many the table knows of."""
    question = connections_of(user_id=town.people[who].user.user_id)
    return len([row async for row in town.app.table.every(question)])


async def has_sockets(town: Town, who: str, count: int) -> None:
    """Wait until the table knows of so many."""
    async with asyncio.timeout(SOON_SECONDS):
        while True:
            if await sockets_of(town, who) == count:
                return
            await asyncio.sleep(LOOK_SECONDS)


async def test_comings_and_goings_are_told_on_every_node(town: Town, store: str, redis: str, tmp_path: Path) -> None:
    await town.settle_stranger("dora")
    with nodes(2, store, tmp_path, redis, presence=QUICK) as [one, two]:
        async with town.visit(one, "ana") as ana:
            await ana.identify()
            await has_sockets(town, "ana", 1)
            async with town.visit(two, "bea") as bea, town.visit(two, "dora") as dora:
                ready = await bea.identify()
                assert {each["userId"] for each in ready["presences"]} == {town.people["ana"].user.user_id}
                assert (await dora.identify())["presences"] == []
                await hears(ana, town, "bea", "online")
                asked = await presence_of(town, one, "ana", "bea", "carl", "dora", "ana")
                assert asked == ["online", "offline", "offline", "online"]
                assert await presence_of(town, two, "dora", "ana", "bea") == ["offline", "offline"]

                # Whoever comes back soon was never gone.
                async with town.visit(two, "carl") as carl:
                    await carl.identify()
                    await hears(ana, town, "carl", "online")
                async with town.visit(one, "carl") as again:
                    await again.resume(carl)
                    assert await presence_of(town, two, "bea", "carl") == ["online"]
                    await hears(ana, town, "carl", "online")  # said again by the other node, and not that he was gone
                left = time.monotonic()
                await hears(ana, town, "carl", "offline")
                assert time.monotonic() - left > QUICK["return_seconds"] * 0.9
            await hears(ana, town, "bea", "offline")
            assert await presence_of(town, two, "ana", "bea") == ["offline"]


async def test_the_people_of_a_node_that_died_are_gone(town: Town, store: str, redis: str, tmp_path: Path) -> None:
    with nodes(3, store, tmp_path, redis, presence=QUICK) as [one, two, three]:
        async with (
            town.visit(one, "ana") as ana,
            town.visit(two, "bea") as bea,
            town.visit(two, "carl") as carl,
            town.visit(three, "carl") as carls_phone,
        ):
            await ana.identify()
            await bea.identify()
            await hears(ana, town, "bea", "online")
            await carl.identify()
            await carls_phone.identify()
            await hears(ana, town, "carl", "online")

            two.kill()
            await hears(ana, town, "bea", "offline")
            assert await presence_of(town, one, "ana", "bea", "carl") == ["offline", "online"]
            assert await sockets_of(town, "bea") == 0


async def test_one_process_alone_keeps_count_the_same_way(town: Town, store: str, tmp_path: Path) -> None:
    with nodes(1, store, tmp_path, None, presence=QUICK) as [node]:
        async with town.visit(node, "ana") as ana:
            await ana.identify()
            async with town.visit(node, "bea") as bea:
                ready = await bea.identify()
                assert [each["userId"] for each in ready["presences"]] == [town.people["ana"].user.user_id]
                await hears(ana, town, "bea", "online")
                assert await presence_of(town, node, "ana", "bea") == ["online"]
            await hears(ana, town, "bea", "offline")
        node.kill()
    assert await sockets_of(town, "ana") == 1
    with nodes(1, store, tmp_path, None, presence=QUICK):
        await has_sockets(town, "ana", 0)
