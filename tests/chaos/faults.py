"""What goes wrong during a cycle, drawn from a seed before it begins, and how it heals."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from chaos.observations import Outage
from servers.sharded import Disturbance

if TYPE_CHECKING:
    from chaos.cycle import Cycle

Kind = Literal[
    "kill",
    "pause",
    "empty valkey",
    "pause valkey",
    "kill endpoint",
    "pause endpoint",
    "throttle",
    "lose answers",
    "cut endpoint",
    "slow endpoint",
    "cut sockets",
    "split shard",
    "slow shard",
    "expire iterators",
]
WEIGHTS: dict[Kind, int] = {
    "kill": 4,
    "pause": 4,
    "empty valkey": 2,
    "pause valkey": 1,
    "kill endpoint": 1,
    "pause endpoint": 1,
    "throttle": 1,
    "lose answers": 1,
    "cut endpoint": 1,
    "slow endpoint": 1,
    "cut sockets": 3,
    "split shard": 2,
    "slow shard": 3,
    "expire iterators": 1,
}
DISTURBANCES: dict[Kind, Disturbance] = {
    "throttle": Disturbance(throttled=0.3),
    "lose answers": Disturbance(unanswered=0.1),
    "cut endpoint": Disturbance(cut=0.1),
    "slow endpoint": Disturbance(delay=0.5),
}
MOST_SHARDS = 12


class Fault(NamedTuple):
    """A fault, its moment in the cycle, and how long it lasts."""

    at: float
    kind: Kind
    seconds: float
    pick: float
    """Which of the nodes or shards it concerns, as a part of one."""


def plan(seed: int, busy_seconds: float) -> list[Fault]:
    """Return the faults of a seed, in their order."""
    chance = random.Random(f"faults {seed}")
    faults: list[Fault] = []
    at = chance.uniform(1.0, 4.0)
    while at < busy_seconds:
        kind = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        # A third of the pauses are longer than a lease of a shard (6 s) and the wait until others read it (8 s).
        longest = chance.choice((0.5, 4.0, 14.0)) if kind == "pause" else 5.0
        faults.append(Fault(at, kind, longest * chance.uniform(0.5, 1.0), chance.random()))
        at += chance.uniform(0.5, 5.0)
    return faults


class Faults:
    """Causes the faults of a plan."""

    def __init__(self, cycle: Cycle, faults: Sequence[Fault]) -> None:
        self._cycle = cycle
        self._faults = faults
        self._valkey = asyncio.Lock()
        self._endpoint = asyncio.Lock()
        """Held while the endpoint is disturbed, or a node starts: one that cannot read the table ends."""

    async def run(self) -> None:
        """Cause all faults at their times, and return when each has healed."""
        began = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as under_way:
            for fault in self._faults:
                await asyncio.sleep(max(0.0, began + fault.at - asyncio.get_running_loop().time()))
                under_way.create_task(self._cause(fault))

    async def _cause(self, fault: Fault) -> None:
        match fault.kind:
            case "kill":
                await self._kill(fault)
            case "pause":
                await self._pause(fault)
            case "empty valkey" | "pause valkey":
                await self._disturb_valkey(fault)
            case "kill endpoint" | "pause endpoint" | "throttle" | "lose answers" | "cut endpoint" | "slow endpoint":
                await self._disturb_endpoint(fault)
            case "cut sockets":
                self._note(fault, "")
                chance = random.Random(fault.pick)
                for subscriber in self._cycle.subscribers:
                    if chance.random() < fault.pick:
                        subscriber.cut()
            case _:
                await self._disturb_stream(fault)

    async def _kill(self, fault: Fault) -> None:
        cluster = self._cycle.cluster
        running = [member for member in cluster.members if member.is_healthy]
        if len(running) < 2:
            return  # one is left to work
        member = running[int(fault.pick * len(running))]
        self._note(fault, member.incarnation)
        cluster.kill(member)
        await asyncio.sleep(fault.seconds)
        async with self._endpoint:
            await cluster.start(member)
        self._cycle.history.note(member.incarnation, "started")

    async def _pause(self, fault: Fault) -> None:
        cluster = self._cycle.cluster
        running = [member for member in cluster.members if member.is_healthy]
        if len(running) < 2:
            return
        member = running[int(fault.pick * len(running))]
        self._note(fault, member.incarnation)
        cluster.pause(member)
        await asyncio.sleep(fault.seconds)
        cluster.resume(member)
        self._cycle.history.note(member.incarnation, "continued")

    async def _disturb_endpoint(self, fault: Fault) -> None:
        cluster = self._cycle.cluster
        async with self._endpoint:
            self._note(fault, "")
            if fault.kind == "kill endpoint":
                cluster.endpoint.kill()
                await asyncio.sleep(fault.seconds)
                cluster.endpoint.start()
            elif fault.kind == "pause endpoint":
                cluster.endpoint.pause()
                await asyncio.sleep(fault.seconds)
                cluster.endpoint.resume()
            else:
                cluster.proxy.disturbance = DISTURBANCES[fault.kind]
                await asyncio.sleep(fault.seconds)
                cluster.proxy.disturbance = Disturbance()
            self._cycle.history.note("endpoint", "healed")

    async def _disturb_valkey(self, fault: Fault) -> None:
        async with self._valkey:
            self._note(fault, "")
            time = asyncio.get_running_loop().time
            outage = Outage(time())
            self._cycle.observations.outages.append(outage)
            if fault.kind == "pause valkey":
                self._cycle.cluster.valkey.pause()
                await asyncio.sleep(fault.seconds)
                self._cycle.cluster.valkey.resume()
            else:
                self._cycle.cluster.valkey.stop()
                await asyncio.sleep(fault.seconds)
                self._cycle.cluster.valkey.start()
            await asyncio.to_thread(self._cycle.cluster.valkey.wait)
            outage.ended = time()
            self._cycle.history.note("valkey", "started")

    async def _disturb_stream(self, fault: Fault) -> None:
        stream = self._cycle.cluster.proxy.stream
        leaves = stream.leaves()
        shard = leaves[int(fault.pick * len(leaves))]
        self._note(fault, shard)
        if fault.kind == "expire iterators":
            stream.expire_iterators()
        elif fault.kind == "split shard":
            if len(leaves) < MOST_SHARDS:
                stream.split(shard)
        else:
            stream.delay(shard, fault.seconds)
            await asyncio.sleep(2 * fault.seconds)
            stream.delay(shard, 0.0)

    def _note(self, fault: Fault, target: str) -> None:
        self._cycle.faults_caused += 1
        self._cycle.history.note("FAULT", fault.kind, f"{target} {fault.seconds:.2f} s")
