"""Inboxes: settings, messages, receipts and counts of a tenant, and what can be asked about them.

Attributes are named as the document of this design names them. Messages and receipts lie in one range of a person's
partition, which is read as it is by `Held`, also after the time of a row: whoever counts must see what has expired.
"""

from __future__ import annotations

from typing import Any, Literal, NewType, TypeAlias

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.inboxes.contents import Audience, Content, Taxonomy
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern

InboxKey = NewType("InboxKey", str)
Category = NewType("Category", str)
PublishState: TypeAlias = Literal["running", "done"]

PUBLIC = "$public"
"""The `uid` of what is for everyone."""
STORED = {"tenant": "tenant_key", "inbox": "inbox_key", "user_id": "uid", "message_id": "id"}


# Settings


class TenantSettings(Entity, rename=STORED):
    """What a tenant has set."""

    keys = Keys(pk="t#{tenant}", sk="st#tenant_settings")

    tenant: Tenant
    kind: str = "TS"
    title: str | None = None
    ttl_text: str | None = msgspec.field(name="ttl", default=None)
    """How long messages live; a text, which the table does not take for a time."""
    user_id: str | None = None
    """Who set it."""


class InboxConfig(Entity, rename=STORED):
    """One inbox of a tenant; it is there from the first message on."""

    keys = Keys(pk="t#{tenant}", sk="si#{inbox}")

    tenant: Tenant
    inbox: InboxKey
    kind: str = "IC"
    title: str | None = None
    description: str | None = None
    ttl_rules: dict[str, str] = msgspec.field(name="ttl", default_factory=dict)
    """How long messages live: `default`, and by category."""
    body_schema: Any = msgspec.field(name="schema", default=None)
    user_id: str | None = None


# What is in a partition


class Row(Entity, rename=STORED):
    """What messages and receipts have in common."""

    kind: str = "RR"
    taxonomy: Taxonomy = Taxonomy()
    readat: int | None = None
    archivedat: int | None = None
    snoozeduntil: int | None = None
    """Epoch seconds until which it is hidden."""

    @property
    def category(self) -> str | None:
        return self.taxonomy.category

    @property
    def is_message(self) -> bool:
        return self.kind == "UM"

    @property
    def is_hidden(self) -> bool:
        return self.archivedat is not None or self.snoozeduntil is not None


class Message(Row, rename=STORED):
    """A message, whoever it is for."""

    kind: str = "UM"
    host_system_id: str | None = None
    sender: str = ""
    audiences: Audience = Audience()
    received: int = 0
    """Epoch milliseconds at which it was accepted."""
    delivered: int = 0
    """Epoch milliseconds at which it was written here."""
    message: Content = Content()


class ReadReceipt(Row, rename=STORED):
    """What one person did with a message to everyone: it goes when the message goes, and never shows as one."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    expiredat: int | None = None


class UserMessage(Message, rename=STORED):
    """A message to one person, or their copy of it."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    expiredat: int | None = None


class PublicMessage(Message, rename=STORED):
    """A message to everyone, stored once."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    inbox: InboxKey
    message_id: InboxMessageId
    user_id: str = PUBLIC
    expiredat: int | None = None


class Held(Message, rename=STORED):
    """A message or receipt of one person as it is held, also after its time; without a kind it is a receipt."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    kind: str = "RR"
    # As float, so that a table that has its time to live under this name is not one with a second meaning for it.
    expiredat: float | None = None


class HeldPublic(Message, rename=STORED):
    """A message to everyone as it is held, also after its time."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="m#{message_id}")

    tenant: Tenant
    inbox: InboxKey
    message_id: InboxMessageId
    user_id: str = PUBLIC
    expiredat: float | None = None


# Counts


class Stats(Entity, rename=STORED):
    """How many rows there are: stored messages, those read, and those archived or snoozed (read or not)."""

    kind: str = "US"
    published: int = 0
    read: int = 0
    hidden: int = 0


class TotalStats(Stats, rename=STORED):
    """The count of a whole partition, and how far it is settled."""

    version: int | None = None
    """Grows with every change of a count in this partition."""
    next_expiry: int | None = None
    """Epoch seconds at which a row of the partition next expires or wakes."""
    settled_at: int | None = None
    """What expired up to this second is out of the counts, whether or not its row is gone."""


class UserStats(TotalStats, rename=STORED):
    """What one person has in an inbox, and from where on messages to everyone are theirs."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="c#*")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    first_addressed: int | None = None
    """Epoch milliseconds of the first message to this person by name."""
    floor: str | None = None
    """Messages to everyone are this person's if their ids are above it."""
    base: dict[str, int] = {}
    """How many messages to everyone are below the floor, by category."""
    base_total: int = 0
    base_until: int | None = None
    """When one of those expires."""


class CategoryStats(Stats, rename=STORED):
    """What one person has in one category, and whether they want to hear of it."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="c#{category}")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    category: Category
    muted: bool = False


class PublicStats(TotalStats, rename=STORED):
    """How many messages to everyone there are, and the newest."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="c#*")

    tenant: Tenant
    inbox: InboxKey
    user_id: str = PUBLIC
    last_id: str | None = None


class PublicCategoryStats(Stats, rename=STORED):
    """How many messages to everyone there are in one category."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="c#{category}")

    tenant: Tenant
    inbox: InboxKey
    category: Category
    user_id: str = PUBLIC


class Preference(Entity, rename=STORED):
    """Whether a person wants to hear of a category."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="p#{category}")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    category: Category
    muted: bool = False


class Snooze(Entity, rename=STORED):
    """A message that a person does not want to see until a time."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="z#{message_id}")
    expires = "until"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    until: int


class Counted(Entity, rename=STORED):
    """A record of the stream that was counted: it counts once, however often it comes."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="x#{event_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    event_id: str
    expiredat: int


class PublicCounted(Entity, rename=STORED):
    """The same, of a message to everyone."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="x#{event_id}")
    expires = "expiredat"

    tenant: Tenant
    inbox: InboxKey
    event_id: str
    expiredat: int


# Publishing


class Publish(Entity, rename=STORED):
    """One publishing: what is said, to how many, and how many have it."""

    keys = Keys(pk="t#{tenant}", sk="JOB#{message_id}")
    expires = "kept_until"

    tenant: Tenant
    message_id: InboxMessageId
    inbox: InboxKey
    state: PublishState
    recipients: int | None = None
    """None: everyone."""
    delivered: int = 0
    host_system_id: str | None = None
    sender: str = ""
    label: str | None = None
    category: str | None = None
    message: Content = Content()
    received: int = 0
    expiredat: int | None = msgspec.field(name="message_expiredat", default=None)
    """When the message expires; the publishing itself stays longer."""
    kept_until: int | None = None


class Chunk(Entity, rename=STORED):
    """Some of the people that a message is still to be delivered to."""

    keys = Keys(pk="t#{tenant}J#{message_id}", sk="CHUNK#{n:05}")
    expires = "kept_until"

    tenant: Tenant
    message_id: InboxMessageId
    n: int
    uids: list[UserId]
    kept_until: int


class HostClaim(Entity, rename=STORED):
    """Which message an id of the product's own system stands for."""

    keys = Keys(pk="t#{tenant}", sk="HOST#{inbox}#{host_hash}")
    expires = "kept_until"

    tenant: Tenant
    inbox: InboxKey
    host_hash: str
    message_id: InboxMessageId
    body_hash: str
    recipients: int | None = None
    kept_until: int | None = None


# The questions of the document

messages_to = Pattern(
    "S4.1", "What is there for this person, the newest first?", Held, newest_first=True, consistent=True
)
public_messages = Pattern(
    "S4.2", "What is there for everyone, the newest first?", PublicMessage, newest_first=True, consistent=True
)
counts_of = Pattern(
    "S4.3", "How much does this person have, in all and by category?", UserStats, CategoryStats, consistent=True
)
category_count_of = Lookup("S4.4", "How much does this person have of a category?", CategoryStats, consistent=True)
public_counts = Pattern(
    "S4.5", "How much is there for everyone, in all and by category?", PublicStats, PublicCategoryStats, consistent=True
)
tenant_settings = Lookup("S4.6", "What has this tenant set?", TenantSettings, consistent=True)
inbox_config = Lookup("S4.7", "What is this inbox, and how long do messages live?", InboxConfig, consistent=True)

# Beside those

inboxes_of = Pattern("INB.1", "Which inboxes has this tenant?", InboxConfig, consistent=True)
held_message = Lookup("INB.2", "What is this message to, or receipt of, this person?", Held, consistent=True)
public_message = Lookup("INB.3", "What is this message to everyone?", PublicMessage, consistent=True)
count_of = Lookup("INB.4", "How much does this person have in all?", UserStats, consistent=True)
held_public = Pattern("INB.5", "What is held for everyone, also after its time?", HeldPublic, consistent=True)
held_public_until = Pattern(
    "INB.6", "What is held for everyone up to an id?", HeldPublic, between=("m#", "m#{floor}"), consistent=True
)
publish_by_id = Lookup("INB.7", "How far is this publishing?", Publish, consistent=True)
chunk_of = Lookup("INB.8", "Who is in this part of the recipients?", Chunk, consistent=True)
chunks_of = Pattern("INB.9", "Who is a message still to be delivered to?", Chunk, consistent=True)
host_claim = Lookup("INB.10", "Which message does this host system id stand for?", HostClaim, consistent=True)
preferences_of = Pattern("INB.11", "Which categories has this person muted?", Preference)
snoozes_of = Pattern("INB.12", "What has this person snoozed?", Snooze)
everything_of = Pattern(
    "INB.13", "What has this person in this inbox?", Held, UserStats, CategoryStats, Preference, Snooze, Counted
)

# Writes

set_tenant = WritePattern("INB.20", "Set what holds for a tenant", TenantSettings)
set_inbox = WritePattern("INB.21", "Set up an inbox", InboxConfig)
publish_to_everyone = WritePattern(
    "INB.22", "Publish to everyone", PublicMessage, PublicStats, PublicCategoryStats, Publish, HostClaim
)
publish_to_some = WritePattern(
    "INB.23", "Publish to a few people", UserMessage, UserStats, CategoryStats, Publish, HostClaim
)
start_publish = WritePattern("INB.24", "Begin to publish to many people", Publish, Chunk, HostClaim)
deliver = WritePattern("INB.25", "Deliver to the next of many people", UserMessage, UserStats, CategoryStats, Publish)
clear_chunks = WritePattern("INB.26", "Forget recipients who have it", Chunk)
mark = WritePattern("INB.27", "Mark, archive or snooze messages", Held, ReadReceipt, UserStats, CategoryStats, Snooze)
mute = WritePattern("INB.28", "Mute a category, or hear of it again", Preference, CategoryStats)
settle = WritePattern(
    "INB.29", "Take out of the counts what has expired, and bring back what was snoozed", Held, UserStats, CategoryStats
)
set_floor = WritePattern("INB.30", "Write down from where on messages to everyone are a person's", UserStats)
count_expiry = WritePattern("INB.31", "Count a row that the store has removed", Counted, UserStats, CategoryStats)
clean_up = WritePattern("INB.32", "Take away what a deleted account left", Held, UserStats, Preference, Snooze)
