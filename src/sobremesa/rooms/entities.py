"""The rows of a room. Each kind of room subclasses these and adds its literal keys and its stored names."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant, instant
from sobremesa.core.ids import MessageId, RoomId, is_ulid, time_of
from sobremesa.table import Entity, Index, Keys, Pattern, WritePattern, gsi1

# What moderation can say of a message.
CLEAN: Final = "clean"
FLAGGED: Final = "flagged"
BLOCKED: Final = "blocked"

MODERATION_SHARDS = 16


class StoredReaction(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A reaction as an element of a message's list: rows by other writers have them, ours do not."""

    emoji: str
    user_ids: list[UserId] = []
    count: int = 0


class Flags(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What moderation says of a message: clean, flagged or blocked, and why."""

    moderation: str = CLEAN
    policy_hints: list[str] = []


class Message(Entity):
    """What somebody said. A deleted one stays as a tombstone, without what it said."""

    room_id: RoomId
    message_id: MessageId
    author_id: UserId
    username: str = ""
    """The author's name when it was said."""
    type: str = "text"
    content: str = ""
    edited: bool = False
    edited_at: Instant | None = None
    deleted: bool = False
    reply_to: MessageId | None = None
    mentions: list[UserId] | None = None
    attachments: list[dict[str, Any]] | None = None
    reactions: list[StoredReaction] | None = None
    flags: Flags | None = None
    nsfw_band: int | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None

    @classmethod
    def time_parts(cls, message_id: MessageId) -> dict[str, Any]:
        """What the key holds beside the ids: nothing, or the id's own time. ValueError for a foreign id."""
        return {}

    @property
    def sent_at(self) -> Instant:
        """When it was said; a row of another writer may tell it only by its id."""
        if self.created_at != EPOCH:
            return self.created_at
        return instant(time_of(self.message_id)) if is_ulid(self.message_id) else EPOCH

    @property
    def moderation(self) -> str:
        """Clean, flagged or blocked."""
        return CLEAN if self.flags is None else self.flags.moderation

    @property
    def is_fixed(self) -> bool:
        """Is it part of a record, so that not even its author changes or takes it back?"""
        return False

    @property
    def acted(self) -> dict[str, Any] | None:
        """What was done with it, beside what it says, where a kind of room has such a thing."""
        return None


class Head(Entity):
    """The row of a room that takes each new message's id, and so gives the room one order."""

    room_id: RoomId
    last_message_id: MessageId | None = None

    @property
    def title(self) -> str | None:
        """The room's name, where its head has one."""
        return None

    @property
    def is_incomplete(self) -> bool:
        """May there be messages although it names no last one? So it is in rows of other writers."""
        return False

    def marks(self, message: Message) -> dict[str, Any]:
        """What a kind of room also keeps of its last message: a preview, a time."""
        return {}


class ReadCursor(Entity):
    """How far a person has read in a room, and whether they want to hear of it."""

    room_id: RoomId
    user_id: UserId
    last_read_message_id: MessageId | None = None
    muted: bool = False
    updated_at: Instant | None = None

    @classmethod
    def marks(cls, message: Message) -> dict[str, Any]:
        """What a kind of room also keeps of the message that was read."""
        return {}

    @property
    def read_ms(self) -> int | None:
        """The time of the message that was read, where the cursor tells it apart from the id."""
        return None

    @property
    def read_at(self) -> Instant | None:
        """When the cursor moved last."""
        return self.updated_at


class Nonce(Entity):
    """Which message a sender's own mark has made: sent twice, it is still one message."""

    expires = "ttl"

    room_id: RoomId
    user_id: UserId
    nonce_hash: str
    message_id: MessageId
    body_hash: str
    ttl: int


class Pin(Entity):
    """A message that is kept at hand."""

    room_id: RoomId
    message_id: MessageId
    pinned_by: UserId
    pinned_at: Instant


class Reaction(Entity):
    """One person's reaction to a message with one emoji."""

    room_id: RoomId
    message_id: MessageId
    emoji_hex: str
    user_id: UserId
    created_at: Instant


class ReactionSummary(Entity):
    """How many reacted to a message with one emoji, and who first."""

    room_id: RoomId
    message_id: MessageId
    emoji_hex: str
    count: int = 0
    user_ids: frozenset[UserId] = frozenset()
    first_at: Instant | None = None


class ModerationCase(Entity):
    """Something that a moderator should look at, or has: because of a policy, or of somebody who reported it."""

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
    """What the judge found when it opened the case: flagged or blocked; absent for a report."""
    tab: str | None = None
    """The tab that it is about, in place of a message."""
    state: str = "open"
    decision: str | None = None
    decided_by: str | None = None
    decided_at: Instant | None = None
    note: str | None = None


class ReportClaim(Entity):
    """That a person has reported a message, as it stood at that time: again makes no other case."""

    keys = Keys(pk="USER#{user_id}", sk="REPORT#{message_id}")

    user_id: UserId
    message_id: MessageId
    version: Instant
    """When the message was written, or edited last."""
    room_kind: str
    room_id: RoomId
    reason: str


report_message = WritePattern("ROOM.1", "Report a message to the moderators", ModerationCase, ReportClaim)
reports_of = Pattern("ROOM.2", "What has this person reported?", ReportClaim, consistent=True)
forget_reports = WritePattern("ROOM.3", "Forget what somebody who left has reported", ReportClaim)
