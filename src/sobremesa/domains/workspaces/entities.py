"""Workspaces: a few people, and the items and settings that they share; and what can be asked about it."""

from __future__ import annotations

from typing import Any, NewType

import msgspec

from sobremesa.core.actor import UserId
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
    """A workspace, which counts its people and its owners. A deleted one has no members any more.

    It stands in no index: the one of the first design listed it for its maker beside their own place in it, and after
    they had left.
    """

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="WORKSPACE")

    workspace_id: WorkspaceId
    name: str = ""
    created_by: UserId | None = None
    created_at: Instant = EPOCH
    updated_at: Instant | None = None
    deleted_at: Instant | None = None
    members: int | None = None
    """How many people are in it; unknown in a row of another writer."""
    owners: int | None = None
    """How many of them own it: never none."""


class MadeWorkspace(Entity):
    """A workspace as the first design lists it, for its maker: seen in the index, and left out."""

    entity_type = "Workspace"
    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="WORKSPACE")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="WORKSPACE#{created_at}")

    workspace_id: WorkspaceId
    user_id: UserId = msgspec.field(name="createdBy")
    created_at: Instant = EPOCH


class Member(Entity):
    """A person's place in a workspace."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="MEMBER#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="WORKSPACE#{workspace_id}")

    workspace_id: WorkspaceId
    user_id: UserId
    role: Role = "member"
    joined_at: Instant = EPOCH


class Invite(InviteRow):
    """A code that lets people into a workspace; it stands in the one space of codes."""

    keys = Keys(pk="INVITE#{code}", sk="INVITE")

    workspace_id: WorkspaceId | None = None
    """None: the code leads elsewhere."""


class InviteRef(Entity):
    """That a workspace has an invite, so that it can be listed."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="INVITEREF#{code}")
    expires = "ttl"

    workspace_id: WorkspaceId
    code: InviteCode
    ttl: int | None = None


class Item(Copied):
    """Something that people in a workspace keep. Of one that came from an old row a deletion leaves a tombstone."""

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
    """One named value of a workspace."""

    keys = Keys(pk="WORKSPACE#{workspace_id}", sk="SET#{name}")

    workspace_id: WorkspaceId
    name: SettingName
    value: Any = None
    updated_by: UserId | None = None
    updated_at: Instant | None = None


class LegacyItem(Entity):
    """An item of the design before workspaces: read, never written."""

    entity_type = "Item"
    keys = Keys(pk="ITEM#{hash}", sk="ITEM")

    hash: str = msgspec.field(name="$hash")
    """Only in its key; all of its attributes are `other`."""


class LegacySetting(Entity):
    """A setting of the design before workspaces: read, never written."""

    entity_type = "Setting"
    keys = Keys(pk="SETTINGS", sk="SET#{name}")

    name: SettingName = msgspec.field(name="$name")


# Workspaces and who is in them

everything_in = Pattern(
    "S1.1",
    "What is this workspace, with everything in it?",
    Workspace,
    Setting,
    Member,
    Item,
    newest_first=True,
    consistent=True,
)
workspaces_of = Pattern(
    "S1.2", "Which workspaces is this person in?", Member, MadeWorkspace, index="by_user", prefix="WORKSPACE#"
)
membership = Lookup("S1.3", "Is this person in this workspace?", Member, consistent=True)
items_of = Pattern("S1.4", "Which items has this workspace?", Item, consistent=True)
invite_by_code = Lookup("S1.5", "What does this code lead to?", Invite, consistent=True)

workspace_by_id = Lookup("WS.1", "What is this workspace?", Workspace, consistent=True)
members_of = Pattern("WS.2", "Who is in this workspace?", Member, consistent=True)
invites_of = Pattern("WS.3", "Which invites has this workspace?", InviteRef, consistent=True)
item_by_id = Lookup("WS.4", "What is this item?", Item, consistent=True)
settings_of = Pattern("WS.5", "Which settings has this workspace?", Setting, consistent=True)
setting_by_name = Lookup("WS.6", "What is this setting?", Setting, consistent=True)
legacy_item = Lookup("WS.7", "What is this item of the old design?", LegacyItem, consistent=True)
legacy_setting = Lookup("WS.8", "What is this setting of the old design?", LegacySetting, consistent=True)
legacy_settings = Pattern("WS.9", "Which settings has the old design?", LegacySetting, consistent=True)
left_in = Pattern("WS.10", "What has a deleted workspace left?", Member, Item, Setting, InviteRef, consistent=True)
invite_ref = Lookup("WS.11", "Is this invite listed in this workspace?", InviteRef, consistent=True)

# Writes

create_workspace = WritePattern("WS.20", "Make a workspace", Workspace, Member)
change_workspace = WritePattern("WS.21", "Rename a workspace", Workspace)
delete_workspace = WritePattern("WS.22", "Delete a workspace", Workspace, Member)
change_role = WritePattern("WS.23", "Give a member another role", Workspace, Member)
remove_member = WritePattern("WS.24", "Leave a workspace, or take somebody out of it", Workspace, Member)
create_invite = WritePattern("WS.25", "Make an invite", Invite, InviteRef)
revoke_invite = WritePattern("WS.26", "Revoke an invite", Invite, InviteRef)
redeem_invite = WritePattern("WS.27", "Come in by an invite", Invite, Member, Workspace)
create_item = WritePattern("WS.28", "Make an item", Item)
change_item = WritePattern("WS.29", "Change an item", Item)
delete_item = WritePattern("WS.30", "Delete an item", Item)
set_setting = WritePattern("WS.31", "Give a setting a value", Setting)
count_members = WritePattern("WS.32", "Write down how many are in a workspace that another writer made", Workspace)
clean_up = WritePattern("WS.33", "Take away what a deleted workspace left", Member, Item, Setting, InviteRef, Invite)
