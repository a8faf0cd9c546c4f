"""Creating, listing, reading, renaming and deleting workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sobremesa.core.actor import Actor, stored_tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit, AuditPage
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.workspaces.access import Access
from sobremesa.domains.workspaces.cleanup import CLEAN_WORKSPACE, Cleanup
from sobremesa.domains.workspaces.entities import (
    Item,
    Member,
    Setting,
    Workspace,
    WorkspaceId,
    change_workspace,
    create_workspace,
    delete_workspace,
    everything_in,
    membership,
    workspace_by_id,
    workspaces_of,
)
from sobremesa.domains.workspaces.invites import WorkspaceInviteKind, WorkspaceInvites
from sobremesa.domains.workspaces.items import Items
from sobremesa.domains.workspaces.legacy import NAME as LEGACY_ROWS
from sobremesa.domains.workspaces.legacy import Legacy, ListPosition
from sobremesa.domains.workspaces.members import MAX_MEMBERS, Members
from sobremesa.domains.workspaces.rights import Role
from sobremesa.domains.workspaces.settings import WorkspaceSettings
from sobremesa.table import Check, Create, Delete, Table, Update, absent_or_null, equals, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Jobs
from sobremesa.work.migration import Phases


class WorkspaceWithRole(NamedTuple):
    """A workspace, and the actor's role in it."""

    workspace: Workspace
    role: Role


class Aggregate(NamedTuple):
    """A page of the contents of a workspace; the first has the workspace itself."""

    workspace: Workspace | None
    members: list[Member]
    items: list[Item]
    settings: list[Setting]
    cursor: str | None


class Workspaces:
    """The workspaces of users."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        *,
        audit: Audit,
        idempotency: Idempotency,
        jobs: Jobs,
        setting_types: Mapping[str, Any] | None = None,
    ) -> None:
        access = Access(table)
        legacy = Legacy(table, Phases(table, clock, LEGACY_ROWS))
        self._table = table
        self._clock = clock
        self._ids = ids
        self._access = access
        self._audit = audit
        self._idempotency = idempotency
        self._jobs = jobs
        self._legacy = legacy
        self.members = Members(table, clock, access, audit)
        self.invites = WorkspaceInvites(
            WorkspaceInviteKind(table, access, self.members), table, clock, audit, idempotency
        )
        self.items = Items(table, clock, ids, access, idempotency, legacy)
        self.settings = WorkspaceSettings(table, clock, access, legacy, setting_types)
        self.cleanup = Cleanup(table, clock, self.members, jobs)

    async def create(self, actor: Actor, *, name: str, key: str | None = None) -> WorkspaceWithRole:
        """Create a workspace that the actor owns; PersonRequired for a bot."""
        actor.require_person()
        claim = self._idempotency.claim(actor, key, "workspace", [name])

        now = self._clock.now()
        workspace_id = WorkspaceId(self._ids.mint())
        workspace = Workspace(
            workspace_id=workspace_id,
            name=name,
            tenant=stored_tenant(actor.tenant),
            created_by=actor.user_id,
            created_at=now,
            updated_at=now,
            members=1,
            owners=1,
        )
        owner = Member(workspace_id=workspace_id, user_id=actor.user_id, role="owner", joined_at=now)
        try:
            await self._table.write(
                workspace=Create(workspace),
                owner=Create(owner),
                # If the actor's account is being deleted, the workspace would be left without a reachable owner.
                user=Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")),
                idempotency=claim.operations(workspace_id),
                pattern=create_workspace,
            )
        except ConditionFailed as failed:
            existing = await claim.created(failed)
            if existing is None:
                raise ChangedMeanwhile from None
            return await self.get(actor, WorkspaceId(existing))

        return WorkspaceWithRole(workspace, "owner")

    async def get(self, actor: Actor, workspace_id: WorkspaceId) -> WorkspaceWithRole:
        """Return a workspace of the actor, without its contents."""
        acting = await self._access.require_member(actor, workspace_id)
        workspace = await self._table.get(workspace_by_id(workspace_id=workspace_id))
        if workspace is None:
            raise NotFound
        return WorkspaceWithRole(workspace, acting.role)

    async def list_audit(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> AuditPage:
        """Return a page of the audit log, newest first. Requires an admin or owner."""
        await self._access.require_member(actor, workspace_id, "see_audit")
        workspace = await self._table.get(workspace_by_id(workspace_id=workspace_id))
        if workspace is None:
            raise NotFound
        return await self._audit.list_entries(workspace_id, since=workspace.created_at, limit=limit, cursor=cursor)

    async def list_workspaces(
        self, actor: Actor, *, limit: int, cursor: str | None = None
    ) -> tuple[list[WorkspaceWithRole], str | None]:
        """Return a page of the actor's workspaces. The index may be stale: the table decides."""
        page = await self._table.query(workspaces_of(user_id=actor.user_id), limit=limit, cursor=cursor)
        listed = [row.workspace_id for row in page.items if isinstance(row, Member)]
        heads = await self._table.get_many([workspace_by_id(workspace_id=each) for each in listed], consistent=True)
        members = await self._table.get_many(
            [membership(workspace_id=each, user_id=actor.user_id) for each in listed], consistent=True
        )
        found = [
            WorkspaceWithRole(head, member.role)
            for head, member in zip(heads, members, strict=True)
            if head is not None and member is not None
        ]
        return found, page.cursor

    async def get_everything(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> Aggregate:
        """Return a workspace with its members, items and settings, with one query if it fits in a page."""
        await self._access.require_member(actor, workspace_id)
        position = await self._legacy.position(workspace_id, cursor)

        found = Aggregate(None, [], [], [], None)
        if position.part == "new":
            found = await self._page(workspace_id, position, limit)
        left = limit - len(found.members) - len(found.items) - len(found.settings)
        if position.old is None or found.cursor is not None:
            return found
        if position.part == "new" and left <= 0:
            return found._replace(cursor=position.start_of_old())
        return await self._with_old(found, position, max(left, 1))

    async def rename(self, actor: Actor, workspace_id: WorkspaceId, *, name: str) -> WorkspaceWithRole:
        """Rename a workspace."""
        acting = await self._access.require_member(actor, workspace_id, "configure")

        try:
            await self._table.write(
                workspace=Update(
                    workspace_by_id(workspace_id=workspace_id),
                    set_to(name=name, updated_at=self._clock.now()),
                    when=absent_or_null("deleted_at"),
                ),
                actor=acting.still(),
                audit=self._audit.entry(workspace_id, actor, "workspace.rename"),
                pattern=change_workspace,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self.get(actor, workspace_id)

    async def delete(self, actor: Actor, workspace_id: WorkspaceId) -> None:
        """Delete a workspace: its memberships at once, its other rows by a job."""
        await self._access.require_member(actor, workspace_id, "delete")
        await self.members.counted(workspace_id)

        members = await self.members.at_most(workspace_id, MAX_MEMBERS, last=actor.user_id)
        gone = set_to(deleted_at=self._clock.now(), members=0, owners=0)
        try:
            await self._table.write(
                # A user who joins at this moment changes the number, and the request fails with ChangedMeanwhile.
                workspace=Update(
                    workspace_by_id(workspace_id=workspace_id),
                    gone,
                    when=absent_or_null("deleted_at") & equals("members", len(members)),
                ),
                members=[Delete(member.own_key()) for member in members],
                job=self._jobs.new(CLEAN_WORKSPACE, workspace_id),
                audit=self._audit.entry(workspace_id, actor, "workspace.delete"),
                pattern=delete_workspace,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None
        self._jobs.nudge()

    # Internals

    async def _page(self, workspace_id: WorkspaceId, position: ListPosition, limit: int) -> Aggregate:
        page = await self._table.query(everything_in(workspace_id=workspace_id), limit=limit, cursor=position.cursor)
        items = [row for row in page.items if isinstance(row, Item) and row.deleted_at is None]
        settings = [row for row in page.items if isinstance(row, Setting)]
        if position.old is not None:
            items = await self._legacy.without_old_rows(items)
            settings = await self._legacy.without_old_settings(settings)
        return Aggregate(
            next((row for row in page.items if isinstance(row, Workspace)), None),
            [row for row in page.items if isinstance(row, Member)],
            items,
            settings,
            position.next_cursor(page.cursor),
        )

    async def _with_old(self, found: Aggregate, position: ListPosition, limit: int) -> Aggregate:
        """Add a page of old rows, and the old settings on the first one."""
        items, cursor = await self._legacy.page(position, limit)
        is_first = position.part == "new" or position.cursor is None
        settings = await self._legacy.old_settings(position) if is_first else []
        return found._replace(items=[*found.items, *items], settings=[*found.settings, *settings], cursor=cursor)
