"""Tenancy: everybody stays in their own tenant, and cannot tell whether there is another."""

from __future__ import annotations

from sobremesa.core.actor import Actor, Tenant
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.places import Own


def require_key(actor: Actor, tenant: Tenant, scope: str, *or_one_of: str) -> None:
    """NotFound in another tenant; Forbidden unless the actor has one of these scopes there."""
    actor.require_tenant(tenant)
    actor.require_scope(scope, *or_one_of)


def own_place(actor: Actor, tenant: Tenant, inbox: InboxKey) -> Own:
    """The actor's own place in an inbox of their tenant."""
    actor.require_tenant(tenant)
    return Own(tenant, actor.user_id, inbox)
