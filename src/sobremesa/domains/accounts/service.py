"""Accounts: registration, login, profiles, blocks, passwords and deletion.

`password_accounts`, `sessions`, `tenant_users` and `account_deletion` implement the longer operations.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from sobremesa.core.actor import Actor, SessionId, Tenant, UserId
from sobremesa.core.custom_data import DataChecks
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.account_deletion import AccountDeletion
from sobremesa.domains.accounts.acting import Acting
from sobremesa.domains.accounts.audit import OPERATOR, SYSTEM_SCOPE, tenant_scope
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.domains.accounts.blocks import Blocks
from sobremesa.domains.accounts.bot_accounts import BotAccounts
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.deletion_hooks import JobQueue, PendingDeletions, UserDataOfDomains
from sobremesa.domains.accounts.entities import (
    Session,
    User,
    grant_admin,
    record_act,
)
from sobremesa.domains.accounts.errors import LogoutUnavailable
from sobremesa.domains.accounts.exporting import export_user
from sobremesa.domains.accounts.names import normal_email
from sobremesa.domains.accounts.password_accounts import PasswordAccounts
from sobremesa.domains.accounts.profiles import Profiles
from sobremesa.domains.accounts.revocation import Revocation
from sobremesa.domains.accounts.server_keys import ServerKeys
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.accounts.tenant_users import TenantUsers
from sobremesa.domains.accounts.user_batches import UserBatches
from sobremesa.http.large_requests import LargeRequests
from sobremesa.table import (
    Page,
    Update,
    absent_or_null,
    set_to,
)


class Accounts:
    """The users of one table."""

    def __init__(
        self,
        context: AccountContext,
        *,
        passwords: PasswordAccounts,
        jobs: JobQueue,
        authentication: Authentication,
        server_keys: ServerKeys,
        bots: BotAccounts,
        domains: UserDataOfDomains,
        data_checks: DataChecks,
    ) -> None:
        table, directory = context.table, context.directory
        self._table, self._clock, self._keyring = table, context.clock, context.keyring
        self._actor_cache, self._audit, self._sessions = context.actor_cache, context.audit, context.sessions
        self._domains, self._large_requests = domains, LargeRequests()
        self.server_keys, self.bots = server_keys, bots
        self.authenticate, self.authenticate_until = authentication.authenticate, authentication.authenticate_until
        self.act_as = Acting(table, context.audit, directory.find_by_external_ids).act_as

        self.get_me, self.get_user, self.find_tenant = directory.get_me, directory.get_user, directory.find_tenant
        self.find_by_email, self.find_by_username = directory.find_by_email, directory.find_by_username
        self.find_by_usernames, self.profiles = directory.find_by_usernames, directory.profiles
        self.find_by_external_ids, self.require_users = directory.find_by_external_ids, directory.require_users
        profiles, blocks = Profiles(context), Blocks(context)
        self.change_profile = profiles.change_profile
        self.block, self.unblock = blocks.block, blocks.unblock
        self.get_block, self.list_blocks, self.has_blocked = blocks.get_block, blocks.list_blocks, blocks.has_blocked

        self._passwords = passwords
        self.register, self.login = passwords.register, passwords.login
        self.ask_registration, self.confirm_registration = passwords.ask_registration, passwords.confirm_registration
        self.change_password = passwords.change_password
        self.ask_reset, self.confirm_reset = passwords.ask_reset, passwords.confirm_reset

        self._revocation = Revocation(context)
        self.pending_deletions = PendingDeletions(table, context.clock)
        self._account_deletion = AccountDeletion(context, passwords.recovery, jobs, self.pending_deletions, domains)
        users = TenantUsers(context, profiles, self._revocation, self._account_deletion, data_checks)
        self.get_tenant_user, self.upsert_user = users.get_tenant_user, users.upsert_user
        self.delete_user, self.revoke_tokens = users.delete_user, users.revoke_tokens
        self.disable_user, self.enable_user = users.disable_user, users.enable_user
        self.upsert_users = UserBatches(table, users, context.audit).upsert_users

    async def prepare(self) -> None:
        """Do in advance what would make the first login slower than others."""
        self._passwords.prepare()

    async def close(self) -> None:
        """Finish the work that runs after responses."""
        await self._passwords.close()

    # Sessions

    async def refresh(self, refresh_token: str) -> SignedIn:
        """Return the next pair of tokens; if this token was used before, end the session and raise SessionEnded."""
        return await self._sessions.refresh(refresh_token)

    async def logout(self, actor: Actor) -> None:
        """End the session of the actor; for a user of another issuer, revoke all tokens issued before now.

        LogoutUnavailable if the actor has neither a session nor a token with a time of issue.
        """
        if actor.session_id is not None:
            with contextlib.suppress(NotFound):
                await self._sessions.end(actor.user_id, actor.session_id)
        elif actor.token_issued_ms is not None:
            await self._revocation.log_out(actor)
        else:
            raise LogoutUnavailable

    async def list_sessions(self, actor: Actor, *, limit: int = 50, cursor: str | None = None) -> Page[Session]:
        """Return a page of the actor's sessions."""
        return await self._sessions.list_sessions(actor.user_id, limit=limit, cursor=cursor)

    async def end_session(self, actor: Actor, session_id: SessionId) -> None:
        """End one of the actor's sessions; NotFound if there is none."""
        await self._sessions.end(actor.user_id, session_id)

    # Users

    async def users_being_deleted(self) -> frozenset[UserId]:
        """Return the users whose deletion is running, whose names must be masked."""
        return await self.pending_deletions.user_ids()

    async def grant_admin(self, username_or_email: str, *, granted: bool = True, tenant: Tenant | None = None) -> User:
        """Grant or revoke administrator rights; NotFound if there is no such user.

        A username is searched in a tenant; None is that of users who register.
        """
        user = await self._find_by_either(username_or_email, tenant)
        if user is None:
            raise NotFound(f"There is no user {username_or_email}.")

        action = "admin.grant" if granted else "admin.revoke"
        await self._table.write(
            user=Update(
                User.key(user_id=user.user_id),
                set_to(is_admin=granted or None, updated_at=self._clock.now()),
                when=absent_or_null("deleted_at"),
            ),
            audit=self._audit.entry(tenant_scope(user.tenant), OPERATOR, action, target=user.user_id),
            pattern=grant_admin,
        )

        self._actor_cache.invalidate(user.user_id)
        return await self.get_user(user.user_id)

    async def rotate_signing_key(self) -> str:
        """Create a new signing key and return its id. With a key file, the audit entry is written after it."""
        kid = await self._keyring.rotate()
        entry = self._audit.entry(SYSTEM_SCOPE, OPERATOR, "signing_key.rotate", target=kid)
        await self._table.write(entry, pattern=record_act)
        return kid

    # Deletion and export

    async def delete_me(self, actor: Actor, *, password: str | None = None) -> None:
        """Delete the actor's account: sessions end at once, other data is removed in the background."""
        with self._large_requests.one_at_a_time(actor.user_id):
            await self._account_deletion.start(await self.get_me(actor), password)

    async def delete_bot(self, user_id: UserId) -> None:
        """Delete the account of a bot, as users delete their own; NotFound if there is no such bot."""
        user = await self.get_user(user_id)
        if not user.is_bot:
            raise NotFound
        await self._account_deletion.start(user, None)

    async def finish_deletion(self, subject: str) -> None:
        """Run the job that removes the data of a deleted user. It can be repeated at any point."""
        await self._account_deletion.finish(UserId(subject))

    async def export(self, actor: Actor) -> AsyncGenerator[Any, None]:
        """Yield all data of the actor, as JSON values."""
        user = await self.get_me(actor)
        lines = export_user(self._table, user, self._domains())
        with self._large_requests.one_at_a_time(actor.user_id):
            async with contextlib.aclosing(lines):
                async for line in lines:
                    yield line

    # Internals

    async def _find_by_either(self, username_or_email: str, tenant: Tenant | None) -> User | None:
        if "@" not in username_or_email:
            return await self.find_by_username(username_or_email, tenant)
        return await self.find_by_email(normal_email(username_or_email))
