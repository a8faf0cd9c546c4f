"""Settings of workspaces: any name and any value, unless the application registered a type for the name."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.domains.workspaces.access import Access
from sobremesa.domains.workspaces.entities import (
    Setting,
    SettingName,
    WorkspaceId,
    set_setting,
    setting_by_name,
    settings_of,
)
from sobremesa.domains.workspaces.errors import WrongSetting
from sobremesa.domains.workspaces.legacy import Legacy
from sobremesa.table import Put, Table
from sobremesa.table.errors import ConditionFailed


class WorkspaceSettings:
    """Settings of workspaces."""

    def __init__(
        self, table: Table, clock: Clock, access: Access, legacy: Legacy, types: Mapping[str, Any] | None = None
    ) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._legacy = legacy
        self._types = dict(types or {})

    async def list_settings(
        self, actor: Actor, workspace_id: WorkspaceId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Setting], str | None]:
        """Return a page of the settings of a workspace, by name."""
        await self._access.require_member(actor, workspace_id)
        question = settings_of(workspace_id=workspace_id)
        old = await self._legacy.settings_of(workspace_id)
        after = self._legacy.name_of(workspace_id, cursor)
        if after is None and (old is None or cursor is not None):
            page = await self._table.query(question, limit=limit, cursor=cursor)
            return page.items, page.cursor

        # Both are ordered by name, and there are few: new ones take precedence, and pages are split by name.
        new = [setting async for setting in self._table.every(question)]
        merged = {setting.name: setting for setting in heapq.merge(old or [], new, key=lambda each: each.name)}
        listed = [setting for setting in merged.values() if after is None or setting.name > after]
        if len(listed) <= limit:
            return listed, None
        return listed[:limit], self._legacy.after_name(workspace_id, listed[limit - 1].name)

    async def get(self, actor: Actor, workspace_id: WorkspaceId, name: SettingName) -> Setting:
        """Return a setting; NotFound if it has no value."""
        await self._access.require_member(actor, workspace_id)
        setting = await self._table.get(setting_by_name(workspace_id=workspace_id, name=name))
        if setting is None:
            setting = await self._legacy.find_setting(workspace_id, name)
        if setting is None:
            raise NotFound
        return setting

    async def put(self, actor: Actor, workspace_id: WorkspaceId, name: SettingName, value: Any) -> Setting:
        """Set a setting; WrongSetting if the value does not match the registered type."""
        acting = await self._access.require_member(actor, workspace_id, "configure")
        self._check(name, value)

        now = self._clock.now()
        setting = Setting(workspace_id=workspace_id, name=name, value=value, updated_by=actor.user_id, updated_at=now)
        try:
            await self._table.write(setting=Put(setting), actor=acting.still(), pattern=set_setting)
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return setting

    def _check(self, name: str, value: Any) -> None:
        if name not in self._types:
            return
        try:
            msgspec.convert(value, self._types[name])
        except msgspec.ValidationError as error:
            detail = f"{name}: {error}"
            raise WrongSetting(detail, errors=[{"in": "body", "pointer": "#/value", "detail": str(error)}]) from None
