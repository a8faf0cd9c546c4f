"""A server serves a table on DynamoDB while commands beside it move its rows: no request fails, over HTTP.

`test_killed` does the same on a file, through the library.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from api.calling import Caller, client_of, register
from api.running import serving, sobremesa
from communities.conftest import store
from migration.before import hash_of_number, old_item, old_setting, put
from sobremesa.domains.workspaces.entities import WorkspaceId
from sobremesa.domains.workspaces.legacy import item_id_of
from sobremesa.table import open_engine

__all__ = ["store"]

ROWS = 60
KNOWN_WITHIN_SECONDS = 30.0


class Reader:
    """Reads everything over and over; whatever happens, all of it is there once."""

    def __init__(self, caller: Caller, at: str) -> None:
        self.caller = caller
        self.at = at
        self.rounds = 0
        self.is_over = asyncio.Event()

    async def run(self) -> None:
        while not self.is_over.is_set():
            listed = await pages(self.caller, f"{self.at}/items", "items")
            whole = await pages(self.caller, self.at, "items")
            for found in (listed, whole):
                counted = Counter(item["itemId"] for item in found)
                assert (len(counted), max(counted.values())) == (ROWS + 1, 1)
            assert (await self.caller.get(f"{self.at}/settings/theme"))["value"] == "light"
            self.rounds += 1
            await asyncio.sleep(0.02)  # the commands beside it need the processor too


async def pages(caller: Caller, path: str, field: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await caller.get(path, limit=20, **cursor)
        found += page[field]
        if page["next"] is None:
            return found
        cursor = {"cursor": page["next"]}


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", ["dynamodb", "sharded"], indirect=True)
async def test_users_of_a_server_do_not_notice_the_migration(store: str, tmp_path: Path) -> None:
    with serving(store, tmp_path / "log") as server:
        async with client_of(server.url) as http:
            ana = await register(http, "ana")
            at = f"/workspaces/{(await ana.post('/workspaces', {'name': 'The kitchen'}))['workspaceId']}"
            workspace_id = WorkspaceId(at.rpartition("/")[2])
            await ana.post(f"{at}/items", {"title": "New"})
            await write_old(store, *range(ROWS))
            command = ("migrate", "workspaces")
            await sobremesa(*command, "plan", "--workspace", workspace_id, "--store", store)
            await until_listed(ana, at, ROWS + 1)  # the server knows of the plan
            reader = Reader(ana, at)
            reading = asyncio.create_task(reader.run())

            here = f"{at}/items/{item_id_of(workspace_id, hash_of_number(7))}"
            assert (await ana.get(here))["title"] == "Old item 7"
            changed = await ana.patch(here, {"version": 1, "title": "Changed"})
            stale = await ana.patch(here, {"version": 1, "title": "Late"}, expect=409)
            assert stale["current"] == changed
            for step in ("backfill", "verify", "cutover", "rollback", "backfill", "cutover"):
                await sobremesa(*command, step, "--store", store)
                assert (await ana.get(here)) == changed
            reader.is_over.set()
            await reading
            assert reader.rounds > 2

            await sobremesa(*command, "rollback", "--store", store)
            await write_old(store, ROWS)
            await until_listed(ana, at, ROWS + 2)  # the server knows of the way back
            await sobremesa(*command, "cutover", "--store", store)
            await write_old(store, ROWS + 1)
            await until_listed(ana, at, ROWS + 2)  # and of the cut-over: what is old now is no longer shown


async def until_listed(caller: Caller, at: str, count: int) -> None:
    async with asyncio.timeout(KNOWN_WITHIN_SECONDS):
        while len(await pages(caller, f"{at}/items", "items")) != count:  # noqa: ASYNC110 - another process does it
            await asyncio.sleep(0.05)


async def write_old(store: str, *numbers: int) -> None:
    engine = await open_engine(store, janitor=False)
    await put(engine, *map(old_item, numbers), old_setting("theme", "light"))
    await engine.close()
