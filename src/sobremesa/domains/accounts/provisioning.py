"""Provisioning: users of another issuer are created with their first token.

The subject of a token is the external id of its user, so that a backend can create the user before that. The claim of
the external id is created once, by the first of the two, and the other finds it.
"""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.entities import (
    ExternalIdClaim,
    ExternalIdentity,
    User,
    external_id_claim,
    identity_by_key,
    provision,
    user_by_id,
)
from sobremesa.domains.accounts.errors import TokenRefused
from sobremesa.domains.accounts.external_ids import claim_external_id, is_external_id
from sobremesa.domains.accounts.issuers import ExternalUser
from sobremesa.domains.accounts.names import derive_username, with_suffix
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks
from sobremesa.table import (
    Check,
    Create,
    Key,
    Put,
    Table,
    Update,
    absent,
    absent_or_null,
    add_to_set,
    equals,
    hash_part,
    present,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

ATTEMPTS = 8


class Known(NamedTuple):
    """What is stored of a subject: the identity of its issuer, and the claim of its external id."""

    identity: ExternalIdentity | None
    claim: ExternalIdClaim | None


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
            known = await self._load(external, identity)
            try:
                return await self._user_of(external, identity, known, attempt)
            except ConditionFailed:
                # A concurrent request created the user, or the name is taken: retry with another name.
                continue
        raise Busy

    async def _user_of(self, external: ExternalUser, identity: str, known: Known, attempt: int) -> UserId:
        current, claim = known
        if current is not None and current.ended_at is None:
            if claim is None and _maps(external):
                await self._claim_later(external, current.user_id)
            return current.user_id
        if claim is not None and claim.ended_at is None:
            await self._link(external, identity, claim, replaces=current)
            return claim.user_id
        if current is not None or claim is not None:
            raise TokenRefused("deleted_user", "This account was deleted.", issuer=external.issuer)
        return await self._create(external, identity, attempt)

    async def _load(self, external: ExternalUser, identity: str) -> Known:
        keys: list[Key[ExternalIdentity] | Key[ExternalIdClaim]] = [identity_by_key(identity=identity)]
        if _maps(external):
            keys.append(external_id_claim(tenant=external.tenant, external_id=external.subject))
        rows = await self._table.get_many(keys, consistent=True)
        return Known(
            next((row for row in rows if isinstance(row, ExternalIdentity)), None),
            next((row for row in rows if isinstance(row, ExternalIdClaim)), None),
        )

    async def _link(
        self, external: ExternalUser, identity: str, claim: ExternalIdClaim, *, replaces: ExternalIdentity | None
    ) -> None:
        """Write the identity of a user whom the backend has created, or another issuer of the tenant.

        An ended identity is replaced: the backend has created the user again. Old tokens stay revoked.
        """
        row = ExternalIdentity(
            identity=identity, user_id=claim.user_id, issuer=external.issuer, created_at=self._clock.now()
        )
        await self._table.write(
            identity=Put(row, when=absent() if replaces is None else present("ended_at")),
            claim=Check(claim.own_key(), when=equals("user_id", claim.user_id) & absent_or_null("ended_at")),
            user=Update(
                User.key(user_id=claim.user_id),
                add_to_set(identities=[identity]),
                when=absent_or_null("deleted_at"),
            ),
            pattern=provision,
        )

    async def _claim_later(self, external: ExternalUser, user_id: UserId) -> None:
        """Claim the external id of a user who was created without one, by an earlier version or setting."""
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or user.deleted_at is not None or user.external_id is not None:
            return
        if user.tenant != external.tenant:
            return  # the token is refused
        claim = claim_external_id(external.tenant, external.subject, user_id, self._clock.now())
        changed = set_to(external_id=external.subject)
        unclaimed = absent_or_null("deleted_at") & absent_or_null("external_id")
        await self._table.write(claim=claim, user=Update(user.own_key(), changed, when=unclaimed), pattern=provision)

    async def _create(self, external: ExternalUser, identity: str, attempt: int) -> UserId:
        user = self._new_user(external, identity, without_suffix=attempt == 0)
        await self._unclaimed.claim(user.username, user.tenant)
        claims = []
        if user.external_id is not None:
            claims.append(claim_external_id(user.tenant, user.external_id, user.user_id, user.created_at))
        row = ExternalIdentity(
            identity=identity, user_id=user.user_id, issuer=external.issuer, created_at=user.created_at
        )
        await self._table.write(
            identity=Create(row),
            external_id=claims,
            username=claim_name(user.tenant, user.username, user.user_id),
            user=Create(user),
            lookalikes=lookalike_checks(user.tenant, user.username),
            pattern=provision,
        )
        return user.user_id

    def _new_user(self, external: ExternalUser, identity: str, *, without_suffix: bool) -> User:
        now = self._clock.now()
        username = derive_username(next(iter(external.names), ""))
        return User(
            user_id=UserId(self._ids.mint()),
            username=username if without_suffix else with_suffix(username),
            tenant=external.tenant,
            external_id=external.subject if _maps(external) else None,
            identity=identity,
            created_at=now,
            updated_at=now,
        )


def _maps(external: ExternalUser) -> bool:
    """Return whether the subject is the external id of its user."""
    return external.maps_subject and is_external_id(external.subject)
