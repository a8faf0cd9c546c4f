"""Settings, messages, receipts and counts of inboxes: stored rows and access patterns.

Attributes have the names of the original design. Messages and receipts share one range of a user's partition. `Held`
reads that range including expired rows, which counting needs.
"""

from __future__ import annotations

from typing import Any, NewType

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.inboxes.contents import Audience, Content, Taxonomy
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern

InboxKey = NewType("InboxKey", str)
Category = NewType("Category", str)

PUBLIC = "$public"
"""The `uid` of broadcasts."""
MESSAGE = "UM"
RECALLED = "RC"
"""The kind of a message that was recalled: nobody sees or counts it, and no late delivery creates it again."""
STORED = {"tenant": "tenant_key", "inbox": "inbox_key", "user_id": "uid", "message_id": "id"}


# Settings


class TenantSettings(Entity, rename=STORED):
    """The inbox settings of a tenant."""

    keys = Keys(pk="t#{tenant}", sk="st#tenant_settings")

    tenant: Tenant
    kind: str = "TS"
    title: str | None = None
    ttl_text: str | None = msgspec.field(name="ttl", default=None)
    """The lifetime of messages, as text, so that the table does not treat it as a time to live."""
    user_id: str | None = None
    """The last writer."""


class InboxConfig(Entity, rename=STORED):
    """An inbox of a tenant, created by its first message at the latest."""

    keys = Keys(pk="t#{tenant}", sk="si#{inbox}")

    tenant: Tenant
    inbox: InboxKey
    kind: str = "IC"
    title: str | None = None
    description: str | None = None
    ttl_rules: dict[str, str] = msgspec.field(name="ttl", default_factory=dict)
    """The lifetime of messages: `default`, and by category."""
    body_schema: Any = msgspec.field(name="schema", default=None)
    user_id: str | None = None


# Messages and receipts


class Row(Entity, rename=STORED):
    """The fields that messages and receipts share."""

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
        return self.kind == MESSAGE

    @property
    def is_recalled(self) -> bool:
        return self.kind == RECALLED

    @property
    def is_hidden(self) -> bool:
        return self.archivedat is not None or self.snoozeduntil is not None


class Message(Row, rename=STORED):
    """The fields of every kind of message."""

    kind: str = "UM"
    host_system_id: str | None = None
    sender: str = ""
    audiences: Audience = Audience()
    received: int = 0
    """Epoch milliseconds at which it was accepted."""
    delivered: int = 0
    """Epoch milliseconds at which it was written here."""
    message: Content = Content()
    edition: int | None = None
    """How often its publisher had updated the message when this content was written."""


class ReadReceipt(Row, rename=STORED):
    """What a user did with a broadcast. It expires with the broadcast and is never listed as a message."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    expiredat: int | None = None


class UserMessage(Message, rename=STORED):
    """A user's copy of a message."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    expiredat: int | None = None


class PublicMessage(Message, rename=STORED):
    """A broadcast, stored once."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="m#{message_id}")
    expires = "expiredat"

    tenant: Tenant
    inbox: InboxKey
    message_id: InboxMessageId
    user_id: str = PUBLIC
    expiredat: int | None = None


class Held(Message, rename=STORED):
    """A message or receipt of a user, read also when expired. Without a kind it is a receipt."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="m#{message_id}")
    reads_expired = True

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    kind: str = "RR"
    # A float, so that the layout does not take it for the time-to-live attribute of the same name.
    expiredat: float | None = None


class HeldPublic(Message, rename=STORED):
    """A broadcast, read also when expired."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="m#{message_id}")
    reads_expired = True

    tenant: Tenant
    inbox: InboxKey
    message_id: InboxMessageId
    user_id: str = PUBLIC
    expiredat: float | None = None


# Counts


class Stats(Entity, rename=STORED):
    """Counts of rows: stored messages, read ones, and hidden ones (archived or snoozed, read or not)."""

    kind: str = "US"
    published: int = 0
    read: int = 0
    hidden: int = 0


class TotalStats(Stats, rename=STORED):
    """The count of a whole partition, and how far it is settled."""

    version: int | None = None
    """Grows with every change of a count in this partition."""
    next_expiry: int | None = None
    """Epoch seconds at which the next row of the partition expires or the next snooze ends."""
    recalls: int | None = None
    """How many broadcasts were recalled; of a user, with how many of these the counts are settled."""
    settled_at: int | None = None
    """Rows that expired up to this second are not counted, whether or not they still exist."""
    categories: frozenset[str] = frozenset()
    """The categories that have counts, so that their rows can be read by key."""
    lists_categories: bool | None = None
    """Whether none of them is missing: set when the counts are settled; absent before."""


class UserStats(TotalStats, rename=STORED):
    """The counts of a user in an inbox, and the floor of the broadcasts that they see."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="c#*")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    first_addressed: int | None = None
    """Epoch milliseconds of the first message that was addressed to this user."""
    floor: str | None = None
    """The user sees the broadcasts with greater ids."""
    base_until: int | None = None
    """Always 0: earlier versions stored the number of broadcasts up to the floor, and recounted it after this time."""


class CategoryStats(Stats, rename=STORED):
    """The counts of a user in one category, and whether they have muted it."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="c#{category}")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    category: Category
    muted: bool = False


class PublicStats(TotalStats, rename=STORED):
    """The count of broadcasts, and the id of the newest."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="c#*")

    tenant: Tenant
    inbox: InboxKey
    user_id: str = PUBLIC
    last_id: str | None = None


class PublicCategoryStats(Stats, rename=STORED):
    """The count of broadcasts in one category."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="c#{category}")

    tenant: Tenant
    inbox: InboxKey
    category: Category
    user_id: str = PUBLIC


class Preference(Entity, rename=STORED):
    """Whether a user has muted a category."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="p#{category}")

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    category: Category
    muted: bool = False


class Snooze(Entity, rename=STORED):
    """A message that a user has snoozed."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="z#{message_id}")
    expires = "until"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    message_id: InboxMessageId
    until: int


class Counted(Entity, rename=STORED):
    """Marks a stream record as counted, so that repeated records are ignored."""

    keys = Keys(pk="t#{tenant}U#{user_id}#{inbox}", sk="x#{event_id}")
    expires = "expiredat"

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey
    event_id: str
    expiredat: int


class PublicCounted(Entity, rename=STORED):
    """Marks a stream record of a broadcast as counted."""

    keys = Keys(pk="t#{tenant}G#$public#{inbox}", sk="x#{event_id}")
    expires = "expiredat"

    tenant: Tenant
    inbox: InboxKey
    event_id: str
    expiredat: int


# The access patterns of the original design, also where no service uses them

messages_to = Pattern(
    "S4.1", "Which messages does this user have, newest first?", Held, newest_first=True, consistent=True
)
public_messages = Pattern(
    "S4.2", "Which broadcasts are there, newest first?", PublicMessage, newest_first=True, consistent=True
)
counts_of = Pattern(
    "S4.3", "What are the counts of this user, in total and by category?", UserStats, CategoryStats, consistent=True
)
category_count_of = Lookup("S4.4", "What is the count of this user in a category?", CategoryStats, consistent=True)
public_counts = Pattern(
    "S4.5",
    "What are the counts of broadcasts, by category?",
    PublicStats,
    PublicCategoryStats,
    consistent=True,
)
tenant_settings = Lookup("S4.6", "What are the settings of this tenant?", TenantSettings, consistent=True)
inbox_config = Lookup("S4.7", "What are the settings of this inbox?", InboxConfig, consistent=True)

# Further access patterns

inboxes_of = Pattern("INB.1", "Which inboxes does this tenant have?", InboxConfig, consistent=True)
held_message = Lookup("INB.2", "What is this message or receipt of this user?", Held, consistent=True)
public_message = Lookup("INB.3", "What is this broadcast?", PublicMessage, consistent=True)
count_of = Lookup("INB.4", "What is the total of this user?", UserStats, consistent=True)
held_public = Pattern("INB.5", "Which broadcasts are stored, including expired ones?", HeldPublic, consistent=True)
preferences_of = Pattern("INB.11", "Which categories has this user muted?", Preference)
snoozes_of = Pattern("INB.12", "Which messages has this user snoozed?", Snooze)
everything_of = Pattern(
    "INB.13",
    "Which rows does this user have in an inbox?",
    Held,
    UserStats,
    CategoryStats,
    Preference,
    Snooze,
    Counted,
)

# Writes

set_tenant = WritePattern("INB.20", "Set the settings of a tenant", TenantSettings)
set_inbox = WritePattern("INB.21", "Set the settings of an inbox", InboxConfig)
mark = WritePattern("INB.27", "Mark, archive or snooze messages", Held, ReadReceipt, UserStats, CategoryStats, Snooze)
mute = WritePattern("INB.28", "Mute or unmute a category", Preference, CategoryStats)
settle = WritePattern("INB.29", "Settle counts: remove expired rows, end snoozes", Held, UserStats, CategoryStats)
set_floor = WritePattern("INB.30", "Set the broadcast floor of a user", UserStats)
count_expiry = WritePattern("INB.31", "Count a row that the store has expired", Counted, UserStats, CategoryStats)
clean_up = WritePattern("INB.32", "Delete the rows of a deleted account", Held, UserStats, Preference, Snooze)
