"""One run: a table, nodes, users, clients and faults, all from one seed."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import Literal, NamedTuple

from simulation import checks, virtual_time
from simulation.broker import Broker
from simulation.clients import Client
from simulation.faults import NO_FAULTS, Faults, start
from simulation.history import History
from simulation.network import Network
from simulation.nodes import BROKER, ON_DYNAMODB, ON_NODES, ON_SQLITE, Node
from simulation.oracle import Oracle
from simulation.virtual_time import EPOCH_MS, VirtualClock, VirtualLoop
from simulation.workload import Owner, Unanswered, Writer
from sobremesa.core.actor import Actor, KeyId, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.communities.entities import ServerId
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations.service import Conversations
from sobremesa.live import topic_streams
from sobremesa.live.topic_streams import MAX_ENTRIES
from sobremesa.table import Put
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.modelled import Figures, ModelledEngine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.opening import open_modelled

Mode = Literal["sqlite", "dynamodb", "shards", "workers", "nodes", "losses"]
"""The embedded engine; the model with one shard, with several, and with further processes that write; several gateways,
whose events are kept, or lost in the broker and in the stream.
"""
MODES: tuple[Mode, ...] = ("sqlite", "dynamodb", "workers", "shards", "nodes", "losses")
USUAL_MODES: tuple[Mode, ...] = ("sqlite", "dynamodb", "workers", "nodes")
"""What seeds choose from. With several shards a member of less than a minute may miss messages at a resume."""

SHORT_RETENTION_SECONDS = 20.0
"""Less than some nodes and the broker pause, and more than what is published again when events were lost."""
FEW_KEPT = 40
"""So many events of a topic are kept in some seeds, so that clients and nodes miss some of them."""
WRITERS = 5
CHANNELS = 2
NODES = (2, 3, 4)
BUSY_SECONDS = 40.0
UNTIL_KNOWN_SECONDS = 5.0
RECOVERY_SECONDS = 8.0
"""How long after a fault other nodes may still be late: a silent connection is noticed after 6 seconds."""
SETTLED_SECONDS = 120.0
"""Longer than the lease of a job whose node crashed, and the wait for the next look at the jobs."""


class Outcome(NamedTuple):
    """The result of one run."""

    seed: int
    mode: Mode
    history: History
    virtual_seconds: float


class Scenario:
    """What the parts of one run share."""

    def __init__(self, seed: int, mode: Mode, busy_seconds: float) -> None:
        self.seed = seed
        self.busy_seconds = busy_seconds
        self.mode = mode
        self.history = History()
        self.oracle = Oracle(self.history)
        self.chance = random.Random(f"scenario {seed}")
        self.modelled: ModelledEngine | None = None
        self.broker: Broker | None = None
        self.network: Network | None = None
        self.nodes: list[Node] = []
        self.clients: list[Client] = []
        self.channels: list[RoomId] = []
        self.groups: list[RoomId] = []
        """Group conversations of all users, whom nobody removes."""
        self.writers: list[Actor] = []
        self.server_id = ServerId("")
        self.owner = Actor.of_user(UserId("owner"), "owner")
        self.backend = Actor(key_id=KeyId("backend"), scopes=frozenset({"rooms:write"}))
        self.keeps_changes = True
        """Whether the stream is kept for longer than any pause."""
        self._troubled_until: dict[str, float] = {}
        """Until when each node, or the broker, may be late: with messages to other nodes."""
        self.is_busy = True
        """Whether users do something, and faults happen."""
        self._order = 0
        self.virtual_seconds = 0.0
        """How long everything took."""

    def next_order(self) -> int:
        """Return the next number of a connection."""
        self._order += 1
        return self._order

    def any_node(self, *, gateways: bool = False) -> Node | None:
        """Return one of the nodes that run, if any does; a paused one looks as if it did."""
        running = [node for node in self.nodes if node.is_running and (node.is_gateway or not gateways)]
        return self.chance.choice(running) if running else None

    def note_trouble(self, *names: str, seconds: float) -> None:
        """Note that nodes, or the broker, do not work properly for so long."""
        until = asyncio.get_running_loop().time() + seconds + RECOVERY_SECONDS
        for name in names:
            self._troubled_until[name] = max(until, self._troubled_until.get(name, 0.0))

    def is_calm_since(self, moment: float, *names: str) -> bool:
        """Return whether these nodes and the broker have worked properly since a moment."""
        return all(self._troubled_until.get(name, 0.0) < moment for name in ("broker", *names))

    @property
    def has_broker(self) -> bool:
        """Whether there are several gateways, which share events through a broker."""
        return self.mode in ("nodes", "losses")

    @property
    def loses_events(self) -> bool:
        """Whether the broker starts empty again, and changes may be trimmed before they are published."""
        return self.mode == "losses"

    @property
    def has_shards(self) -> bool:
        """Whether the stream may have several shards, which split."""
        return self.mode == "shards" or self.has_broker

    @property
    def rooms(self) -> list[RoomId]:
        """The channels and the groups."""
        return self.channels + self.groups

    def service(self, node: Node, room: RoomId) -> Communities | Conversations:
        """Return the service of a room on a node."""
        return node.app.conversations if room in self.groups else node.app.communities

    @property
    def gateway(self) -> Node:
        return self.nodes[0]

    async def run(self, tamper: Callable[[Scenario], None] | None = None) -> None:
        """Run everything, and check what must hold; `tamper` may break it before, to try the checks themselves."""
        engine = await self._open_engine()
        if self.has_broker:
            self._open_broker()
        await self._start_nodes(engine)
        await self._create_server()
        work = [
            *(Writer(self, each.username, each, f"{each.username} {self.seed}").run() for each in self.writers),
            Owner(self, f"owner {self.seed}").run(),
            Faults(self, f"faults {self.seed}").run(),
        ]
        connecting = [asyncio.create_task(self._keep_connected(client)) for client in self.clients]
        working = [asyncio.create_task(each) for each in work]
        await asyncio.sleep(self.busy_seconds)
        self.is_busy = False
        await asyncio.gather(*working)
        for node in self.nodes:
            node.set_rates(NO_FAULTS)
        self.history.note("scenario", "quiet")
        await self._settle_members()
        await asyncio.sleep(SETTLED_SECONDS)
        if tamper is not None:
            tamper(self)
        await checks.check(self)
        for task in connecting:
            task.cancel()
        await asyncio.gather(*connecting, return_exceptions=True)
        for node in self.nodes:
            await node.crash()
        await engine.close()
        self.virtual_seconds = asyncio.get_running_loop().time()

    async def _open_engine(self) -> Engine:
        clock: Clock = VirtualClock()
        stopwatch = asyncio.get_running_loop().time
        if self.mode == "sqlite":
            return await EmbeddedEngine.open(":memory:", None, clock=clock, stopwatch=stopwatch)
        retention_seconds = self.chance.choice((SHORT_RETENTION_SECONDS, 24 * 3600.0))
        if self.has_broker and not self.loses_events:
            retention_seconds = 24 * 3600.0
        self.keeps_changes = retention_seconds > SHORT_RETENTION_SECONDS
        shards = (1, 2, 4) if self.has_broker else (2, 4, 8) if self.has_shards else (1,)
        figures = Figures(
            shards=self.chance.choice(shards),
            rewind=self.chance.choice((0.0, 0.01)) if self.has_shards else 0.0,
            retention_seconds=retention_seconds,
        )
        self.modelled = await open_modelled(clock=clock, figures=figures, seed=self.seed)
        return self.modelled

    def _open_broker(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        skew_micros = self.chance.randint(-100_000, 100_000)
        self.broker = Broker(lambda: EPOCH_MS * 1000 + round(loop.time() * 1e6) + skew_micros)
        self.network = loop.network = Network(random.Random(f"network {self.seed}"))
        self.network.servers[BROKER] = self.broker
        topic_streams.MAX_ENTRIES = self.chance.choice((FEW_KEPT, MAX_ENTRIES))

    async def _start_nodes(self, engine: Engine) -> None:
        keys = MemoryKeys()
        names = ["gateway"]
        if self.mode == "workers":
            names += ["worker1", "worker2"]
        elif self.has_broker:
            names = [f"gateway{number}" for number in range(1, self.chance.choice(NODES) + 1)]
        settings = ON_SQLITE if self.mode == "sqlite" else ON_NODES if self.has_broker else ON_DYNAMODB
        for number, name in enumerate(names):
            skew_ms = 0 if self.mode == "sqlite" else self.chance.randint(-100, 100)
            seed = self.seed * 10 + number
            is_gateway = name.startswith("gateway")
            node = Node(
                name,
                engine,
                keys,
                settings,
                seed=seed,
                skew_ms=skew_ms,
                is_gateway=is_gateway,
                network=self.network,
            )
            self.nodes.append(node)
            await start(self, self.nodes[-1])

    async def _create_server(self) -> None:
        app = self.gateway.app
        self.writers = [Actor.of_user(UserId(f"user{number}"), f"user{number}") for number in range(1, WRITERS + 1)]
        now = VirtualClock().now()
        people = [self.owner, *self.writers]
        rows = [Put(User(user_id=each.user_id, username=each.username, created_at=now)) for each in people]
        await app.table.write_many(rows)
        self.server_id = (await app.communities.create_server(self.owner, name="Simulated")).server_id
        for number in range(CHANNELS):
            created = await app.communities.create_channel(self.owner, self.server_id, name=f"channel{number}")
            self.channels.append(RoomId(created.channel.channel_id))
        for actor in self.writers:
            await app.communities.members.add(self.backend, self.server_id, actor.user_id)
            self.oracle.members[actor.user_id] = "in"
        self.oracle.members[self.owner.user_id] = "in"
        group = await app.conversations.create_group(self.owner, [each.user_id for each in self.writers])
        self.groups.append(RoomId(group.conversation_id))
        # What is sent to a new participant overtakes the stream, and with it the event of the membership.
        await asyncio.sleep(UNTIL_KNOWN_SECONDS)
        self.clients = [Client(self, f"{each.username}@web", each) for each in people]
        self.clients.append(Client(self, "user1@phone", self.writers[0]))

    async def _keep_connected(self, client: Client) -> None:
        """Connect a client, and disconnect it now and then while users are busy."""
        chance = random.Random(f"{client.name} {self.seed}")
        while True:
            if not client.is_connected and (node := self.any_node(gateways=True)) is not None:
                client.disconnect()
                await client.connect(node)
            await asyncio.sleep(chance.uniform(0.2, 2.0))
            if chance.random() < 0.08 and self.is_busy:
                client.disconnect()
                self.history.note(client.name, "disconnect")
                await asyncio.sleep(chance.choice((0.1, 1.0, 30.0)) * chance.random())

    async def _settle_members(self) -> None:
        """Make certain who is a member."""
        owner = Owner(self, f"settle {self.seed}")
        for actor in self.writers:
            while self.oracle.members[actor.user_id] == "unknown":
                with contextlib.suppress(Unanswered):
                    await owner.add(actor)


def simulate(seed: int, mode: Mode | None = None, busy_seconds: float = BUSY_SECONDS) -> Outcome:
    """Run one seed: users are busy for so many seconds of virtual time, then everything settles."""
    scenario = Scenario(seed, mode or USUAL_MODES[seed % len(USUAL_MODES)], busy_seconds)
    try:
        virtual_time.run(scenario.run(), seed)
    finally:
        topic_streams.MAX_ENTRIES = MAX_ENTRIES
    return Outcome(seed, scenario.mode, scenario.history, scenario.virtual_seconds)
