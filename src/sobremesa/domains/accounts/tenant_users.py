"""The users of a tenant, as the product's backend creates and changes them by their external ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.custom_data import DataChecks
from sobremesa.core.errors import Busy, NotFound, UnknownUsers
from sobremesa.domains.accounts.account_deletion import AccountDeletion
from sobremesa.domains.accounts.audit import tenant_scope
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.digest_listing import listed, relist
from sobremesa.domains.accounts.entities import AuditEntry, ExternalIdClaim, User, external_id_claim, upsert_user
from sobremesa.domains.accounts.errors import ExternalIdTaken, HasExternalId, UsernameTaken
from sobremesa.domains.accounts.external_ids import ExternalId, claim_external_id, require_external_id
from sobremesa.domains.accounts.names import derive_username, with_suffix
from sobremesa.domains.accounts.profiles import Profiles
from sobremesa.domains.accounts.revocation import Revocation
from sobremesa.domains.accounts.user_fields import UserFields, checked
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks
from sobremesa.table import Create, Put, absent_or_null, equals, present, set_to
from sobremesa.table.errors import BadKey, ConditionFailed

ATTEMPTS = 8
READ, WRITE = "users:read", "users:write"


class Upserted(NamedTuple):
    """A user after an upsert, whether it is new, and whether anything was written."""

    user: User
    is_new: bool
    is_changed: bool


class TenantUsers:
    """Creates, changes, disables and deletes the users of a tenant."""

    def __init__(
        self,
        context: AccountContext,
        profiles: Profiles,
        revocation: Revocation,
        account_deletion: AccountDeletion,
        data_checks: DataChecks,
    ) -> None:
        self._table = context.table
        self._clock = context.clock
        self._ids = context.ids
        self._directory = context.directory
        self._profiles = profiles
        self._revocation = revocation
        self._account_deletion = account_deletion
        self._audit = context.audit
        self._unclaimed = context.unclaimed
        self._data_checks = data_checks

    async def upsert_user(self, actor: Actor, tenant: Tenant, external_id: str, fields: UserFields) -> Upserted:
        """Create the user with this external id, or change the given fields; UsernameTaken if a name is not free.

        With `fields.user_id`, that user gets the external id: UnknownUsers if the tenant has no such user,
        ExternalIdTaken or HasExternalId if the id or the user is taken.
        """
        require_key(actor, tenant, WRITE)
        return await self.upsert(actor, tenant, external_id, fields)

    async def upsert(
        self, actor: Actor, tenant: Tenant, external_id: str, fields: UserFields, *, is_audited: bool = True
    ) -> Upserted:
        """Upsert a user for an actor who is authorized; a batch has one audit entry of its own."""
        wanted = require_external_id(external_id)
        fields = await checked(fields)
        if isinstance(fields.data, dict):
            await self._data_checks.check(tenant, "user", fields.data)
        auditor = actor if is_audited else None
        for attempt in range(ATTEMPTS):
            claim = await self._table.get(external_id_claim(tenant=tenant, external_id=wanted))
            try:
                if claim is not None and claim.ended_at is None:
                    user = await self._directory.get_user(claim.user_id)
                    if fields.user_id not in (None, user.user_id):
                        raise ExternalIdTaken
                    return await self._change(auditor, user, fields)
                if fields.user_id is not None:
                    return await self._link(actor, fields.user_id, wanted, fields, claim, is_audited=is_audited)
                user = self._new_user(tenant, wanted, fields, attempt, replaces=claim)
                return await self._create(auditor, user, replaces=claim)
            except ConditionFailed as failed:
                # Another request was first with the external id, the same rename, or the name.
                if fields.username is not UNSET and _is_name_taken(failed):
                    raise UsernameTaken from None
            except NotFound:
                continue  # it was deleted since the claim was read
        raise Busy

    async def get_tenant_user(self, actor: Actor, tenant: Tenant, external_id: str) -> User:
        """Return the user with this external id; NotFound if there is none."""
        require_key(actor, tenant, READ, WRITE)
        return await self._get(tenant, external_id)

    async def delete_user(self, actor: Actor, tenant: Tenant, external_id: str) -> None:
        """Delete a user, as the user could; the external id can be used for another user from then on."""
        require_key(actor, tenant, WRITE)
        user = await self._get(tenant, external_id)
        await self._account_deletion.delete(user, audit=self._entry(actor, "user.delete", user))

    async def disable_user(self, actor: Actor, tenant: Tenant, external_id: str) -> User:
        """Refuse all tokens and logins of a user until the user is enabled again."""
        require_key(actor, tenant, WRITE)
        user = await self._get(tenant, external_id)
        return await self._revocation.disable(user, self._entry(actor, "user.disable", user))

    async def enable_user(self, actor: Actor, tenant: Tenant, external_id: str) -> User:
        """Accept tokens and logins of a user again."""
        require_key(actor, tenant, WRITE)
        user = await self._get(tenant, external_id)
        return await self._revocation.enable(user, self._entry(actor, "user.enable", user))

    async def revoke_tokens(self, actor: Actor, tenant: Tenant, external_id: str) -> User:
        """Refuse all tokens of a user that were issued before now, and end all sessions."""
        require_key(actor, tenant, WRITE)
        user = await self._get(tenant, external_id)
        return await self._revocation.revoke(user, self._entry(actor, "user.revoke", user))

    async def _get(self, tenant: Tenant, external_id: str) -> User:
        try:
            claim = await self._table.get(external_id_claim(tenant=tenant, external_id=external_id))
        except BadKey:
            raise NotFound from None
        if claim is None or claim.ended_at is not None:
            raise NotFound
        return await self._directory.get_user(claim.user_id, tenant)

    async def _create(self, actor: Actor | None, user: User, *, replaces: ExternalIdClaim | None) -> Upserted:
        await self._unclaimed.claim(user.username, user.tenant)

        await self._table.write(
            external_id=_claim(user, user.created_at, replaces),
            username=claim_name(user.tenant, user.username, user.user_id),
            user=Create(user),
            lookalikes=lookalike_checks(user.tenant, user.username),
            audit=None if actor is None else self._entry(actor, "user.create", user),
            pattern=upsert_user,
        )

        return Upserted(user, is_new=True, is_changed=True)

    async def _link(
        self,
        actor: Actor,
        user_id: UserId,
        external_id: ExternalId,
        fields: UserFields,
        replaces: ExternalIdClaim | None,
        *,
        is_audited: bool,
    ) -> Upserted:
        """Give an external id to a user who has none, and write the fields."""
        try:
            user = await self._directory.get_user(user_id, actor.tenant)
        except (NotFound, BadKey):
            raise UnknownUsers(user_ids=[user_id]) from None
        if user.external_id is not None:
            raise HasExternalId
        if user.is_admin:
            actor.require_scope("admin")  # tokens of the product's issuer will be those of an administrator
        now = self._clock.now()
        name = user.username if fields.username is UNSET else fields.username
        # Tokens of a deleted user with this id were issued before now.
        revoked = {} if replaces is None else {"tokens_valid_after": now}
        linked = msgspec.structs.replace(user, external_id=external_id)
        relisted, same_choice = relist(user, fields.stored())
        unlinked = absent_or_null("external_id")

        written = await self._profiles.write(
            user,
            name,
            set_to(**fields.stored(), **revoked, external_id=external_id) + relisted,
            audit=self._entry(actor, "user.link", linked) if is_audited else None,
            when=unlinked if same_choice is None else unlinked & same_choice,
            external_id=_claim(linked, now, replaces),
            pattern=upsert_user,
        )

        return Upserted(written, is_new=False, is_changed=True)

    async def _change(self, actor: Actor | None, user: User, fields: UserFields) -> Upserted:
        """Write the fields that differ; the repeated upsert of an unchanged user costs no write."""
        name = user.username if fields.username is UNSET else fields.username
        changed = {field: value for field, value in fields.stored().items() if getattr(user, field) != value}
        names = [*(["username"] if name != user.username else []), *changed]
        if not names:
            return Upserted(user, is_new=False, is_changed=False)
        entry = None if actor is None else self._entry(actor, "user.update", user, names)

        relisted, same_choice = relist(user, changed)

        written = await self._profiles.write(
            user, name, set_to(**changed) + relisted, audit=entry, when=same_choice, pattern=upsert_user
        )

        return Upserted(written, is_new=False, is_changed=True)

    def _new_user(
        self,
        tenant: Tenant,
        external_id: ExternalId,
        fields: UserFields,
        attempt: int,
        *,
        replaces: ExternalIdClaim | None,
    ) -> User:
        now = self._clock.now()
        username = fields.username
        if username is UNSET:
            derived = derive_username(fields.display_name or external_id)
            username = derived if attempt == 0 else with_suffix(derived)
        user = User(
            user_id=UserId(self._ids.mint()),
            username=username,
            tenant=tenant,
            external_id=external_id,
            # Tokens of the deleted user with this id were issued before now.
            tokens_valid_after=None if replaces is None else now,
            created_at=now,
            updated_at=now,
            **fields.stored(),
        )
        return listed(user)

    def _entry(self, actor: Actor, action: str, user: User, fields: Sequence[str] = ()) -> Create[AuditEntry]:
        details = {"externalId": str(user.external_id)} | ({"fields": " ".join(fields)} if fields else {})
        return self._audit.entry(tenant_scope(user.tenant), actor, action, target=user.user_id, details=details)


def require_key(actor: Actor, tenant: Tenant, scope: str, *or_one_of: str) -> None:
    """Raise NotFound in another tenant, and Forbidden unless the actor has one of these scopes."""
    actor.require_tenant(tenant)
    actor.require_scope(scope, *or_one_of)


def _claim(user: User, now: Instant, replaces: ExternalIdClaim | None) -> Put[ExternalIdClaim]:
    """Return the operation that reserves the external id of a user; it may replace that of a deleted one."""
    claim = claim_external_id(user.tenant, str(user.external_id), user.user_id, now)
    if replaces is None:
        return claim
    return Put(claim.entity, when=equals("user_id", replaces.user_id) & present("ended_at"))


def _is_name_taken(failed: ConditionFailed) -> bool:
    """Return whether another user has the name, and not this one by a concurrent request."""
    # By the set of names: the two writes of an upsert have different operations.
    return not failed.names & {"external_id", "user"} and bool(failed.names & {"username", "claim", "lookalikes"})
