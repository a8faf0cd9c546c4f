"""Preferences: users can mute categories. Muted messages are listed but not counted as unread."""

from __future__ import annotations

from sobremesa.core.actor import Actor, Tenant
from sobremesa.domains.inboxes.configuring import require_category
from sobremesa.domains.inboxes.entities import Category, InboxKey, Preference, mute
from sobremesa.domains.inboxes.tenancy import user_partition
from sobremesa.table import Put, Table, Upsert, set_if_absent, set_to


class Preferences:
    """The preferences of users."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def set_preference(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, category: str, *, muted: bool
    ) -> Preference:
        """Mute or unmute a category."""
        own = user_partition(actor, tenant, inbox)
        require_category(category)
        preference = Preference(
            tenant=tenant, user_id=own.user_id, inbox=inbox, category=Category(category), muted=muted
        )

        # Also in the counts row, so that counting needs no further read.
        await self._table.write(
            preference=Put(preference),
            category=Upsert(own.category(category), set_to(muted=muted), set_if_absent(None, **own.fixed())),
            pattern=mute,
        )

        return preference
