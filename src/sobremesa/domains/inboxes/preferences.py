"""Preferences: a person may not want to hear of a category. It is still listed, and not among what is unread."""

from __future__ import annotations

from sobremesa.core.actor import Actor, Tenant
from sobremesa.domains.inboxes.configuring import require_category
from sobremesa.domains.inboxes.entities import Category, InboxKey, Preference, mute
from sobremesa.domains.inboxes.tenancy import user_partition
from sobremesa.table import Put, Table, Upsert, set_if_absent, set_to


class Preferences:
    """What people want to hear of."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def set(self, actor: Actor, tenant: Tenant, inbox: InboxKey, category: str, *, muted: bool) -> Preference:
        """Mute a category, or hear of it again."""
        own = user_partition(actor, tenant, inbox)
        require_category(category)
        preference = Preference(
            tenant=tenant, user_id=own.user_id, inbox=inbox, category=Category(category), muted=muted
        )

        # The counts say it too, so that reading them takes no further question.
        await self._table.write(
            Put(preference),
            Upsert(own.category(category), set_to(muted=muted), set_if_absent(None, **own.fixed())),
            pattern=mute,
        )

        return preference
