"""What events cost a node that has no subscribers of their topics: quiet and busy periods in turn."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from redis.asyncio import Redis

from bench.nodes.processes import Spent
from sobremesa.loadtest.scenarios import Sender, answered
from sobremesa.loadtest.server import Process


class Unneeded(NamedTuple):
    """What events cost that a node does not need."""

    events: int
    node_microseconds: float
    """CPU time of such a node for an event: the mean of all pairs of periods."""
    spread: float
    """The standard error of that."""
    received_bytes: float
    """What Redis sent to such a node for an event."""
    redis_bytes: float
    """Memory of Redis for an event."""


class Period(NamedTuple):
    """What some nodes did in a second, on average."""

    cpu: float
    received: float
    events: float


async def measure(
    valkey: str, nodes: Sequence[Process], senders: Sequence[Sender], *, pairs: int, seconds: float
) -> Unneeded:
    """Compare periods in which the senders send with periods in which nobody does."""
    client: Any = Redis.from_url(valkey)
    async with client:
        await answered(senders, seconds)
        memory = await _used_memory(client)
        found: list[tuple[Period, Period]] = []
        for number in range(pairs):
            # Every other pair begins with the busy period, so that what changes with time affects both.
            order = (True, False) if number % 2 else (False, True)
            pair = {is_busy: await _period(client, nodes, senders if is_busy else [], seconds) for is_busy in order}
            found.append((pair[False], pair[True]))
        events = round(sum(busy.events for _, busy in found) * seconds)
        memory = await _used_memory(client) - memory
    cpu = [(busy.cpu - quiet.cpu) / busy.events / len(nodes) * 1e6 for quiet, busy in found]
    received = [(busy.received - quiet.received) / busy.events / len(nodes) for quiet, busy in found]
    return Unneeded(
        events,
        statistics.mean(cpu),
        statistics.stdev(cpu) / len(cpu) ** 0.5,
        statistics.mean(received),
        memory / events,
    )


async def _period(client: Any, nodes: Sequence[Process], senders: Sequence[Sender], seconds: float) -> Period:
    received = await _received(client, nodes)
    spent, started = Spent(nodes), perf_counter()
    events = 0.0
    if senders:
        events = (await answered(senders, seconds)).per_second
    else:
        await asyncio.sleep(seconds)
    took, cpu = perf_counter() - started, sum(spent.seconds())
    return Period(cpu / took, (await _received(client, nodes) - received) / took, events)


async def _used_memory(client: Any) -> int:
    return int((await client.info("memory"))["used_memory"])


async def _received(client: Any, nodes: Sequence[Process]) -> int:
    """Return how many bytes the server has sent to these nodes."""
    ports = {port for node in nodes for port in _ports_of(node.pid)}
    clients = await client.client_list()
    return sum(int(each["tot-net-out"]) for each in clients if int(each["addr"].rpartition(":")[2]) in ports)


def _ports_of(pid: int) -> set[int]:
    """Return the local ports of the connections of a process."""
    sockets = {each.readlink().name for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            columns = line.split()
            if f"socket:[{columns[9]}]" in sockets:
                found.add(int(columns[1].rpartition(":")[2], 16))
    return found
