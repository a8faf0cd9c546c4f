"""Tenancy: an actor has access to their own tenant only, and others appear not to exist."""

from __future__ import annotations

from sobremesa.core.actor import Actor, Tenant
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.partitions import UserPartition


def require_key(actor: Actor, tenant: Tenant, scope: str, *or_one_of: str) -> None:
    """Raise NotFound in another tenant, and Forbidden unless the actor has one of these scopes."""
    actor.require_tenant(tenant)
    actor.require_scope(scope, *or_one_of)


def user_partition(actor: Actor, tenant: Tenant, inbox: InboxKey) -> UserPartition:
    """Return the actor's partition in an inbox of their tenant; NotFound in another tenant."""
    actor.require_tenant(tenant)
    return UserPartition(tenant, actor.user_id, inbox)
