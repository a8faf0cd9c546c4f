"""Usernames are unique in a tenant: which row reserves a name.

The documents have `UNAME#{username}`, without a tenant. Users of the default tenant keep that key; those of another
tenant have one that starts with the tenant.
"""

from __future__ import annotations

from sobremesa.core.actor import DEFAULT_TENANT, Tenant, UserId
from sobremesa.domains.accounts.entities import (
    TenantUsernameClaim,
    UsernameClaim,
    tenant_username_claim,
    username_claim,
)
from sobremesa.domains.accounts.names import folded, lookalike_of
from sobremesa.table import Check, Create, Key, absent


def name_key(tenant: Tenant, username: str) -> Key[UsernameClaim]:
    """Return the key of the row that reserves a name in a tenant; BadKey if it cannot be a name."""
    name = folded(username.strip())
    if tenant == DEFAULT_TENANT:
        return username_claim(username=name)
    return tenant_username_claim(tenant=tenant, username=name)


def claim_name(tenant: Tenant, username: str, user_id: UserId) -> Create[UsernameClaim]:
    """Return the operation that reserves a name, which fails if another user has it."""
    name = folded(username.strip())
    if tenant == DEFAULT_TENANT:
        return Create(UsernameClaim(username=name, user_id=user_id))
    return Create(TenantUsernameClaim(tenant=tenant, username=name, user_id=user_id))


def lookalike_checks(tenant: Tenant, username: str) -> list[Check[UsernameClaim]]:
    """Return the check that the Latin name that this one looks like is free."""
    lookalike = lookalike_of(username)
    return [] if lookalike is None else [Check(name_key(tenant, lookalike), when=absent())]
