"""Bots of servers and tenants: stored rows and access patterns. Their users and tokens are rows of accounts."""

from __future__ import annotations

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.domains.accounts.entities import (
    AuditEntry,
    Session,
    TenantUsernameClaim,
    User,
    UsernameClaim,
)
from sobremesa.domains.communities.entities import Server, ServerId, ServerMembership
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern


class ServerBot(Entity):
    """A bot that belongs to a server, whose managers change its token and delete it."""

    keys = Keys(pk="SERVER#{server_id}", sk="BOT#{user_id}")

    server_id: ServerId
    user_id: UserId
    created_by: str
    created_at: Instant


class TenantBot(Entity):
    """A bot that belongs to a tenant, whose backend changes its token and deletes it."""

    keys = Keys(pk="t#{tenant}BOTS", sk="BOT#{user_id}")

    tenant: Tenant
    user_id: UserId
    created_by: str
    created_at: Instant


bots_of_server = Pattern("BOT.1", "Which bots belong to this server?", ServerBot, consistent=True)
server_bot = Lookup("BOT.2", "Does this bot belong to this server?", ServerBot, consistent=True)
bots_of_tenant = Pattern("BOT.3", "Which bots belong to this tenant?", TenantBot, consistent=True)
tenant_bot = Lookup("BOT.4", "Does this bot belong to this tenant?", TenantBot, consistent=True)

create_server_bot = WritePattern(
    "BOT.10",
    "Create a bot in a server",
    ServerBot,
    ServerMembership,
    Server,
    User,
    Session,
    UsernameClaim,
    TenantUsernameClaim,
    AuditEntry,
)
create_tenant_bot = WritePattern(
    "BOT.11", "Create a bot of a tenant", TenantBot, User, Session, UsernameClaim, TenantUsernameClaim, AuditEntry
)
remove_bot = WritePattern("BOT.12", "Remove a bot from its server or tenant", ServerBot, TenantBot, AuditEntry)
