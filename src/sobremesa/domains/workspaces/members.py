"""Members of workspaces and their roles.

Every change also updates the numbers of members and owners in the same transaction, so that the last two owners cannot
both leave at the same moment.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, PersonRequired, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound, RankTooLow
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.accounts.tenancy import belongs_to, exists_in, is_person
from sobremesa.domains.workspaces.access import Access, has_role
from sobremesa.domains.workspaces.entities import (
    Member,
    Workspace,
    WorkspaceId,
    add_member,
    change_role,
    count_members,
    members_of,
    membership,
    remove_member,
    workspace_by_id,
)
from sobremesa.domains.workspaces.errors import LastOwner, TooManyMembers
from sobremesa.domains.workspaces.rights import Role, may_remove
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Table,
    Update,
    absent_or_null,
    add,
    equals,
    greater,
    less,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

MAX_MEMBERS = 90
"""The maximum number of members: one transaction deletes the workspace with all of them."""


class Added(NamedTuple):
    """A membership, and whether it is new."""

    member: Member
    created: bool


def has_room() -> Condition:
    """Return the condition that a workspace is there and another member fits in."""
    return absent_or_null("deleted_at") & less("members", MAX_MEMBERS)


class Members:
    """The members of workspaces."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit

    async def list_members(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Member], str | None]:
        """Return a page of the members of a workspace."""
        await self._access.require_member(actor.or_system("rooms:read"), workspace_id)
        page = await self._table.query(members_of(workspace_id=workspace_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def get(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> Member:
        """Return a member of a workspace; NotFound if there is none."""
        await self._access.require_member(actor, workspace_id)
        return await self._get(workspace_id, user_id)

    async def add(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId, *, role: Role = "member") -> Added:
        """Add a user to a workspace of the actor's tenant, for the product's backend. A member stays as they are.

        NotFound unless the workspace and the user are of this tenant, TooManyMembers if it is full.
        """
        actor.require_scope("rooms:write")
        await self._access.require_member(actor.as_system(), workspace_id, "invite")
        await self.counted(workspace_id)
        member = Member(workspace_id=workspace_id, user_id=user_id, role=role, joined_at=self._clock.now())
        in_tenant = exists_in(actor.tenant)

        try:
            await self._table.write(
                member=Create(member),
                workspace=Update(
                    workspace_by_id(workspace_id=workspace_id),
                    add(members=1, owners=1 if role == "owner" else 0),
                    when=has_room(),
                ),
                user=Check(user_by_id(user_id=user_id), when=in_tenant & is_person() if role == "owner" else in_tenant),
                audit=self._audit.entry(workspace_id, actor, "member.add", target=user_id, details={"role": role}),
                pattern=add_member,
            )
        except ConditionFailed as failed:
            existing = await self._table.get(member.own_key(), consistent=True)
            if existing is not None:
                return Added(existing, False)
            user = await self._table.get(user_by_id(user_id=user_id))
            if role == "owner" and user is not None and belongs_to(user, actor.tenant) and user.is_bot:
                raise PersonRequired("A bot cannot own a workspace.") from None
            full = "workspace" in failed and "user" not in failed
            raise TooManyMembers(limit=MAX_MEMBERS) if full else NotFound from None

        return Added(member, True)

    async def change_role(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId, *, role: Role) -> Member:
        """Change the role of a member. A workspace has one or more owners."""
        actor = actor.or_system("rooms:write")
        acting = await self._access.require_member(actor, workspace_id, "manage_roles")
        await self.counted(workspace_id)
        member = await self._get(workspace_id, user_id)
        if member.role == role:
            return member

        more = (role == "owner") - (member.role == "owner")
        details = {"from": member.role, "to": role}
        try:
            await self._table.write(
                member=Update(member.own_key(), set_to(role=role), when=has_role(member.role)),
                workspace=Update(
                    workspace_by_id(workspace_id=workspace_id),
                    add(owners=more),
                    when=absent_or_null("deleted_at") if more >= 0 else greater("owners", 1),
                ),
                audit=self._audit.entry(workspace_id, actor, "member.role", target=user_id, details=details),
                actor=acting.still() if user_id != actor.user_id else None,
                person=Check(user_by_id(user_id=user_id), when=is_person()) if role == "owner" else None,
                pattern=change_role,
            )
        except ConditionFailed as failed:
            if "person" in failed:
                raise PersonRequired("A bot cannot own a workspace.") from None
            raise LastOwner if "workspace" in failed and more < 0 else ChangedMeanwhile from None

        return await self._get(workspace_id, user_id)

    async def remove(self, actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> None:
        """Leave, or remove a member of a lower role; owners may remove each other."""
        actor = actor.or_system("rooms:write")
        if user_id == actor.user_id:
            acting = await self._access.require_member(actor, workspace_id)
            await self.counted(workspace_id)
            await self._remove(acting.member)
            return
        acting = await self._access.require_member(actor, workspace_id, "remove_members")
        await self.counted(workspace_id)
        member = await self._get(workspace_id, user_id)
        if not may_remove(acting.role, member.role):
            raise RankTooLow

        audit = self._audit.entry(workspace_id, actor, "member.remove", target=user_id)
        await self._remove(member, *acting.still(), audit)

    async def hand_over_and_leave(self, member: Member) -> bool:
        """Remove a member; if they are the only owner, the oldest admin or member who is a person becomes one.

        Return False if there is no other person: the caller then deletes the workspace.
        """
        workspace = await self.counted(member.workspace_id)
        if workspace is not None and member.role == "owner" and (workspace.owners or 0) <= 1:
            members = [each async for each in self._table.every(members_of(workspace_id=member.workspace_id))]
            others = await self._people([other for other in members if other.user_id != member.user_id])
            if not others:
                return False
            successor = min(others, key=lambda other: (other.role != "admin", other.joined_at, other.user_id))
            await self._promote_to_owner(successor)
        await self._remove(member)
        return True

    async def counted(self, workspace_id: WorkspaceId) -> Workspace | None:
        """Return a workspace with its counts; that of another writer gets counts and an owner first."""
        key = workspace_by_id(workspace_id=workspace_id)
        workspace = await self._table.get(key)
        if workspace is None or workspace.members is not None:
            return workspace
        with contextlib.suppress(ConditionFailed):
            await self._table.write(counts=await self.count_operations(workspace), pattern=count_members)
        return await self._table.get(key)

    async def count_operations(self, workspace: Workspace) -> list[Operation]:
        """Return the operations that give another writer's workspace its counts, and an owner if it has none."""
        members = [member async for member in self._table.every(members_of(workspace_id=workspace.workspace_id))]
        owners = sum(member.role == "owner" for member in members)
        operations: list[Operation] = []
        people = [] if owners else await self._people(members)
        if people:
            successor = min(people, key=lambda member: (member.user_id != workspace.created_by, member.joined_at))
            operations.append(Update(successor.own_key(), set_to(role="owner"), when=has_role(successor.role)))
            owners = 1
        counts = set_to(members=len(members), owners=owners)
        return [Update(workspace.own_key(), counts, when=absent_or_null("members")), *operations]

    async def at_most(self, workspace_id: WorkspaceId, most: int, *, last: UserId) -> list[Member]:
        """Return the members of a workspace to delete, as many as one transaction can delete.

        Only another writer's workspace can have more: the rest are removed first, except the member `last`.
        """
        members = [member async for member in self._table.every(members_of(workspace_id=workspace_id))]
        members.sort(key=lambda member: member.user_id == last)
        while len(members) > most:
            await self._remove(members.pop(0), even_the_last_owner=True)
        return members

    # Internals

    async def _people(self, members: Sequence[Member]) -> list[Member]:
        """Return the members who are not bots, which own nothing; another writer's user may have no row."""
        users = await self._table.get_many([user_by_id(user_id=member.user_id) for member in members], consistent=True)
        return [member for member, user in zip(members, users, strict=True) if user is None or not user.is_bot]

    async def _get(self, workspace_id: WorkspaceId, user_id: UserId) -> Member:
        member = await self._table.get(membership(workspace_id=workspace_id, user_id=user_id))
        if member is None:
            raise NotFound
        return member

    async def _remove(self, member: Member, *more: Operation, even_the_last_owner: bool = False) -> None:
        """Remove a member; LastOwner for the only owner."""
        is_owner = member.role == "owner"
        guarded = is_owner and not even_the_last_owner
        try:
            await self._table.write(
                member=Delete(member.own_key(), when=has_role(member.role)),
                workspace=Update(
                    workspace_by_id(workspace_id=member.workspace_id),
                    add(members=-1, owners=-1 if is_owner else 0),
                    when=greater("owners", 1) if guarded else absent_or_null("deleted_at"),
                ),
                others=more,
                pattern=remove_member,
            )
        except ConditionFailed as failed:
            raise LastOwner if "workspace" in failed and is_owner else ChangedMeanwhile from None

    async def _promote_to_owner(self, successor: Member) -> None:
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                successor=Update(successor.own_key(), set_to(role="owner"), when=has_role(successor.role)),
                workspace=Update(
                    workspace_by_id(workspace_id=successor.workspace_id), add(owners=1), when=equals("owners", 1)
                ),
                pattern=change_role,
            )
