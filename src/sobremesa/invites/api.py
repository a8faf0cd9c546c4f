"""The routes of codes, wherever they lead."""

from __future__ import annotations

from sobremesa.codes import InviteCode
from sobremesa.communities import api as communities
from sobremesa.communities.api import JoinedServer, ServerTarget
from sobremesa.communities.errors import AlreadyMember, Banned, InviteUsedUp, TooManyServers
from sobremesa.communities.membership import InviteInfo, Redeemed
from sobremesa.http.endpoints import Routes
from sobremesa.invites.service import Invites
from sobremesa.people import Actor
from sobremesa.workspaces import views as workspaces
from sobremesa.workspaces.errors import TooManyMembers
from sobremesa.workspaces.views import JoinedWorkspace, WorkspaceTarget


def routes(invites: Invites) -> Routes:
    """The routes of codes."""
    api = Routes("Invites")

    @api.get("/invites/{code}")
    async def get_invite(actor: Actor, code: InviteCode) -> ServerTarget | WorkspaceTarget:
        """What a code leads to."""
        found = await invites.get(actor, code)
        return communities.target_view(found) if isinstance(found, InviteInfo) else workspaces.target_view(found)

    @api.post("/invites/{code}/redeem", errors=[AlreadyMember, Banned, InviteUsedUp, TooManyMembers, TooManyServers])
    async def redeem_invite(actor: Actor, code: InviteCode) -> JoinedServer | JoinedWorkspace:
        """Come in by a code. Two clicks of one person use it once."""
        found = await invites.redeem(actor, code)
        return communities.joined_view(found) if isinstance(found, Redeemed) else workspaces.joined_view(found)

    @api.delete("/invites/{code}")
    async def revoke_invite(actor: Actor, code: InviteCode) -> None:
        """Make a code useless."""
        await invites.revoke(actor, code)

    return api
