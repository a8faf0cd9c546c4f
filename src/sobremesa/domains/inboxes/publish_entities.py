"""Publishes, their recipients and segments: stored rows and access patterns."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.domains.inboxes.contents import Content
from sobremesa.domains.inboxes.entities import (
    STORED,
    CategoryStats,
    InboxKey,
    PublicCategoryStats,
    PublicMessage,
    PublicStats,
    UserMessage,
    UserStats,
)
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1

SegmentName = NewType("SegmentName", str)
PublishState: TypeAlias = Literal["running", "done", "recalling", "recalled"]


class Publish(Entity, rename=STORED):
    """A publish: its content, the number of recipients, and the progress."""

    keys = Keys(pk="t#{tenant}J#{message_id}", sk="JOB")
    expires = "kept_until"

    tenant: Tenant
    message_id: InboxMessageId
    inbox: InboxKey
    state: PublishState
    recipients: int | None = None
    """None for a broadcast."""
    delivered: int = 0
    uids: list[UserId] | None = None
    """The recipients, if they are few; others are in chunks."""
    host_system_id: str | None = None
    sender: str = ""
    label: str | None = None
    category: str | None = None
    message: Content = Content()
    edition: int | None = None
    """How often the content was updated."""
    edited: int | None = None
    """The last edition that all copies have."""
    received: int = 0
    expiredat: int | None = msgspec.field(name="message_expiredat", default=None)
    """When the message expires; this row stays longer."""
    kept_until: int | None = None


class EarlierPublish(Publish, rename=STORED):
    """A publish in the partition of its tenant, where all contended: of earlier versions, and of other writers."""

    keys = Keys(pk="t#{tenant}", sk="JOB#{message_id}")


class Chunk(Entity, rename=STORED):
    """A part of the recipients of a publish, which may be recalled later."""

    keys = Keys(pk="t#{tenant}J#{message_id}", sk="CHUNK#{n:05}")
    expires = "kept_until"

    tenant: Tenant
    message_id: InboxMessageId
    n: int
    uids: list[UserId]
    kept_until: int


class Segment(Entity, rename=STORED):
    """A stored audience: its current version, whose users are in parts."""

    keys = Keys(pk="t#{tenant}SEGMENT#{segment}", sk="META")
    of_tenant = Index(gsi1, pk="t#{tenant}SEGMENTS", sk="{segment}")

    tenant: Tenant
    segment: SegmentName
    version: str
    users: int
    updated_at: Instant


class SegmentPart(Entity, rename=STORED):
    """A part of the users of one version of a segment."""

    keys = Keys(pk="t#{tenant}SEGMENT#{segment}", sk="PART#{version}#{n:05}")

    tenant: Tenant
    segment: SegmentName
    version: str
    n: int
    uids: list[UserId]


class HostClaim(Entity, rename=STORED):
    """Maps a host system id to its message."""

    keys = Keys(pk="t#{tenant}H#{inbox}#{host_hash}", sk="HOST")
    expires = "kept_until"

    tenant: Tenant
    inbox: InboxKey
    host_hash: str
    message_id: InboxMessageId
    body_hash: str
    recipients: int | None = None
    kept_until: int | None = None


class EarlierHostClaim(HostClaim, rename=STORED):
    """A claim in the partition of its tenant, of earlier versions and of other writers."""

    keys = Keys(pk="t#{tenant}", sk="HOST#{inbox}#{host_hash}")


# Reads

publish_by_id = Lookup("INB.7", "What is the progress of this publish?", Publish, consistent=True)
chunk_of = Lookup("INB.8", "Which users are in this part of the recipients?", Chunk, consistent=True)
chunks_of = Pattern("INB.9", "Which recipients does this publish have?", Chunk, consistent=True)
host_claim = Lookup("INB.10", "Which message does this host system id stand for?", HostClaim, consistent=True)
earlier_publish_by_id = Lookup(
    "INB.17", "What is the progress of this earlier publish?", EarlierPublish, consistent=True
)
earlier_host_claim = Lookup(
    "INB.18",
    "Which earlier message does this host system id stand for?",
    EarlierHostClaim,
    consistent=True,
)
segment_by_name = Lookup("INB.14", "What is this segment?", Segment, consistent=True)
segments_of = Pattern("INB.19", "Which segments does this tenant have, by name?", Segment, index="of_tenant")
users_in = Pattern(
    "INB.15",
    "Which users are in this version of a segment?",
    SegmentPart,
    prefix="PART#{version}#",
    consistent=True,
)
parts_of = Pattern(
    "INB.16", "Which parts of all versions does this segment have?", SegmentPart, prefix="PART#", consistent=True
)

# Writes

publish_to_everyone = WritePattern(
    "INB.22", "Publish a broadcast", PublicMessage, PublicStats, PublicCategoryStats, Publish, HostClaim
)
publish_to_some = WritePattern(
    "INB.23", "Publish to a few users", UserMessage, UserStats, CategoryStats, Publish, HostClaim
)
start_publish = WritePattern("INB.24", "Start a publish to many users", Publish, Chunk, HostClaim)
deliver = WritePattern("INB.25", "Deliver to the next recipients", UserMessage, UserStats, CategoryStats, Publish)
clear_chunks = WritePattern("INB.26", "Delete the recipients of a recalled publish", Chunk)
recall_broadcast = WritePattern(
    "INB.34", "Recall a broadcast", PublicMessage, PublicStats, PublicCategoryStats, Publish
)
recall_copies = WritePattern("INB.35", "Recall copies from their recipients", UserMessage, UserStats, CategoryStats)
recall_publish = WritePattern("INB.36", "Start or end the recall of a publish to users", Publish)
edit_broadcast = WritePattern("INB.37", "Update a broadcast", PublicMessage)
edit_copies = WritePattern("INB.38", "Update copies of a message", UserMessage)
edit_publish = WritePattern("INB.39", "Start or end the update of a publish to users", Publish)
change_segment = WritePattern("INB.33", "Replace or delete a segment", Segment, SegmentPart)
