"""Workspaces, and rows that are moved into one, in a table with other names and in the style of ElectroDB."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import actor_of
from migration.before import Before, old_item, old_setting
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.workspaces.entities import SettingName
from sobremesa.table import Layout, RawKey
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item as StoredItem
from table.engines import MAPS
from workspaces.team import gather_team


@pytest.fixture(params=MAPS)
async def app(request: pytest.FixtureRequest, store: str, clock: Ahead) -> AsyncIterator[Sobremesa]:
    settings = Settings(**CHEAP, rate_limits="off", names=MAPS[request.param])
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


def spelled(row: StoredItem, layout: Layout) -> StoredItem:
    """An old row as a table of this layout has it."""
    names = {"pk": layout.pk, "sk": layout.sk}
    for index, there in layout.indexes.items():
        names |= {f"{index}pk": there.pk, f"{index}sk": there.sk}
    spell = layout.spelling.key if layout.spelling else str
    return {names.get(name, name): spell(value) if name in names else value for name, value in row.items()}


async def test_a_team_works_and_old_rows_come_in(app: Sobremesa, clock: Ahead) -> None:
    team = await gather_team(app)
    at, layout = team.workspace_id, app.table.layout
    created = await app.workspaces.items.create(team.member, at, title="New", data={"a": 1})
    await app.workspaces.settings.put(team.owner, at, SettingName("Theme"), "dark")
    rows = [*(old_item(number) for number in range(12)), old_setting("language", "es")]
    for row in (spelled({name: value for name, value in row.items() if name != "entityType"}, layout) for row in rows):
        await app.table.engine.write(PutItem(RawKey(row[layout.pk], row[layout.sk]), row))
    before = Before(app, team.owner, at, 12)
    migrations = app.moving_workspaces()
    everything = sorted(["New", *(f"Old item {number}" for number in range(12))])

    all_items = "ITEMS" if layout.spelling is None else "items"
    await migrations.plan({"workspace": at, "allItems": all_items})
    clock.move(seconds=2)
    assert sorted(item.title for item in await before.items()) == everything
    await migrations.backfill()
    assert (await migrations.verify()).mismatches == []
    await migrations.cut_over()
    clock.move(seconds=2)

    titles, settings = await before.everything()
    assert sorted(titles) == everything
    assert settings == {"Theme": "dark", "language": "es"}
    assert await app.workspaces.items.get(team.member, at, created.item_id) == created
    assert await team.mine(team.member) == [at]
    assert await team.mine(actor_of("nobody")) == []
    assert (await app.adopting().adopt()).mismatches == []
    await app.workspaces.delete(team.owner, at)
    await app.jobs.run_pending(app.handlers)
    assert await team.mine(team.member) == []
