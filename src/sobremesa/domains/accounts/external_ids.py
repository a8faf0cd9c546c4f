"""External ids: the ids that users have in the product, unique in a tenant."""

from __future__ import annotations

from typing import NewType

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import ExternalIdClaim
from sobremesa.domains.accounts.errors import invalid
from sobremesa.table import Create
from sobremesa.table.errors import BadKey
from sobremesa.table.keys import check_part

ExternalId = NewType("ExternalId", str)
MAX_EXTERNAL_ID = 128


def is_external_id(text: str) -> bool:
    """Return whether a text can be an external id: 1 to 128 characters, valid as a part of a key."""
    try:
        check_part("externalId", text)
    except BadKey:
        return False
    return len(text) <= MAX_EXTERNAL_ID


def require_external_id(text: str) -> ExternalId:
    """Return a text as an external id; Invalid if it cannot be one."""
    if not is_external_id(text):
        raise invalid(
            "externalId",
            f"Expected 1 to {MAX_EXTERNAL_ID} characters without '#', control characters and a leading '$'",
        )
    return ExternalId(text)


def claim_external_id(tenant: Tenant, external_id: str, user_id: UserId, now: Instant) -> Create[ExternalIdClaim]:
    """Return the operation that reserves an external id, which fails if another user has it."""
    return Create(ExternalIdClaim(tenant=tenant, external_id=external_id, user_id=user_id, created_at=now))
