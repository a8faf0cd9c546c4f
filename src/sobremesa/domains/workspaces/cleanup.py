"""Removes the rows of deleted workspaces and accounts.

Each operation can be interrupted and repeated.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Refusal
from sobremesa.domains.accounts.errors import OwnsWorkspaces
from sobremesa.domains.workspaces.entities import (
    Member,
    WorkspaceId,
    clean_up,
    delete_workspace,
    invite_by_code,
    invites_of,
    items_of,
    left_in,
    membership,
    workspace_by_id,
    workspaces_of,
)
from sobremesa.domains.workspaces.members import MAX_MEMBERS, Members
from sobremesa.table import Delete, Table, Update, absent_or_null, equals, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.jobs import Jobs

CLEAN_WORKSPACE = "workspaces.workspace"


class Cleanup:
    """Removes the rows of deleted workspaces, and the workspace data of deleted users."""

    def __init__(self, table: Table, clock: Clock, members: Members, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._members = members
        self._jobs = jobs

    async def clean_workspace(self, subject: str) -> None:
        """Remove all rows of a deleted workspace, its own row last."""
        workspace_id = WorkspaceId(subject)
        async for ref in self._table.every(invites_of(workspace_id=workspace_id)):
            await self._table.write_many([Delete(invite_by_code(code=ref.code))], pattern=clean_up)
        await self._table.delete_every(left_in(workspace_id=workspace_id), pattern=clean_up)
        await self._table.write_many([Delete(workspace_by_id(workspace_id=workspace_id))], pattern=clean_up)

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return OwnsWorkspaces while other members would be left without an owner."""
        alone: list[WorkspaceId] = []
        for member in await self._memberships(user_id):
            workspace = await self._members.counted(member.workspace_id)
            if member.role == "owner" and workspace is not None and workspace.owners == 1 and workspace.members != 1:
                alone.append(member.workspace_id)
        return OwnsWorkspaces(workspace_ids=alone) if alone else None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Remove a user from all workspaces, and delete those that have no other members but bots."""
        for member in await self._memberships(user_id):
            if not await self._members.hand_over_and_leave(member):
                await self._end(member)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield the memberships of a user, and the items that they created or changed last."""
        for member in await self._memberships(user_id):
            workspace_id = member.workspace_id
            yield {
                "kind": "workspaceMember",
                "workspaceId": workspace_id,
                "role": member.role,
                "joinedAt": member.joined_at,
            }
            async for item in self._table.every(items_of(workspace_id=workspace_id)):
                if item.deleted_at is None and user_id in (item.created_by, item.updated_by):
                    yield {
                        "kind": "item",
                        "workspaceId": workspace_id,
                        "itemId": item.item_id,
                        "title": item.title,
                        "status": item.status,
                        "data": item.data,
                        "createdAt": item.created_at,
                        "updatedAt": item.updated_at,
                    }

    async def _end(self, member: Member) -> None:
        """Delete a workspace with its only person and its bots; a user who has just joined becomes the owner."""
        now = self._clock.now()
        members = await self._members.at_most(member.workspace_id, MAX_MEMBERS, last=member.user_id)
        try:
            await self._table.write(
                workspace=Update(
                    workspace_by_id(workspace_id=member.workspace_id),
                    set_to(deleted_at=now, members=0, owners=0),
                    when=absent_or_null("deleted_at") & equals("members", len(members)),
                ),
                members=[Delete(each.own_key()) for each in members],
                job=self._jobs.new(CLEAN_WORKSPACE, member.workspace_id),
                pattern=delete_workspace,
            )
        except ConditionFailed:
            await self._members.hand_over_and_leave(member)
            return
        self._jobs.nudge()

    async def _memberships(self, user_id: UserId) -> list[Member]:
        """Return the memberships of a user; the index may list deleted ones."""
        listed = [
            row.workspace_id
            async for row in self._table.every(workspaces_of(user_id=user_id))
            if isinstance(row, Member)
        ]
        keys = [membership(workspace_id=each, user_id=user_id) for each in dict.fromkeys(listed)]
        return [member for member in await self._table.get_many(keys, consistent=True) if member is not None]
