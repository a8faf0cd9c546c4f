"""When an invite can be used: one rule for reads and, as a condition, for the write that uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.domains.invites.entities import InviteRow
from sobremesa.table import (
    Condition,
    Key,
    Update,
    absent_or_null,
    add,
    attribute,
    differs,
    greater,
    has_kind,
    less,
    set_to,
)


def is_over(invite: InviteRow, now: Instant) -> bool:
    """Return whether an invite was revoked or has expired."""
    return invite.revoked or (invite.expires_at is not None and invite.expires_at <= now)


def is_open(invite: InviteRow, now: Instant) -> bool:
    """Return whether an invite can be used now."""
    is_used_up = invite.max_uses is not None and invite.uses >= invite.max_uses
    return not is_used_up and not is_over(invite, now)


SHARES = 64
"""Into how many rows the uses of an invite are divided at most: 1,000 users a second seldom meet in one."""
USES_OF_SHARE = 16


def shares_of(max_uses: int | None) -> list[int]:
    """Return how many uses each share of a new invite has; none if it has no limit, or few uses."""
    count = min(SHARES, (max_uses or 0) // USES_OF_SHARE)
    if max_uses is None or count < 2:
        return []
    each, more = divmod(max_uses, count)
    return [each + (number < more) for number in range(count)]


def use_share(key: Key[Any]) -> Update[Any]:
    """Take one use of a share, on the condition that one is left."""
    return Update(key, add(left=-1), when=greater("left", 0))


def use(key: Key[Any], now: Instant, *, is_null: bool = False) -> Update[Any]:
    """Count one use, on the condition that one is left.

    `is_null` is for a row whose `uses` another writer stored as NULL: DynamoDB cannot add to that, so the first use
    replaces it. The item of a failed condition shows which of the two a row needs (`has_null_uses`).
    """
    if is_null:
        return Update(key, set_to(uses=1), when=_may_be_used(now) & has_kind("uses", "NULL"))
    return Update(key, add(uses=1), when=_may_be_used(now) & ~has_kind("uses", "NULL"))


def has_null_uses(item: Mapping[str, Any]) -> bool:
    """Return whether `uses` is NULL in a stored row."""
    return "uses" in item and item["uses"] is None


def _may_be_used(now: Instant) -> Condition:
    return (
        (absent_or_null("expires_at") | greater("expires_at", now))
        & (absent_or_null("max_uses") | absent_or_null("uses") | less("uses", attribute("max_uses")))
        & differs("revoked", True)
    )
