"""Several nodes over one table: changes on one reach all, and the failure of any loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from live.nodes import (
    LOOK_SECONDS,
    SOON_SECONDS,
    Client,
    Community,
    Node,
    Valkey,
    connected,
    eventually,
    nodes,
    valkey_program,
)
from servers import Endpoint, _free_port
from servers.sharded import ShardingProxy
from sobremesa.table import NEWEST, OLDEST
from sobremesa.work.consumers.deliveries import END, rank
from sobremesa.work.consumers.entities import ShardProgress, stream_rows

on_several_shards = pytest.mark.parametrize("store", ["dynamodb_endpoint", "sharded"], indirect=True)


@on_several_shards
async def test_message_reaches_all_nodes_and_a_kick_takes_effect_on_all(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(3, store, tmp_path, valkey.url) as [one, two, three]:
        clients = [Client(community, "carl", lambda node=node: node) for node in (one, two, three)]  # type: ignore[misc]
        async with connected(*clients), community.connect(two, "bea") as bea:
            await bea.identify()
            sent = [await community.send(node, "ana", "hello") for node in (one, two, three) for _ in range(5)]
            for client in clients:
                await client.until(*sent)
                # Those of two nodes may be swapped: a node publishes after it has answered.
                assert sorted(client.received) == sent
                for of_node in (sent[:5], sent[5:10], sent[10:]):
                    assert in_order([each for each in client.received if each in of_node])
            await community.call(one, "ana", "POST", f"/channels/{community.channel_id}/typing")
            assert (await bea.wait_for("typing.started"))["username"] == "ana"

            await community.call(
                three, "ana", "DELETE", f"/servers/{community.server_id}/members/{community.users['bea'].user.user_id}"
            )
            await bea.wait_for("member.left")
            sent.append(await community.send(three, "ana", "bea is gone"))
            await clients[1].until(sent[-1])
            assert await bea.is_quiet()


async def test_new_message_is_delivered_without_the_change_stream(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """No node reads the stream, so what is received came directly from the node that accepted the message."""
    with nodes(2, store, tmp_path, valkey.url, relays=False) as [one, two]:
        clients = [Client(community, "bea", lambda: one), Client(community, "carl", lambda: two)]
        async with connected(*clients):
            sent = [await community.send(one, "ana", f"{number}") for number in range(5)]
            for client in clients:
                await client.until(*sent)


@pytest.mark.parametrize("relays", [True, False])
async def test_author_on_another_node_receives_the_nonce(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path, relays: bool
) -> None:
    """Through the change stream and the relay; or, without them, from the node that accepted the message."""
    with nodes(2, store, tmp_path, valkey.url, relays=relays, fast=not relays) as [one, two]:
        async with community.connect(two, "ana") as ana, community.connect(two, "bea") as bea:
            await ana.identify()
            await bea.identify()
            body = {"content": "hello", "nonce": "n"}
            await community.call(one, "ana", "POST", f"/channels/{community.channel_id}/messages", body)
            assert (await ana.wait_for("message.created"))["nonce"] == "n"
            assert "nonce" not in await bea.wait_for("message.created")


@asynccontextmanager
async def chatter(community: Community, node: Callable[[], Node]) -> AsyncIterator[list[str]]:
    """Let some users send messages; return the acknowledged ones, in order for each user."""
    acknowledged: list[str] = []
    stop = asyncio.Event()

    async def talk(who: str) -> None:
        number = 0
        while not stop.is_set():
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                acknowledged.append(await community.send(node(), who, f"{who} {(number := number + 1)}"))
                continue
            await asyncio.sleep(0.01)

    talking = [asyncio.create_task(talk(who)) for who in ("ana", "carl") for _ in range(2)]
    try:
        yield acknowledged
    finally:
        stop.set()
        await asyncio.gather(*talking)


@on_several_shards
async def test_node_killed_under_load_loses_nothing(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """The first node is also the relay: another takes over."""
    with nodes(1, store, tmp_path, valkey.url) as [first], nodes(1, store, tmp_path, valkey.url) as [second]:
        current = first
        wanders = Client(community, "bea", lambda: current)
        stays = Client(community, "carl", lambda: second)
        async with connected(wanders, stays):
            async with chatter(community, lambda: current) as acknowledged:
                await eventually(lambda: len(acknowledged) >= 60)
                first.kill()
                current = second
                killed_at = len(acknowledged)
                await eventually(lambda: len(acknowledged) >= killed_at + 60)
            await wanders.until(*acknowledged)
            await stays.until(*acknowledged)
            # Events that only the change log carries continue, too.
            await community.call(
                second, "ana", "PATCH", f"/channels/{community.channel_id}", {"topic": "after the fall"}
            )
            async with community.connect(second, "carl") as carl:
                await carl.identify()
                await community.call(
                    second, "ana", "PATCH", f"/channels/{community.channel_id}", {"topic": "and after"}
                )
                while (await carl.wait_for("channel.updated"))["topic"] != "and after":
                    pass
        assert wanders.gaps == 0
        assert wanders.breaks > 0
        assert stays.breaks == 0
        assert in_order(wanders.received[: killed_at // 2])


@on_several_shards
async def test_write_that_its_node_could_not_publish_is_published_by_another(
    community: Community, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """The node publishes nothing itself, as if it were always killed between the commit and the event."""
    with (
        nodes(1, store, tmp_path, valkey.url) as [pumps],
        nodes(1, store, tmp_path, valkey.url) as [other],
        nodes(1, store, tmp_path, valkey.url, fast=False, relays=False) as [mute],
    ):
        client = Client(community, "bea", lambda: other)
        async with connected(client):
            sent = [await community.send(mute, "ana", f"{number}") for number in range(10)]
            await client.until(*sent)
            # Nor does the relay; until the other node takes over.
            pumps.kill()
            sent += [await community.send(mute, "ana", f"{number}") for number in range(10)]
            mute.kill()
            await client.until(*sent)
            assert client.received == sent


@pytest.mark.parametrize("fast", [True, False])
async def test_valkey_restarted_empty_loses_no_event(
    community: Community, store: str, tmp_path: Path, fast: bool
) -> None:
    valkey = Valkey(valkey_program(), _free_port())
    valkey.start()
    try:
        with nodes(2, store, tmp_path, valkey.url, fast=fast) as [one, two]:
            here, there = Client(community, "bea", lambda: one), Client(community, "carl", lambda: two)
            async with connected(here, there):
                async with chatter(community, lambda: one) as acknowledged:
                    await eventually(lambda: len(acknowledged) >= 40)
                    valkey.stop()
                    stopped_at = len(acknowledged)
                    await eventually(lambda: len(acknowledged) >= stopped_at + 40)
                    valkey.start()
                    back_at = len(acknowledged)
                    await eventually(lambda: len(acknowledged) >= back_at + 40)
                await here.until(*acknowledged)
                await there.until(*acknowledged)
                assert (here.breaks, there.breaks) == (0, 0)

                # A node that has not seen the earlier events knows that it cannot replay them.
                async with community.connect(one, "bea") as connection:
                    ready = await connection.identify()
                    place = connection.s
                valkey.stop()
                valkey.start()
                sent = await community.send(two, "ana", "sent again")
                await there.until(sent)
                with nodes(1, store, tmp_path, valkey.url) as [three]:
                    async with community.connect(three, "bea") as back:
                        await back.frame()
                        await back.send(6, {"token": back.token, "sessionId": ready["sessionId"], "s": place})
                        gap = await back.event("gap")
                        assert sent in [room["until"] for room in gap["d"]["rooms"]]
                        await back.event("ready")
    finally:
        valkey.stop()


@pytest.mark.parametrize("store", ["sharded"], indirect=True)
async def test_stopped_node_that_continues_repeats_nothing_and_moves_no_checkpoint_back(
    community: Community, store: str, sharded: ShardingProxy, valkey: Endpoint, tmp_path: Path
) -> None:
    """A node is stopped for longer than its leases, while it reads some of the shards."""
    checkpoints: dict[tuple[str, str], float] = {}

    async def note_checkpoints() -> None:
        table = community.app.table
        shards = [row async for row in table.every(stream_rows()) if isinstance(row, ShardProgress)]
        for row in shards:
            for consumer, position in row.checkpoints.items():
                if position not in (OLDEST, NEWEST):
                    assert rank(position) >= checkpoints.get((row.shard_id, consumer), 0)
                    checkpoints[row.shard_id, consumer] = rank(position)

    with nodes(2, store, tmp_path, valkey.url, fast=False) as [one, two]:
        client = Client(community, "bea", lambda: two)
        async with connected(client):
            await until_shared(community, 2)
            sent = [await community.send(two, "ana", f"before {number}") for number in range(5)]
            await client.until(*sent)
            os.kill(one.process.pid, signal.SIGSTOP)
            sent += [await community.send(two, "ana", f"meanwhile {number}") for number in range(5)]
            sharded.stream.split()
            sent += [await community.send(two, "ana", f"after {number}") for number in range(5)]
            await client.until(*sent)
            await until_shared(community, 1)
            await note_checkpoints()
            os.kill(one.process.pid, signal.SIGCONT)
            await until_shared(community, 2)
            sent += [await community.send(two, "ana", f"again {number}") for number in range(5)]
            await client.until(*sent)
            await note_checkpoints()
        assert client.received == sent
        assert (client.gaps, client.breaks) == (0, 0)


async def until_shared(community: Community, count: int) -> None:
    """Wait until every shard that has not ended is read, by so many nodes."""
    deadline = time.monotonic() + SOON_SECONDS
    while True:
        now_ms = community.app.clock.now_ms()
        shards = [row async for row in community.app.table.every(stream_rows()) if isinstance(row, ShardProgress)]
        open_shards = [row for row in shards if set(row.checkpoints.values()) != {END}]
        holders = {row.holder if row.leased_until_ms >= now_ms else None for row in open_shards}
        if None not in holders and len(holders) == count:
            return
        assert time.monotonic() < deadline, shards
        await asyncio.sleep(LOOK_SECONDS)


def in_order(ids: list[str]) -> bool:
    return ids == sorted(ids)
