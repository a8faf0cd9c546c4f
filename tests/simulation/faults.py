"""What goes wrong during a run: nodes crash and pause, calls fail, and the stream of changes stalls and splits."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from simulation.broker import Broker
from simulation.network import LATENCY_SECONDS, Network
from simulation.nodes import Node
from sobremesa.table.engines.faults import Rates
from sobremesa.table.errors import TableError

if TYPE_CHECKING:
    from simulation.scenario import Scenario

NO_FAULTS = Rates()


class Faults:
    """Causes faults, one after the other, by a seed."""

    def __init__(self, scenario: Scenario, seed: str) -> None:
        self._scenario = scenario
        self._chance = random.Random(seed)
        self._under_way: set[asyncio.Task[None]] = set()
        self._all: list[Callable[[Node], Coroutine[Any, Any, None]]]
        self._all = [self._crash, self._pause, self._failing_calls, self._stall, self._split]
        if scenario.broker is not None:
            self._all += [self._lose_broker, self._pause_broker, self._cut, self._partition, self._lose_answers]
            self._all += [self._slow_network, self._outage]

    async def run(self) -> None:
        """Cause faults until users are quiet, and wait until everything has recovered."""
        while self._scenario.is_busy:
            await asyncio.sleep(self._chance.uniform(0.5, 6.0))
            nodes = [node for node in self._scenario.nodes if node.is_running and not node.is_paused]
            if not nodes:
                continue
            node = self._chance.choice(nodes)
            fault = self._chance.choice(self._all)
            task = asyncio.create_task(fault(node))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def _crash(self, node: Node) -> None:
        self._scenario.history.note(node.name, "crash")
        ended = node.crash()
        seconds = self._chance.uniform(0.2, 6.0)
        self._scenario.note_trouble(node.name, seconds=seconds)
        await asyncio.sleep(seconds)
        await ended
        await start(self._scenario, node)

    async def _pause(self, node: Node) -> None:
        seconds = self._chance.choice((0.3, 2.0, 10.0, 25.0)) * self._chance.random()
        self._scenario.history.note(node.name, "pause", f"{seconds:.3f} s")
        node.pause()
        self._scenario.note_trouble(node.name, seconds=seconds)
        await asyncio.sleep(seconds)
        if node.is_paused:
            self._scenario.history.note(node.name, "continue")
            node.resume()

    async def _failing_calls(self, node: Node) -> None:
        rate = self._chance.choice((0.02, 0.1, 0.3))
        kinds = self._chance.sample(("throttle", "conflict", "lost_response", "unprocessed", "late_changes"), 2)
        self._scenario.history.note(node.name, "failing calls", f"{rate} {' '.join(kinds)}")
        node.set_rates(Rates(**dict.fromkeys(kinds, rate)))
        await asyncio.sleep(self._chance.uniform(0.5, 8.0))
        node.set_rates(NO_FAULTS)

    async def _stall(self, node: Node) -> None:
        if self._scenario.modelled is not None:
            seconds = self._chance.uniform(0.5, 6.0)
            self._scenario.history.note("stream", "stall", f"{seconds:.3f} s")
            self._scenario.modelled.stream.stall(seconds)

    async def _split(self, node: Node) -> None:
        if self._scenario.modelled is not None and self._scenario.has_shards:
            self._scenario.history.note("stream", "split")
            self._scenario.modelled.stream.split()

    async def _outage(self, _: Node) -> None:
        """The endpoint of the table refuses everything."""
        seconds = self._chance.uniform(0.5, 5.0)
        self._scenario.history.note("table", "outage", f"{seconds:.3f} s")
        for node in self._scenario.nodes:
            node.set_rates(Rates(throttle=1.0))
        await asyncio.sleep(seconds)
        for node in self._scenario.nodes:
            node.set_rates(NO_FAULTS)

    # The broker and the network

    async def _lose_broker(self, _: Node) -> None:
        """It is killed, and starts again, empty or with what it had."""
        if not self._broker.is_listening:
            return
        is_emptied = self._scenario.loses_events
        self._scenario.history.note("broker", "crash", "and lose everything" if is_emptied else "")
        self._broker.stop(is_emptied=is_emptied)
        for link in self._network.links():
            link.cut()
        seconds = self._chance.choice((0.3, 8.0)) * self._chance.random()
        self._scenario.note_trouble("broker", seconds=seconds)
        await asyncio.sleep(seconds)
        self._scenario.history.note("broker", "start")
        self._broker.start()

    async def _pause_broker(self, _: Node) -> None:
        if self._broker.is_paused:
            return
        seconds = self._chance.choice((0.3, 3.0, 15.0)) * self._chance.random()
        self._scenario.history.note("broker", "pause", f"{seconds:.3f} s")
        self._broker.is_paused = True
        self._scenario.note_trouble("broker", seconds=seconds)
        await asyncio.sleep(seconds)
        self._scenario.history.note("broker", "continue")
        self._broker.resume()

    async def _cut(self, node: Node) -> None:
        """Connections to the broker break: all, or some of one node."""
        links = self._network.links(None if self._chance.random() < 0.3 else node.group)
        cut = [link for link in links if self._chance.random() < 0.7]
        self._scenario.history.note(node.name, "cut", f"{len(cut)} of {len(links)} connections")
        self._scenario.note_trouble("broker", seconds=0.0)
        for link in cut:
            link.cut()

    async def _partition(self, node: Node) -> None:
        """For a while, nothing passes between a node and the broker; then everything does."""
        seconds = self._chance.choice((0.3, 3.0, 15.0)) * self._chance.random()
        self._scenario.history.note(node.name, "partition", f"{seconds:.3f} s")
        self._network.hold(node.group, seconds)
        self._scenario.note_trouble(node.name, seconds=seconds)
        await asyncio.sleep(seconds)

    async def _lose_answers(self, _: Node) -> None:
        """Connections break when the broker has done what it was asked."""
        self._network.lost_answers = self._chance.choice((0.02, 0.1, 0.3))
        self._scenario.history.note("broker", "lost answers", self._network.lost_answers)
        seconds = self._chance.uniform(0.5, 5.0)
        self._scenario.note_trouble("broker", seconds=seconds)
        await asyncio.sleep(seconds)
        self._network.lost_answers = 0.0

    async def _slow_network(self, _: Node) -> None:
        self._network.latency = (0.001, self._chance.choice((0.05, 0.5, 2.0)))
        self._scenario.history.note("network", "slow", f"up to {self._network.latency[1]} s")
        seconds = self._chance.uniform(0.5, 8.0)
        self._scenario.note_trouble("broker", seconds=seconds)
        await asyncio.sleep(seconds)
        self._network.latency = LATENCY_SECONDS

    @property
    def _broker(self) -> Broker:
        assert self._scenario.broker is not None
        return self._scenario.broker

    @property
    def _network(self) -> Network:
        assert self._scenario.network is not None
        return self._scenario.network


async def start(scenario: Scenario, node: Node) -> None:
    """Start a node, again and again until it succeeds."""
    while True:
        try:
            await node.start()
        except TableError as error:
            scenario.history.note(node.name, "not started", type(error).__name__)
            await node.crash()
            await asyncio.sleep(1.0)
        else:
            scenario.history.note(node.name, "start", str(node.started))
            return
