"""The routes of workspaces."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor, PersonRequired, UserId
from sobremesa.core.errors import ChangedMeanwhile, RankTooLow, StaleVersion, UnknownUsers
from sobremesa.domains.accounts.views import AuditView, audit_view
from sobremesa.domains.workspaces.entities import ItemId, SettingName, WorkspaceId
from sobremesa.domains.workspaces.errors import LastOwner, TooManyMembers, WrongSetting
from sobremesa.domains.workspaces.rights import Role
from sobremesa.domains.workspaces.service import Workspaces
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
from sobremesa.http.endpoints import Answer, Cursor, IdempotencyKey, Input, Listed, NamedUser, PageQuery, Routes
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
    """A workspace to create. A server key names its owner; anyone else becomes the owner themselves."""

    name: Name
    owner_id: NamedUser | None = None


class WorkspaceChanges(Input):
    """The new name."""

    name: Name


class NewWorkspaceMember(Input):
    """The role of the new member."""

    role: Role = "member"


class WorkspaceMemberChanges(Input):
    """The new role."""

    role: Role


class NewWorkspaceInvite(Input):
    """The number of uses and the lifetime of the invite; omitted, they are unlimited."""

    max_uses: MaxUses | None = None
    expires_in_seconds: ExpiresIn | None = None


class NewItem(Input):
    """An item to create."""

    title: Title
    status: Status | None = None
    data: Data | None = None


class ItemChanges(Input):
    """The fields to change, and the version that they are based on; omitted fields stay as they are."""

    version: Version
    title: Title | msgspec.UnsetType = msgspec.UNSET
    status: Status | msgspec.UnsetType | None = msgspec.UNSET
    data: Data | msgspec.UnsetType = msgspec.UNSET


class NewValue(Input):
    """The value of a setting: any JSON value, unless the application registered a type for the name."""

    value: Any


class ItemQuery(PageQuery):
    """Filters, and the page."""

    status: Status | None = None


class EverythingQuery(Input):
    """The page of the contents of a workspace."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_ROWS, description="The maximum number of rows.")] = MAX_ROWS
    cursor: Cursor | None = None


def routes(workspaces: Workspaces, users: UserDirectory) -> Routes:
    """The routes of workspaces, their members, invites, items and settings."""
    api = Routes("Workspaces", "Workspaces with their members, items and settings.")
    at = "/workspaces/{workspace_id}"

    @api.post(
        "/workspaces",
        status=201,
        errors=[ChangedMeanwhile, KeyReused, PersonRequired, UnknownUsers],
        key_scope="rooms:write",
        key_acts_as="owner_id",
    )
    async def create_workspace(
        actor: Actor, body: NewWorkspace, idempotency_key: IdempotencyKey | None
    ) -> OwnWorkspaceView:
        """Create a workspace that you own."""
        return own_view(await workspaces.create(actor, name=body.name, key=idempotency_key))

    @api.get("/workspaces", cacheable=True)
    async def list_workspaces(actor: Actor, query: PageQuery) -> Listed[OwnWorkspaceView]:
        """List your workspaces."""
        found, cursor = await workspaces.list_workspaces(actor, limit=query.limit, cursor=query.cursor)
        return Listed([own_view(each) for each in found], cursor)

    @api.get(at, cacheable=True)
    async def get_workspace(actor: Actor, workspace_id: WorkspaceId, query: EverythingQuery) -> EverythingView:
        """Return a workspace with its members, items and settings, in one page unless it is large."""
        found = await workspaces.get_everything(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        profiles = await users.profiles([member.user_id for member in found.members])
        return everything_view(found, profiles)

    @api.patch(at, errors=[ChangedMeanwhile])
    async def change_workspace(actor: Actor, workspace_id: WorkspaceId, body: WorkspaceChanges) -> OwnWorkspaceView:
        """Rename a workspace. Requires an admin or owner."""
        return own_view(await workspaces.rename(actor, workspace_id, name=body.name))

    @api.delete(at, errors=[ChangedMeanwhile])
    async def delete_workspace(actor: Actor, workspace_id: WorkspaceId) -> None:
        """Delete a workspace with its contents. Requires an owner. It is invisible at once."""
        await workspaces.delete(actor, workspace_id)

    @api.get(f"{at}/audit")
    async def list_audit(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[AuditView]:
        """List the audit log of a workspace, newest first. Requires an admin or owner."""
        entries, cursor = await workspaces.list_audit(actor, workspace_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get(f"{at}/members", cacheable=True, key_scope="rooms:read")
    async def list_members(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceMemberView]:
        """List the members of a workspace."""
        found, cursor = await workspaces.members.list_members(
            actor, workspace_id, limit=query.limit, cursor=query.cursor
        )
        profiles = await users.profiles([member.user_id for member in found])
        return Listed([member_view(member, profiles[member.user_id]) for member in found], cursor)

    @api.put(
        f"{at}/members/{{user_id}}",
        status=201,
        also_status=200,
        errors=[PersonRequired, TooManyMembers],
        scope="rooms:write",
    )
    async def add_member(
        actor: Actor, workspace_id: WorkspaceId, user_id: UserId, body: NewWorkspaceMember
    ) -> Answer[WorkspaceMemberView]:
        """Add a user to a workspace, without an invite. A member keeps their role (200)."""
        member, created = await workspaces.members.add(actor, workspace_id, user_id, role=body.role)
        profiles = await users.profiles([user_id])
        return Answer(member_view(member, profiles[user_id]), status=201 if created else 200)

    @api.patch(
        f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner, PersonRequired], key_scope="rooms:write"
    )
    async def change_member(
        actor: Actor, workspace_id: WorkspaceId, user_id: UserId, body: WorkspaceMemberChanges
    ) -> WorkspaceMemberView:
        """Change the role of a member. Requires an owner. A workspace has one or more owners."""
        member = await workspaces.members.change_role(actor, workspace_id, user_id, role=body.role)
        return member_view(member, (await users.profiles([user_id]))[user_id])

    @api.delete(f"{at}/members/{{user_id}}", errors=[ChangedMeanwhile, LastOwner, RankTooLow], key_scope="rooms:write")
    async def remove_member(actor: Actor, workspace_id: WorkspaceId, user_id: UserId) -> None:
        """Leave a workspace, or remove a member of a lower role."""
        await workspaces.members.remove(actor, workspace_id, user_id)

    @api.post(f"{at}/invites", status=201, errors=[KeyReused])
    async def create_invite(
        actor: Actor, workspace_id: WorkspaceId, body: NewWorkspaceInvite, idempotency_key: IdempotencyKey | None
    ) -> WorkspaceInviteView:
        """Create an invite. Requires an admin or owner."""
        invite = await workspaces.invites.create(
            actor,
            workspace_id,
            max_uses=body.max_uses,
            expires_in_seconds=body.expires_in_seconds,
            key=idempotency_key,
        )
        return invite_view(invite, workspace_id)

    @api.get(f"{at}/invites")
    async def list_invites(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[WorkspaceInviteView]:
        """List the usable invites of a workspace."""
        found, cursor = await workspaces.invites.list_invites(
            actor, workspace_id, limit=query.limit, cursor=query.cursor
        )
        return Listed([invite_view(invite, workspace_id) for invite in found], cursor)

    @api.post(f"{at}/items", status=201, errors=[KeyReused])
    async def create_item(
        actor: Actor, workspace_id: WorkspaceId, body: NewItem, idempotency_key: IdempotencyKey | None
    ) -> ItemView:
        """Create an item."""
        return item_view(
            await workspaces.items.create(
                actor, workspace_id, title=body.title, status=body.status, data=body.data, key=idempotency_key
            )
        )

    @api.get(f"{at}/items", cacheable=True)
    async def list_items(actor: Actor, workspace_id: WorkspaceId, query: ItemQuery) -> Listed[ItemView]:
        """List the items of a workspace, optionally of one status. A page may be shorter than its limit."""
        found, cursor = await workspaces.items.list_items(
            actor, workspace_id, status=query.status, limit=query.limit, cursor=query.cursor
        )
        return Listed([item_view(item) for item in found], cursor)

    @api.get(f"{at}/items/{{item_id}}", cacheable=True)
    async def get_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> ItemView:
        """Return an item."""
        return item_view(await workspaces.items.get(actor, workspace_id, item_id))

    @api.patch(f"{at}/items/{{item_id}}", errors=[ChangedMeanwhile, StaleVersion])
    async def change_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId, body: ItemChanges) -> ItemView:
        """Change an item. If it has changed since `version`, the response is 409 with `current`."""
        changes = {
            name: value for name in ("title", "status", "data") if (value := getattr(body, name)) is not msgspec.UNSET
        }
        try:
            return item_view(
                await workspaces.items.change(actor, workspace_id, item_id, version=body.version, changes=changes)
            )
        except StaleVersion as stale:
            raise StaleVersion(current=item_view(stale.data["current"])) from None

    @api.delete(f"{at}/items/{{item_id}}", errors=[ChangedMeanwhile])
    async def delete_item(actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> None:
        """Delete an item."""
        await workspaces.items.delete(actor, workspace_id, item_id)

    @api.get(f"{at}/settings", cacheable=True)
    async def list_settings(actor: Actor, workspace_id: WorkspaceId, query: PageQuery) -> Listed[SettingView]:
        """List the settings of a workspace, by name."""
        found, cursor = await workspaces.settings.list_settings(
            actor, workspace_id, limit=query.limit, cursor=query.cursor
        )
        return Listed([setting_view(setting) for setting in found], cursor)

    @api.get(f"{at}/settings/{{name}}", cacheable=True)
    async def get_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName) -> SettingView:
        """Return a setting."""
        return setting_view(await workspaces.settings.get(actor, workspace_id, name))

    @api.put(f"{at}/settings/{{name}}", errors=[ChangedMeanwhile, WrongSetting])
    async def put_setting(actor: Actor, workspace_id: WorkspaceId, name: SettingName, body: NewValue) -> SettingView:
        """Set a setting. Requires an admin or owner. The application may restrict the values of some names."""
        return setting_view(await workspaces.settings.put(actor, workspace_id, name, body.value))

    return api
