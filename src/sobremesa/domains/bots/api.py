"""Routes of bots."""

from __future__ import annotations

from sobremesa.core.actor import Actor, PersonRequired, Tenant, UserId
from sobremesa.core.errors import ChangedMeanwhile, Clash, Invalid, NotFound
from sobremesa.domains.accounts.api import Username
from sobremesa.domains.accounts.errors import UsernameTaken
from sobremesa.domains.bots.errors import TooManyBots
from sobremesa.domains.bots.service import Bots
from sobremesa.domains.bots.views import BotTokenView, BotView, NewBotView, bot_view, new_bot_view
from sobremesa.domains.communities.entities import ServerId
from sobremesa.http.endpoints import Input, Listed, PageQuery, Routes


class NewBot(Input):
    """A bot to create."""

    username: Username
    display_name: str | None = None


def routes(bots: Bots) -> Routes:
    """The routes of bots."""
    api = Routes("Bots", "Accounts of programs, with tokens that do not expire by themselves.")
    _declare_of_servers(api, bots)
    _declare_of_tenants(api, bots)
    return api


def _declare_of_servers(api: Routes, bots: Bots) -> None:
    @api.post(
        "/servers/{server_id}/bots",
        status=201,
        errors=[UsernameTaken, TooManyBots, PersonRequired, ChangedMeanwhile, Invalid],
    )
    async def create_server_bot(actor: Actor, server_id: ServerId, body: NewBot) -> NewBotView:
        """Create a bot in a server.

        It becomes a member with the role member. The response has its token, which is not shown again.
        """
        created = await bots.create_in_server(actor, server_id, username=body.username, display_name=body.display_name)
        return new_bot_view(created)

    @api.get("/servers/{server_id}/bots")
    async def list_server_bots(actor: Actor, server_id: ServerId, query: PageQuery) -> Listed[BotView]:
        """List the bots that belong to a server."""
        found, cursor = await bots.list_in_server(actor, server_id, limit=query.limit, cursor=query.cursor)
        return Listed([bot_view(bot) for bot in found], cursor)

    @api.post("/servers/{server_id}/bots/{user_id}/token", errors=[NotFound, ChangedMeanwhile, PersonRequired])
    async def rotate_server_bot(actor: Actor, server_id: ServerId, user_id: UserId) -> BotTokenView:
        """Replace the token of a bot. The old one is refused, and its sockets are closed."""
        return BotTokenView(await bots.rotate_in_server(actor, server_id, user_id))

    @api.delete("/servers/{server_id}/bots/{user_id}/token", errors=[NotFound, ChangedMeanwhile, PersonRequired])
    async def revoke_server_bot(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Revoke the token of a bot, and close its sockets. Its messages and its membership stay."""
        await bots.revoke_in_server(actor, server_id, user_id)

    @api.delete("/servers/{server_id}/bots/{user_id}", errors=[NotFound, PersonRequired, Clash])
    async def delete_server_bot(actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Delete a bot with its account. Its messages stay, with a deleted user as their author."""
        await bots.delete_in_server(actor, server_id, user_id)


def _declare_of_tenants(api: Routes, bots: Bots) -> None:
    @api.post(
        "/tenants/{tenant}/bots",
        status=201,
        scope="users:write",
        errors=[UsernameTaken, TooManyBots, ChangedMeanwhile, Invalid],
    )
    async def create_tenant_bot(actor: Actor, tenant: Tenant, body: NewBot) -> NewBotView:
        """Create a bot of a tenant, which is in no server yet. Its token is not shown again."""
        created = await bots.create_in_tenant(actor, tenant, username=body.username, display_name=body.display_name)
        return new_bot_view(created)

    @api.get("/tenants/{tenant}/bots", scope="users:read", also_scopes=["users:write"])
    async def list_tenant_bots(actor: Actor, tenant: Tenant, query: PageQuery) -> Listed[BotView]:
        """List the bots that belong to a tenant."""
        found, cursor = await bots.list_in_tenant(actor, tenant, limit=query.limit, cursor=query.cursor)
        return Listed([bot_view(bot) for bot in found], cursor)

    @api.post("/tenants/{tenant}/bots/{user_id}/token", scope="users:write", errors=[NotFound, ChangedMeanwhile])
    async def rotate_tenant_bot(actor: Actor, tenant: Tenant, user_id: UserId) -> BotTokenView:
        """Replace the token of a bot of a tenant. The old one is refused, and its sockets are closed."""
        return BotTokenView(await bots.rotate_in_tenant(actor, tenant, user_id))

    @api.delete("/tenants/{tenant}/bots/{user_id}/token", scope="users:write", errors=[NotFound, ChangedMeanwhile])
    async def revoke_tenant_bot(actor: Actor, tenant: Tenant, user_id: UserId) -> None:
        """Revoke the token of a bot of a tenant, and close its sockets."""
        await bots.revoke_in_tenant(actor, tenant, user_id)

    @api.delete("/tenants/{tenant}/bots/{user_id}", scope="users:write", errors=[NotFound, Clash])
    async def delete_tenant_bot(actor: Actor, tenant: Tenant, user_id: UserId) -> None:
        """Delete a bot of a tenant with its account."""
        await bots.delete_in_tenant(actor, tenant, user_id)
