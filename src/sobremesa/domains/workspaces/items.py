"""Items of workspaces, each with a version that every change must name.

During the migration of old rows, an item that exists only as an old row is read from it, and a change creates the new
row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound, StaleVersion
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
from sobremesa.domains.workspaces.legacy import Legacy, ListPosition
from sobremesa.table import Condition, Create, Delete, Put, Table, absent, absent_or_null, equals, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency


class Items:
    """The items of workspaces."""

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
        """Create an item."""
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
            await self._table.write(
                item=Create(item), actor=acting.still(), idempotency=claim.operations(item.item_id), pattern=create_item
            )
        except ConditionFailed as failed:
            existing = await claim.created(failed)
            if existing is None:
                raise NotFound from None
            return await self.get(actor, workspace_id, ItemId(existing))

        return item

    async def get(self, actor: Actor, workspace_id: WorkspaceId, item_id: ItemId) -> Item:
        """Return an item; NotFound if there is none."""
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
        """Return a page of items, optionally of one status. It may be shorter than its limit."""
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
        """Change an item; StaleVersion with the current item if it has changed since `version`."""
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
        """Delete an item. A migrated item leaves a tombstone, so that its old row does not reappear."""
        acting = await self._access.require_member(actor, workspace_id, "write")
        item = await self._get(workspace_id, item_id)

        if item.legacy_hash is None:
            try:
                await self._table.write(item=Delete(item.own_key()), actor=acting.still(), pattern=delete_item)
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
                item=Put(tombstone, when=absent_or_null("deleted_at")), actor=acting.still(), pattern=delete_item
            )
        except ConditionFailed as failed:
            raise NotFound if "item" in failed else ChangedMeanwhile from None

    # Internals

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
        """Return an item from its new or old row; NotFound if there is none or it is deleted."""
        item = await self._table.get(item_by_id(workspace_id=workspace_id, item_id=item_id))
        if item is None:
            item = await self._legacy.find_item(workspace_id, item_id)
        if item is None or item.deleted_at is not None:
            raise NotFound
        return item

    async def _replace(self, acting: ActingMember, seen: Item, write: Put[Item]) -> None:
        try:
            await self._table.write(item=write, actor=acting.still(), pattern=change_item)
        except ConditionFailed as failed:
            if "item" in failed:
                current = await self._get(seen.workspace_id, seen.item_id)
                raise StaleVersion(current=current) from None
            raise ChangedMeanwhile from None


def _as_seen(item: Item) -> Condition:
    """Return the condition that an item is unchanged; an item read from an old row may have no new row yet."""
    seen = equals("version", item.version)
    if item.version == 1:
        seen |= present() & absent_or_null("version")
    if item.version == 1 and item.legacy_hash is not None:
        seen |= absent()
    return seen
