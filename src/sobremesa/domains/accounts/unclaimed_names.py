"""Usernames that another writer stored without a claim, searched for until the table is adopted.

No index finds a user by name, so each search scans the table. It is done only before a name is assigned or when a name
was not found, and never on a table whose claims are complete.
"""

from __future__ import annotations

import contextlib

from sobremesa.core.actor import Tenant
from sobremesa.domains.accounts.adopting import claim_username
from sobremesa.domains.accounts.entities import User, change_profile
from sobremesa.domains.accounts.names import folded
from sobremesa.table import Table, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.table_origin import Origin


class UnclaimedNames:
    """Claims the names of users of other writers on demand."""

    def __init__(self, table: Table, origin: Origin | None = None) -> None:
        self._table = table
        self._origin = origin or Origin(table)

    async def claim(self, username: str, tenant: Tenant) -> bool:
        """Claim a name for the user of a tenant that another writer stored with it; return whether there was one."""
        if await self._origin.is_complete():
            return False
        wanted = folded(username.strip())
        async for item in self._table.scan(where=present(User.shape.attribute("username")), consistent=True):
            user = self._table.as_entity(item, User)
            if user is None or user.deleted_at is not None or user.tenant != tenant:
                continue
            if folded(user.username.strip()) == wanted:
                return await self._claim(user)
        return False

    async def _claim(self, user: User) -> bool:
        for step in await claim_username(self._table, user):
            with contextlib.suppress(ConditionFailed):
                if step.operations:
                    await self._table.write(claims=step.operations, pattern=change_profile)
                    return True
        return False
