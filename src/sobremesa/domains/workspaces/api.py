"""The routes of workspaces."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.domains.accounts.audit_views import AuditView, audit_view
from sobremesa.domains.workspaces.entities import ItemId, SettingName, WorkspaceId
from sobremesa.domains.workspaces.errors import ChangedMeanwhile, LastOwner, RankTooLow, StaleVersion, WrongSetting
from sobremesa.domains.workspaces.invites import WorkspaceInvites
from sobremesa.domains.workspaces.items import Items
from sobremesa.domains.workspaces.members import Members
from sobremesa.domains.workspaces.rights import Role
from sobremesa.domains.workspaces.service import Workspaces
from sobremesa.domains.workspaces.settings import WorkspaceSettings
from sobremesa.domains.workspaces.views import (
    EverythingView,
    ItemView,
    OwnWorkspaceView,
    SettingView,
    WorkspaceInviteView,
    WorkspaceMemberView,
    everything_view,
    invite_view,
    item_view,
    member_view,
    own_view,
    setting_view,
)
from sobremesa.http.endpoints import Cursor, IdempotencyKey, Input, Listed, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.work.idempotency import KeyReused

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


def routes(
    workspaces: Workspaces,
    members: Members,
    invites: WorkspaceInvites,
    items: Items,
    settings: WorkspaceSettings,
    people: UserDirectory,
) -> Routes:
    """The routes of workspaces, their members, invites, items and settings."""
    api = Routes("Workspaces")
    at = "/workspaces/{workspace_id}"

    @api.post("/workspaces", status=201, errors=[ChangedMeanwhile, KeyReused])
    async def create_workspace(
        actor: Actor, body: NewWorkspace, idempotency_key: IdempotencyKey | None
    ) -> OwnWorkspaceView:
        """Make a workspace, which its maker owns."""
        return own_view(await workspaces.create(actor, name=body.name, key=idempotency_key))

    @api.get("/workspaces", cacheable=True)
    async def list_workspaces(actor: Actor, query: PageQuery) -> Listed[OwnWorkspaceView]:
        """The workspaces that one is in."""
        found, cursor = await workspaces.list_workspaces(actor, limit=query.limit, cursor=query.cursor)
        return Listed([own_view(each) for each in found], cursor)

    @api.get(at, cacheable=True)
    async def get_workspace(actor: Actor, workspace_id: WorkspaceId, query: EverythingQuery) -> EverythingView:
        """A workspace with its members, items and settings, in one page unless it is large."""
        found = await workspaces.get_everything(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        profiles = await people.profiles([member.user_id for member in found.members])
        return everything_view(found, profiles)

    @api.patch(at, errors=[ChangedMeanwhile])
    async def change_workspace(actor: Actor, workspace_id: WorkspaceId, body: WorkspaceChanges) -> OwnWorkspaceView:
        """Rename a workspace: its admins and owners."""
        return own_view(await workspaces.rename(actor, workspace_id, name=body.name))

    @api.delete(at, errors=[ChangedMeanwhile])
    async def delete_workspace(actor: Actor, workspace_id: WorkspaceId) -> None:
        """Delete a workspace with everything in it: its owners. It is invisible at once."""
        await workspaces.delete(actor, workspace_id)

    @api.get(f"{at}/audit")
    async def list_audit(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[AuditView]:
        """What privileged people did in the workspace, newest first: for its admins and owners."""
        entries, cursor = await workspaces.list_audit(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get(f"{at}/members", cacheable=True)
    async def list_members(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceMemberView]:
        """Who is in the workspace."""
        found, cursor = await members.list_members(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        profiles = await people.profiles([member.user_id for member in found])
        return Listed([member_view(member, profiles[member.user_id]) for member in found], cursor)

    @api.patch(f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner])
    async def change_member(
        actor: Actor, workspace_id: WorkspaceId, user_id: UserId, body: NewMemberRole
    ) -> WorkspaceMemberView:
        """Give a member another role: the owners. There may be several, and there is always one."""
        member = await members.change_role(actor, workspace_id, user_id, role=body.role)
        return member_view(member, (await people.profiles([user_id]))[user_id])

    @api.delete(f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner, RankTooLow])
    async def remove_member(actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> None:
        """Leave, or take somebody of a lower role out of the workspace."""
        await members.remove(actor, workspace_id, user_id)

    @api.post(f"{at}/invites", status=201, errors=[KeyReused])
    async def create_invite(
        actor: Actor, workspace_id: WorkspaceId, body: NewWorkspaceInvite, idempotency_key: IdempotencyKey | None
    ) -> WorkspaceInviteView:
        """Make a code that lets people in: admins and owners."""
        invite = await invites.create(
            actor,
            workspace_id,
            max_uses=body.max_uses,
            expires_in_seconds=body.expires_in_seconds,
            key=idempotency_key,
        )
        return invite_view(invite, workspace_id)

    @api.get(f"{at}/invites")
    async def list_invites(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceInviteView]:
        """The invites that can still be used."""
        found, cursor = await invites.list_invites(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        return Listed([invite_view(invite, workspace_id) for invite in found], cursor)

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
        return Listed([setting_view(setting) for setting in found], cursor)

    @api.get(f"{at}/settings/{{name}}", cacheable=True)
    async def get_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName) -> SettingView:
        """One setting of the workspace."""
        return setting_view(await settings.get(actor, workspace_id, name))

    @api.put(f"{at}/settings/{{name}}", errors=[ChangedMeanwhile, WrongSetting])
    async def put_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName, body: NewValue) -> SettingView:
        """Give a setting a value: admins and owners. Any name will do, unless the application gave it a type."""
        return setting_view(await settings.put(actor, workspace_id, name, body.value))

    return api
