"""A workspace with members of every role."""

from __future__ import annotations

from typing import NamedTuple

from communities.environment import actor_of
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.domains.workspaces.entities import Item, WorkspaceId
from sobremesa.domains.workspaces.rights import Role


class Team(NamedTuple):
    """A workspace, its members, and a user who is not a member."""

    app: Sobremesa
    workspace_id: WorkspaceId
    owner: Actor
    admin: Actor
    member: Actor
    stranger: Actor

    async def roles(self) -> dict[str, Role]:
        """Return the role of each member, by user id."""
        members, _ = await self.app.workspaces.members.list_members(self.owner, self.workspace_id, limit=100)
        return {member.user_id: member.role for member in members}

    async def items(self, who: Actor | None = None, **options: str) -> list[Item]:
        """Return all items, page by page."""
        found: list[Item] = []
        cursor: str | None = None
        while True:
            page, cursor = await self.app.workspaces.items.list_items(
                who or self.owner, self.workspace_id, limit=7, cursor=cursor, status=options.get("status")
            )
            found += page
            if cursor is None:
                return found

    async def mine(self, who: Actor) -> list[WorkspaceId]:
        found, _ = await self.app.workspaces.list_workspaces(who, limit=50)
        return [each.workspace.workspace_id for each in found]


async def gather_team(app: Sobremesa) -> Team:
    owner, admin, member = await known(app, "olga", "ada", "mel")
    created = await app.workspaces.create(owner, name="The kitchen")
    workspace_id = created.workspace.workspace_id
    for who in (admin, member):
        await join(app, owner, workspace_id, who)
    await app.workspaces.members.change_role(owner, workspace_id, admin.user_id, role="admin")
    return Team(app, workspace_id, owner, admin, member, actor_of("sam"))


async def join(app: Sobremesa, owner: Actor, workspace_id: WorkspaceId, who: Actor) -> None:
    invite = await app.workspaces.invites.create(owner, workspace_id, max_uses=1)
    await app.invites.redeem(who, invite.code)
