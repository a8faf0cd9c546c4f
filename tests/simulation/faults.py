"""What goes wrong during a run: nodes crash and pause, calls fail, and the stream of changes stalls and splits."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

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

    async def run(self) -> None:
        """Cause faults until users are quiet, and wait until everything has recovered."""
        while self._scenario.is_busy:
            await asyncio.sleep(self._chance.uniform(0.5, 6.0))
            nodes = [node for node in self._scenario.nodes if node.is_running and not node.is_paused]
            if not nodes:
                continue
            node = self._chance.choice(nodes)
            fault = self._chance.choice((self._crash, self._pause, self._failing_calls, self._stall, self._split))
            task = asyncio.create_task(fault(node))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def _crash(self, node: Node) -> None:
        self._scenario.history.note(node.name, "crash")
        ended = node.crash()
        await asyncio.sleep(self._chance.uniform(0.2, 6.0))
        await ended
        await start(self._scenario, node)

    async def _pause(self, node: Node) -> None:
        seconds = self._chance.choice((0.3, 2.0, 10.0, 25.0)) * self._chance.random()
        self._scenario.history.note(node.name, "pause", f"{seconds:.3f} s")
        node.pause()
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
        if self._scenario.modelled is not None and self._scenario.mode == "shards":
            self._scenario.history.note("stream", "split")
            self._scenario.modelled.stream.split()


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
