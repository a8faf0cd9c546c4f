"""The routes of a tenant's audit log."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import Clock, instant
from sobremesa.domains.accounts.audit import Audit, key_scope, tenant_scope
from sobremesa.domains.accounts.views import AuditView, audit_view
from sobremesa.http.endpoints import Listed, PageQuery, Routes

SHOWN_MS = 400 * 24 * 3600 * 1000
"""How far back the log is shown: a year, and the month that it began in."""


class TenantAuditQuery(PageQuery):
    """Which log to list, and the page."""

    key_id: (
        Annotated[KeyId, msgspec.Meta(max_length=200, description="List what this server key did as a user instead.")]
        | None
    ) = None


def routes(audit: Audit, clock: Clock) -> Routes:
    """Return the routes of a tenant's audit log."""
    api = Routes("Accounts", of="users")

    @api.get("/tenants/{tenant}/audit", scope="admin")
    async def list_tenant_audit(actor: Actor, tenant: Tenant, query: TenantAuditQuery) -> Listed[AuditView]:
        """List the audit log of a tenant, newest first: its keys, its administrators, and its users by backends."""
        actor.require_tenant(tenant)
        scope = tenant_scope(tenant) if query.key_id is None else key_scope(tenant, query.key_id)
        since = instant(clock.now_ms() - SHOWN_MS)
        entries, cursor = await audit.list_entries(scope, since=since, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    return api
