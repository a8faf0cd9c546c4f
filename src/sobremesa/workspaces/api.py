"""The routes of workspaces."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.clock import EPOCH, Instant
from sobremesa.codes import InviteCode
from sobremesa.http.endpoints import Cursor, IdempotencyKey, Input, Listed, Output, PageQuery, Routes
from sobremesa.idempotency import KeyReused
from sobremesa.people import Actor, Face, UserId
from sobremesa.rooms.door import People
from sobremesa.workspaces.entities import (
    Invite,
    Item,
    ItemId,
    Member,
    Setting,
    SettingName,
    Workspace,
    WorkspaceId,
)
from sobremesa.workspaces.errors import ChangedMeanwhile, LastOwner, RankTooLow, StaleVersion, WrongSetting
from sobremesa.workspaces.invitations import Invitation, Invitations, Joined
from sobremesa.workspaces.items import Items
from sobremesa.workspaces.members import Members
from sobremesa.workspaces.options import WorkspaceSettings
from sobremesa.workspaces.rights import Role
from sobremesa.workspaces.service import Aggregate, Workspaces, WorkspaceWithRole

MAX_ROWS = 1000

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S", examples=["The kitchen"])]
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=r"\S", examples=["Buy coffee"])]
Status = Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"\S", examples=["open"])]
Data = Annotated[dict[str, Any], msgspec.Meta(examples=[{"amount": 2}])]
Version = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
MaxUses = Annotated[int, msgspec.Meta(ge=1, le=1_000_000, examples=[10])]
ExpiresIn = Annotated[int, msgspec.Meta(ge=1, le=366 * 86400, examples=[86400])]


class NewWorkspace(Input):
    """A workspace to make."""

    name: Name


class WorkspaceChanges(Input):
    """What the workspace should be called."""

    name: Name


class NewMemberRole(Input):
    """The role to give."""

    role: Role


class NewWorkspaceInvite(Input):
    """How often and for how long it can be used; without a number, without a limit."""

    max_uses: MaxUses | None = None
    expires_in_seconds: ExpiresIn | None = None


class NewItem(Input):
    """An item to make."""

    title: Title
    status: Status | None = None
    data: Data | None = None


class ItemChanges(Input):
    """What should be otherwise, and the version that was seen; what is left out stays."""

    version: Version
    title: Title | msgspec.UnsetType = msgspec.UNSET
    status: Status | msgspec.UnsetType | None = msgspec.UNSET
    data: Data | msgspec.UnsetType = msgspec.UNSET


class NewValue(Input):
    """The value of a setting: any JSON, unless the application registered a type for its name."""

    value: Any


class ItemQuery(PageQuery):
    """Which items, and which page of them."""

    status: Status | None = None


class EverythingQuery(Input):
    """Which page of everything in a workspace."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_ROWS, description="How many rows at most.")] = MAX_ROWS
    cursor: Cursor | None = None


class WorkspaceView(Output):
    """A workspace."""

    workspace_id: WorkspaceId
    name: str
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None


class OwnWorkspaceView(Output):
    """A workspace, and one's own role in it."""

    workspace_id: WorkspaceId
    name: str
    role: Role
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant | None


class WorkspaceMemberView(Output):
    """Somebody in a workspace."""

    user_id: UserId
    username: str
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
    """A page of everything in a workspace. The first page has the workspace itself; `next` is null at the end."""

    workspace: WorkspaceView | None
    members: list[WorkspaceMemberView]
    items: list[ItemView]
    settings: list[SettingView]
    next: str | None


class WorkspaceInviteView(Output):
    """A code that lets people into a workspace."""

    code: InviteCode
    workspace_id: WorkspaceId
    created_by: UserId | None
    expires_at: Instant | None
    max_uses: int | None
    uses: int
    created_at: Instant


class WorkspaceTarget(Output, tag_field="kind", tag="workspace"):
    """A code that leads to a workspace."""

    code: InviteCode
    workspace: WorkspaceView
    expires_at: Instant | None


class JoinedWorkspace(Output, tag_field="kind", tag="workspace"):
    """The workspace that one has come into."""

    workspace_id: WorkspaceId
    workspace: WorkspaceView
    role: Role
    joined_at: Instant


def routes(
    workspaces: Workspaces,
    members: Members,
    invitations: Invitations,
    items: Items,
    settings: WorkspaceSettings,
    people: People,
) -> Routes:
    """The routes of workspaces, their members, invites, items and settings."""
    api = Routes("Workspaces")
    at = "/workspaces/{workspace_id}"

    @api.post("/workspaces", status=201, errors=[ChangedMeanwhile, KeyReused])
    async def create_workspace(
        actor: Actor, body: NewWorkspace, idempotency_key: IdempotencyKey | None
    ) -> OwnWorkspaceView:
        """Make a workspace, which its maker owns."""
        return _own_view(await workspaces.create(actor, name=body.name, key=idempotency_key))

    @api.get("/workspaces", cacheable=True)
    async def list_workspaces(actor: Actor, query: PageQuery) -> Listed[OwnWorkspaceView]:
        """The workspaces that one is in."""
        found, cursor = await workspaces.list_workspaces(actor, limit=query.limit, cursor=query.cursor)
        return Listed([_own_view(each) for each in found], cursor)

    @api.get(at, cacheable=True)
    async def get_workspace(actor: Actor, workspace_id: WorkspaceId, query: EverythingQuery) -> EverythingView:
        """A workspace with its members, items and settings, in one page unless it is large."""
        found = await workspaces.get_everything(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        faces = await people.faces([member.user_id for member in found.members])
        return _everything_view(found, faces)

    @api.patch(at, errors=[ChangedMeanwhile])
    async def change_workspace(actor: Actor, workspace_id: WorkspaceId, body: WorkspaceChanges) -> OwnWorkspaceView:
        """Rename a workspace: its admins and owners."""
        return _own_view(await workspaces.rename(actor, workspace_id, name=body.name))

    @api.delete(at, errors=[ChangedMeanwhile])
    async def delete_workspace(actor: Actor, workspace_id: WorkspaceId) -> None:
        """Delete a workspace with everything in it: its owners. It is invisible at once."""
        await workspaces.delete(actor, workspace_id)

    @api.get(f"{at}/members", cacheable=True)
    async def list_members(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceMemberView]:
        """Who is in the workspace."""
        places, cursor = await members.list_members(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        faces = await people.faces([place.user_id for place in places])
        return Listed([_member_view(place, faces[place.user_id]) for place in places], cursor)

    @api.patch(f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner])
    async def change_member(
        actor: Actor, workspace_id: WorkspaceId, user_id: UserId, body: NewMemberRole
    ) -> WorkspaceMemberView:
        """Give a member another role: the owners. There may be several, and there is always one."""
        place = await members.change_role(actor, workspace_id, user_id, role=body.role)
        return _member_view(place, (await people.faces([user_id]))[user_id])

    @api.delete(f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner, RankTooLow])
    async def remove_member(actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> None:
        """Leave, or take somebody of a lower role out of the workspace."""
        await members.remove(actor, workspace_id, user_id)

    @api.post(f"{at}/invites", status=201, errors=[KeyReused])
    async def create_invite(
        actor: Actor, workspace_id: WorkspaceId, body: NewWorkspaceInvite, idempotency_key: IdempotencyKey | None
    ) -> WorkspaceInviteView:
        """Make a code that lets people in: admins and owners."""
        invite = await invitations.create(
            actor,
            workspace_id,
            max_uses=body.max_uses,
            expires_in_seconds=body.expires_in_seconds,
            key=idempotency_key,
        )
        return _invite_view(invite, workspace_id)

    @api.get(f"{at}/invites")
    async def list_invites(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceInviteView]:
        """The invites that can still be used."""
        invites, cursor = await invitations.list_invites(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        return Listed([_invite_view(invite, workspace_id) for invite in invites], cursor)

    @api.post(f"{at}/items", status=201, errors=[KeyReused])
    async def create_item(
        actor: Actor, workspace_id: WorkspaceId, body: NewItem, idempotency_key: IdempotencyKey | None
    ) -> ItemView:
        """Make an item."""
        return item_view(
            await items.create(
                actor, workspace_id, title=body.title, status=body.status, data=body.data, key=idempotency_key
            )
        )

    @api.get(f"{at}/items", cacheable=True)
    async def list_items(actor: Actor, workspace_id: WorkspaceId, query: ItemQuery) -> Listed[ItemView]:
        """The items of the workspace, or those of one status. A page may be shorter than its limit."""
        found, cursor = await items.list_items(
            actor, workspace_id, status=query.status, limit=query.limit, cursor=query.cursor
        )
        return Listed([item_view(item) for item in found], cursor)

    @api.get(f"{at}/items/{{item_id}}", cacheable=True)
    async def get_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> ItemView:
        """An item of the workspace."""
        return item_view(await items.get(actor, workspace_id, item_id))

    @api.patch(f"{at}/items/{{item_id}}", errors=[ChangedMeanwhile, StaleVersion])
    async def change_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId, body: ItemChanges) -> ItemView:
        """Change an item. If it has changed since that version, the answer is 409 with `current`."""
        changes = {
            name: value for name in ("title", "status", "data") if (value := getattr(body, name)) is not msgspec.UNSET
        }
        try:
            return item_view(await items.change(actor, workspace_id, item_id, version=body.version, changes=changes))
        except StaleVersion as stale:
            raise StaleVersion(current=item_view(stale.data["current"])) from None

    @api.delete(f"{at}/items/{{item_id}}", errors=[ChangedMeanwhile])
    async def delete_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> None:
        """Delete an item."""
        await items.delete(actor, workspace_id, item_id)

    @api.get(f"{at}/settings", cacheable=True)
    async def list_settings(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[SettingView]:
        """The settings of the workspace, by name."""
        found, cursor = await settings.list_settings(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        return Listed([_setting_view(setting) for setting in found], cursor)

    @api.get(f"{at}/settings/{{name}}", cacheable=True)
    async def get_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName) -> SettingView:
        """One setting of the workspace."""
        return _setting_view(await settings.get(actor, workspace_id, name))

    @api.put(f"{at}/settings/{{name}}", errors=[ChangedMeanwhile, WrongSetting])
    async def put_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName, body: NewValue) -> SettingView:
        """Give a setting a value: admins and owners. Any name will do, unless the application gave it a type."""
        return _setting_view(await settings.put(actor, workspace_id, name, body.value))

    return api


def workspace_view(workspace: Workspace) -> WorkspaceView:
    return WorkspaceView(
        workspace.workspace_id, workspace.name, workspace.created_by, workspace.created_at, workspace.updated_at
    )


def target_view(found: Invitation) -> WorkspaceTarget:
    return WorkspaceTarget(found.invite.code, workspace_view(found.workspace), found.invite.expires_at)


def joined_view(joined: Joined) -> JoinedWorkspace:
    workspace, place = joined
    return JoinedWorkspace(workspace.workspace_id, workspace_view(workspace), place.role, place.joined_at)


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


def _own_view(found: WorkspaceWithRole) -> OwnWorkspaceView:
    workspace = found.workspace
    return OwnWorkspaceView(
        workspace.workspace_id,
        workspace.name,
        found.role,
        workspace.created_by,
        workspace.created_at,
        workspace.updated_at,
    )


def _everything_view(found: Aggregate, faces: dict[UserId, Face]) -> EverythingView:
    return EverythingView(
        None if found.workspace is None else workspace_view(found.workspace),
        [_member_view(member, faces[member.user_id]) for member in found.members],
        [item_view(item) for item in found.items],
        [_setting_view(setting) for setting in found.settings],
        found.cursor,
    )


def _member_view(place: Member, face: Face) -> WorkspaceMemberView:
    return WorkspaceMemberView(
        place.user_id, face.username, face.avatar_url, place.workspace_id, place.role, place.joined_at
    )


def _invite_view(invite: Invite, workspace_id: WorkspaceId) -> WorkspaceInviteView:
    return WorkspaceInviteView(
        invite.code,
        workspace_id,
        invite.created_by,
        invite.expires_at,
        invite.max_uses,
        invite.uses,
        invite.created_at,
    )


def _setting_view(setting: Setting) -> SettingView:
    return SettingView(setting.name, setting.value, setting.updated_by, setting.updated_at)
