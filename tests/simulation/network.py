"""Connections of nodes to the servers of a simulation: in memory, in virtual time, and with faults."""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from simulation.virtual_time import GROUP, Group

LATENCY_SECONDS = (0.0001, 0.0006)


class Server(Protocol):
    """A server that nodes connect to."""

    is_listening: bool

    def accept(self, session: Link) -> None: ...

    def receive(self, session: Link, data: bytes) -> None: ...

    def lost(self, session: Link) -> None: ...


class Network:
    """The servers, by host and port, and what happens to the connections to them."""

    def __init__(self, chance: random.Random) -> None:
        self.servers: dict[tuple[str, int], Server] = {}
        self.latency = LATENCY_SECONDS
        self.lost_answers = 0.0
        """How many answers end the connection instead of reaching the node."""
        self._chance = chance
        self._links: dict[Link, None] = {}
        self._held_until: dict[Group, float] = {}
        self._cut_off: set[Group] = set()
        self._number = 0

    async def connect(self, protocol_factory: Callable[[], Any], host: str, port: int) -> tuple[Link, Any]:
        """Connect the node that runs this to a server."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self.arrival(GROUP.get(), loop.time()) - loop.time())
        server = self.servers.get((host, port))
        if server is None or not server.is_listening or GROUP.get() in self._cut_off:
            raise ConnectionRefusedError(f"nothing listens at {host}:{port}")
        protocol = protocol_factory()
        self._number += 1
        link = Link(self, server, protocol, self._number)
        self._links[link] = None
        protocol.connection_made(link)
        server.accept(link)
        return link, protocol

    def links(self, group: Group | None = None) -> list[Link]:
        """Return the connections, or those of one node."""
        return [link for link in self._links if group is None or link.group is group]

    def cut_off(self, group: Group) -> None:
        """End the connections of a node that is gone; what it does from now on reaches nothing."""
        self._cut_off.add(group)
        for link in self.links(group):
            link.close()

    def hold(self, group: Group, seconds: float) -> None:
        """Let nothing from or to a node arrive for so long; then everything does."""
        self._held_until[group] = asyncio.get_running_loop().time() + seconds

    def arrival(self, group: Group | None, after: float) -> float:
        """Return when something that is sent now arrives, which is not before `after`."""
        now = asyncio.get_running_loop().time()
        held_until = 0.0 if group is None else self._held_until.get(group, 0.0)
        return max(now + self._chance.uniform(*self.latency), held_until, after)

    def loses_answer(self) -> bool:
        return self.lost_answers > 0 and self._chance.random() < self.lost_answers

    def forget(self, link: Link) -> None:
        self._links.pop(link, None)


class Link(asyncio.Transport):
    """A connection; as a transport, the end of the node."""

    def __init__(self, network: Network, server: Server, protocol: Any, number: int) -> None:
        super().__init__()
        self.group = GROUP.get()
        self._network = network
        self._server = server
        self._protocol = protocol
        self._number = number
        self._context = contextvars.copy_context()
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._is_accepted = True
        """Whether the server still knows of it."""
        self._at_server = self._at_node = 0.0
        """When what was sent last arrives."""
        # Queues, since the loop has no order between timers of the same time.
        self._for_server: deque[Callable[[], None]] = deque()
        self._for_node: deque[bytes] = deque()

    def __hash__(self) -> int:
        return self._number  # the address would order sets differently in each run

    def __eq__(self, other: object) -> bool:
        return self is other

    # The end of the node

    def write(self, data: Any) -> None:
        if self._is_open:
            self._to_server(partial(self._arrive, bytes(data)))

    def close(self) -> None:
        self._end(None)

    def abort(self) -> None:
        self._end(None)

    def is_closing(self) -> bool:
        return not self._is_open

    # The end of the server

    def answer(self, data: bytes) -> None:
        """Send data to the node."""
        if not self._is_open:
            return
        if self._network.loses_answer():
            self.cut()
            return
        self._at_node = self._network.arrival(self.group, self._at_node)
        self._for_node.append(data)
        self._loop.call_at(self._at_node, self._deliver, context=self._context)

    def cut(self) -> None:
        """End the connection, as a failure of the network does: what is under way to the server still arrives."""
        self._end(ConnectionResetError("connection reset"))

    # Inside

    def _end(self, error: Exception | None) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self._network.forget(self)
        self._to_server(self._leave)
        self._loop.call_soon(self._protocol.connection_lost, error, context=self._context)

    def _to_server(self, callback: Callable[[], None]) -> None:
        self._at_server = self._network.arrival(self.group, self._at_server)
        self._for_server.append(callback)
        # A context without a group: what was sent arrives even if the node is paused or gone.
        self._loop.call_at(self._at_server, self._reach_server, context=contextvars.Context())

    def _reach_server(self) -> None:
        self._for_server.popleft()()

    def _arrive(self, data: bytes) -> None:
        if self._is_accepted:
            self._server.receive(self, data)

    def _leave(self) -> None:
        self._is_accepted = False
        self._server.lost(self)

    def _deliver(self) -> None:
        data = self._for_node.popleft()
        if self._is_open:
            self._protocol.data_received(data)
