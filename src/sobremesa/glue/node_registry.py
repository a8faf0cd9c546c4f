"""The node registry: which sockets users have, which nodes hold them, and which nodes are alive.

One row for each socket names its node, and one row for each node has its lease. When a node dies, the first of the
others to notice removes its rows. A socket that watches channels has one more row in each of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Mapping

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.ids import RoomId
from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.domains.communities.connections import SocketName, Watched, connection_rows, watched_rows
from sobremesa.domains.communities.entities import (
    Connection,
    ConnectionId,
    ConnectionPointer,
    ServerId,
    connections_at,
    connections_of,
    forget_connections,
    note_connections,
    servers_of,
)
from sobremesa.domains.conversations.entities import conversations_of
from sobremesa.live.entities import Node, bury_node, keep_lease, node_by_id, nodes
from sobremesa.live.events import Topic, conversation, server
from sobremesa.live.presence import PresenceTimes
from sobremesa.table import Delete, Put, Table, less, set_to
from sobremesa.table.errors import ConditionFailed

KEPT_SECONDS = 24 * 60 * 60
CLEANUP_SECONDS = 60.0
"""How long one node may take to clean up after another, before a third may try."""


class TableNodeRegistry:
    """The node registry in the table."""

    def __init__(self, table: Table, clock: Clock, node_id: str, times: PresenceTimes, *, alone: bool) -> None:
        self._table = table
        self._clock = clock
        self._node_id = node_id
        self.is_alone = alone
        own = node_by_id(node_id=node_id)
        self._lease = Lease(table, clock, own, seconds=times.lease_seconds, pattern=keep_lease)
        self._leases: dict[str, int] = {}
        """The leases of other nodes, as last read."""
        self._is_registered = False
        self._incarnation = 0
        """How often the node was registered: what is removed of an earlier incarnation is not this one's."""
        self._watched: dict[SocketName, Mapping[RoomId, Watched]] = {}
        """What the sockets of this node watch."""

    # Sockets

    async def add_sockets(self, sockets: Iterable[SocketName]) -> None:
        rows = [row for socket in sockets for row in self._rows_of(socket)]
        await self._table.write_many([Put(row) for row in rows], pattern=note_connections)

    def _rows_of(self, socket: SocketName) -> list[ConnectionPointer | Connection]:
        user_id, name = socket
        expires = self._clock.now_seconds() + KEPT_SECONDS
        return connection_rows(user_id, self._named(name), self._node_id, self._watched.get(socket, {}), expires)

    async def watch(self, socket: SocketName, channels: Mapping[RoomId, ServerId]) -> None:
        """Record which channels a socket of this node watches, instead of those that it did before."""
        before, now = self._watched.get(socket, {}), self._clock.now()
        fresh = {room_id: Watched(server_id, now) for room_id, server_id in channels.items()}
        self._watched[socket] = {room_id: before.get(room_id, watched) for room_id, watched in fresh.items()}
        if not channels:
            del self._watched[socket]
        name = self._named(socket[1])
        gone = [Connection.key(room_id=room_id, connection_id=name) for room_id in before if room_id not in channels]
        await self._table.write_many([Delete(key) for key in gone], pattern=forget_connections)
        await self._table.write_many([Put(row) for row in self._rows_of(socket)], pattern=note_connections)

    def watched_by(self, socket: SocketName) -> Mapping[RoomId, Watched]:
        """Return what a socket of this node watches."""
        return self._watched.get(socket, {})

    async def stop_watching(self, socket: SocketName) -> None:
        """Record that a closed socket of this node watches nothing. Its own row is removed with its presence."""
        name = self._named(socket[1])
        gone = [Connection.key(room_id=room_id, connection_id=name) for room_id in self._watched.pop(socket, {})]
        await self._table.write_many([Delete(key) for key in gone], pattern=forget_connections)

    async def is_there(self, connection_id: ConnectionId) -> bool:
        """Return whether a connection has not ended: a dead node removes no rows."""
        node_id, is_socket, _ = connection_id.partition(".")
        return not is_socket or node_id == self._node_id or await self._is_alive(node_id)

    async def remove_sockets(self, sockets: Iterable[SocketName]) -> None:
        keys = [ConnectionPointer.key(user_id=user_id, connection_id=self._named(name)) for user_id, name in sockets]
        await self._table.write_many([Delete(key) for key in keys], pattern=forget_connections)

    def _named(self, name: str) -> ConnectionId:
        return ConnectionId(f"{self._node_id}.{self._incarnation}.{name}")

    # Nodes

    async def renew(self) -> bool:
        ttl = self._clock.now_seconds() + KEPT_SECONDS
        if self._is_registered:
            with contextlib.suppress(LeaseLost):
                await self._lease.renew(set_to(ttl=ttl), when=less("buried_until_ms", 1))
                return True
        was_registered, self._is_registered = self._is_registered, True
        self._incarnation += 1
        node = Node(node_id=self._node_id, leased_until_ms=self._lease.start(), ttl=ttl)
        await self._table.write(Put(node), pattern=keep_lease)
        return not was_registered

    async def release(self) -> None:
        await self._lease.release()

    async def remove_dead_nodes(self) -> Collection[UserId]:
        now_ms = self._clock.now_ms()
        left: set[UserId] = set()
        found = [node async for node in self._table.every(nodes()) if node.node_id != self._node_id]
        self._leases = {node.node_id: node.leased_until_ms for node in found}
        for node in found:
            if node.leased_until_ms < now_ms and await self._claim_cleanup(node.node_id, now_ms):
                left |= await self._clean_up(node.node_id)
        return left

    async def _claim_cleanup(self, node_id: str, now_ms: int) -> bool:
        """Claim the cleanup, unless another node has, or the dead node has come back."""
        key = node_by_id(node_id=node_id)
        claim = Lease(
            self._table, self._clock, key, seconds=CLEANUP_SECONDS, pattern=bury_node, until="buried_until_ms"
        )
        return await claim.acquire(set_to(buried_by=self._node_id), when=less("leased_until_ms", now_ms)) is not None

    async def _clean_up(self, node_id: str) -> set[UserId]:
        rows = [row async for row in self._table.every(connections_at(node_id=node_id))]
        gone = [key for row in rows for key in (*watched_rows(row), row.own_key())]
        await self._table.write_many([Delete(key) for key in gone], pattern=forget_connections)
        still_dead = less("leased_until_ms", self._clock.now_ms())
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(node_by_id(node_id=node_id), when=still_dead), pattern=bury_node)
        self._leases.pop(node_id, None)
        return {row.user_id for row in rows}

    # Queries

    async def is_connected_elsewhere(self, user_id: UserId) -> bool:
        if self.is_alone:
            return False
        sockets = [socket async for socket in self._table.every(connections_of(user_id=user_id))]
        holding = {socket.node_id for socket in sockets} - {self._node_id, None}
        return any([await self._is_alive(node_id) for node_id in holding if node_id is not None])

    async def _is_alive(self, node_id: str) -> bool:
        now_ms = self._clock.now_ms()
        if self._leases.get(node_id, 0) < now_ms:
            node = await self._table.get(node_by_id(node_id=node_id))
            self._leases[node_id] = 0 if node is None else node.leased_until_ms
        return self._leases[node_id] >= now_ms

    async def shared_topics(self, user_id: UserId) -> list[Topic]:
        places = [server(place.server_id) async for place in self._table.every(servers_of(user_id=user_id))]
        seats = [conversation(seat.room_id) async for seat in self._table.every(conversations_of(user_id=user_id))]
        return [*places, *seats]
