"""What the API returns, as types for bots.

Unknown fields are ignored, so that a newer server does not break an older client. What has no type here is available
as plain JSON by `Client.request`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

RoomKind: TypeAlias = Literal["channel", "conversation", "thread"]
Json: TypeAlias = dict[str, Any]


class Room(NamedTuple):
    """A room: a channel, a conversation or a thread."""

    kind: RoomKind
    room_id: str

    @property
    def path(self) -> str:
        """The path of the room in the API."""
        return f"/{self.kind}s/{self.room_id}"


class Model(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Base class of the types that the API returns."""


class User(Model, frozen=True):
    """A user."""

    user_id: str
    username: str
    display_name: str | None = None
    avatar_url: str | None = None
    created_at: str | None = None


class SignedIn(Model, frozen=True):
    """A new session."""

    user: User
    access_token: str
    refresh_token: str
    expires_in: float


class Reaction(Model, frozen=True):
    """The number of users who reacted with one emoji; `user_ids` are the first of them."""

    emoji: str
    count: int
    user_ids: list[str] = []


class Message(Model, frozen=True):
    """A message."""

    message_id: str
    room_id: str
    room_kind: RoomKind
    type: str
    author_id: str
    username: str
    content: str
    created_at: str
    display_name: str | None = None
    edited: bool = False
    deleted: bool = False
    reply_to: str | None = None
    attachments: list[Json] = []
    reactions: list[Reaction] = []
    mentions: list[str] = []
    action: Json | None = None
    replayed: bool = False
    bot: bool = False
    command: Json | None = None
    """The slash command that the message answers: `commandId`, `name` and `userId`."""
    nonce: str | None = None
    """Only in `message.created`, and only for the author: the nonce with which they sent the message."""

    @property
    def room(self) -> Room:
        return Room(self.room_kind, self.room_id)


class Command(Model, frozen=True):
    """A slash command that a user called. `text` is what they wrote after the name."""

    command_id: str
    name: str
    text: str
    channel_id: str
    server_id: str
    user_id: str
    username: str
    expires_at: str

    @property
    def room(self) -> Room:
        return Room("channel", self.channel_id)


class Unread(Model, frozen=True):
    """Unread messages: counted up to a limit, above it `capped`; `mentions` are those that mention the reader."""

    count: int = 0
    capped: bool = False
    mentions: int = 0


class Server(Model, frozen=True):
    """A community."""

    server_id: str
    name: str
    owner_id: str
    icon_url: str | None = None


class Channel(Model, frozen=True):
    """A room of a server."""

    channel_id: str
    server_id: str
    name: str
    topic: str | None = None
    last_message_id: str | None = None

    @property
    def room(self) -> Room:
        return Room("channel", self.channel_id)


class Invite(Model, frozen=True):
    """A code that admits users to a server."""

    code: str
    max_uses: int | None = None
    uses: int = 0
    expires_at: str | None = None


class Joined(Model, frozen=True):
    """What an invite admitted to: a server or a workspace."""

    kind: Literal["server", "workspace"]
    role: str
    server_id: str | None = None
    workspace_id: str | None = None


class Conversation(Model, frozen=True):
    """A direct or group conversation. In a direct one, `other` is the other user."""

    convo_id: str
    type: Literal["direct", "group"]
    name: str | None = None
    other: User | None = None
    last_message_id: str | None = None
    last_message_body: str | None = None
    last_message_at: str | None = None
    unread: Unread = Unread()
    muted: bool = False

    @property
    def room(self) -> Room:
        return Room("conversation", self.convo_id)


class Thread(Model, frozen=True):
    """A thread between a buyer and a seller."""

    thread_id: str
    kind: str
    status: str
    buyer_user_id: str
    seller_user_id: str
    listing_id: str | None = None
    last_message_id: str | None = None
    last_message_at: str | None = None

    @property
    def room(self) -> Room:
        return Room("thread", self.thread_id)
