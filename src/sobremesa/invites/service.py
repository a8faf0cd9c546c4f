"""A code leads to a server or to a workspace; whoever has it need not know to which."""

from __future__ import annotations

from sobremesa.codes import InviteCode
from sobremesa.communities.membership import InviteInfo, Membership, Redeemed
from sobremesa.people import Actor
from sobremesa.workspaces.invitations import Invitation, Invitations, Joined


class Invites:
    """Codes of every kind. A code stands in the table once, so it leads to one place."""

    def __init__(self, servers: Membership, workspaces: Invitations) -> None:
        self._servers = servers
        self._workspaces = workspaces

    async def get(self, actor: Actor, code: InviteCode) -> InviteInfo | Invitation:
        """What a code leads to; whoever has it may know."""
        if await self._leads_to_workspace(code):
            return await self._workspaces.get(actor, code)
        return await self._servers.get_invite(actor, code)

    async def redeem(self, actor: Actor, code: InviteCode) -> Redeemed | Joined:
        """Come in by a code: one transaction, in which one use goes and one member comes."""
        if await self._leads_to_workspace(code):
            return await self._workspaces.redeem(actor, code)
        return await self._servers.redeem(actor, code)

    async def revoke(self, actor: Actor, code: InviteCode) -> None:
        """Make a code useless."""
        if await self._leads_to_workspace(code):
            await self._workspaces.revoke(actor, code)
        else:
            await self._servers.revoke_invite(actor, code)

    async def _leads_to_workspace(self, code: InviteCode) -> bool:
        return await self._workspaces.find_invite(code) is not None
