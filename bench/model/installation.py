"""The installation that is measured: nodes over one modelled table, and what it costs them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, Self

from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.communities.entities import ServerId, ServerMembership
from sobremesa.table import Put
from sobremesa.table.engines.modelled import Figures, ModelledEngine
from sobremesa.table.opening import open_modelled

NODES = 10
SHARDS = 16
BACKEND = Actor(
    key_id=KeyId("backend"),
    scopes=frozenset({"rooms:read", "rooms:write", "inbox:publish", "inbox:admin", "inbox:read"}),
)
UNTIL_STARTED_SECONDS = 30.0
"""In virtual time: by then the shards of the stream are spread over the nodes."""

UNTIL_SEEN_SECONDS = 1.0
"""By then indexes, and reads that are not consistent, show what was written."""


class Units(NamedTuple):
    """What a table was asked for."""

    calls: Counter[str]
    reads: Counter[str]
    writes: Counter[str]

    def since(self, before: Units) -> Units:
        return Units(*(Counter(now) - Counter(then) for now, then in zip(self, before, strict=True)))


class Installation:
    """Nodes that share a table."""

    def __init__(self, engine: ModelledEngine, nodes: list[Node]) -> None:
        self.engine = engine
        self._nodes = nodes
        self._next = 0

    @property
    def apps(self) -> list[Sobremesa]:
        return [node.app for node in self._nodes]

    @property
    def app(self) -> Sobremesa:
        """The next node, each in turn, as behind a load balancer."""
        self._next += 1
        return self._nodes[self._next % len(self._nodes)].app

    def units(self) -> Units:
        """Return the calls and capacity units of all nodes so far, by access pattern."""
        units = Units(Counter(), Counter(), Counter())
        for app in self.apps:
            for pattern, usage in app.table.meter.totals().items():
                units.calls[pattern] += usage.calls
                units.reads[pattern] += usage.capacity.read  # type: ignore[assignment]  # a counter of floats
                units.writes[pattern] += usage.capacity.write  # type: ignore[assignment]
        return units

    @classmethod
    @asynccontextmanager
    async def open(cls, seed: int, *, nodes: int = NODES, shards: int = SHARDS) -> AsyncIterator[Self]:
        """Start the nodes over a new table."""
        engine = await open_modelled(clock=VirtualClock(), figures=Figures(shards=shards, stall=0.0), seed=seed)
        keys = MemoryKeys()
        running = [
            Node(f"node{number}", engine, keys, ON_DYNAMODB, seed=seed * 100 + number, skew_ms=0, is_gateway=False)
            for number in range(nodes)
        ]
        for node in running:
            await node.start()
        await asyncio.sleep(UNTIL_STARTED_SECONDS)
        try:
            yield cls(engine, running)
        finally:
            for node in running:
                await node.crash()
            await engine.close()

    async def users(self, count: int, prefix: str = "user") -> list[Actor]:
        """Create users."""
        actors = [Actor.of_user(UserId(f"{prefix}{number:05}"), f"{prefix}{number:05}") for number in range(count)]
        now = VirtualClock().now()
        rows = (Put(User(user_id=each.user_id, username=each.username, created_at=now)) for each in actors)
        await self.app.table.write_many(rows)
        await asyncio.sleep(UNTIL_SEEN_SECONDS)
        return actors

    async def server(self, owner: Actor, members: list[Actor], *, channels: int = 1) -> tuple[ServerId, list[RoomId]]:
        """Create a server with members and channels."""
        communities = self.app.communities
        server_id = (await communities.create_server(owner, name="Measured")).server_id
        now = VirtualClock().now()
        await self.app.table.write_many(
            Put(ServerMembership(user_id=each.user_id, server_id=server_id, joined_at=now)) for each in members
        )
        created = [
            await communities.create_channel(owner, server_id, name=f"channel-{number}") for number in range(channels)
        ]
        return server_id, [RoomId(each.channel.channel_id) for each in created]
