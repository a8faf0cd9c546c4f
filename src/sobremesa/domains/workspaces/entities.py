"""Workspaces, members, invites, items and settings: stored rows and access patterns."""

from __future__ import annotations

from typing import Any, NewType

import msgspec

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.invites.entities import InviteRow
from sobremesa.domains.workspaces.rights import Role
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1
from sobremesa.work.migration.copies import Copied

WorkspaceId = NewType("WorkspaceId", str)
ItemId = NewType("ItemId", str)
SettingName = NewType("SettingName", str)


class Workspace(Entity):
    """A workspace, with the numbers of its members and owners. A deleted one has no members.

    It is in no index: the index of the first design listed it for its creator in addition to their membership, and
    also after they had left.
    """

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="WORKSPACE")

    workspace_id: WorkspaceId
    name: str = ""
    tenant: Tenant | None = None
    """The tenant of all members; absent for the default one."""
    created_by: UserId | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None
    deleted_at: Instant | None = None
    members: int | None = None
    """The number of members; unknown in a row of another writer."""
    owners: int | None = None
    """The number of owners, at least one."""


class MadeWorkspace(Entity):
    """A workspace as the index of the first design lists it for its creator; such rows are skipped."""

    entity_type = "Workspace"
    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="WORKSPACE")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="WORKSPACE#{created_at}")

    workspace_id: WorkspaceId
    user_id: UserId = msgspec.field(name="createdBy")
    created_at: Instant = EPOCH


class Member(Entity):
    """The membership of a user in a workspace."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="MEMBER#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="WORKSPACE#{workspace_id}")

    workspace_id: WorkspaceId
    user_id: UserId
    role: Role = "member"
    joined_at: Instant = EPOCH


class Invite(InviteRow):
    """A code that admits users to a workspace. Codes are unique across workspaces and communities."""

    keys = Keys(pk="INVITE#{code}", sk="INVITE")

    workspace_id: WorkspaceId | None = None
    """None if the code is of a community."""


class InviteRef(Entity):
    """Lists an invite in its workspace."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="INVITEREF#{code}")
    expires = "ttl"

    workspace_id: WorkspaceId
    code: InviteCode
    ttl: int | None = None


class Item(Copied):
    """An item of a workspace. Deleting an item that was migrated from an old row leaves a tombstone."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="ITEM#{item_id}")
    by_age = Index(gsi1, pk="WSITEMS#{workspace_id}", sk="{created_at}")

    workspace_id: WorkspaceId
    item_id: ItemId
    title: str = ""
    status: str | None = None
    data: dict[str, Any] = {}
    version: int = 1
    created_by: UserId | None = None
    created_at: Instant | None = None
    updated_by: UserId | None = None
    updated_at: Instant | None = None
    deleted_at: Instant | None = None
    legacy_hash: str | None = None


class Setting(Copied):
    """A named value of a workspace."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="SET#{name}")

    workspace_id: WorkspaceId
    name: SettingName
    value: Any = None
    updated_by: UserId | None = None
    updated_at: Instant | None = None


class LegacyItem(Entity):
    """An item of the design before workspaces; it is never written."""

    entity_type = "Item"
    keys = Keys(pk="ITEM#{hash}", sk="ITEM")

    hash: str = msgspec.field(name="$hash")
    """Part of the key; all attributes are in `other`."""


class LegacySetting(Entity):
    """A setting of the design before workspaces; it is never written."""

    entity_type = "Setting"
    keys = Keys(pk="SETTINGS", sk="SET#{name}")

    name: SettingName = msgspec.field(name="$name")


# Reads

everything_in = Pattern(
    "S1.1",
    "What does this workspace contain?",
    Workspace,
    Setting,
    Member,
    Item,
    newest_first=True,
    consistent=True,
)
workspaces_of = Pattern(
    "S1.2", "Which workspaces is this user a member of?", Member, MadeWorkspace, index="by_user", prefix="WORKSPACE#"
)
membership = Lookup("S1.3", "Is this user a member of this workspace?", Member, consistent=True)
items_of = Pattern("S1.4", "Which items does this workspace have?", Item, consistent=True)
invite_by_code = Lookup("S1.5", "Which workspace does this code lead to?", Invite, consistent=True)

workspace_by_id = Lookup("WS.1", "What is this workspace?", Workspace, consistent=True)
members_of = Pattern("WS.2", "Which members does this workspace have?", Member, consistent=True)
invites_of = Pattern("WS.3", "Which invites does this workspace have?", InviteRef, consistent=True)
item_by_id = Lookup("WS.4", "What is this item?", Item, consistent=True)
settings_of = Pattern("WS.5", "Which settings does this workspace have?", Setting, consistent=True)
setting_by_name = Lookup("WS.6", "What is this setting?", Setting, consistent=True)
legacy_item = Lookup("WS.7", "What is this item of the old design?", LegacyItem, consistent=True)
legacy_setting = Lookup("WS.8", "What is this setting of the old design?", LegacySetting, consistent=True)
legacy_settings = Pattern("WS.9", "Which settings does the old design have?", LegacySetting, consistent=True)
left_in = Pattern("WS.10", "What remains of a deleted workspace?", Member, Item, Setting, InviteRef, consistent=True)
invite_ref = Lookup("WS.11", "Is this invite listed in this workspace?", InviteRef, consistent=True)

# Writes

create_workspace = WritePattern("WS.20", "Create a workspace", Workspace, Member)
change_workspace = WritePattern("WS.21", "Rename a workspace", Workspace)
delete_workspace = WritePattern("WS.22", "Delete a workspace", Workspace, Member)
change_role = WritePattern("WS.23", "Change the role of a member", Workspace, Member)
remove_member = WritePattern("WS.24", "Leave a workspace, or remove a member", Workspace, Member)
create_invite = WritePattern("WS.25", "Create an invite", Invite, InviteRef)
revoke_invite = WritePattern("WS.26", "Revoke an invite", Invite, InviteRef)
redeem_invite = WritePattern("WS.27", "Join by an invite", Invite, Member, Workspace)
create_item = WritePattern("WS.28", "Create an item", Item)
change_item = WritePattern("WS.29", "Change an item", Item)
delete_item = WritePattern("WS.30", "Delete an item", Item)
set_setting = WritePattern("WS.31", "Set a setting", Setting)
count_members = WritePattern("WS.32", "Store the member counts of a workspace of another writer", Workspace)
add_member = WritePattern("WS.34", "Add a member for the product's backend", Workspace, Member)
clean_up = WritePattern("WS.33", "Delete the rows of a deleted workspace", Member, Item, Setting, InviteRef, Invite)
