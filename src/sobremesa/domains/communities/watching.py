"""Watching channels: who looks at which channel, as rows of the table.

A socket of the gateway watches until it is closed. A session that polls has no connection: it watches for some minutes,
and the node that serves its next request finds in the table what it watches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from hashlib import blake2b

import structlog

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, Instant
from sobremesa.core.errors import NotFound
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.connections import Connections, SocketName, Watched, connection_rows, watched_rows
from sobremesa.domains.communities.entities import (
    ConnectionId,
    ServerId,
    connection_of,
    connections_in,
    forget_connections,
    note_connections,
)
from sobremesa.http.endpoints import Input, Listed, Output, PageQuery, Routes
from sobremesa.live.events import Topic, channel, server
from sobremesa.live.frames import ChannelIds
from sobremesa.live.hub import Hub
from sobremesa.live.polling import ACT_AS_SCOPES, session_of
from sobremesa.live.socket import Socket
from sobremesa.live.watching import TooManyChannels, WatchedChannel, WatchedChannels
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.table import Delete, Put, Table
from sobremesa.table.errors import TableError

POLLING_SECONDS = 600
"""How long a session that polls watches channels, unless it asks again."""
READ_AT_ONCE = 8

_log = structlog.get_logger("sobremesa.live")


class WatchChannels(Input):
    """The channels that a client shows."""

    channel_ids: ChannelIds


class ViewerView(Output):
    """A user who watches a channel."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    since: Instant


class ChannelWatching:
    """Notes which connections watch which channels."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        access: Access,
        users: UserDirectory,
        hub: Hub,
        connections: Connections,
        max_channels: int,
    ) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._users = users
        self._hub = hub
        self._connections = connections
        self._max_channels = max_channels
        self._tasks: set[asyncio.Task[None]] = set()

    # Sockets

    def admit(self, channel_ids: Sequence[RoomId]) -> frozenset[str]:
        """Return these channels as a set; TooManyChannels if a connection may not watch so many."""
        asked = frozenset(channel_ids)
        if len(asked) > self._max_channels:
            raise TooManyChannels(limit=self._max_channels)
        return asked

    async def watch(self, socket: Socket, actor: Actor, channel_ids: Sequence[RoomId]) -> WatchedChannels:
        """Replace what an attached socket watches, and return what it watches now."""
        asked, before = self.admit(channel_ids), socket.watched
        # From before the heads are read: all that comes after a head is delivered.
        self._hub.lazy.watch(socket, before | asked)
        try:
            seats = await self._seats(actor, channel_ids)
        except BaseException:
            self._hub.lazy.watch(socket, before)
            raise
        self._hub.lazy.watch(socket, [seat.room_id for seat in seats])
        if socket.is_present:  # a backend that acts as a user is not that user's look at a channel
            await self._connections.watch(_name(socket), _servers(seats))
            if socket.is_closed:
                await self._connections.stop_watching(_name(socket))
        return _view(seats)

    def lost_topic(self, socket: Socket, topic: Topic) -> None:
        """Note that a socket is no longer subscribed to a topic: it stops watching its channels."""
        watched = self._connections.watched_by(_name(socket))
        if any(topic in _topics(room_id, each) for room_id, each in watched.items()):
            socket.start(self._logged(self._forget(socket, topic)), in_turn=True)

    async def _forget(self, socket: Socket, topic: Topic) -> None:
        watched = self._connections.watched_by(_name(socket))
        left = {room: each.server_id for room, each in watched.items() if topic not in _topics(room, each)}
        self._hub.lazy.watch(socket, [room_id for room_id in socket.watched if room_id in left])
        await self._connections.watch(_name(socket), left)

    def closed(self, socket: Socket) -> None:
        """Note that a socket was closed: it watches nothing."""
        if self._connections.watched_by(_name(socket)):
            task = asyncio.create_task(self._logged(self._connections.stop_watching(_name(socket))))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until it is recorded that closed sockets watch nothing."""
        await asyncio.gather(*self._tasks)

    async def _logged(self, work: Awaitable[None]) -> None:
        try:
            await work
        except TableError as error:
            _log.warning("what is no longer watched was not removed", why=f"{type(error).__name__}: {error}")

    # Polling

    async def watch_by_polling(self, actor: Actor, channel_ids: Sequence[RoomId]) -> WatchedChannels:
        """Replace what a session that polls watches, and return what it watches now."""
        self.admit(channel_ids)
        seats = await self._seats(actor, channel_ids)
        user_id, name = actor.user_id, _polling(actor)
        before = await self._table.get(connection_of(user_id=user_id, connection_id=name))
        now = self._clock.now()
        watched = {room_id: Watched(server_id, now) for room_id, server_id in _servers(seats).items()}
        rows = connection_rows(user_id, name, None, watched, self._clock.now_seconds() + POLLING_SECONDS)
        kept = {row.own_key() for row in rows} if watched else set()
        had = [] if before is None else [*watched_rows(before), before.own_key()]
        await self._table.write_many([Delete(key) for key in had if key not in kept], pattern=forget_connections)
        await self._table.write_many([Put(row) for row in rows if watched], pattern=note_connections)
        return _view(seats)

    async def watched_by_polling(self, actor: Actor) -> frozenset[str]:
        """Return what a session that polls watches."""
        row = await self._table.get(connection_of(user_id=actor.user_id, connection_id=_polling(actor)))
        return frozenset(() if row is None else row.channel_ids or ())

    # Queries

    async def list_viewers(
        self, actor: Actor, room_id: RoomId, *, limit: int, cursor: str | None
    ) -> tuple[list[ViewerView], str | None]:
        """Return a page of the members who watch a channel; one with two connections may be on two pages."""
        await self._access.authorize(actor, room_id)
        page = await self._table.query(connections_in(room_id=room_id), limit=limit, cursor=cursor)
        names = [row.connection_id for row in page.items]
        there = await gather_bounded(READ_AT_ONCE, self._connections.is_there, names)
        since: dict[UserId, Instant] = {}
        for row, is_there in zip(page.items, there, strict=True):
            if is_there:
                since[row.user_id] = min(since.get(row.user_id, row.connected_at), row.connected_at)
        # The row of a member who was just removed may still be there.
        inside = await self._access.current_members(room_id, list(since))
        profiles = await self._users.profiles([user_id for user_id in since if user_id in inside])
        viewers = [
            ViewerView(user_id, profile.username, profile.display_name, profile.avatar_url, since[user_id])
            for user_id, profile in profiles.items()
        ]
        return viewers, page.cursor

    async def _seats(self, actor: Actor, channel_ids: Sequence[RoomId]) -> list[Seat]:
        """Return the actor's seats in those of these channels that they see."""

        async def find(room_id: RoomId) -> Seat | None:
            try:
                return await self._access.authorize(actor, room_id)
            except NotFound:
                return None

        asked = [room_id for room_id in dict.fromkeys(channel_ids) if room_id.isascii() and room_id.isalnum()]
        return [seat for seat in await gather_bounded(READ_AT_ONCE, find, asked) if seat is not None]


def routes(watching: ChannelWatching) -> Routes:
    """Return the routes of watching channels."""
    api = Routes("Watching", "Which channels a client shows, and who looks at a channel.")

    @api.put("/watching", errors=[TooManyChannels], acting_scopes=ACT_AS_SCOPES)
    async def watch_channels(actor: Actor, body: WatchChannels) -> WatchedChannels:
        """Replace the channels that this session watches while it polls for events.

        It lasts for ten minutes: repeat it before. A socket of the gateway watches with op 14 instead, until it is
        closed. Channels that you do not see are ignored.
        """
        return await watching.watch_by_polling(actor, body.channel_ids)

    @api.get("/channels/{room_id}/viewers")
    async def list_viewers(actor: Actor, room_id: RoomId, query: PageQuery) -> Listed[ViewerView]:
        """List the members who watch a channel: those whose clients show it now."""
        return Listed(*await watching.list_viewers(actor, room_id, limit=query.limit, cursor=query.cursor))

    return api


def _name(socket: Socket) -> SocketName:
    return socket.user_id, socket.name


def _polling(actor: Actor) -> ConnectionId:
    """Return the name of a session that polls, which does not tell the session."""
    return ConnectionId(f"polling-{blake2b(session_of(actor).encode(), digest_size=16).hexdigest()}")


def _servers(seats: Sequence[Seat]) -> dict[RoomId, ServerId]:
    return {seat.room_id: ServerId(seat.scope) for seat in seats}


def _topics(room_id: RoomId, watched: Watched) -> tuple[Topic, Topic]:
    """Return the topics that a channel may have."""
    return server(watched.server_id), channel(watched.server_id, room_id)


def _view(seats: Sequence[Seat]) -> WatchedChannels:
    return WatchedChannels([WatchedChannel(seat.room_id, seat.scope, seat.head.last_message_id) for seat in seats])
