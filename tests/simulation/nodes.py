"""Nodes of a simulation: the whole application over the shared table, which can crash, pause and start again."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from simulation.network import Network
from simulation.virtual_time import Group, VirtualClock
from sobremesa.app import Sobremesa
from sobremesa.app.store import Store
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.attachments.disk import DiskStore
from sobremesa.table import Table
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import Engine
from sobremesa.work.table_origin import Origin

T = TypeVar("T")

BROKER = ("broker", 6379)
ON_DYNAMODB = Settings(store="dynamodb://simulated?region=eu-west-1", rate_limits="off")
ON_NODES = Settings(
    store=ON_DYNAMODB.store,
    rate_limits="off",
    redis=f"redis://{BROKER[0]}:{BROKER[1]}",
    records="postgresql://nowhere/records",  # which nothing here opens
)
ON_SQLITE = Settings(store="sqlite://", rate_limits="off")


class NodeGone(Exception):
    """The node crashed before it answered."""


class Node:
    """One process of the application. A gateway has subscribers, another one only runs verbs and background work."""

    def __init__(
        self,
        name: str,
        engine: Engine,
        keys: MemoryKeys,
        settings: Settings,
        *,
        seed: int,
        skew_ms: int,
        is_gateway: bool,
        network: Network | None = None,
    ) -> None:
        self.name = name
        self.network = network
        self.is_gateway = is_gateway
        self.is_running = False
        self.started = 0
        """How often it was started."""
        self._shared = engine
        self._keys = keys
        self._settings = settings
        self._seed = seed
        self._clock = VirtualClock(skew_ms)
        self.rates = Rates()
        self.group = Group(name)
        self._engine: FaultyEngine | None = None
        self.app: Sobremesa
        self._is_open = False
        """Whether there is an application to close."""

    @property
    def incarnation(self) -> str:
        """The name of this run of the node."""
        return f"{self.name}.{self.started}"

    @property
    def is_paused(self) -> bool:
        return self.group.is_paused

    async def start(self) -> None:
        """Start it, and return when it answers requests."""
        self.started += 1
        self.group = Group(self.incarnation)
        await self.run(self._open())
        self.is_running = True

    async def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine that runs on this node; NodeGone if the node crashes before."""
        task = self.group.start(coroutine)
        task.add_done_callback(_note_error)  # the caller may have given up
        await asyncio.wait({task})
        if task.cancelled():
            raise NodeGone
        return task.result()

    def crash(self) -> asyncio.Task[None]:
        """End it at once: nothing that it does from now on reaches a server. Return what waits for its tasks."""
        self.is_running = False
        if self.network is not None:
            self.network.cut_off(self.group)
        if isinstance(self._engine, FaultyEngine):
            self._engine.is_cut_off = True
        return asyncio.create_task(self._end())

    def pause(self) -> None:
        """Let it do nothing, as a process that is stopped or swapped out."""
        self.group.is_paused = True

    def resume(self) -> None:
        self.group.resume()

    def set_rates(self, rates: Rates) -> None:
        """Change how often its calls fail."""
        self.rates = rates
        if self._engine is not None:
            self._engine.rates = rates

    async def _end(self) -> None:
        await self.group.end()
        if self.network is not None and self._is_open:
            await self.app.live.feed.close()  # its connections are cut: this only frees what they hold

    async def _open(self) -> None:
        engine: Engine = self._shared
        if self._settings is not ON_SQLITE:
            engine = self._engine = FaultyEngine(self._shared, self.rates, self._seed * 1000 + self.started)
        table = Table(engine, clock=self._clock)
        keyring = await Keyring.open(self._keys, self._clock)
        table.seal_cursors_with(keyring.secret("cursors"))
        origin = Origin(table)
        store = Store(self._settings, table, keyring, DiskStore(None), origin, self._clock, False)
        self.app = app = Sobremesa(store)
        self._is_open = True
        if self.is_gateway:
            await app.live.hub.open()
            self.group.add(app.live.hub.run())
        self.group.add(app.change_consumer.run())
        self.group.add(app.jobs.run(app.handlers))


def _note_error(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
