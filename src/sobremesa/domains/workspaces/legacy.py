"""Rows of the design before workspaces, and how both are read during the migration.

A plan assigns the old rows to one workspace. The id of a new row is derived from the workspace and the hash of the old
row, so that every writer derives the same id, and the old row can be found by it.

During the migration, a list has two parts: new rows without an old one, then the old rows, each replaced by its new row
if there is one. Old rows stay where they are, so a row that is migrated between two pages is listed exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from sobremesa.core.clock import EPOCH, Instant, instant
from sobremesa.domains.workspaces.entities import (
    Item,
    ItemId,
    LegacyItem,
    LegacySetting,
    Setting,
    SettingName,
    WorkspaceId,
    item_by_id,
    legacy_item,
    legacy_setting,
    legacy_settings,
    setting_by_name,
)
from sobremesa.table import Layout, Table, gsi1, hash_part
from sobremesa.table.errors import BadCursor
from sobremesa.table.values import Item as StoredItem
from sobremesa.work.migration import Migration, Phases
from sobremesa.work.migration.entities import DUAL

NAME = "workspaces"
WORKSPACE, ALL_ITEMS = "workspace", "allItems"
"""The options of the plan: the workspace of the old rows, and the key of gsi1 that lists all of them."""

_DERIVED = 12
_BOTH, _AFTER = "both.", "after."
"""What cursors of lists with two parts begin with; those of one part have no dot."""
_TAKEN = frozenset({"title", "status", "createdAt", "updatedAt", "data"})
_MILLISECONDS_FROM = 10**11
"""Greater numbers are times in milliseconds, smaller ones in seconds."""


class ListPosition(NamedTuple):
    """Where a list continues: in which part, and whether there is an old part."""

    part: Literal["new", "old"]
    cursor: str | None
    old: Migration | None
    seal: Callable[[str, str], str]
    """Returns the cursor of a part, from the cursor within it."""

    def next_cursor(self, cursor: str | None) -> str | None:
        """Return the cursor of the next page in the first part."""
        return cursor if cursor is None or self.old is None else self.seal("new", cursor)

    def start_of_old(self) -> str:
        """Return the cursor of the start of the second part."""
        return self.seal("old", "")


class Legacy:
    """Reads old rows of the workspace that they are assigned to, during the migration."""

    def __init__(self, table: Table, phases: Phases) -> None:
        self._table = table
        self._phases = phases

    async def position(self, workspace_id: WorkspaceId, cursor: str | None) -> ListPosition:
        """Return where a list starts or continues; a list that started with both parts ends with both."""
        plan = await self._plan(workspace_id)
        cursors, asked = self._table.cursors, f"workspace {workspace_id}".encode()

        def seal(part: str, inner: str) -> str:
            return _BOTH + cursors.seal((part, inner), asked)

        if cursor is None or not cursor.startswith(_BOTH):
            return ListPosition("new", cursor, plan if cursor is None and plan and plan.phase in DUAL else None, seal)
        part, inner = cursors.open(cursor.removeprefix(_BOTH), asked, 2)
        if plan is None:
            raise BadCursor("this cursor belongs to another list")
        return ListPosition("new" if part == "new" else "old", inner or None, plan, seal)

    # Items

    async def find_item(self, workspace_id: WorkspaceId, item_id: ItemId) -> Item | None:
        """Return an item that exists only as an old row."""
        hash = hash_of(workspace_id, item_id)
        if hash is None or not await self._is_dual(workspace_id):
            return None
        old = await self._table.get(legacy_item(hash=hash))
        return None if old is None else item_of(old, workspace_id, self._table.layout)

    async def without_old_rows(self, items: Sequence[Item]) -> list[Item]:
        """Return the items that have no old row, which would list them again."""
        hashes = [item.legacy_hash for item in items if item.legacy_hash is not None]
        found = await self._table.get_many([legacy_item(hash=hash) for hash in hashes], consistent=True)
        there = {old.hash for old in found if old is not None}
        return [item for item in items if item.legacy_hash not in there]

    async def page(self, position: ListPosition, limit: int) -> tuple[list[Item], str | None]:
        """Return a page of old rows, each replaced by its new row if there is one."""
        assert position.old is not None  # noqa: S101 - for the type checker
        workspace_id = WorkspaceId(position.old.options[WORKSPACE])
        cursor = position.cursor if position.part == "old" else None
        rows = await self._table.raw.query(position.old.options[ALL_ITEMS], index=gsi1, limit=limit, cursor=cursor)
        olds = [old for row in rows.items if (old := self._table.as_entity(row, LegacyItem)) is not None]
        ids = [item_id_of(workspace_id, old.hash) for old in olds]
        news = await self._table.get_many(
            [item_by_id(workspace_id=workspace_id, item_id=each) for each in ids], consistent=True
        )
        items = [
            item_of(old, workspace_id, self._table.layout) if new is None else new
            for old, new in zip(olds, news, strict=True)
        ]
        following = None if rows.cursor is None else position.seal("old", rows.cursor)
        return [item for item in items if item.deleted_at is None], following

    # Settings

    async def settings_of(self, workspace_id: WorkspaceId) -> list[Setting] | None:
        """Return the settings of old rows, by name; None if they are not of this workspace."""
        return await self._settings(workspace_id) if await self._is_dual(workspace_id) else None

    async def without_old_settings(self, settings: Sequence[Setting]) -> list[Setting]:
        """Return the settings that have no old row, which would list them again."""
        keys = [legacy_setting(name=setting.name) for setting in settings]
        there = await self._table.get_many(keys, consistent=True)
        return [setting for setting, old in zip(settings, there, strict=True) if old is None]

    async def old_settings(self, position: ListPosition) -> list[Setting]:
        """Return the settings of old rows, each replaced by its new row if there is one."""
        assert position.old is not None  # noqa: S101 - for the type checker
        workspace_id = WorkspaceId(position.old.options[WORKSPACE])
        olds = await self._settings(workspace_id)
        keys = [setting_by_name(workspace_id=workspace_id, name=old.name) for old in olds]
        news = await self._table.get_many(keys, consistent=True)
        return [new or old for old, new in zip(olds, news, strict=True)]

    async def find_setting(self, workspace_id: WorkspaceId, name: SettingName) -> Setting | None:
        """Return a setting that exists only as an old row."""
        if not await self._is_dual(workspace_id):
            return None
        old = await self._table.get(legacy_setting(name=name))
        return None if old is None else setting_of(old, workspace_id, self._table.layout)

    def name_of(self, workspace_id: WorkspaceId, cursor: str | None) -> str | None:
        """Return the name after which a merged list of settings continues; None for other cursors."""
        if cursor is None or not cursor.startswith(_AFTER):
            return None
        return self._table.cursors.open(cursor.removeprefix(_AFTER), _settings_question(workspace_id), 1)[0]

    def after_name(self, workspace_id: WorkspaceId, name: str) -> str:
        """Return the cursor of a merged list of settings."""
        return _AFTER + self._table.cursors.seal([name], _settings_question(workspace_id))

    # Internals

    async def _settings(self, workspace_id: WorkspaceId) -> list[Setting]:
        layout = self._table.layout
        return [setting_of(old, workspace_id, layout) async for old in self._table.every(legacy_settings())]

    async def _plan(self, workspace_id: WorkspaceId) -> Migration | None:
        plan = await self._phases.find()
        return plan if plan is not None and plan.options.get(WORKSPACE) == workspace_id else None

    async def _is_dual(self, workspace_id: WorkspaceId) -> bool:
        plan = await self._plan(workspace_id)
        return plan is not None and plan.phase in DUAL


def item_id_of(workspace_id: WorkspaceId, hash: str) -> ItemId:
    """Return the id of an old item in a workspace."""
    return ItemId(f"{hash_part(workspace_id, hash)[:_DERIVED]}.{hash}")


def hash_of(workspace_id: WorkspaceId, item_id: ItemId) -> str | None:
    """Return the hash of the old item with this id; None if the id is not derived from one."""
    _, dot, hash = item_id.partition(".")
    return hash if dot and hash and item_id_of(workspace_id, hash) == item_id else None


def item_of(old: LegacyItem, workspace_id: WorkspaceId, layout: Layout) -> Item:
    """Convert an old item. Attributes without a field go into its data."""
    row = _content(old.other, layout)
    title = row.get("title")
    rest = {name: value for name, value in row.items() if name not in _TAKEN}
    if title is None:
        title = rest.pop("name", old.hash)
    data = row.get("data")
    status = row.get("status")
    return Item(
        workspace_id=workspace_id,
        item_id=item_id_of(workspace_id, old.hash),
        title=str(title),
        status=None if status is None else str(status),
        data=rest | (data if isinstance(data, dict) else {} if data is None else {"data": data}),
        created_at=_moment(row.get("createdAt")) or EPOCH,
        updated_at=_moment(row.get("updatedAt")),
        legacy_hash=old.hash,
    )


def setting_of(old: LegacySetting, workspace_id: WorkspaceId, layout: Layout) -> Setting:
    """Convert an old setting: its `value`, or all of its attributes."""
    row = _content(old.other, layout)
    value = row["value"] if "value" in row else {name: held for name, held in row.items() if name != "name"}
    return Setting(workspace_id=workspace_id, name=old.name, value=value, updated_at=_moment(row.get("updatedAt")))


def _content(row: Mapping[str, Any], layout: Layout) -> StoredItem:
    """Return the attributes of an old row without its keys."""
    keys = layout.key_attributes() | {layout.entity_type, layout.ttl}
    return {name: value for name, value in row.items() if name not in keys and value is not None}


def _moment(value: object) -> Instant | None:
    """Convert a time of another writer; None if it is invalid."""
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return instant(round(parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp() * 1000))
        if isinstance(value, int | float):
            return instant(round(value if value >= _MILLISECONDS_FROM else value * 1000))
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _settings_question(workspace_id: WorkspaceId) -> bytes:
    return f"settings {workspace_id}".encode()
