"""Events of communities: servers, channels and members."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from sobremesa.core.actor import UserId
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.access import true_role, with_true_role
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelAccess,
    ChannelId,
    ChannelMessage,
    ChannelPointer,
    Server,
    ServerId,
    ServerMembership,
    access_lists_of,
    channel_by_key,
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
    Topic,
    TopicMembership,
    TopicRemoval,
    audience_change,
    user,
    version_of,
)
from sobremesa.live.events import channel as own_topic
from sobremesa.live.events import server as topic_of
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.entities import Message
from sobremesa.rooms.events import RoomEvents, RoomTopic
from sobremesa.table import Table
from sobremesa.table.cache import Cache

CACHE_SIZE = 50_000
TOPIC_SECONDS = 1.0
"""For how long a channel without an access list is believed to have none."""


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
    "server.updated", ServerView, "The name, icon, owner or data of a server changed.", to="the members of the server"
)
server_deleted = EventType("server.deleted", ServerGone, "A server was deleted.", to="the members of the server")
channel_created = EventType(
    "channel.created",
    ChannelView,
    "A channel was created, or your new role lets you see it.",
    to="the members of the server who see the channel",
)
channel_updated = EventType(
    "channel.updated",
    ChannelView,
    "The name, topic, data or access list of a channel changed. You may see the channel for the first time.",
    to="the members of the server who see the channel",
)
channel_deleted = EventType(
    "channel.deleted",
    ChannelGone,
    "A channel was deleted, or you no longer see it.",
    to="the members of the server who saw the channel",
)
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
        self._topics: Cache[RoomId, _KnownTopic] = Cache(CACHE_SIZE)
        """Topics by channel: a channel never moves to another server, and its own topic stays."""
        self._gone: Cache[ServerId, bool] = Cache(CACHE_SIZE)
        """Deleted servers, whose rows a job is still removing."""
        self.rooms = RoomEvents(CHANNELS, table, users, self.find_topic, self._topic_of_new_message)

    def register(self, translation: Translation) -> None:
        translation.on(Server, self._server, fields=("name", "icon_url", "owner_id", "data", "deleted_at"))
        translation.on(ServerMembership, self._member, fields=("role",))
        translation.on(Channel, self._channel, fields=("name", "topic", "data"))
        translation.on(ChannelAccess, self._access, fields=("version",))
        translation.on(ChannelPointer, self._pointer, fields=("access",))
        self.rooms.register(translation)

    async def find_topic(self, room_id: RoomId) -> RoomTopic | None:
        """Return the topic of a channel, or None if the channel was deleted.

        A process that did not translate the first access list of a channel, because another one relayed the change
        stream at that time, finds the channel's own topic by reading again.
        """
        known = self._topics.find(room_id)
        if known is None or (known.may_change and _now() - known.at > TOPIC_SECONDS):
            known = self._keep_topic(room_id, await self._table.get(pointer_of(room_id=room_id)))
        return known.topic

    async def _topic_of_new_message(self, message: Message) -> RoomTopic | None:
        """Return the topic of a new message without a read: whether it is the channel's own is stored with it."""
        known = self._topics.find(message.room_id)
        if known is None:
            known = self._keep_topic(message.room_id, await self._table.get(pointer_of(room_id=message.room_id)))
        if isinstance(message, ChannelMessage) and message.has_own_topic and known.may_change:
            known = self._keep_topic(message.room_id, await self._table.get(pointer_of(room_id=message.room_id)))
        return known.topic

    def _keep_topic(self, room_id: RoomId, pointer: ChannelPointer | None) -> _KnownTopic:
        known = _KnownTopic(None if pointer is None else RoomTopic(_topic_at(pointer)), _now())
        self._topics.keep(room_id, known)
        return known

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
        return [each for row in rows if row is not None for each in await self._all_topics(row, new)]

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
        payload = member_view(with_true_role(new, server), profile)
        adds = await self._all_topics(new, server)
        if old is None:
            return [server_created(server_view(server), user(user_id), adds=adds), member_joined(payload, topic)]
        return [member_updated(payload, topic, adds=adds), *await self._by_role(old, new, server)]

    async def _all_topics(self, row: ServerMembership, server: Server) -> list[TopicMembership]:
        """Return the topics of a member in a server: its own, and those of the channels whose access list allows."""
        channels = [channel_membership(row, server, access) for access in await self._lists_in(server)]
        return [topic_membership(row, server), *(each for each in channels if not each.is_hidden)]

    async def _lists_in(self, server: Server) -> list[ChannelAccess]:
        if not server.has_access_lists:
            return []
        return [row async for row in self._table.every(access_lists_of(server_id=server.server_id))]

    async def _by_role(self, old: ServerMembership, new: ServerMembership, server: Server) -> list[Publication]:
        """Return the channels that a changed role shows to the member, and those that it hides from them."""
        found: list[Publication] = []
        for access in await self._lists_in(server):
            sees = access.allows(new.user_id, new.role)
            if sees == access.allows(old.user_id, old.role):
                continue
            if not sees:
                found.append(_hidden_from(new.user_id, access))
                continue
            channel, pointer = await self._table.get_pair(
                channel_by_key(server_id=access.server_id, channel_id=access.channel_id),
                pointer_of(room_id=access.channel_id),
                consistent=True,
            )
            if channel is not None and pointer is not None:
                view = channel_view(ChannelWithHead(channel, pointer.last_message_id))
                adds = [channel_membership(new, server, access)]
                found.append(channel_created(view, user(new.user_id), adds=adds))
        return found

    # Channels

    async def _channel(self, seen: Seen[Channel]) -> list[Publication]:
        old, new = seen
        server_id, channel_id = seen.row.server_id, seen.row.channel_id
        own = own_topic(server_id, channel_id) if seen.row.has_access_list else None
        topic = own or topic_of(server_id)
        if new is None:
            if self._gone.find(server_id):
                return [] if own is None else [audience_change(removes=[TopicRemoval(None, own)])]
            removes = [] if own is None else [TopicRemoval(None, own)]
            return [channel_deleted(ChannelGone(channel_id, server_id), topic, removes=removes)]
        if old is None:
            view = await self._with_head(new) if seen.is_repeated else channel_view(ChannelWithHead(new, None))
            return [channel_created(view, topic, rechecks=[] if own is None else [own])]
        return [channel_updated(await self._with_head(new), topic)]

    async def _access(self, seen: Seen[ChannelAccess]) -> list[Publication]:
        """Publish a channel to those who see it now, and its end to those who no longer do."""
        old, new = seen
        if new is None:
            return []  # it ends with the channel
        topic = own_topic(new.server_id, new.channel_id)
        channel = await self._table.get(channel_by_key(server_id=new.server_id, channel_id=new.channel_id))
        if channel is None or (old is None and not new.was_public):
            return [audience_change(rechecks=[topic])]  # deleted, or created with the list
        shown = channel_updated(await self._with_head(channel), topic, rechecks=[topic])
        return [shown, *await self._hidden_by(old, new, topic)]

    async def _hidden_by(self, old: ChannelAccess | None, new: ChannelAccess, topic: Topic) -> list[Publication]:
        gone, members = ChannelGone(new.channel_id, new.server_id), topic_of(new.server_id)
        if not new.is_private:
            return []
        if old is None or new.was_public:
            return [channel_deleted.to_others(gone, members, without=topic)]
        lost = set(old.roles or ()) - set(new.roles or ())
        found = [
            channel_deleted.to_others(gone, members, without=topic, moderates=role == "moderator")
            for role in ("member", "moderator")
            if role in lost
        ]
        users = [user_id for user_id in old.user_ids or () if user_id not in (new.user_ids or ())]
        keys = [membership(user_id=user_id, server_id=new.server_id) for user_id in users]
        rows = [row for row in await self._table.get_many(keys, consistent=True) if row is not None]
        hidden = [row.user_id for row in rows if not new.allows(row.user_id, row.role)]
        return [*found, *(_hidden_from(user_id, new) for user_id in hidden)]

    async def _with_head(self, channel: Channel) -> ChannelView:
        pointer = await self._table.get(pointer_of(room_id=channel.channel_id))
        return channel_view(ChannelWithHead(channel, None if pointer is None else pointer.last_message_id))

    async def _pointer(self, seen: Seen[ChannelPointer]) -> list[Publication]:
        """Publish nothing, but cache the topic for the messages of the channel."""
        self._keep_topic(seen.row.room_id, seen.new)
        return []


class _KnownTopic(NamedTuple):
    """The topic of a channel, and when it was found; None if the channel was deleted."""

    topic: RoomTopic | None
    at: float

    @property
    def may_change(self) -> bool:
        """Whether the channel may get a topic of its own."""
        return self.topic is not None and self.topic.topic.startswith("server:")


def _topic_at(pointer: ChannelPointer) -> Topic:
    if pointer.access is None:
        return topic_of(pointer.server_id)
    return own_topic(pointer.server_id, pointer.room_id)


def _hidden_from(user_id: UserId, access: ChannelAccess) -> Publication:
    """Return the publication to a member who no longer sees a channel."""
    topic = own_topic(access.server_id, access.channel_id)
    gone = ChannelGone(access.channel_id, access.server_id)
    return channel_deleted(gone, user(user_id), removes=[TopicRemoval(user_id, topic)])


def _now() -> float:
    return asyncio.get_running_loop().time()


def topic_membership(row: ServerMembership, server: Server) -> TopicMembership:
    """Return the audience change that subscribes a member to a server, as a moderator or not."""
    moderates = "moderate" in RIGHTS[true_role(row, server)]
    return TopicMembership(row.user_id, topic_of(server.server_id), moderates, version_of(row.joined_at))


def channel_membership(row: ServerMembership, server: Server, access: ChannelAccess) -> TopicMembership:
    """Return a member's membership in a channel with an access list; hidden if the list excludes them."""
    role = true_role(row, server)
    return TopicMembership(
        row.user_id,
        own_topic(access.server_id, access.channel_id),
        "moderate" in RIGHTS[role],
        version_of(row.joined_at),
        is_hidden=not access.allows(row.user_id, role),
    )
