"""Backends that act as a user of their tenant, with the rights of that user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import Forbidden, UnknownUsers
from sobremesa.domains.accounts.audit import Audit, key_scope
from sobremesa.domains.accounts.entities import User, record_act, user_by_id
from sobremesa.http.user_references import EXTERNAL_ID
from sobremesa.table import Table
from sobremesa.table.errors import BadKey

FindByExternalIds: TypeAlias = Callable[[Tenant, Sequence[str]], Awaitable[Mapping[str, UserId]]]


class Acting:
    """Returns the actors of backends that act as users, and records what they do."""

    def __init__(self, table: Table, audit: Audit, find_by_external_ids: FindByExternalIds) -> None:
        self._table = table
        self._audit = audit
        self._find_by_external_ids = find_by_external_ids

    async def act_as(self, key: Actor, reference: str, operation: str, *, is_write: bool) -> Actor:
        """Return the actor of a server key that acts as a user.

        UnknownUsers if its tenant has no such user, Forbidden if the user is disabled.

        A write is recorded before it is attempted, in the scope of the key.
        """
        if key.key_id is None or key.user is not None:
            raise Forbidden("Only a server key can act as a user.")
        user = await self._find(key.tenant, reference)
        if user is None:
            raise UnknownUsers(user_ids=[reference])
        if user.disabled_at is not None:
            raise Forbidden("This user is disabled.")
        if is_write:
            details = {"operation": operation}
            entry = self._audit.entry(
                key_scope(key.tenant, key.key_id), key, "act_as", target=user.user_id, details=details
            )
            await self._table.write(entry, pattern=record_act)
        return Actor(
            tenant=user.tenant,
            user=user.user_id,
            username=user.username,
            display_name=user.display_name,
            is_admin=user.is_admin and "admin" in key.scopes,
            is_bot=user.is_bot,
            key_id=key.key_id,
        )

    async def _find(self, tenant: Tenant, reference: str) -> User | None:
        """Return the user of a tenant by id, or by `ext:` and the external id."""
        try:
            user_id: UserId | None = UserId(reference)
            if reference.startswith(EXTERNAL_ID):
                external_id = reference.removeprefix(EXTERNAL_ID)
                user_id = (await self._find_by_external_ids(tenant, [external_id])).get(external_id)
            user = None if user_id is None else await self._table.get(user_by_id(user_id=user_id))
        except BadKey:
            return None
        return user if user is not None and user.deleted_at is None and user.tenant == tenant else None
