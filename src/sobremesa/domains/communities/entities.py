"""Entities and access patterns of communities: servers, members, channels and messages."""

from __future__ import annotations

from typing import Any, NewType, TypeAlias

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.core.ids import MessageId, RoomId, time_of
from sobremesa.domains.communities.permissions import RIGHTS, Role
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.invites.entities import InviteRow
from sobremesa.rooms.entities import Head, Message, Pin, Reaction, ReactionSummary, ReadCursor
from sobremesa.rooms.kinds import PatternIds, RoomKind
from sobremesa.rooms.nonces import Nonce, RoomNonce
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1, gsi2

ServerId = NewType("ServerId", str)
ChannelId: TypeAlias = RoomId
ConnectionId = NewType("ConnectionId", str)

DIRECTORY_SHARDS = 16


class Server(Entity):
    """A community. A deleted one is invisible at once, and a job removes its rows."""

    keys = Keys(pk="SERVER#{server_id}", sk="META")
    by_id = Index(gsi1, pk="SERVER#{server_id}", sk="META")
    in_tenant = Index(gsi2, pk="t#{tenant}SERVERS#{shard}", sk="{created_at}#{server_id}")
    in_directory = Index(gsi2, pk="SERVERS#{shard}", sk="{created_at}#{server_id}")

    server_id: ServerId
    name: str
    owner_id: UserId
    tenant: Tenant | None = None
    """The tenant of the user who created it; absent for the default one."""
    icon_url: str | None = None
    created_at: Instant
    updated_at: Instant | None = None
    deleted_at: Instant | None = None
    shard: int | None = None
    data: dict[str, Any] | None = None
    has_access_lists: bool | None = None
    """Whether a channel is or was private: then the access lists of its channels are read with the memberships."""
    channels_version: str | None = None
    """Changes with every change of its channels, so that a list of them can be cached; absent: none has changed yet."""


class ServerMembership(Entity):
    """A user's membership in a server."""

    keys = Keys(pk="USER#{user_id}", sk="SERVER#{server_id}")
    by_server = Index(gsi1, pk="SERVER#{server_id}", sk="USER#{user_id}")

    user_id: UserId
    server_id: ServerId
    role: Role = "member"
    joined_at: Instant = EPOCH


class FormerMembership(Entity):
    """A server that a user has left, whose messages still have their name if they delete the account."""

    keys = Keys(pk="USER#{user_id}", sk="FORMER#SERVER#{server_id}")

    user_id: UserId
    server_id: ServerId
    left_at: Instant
    removed_at: Instant | None = None
    """When they were kicked or banned last: the invites that they had created ended at that moment."""


class Channel(Entity):
    """A channel of a server."""

    keys = Keys(pk="SERVER#{server_id}", sk="CHANNEL#{channel_id}")
    by_id = Index(gsi1, pk="CHANNEL#{channel_id}", sk="META")

    server_id: ServerId
    channel_id: ChannelId
    name: str
    topic: str | None = None
    private: bool | None = None
    """Whether only the users of its access list see it. False: it was private, and keeps the topic of its own."""
    data: dict[str, Any] | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None

    @property
    def has_access_list(self) -> bool:
        """Whether it has a row with its access list: it is private, or was."""
        return self.private is not None


class ChannelAccess(Entity):
    """Who sees a channel that is private, or was. It ends with the channel, so that its topic never changes back."""

    keys = Keys(pk="SERVER#{server_id}", sk="ACCESS#{channel_id}")

    server_id: ServerId
    channel_id: ChannelId
    version: str
    """Changes with every change of the list; the pointer has the same, so that a send depends on it."""
    roles: list[Role] | None = None
    user_ids: list[UserId] | None = None
    """The roles and users who see it, besides those who manage channels; both absent: every member does."""
    was_public: bool = False
    """Whether every member saw it before this change."""
    updated_at: Instant = EPOCH

    @property
    def is_private(self) -> bool:
        return self.roles is not None or self.user_ids is not None

    def allows(self, user_id: UserId, role: Role) -> bool:
        """Return whether a member with this role sees the channel; those who manage channels see all of them."""
        if not self.is_private or "manage_channels" in RIGHTS[role]:
            return True
        return role in (self.roles or ()) or user_id in (self.user_ids or ())


class ChannelPointer(Head):
    """The server of a channel, for authorization, and its last message, for order and unread counts."""

    keys = Keys(pk="CHANNEL#{room_id}", sk="META")

    room_id: RoomId = msgspec.field(name="channelId")
    server_id: ServerId
    access: str | None = None
    """The version of the access list, if the channel is private or was."""

    def marks_of_message(self) -> dict[str, Any]:
        return {} if self.access is None else {"has_own_topic": True}


class ChannelMessage(Message):
    """A message in a channel."""

    entity_type = "Message"
    keys = Keys(pk="CHANNEL#{room_id}", sk="MSG#{ms}#{message_id}")
    by_id = Index(gsi1, pk="MSG#{message_id}", sk="CHANNEL#{room_id}")

    room_id: RoomId = msgspec.field(name="channelId")
    author_id: UserId = msgspec.field(name="userId")
    ms: int
    has_own_topic: bool | None = None
    """Whether the channel had an access list when it was sent. Its event then goes to the channel's own topic."""

    @classmethod
    def time_parts(cls, message_id: MessageId) -> dict[str, Any]:
        return {"ms": time_of(message_id)}


class LastRead(ReadCursor):
    """A user's read position in a channel."""

    keys = Keys(pk="USER#{user_id}", sk="LASTREAD#CHANNEL#{room_id}")
    by_channel = Index(gsi1, pk="CHANNEL#{room_id}", sk="USER#{user_id}")

    room_id: RoomId = msgspec.field(name="channelId")
    last_read_timestamp: int | None = None

    @classmethod
    def message_fields(cls, message: Message) -> dict[str, Any]:
        return {"last_read_timestamp": message.ms} if isinstance(message, ChannelMessage) else {}

    @property
    def read_ms(self) -> int | None:
        return self.last_read_timestamp


class ChannelNonce(RoomNonce):
    entity_type = "Nonce"
    keys = Keys(pk="CHANNEL#{room_id}", sk="NONCE#{user_id}#{nonce_hash}")


class ChannelPin(Pin):
    entity_type = "Pin"
    keys = Keys(pk="CHANNEL#{room_id}", sk="PIN#{message_id}")


class ChannelReaction(Reaction):
    entity_type = "Reaction"
    keys = Keys(pk="CHANNEL#{room_id}", sk="REACT#{message_id}#{emoji_hex}#{user_id}")


class ChannelReactionSummary(ReactionSummary):
    entity_type = "ReactionSummary"
    keys = Keys(pk="CHANNEL#{room_id}", sk="RSUM#{message_id}#{emoji_hex}")


class Invite(InviteRow):
    """An invite to a server."""

    keys = Keys(pk="SERVER#{server_id}", sk="INVITE#{code}")
    by_code = Index(gsi1, pk="INVITE#{code}", sk="SERVER#{server_id}")

    server_id: ServerId
    code: InviteCode = msgspec.field(name="inviteCode")
    created_by: UserId


class InviteClaim(Entity):
    """The claim of an invite code, with its target. Servers and workspaces share one space of codes."""

    keys = Keys(pk="INVITE#{code}", sk="INVITE")
    expires = "ttl"

    code: InviteCode
    server_id: ServerId | None = None
    ttl: int | None = None


class InviteShare(Entity):
    """The uses that are left of a share of an invite."""

    keys = Keys(pk="INVITE#{code}#{share}", sk="SHARE")
    expires = "ttl"

    code: InviteCode
    share: int
    left: int
    ttl: int | None = None


class BannedFrom(Entity):
    """A server that a user is banned from, beside their memberships: a join checks it, and no row of the server."""

    keys = Keys(pk="USER#{user_id}", sk="BANNED#SERVER#{server_id}")

    user_id: UserId
    server_id: ServerId


class Ban(Entity):
    """A banned user. Bans of earlier versions have no `BannedFrom`."""

    keys = Keys(pk="SERVER#{server_id}", sk="BAN#{user_id}")

    server_id: ServerId
    user_id: UserId
    banned_by: UserId
    reason: str | None = None
    created_at: Instant


class Connection(Entity):
    """A connection that watches a channel."""

    keys = Keys(pk="CHANNEL#{room_id}", sk="CONN#{connection_id}")
    by_id = Index(gsi1, pk="CONN#{connection_id}", sk="USER#{user_id}")
    expires = "ttl"

    room_id: RoomId = msgspec.field(name="channelId")
    connection_id: ConnectionId
    server_id: ServerId
    user_id: UserId
    connected_at: Instant = EPOCH
    ttl: int


class ConnectionPointer(Entity):
    """A user's connection, the node that holds it, and the channels that it watches."""

    keys = Keys(pk="USER#{user_id}", sk="CONN#{connection_id}")
    by_node = Index(gsi1, pk="NODE#{node_id}", sk="CONN#{connection_id}")
    expires = "ttl"

    user_id: UserId
    connection_id: ConnectionId
    node_id: str | None = None
    """None for a session that polls, which any node may serve."""
    channel_id: ChannelId | None = None
    server_id: ServerId | None = None
    """The first of the channels, and its server."""
    channel_ids: list[ChannelId] | None = None
    """All channels that it watches; each has a `Connection`."""
    ttl: int


# Servers and members

server_by_id = Lookup("S2.3", "What is this server?", Server, consistent=True)
servers_of = Pattern("S2.4", "Which servers is this user in?", ServerMembership, consistent=True)
members_of = Pattern("S2.5", "Who is in this server?", ServerMembership, index="by_server", prefix="USER#")
membership = Lookup("S2.16", "Is this user in this server?", ServerMembership, consistent=True)
directory = Pattern(
    "COM.1", "Which servers are there, in one shard, the newest first?", Server, index="in_directory", newest_first=True
)
tenant_directory = Pattern(
    "COM.60",
    "Which servers has a tenant other than the default one, in one shard, the newest first?",
    Server,
    index="in_tenant",
    newest_first=True,
)
former_servers_of = Pattern("COM.2", "Which servers has this user left?", FormerMembership, consistent=True)
former_membership = Lookup("COM.48", "When did this user leave this server?", FormerMembership, consistent=True)
bans_of = Pattern("COM.3", "Who is banned from this server?", Ban)
ban_of = Lookup("COM.4", "Is this user banned?", Ban, consistent=True)
banned_from = Lookup("COM.101", "Is this server one that the user is banned from?", BannedFrom, consistent=True)
banned_from_by = Pattern("COM.102", "Which servers is this user banned from?", BannedFrom, consistent=True)

# Channels

channels_of = Pattern("S2.6", "Which channels has this server?", Channel, consistent=True)
channel_in_index = Pattern("S2.7", "What is this channel, by its id alone?", Channel, index="by_id", exactly="META")
channel_by_key = Lookup("COM.5", "What is this channel of this server?", Channel, consistent=True)
pointer_of = Lookup("COM.6", "Which server does this channel belong to?", ChannelPointer, consistent=True)

access_of = Lookup("COM.62", "Who sees this channel?", ChannelAccess, consistent=True)
access_lists_of = Pattern(
    "COM.63", "Which channels of this server have an access list?", ChannelAccess, consistent=True
)

# Messages

messages_in = Pattern(
    "S2.8", "What are the messages of this channel, newest first?", ChannelMessage, newest_first=True, consistent=True
)
# Patterns with an id such as S2.9 are those of the original design: they are kept for other readers of the table, also
# where no service uses them.
messages_since = Pattern(
    "S2.9",
    "What are the messages of this channel since a time?",
    ChannelMessage,
    between=("MSG#{ms}#", "MSG$"),
    consistent=True,
)
message_in_index = Pattern("S2.10", "Which message has this id?", ChannelMessage, index="by_id")
message_by_key = Lookup("COM.7", "What is this message of this channel?", ChannelMessage, consistent=True)
last_read = Lookup("S2.15", "How far has this user read in this channel?", LastRead)
readers_of = Pattern("COM.8", "Who has read how far in this channel?", LastRead, index="by_channel", prefix="USER#")
reads_of = Pattern(
    "COM.9", "In which channels has this user read?", LastRead, prefix="LASTREAD#CHANNEL#", consistent=True
)

everything_in = Pattern(
    "COM.37",
    "What are the rows of this channel, except its pointer?",
    ChannelMessage,
    ChannelPin,
    ChannelReaction,
    ChannelReactionSummary,
    ChannelNonce,
    Connection,
)

# Invites

invite_in_index = Pattern("S2.11", "Which invite has this code, by the index?", Invite, index="by_code")
invites_of = Pattern("S2.12", "Which invites has this server?", Invite)
invite_by_key = Lookup("COM.17", "What is this invite of this server?", Invite, consistent=True)
claim_of = Lookup("COM.18", "What does this code lead to?", InviteClaim, consistent=True)
share_of = Lookup("COM.103", "How many uses are left of this share of an invite?", InviteShare, consistent=True)

# Connections

connections_in = Pattern("S2.13", "Which connections watch this channel?", Connection)
connection_by_id = Pattern("S2.14", "What is this connection?", Connection, index="by_id")
connection_of = Lookup("COM.91", "What does this connection of this user watch?", ConnectionPointer, consistent=True)
connections_of = Pattern("COM.19", "Which connections does this user have?", ConnectionPointer, consistent=True)
connections_at = Pattern(
    "COM.39", "Which connections does this node hold?", ConnectionPointer, index="by_node", prefix="CONN#"
)

# Writes

create_server = WritePattern("COM.20", "Create a server", Server, ServerMembership)
change_server = WritePattern("COM.21", "Update a server", Server)
delete_server = WritePattern("COM.22", "Delete a server", Server)
create_channel = WritePattern("COM.23", "Create a channel", Channel, ChannelPointer, ChannelAccess, Server)
change_channel = WritePattern("COM.24", "Update a channel", Channel, Server)
delete_channel = WritePattern("COM.25", "Delete a channel", Channel, ChannelPointer, ChannelAccess, Server)
change_access = WritePattern(
    "COM.64", "Make a channel private or public", ChannelAccess, ChannelPointer, Channel, Server
)
change_role = WritePattern("COM.26", "Change the role of a member", ServerMembership)
remove_member = WritePattern("COM.27", "Remove a member from a server", ServerMembership, FormerMembership)
ban_member = WritePattern("COM.28", "Ban a user", Ban, BannedFrom, ServerMembership, FormerMembership)
lift_ban = WritePattern("COM.29", "Lift a ban", Ban, BannedFrom)
transfer_server = WritePattern("COM.30", "Transfer a server to another member", Server, ServerMembership)
create_invite = WritePattern("COM.31", "Create an invite", Invite, InviteClaim, InviteShare)
revoke_invite = WritePattern("COM.32", "Revoke an invite", Invite, InviteClaim, InviteShare)
redeem_invite = WritePattern("COM.33", "Join by an invite", Invite, InviteShare, ServerMembership, BannedFrom)
count_uses = WritePattern("COM.104", "Count uses of an invite by several users at once", Invite)
undo_join = WritePattern("COM.105", "Remove a member of a server that was deleted as they joined", ServerMembership)
add_member = WritePattern("COM.90", "Add a member for the product's backend", ServerMembership, Ban, Server)
note_connections = WritePattern("COM.46", "Store connections, and what they watch", ConnectionPointer, Connection)
forget_connections = WritePattern(
    "COM.47", "Delete connections that ended, and what is no longer watched", ConnectionPointer, Connection
)
clean_up = WritePattern(
    "COM.35", "Remove the rows of a deleted server, channel or account", ChannelMessage, ChannelPointer
)
adopt_channel = WritePattern("COM.36", "Create the pointer of a channel that another writer created", ChannelPointer)

send_message = WritePattern("COM.40", "Send a message to a channel", ChannelMessage, ChannelPointer, Nonce)
import_messages = WritePattern("COM.80", "Import messages into a channel", ChannelMessage, ChannelPointer)
note_authors = WritePattern("COM.81", "Note the authors of imported messages who are not members", FormerMembership)
add_imported_member = WritePattern("COM.82", "Add a member to an imported server", ServerMembership)

CHANNELS = RoomKind(
    name="channel",
    plural="channels",
    ids=PatternIds("COM", reads=(*range(10, 17), 38, 61), writes=range(41, 46)),
    message=ChannelMessage,
    head=ChannelPointer,
    cursor=LastRead,
    nonce=ChannelNonce,
    pin=ChannelPin,
    reaction=ChannelReaction,
    summary=ChannelReactionSummary,
    stores_update=True,
    messages=messages_in,
    messages_by_id=message_in_index,
    head_by_key=pointer_of,
    message_by_key=message_by_key,
    read_cursor=last_read,
    readers=readers_of,
    send=send_message,
    import_messages=import_messages,
)
