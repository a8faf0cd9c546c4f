"""Items with versions, and settings with types."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import msgspec
import pytest

from communities.conftest import Ahead
from sobremesa.app import Sobremesa
from sobremesa.core.errors import Forbidden, NotFound, StaleVersion
from sobremesa.core.settings import Settings
from sobremesa.domains.workspaces.entities import ItemId, SettingName
from sobremesa.domains.workspaces.errors import WrongSetting
from workspaces.team import Team, gather_team


async def test_item_is_created_changed_listed_by_status_and_deleted(team: Team) -> None:
    app, at = team.app, team.workspace_id
    created = await app.workspaces.items.create(
        team.member, at, title="Coffee", status="open", data={"amount": 2, "of": ["kg"]}
    )
    other = await app.workspaces.items.create(team.owner, at, title="Cake")

    changed = await app.workspaces.items.change(team.admin, at, created.item_id, version=1, changes={"status": "done"})

    assert (changed.version, changed.status, changed.title, changed.data) == (2, "done", "Coffee", created.data)
    assert await app.workspaces.items.get(team.member, at, created.item_id) == changed
    assert await team.items() == [changed, other]
    assert await team.items(status="done") == [changed]
    assert await team.items(status="open") == []
    await app.workspaces.items.delete(team.member, at, created.item_id)
    assert await team.items() == [other]
    for attempt in (
        app.workspaces.items.get(team.member, at, created.item_id),
        app.workspaces.items.delete(team.member, at, created.item_id),
        app.workspaces.items.change(team.member, at, created.item_id, version=2, changes={}),
        app.workspaces.items.get(team.member, at, ItemId("nothing")),
    ):
        with pytest.raises(NotFound):
            await attempt


async def test_one_of_concurrent_changes_succeeds_and_the_rest_get_the_current_item(team: Team) -> None:
    app, at = team.app, team.workspace_id
    created = await app.workspaces.items.create(team.member, at, title="Coffee")

    outcomes = await asyncio.gather(
        *(
            app.workspaces.items.change(team.member, at, created.item_id, version=1, changes={"title": str(n)})
            for n in range(10)
        ),
        return_exceptions=True,
    )

    [winner] = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    stale = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert {type(each) for each in stale} == {StaleVersion}
    assert all(each.data["current"] == winner for each in stale if isinstance(each, StaleVersion))
    assert await app.workspaces.items.get(team.owner, at, created.item_id) == winner


async def test_creating_an_item_twice_with_one_key_creates_one(team: Team) -> None:
    created = await asyncio.gather(
        *(team.app.workspaces.items.create(team.member, team.workspace_id, title="x", key="k") for _ in range(4))
    )

    assert len({item.item_id for item in created}) == 1
    assert len(await team.items()) == 1


async def test_setting_has_any_name_and_value_and_is_set_by_admins(team: Team) -> None:
    app, at = team.app, team.workspace_id
    with pytest.raises(NotFound):
        await app.workspaces.settings.get(team.member, at, SettingName("theme"))
    with pytest.raises(Forbidden):
        await app.workspaces.settings.put(team.member, at, SettingName("theme"), "dark")

    for value in ({"colour": "blue", "sizes": [1, 2.5, None]}, [True], 7, None):
        await app.workspaces.settings.put(team.admin, at, SettingName("theme"), value)
        assert (await app.workspaces.settings.get(team.member, at, SettingName("theme"))).value == value
    await app.workspaces.settings.put(team.admin, at, SettingName("a name"), "x")

    first, cursor = await app.workspaces.settings.list_settings(team.member, at, limit=1)
    second, end = await app.workspaces.settings.list_settings(team.member, at, limit=1, cursor=cursor)
    assert [setting.name for setting in first + second] == ["a name", "theme"]
    assert end is None or (await app.workspaces.settings.list_settings(team.member, at, limit=1, cursor=end))[0] == []


class Hours(msgspec.Struct, forbid_unknown_fields=True):
    opens: Annotated[int, msgspec.Meta(ge=0, le=23)]


async def test_registered_setting_accepts_values_of_its_type_only(store: str, clock: Ahead) -> None:
    types = {"hours": Hours, "theme": Literal["dark", "light"]}
    settings = Settings(rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False, setting_types=types) as app:
        team = await gather_team(app)
        options, at = app.workspaces.settings, team.workspace_id

        for name, value in (("hours", {"opens": 24}), ("hours", {"opens": 9, "x": 1}), ("theme", "blue"), ("theme", 1)):
            with pytest.raises(WrongSetting) as refused:
                await options.put(team.owner, at, SettingName(name), value)
            assert refused.value.data["errors"][0]["pointer"] == "#/value"

        assert (await options.put(team.owner, at, SettingName("hours"), {"opens": 9})).value == {"opens": 9}
        await options.put(team.owner, at, SettingName("theme"), "dark")
        await options.put(team.owner, at, SettingName("anything else"), "blue")
