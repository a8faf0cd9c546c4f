"""Events of communities: servers, channels and members."""

from __future__ import annotations

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.access import true_role
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelId,
    ChannelPointer,
    Server,
    ServerId,
    ServerMembership,
    membership,
    pointer_of,
    server_by_id,
)
from sobremesa.domains.communities.permissions import RIGHTS
from sobremesa.domains.communities.service import ChannelWithHead
from sobremesa.domains.communities.views import (
    ChannelView,
    MemberView,
    ServerView,
    channel_view,
    member_view,
    server_view,
)
from sobremesa.http.endpoints import Output
from sobremesa.live.events import (
    EventType,
    Publication,
    TopicMembership,
    TopicRemoval,
    audience_change,
    user,
    version_of,
)
from sobremesa.live.events import server as topic_of
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.events import RoomEvents, RoomTopic
from sobremesa.table import Table
from sobremesa.table.cache import Cache

CACHE_SIZE = 50_000


class ServerGone(Output):
    """A deleted server."""

    server_id: ServerId


class ChannelGone(Output):
    """A deleted channel."""

    channel_id: ChannelId
    server_id: ServerId


class MemberGone(Output):
    """A user who left a server."""

    server_id: ServerId
    user_id: UserId


server_created = EventType("server.created", ServerView, "You created or joined a server.")
server_updated = EventType(
    "server.updated", ServerView, "The name, icon or owner of a server changed.", to="the members of the server"
)
server_deleted = EventType("server.deleted", ServerGone, "A server was deleted.", to="the members of the server")
channel_created = EventType("channel.created", ChannelView, "A channel was created.", to="the members of the server")
channel_updated = EventType(
    "channel.updated", ChannelView, "The name or topic of a channel changed.", to="the members of the server"
)
channel_deleted = EventType("channel.deleted", ChannelGone, "A channel was deleted.", to="the members of the server")
member_joined = EventType("member.joined", MemberView, "A user joined a server.", to="the members of the server")
member_updated = EventType(
    "member.updated", MemberView, "The role of a member of a server changed.", to="the members of the server"
)
member_left = EventType(
    "member.left",
    MemberGone,
    "A member left a server, or was removed from it.",
    to="the members of the server, and the former member",
)


class CommunityEvents:
    """Maps changed rows of communities to events."""

    def __init__(self, table: Table, users: UserDirectory) -> None:
        self._table = table
        self._users = users
        self._topics: Cache[RoomId, RoomTopic | _Gone] = Cache(CACHE_SIZE)
        """Topics by channel: a channel never moves to another server."""
        self._gone: Cache[ServerId, bool] = Cache(CACHE_SIZE)
        """Deleted servers, whose rows a job is still removing."""
        self.rooms = RoomEvents(CHANNELS, table, users, self.find_topic)

    def register(self, translation: Translation) -> None:
        translation.on(Server, self._server, fields=("name", "icon_url", "owner_id", "deleted_at"))
        translation.on(ServerMembership, self._member, fields=("role",))
        translation.on(Channel, self._channel, fields=("name", "topic"))
        translation.on(ChannelPointer, self._pointer, fields=())
        self.rooms.register(translation)

    async def find_topic(self, room_id: RoomId) -> RoomTopic | None:
        """Return the topic of a channel, or None if the channel was deleted."""
        known = self._topics.find(room_id)
        if known is None:
            pointer = await self._table.get(pointer_of(room_id=room_id))
            known = _GONE if pointer is None else RoomTopic(topic_of(pointer.server_id))
            self._topics.keep(room_id, known)
        return known if isinstance(known, RoomTopic) else None

    # Servers

    async def _server(self, seen: Seen[Server]) -> list[Publication]:
        old, new = seen
        server_id = seen.row.server_id
        topic = topic_of(server_id)
        if new is None or new.deleted_at is not None:
            self._gone.keep(server_id, True)
            if old is not None and old.deleted_at is not None:
                return []
            return [server_deleted(ServerGone(server_id), topic, removes=[TopicRemoval(None, topic)])]
        if old is None:
            return []  # members are informed by the event of their own membership
        return [server_updated(server_view(new), topic, adds=await self._owners(old, new))]

    async def _owners(self, old: Server, new: Server) -> list[TopicMembership]:
        """Return the old and the new owner as audience changes: their rights changed."""
        if old.owner_id == new.owner_id:
            return []
        keys = [membership(user_id=user_id, server_id=new.server_id) for user_id in (old.owner_id, new.owner_id)]
        rows = await self._table.get_many(keys, consistent=True)
        return [topic_membership(row, new) for row in rows if row is not None]

    async def _find_server(self, server_id: ServerId) -> Server | None:
        """Return a server unless it was deleted."""
        if self._gone.find(server_id):
            return None
        server = await self._table.get(server_by_id(server_id=server_id))
        return None if server is None or server.deleted_at is not None else server

    # Members

    async def _member(self, seen: Seen[ServerMembership]) -> list[Publication]:
        old, new = seen
        user_id, server_id = seen.row.user_id, seen.row.server_id
        topic = topic_of(server_id)
        server = await self._find_server(server_id)
        if new is None:
            removes = [TopicRemoval(user_id, topic, version_of(seen.row.joined_at))]
            if server is None:
                return [audience_change(removes=removes)]
            return [member_left(MemberGone(server_id, user_id), topic, user(user_id), removes=removes)]
        if server is None:
            return []

        profile = (await self._users.profiles([user_id]))[user_id]
        payload = member_view(msgspec.structs.replace(new, role=true_role(new, server)), profile)
        adds = [topic_membership(new, server)]
        if old is not None:
            return [member_updated(payload, topic, adds=adds)]
        return [server_created(server_view(server), user(user_id), adds=adds), member_joined(payload, topic)]

    # Channels

    async def _channel(self, seen: Seen[Channel]) -> list[Publication]:
        old, new = seen
        topic = topic_of(seen.row.server_id)
        if new is None:
            if self._gone.find(seen.row.server_id):
                return []
            return [channel_deleted(ChannelGone(seen.row.channel_id, seen.row.server_id), topic)]
        if old is None:
            return [channel_created(channel_view(ChannelWithHead(new, None)), topic)]
        pointer = await self._table.get(pointer_of(room_id=new.channel_id))
        last = None if pointer is None else pointer.last_message_id
        return [channel_updated(channel_view(ChannelWithHead(new, last)), topic)]

    async def _pointer(self, seen: Seen[ChannelPointer]) -> list[Publication]:
        """Publish nothing, but cache the topic for the messages of the channel."""
        topic = _GONE if seen.new is None else RoomTopic(topic_of(seen.new.server_id))
        self._topics.keep(seen.row.room_id, topic)
        return []


class _Gone:
    """Marks a deleted channel in the cache."""


_GONE = _Gone()


def topic_membership(row: ServerMembership, server: Server) -> TopicMembership:
    """Return the audience change that subscribes a member to a server, as a moderator or not."""
    moderates = "moderate" in RIGHTS[true_role(row, server)]
    return TopicMembership(row.user_id, topic_of(server.server_id), moderates, version_of(row.joined_at))
