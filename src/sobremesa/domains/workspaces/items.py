"""Items: what people in a workspace keep, each with a version that every change must have seen.

While old rows are being moved, an item that stands only in its old row yet is read from there, and a change of it makes
the new row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.workspaces.access import Access, ActingMember
from sobremesa.domains.workspaces.entities import (
    Item,
    ItemId,
    WorkspaceId,
    change_item,
    create_item,
    delete_item,
    item_by_id,
    items_of,
)
from sobremesa.domains.workspaces.errors import ChangedMeanwhile, StaleVersion
from sobremesa.domains.workspaces.legacy import Legacy, ListPosition
from sobremesa.table import Condition, Create, Delete, Put, Table, absent, absent_or_null, equals, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency

_ITEM = 0
"""The item's position among the operations of a change."""


class Items:
    """Items of workspaces."""

    def __init__(
        self, table: Table, clock: Clock, ids: Ids, access: Access, idempotency: Idempotency, legacy: Legacy
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._access = access
        self._idempotency = idempotency
        self._legacy = legacy

    async def create(
        self,
        actor: Actor,
        workspace_id: WorkspaceId,
        *,
        title: str,
        status: str | None = None,
        data: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Item:
        """Make an item."""
        acting = await self._access.require_member(actor, workspace_id, "write")
        claim = self._idempotency.claim(actor, key, "item", [workspace_id, title, status, data])

        now = self._clock.now()
        item = Item(
            workspace_id=workspace_id,
            item_id=ItemId(self._ids.mint()),
            title=title,
            status=status,
            data=dict(data or {}),
            created_by=actor.user_id,
            created_at=now,
            updated_by=actor.user_id,
            updated_at=now,
        )
        try:
            await self._table.write(Create(item), acting.still(), *claim.operations(item.item_id), pattern=create_item)
        except ConditionFailed as failed:
            made = await claim.made(failed)
            if made is None:
                raise NotFound from None
            return await self.get(actor, workspace_id, ItemId(made))

        return item

    async def get(self, actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> Item:
        """An item of a workspace that one is in."""
        await self._access.require_member(actor, workspace_id)
        return await self._get(workspace_id, item_id)

    async def list_items(
        self,
        actor: Actor,
        workspace_id: WorkspaceId,
        *,
        status: str | None = None,
        limit: int,
        cursor: str | None = None,
    ) -> tuple[list[Item], str | None]:
        """The items of a workspace, or those of one status. A page may be shorter than its limit."""
        await self._access.require_member(actor, workspace_id)
        position = await self._legacy.position(workspace_id, cursor)

        found: list[Item] = []
        following: str | None = None
        if position.part == "new":
            found, following = await self._page(workspace_id, position, status, limit)
            if position.old is None or following is not None:
                return found, following
            if len(found) >= limit:
                return found, position.start_of_old()
        items, following = await self._legacy.page(position, max(limit - len(found), 1))
        return found + [item for item in items if status is None or item.status == status], following

    async def change(
        self, actor: Actor, workspace_id: WorkspaceId, item_id: ItemId, *, version: int, changes: Mapping[str, Any]
    ) -> Item:
        """Change an item as it was seen; StaleVersion with the current one if it has changed since."""
        acting = await self._access.require_member(actor, workspace_id, "write")
        item = await self._get(workspace_id, item_id)
        if item.version != version:
            raise StaleVersion(current=item)

        changed = msgspec.structs.replace(
            item,
            **changes,
            version=version + 1,
            updated_by=actor.user_id,
            updated_at=self._clock.now(),
            legacy_print=None,
        )
        await self._replace(acting, item, Put(changed, when=_as_seen(item)))

        return changed

    async def delete(self, actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> None:
        """Delete an item. Of one that came from an old row a tombstone stays, so that it does not come back."""
        acting = await self._access.require_member(actor, workspace_id, "write")
        item = await self._get(workspace_id, item_id)

        if item.legacy_hash is None:
            try:
                await self._table.write(Delete(item.own_key()), acting.still(), pattern=delete_item)
            except ConditionFailed:
                raise NotFound from None
            return
        tombstone = Item(
            workspace_id=workspace_id,
            item_id=item_id,
            version=item.version + 1,
            updated_by=actor.user_id,
            deleted_at=self._clock.now(),
            legacy_hash=item.legacy_hash,
        )
        try:
            await self._table.write(
                Put(tombstone, when=absent_or_null("deleted_at")), acting.still(), pattern=delete_item
            )
        except ConditionFailed as failed:
            raise NotFound if failed.at(_ITEM) else ChangedMeanwhile from None

    # Inside

    async def _page(
        self, workspace_id: WorkspaceId, position: ListPosition, status: str | None, limit: int
    ) -> tuple[list[Item], str | None]:
        where = absent_or_null("deleted_at")
        if status is not None:
            where &= equals("status", status)
        question = items_of(workspace_id=workspace_id)
        page = await self._table.query(question, limit=limit, cursor=position.cursor, where=where)
        found = page.items if position.old is None else await self._legacy.without_old_rows(page.items)
        return found, position.next_cursor(page.cursor)

    async def _get(self, workspace_id: WorkspaceId, item_id: ItemId) -> Item:
        """The item from where it stands now; NotFound if it is nowhere, or deleted."""
        item = await self._table.get(item_by_id(workspace_id=workspace_id, item_id=item_id))
        if item is None:
            item = await self._legacy.find_item(workspace_id, item_id)
        if item is None or item.deleted_at is not None:
            raise NotFound
        return item

    async def _replace(self, acting: ActingMember, seen: Item, write: Put[Item]) -> None:
        try:
            await self._table.write(write, acting.still(), pattern=change_item)
        except ConditionFailed as failed:
            if failed.at(_ITEM):
                current = await self._get(seen.workspace_id, seen.item_id)
                raise StaleVersion(current=current) from None
            raise ChangedMeanwhile from None


def _as_seen(item: Item) -> Condition:
    """That the item is as it was read; one that was read from its old row may have no new row yet."""
    seen = equals("version", item.version)
    if item.version == 1:
        seen |= present() & absent_or_null("version")
    if item.version == 1 and item.legacy_hash is not None:
        seen |= absent()
    return seen
