"""What a bot needs of what the API tells, as types.

A field that is not here is ignored, so that a newer server does not break an older client. What has no type here can be
had as plain JSON, by `Client.request`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

RoomKind: TypeAlias = Literal["channel", "conversation", "thread"]
Json: TypeAlias = dict[str, Any]


class Room(NamedTuple):
    """Where things are said."""

    kind: RoomKind
    room_id: str

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/{self.kind}s/{self.room_id}"


class Shape(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Something as the API tells it."""


class User(Shape, frozen=True):
    """A person."""

    user_id: str
    username: str
    avatar_url: str | None = None
    created_at: str | None = None


class SignedIn(Shape, frozen=True):
    """An open session."""

    user: User
    access_token: str
    refresh_token: str
    expires_in: float


class Reaction(Shape, frozen=True):
    """How many reacted with one emoji; `user_ids` are the first of them."""

    emoji: str
    count: int
    user_ids: list[str] = []


class Message(Shape, frozen=True):
    """Something that was said."""

    message_id: str
    room_id: str
    room_kind: RoomKind
    type: str
    author_id: str
    username: str
    content: str
    created_at: str
    edited: bool = False
    deleted: bool = False
    reply_to: str | None = None
    attachments: list[Json] = []
    reactions: list[Reaction] = []
    mentions: list[str] = []
    action: Json | None = None
    replayed: bool = False

    @property
    def room(self) -> Room:
        return Room(self.room_kind, self.room_id)


class Unread(Shape, frozen=True):
    """How much is unread: at most `count` is counted, more is `capped`; `mentions` are those that name the reader."""

    count: int = 0
    capped: bool = False
    mentions: int = 0


class Server(Shape, frozen=True):
    """A community."""

    server_id: str
    name: str
    owner_id: str
    icon_url: str | None = None


class Channel(Shape, frozen=True):
    """A room of a server."""

    channel_id: str
    server_id: str
    name: str
    topic: str | None = None
    last_message_id: str | None = None

    @property
    def room(self) -> Room:
        return Room("channel", self.channel_id)


class Invite(Shape, frozen=True):
    """A code that lets people in."""

    code: str
    max_uses: int | None = None
    uses: int = 0
    expires_at: str | None = None


class Joined(Shape, frozen=True):
    """What a code led to: a server or a workspace."""

    kind: Literal["server", "workspace"]
    role: str
    server_id: str | None = None
    workspace_id: str | None = None


class Conversation(Shape, frozen=True):
    """A direct or group conversation. In a direct one, `other` is the other person."""

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


class Thread(Shape, frozen=True):
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
