"""Account deletion: one transaction that empties the profile, then a job that removes the rest of the user's data."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import DELETED_NAME, UserId
from sobremesa.core.clock import instant
from sobremesa.core.errors import Clash
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.deletion_hooks import JOB, JobQueue, PendingDeletions, UserDataOfDomains
from sobremesa.domains.accounts.digest_listing import listing
from sobremesa.domains.accounts.entities import (
    AuditEntry,
    Credential,
    EmailClaim,
    ExternalIdClaim,
    ExternalIdentity,
    PasswordReset,
    User,
    UsernameClaim,
    blocks_of,
    credential_of,
    delete_account,
    delete_user_data,
    email_claim,
    external_id_claim,
    identity_by_key,
    user_by_id,
)
from sobremesa.domains.accounts.errors import WrongPassword
from sobremesa.domains.accounts.recovery import Recovery
from sobremesa.domains.accounts.username_claims import name_key
from sobremesa.table import (
    Create,
    Delete,
    Key,
    Operation,
    Update,
    absent_or_null,
    equals,
    remove,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

IDENTITY_TOMBSTONE_SECONDS = 24 * 3600
"""How long the tokens of another issuer are refused for a deleted user, instead of creating the user again."""


class AccountDeletion:
    """Deletes accounts."""

    def __init__(
        self,
        context: AccountContext,
        recovery: Recovery,
        jobs: JobQueue,
        pending_deletions: PendingDeletions,
        domains: UserDataOfDomains,
    ) -> None:
        self._table = context.table
        self._clock = context.clock
        self._sessions = context.sessions
        self._actor_cache = context.actor_cache
        self._recovery = recovery
        self._jobs = jobs
        self._pending_deletions = pending_deletions
        self._domains = domains

    async def start(self, user: User, password: str | None) -> None:
        """Delete an account by its user, who confirms it with the password."""
        await self._check_password(user, password)
        await self.delete(user)

    async def delete(self, user: User, *, audit: Create[AuditEntry] | None = None) -> None:
        """Empty the profile and queue the removal of the rest; refused while a domain objects."""
        for domain in self._domains():
            refusal = await domain.find_objection(user.user_id)
            if refusal is not None:
                raise refusal
        removals = await self._removals(user)

        try:
            await self._table.write(
                user=self._tombstone(user),
                removals=removals,
                pending=self._pending_deletions.adding(user.user_id),
                job=self._jobs.new(JOB, user.user_id),
                audit=audit,
                pattern=delete_account,
            )
        except ConditionFailed:
            raise Clash("The account changed during the request. Try again.") from None
        finally:
            self._actor_cache.invalidate(user.user_id)
            self._pending_deletions.invalidate()

        self._jobs.nudge()

    async def finish(self, user_id: UserId) -> None:
        """Remove all data of a deleted user. It can be interrupted anywhere and repeated."""
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or user.deleted_at is None:
            return
        await self._sessions.end_all(user_id)
        blocks = [block async for block in self._table.every(blocks_of(user_id=user_id))]
        deletes: list[Delete[Any]] = [Delete(block.own_key()) for block in blocks]
        deletes.append(Delete(PasswordReset.key(user_id=user_id)))
        await self._table.write_many(deletes, pattern=delete_user_data)
        for domain in self._domains():
            await domain.delete_user_data(user_id)
        await self._pending_deletions.end(user_id)

    async def _check_password(self, user: User, password: str | None) -> None:
        """Require the password if there is one: an open session on a shared device must not be enough."""
        if await self._recovery.find_hash(user) is None:
            return
        if password is None:
            raise WrongPassword("Enter your password to delete the account.")
        await self._recovery.require_password(user, password)

    def _tombstone(self, user: User) -> Update[User]:
        now = self._clock.now()
        # A legacy hash that has just moved to a credential would leave that credential behind.
        old = user.password_hash
        unchanged = absent_or_null("password_hash") if old is None else equals("password_hash", old)
        # So would an external id that the user has just got leave its claim behind.
        external = user.external_id
        unchanged &= absent_or_null("external_id") if external is None else equals("external_id", external)
        return Update(
            user.own_key(),
            set_to(username=DELETED_NAME, email=None, updated_at=now, deleted_at=now),
            listing(user, deleted_at=now),
            remove("avatar_url", "password_hash", "is_admin", "identity", "identities", "external_id"),
            remove("display_name", "contact_email", "data", "locale", "time_zone", "digest_choice"),
            when=absent_or_null("deleted_at") & equals("username", user.username) & unchanged,
        )

    async def _removals(self, user: User) -> list[Operation]:
        """Return the deletes of the credential and the claims, if there are any: an older table has none."""
        credential: Key[Credential] = credential_of(user_id=user.user_id)
        username: Key[UsernameClaim] = name_key(user.tenant, user.username)
        keys: list[Key[Credential] | Key[UsernameClaim] | Key[EmailClaim]] = [credential, username]
        if user.email is not None:
            keys.append(email_claim(email=user.email))
        found = await self._table.get_many(keys, consistent=True)
        return [
            Delete(row.own_key(), when=equals("user_id", user.user_id))
            for row in found
            if isinstance(row, Credential | UsernameClaim | EmailClaim) and row.user_id == user.user_id
        ] + await self._endings(user)

    async def _endings(self, user: User) -> list[Operation]:
        """Return what marks the identities and the external id as deleted until old tokens have expired."""
        identities = {*user.identities, *filter(None, [user.identity])}
        keys: list[Key[ExternalIdentity] | Key[ExternalIdClaim]] = [
            identity_by_key(identity=identity) for identity in sorted(identities)
        ]
        if user.external_id is not None:
            keys.append(external_id_claim(tenant=user.tenant, external_id=user.external_id))
        now = self._clock.now_ms()
        ended = set_to(ended_at=instant(now), expires_at=now // 1000 + IDENTITY_TOMBSTONE_SECONDS)
        still = equals("user_id", user.user_id) & absent_or_null("ended_at")
        return [
            Update(row.own_key(), ended, when=still)
            for row in await self._table.get_many(keys, consistent=True)
            if isinstance(row, ExternalIdentity | ExternalIdClaim) and row.user_id == user.user_id
        ]
