"""Events of workspaces, for their members, and which members are subscribed."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.domains.workspaces.entities import (
    Item,
    ItemId,
    Member,
    Setting,
    SettingName,
    Workspace,
    WorkspaceId,
    item_by_id,
    setting_by_name,
    workspace_by_id,
)
from sobremesa.domains.workspaces.views import (
    ItemView,
    WorkspaceMemberView,
    WorkspaceView,
    item_view,
    member_view,
    workspace_view,
)
from sobremesa.http.endpoints import Output
from sobremesa.live.events import (
    EventType,
    Publication,
    TopicMembership,
    TopicRemoval,
    audience_change,
    user,
    version_of,
)
from sobremesa.live.events import workspace as topic_of
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms.access import UserDirectory
from sobremesa.table import Key, Table
from sobremesa.table.cache import Cache

CACHE_SIZE = 10_000


class WorkspaceGone(Output):
    """A deleted workspace."""

    workspace_id: WorkspaceId


class WorkspaceMemberGone(Output):
    """A user who is no longer a member of a workspace."""

    workspace_id: WorkspaceId
    user_id: UserId


class ItemGone(Output):
    """A deleted item."""

    workspace_id: WorkspaceId
    item_id: ItemId


class LiveSetting(Output):
    """A setting, and its workspace."""

    workspace_id: WorkspaceId
    name: SettingName
    value: Any
    updated_by: UserId | None
    updated_at: Instant | None


class SettingGone(Output):
    """A setting that was removed."""

    workspace_id: WorkspaceId
    name: SettingName


workspace_created = EventType("workspace.created", WorkspaceView, "You created or joined a workspace.")
workspace_updated = EventType(
    "workspace.updated", WorkspaceView, "The name of a workspace changed.", to="the members of the workspace"
)
workspace_deleted = EventType("workspace.deleted", WorkspaceGone, "A workspace that you were a member of was deleted.")
workspace_member_joined = EventType(
    "workspace.member.joined", WorkspaceMemberView, "A user joined a workspace.", to="the members of the workspace"
)
workspace_member_updated = EventType(
    "workspace.member.updated",
    WorkspaceMemberView,
    "The role of a member of a workspace changed.",
    to="the members of the workspace",
)
workspace_member_left = EventType(
    "workspace.member.left",
    WorkspaceMemberGone,
    "A member left a workspace, or was removed from it.",
    to="the members of the workspace, and the former member",
)
workspace_item_created = EventType(
    "workspace.item.created", ItemView, "An item was created.", to="the members of the workspace"
)
workspace_item_updated = EventType(
    "workspace.item.updated", ItemView, "An item was changed.", to="the members of the workspace"
)
workspace_item_deleted = EventType(
    "workspace.item.deleted", ItemGone, "An item was deleted.", to="the members of the workspace"
)
workspace_setting_updated = EventType(
    "workspace.setting.updated", LiveSetting, "A setting was set.", to="the members of the workspace"
)
workspace_setting_deleted = EventType(
    "workspace.setting.deleted", SettingGone, "A setting was deleted.", to="the members of the workspace"
)


class WorkspaceEvents:
    """Maps changed rows of workspaces to events."""

    def __init__(self, table: Table, users: UserDirectory) -> None:
        self._table = table
        self._users = users
        self._gone: Cache[WorkspaceId, bool] = Cache(CACHE_SIZE)
        """Deleted workspaces, whose rows are removed one after the other."""

    def register(self, translation: Translation) -> None:
        translation.on(Workspace, self._workspace, fields=("name", "deleted_at"))
        translation.on(Member, self._member, fields=("role",))
        translation.on(Item, self._item, fields=("title", "status", "data", "version", "updated_at", "deleted_at"))
        translation.on(Setting, self._setting, fields=("value", "updated_by", "updated_at"))
        items = [workspace_item_created, workspace_item_updated]
        translation.on_replay_by_row("workspace", items, _item_key, self._item)
        translation.on_replay_by_row("workspace", [workspace_setting_updated], _setting_key, self._setting)

    async def _workspace(self, seen: Seen[Workspace]) -> list[Publication]:
        """All members are deleted with a workspace, in any order; the row of each publishes its end to them."""
        workspace_id = seen.row.workspace_id
        topic = topic_of(workspace_id)
        if seen.new is None or seen.new.deleted_at is not None:
            self._gone.keep(workspace_id, True)
            return [audience_change(removes=[TopicRemoval(None, topic)])]
        if seen.old is None:
            return []  # the membership of each member publishes it to them
        return [workspace_updated(workspace_view(seen.new), topic)]

    async def _member(self, seen: Seen[Member]) -> list[Publication]:
        old, new = seen
        workspace_id, user_id = seen.row.workspace_id, seen.row.user_id
        topic = topic_of(workspace_id)
        workspace = await self._find(workspace_id)
        if new is None:
            removes = [TopicRemoval(user_id, topic, version_of(seen.row.joined_at))]
            if workspace is None:
                return [workspace_deleted(WorkspaceGone(workspace_id), user(user_id), removes=removes)]
            left = WorkspaceMemberGone(workspace_id, user_id)
            return [workspace_member_left(left, topic, user(user_id), removes=removes)]
        if workspace is None:
            return []

        view = member_view(new, (await self._users.profiles([user_id]))[user_id])
        if old is not None:
            return [workspace_member_updated(view, topic)]
        return [
            workspace_created(workspace_view(workspace), user(user_id), adds=[topic_membership(new)]),
            workspace_member_joined(view, topic),
        ]

    async def _item(self, seen: Seen[Item]) -> list[Publication]:
        old, new = seen
        row = seen.row
        topic = topic_of(row.workspace_id)
        was_there = old is not None and old.deleted_at is None
        if new is None or new.deleted_at is not None:
            if not was_there or self._gone.find(row.workspace_id):
                return []
            return [workspace_item_deleted(ItemGone(row.workspace_id, row.item_id), topic, subject=row.item_id)]
        event = workspace_item_updated if was_there else workspace_item_created
        return [event(item_view(new), topic, subject=row.item_id)]

    async def _setting(self, seen: Seen[Setting]) -> list[Publication]:
        row = seen.row
        topic, subject = topic_of(row.workspace_id), f"{row.workspace_id}/{row.name}"
        if seen.new is None:
            if self._gone.find(row.workspace_id):
                return []
            return [workspace_setting_deleted(SettingGone(row.workspace_id, row.name), topic, subject=subject)]
        view = LiveSetting(row.workspace_id, row.name, row.value, row.updated_by, row.updated_at)
        return [workspace_setting_updated(view, topic, subject=subject)]

    async def _find(self, workspace_id: WorkspaceId) -> Workspace | None:
        """Return a workspace unless it is deleted."""
        if self._gone.find(workspace_id):
            return None
        workspace = await self._table.get(workspace_by_id(workspace_id=workspace_id))
        return None if workspace is None or workspace.deleted_at is not None else workspace


def topic_membership(member: Member) -> TopicMembership:
    """Return the subscription of a member to their workspace."""
    return TopicMembership(member.user_id, topic_of(member.workspace_id), since=version_of(member.joined_at))


def _item_key(view: ItemView) -> Key[Item]:
    return item_by_id(workspace_id=view.workspace_id, item_id=view.item_id)


def _setting_key(view: LiveSetting) -> Key[Setting]:
    return setting_by_name(workspace_id=view.workspace_id, name=view.name)
