"""The two kinds of partition in which rows are counted: of a user, and of broadcasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.inboxes.entities import (
    PUBLIC,
    STORED,
    CategoryStats,
    Counted,
    Held,
    HeldPublic,
    InboxKey,
    PublicCategoryStats,
    PublicCounted,
    PublicStats,
    UserStats,
    counts_of,
    held_public,
    messages_to,
    public_counts,
)
from sobremesa.domains.inboxes.message_counts import MessageCount
from sobremesa.table import (
    Condition,
    Key,
    Layout,
    Operation,
    Question,
    Upsert,
    absent_or_null,
    add,
    add_to_set,
    at_most,
    greater,
    set_if_absent,
    set_to,
)
from sobremesa.table.updates import Changes

HeldRow: TypeAlias = Held | HeldPublic
Total: TypeAlias = UserStats | PublicStats
InCategory: TypeAlias = CategoryStats | PublicCategoryStats


class PublicPartition(NamedTuple):
    """The broadcasts of an inbox."""

    tenant: Tenant
    inbox: InboxKey

    def parts(self) -> dict[str, str]:
        return {"tenant": self.tenant, "inbox": self.inbox}

    def fixed(self) -> dict[str, str]:
        return {"kind": "US", "user_id": PUBLIC}

    def total(self) -> Key[PublicStats]:
        return PublicStats.key(**self.parts())

    def category(self, category: str) -> Key[PublicCategoryStats]:
        return PublicCategoryStats.key(**self.parts(), category=category)

    def counts(self) -> Question[Any]:
        return public_counts(**self.parts())

    def rows(self) -> Question[HeldPublic]:
        return held_public(**self.parts())

    def nothing(self) -> PublicStats:
        return PublicStats(tenant=self.tenant, inbox=self.inbox)

    def marker(self, event_id: str, until: int) -> PublicCounted:
        return PublicCounted(tenant=self.tenant, inbox=self.inbox, event_id=event_id, expiredat=until)


class UserPartition(NamedTuple):
    """The rows of one user in an inbox."""

    tenant: Tenant
    user_id: UserId
    inbox: InboxKey

    @property
    def public(self) -> PublicPartition:
        return PublicPartition(self.tenant, self.inbox)

    def parts(self) -> dict[str, str]:
        return {"tenant": self.tenant, "user_id": self.user_id, "inbox": self.inbox}

    def fixed(self) -> dict[str, str]:
        return {"kind": "US"}

    def total(self) -> Key[UserStats]:
        return UserStats.key(**self.parts())

    def category(self, category: str) -> Key[CategoryStats]:
        return CategoryStats.key(**self.parts(), category=category)

    def counts(self) -> Question[Any]:
        return counts_of(**self.parts())

    def rows(self) -> Question[Held]:
        return messages_to(**self.parts())

    def nothing(self) -> UserStats:
        return UserStats(tenant=self.tenant, user_id=self.user_id, inbox=self.inbox)

    def marker(self, event_id: str, until: int) -> Counted:
        return Counted(tenant=self.tenant, user_id=self.user_id, inbox=self.inbox, event_id=event_id, expiredat=until)


Partition: TypeAlias = UserPartition | PublicPartition


def find_partition(item: Mapping[str, Any], layout: Layout) -> Partition | None:
    """Return the partition of a stored row; None if it is not a row of an inbox.

    It is parsed from the key. If the table stores keys in lower case, the attributes have the original spelling.
    """
    pk, spelling = item[layout.pk], layout.spelling
    lowered = spelling is not None
    for templates, partition in ((Held.keys.pk, UserPartition), (HeldPublic.keys.pk, PublicPartition)):
        parts = templates.parse(pk, lowered=lowered)
        if parts is None:
            continue
        for field, part in parts.items():
            value = item.get(STORED[field])
            if spelling is not None and isinstance(value, str) and spelling.key(value) == part:
                parts[field] = value
        return partition(**parts)  # type: ignore[arg-type]
    return None


def count_operations(
    partition: Partition,
    deltas: Mapping[str | None, MessageCount],
    *changes: Changes,
    when: Condition | None = None,
) -> Sequence[Operation]:
    """Return the operations that change a partition's counts: the total, with the condition, then each category.

    `deltas` has the changes by category, with None for rows without one; the total changes by their sum.
    """
    total = MessageCount()
    for delta in deltas.values():
        total = total.plus(delta)
    changed = [category for category, delta in deltas.items() if category is not None and delta.changes()]
    operations: list[Operation] = [
        Upsert(
            partition.total(),
            add(**total.changes(), version=1),
            add_to_set(categories=changed) if changed else (),
            set_if_absent(None, **partition.fixed()),
            *changes,
            when=when,
        )
    ]
    operations += [
        Upsert(
            partition.category(category), add(**deltas[category].changes()), set_if_absent(None, **partition.fixed())
        )
        for category in changed
    ]
    return operations


class ExpiryChange(NamedTuple):
    """The change of a total's next expiry, and its condition."""

    changes: Changes
    when: Condition | None


def advance_next_expiry(known: int | None, at: int | None) -> ExpiryChange:
    """Return the change to a next expiry of at most `at`; its condition fails if `known` is outdated."""
    if at is None:
        return ExpiryChange((), None)
    if known is not None and known <= at:
        return ExpiryChange((), at_most("next_expiry", at))
    return ExpiryChange(set_to(next_expiry=at), absent_or_null("next_expiry") | greater("next_expiry", at))


def assume_next_expiry(at: int | None) -> ExpiryChange:
    """Return the same change without a read, assuming the common case of no next expiry or an earlier one."""
    if at is None:
        return ExpiryChange((), None)
    return ExpiryChange(set_if_absent(next_expiry=at), absent_or_null("next_expiry") | at_most("next_expiry", at))


def next_expiry_in(item: Mapping[str, Any] | None) -> int | None:
    """Return the next expiry of a stored total."""
    found = None if item is None else item.get("next_expiry")
    return None if found is None else int(found)
