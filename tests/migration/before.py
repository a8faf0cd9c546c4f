"""A table of the design before workspaces, and a workspace beside it that is to take its rows."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any, NamedTuple

from communities.environment import actor_of
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.domains.workspaces.entities import Item, ItemId, WorkspaceId
from sobremesa.domains.workspaces.legacy import item_id_of
from sobremesa.table import RawKey
from sobremesa.table.engines.protocol import DeleteItem, Engine, PutItem
from sobremesa.table.values import Item as StoredItem
from sobremesa.work.migration import Migrations

ALL_ITEMS = "ITEMS"
BATCH = 25


def hash_of_number(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:32]


def old_item(number: int, **changes: Any) -> StoredItem:
    """An item as the old program writes it."""
    hash = hash_of_number(number)
    status = "open" if number % 3 else "done"
    row = {
        "pk": f"ITEM#{hash}",
        "sk": "ITEM",
        "gsi1pk": ALL_ITEMS,
        "gsi1sk": f"{number:08}",
        "gsi2pk": f"STATUS#{status}",
        "gsi2sk": f"{number:08}",
        "entityType": "Item",
        "title": f"Old item {number}",
        "status": status,
        "createdAt": "2025-06-01T12:00:00Z",
        "price": number / 4,
        "tags": ["a", "b"],
    }
    return row | changes


def old_setting(name: str, value: Any) -> StoredItem:
    return {"pk": "SETTINGS", "sk": f"SET#{name}", "value": value}


async def put(engine: Engine, *rows: StoredItem) -> None:
    """Written by the old program, past everything of ours."""
    for begin in range(0, len(rows), BATCH):
        batch = [PutItem(RawKey(row["pk"], row["sk"]), row) for row in rows[begin : begin + BATCH]]
        answer = await engine.batch_write(batch)
        assert not answer.unprocessed


class Before(NamedTuple):
    """A workspace, its owner, and so many old rows."""

    app: Sobremesa
    owner: Actor
    workspace_id: WorkspaceId
    old_count: int

    def migrations(self, units: float | None = None) -> Migrations:
        return self.app.moving_workspaces(units_a_second=units)

    async def plan(self) -> Migrations:
        migrations = self.migrations()
        await migrations.plan({"workspace": self.workspace_id, "allItems": ALL_ITEMS})
        return migrations

    async def phase(self) -> str | None:
        found = await self.migrations().status()
        return None if found is None else found.phase

    def id_of(self, number: int) -> ItemId:
        return item_id_of(self.workspace_id, hash_of_number(number))

    async def items(self, *, limit: int = 7, status: str | None = None) -> list[Item]:
        """All items, page by page."""
        found: list[Item] = []
        cursor: str | None = None
        while True:
            page, cursor = await self.app.workspaces.items.list_items(
                self.owner, self.workspace_id, limit=limit, cursor=cursor, status=status
            )
            found += page
            if cursor is None:
                return found
            await asyncio.sleep(0.001)  # reads of a file do not wait: let others have their turn

    async def everything(self, *, limit: int = 11) -> tuple[list[str], dict[str, Any]]:
        """The titles and settings of the whole workspace, page by page."""
        titles: list[str] = []
        settings: dict[str, Any] = {}
        cursor: str | None = None
        while True:
            page = await self.app.workspaces.get_everything(self.owner, self.workspace_id, limit=limit, cursor=cursor)
            titles += [item.title for item in page.items]
            settings |= {setting.name: setting.value for setting in page.settings}
            cursor = page.cursor
            if cursor is None:
                return titles, settings

    async def write_old(self, *rows: StoredItem) -> None:
        await put(self.app.table.engine, *rows)

    async def delete_old(self, number: int) -> None:
        row = old_item(number)
        await self.app.table.engine.write(DeleteItem(RawKey(row["pk"], row["sk"])))


async def fill(app: Sobremesa, count: int) -> Before:
    owner = actor_of("olga")
    created = await app.workspaces.create(owner, name="The kitchen")
    rows = [old_item(number) for number in range(count)]
    await put(app.table.engine, *rows, old_setting("theme", "light"), old_setting("limits", {"a": 1, "b": [2.5]}))
    return Before(app, owner, created.workspace.workspace_id, count)
