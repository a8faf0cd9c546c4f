"""Revocation: the tokens of a user are refused, until new ones are issued or the user is enabled again.

A token of another issuer has no session here that could be ended. It is refused if it was issued before the user's
`tokens_valid_after`. Both fields are in the profile, which every node reads at most a second later; the change stream
closes the sockets.
"""

from __future__ import annotations

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import AuditEntry, User, revoke_tokens
from sobremesa.table import Create, Update, absent_or_null, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes


class Revocation:
    """Revokes tokens, and disables and enables users."""

    def __init__(self, context: AccountContext) -> None:
        self._table = context.table
        self._clock = context.clock
        self._directory = context.directory
        self._sessions = context.sessions
        self._actor_cache = context.actor_cache

    async def revoke(self, user: User, audit: Create[AuditEntry] | None = None) -> User:
        """Refuse all tokens issued before now, and end all sessions."""
        await self._change(user, set_to(tokens_valid_after=self._clock.now()), audit)
        await self._sessions.end_all(user.user_id)
        return await self._directory.get_user(user.user_id)

    async def disable(self, user: User, audit: Create[AuditEntry]) -> User:
        """Refuse all tokens and logins until the user is enabled."""
        now = self._clock.now()
        await self._change(user, set_to(disabled_at=user.disabled_at or now, updated_at=now), audit)
        return await self._directory.get_user(user.user_id)

    async def enable(self, user: User, audit: Create[AuditEntry]) -> User:
        """Accept tokens and logins again."""
        await self._change(user, set_to(disabled_at=None, updated_at=self._clock.now()), audit)
        return await self._directory.get_user(user.user_id)

    async def log_out(self, actor: Actor) -> None:
        """Revoke the tokens of a user of another issuer: on all devices, since such a token has no session."""
        await self.revoke(await self._directory.get_me(actor))

    async def _change(self, user: User, changes: Changes, audit: Create[AuditEntry] | None) -> None:
        update = Update(user.own_key(), changes, when=absent_or_null("deleted_at"))
        try:
            await self._table.write(user=update, audit=audit, pattern=revoke_tokens)
        except ConditionFailed:
            raise NotFound from None
        finally:
            self._actor_cache.invalidate(user.user_id)
