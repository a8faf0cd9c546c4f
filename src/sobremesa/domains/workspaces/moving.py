"""The migration of rows of the design before workspaces into a workspace."""

from __future__ import annotations

import msgspec

from sobremesa.domains.workspaces.entities import (
    Item,
    LegacyItem,
    LegacySetting,
    Setting,
    WorkspaceId,
    item_by_id,
    items_of,
    setting_by_name,
    settings_of,
)
from sobremesa.domains.workspaces.legacy import (
    NAME,
    WORKSPACE,
    item_id_of,
    item_of,
    setting_of,
)
from sobremesa.table import Key, Layout, RawKey
from sobremesa.work.migration import Copy, Migration, Recipe


def recipe(layout: Layout) -> Recipe:
    """Return the recipe that copies old items and settings into the workspace of the plan."""
    lowered = layout.spelling is not None

    def key_of_item(key: RawKey, plan: Migration) -> Key[Item]:
        parts = LegacyItem.keys.pk.parse(key.pk, lowered=lowered) or {}
        workspace_id = _workspace(plan)
        return item_by_id(workspace_id=workspace_id, item_id=item_id_of(workspace_id, parts["hash"]))

    def key_of_setting(key: RawKey, plan: Migration) -> Key[Setting]:
        parts = LegacySetting.keys.sk.parse(key.sk, lowered=lowered) or {}
        return setting_by_name(workspace_id=_workspace(plan), name=parts["name"])

    items: Copy[LegacyItem, Item] = Copy(
        LegacyItem,
        convert=lambda old, plan: item_of(old, _workspace(plan), layout),
        key=key_of_item,
        old_key=lambda item: LegacyItem.key(hash=item.legacy_hash).stored(layout.spelling),
        copies=lambda plan: items_of(workspace_id=_workspace(plan)),
        renewed=lambda new, before: msgspec.structs.replace(new, version=before.version + 1),
        free=("version",),
    )
    settings: Copy[LegacySetting, Setting] = Copy(
        LegacySetting,
        convert=lambda old, plan: setting_of(old, _workspace(plan), layout),
        key=key_of_setting,
        old_key=lambda setting: LegacySetting.key(name=setting.name).stored(layout.spelling),
        copies=lambda plan: settings_of(workspace_id=_workspace(plan)),
    )
    return Recipe(NAME, [items, settings], prefixes=("ITEM#", "SETTINGS"))


def _workspace(plan: Migration) -> WorkspaceId:
    return WorkspaceId(plan.options[WORKSPACE])
