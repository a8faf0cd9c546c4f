"""The routes of invites, of servers and workspaces alike: a client need not know which kind a code is."""

from __future__ import annotations

from sobremesa.core.actor import Actor
from sobremesa.core.errors import AlreadyMember
from sobremesa.domains.communities import views as communities
from sobremesa.domains.communities.errors import Banned, TooManyServers
from sobremesa.domains.communities.invites import InviteInfo, Redeemed, ServerInvites
from sobremesa.domains.communities.views import JoinedServer, ServerTarget
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.invites.errors import InviteUsedUp
from sobremesa.domains.workspaces import views as workspaces
from sobremesa.domains.workspaces.errors import TooManyMembers
from sobremesa.domains.workspaces.invites import Joined, WorkspaceInviteInfo, WorkspaceInvites
from sobremesa.domains.workspaces.views import JoinedWorkspace, WorkspaceTarget
from sobremesa.http.endpoints import Routes


class InviteDirectory:
    """Invites of every kind. A code is unique in the table."""

    def __init__(self, servers: ServerInvites, workspaces: WorkspaceInvites) -> None:
        self._servers = servers
        self._workspaces = workspaces

    async def get(self, actor: Actor, code: InviteCode) -> InviteInfo | WorkspaceInviteInfo:
        """Return the target of an invite; any user who has the code may see it."""
        return await (await self._kind_of(code)).get(actor, code)

    async def redeem(self, actor: Actor, code: InviteCode) -> Redeemed | Joined:
        """Join by an invite: one transaction, which counts one use and creates one membership."""
        return await (await self._kind_of(code)).redeem(actor, code)

    async def revoke(self, actor: Actor, code: InviteCode) -> None:
        """Revoke an invite."""
        await (await self._kind_of(code)).revoke(actor, code)

    async def _kind_of(self, code: InviteCode) -> ServerInvites | WorkspaceInvites:
        return self._servers if await self._workspaces.find(code) is None else self._workspaces


def routes(invites: InviteDirectory) -> Routes:
    """Return the routes of invites."""
    api = Routes("Invites", "Codes that lead into a server or a workspace.")

    @api.get("/invites/{code}")
    async def get_invite(actor: Actor, code: InviteCode) -> ServerTarget | WorkspaceTarget:
        """Return the server or workspace that an invite admits to."""
        found = await invites.get(actor, code)
        return communities.target_view(found) if isinstance(found, InviteInfo) else workspaces.target_view(found)

    @api.post("/invites/{code}/redeem", errors=[AlreadyMember, Banned, InviteUsedUp, TooManyMembers, TooManyServers])
    async def redeem_invite(actor: Actor, code: InviteCode) -> JoinedServer | JoinedWorkspace:
        """Join a server or workspace by an invite. A repeated request counts one use."""
        found = await invites.redeem(actor, code)
        return communities.joined_view(found) if isinstance(found, Redeemed) else workspaces.joined_view(found)

    @api.delete("/invites/{code}")
    async def revoke_invite(actor: Actor, code: InviteCode) -> None:
        """Revoke an invite."""
        await invites.revoke(actor, code)

    return api
