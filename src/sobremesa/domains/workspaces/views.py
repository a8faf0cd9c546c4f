"""The responses of workspaces."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import PublicProfile, UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.workspaces.entities import (
    Invite,
    Item,
    ItemId,
    Member,
    Setting,
    SettingName,
    Workspace,
    WorkspaceId,
)
from sobremesa.domains.workspaces.invites import Joined, WorkspaceInviteInfo
from sobremesa.domains.workspaces.rights import Role
from sobremesa.domains.workspaces.service import Aggregate, WorkspaceWithRole
from sobremesa.http.endpoints import Output


class WorkspaceView(Output):
    """A workspace."""

    workspace_id: WorkspaceId
    name: str
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None


class OwnWorkspaceView(Output):
    """A workspace, and your role in it."""

    workspace_id: WorkspaceId
    name: str
    role: Role
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None


class WorkspaceMemberView(Output):
    """A member of a workspace."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    workspace_id: WorkspaceId
    role: Role
    joined_at: Instant


class ItemView(Output):
    """An item."""

    item_id: ItemId
    workspace_id: WorkspaceId
    title: str
    status: str | None
    data: dict[str, Any]
    version: int
    created_by: UserId | None
    created_at: Instant
    updated_by: UserId | None
    updated_at: Instant | None


class SettingView(Output):
    """A setting."""

    name: SettingName
    value: Any
    updated_by: UserId | None
    updated_at: Instant | None


class EverythingView(Output):
    """A page of the contents of a workspace. The first page has the workspace itself; the last has no `next`."""

    workspace: WorkspaceView | None
    members: list[WorkspaceMemberView]
    items: list[ItemView]
    settings: list[SettingView]
    next: str | None


class WorkspaceInviteView(Output):
    """An invite to a workspace."""

    code: InviteCode
    workspace_id: WorkspaceId
    created_by: UserId | None
    expires_at: Instant | None
    max_uses: int | None
    uses: int
    created_at: Instant


class WorkspaceTarget(Output, tag_field="kind", tag="workspace"):
    """An invite to a workspace, and the workspace."""

    code: InviteCode
    workspace: WorkspaceView
    expires_at: Instant | None


class JoinedWorkspace(Output, tag_field="kind", tag="workspace"):
    """The workspace that you joined."""

    workspace_id: WorkspaceId
    workspace: WorkspaceView
    role: Role
    joined_at: Instant


def workspace_view(workspace: Workspace) -> WorkspaceView:
    return WorkspaceView(
        workspace.workspace_id, workspace.name, workspace.created_by, workspace.created_at, workspace.updated_at
    )


def target_view(found: WorkspaceInviteInfo) -> WorkspaceTarget:
    return WorkspaceTarget(found.invite.code, workspace_view(found.workspace), found.invite.expires_at)


def joined_view(joined: Joined) -> JoinedWorkspace:
    workspace, member = joined
    return JoinedWorkspace(workspace.workspace_id, workspace_view(workspace), member.role, member.joined_at)


def item_view(item: Item) -> ItemView:
    return ItemView(
        item.item_id,
        item.workspace_id,
        item.title,
        item.status,
        item.data,
        item.version,
        item.created_by,
        item.created_at or EPOCH,
        item.updated_by,
        item.updated_at,
    )


def own_view(found: WorkspaceWithRole) -> OwnWorkspaceView:
    workspace = found.workspace
    return OwnWorkspaceView(
        workspace.workspace_id,
        workspace.name,
        found.role,
        workspace.created_by,
        workspace.created_at,
        workspace.updated_at,
    )


def everything_view(found: Aggregate, profiles: dict[UserId, PublicProfile]) -> EverythingView:
    return EverythingView(
        None if found.workspace is None else workspace_view(found.workspace),
        [member_view(member, profiles[member.user_id]) for member in found.members],
        [item_view(item) for item in found.items],
        [setting_view(setting) for setting in found.settings],
        found.cursor,
    )


def member_view(member: Member, profile: PublicProfile) -> WorkspaceMemberView:
    return WorkspaceMemberView(
        member.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        member.workspace_id,
        member.role,
        member.joined_at,
    )


def invite_view(invite: Invite, workspace_id: WorkspaceId) -> WorkspaceInviteView:
    return WorkspaceInviteView(
        invite.code,
        workspace_id,
        invite.created_by,
        invite.expires_at,
        invite.max_uses,
        invite.uses,
        invite.created_at,
    )


def setting_view(setting: Setting) -> SettingView:
    return SettingView(setting.name, setting.value, setting.updated_by, setting.updated_at)
