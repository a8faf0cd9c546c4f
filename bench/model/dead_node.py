"""The sockets of a node that dies come back to the other nodes, all at once."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

import msgspec

from bench.model.goals import Figures, Scenario
from bench.model.installation import SHARDS, UNTIL_SEEN_SECONDS, UNTIL_STARTED_SECONDS
from cheap import CHEAP
from simulation.broker import Broker
from simulation.network import Network
from simulation.nodes import BROKER, ON_NODES, Node
from simulation.virtual_time import EPOCH_MS, VirtualClock, VirtualLoop
from sobremesa.app.site import build_gateway
from sobremesa.core.clock import EPOCH
from sobremesa.core.gather import gather_bounded
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerMembership
from sobremesa.http.metrics import Metrics
from sobremesa.live import gateway
from sobremesa.live.admission import Admission
from sobremesa.live.gateway import PATH, Gateway
from sobremesa.live.sessions import GatewaySessions
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.engines.modelled import Figures as Model
from sobremesa.table.engines.modelled import ModelledEngine
from sobremesa.table.opening import open_modelled

SOCKETS = 10_000
USERS = 2000
SERVERS_EACH = 5
MEMBERS = 400
"""Of each server: too many for presence. Each user has a conversation with another one, too."""
PASSWORD = "correct horse battery"
AT_ONCE = 32
SETTLED_SECONDS = 60.0
"""How long requests are counted: tokens are checked again, presence is stored, the dead node's rows are removed."""
BEAT_SECONDS = 20.0
LONGEST_SECONDS = 600.0
SETTINGS = msgspec.structs.replace(ON_NODES, **CHEAP)

_encode = msgspec.json.encode
_decode = msgspec.json.decode


class GatewayNode(Node):
    """A node with everything that serves sockets but the server itself."""

    gateway: Gateway

    async def serve(self) -> None:
        """Start the node and its gateway."""
        await self.start()
        await self.run(self._serve())

    async def _serve(self) -> None:
        self.gateway = build_gateway(self.app, [], Metrics())
        await self.app.presence.start()
        await self.gateway.start()


class Client:
    """A socket that resumes, however often it is asked to come back."""

    def __init__(self, user: SignedIn, session_id: str, s: str) -> None:
        self.user = user
        self.attempts = 0
        self.missed = 0
        """How many missed messages it has received, or was informed of."""
        self.closed: Counter[int] = Counter()
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        """What the node has not read yet."""
        self._session = {"token": user.access_token, "sessionId": session_id, "s": s}

    async def come_back(self, node: GatewayNode) -> float:
        """Resume at a node; return when everything that was missed has come."""
        while True:
            retry_after = await self._attempt(node)
            if retry_after is None:
                return asyncio.get_running_loop().time()
            await asyncio.sleep(retry_after)

    def beat(self) -> None:
        """Show that the client is there."""
        self._inbox.put_nowait({"type": "websocket.receive", "text": '{"op":1}'})

    async def _attempt(self, node: GatewayNode) -> float | None:
        """Connect once; return when to come back, or None after `resumed`."""
        self.attempts += 1
        inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._inbox = inbox
        inbox.put_nowait({"type": "websocket.connect"})
        outcome: asyncio.Future[float | None] = asyncio.get_running_loop().create_future()
        retry_after: list[float] = [0.0]

        async def send(message: Any) -> None:
            if message["type"] == "websocket.close":
                self.closed[message["code"]] += 1
                inbox.put_nowait({"type": "websocket.disconnect"})
                if not outcome.done():
                    outcome.set_result(retry_after[0])
            elif message["type"] == "websocket.send":
                text = message["text"]
                if text.startswith('{"op":10'):
                    frame = _encode({"op": 6, "d": self._session}).decode()
                    inbox.put_nowait({"type": "websocket.receive", "text": frame})
                elif text.startswith('{"op":7'):
                    asked = _decode(text)["d"]
                    retry_after[0] = asked["retryAfter"] + asked["spread"] * random.random()
                elif text.startswith('{"op":0,"t":"message.created"'):
                    self.missed += 1
                elif text.startswith('{"op":0,"t":"channel.activity"'):
                    self.missed += len(_decode(text)["d"]["channels"])
                elif text.startswith('{"op":0,"t":"resumed"') and not outcome.done():
                    outcome.set_result(None)

        scope = {"type": "websocket", "path": PATH, "headers": [], "client": ("10.0.0.1", 1)}
        node.group.add(node.gateway(scope, inbox.get, send))
        return await outcome


class Cluster(NamedTuple):
    """Nodes over one table and one Redis, with users who share servers."""

    nodes: list[GatewayNode]
    users: list[SignedIn]
    rooms: list[tuple[SignedIn, Any]]
    """A channel of each server, and its owner."""

    def calls(self) -> Counter[str]:
        """Return how many requests all nodes have sent to the table, by access pattern."""
        found: Counter[str] = Counter()
        for node in self.nodes:
            found.update({pattern: usage.calls for pattern, usage in node.app.table.meter.totals().items()})
        return found

    @classmethod
    @asynccontextmanager
    async def open(cls, seed: int, nodes: int, users: int) -> AsyncIterator[Cluster]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        # Time limits of sockets, and the rate of the clients that are served, are in virtual time, too.
        vars(gateway).update(monotonic=loop.time, Admission=partial(Admission, now=loop.time))
        engine = await open_modelled(clock=VirtualClock(), figures=Model(shards=SHARDS, stall=0.0), seed=seed)
        network = loop.network = Network(random.Random(seed))
        network.servers[BROKER] = Broker(lambda: EPOCH_MS * 1000 + round(loop.time() * 1e6))
        async with AsyncExitStack() as stack:
            running = await _start(engine, network, seed, nodes)
            for node in running:
                stack.push_async_callback(_crash, node)
            await asyncio.sleep(UNTIL_STARTED_SECONDS)
            yield await _populated(running, users)
        await engine.close()


async def _start(engine: ModelledEngine, network: Network, seed: int, count: int) -> list[GatewayNode]:
    keys = MemoryKeys()
    settings: Settings = SETTINGS
    nodes = [
        GatewayNode(
            f"node{number}",
            engine,
            keys,
            settings,
            seed=seed * 100 + number,
            skew_ms=0,
            is_gateway=False,
            network=network,
        )
        for number in range(count)
    ]
    for node in nodes:
        await node.serve()
    return nodes


async def _crash(node: GatewayNode) -> None:
    if node.is_running:
        await node.crash()


async def _populated(nodes: list[GatewayNode], count: int) -> Cluster:
    """Create the users, their servers and conversations."""
    app = nodes[-1].app

    async def register(number: int) -> SignedIn:
        name = f"user-{number:05}"
        return await app.accounts.register(email=f"{name}@example.com", username=name, password=PASSWORD)

    users = await gather_bounded(AT_ONCE, register, range(count))
    rooms, servers = [], max(SERVERS_EACH, count * SERVERS_EACH // MEMBERS)
    for number in range(servers):
        server_id = (await app.communities.create_server(users[number].actor, name="Storm")).server_id
        created = await app.communities.create_channel(users[number].actor, server_id, name="channel")
        rooms.append((users[number], created.channel.channel_id))
        members = [user for at, user in enumerate(users) if (number - at) % servers < SERVERS_EACH]
        rows = (
            ServerMembership(user_id=user.user.user_id, server_id=server_id, role="member", joined_at=EPOCH)
            for user in members
            if user is not users[number]
        )
        await app.table.write_many([Put(row) for row in rows])

    async def meet(pair: tuple[SignedIn, SignedIn]) -> None:
        await app.conversations.create_direct(pair[0].actor, pair[1].user.user_id)

    await gather_bounded(AT_ONCE, meet, zip(users[::2], users[1::2], strict=False))
    await asyncio.sleep(UNTIL_SEEN_SECONDS)
    return Cluster(nodes, users, rooms)


async def dead_node(seed: int, length: float, *, nodes: int) -> Figures:
    """Let the clients of a node that dies come back to the others, after each has missed a message in each server."""
    sockets, users = round(SOCKETS * length), round(USERS * length)
    async with Cluster.open(seed, nodes, users) as cluster:
        dead, *others = cluster.nodes
        clients = await _clients_of(dead, cluster.users, sockets)
        await dead.crash()
        for owner, room in cluster.rooms:
            await others[0].app.communities.send(owner.actor, room, Draft("You missed this."))
        await asyncio.sleep(UNTIL_SEEN_SECONDS)
        return await _come_back(cluster, others, clients)


async def _clients_of(node: GatewayNode, users: Sequence[SignedIn], sockets: int) -> list[Client]:
    """Return the clients that a node had, without what it took to connect them there."""
    app = node.app
    sessions = GatewaySessions(app.ids, app.store.keyring.secret("gateway"))
    clients = []
    for number in range(sockets):
        user = users[number % len(users)]
        clients.append(Client(user, sessions.create(user.user.user_id), app.live.hub.position()))
    names = [(client.user.user.user_id, f"socket-{number}") for number, client in enumerate(clients)]
    await app.node_registry.add_sockets(names)
    return clients


async def _beat(clients: Sequence[Client]) -> None:
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        for client in clients:
            client.beat()


async def _come_back(cluster: Cluster, others: Sequence[GatewayNode], clients: Sequence[Client]) -> Figures:
    loop = asyncio.get_running_loop()
    before, began, spent = cluster.calls(), loop.time(), time.process_time()
    async with asyncio.timeout(LONGEST_SECONDS):
        back = await asyncio.gather(
            *(client.come_back(others[number % len(others)]) for number, client in enumerate(clients))
        )
    spent = time.process_time() - spent
    beating = asyncio.create_task(_beat(clients))
    await asyncio.sleep(began + SETTLED_SECONDS - loop.time())
    calls = cluster.calls() - before
    before = cluster.calls()
    await asyncio.sleep(SETTLED_SECONDS)
    calls -= cluster.calls() - before  # what nodes ask for when nothing happens
    beating.cancel()
    missed = sum(client.missed for client in clients)
    closed = sum((client.closed for client in clients), Counter[int]())
    most = ", ".join(f"{pattern} {count / len(clients):.2f}" for pattern, count in calls.most_common(8))
    return {
        "sockets back": len(back),
        "seconds until all were back": round(max(back) - began, 2),
        "requests to the table for each": round(sum(calls.values()) / len(clients), 2),
        "most of them": most,
        "missed messages that each received, or was informed of": round(missed / len(clients), 2),
        "times a client was sent away for some seconds": closed.pop(4013, 0),
        "other closes": sum(closed.values()),
        "CPU of a client on this machine, with the model and the client, ms": round(spent * 1000 / len(clients), 2),
    }


STORMS: dict[str, Scenario] = {
    "a dead node's 10,000 sockets, at 9 others": partial(dead_node, nodes=10),
    "a dead node's 10,000 sockets, at one other": partial(dead_node, nodes=2),
}
