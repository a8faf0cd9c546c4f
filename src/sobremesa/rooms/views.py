"""Messages and what belongs to them, as clients see them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from msgspec import UNSET, UnsetType

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId, RoomKindName
from sobremesa.http.endpoints import Output


class ReactionView(Output):
    """The reactions with one emoji: `userIds` are the first users, `me` is true if the reader is one of all."""

    emoji: str
    count: int
    user_ids: list[UserId]
    me: bool


class MessageFile(TypedDict):
    """A file of a message; `w` and `h` are the size of an image. Rows of another writer may lack fields."""

    fileId: str
    kind: str
    name: str
    mime: str
    size: int
    w: NotRequired[int]
    h: NotRequired[int]


class FlagsView(Output):
    """The moderation state of a message: clean, flagged or blocked, and the reasons."""

    moderation: str
    policy_hints: list[str]


class MessageView(Output):
    """A message. The content of a deleted one is empty, and so is that of one that the reader may not see.

    `action` describes the change of a card; `flags` and `nsfwBand` are set if moderation found something.
    """

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    type: str
    author_id: UserId
    username: str
    display_name: str | None
    content: str
    edited: bool
    edited_at: Instant | None
    deleted: bool
    reply_to: MessageId | None
    attachments: list[MessageFile]
    reactions: list[ReactionView]
    mentions: list[UserId]
    created_at: Instant
    action: dict[str, Any] | None = None
    flags: FlagsView | None = None
    nsfw_band: int | None = None
    data: dict[str, Any] | None = None
    """The custom data of its author."""
    bot: bool | UnsetType = UNSET
    """True for messages of bots and incoming webhooks, else absent."""
    command: dict[str, Any] | UnsetType = UNSET
    """The slash command that the message answers: `commandId`, `name` and `userId`; absent for other messages."""


class SentView(MessageView):
    """A sent message; `replayed` if an earlier request with the same nonce created it."""

    replayed: bool = False


class UnreadView(Output):
    """An unread count; `capped` if there are more than were counted. `mentions` are those that mention the reader."""

    count: int
    capped: bool
    mentions: int


class ReadView(Output):
    """The reader's new read position, and what is still unread."""

    last_read_message_id: MessageId | None
    unread: UnreadView


class RoomUnreadView(Output):
    """The unread count of one room."""

    room_kind: RoomKindName
    room_id: RoomId
    count: int
    capped: bool
    mentions: int
    muted: bool


class InboxUnreadView(Output):
    """The unread count of one notification inbox."""

    inbox: str
    count: int


class ReaderView(Output):
    """A user in the room and how far they have read."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    last_read_message_id: MessageId | None
    read_at: Instant | None


class ReactorView(Output):
    """A user who reacted."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    created_at: Instant


class PinView(Output):
    """A pinned message, and the user who pinned it."""

    message: MessageView
    pinned_by: UserId
    pinned_at: Instant


class PreferencesView(Output):
    """The reader's notification preferences for a room."""

    muted: bool
