"""Members: who comes into a workspace, who goes, and with which role.

The workspace counts its people and its owners in the transaction of each change, so that two owners who leave at the
same moment cannot both go.
"""

from __future__ import annotations

import contextlib

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.workspaces.access import Access, has_role
from sobremesa.domains.workspaces.entities import (
    Member,
    Workspace,
    WorkspaceId,
    change_role,
    count_members,
    members_of,
    membership,
    remove_member,
    workspace_by_id,
)
from sobremesa.domains.workspaces.errors import ChangedMeanwhile, LastOwner, RankTooLow
from sobremesa.domains.workspaces.rights import Role, may_remove
from sobremesa.table import (
    Delete,
    Operation,
    Table,
    Update,
    absent_or_null,
    add,
    equals,
    greater,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

MAX_MEMBERS = 90
"""How many people a workspace has: all of them leave it in the one transaction that deletes it."""

_HEAD = 1
"""The position of the workspace's row among the operations of a change."""


class Members:
    """Who is in which workspace."""

    def __init__(self, table: Table, access: Access, audit: Audit) -> None:
        self._table = table
        self._access = access
        self._audit = audit

    async def list_members(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Member], str | None]:
        """Who is in a workspace that one is in."""
        await self._access.require_member(actor, workspace_id)
        page = await self._table.query(members_of(workspace_id=workspace_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def get(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> Member:
        """Somebody in a workspace that one is in."""
        await self._access.require_member(actor, workspace_id)
        return await self._get(workspace_id, user_id)

    async def change_role(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId, *, role: Role) -> Member:
        """Give a member another role. There may be several owners, and there is always one."""
        acting = await self._access.require_member(actor, workspace_id, "manage_roles")
        await self.counted(workspace_id)
        member = await self._get(workspace_id, user_id)
        if member.role == role:
            return member

        more = (role == "owner") - (member.role == "owner")
        operations: list[Operation] = [
            Update(member.own_key(), set_to(role=role), when=has_role(member.role)),
            Update(
                workspace_by_id(workspace_id=workspace_id),
                add(owners=more),
                when=absent_or_null("deleted_at") if more >= 0 else greater("owners", 1),
            ),
            self._audit.entry(
                workspace_id, actor, "member.role", target=user_id, details={"from": member.role, "to": role}
            ),
        ]
        if user_id != actor.user_id:
            operations.append(acting.still())
        try:
            await self._table.write(*operations, pattern=change_role)
        except ConditionFailed as failed:
            raise LastOwner if failed.at(_HEAD) and more < 0 else ChangedMeanwhile from None

        return await self._get(workspace_id, user_id)

    async def remove(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> None:
        """Leave, or take somebody of a lower role out of the workspace; owners may do it to each other."""
        if user_id == actor.user_id:
            acting = await self._access.require_member(actor, workspace_id)
            await self.counted(workspace_id)
            await self._take_out(acting.member)
            return
        acting = await self._access.require_member(actor, workspace_id, "remove_members")
        await self.counted(workspace_id)
        member = await self._get(workspace_id, user_id)
        if not may_remove(acting.role, member.role):
            raise RankTooLow

        audit = self._audit.entry(workspace_id, actor, "member.remove", target=user_id)
        await self._take_out(member, acting.still(), audit)

    async def hand_over_and_leave(self, member: Member) -> bool:
        """Take out somebody who is going for good; if they were the only owner, the longest-standing one follows.

        False if there is nobody else: the workspace then goes as a whole.
        """
        workspace = await self.counted(member.workspace_id)
        if workspace is not None and member.role == "owner" and (workspace.owners or 0) <= 1:
            everybody = [each async for each in self._table.every(members_of(workspace_id=member.workspace_id))]
            others = [other for other in everybody if other.user_id != member.user_id]
            if not others:
                return False
            heir = min(others, key=lambda other: (other.role != "admin", other.joined_at, other.user_id))
            await self._raise_to_owner(heir)
        await self._take_out(member)
        return True

    async def counted(self, workspace_id: WorkspaceId) -> Workspace | None:
        """The workspace with its numbers: another writer's gets them, and an owner, now."""
        key = workspace_by_id(workspace_id=workspace_id)
        workspace = await self._table.get(key)
        if workspace is None or workspace.members is not None:
            return workspace
        with contextlib.suppress(ConditionFailed):
            first, *more = await self.numbering(workspace)
            await self._table.write(first, *more, pattern=count_members)
        return await self._table.get(key)

    async def numbering(self, workspace: Workspace) -> list[Operation]:
        """What gives another writer's workspace its numbers, and an owner if it has none."""
        members = [member async for member in self._table.every(members_of(workspace_id=workspace.workspace_id))]
        owners = sum(member.role == "owner" for member in members)
        operations: list[Operation] = []
        if not owners and members:
            heir = min(members, key=lambda member: (member.user_id != workspace.created_by, member.joined_at))
            operations.append(Update(heir.own_key(), set_to(role="owner"), when=has_role(heir.role)))
            owners = 1
        counts = set_to(members=len(members), owners=owners)
        return [Update(workspace.own_key(), counts, when=absent_or_null("members")), *operations]

    async def at_most(self, workspace_id: WorkspaceId, most: int, *, last: UserId) -> list[Member]:
        """All members of a workspace that is to be deleted, so many that one transaction takes them.

        Only another writer's workspace has more: those above are taken out before, and who deletes it is not of them.
        """
        members = [member async for member in self._table.every(members_of(workspace_id=workspace_id))]
        members.sort(key=lambda member: member.user_id == last)
        while len(members) > most:
            await self._take_out(members.pop(0), even_the_last_owner=True)
        return members

    # Inside

    async def _get(self, workspace_id: WorkspaceId, user_id: UserId) -> Member:
        member = await self._table.get(membership(workspace_id=workspace_id, user_id=user_id))
        if member is None:
            raise NotFound
        return member

    async def _take_out(self, member: Member, *more: Operation, even_the_last_owner: bool = False) -> None:
        """One person less; the last owner stays."""
        is_owner = member.role == "owner"
        guarded = is_owner and not even_the_last_owner
        try:
            await self._table.write(
                Delete(member.own_key(), when=has_role(member.role)),
                Update(
                    workspace_by_id(workspace_id=member.workspace_id),
                    add(members=-1, owners=-1 if is_owner else 0),
                    when=greater("owners", 1) if guarded else absent_or_null("deleted_at"),
                ),
                *more,
                pattern=remove_member,
            )
        except ConditionFailed as failed:
            raise LastOwner if failed.at(_HEAD) and is_owner else ChangedMeanwhile from None

    async def _raise_to_owner(self, heir: Member) -> None:
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                Update(heir.own_key(), set_to(role="owner"), when=has_role(heir.role)),
                Update(workspace_by_id(workspace_id=heir.workspace_id), add(owners=1), when=equals("owners", 1)),
                pattern=change_role,
            )
