"""The membership check of workspaces.

One consistent read of the user's own row decides. Without a membership, the workspace appears not to exist. Deleting a
workspace deletes all of its members in the same transaction, so nothing else must be read.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.workspaces.entities import Member, WorkspaceId, membership, workspace_by_id
from sobremesa.domains.workspaces.rights import RIGHTS, Right, Role
from sobremesa.table import Check, Condition, Operation, ReadCache, Table, absent_or_null, equals, present

CACHE_SIZE = 10_000


class ActingMember(msgspec.Struct, frozen=True, kw_only=True):
    """The actor as a member of a workspace."""

    actor: Actor
    member: Member
    """The actor's membership, as it was read."""

    @property
    def workspace_id(self) -> WorkspaceId:
        return self.member.workspace_id

    @property
    def role(self) -> Role:
        return self.member.role

    def may(self, right: Right) -> bool:
        return right in RIGHTS[self.role]

    def require(self, right: Right) -> None:
        if not self.may(right):
            raise Forbidden(right=right)

    def still(self) -> Sequence[Operation]:
        """Return the check that the actor still has this role, for the transaction of the action."""
        if self.actor.is_system:
            return ()
        return (Check(self.member.own_key(), when=present() & has_role(self.role)),)


def has_role(role: Role) -> Condition:
    """Return the condition that a member has this role; another writer may omit the role of members."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


class Access:
    """Checks memberships."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._memberships: ReadCache[tuple[UserId, WorkspaceId], Member | None] = ReadCache(table, CACHE_SIZE)

    async def require_member(self, actor: Actor, workspace_id: WorkspaceId, right: Right = "read") -> ActingMember:
        """Return the actor's membership; NotFound if there is none, Forbidden without the right."""
        if actor.is_system:
            return await self._system_member(actor, workspace_id)
        key = membership(workspace_id=workspace_id, user_id=actor.user_id)
        member = await self._memberships.get_or_load((actor.user_id, workspace_id), lambda: self._table.get(key))
        if member is None:
            raise NotFound
        acting = ActingMember(actor=actor, member=member)
        acting.require(right)
        return acting

    async def _system_member(self, actor: Actor, workspace_id: WorkspaceId) -> ActingMember:
        """Return a product's backend, which has the rights of an owner without a membership; NotFound elsewhere."""
        workspace = await self._table.get(workspace_by_id(workspace_id=workspace_id))
        if workspace is None or workspace.deleted_at is not None:
            raise NotFound
        actor.require_tenant(workspace.tenant)
        owner = Member(workspace_id=workspace_id, user_id=actor.user_id, role="owner", joined_at=workspace.created_at)
        return ActingMember(actor=actor, member=owner)
