"""Base entities of rooms. Each kind of room subclasses them and adds its keys and attribute names."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant, instant
from sobremesa.core.ids import MessageId, RoomId, is_ulid, time_of
from sobremesa.table import Entity, Index, Keys, Pattern, WritePattern, add, gsi1

# Moderation states of a message.
CLEAN: Final = "clean"
FLAGGED: Final = "flagged"
BLOCKED: Final = "blocked"

MODERATION_SHARDS = 16

REVISED: Final = add(revision=1)
"""The change of a room's head with each change of a message, and with each new one that is not the last."""


class StoredReaction(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A reaction in a list inside a message, which only rows of other writers have."""

    emoji: str
    user_ids: list[UserId] = []
    count: int = 0


class Flags(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The moderation state of a message: clean, flagged or blocked, and the reasons."""

    moderation: str = CLEAN
    policy_hints: list[str] = []


class Message(Entity):
    """A message. A deleted one remains as a tombstone without content."""

    room_id: RoomId
    message_id: MessageId
    author_id: UserId
    username: str = ""
    """The author's name at the time of sending."""
    display_name: str | None = None
    """The author's display name at the time of sending, if they had one."""
    nonce: str | None = None
    """The author's own id for the message, which only they receive, with its event."""
    type: str = "text"
    content: str = ""
    edited: bool = False
    edited_at: Instant | None = None
    deleted: bool = False
    reply_to: MessageId | None = None
    replied_author_id: UserId | None = None
    """The author of the message that it replies to, who receives its events in any case."""
    mentions: list[UserId] | None = None
    attachments: list[dict[str, Any]] | None = None
    reactions: list[StoredReaction] | None = None
    flags: Flags | None = None
    nsfw_band: int | None = None
    data: dict[str, Any] | None = None
    """The custom data that its author sent with it."""
    is_bot: bool | None = None
    """True for messages of bots and incoming webhooks."""
    command: dict[str, Any] | None = None
    """The slash command that the message answers: its id and name, and the user who called it."""
    created_at: Instant = EPOCH
    updated_at: Instant | None = None
    imported: bool | None = None
    """True if it was imported: its creation publishes no event, and it is never unread. Absent otherwise."""

    @classmethod
    def time_parts(cls, message_id: MessageId) -> dict[str, Any]:
        """Return the key parts other than ids: none, or the id's time. ValueError for an id that is not a ULID."""
        return {}

    @property
    def sent_at(self) -> Instant:
        """The time of sending; for some rows of other writers only the id has it."""
        if self.created_at != EPOCH:
            return self.created_at
        return instant(time_of(self.message_id)) if is_ulid(self.message_id) else EPOCH

    @property
    def moderation(self) -> str:
        """The moderation state: clean, flagged or blocked."""
        return CLEAN if self.flags is None else self.flags.moderation

    @property
    def is_fixed(self) -> bool:
        """Whether it is part of a record, which even its author cannot edit or delete."""
        return False

    @property
    def acted(self) -> dict[str, Any] | None:
        """The change of a card that the message describes, in kinds of room with cards."""
        return None


class Head(Entity):
    """The row of a room that stores its last message id, which gives the room one order."""

    room_id: RoomId
    last_message_id: MessageId | None = None
    last_imported_id: MessageId | None = None
    """The last message, if an import wrote it; an older id if messages were sent since."""
    last_sent_id: MessageId | None = None
    """The last message that was sent, as of the import that wrote `last_imported_id`."""
    mask_count: int | None = None
    """How often the name of a deleted account was masked on the messages here, which imports must not miss."""
    revision: int | None = None
    """How often messages here were changed or added before the last one: then a tail is read again (`tails`)."""

    @property
    def last_unread_id(self) -> MessageId | None:
        """The last message that can be unread. An imported one never is."""
        is_imported = self.last_message_id == self.last_imported_id
        return self.last_sent_id if is_imported else self.last_message_id

    @property
    def title(self) -> str | None:
        """The room's name, if its head has one."""
        return None

    @property
    def is_incomplete(self) -> bool:
        """Whether the room may have messages although no last one is stored, as in rows of other writers."""
        return False

    def message_fields(self, message: Message) -> dict[str, Any]:
        """Return the other fields that a kind of room stores about its last message, such as a preview."""
        return {}

    def read_by(self, user_id: UserId) -> MessageId | None:
        """Return up to where the head itself proves that a user has read."""
        return None

    def marks_of_message(self) -> dict[str, Any]:
        """Return the fields of a new message that depend on the state of the room."""
        return {}


class ReadCursor(Entity):
    """A user's read position and preferences in a room."""

    room_id: RoomId
    user_id: UserId
    last_read_message_id: MessageId | None = None
    muted: bool = False
    updated_at: Instant | None = None

    @classmethod
    def message_fields(cls, message: Message) -> dict[str, Any]:
        """Return the other fields that a kind of room stores about the last read message."""
        return {}

    @property
    def read_ms(self) -> int | None:
        """The time of the last read message, if the cursor stores it besides the id."""
        return None

    @property
    def read_at(self) -> Instant | None:
        """The time when the cursor last moved."""
        return self.updated_at


class Pin(Entity):
    """A pinned message."""

    room_id: RoomId
    message_id: MessageId
    pinned_by: UserId
    pinned_at: Instant


class Reaction(Entity):
    """A user's reaction to a message with one emoji."""

    room_id: RoomId
    message_id: MessageId
    emoji_hex: str
    user_id: UserId
    created_at: Instant


class ReactionSummary(Entity):
    """The count of reactions to a message with one emoji, and the first users."""

    room_id: RoomId
    message_id: MessageId
    emoji_hex: str
    count: int = 0
    user_ids: frozenset[UserId] = frozenset()
    first_at: Instant | None = None


class ModerationCase(Entity):
    """A moderation case, opened by a policy or by a user's report."""

    keys = Keys(pk="MODQ#{shard}", sk="{created_at}#{message_id}")
    of_tenant = Index(gsi1, pk="t#{tenant}MODQ#{state}#{shard}", sk="{created_at}#{message_id}")
    by_state = Index(gsi1, pk="MODQ#{state}#{shard}", sk="{created_at}#{message_id}")

    shard: int
    created_at: Instant
    message_id: MessageId
    room_kind: str
    room_id: RoomId
    author_id: UserId
    tenant: Tenant | None = None
    """The tenant of the message's author, whose moderators decide; absent for the default one."""
    reported_by: UserId | None = None
    reason: str
    origin: str = "report"
    verdict: str | None = None
    """The judge's verdict that opened the case, flagged or blocked; absent for a report."""
    tab: str | None = None
    """The tab that the case is about, instead of a message."""
    state: str = "open"
    decision: str | None = None
    decided_by: str | None = None
    decided_at: Instant | None = None
    note: str | None = None


class ReportClaim(Entity):
    """A user's report of one version of a message, so that a repeated report opens no second case."""

    keys = Keys(pk="USER#{user_id}", sk="REPORT#{message_id}")

    user_id: UserId
    message_id: MessageId
    version: Instant
    """The time when the message was sent or last edited."""
    room_kind: str
    room_id: RoomId
    reason: str


report_message = WritePattern("ROOM.1", "Report a message to the moderators", ModerationCase, ReportClaim)
reports_of = Pattern("ROOM.2", "What has this user reported?", ReportClaim, consistent=True)
forget_reports = WritePattern("ROOM.3", "Delete the reports of a deleted user", ReportClaim)
