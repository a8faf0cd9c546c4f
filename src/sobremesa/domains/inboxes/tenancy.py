"""Tenancy: everybody stays in their own tenant, and cannot tell whether there is another."""

from __future__ import annotations

from sobremesa.core.actor import Actor, Tenant
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.partitions import UserPartition


def require_key(actor: Actor, tenant: Tenant, scope: str, *or_one_of: str) -> None:
    """NotFound in another tenant; Forbidden unless the actor has one of these scopes there."""
    actor.require_tenant(tenant)
    actor.require_scope(scope, *or_one_of)


def user_partition(actor: Actor, tenant: Tenant, inbox: InboxKey) -> UserPartition:
    """The actor's own partition in an inbox of their tenant."""
    actor.require_tenant(tenant)
    return UserPartition(tenant, actor.user_id, inbox)
