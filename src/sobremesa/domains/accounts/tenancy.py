"""The tenant of users, as other domains check it before they add a user to something.

A user never changes tenants, so a tenant that was read once stays true. What can change is whether the user still
exists: where that matters, `exists_in` checks both in the transaction that adds the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from sobremesa.core.actor import DEFAULT_TENANT, Tenant, UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.accounts.entities import User, user_by_id
from sobremesa.table import Condition, Table, absent_or_null, equals, present

BATCH = 100
"""The keys of one read: as many as a request to DynamoDB has."""
BATCHES_AT_ONCE = 4


def exists_in(tenant: Tenant) -> Condition:
    """Return the condition that a user exists in a tenant and is not deleted."""
    same = equals("tenant", tenant)
    if tenant == DEFAULT_TENANT:
        same |= absent_or_null("tenant")  # rows of other writers have none
    return present() & absent_or_null("deleted_at") & same


def is_person() -> Condition:
    """Return the condition that a user is not a bot, which owns nothing."""
    return absent_or_null("is_bot") | equals("is_bot", False)


def belongs_to(user: User | None, tenant: Tenant) -> bool:
    """Return whether a user exists in a tenant and is not deleted: the rule of `exists_in`, for a row that was read."""
    return user is not None and user.deleted_at is None and user.tenant == tenant


async def list_unknown(table: Table, tenant: Tenant, user_ids: Sequence[UserId]) -> list[UserId]:
    """Return those of the ids that are no users of a tenant, in order.

    The reads are eventually consistent, each of one batch, and other tasks run between them. What they do not find is
    read again consistently: a backend may create users and then name them at once.
    """

    async def unknown_in(batch: Sequence[UserId], *, consistent: bool = False) -> list[UserId]:
        keys = [user_by_id(user_id=user_id) for user_id in batch]
        users = await table.get_many(keys, consistent=consistent)
        unknown = [user_id for user_id, user in zip(batch, users, strict=True) if not belongs_to(user, tenant)]
        return unknown if consistent or not unknown else await unknown_in(unknown, consistent=True)

    batches = [user_ids[start : start + BATCH] for start in range(0, len(user_ids), BATCH)]
    return list(chain.from_iterable(await gather_bounded(BATCHES_AT_ONCE, unknown_in, batches)))
