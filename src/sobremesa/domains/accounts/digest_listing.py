"""Lists the users of a tenant who can receive digests: those with an address who have not turned digests off.

The list is a sparse index over the rows of users, in shards, so that no sign-up waits for a partition that all share.
Every write that changes the address or the choice also sets the shard, on the condition that the other is unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import msgspec

from sobremesa.domains.accounts.entities import DIGEST_SHARDS, DigestChoice, User
from sobremesa.table import Condition, Entity, Update, absent_or_null, equals, set_to
from sobremesa.table.updates import Changes


def shard_of(user: User) -> int | None:
    """Return the shard that a user is listed in; None if the user cannot receive digests."""
    if user.deleted_at is not None or user.is_bot or user.digest_choice == "off":
        return None
    if user.email is None and user.contact_email is None:
        return None
    return crc32(user.user_id.encode()) % DIGEST_SHARDS


def listed(user: User) -> User:
    """Return a new user with the shard."""
    return msgspec.structs.replace(user, digest_shard=shard_of(user))


def listing(user: User, **changed: Any) -> Changes:
    """Return what lists a user who will have these fields, or removes them from the list."""
    return set_to(tenant=user.tenant, digest_shard=shard_of(msgspec.structs.replace(user, **changed)))


def relist(user: User, stored: Mapping[str, Any]) -> tuple[Changes, Condition | None]:
    """Return what lists a user as the new address requires, and its condition; nothing if no address is given."""
    if "contact_email" not in stored:
        return (), None
    return listing(user, contact_email=stored["contact_email"]), is_unchanged(user, "digest_choice")


def set_choice(user: User, choice: DigestChoice | None) -> Update[User]:
    """Return the operation that stores the choice of a user, and lists them or not."""
    return Update(
        user.own_key(),
        set_to(digest_choice=choice),
        listing(user, digest_choice=choice),
        when=absent_or_null("deleted_at") & is_unchanged(user, "contact_email"),
    )


def is_unchanged(row: Entity, field: str) -> Condition:
    """Return the condition that a field is as it was read."""
    value = getattr(row, field)
    return absent_or_null(field) if value is None else equals(field, value)
