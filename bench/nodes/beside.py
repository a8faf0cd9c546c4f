"""One node of ours, and Centrifugo, each with a Valkey of its own and with the same clients."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.live.contenders import event_bytes, message
from bench.nodes.centrifugo import centrifugo
from bench.nodes.clients import ROOM, CentrifugoClient
from bench.nodes.cluster import QUIET_SECONDS, Sizes, create_room, crowd_of, senders
from bench.nodes.crowds import Crowd, Delivered, Storm, come_back, connected, deliver, send_each
from bench.nodes.processes import nodes
from sobremesa.loadtest.connection import TEXT, Tally, connect, frame
from sobremesa.loadtest.scenarios import Sender
from sobremesa.loadtest.server import LOOPBACK, Process

USERS = 101
IN_FLIGHT = 4
IDLE = 2000
SETTLE_SECONDS = 1.0
NUMBER = b"00000000"
AROUND = b'{"push":{"channel":"room:1","pub":{"data":,"info":{"user":"sender","client":""},"offset":1000}}}'
"""What stands around the data of an event of Centrifugo, without the 36 characters of a client's id."""


CrowdOf = Callable[[int], Crowd]
"""Returns so many new clients."""


class Found(NamedTuple):
    """What was measured of one server."""

    delivered: Delivered
    socket_bytes: float
    """Memory for an idle socket."""
    storm: Storm


async def ours(sizes: Sizes) -> tuple[Found, int]:
    """Measure a node; return also the size of an event."""
    with nodes() as cluster:
        node = cluster.add()
        room = await create_room(node, USERS)
        size = await event_bytes(room)
        async with senders([(room, node.port)], IN_FLIGHT) as sending:
            found = await _measure(node, lambda count: crowd_of(room, count), sending, sizes)
        return found, size


async def theirs(program: Path, size: int, sizes: Sizes) -> Found:
    """Measure Centrifugo, with events of the same size."""
    with tempfile.TemporaryDirectory() as folder, centrifugo(program, Path(folder)) as process:

        def crowd(count: int) -> Crowd:
            return Crowd([CentrifugoClient(f"user-{number % (USERS - 1)}", ROOM) for number in range(count)])

        data = message(size - len(AROUND) - 36)
        sent = frame(TEXT, b'{"id":3,"publish":{"channel":"%b","data":%b}}' % (ROOM.encode(), data))
        before, _, after = sent.partition(NUMBER)
        sending = [
            Sender(await connect(LOOPBACK, process.port, CentrifugoClient("sender", None), Tally()), before, after)
            for _ in range(IN_FLIGHT)
        ]
        return await _measure(process, crowd, sending, sizes)


async def _measure(server: Process, crowd_of: CrowdOf, sending: Sequence[Sender], sizes: Sizes) -> Found:
    idle = server.rss() or 0
    crowd = crowd_of(min(IDLE, sizes.cut))
    async with connected([(crowd, server.port)]):
        await asyncio.sleep(SETTLE_SECONDS)
        socket_bytes = ((server.rss() or 0) - idle) / len(crowd.clients)
    crowd = crowd_of(sizes.sockets)
    async with connected([(crowd, server.port)]):
        delivered = await deliver([(crowd, sending)], [server], in_flight=IN_FLIGHT, seconds=sizes.seconds)
    return Found(delivered, socket_bytes, await _cut(server, crowd_of(sizes.cut), sending[0], sizes.missed))


async def _cut(server: Process, crowd: Crowd, sender: Sender, missed: int) -> Storm:
    """Cut off all clients, who miss some messages and come back to the same server."""
    async with connected([(crowd, server.port)]):
        await asyncio.sleep(QUIET_SECONDS)
        crowd.disconnect()
        await asyncio.sleep(SETTLE_SECONDS)
        await send_each([sender], missed)
        return await come_back([(crowd, server.port)], [server], missed)
