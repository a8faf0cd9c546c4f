"""The rows of connections: which node holds one, and which channels it watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.entities import Connection, ConnectionId, ConnectionPointer, ServerId
from sobremesa.table import Key

SocketName: TypeAlias = tuple[UserId, str]
"""The user of a socket, and its name on its node."""


class Watched(NamedTuple):
    """A channel that a connection watches: its server, and since when."""

    server_id: ServerId
    since: Instant


class Connections(Protocol):
    """The sockets of this node, and what they watch."""

    async def watch(self, socket: SocketName, channels: Mapping[RoomId, ServerId]) -> None:
        """Record which channels a socket of this node watches, instead of those that it did before."""
        ...

    def watched_by(self, socket: SocketName) -> Mapping[RoomId, Watched]:
        """Return what a socket of this node watches."""
        ...

    async def stop_watching(self, socket: SocketName) -> None:
        """Record that a closed socket of this node watches nothing."""
        ...

    async def is_there(self, connection_id: ConnectionId) -> bool:
        """Return whether a connection has not ended: a dead node removes no rows."""
        ...


def connection_rows(
    user_id: UserId,
    connection_id: ConnectionId,
    node_id: str | None,
    watched: Mapping[RoomId, Watched],
    expires: int,
) -> list[ConnectionPointer | Connection]:
    """Return the row of a connection, and one for each channel that it watches."""
    first = next(iter(watched.items()), None)
    pointer = ConnectionPointer(
        user_id=user_id,
        connection_id=connection_id,
        node_id=node_id,
        channel_id=None if first is None else first[0],
        server_id=None if first is None else first[1].server_id,
        channel_ids=list(watched) or None,
        ttl=expires,
    )
    return [
        pointer,
        *(
            Connection(
                room_id=room_id,
                connection_id=connection_id,
                server_id=each.server_id,
                user_id=user_id,
                connected_at=each.since,
                ttl=expires,
            )
            for room_id, each in watched.items()
        ),
    ]


def watched_rows(pointer: ConnectionPointer) -> list[Key[Connection]]:
    """Return the keys of the rows of the channels that a connection watches."""
    first = [] if pointer.channel_id is None else [pointer.channel_id]
    rooms = dict.fromkeys([*first, *(pointer.channel_ids or ())])
    return [Connection.key(room_id=room_id, connection_id=pointer.connection_id) for room_id in rooms]
