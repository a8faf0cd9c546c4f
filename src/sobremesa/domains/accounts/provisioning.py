"""Provisioning: users of another issuer are created with their first token."""

from __future__ import annotations

import secrets

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Unauthenticated
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.entities import ExternalIdentity, User, identity_by_key, provision
from sobremesa.domains.accounts.issuers import ExternalUser
from sobremesa.domains.accounts.names import MAX_USERNAME, derive_username
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks
from sobremesa.table import Create, Table, hash_part
from sobremesa.table.errors import ConditionFailed

ATTEMPTS = 8
SUFFIX_BYTES = 3


class Provisioning:
    """Finds the users of other issuers, and creates new ones."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, unclaimed: UnclaimedNames | None = None) -> None:
        self._table = table
        self._unclaimed = unclaimed or UnclaimedNames(table)
        self._clock = clock
        self._ids = ids

    async def find_or_create(self, external: ExternalUser) -> UserId:
        """Return the user of an external identity. Concurrent first requests create one user."""
        identity = hash_part(external.issuer, external.subject)
        for attempt in range(ATTEMPTS):
            known = await self._table.get(identity_by_key(identity=identity))
            if known is not None:
                if known.ended_at is not None:
                    raise Unauthenticated("This account was deleted.")
                return known.user_id
            user = self._new_user(external, identity, without_suffix=attempt == 0)
            await self._unclaimed.claim(user.username, user.tenant)
            try:
                await self._provision(user, identity, external.issuer)
            except ConditionFailed:
                # A concurrent request created the user, or the name is taken: retry with another name.
                continue
            return user.user_id
        raise Busy

    async def _provision(self, user: User, identity: str, issuer: str) -> None:
        await self._table.write(
            identity=Create(
                ExternalIdentity(identity=identity, user_id=user.user_id, issuer=issuer, created_at=user.created_at)
            ),
            username=claim_name(user.tenant, user.username, user.user_id),
            user=Create(user),
            lookalikes=lookalike_checks(user.tenant, user.username),
            pattern=provision,
        )

    def _new_user(self, external: ExternalUser, identity: str, *, without_suffix: bool) -> User:
        now = self._clock.now()
        username = derive_username(next(iter(external.names), ""))
        if not without_suffix:
            suffix = secrets.token_hex(SUFFIX_BYTES)
            username = f"{username[: MAX_USERNAME - len(suffix) - 1]}-{suffix}"
        return User(
            user_id=UserId(self._ids.mint()),
            username=username,
            tenant=external.tenant,
            identity=identity,
            created_at=now,
            updated_at=now,
        )
