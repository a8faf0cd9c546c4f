"""Who is in a workspace and with which rights.

One consistent read of the person's own row decides, and fails closed: a stranger learns no more than that there is
nothing. A workspace that is deleted loses all of its members in the same transaction, so nothing else must be read.
"""

from __future__ import annotations

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.workspaces.entities import Member, WorkspaceId, membership
from sobremesa.domains.workspaces.rights import RIGHTS, Right, Role
from sobremesa.table import Check, Condition, Operation, ReadCache, Table, absent_or_null, equals, present

CACHE_SIZE = 10_000


class ActingMember(msgspec.Struct, frozen=True, kw_only=True):
    """A person inside of a workspace."""

    actor: Actor
    member: Member
    """Their own row, as it was read."""

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

    def still(self) -> Operation:
        """That who acts has the same role when it happens as when they asked; for the transaction of the act."""
        return Check(self.member.own_key(), when=present() & has_role(self.role))


def has_role(role: Role) -> Condition:
    """That somebody has this role; where another writer says nothing, they are a member."""
    return equals("role", role) | absent_or_null("role") if role == "member" else equals("role", role)


class Access:
    """Lets people into workspaces."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._memberships: ReadCache[tuple[UserId, WorkspaceId], Member | None] = ReadCache(table, CACHE_SIZE)

    async def require_member(self, actor: Actor, workspace_id: WorkspaceId, right: Right = "read") -> ActingMember:
        """The person as a member with a right; NotFound for a stranger, Forbidden without the right."""
        key = membership(workspace_id=workspace_id, user_id=actor.user_id)
        member = await self._memberships.get_or_load((actor.user_id, workspace_id), lambda: self._table.get(key))
        if member is None:
            raise NotFound
        acting = ActingMember(actor=actor, member=member)
        acting.require(right)
        return acting
