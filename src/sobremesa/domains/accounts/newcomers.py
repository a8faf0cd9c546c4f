"""Newcomers: people of another issuer become people here at first sight."""

from __future__ import annotations

import secrets

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Unauthenticated
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.entities import ExternalIdentity, User, UsernameClaim, identity_by_key, provision
from sobremesa.domains.accounts.issuers import Foreigner
from sobremesa.domains.accounts.names import MAX_USERNAME, folded, made_username
from sobremesa.domains.accounts.registration import free_twin
from sobremesa.domains.accounts.unclaimed import UnclaimedNames
from sobremesa.table import Create, Table, hash_part
from sobremesa.table.errors import ConditionFailed

ATTEMPTS = 8
SUFFIX_BYTES = 3


class Newcomers:
    """Knows the people of other issuers, and makes those who are new."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, unclaimed: UnclaimedNames | None = None) -> None:
        self._table = table
        self._unclaimed = unclaimed or UnclaimedNames(table)
        self._clock = clock
        self._ids = ids

    async def user_id_of(self, foreigner: Foreigner) -> UserId:
        """Who this is here: made on first sight, once however many requests come at once."""
        identity = hash_part(foreigner.issuer, foreigner.subject)
        for attempt in range(ATTEMPTS):
            known = await self._table.get(identity_by_key(identity=identity))
            if known is not None:
                if known.ended_at is not None:
                    raise Unauthenticated("This account was deleted.")
                return known.user_id
            user = self._new_user(foreigner, identity, named_alone=attempt == 0)
            await self._unclaimed.settle(user.username)
            try:
                await self._provision(user, identity, foreigner.issuer)
            except ConditionFailed:
                # Another request met this person first, or the name is taken: look again, with another name.
                continue
            return user.user_id
        raise Busy

    async def _provision(self, user: User, identity: str, issuer: str) -> None:
        await self._table.write(
            Create(
                ExternalIdentity(identity=identity, user_id=user.user_id, issuer=issuer, created_at=user.created_at)
            ),
            Create(UsernameClaim(username=folded(user.username), user_id=user.user_id)),
            Create(user),
            *free_twin(user.username),
            pattern=provision,
        )

    def _new_user(self, foreigner: Foreigner, identity: str, *, named_alone: bool) -> User:
        now = self._clock.now()
        username = made_username(next(iter(foreigner.names), ""))
        if not named_alone:
            suffix = secrets.token_hex(SUFFIX_BYTES)
            username = f"{username[: MAX_USERNAME - len(suffix) - 1]}-{suffix}"
        return User(
            user_id=UserId(self._ids.mint()),
            username=username,
            tenant=foreigner.tenant,
            identity=identity,
            created_at=now,
            updated_at=now,
        )
