"""One to four nodes over one table and one Valkey, with as many topics on each."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.nodes import unneeded
from bench.nodes.clients import GatewayClient
from bench.nodes.crowds import Crowd, Delivered, Storm, come_back, connected, deliver, send_each
from bench.nodes.processes import Nodes, nodes
from bench.nodes.unneeded import Unneeded
from sobremesa.live.topic_receiver import KEPT_SECONDS, LOOK_SECONDS, RELEASED_EVERY
from sobremesa.loadtest.connection import Dialect, Tally, connect_all
from sobremesa.loadtest.gateway import GatewayDialect, send_frames
from sobremesa.loadtest.scenarios import Sender
from sobremesa.loadtest.server import LOOPBACK, Process
from sobremesa.loadtest.stage import Stage, prepare, users_of_server

BEFORE_TOPICS = "3da1b0254a5458c36eff56bc6cbf48ea89e4f860"
"""The last commit in which all nodes read one stream of everything."""
USERS = 13
"""Members of each room, one of whom sends."""
PERIODS_EACH = 2.5
"""In how many periods the time of a measurement is divided, where periods are compared."""
QUIET_SECONDS = 3.0
"""How long nothing is sent before clients are cut off: another node repeats the last two seconds."""


class Sizes(NamedTuple):
    """The sizes of one run."""

    nodes: tuple[int, ...] = (1, 2, 4)
    rooms: int = 4
    sockets: int = 1000
    cut: int = 1000
    missed: int = 5
    users: int = 400
    """In a storm."""
    many_users: int = 2000
    many_sockets: int = 10_000
    """In a storm as after the failure of a large node."""
    seconds: float = 5.0
    pairs: int = 20
    """Of quiet and busy periods."""
    settle_seconds: float = KEPT_SECONDS + 2 * RELEASED_EVERY * LOOK_SECONDS
    """After this time, nodes receive only the topics that they need."""


QUICK = Sizes(
    nodes=(1, 2, 3),
    rooms=4,
    sockets=200,
    cut=400,
    seconds=1.0,
    users=200,
    many_users=200,
    many_sockets=1000,
    pairs=3,
    settle_seconds=1.0,
)


class Found(NamedTuple):
    """What was measured with one version of the code."""

    delivered: dict[int, Delivered]
    unneeded: Unneeded
    storm: Storm


async def measure(code: Path | None, sizes: Sizes) -> Found:
    """Start nodes one after the other, and measure with each number of them."""
    with nodes(code) as cluster:
        first = cluster.add()
        rooms = [await create_room(first, USERS) for _ in range(sizes.rooms)]
        delivered: dict[int, Delivered] = {}
        for count in sizes.nodes:
            while len(cluster.running) < count:
                cluster.add()
            delivered[count] = await _deliver(cluster, rooms, sizes)
        unneeded = await _unneeded(cluster, rooms, sizes)
        storm = await _lose_a_node(cluster, rooms, sizes)
    return Found(delivered, unneeded, storm)


async def create_room(node: Process, users: int) -> Stage:
    """Register users who share a room."""
    url = f"http://{LOOPBACK}:{node.port}"
    return await prepare(url, await users_of_server(url, users))


def crowd_of(room: Stage, sockets: int) -> Crowd:
    """Return clients of the members of a room who do not send."""
    tokens = [room.listener, *room.senders[1:]]
    return Crowd([GatewayClient(tokens[number % len(tokens)], room.channel) for number in range(sockets)])


@asynccontextmanager
async def senders(rooms: Sequence[tuple[Stage, int]], each: int = 1) -> AsyncIterator[list[Sender]]:
    """Connect members who send to these rooms, each at a port."""
    opened: list[Sender] = []
    try:
        for room, port in rooms:
            dialects: list[Dialect] = [GatewayDialect(room.senders[0])] * each
            connections = await connect_all(LOOPBACK, port, dialects, Tally())
            opened += [Sender(connection, *send_frames(room.channel)) for connection in connections]
        yield opened
    finally:
        for sender in opened:
            sender.connection.disconnect()


async def _deliver(cluster: Nodes, rooms: Sequence[Stage], sizes: Sizes) -> Delivered:
    """Broadcast to all rooms, of which each node has as many."""
    ports = [cluster.running[number % len(cluster.running)].port for number in range(len(rooms))]
    crowds = [crowd_of(room, sizes.sockets // len(rooms)) for room in rooms]
    async with (
        connected(list(zip(crowds, ports, strict=True))),
        senders(list(zip(rooms, ports, strict=True))) as sending,
    ):
        pairs = [(crowd, [sender]) for crowd, sender in zip(crowds, sending, strict=True)]
        return await deliver(pairs, cluster.running, in_flight=1, seconds=sizes.seconds)


async def _unneeded(cluster: Nodes, rooms: Sequence[Stage], sizes: Sizes) -> Unneeded:
    """Send on one node to rooms whose members are there. Nodes that read the table's stream are left out."""
    busy = cluster.running[1]
    others = [each for each in cluster.running[2:] if not cluster.reads_the_stream(each)]
    active = [await create_room(busy, USERS) for _ in range(3)]  # new ones, which no other node has received
    silent = [(crowd_of(rooms[-1], 1), each.port) for each in others]
    busy_crowds = [(crowd_of(room, 10), busy.port) for room in active]
    async with connected([*busy_crowds, *silent]):
        await asyncio.sleep(sizes.settle_seconds)
        async with senders([(each, busy.port) for each in active], 4) as sending:
            return await unneeded.measure(
                cluster.valkey, others, sending, pairs=sizes.pairs, seconds=sizes.seconds / PERIODS_EACH
            )


async def _lose_a_node(cluster: Nodes, rooms: Sequence[Stage], sizes: Sizes) -> Storm:
    """Kill a node with all clients on it, who come back to another one."""
    lost, next_one = cluster.running[-1], cluster.running[1]
    crowds = [crowd_of(room, sizes.cut // len(rooms)) for room in rooms]
    async with connected([(crowd, lost.port) for crowd in crowds]):
        await asyncio.sleep(QUIET_SECONDS)
        os.kill(lost.pid, signal.SIGKILL)
        cluster.running.remove(lost)
        for crowd in crowds:
            crowd.disconnect()
        async with senders([(room, next_one.port) for room in rooms]) as sending:
            await send_each(sending, sizes.missed)
        return await come_back([(crowd, next_one.port) for crowd in crowds], [next_one], sizes.missed)
