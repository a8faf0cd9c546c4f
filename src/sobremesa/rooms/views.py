"""Messages and what belongs to them, as clients see them."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.http.endpoints import Output
from sobremesa.rooms.kinds import RoomKindName


class ReactionView(Output):
    """How many reacted with one emoji; `userIds` are the first of them, `me` says whether the reader did."""

    emoji: str
    count: int
    user_ids: list[UserId]
    me: bool


class FlagsView(Output):
    """What moderation says of a message: clean, flagged or blocked, and why."""

    moderation: str
    policy_hints: list[str]


class MessageView(Output):
    """A message. A deleted one keeps its place and says nothing, and so does one that the reader may not see.

    `action` is what was done with a card; `flags` and `nsfwBand` are there where moderation found something.
    """

    message_id: MessageId
    room_id: RoomId
    room_kind: RoomKindName
    type: str
    author_id: UserId
    username: str
    content: str
    edited: bool
    edited_at: Instant | None
    deleted: bool
    reply_to: MessageId | None
    attachments: list[dict[str, Any]]
    reactions: list[ReactionView]
    mentions: list[UserId]
    created_at: Instant
    action: dict[str, Any] | None = None
    flags: FlagsView | None = None
    nsfw_band: int | None = None


class SentView(MessageView):
    """A message that was just sent; `replayed` if its nonce had made it before."""

    replayed: bool = False


class UnreadView(Output):
    """How much is unread: at most `count` is counted, more is `capped`; `mentions` are those that name the reader."""

    count: int
    capped: bool
    mentions: int


class ReadView(Output):
    """How far the reader is now, and what is left."""

    last_read_message_id: MessageId | None
    unread: UnreadView


class RoomUnreadView(Output):
    """What is unread in one room."""

    room_kind: RoomKindName
    room_id: RoomId
    count: int
    capped: bool
    mentions: int
    muted: bool


class InboxUnreadView(Output):
    """What is unread in one inbox of notifications."""

    inbox: str
    count: int


class ReaderView(Output):
    """How far somebody has read."""

    user_id: UserId
    username: str
    avatar_url: str | None
    last_read_message_id: MessageId | None
    read_at: Instant | None


class ReactorView(Output):
    """Somebody who reacted."""

    user_id: UserId
    username: str
    avatar_url: str | None
    created_at: Instant


class PinView(Output):
    """A pinned message, and who pinned it."""

    message: MessageView
    pinned_by: UserId
    pinned_at: Instant


class PreferencesView(Output):
    """What the reader wants to hear of a room."""

    muted: bool
