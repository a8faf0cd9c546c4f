"""What is told of workspaces, and to whom."""

from __future__ import annotations

import pytest

from announcing.ear import Ear, Told, admitted, expelled, names, told
from sobremesa.app import Sobremesa
from sobremesa.domains.workspaces.entities import SettingName, item_by_id, setting_by_name
from sobremesa.live import events as topics
from sobremesa.live.events import Admission, Expulsion
from sobremesa.table import Delete, Update, set_to
from workspaces.team import Team, gather_team, join


@pytest.fixture
async def team(app: Sobremesa) -> Team:
    return await gather_team(app)


@pytest.fixture
async def ear(team: Team, ear: Ear) -> Ear:
    await ear.listen()
    return ear


async def test_whoever_comes_in_hears_of_the_workspace_and_everybody_of_them(team: Team, ear: Ear) -> None:
    await join(team.app, team.owner, team.workspace_id, team.stranger)
    heard = await ear.hears()

    topic = topics.workspace(team.workspace_id)
    assert [told(each)[:2] for each in heard] == [
        ("workspace.created", (topics.person(team.stranger.user_id),)),
        ("workspace.member.joined", (topic,)),
    ]
    assert told(heard[0]).d["name"] == "The kitchen"
    assert told(heard[1]).d["role"] == "member"
    assert admitted(heard) == [Admission(team.stranger.user_id, topic)]


async def test_names_roles_and_leaving_are_told_to_all(team: Team, ear: Ear) -> None:
    topic = topics.workspace(team.workspace_id)
    await team.app.workspaces.rename(team.owner, team.workspace_id, name="The pantry")
    await team.app.members.change_role(team.owner, team.workspace_id, team.member.user_id, role="admin")
    await team.app.members.remove(team.member, team.workspace_id, team.member.user_id)
    heard = await ear.hears()

    renamed, changed, left = map(told, heard)
    assert (renamed.t, renamed.topics, renamed.d["name"]) == ("workspace.updated", (topic,), "The pantry")
    assert (changed.t, changed.topics, changed.d["role"]) == ("workspace.member.updated", (topic,), "admin")
    gone = {"workspaceId": team.workspace_id, "userId": team.member.user_id}
    assert left == Told("workspace.member.left", (topic, topics.person(team.member.user_id)), gone)
    assert expelled(heard) == [Expulsion(team.member.user_id, topic)]


async def test_items_are_told_and_a_tombstone_is_a_deletion(team: Team, ear: Ear) -> None:
    items, topic = team.app.items, topics.workspace(team.workspace_id)
    item = await items.create(team.owner, team.workspace_id, title="Flour", data={"kg": 2})
    key = item_by_id(workspace_id=team.workspace_id, item_id=item.item_id)
    await items.change(team.owner, team.workspace_id, item.item_id, version=item.version, changes={"title": "Rye"})
    await team.app.table.write(Update(key, set_to(deleted_at=item.created_at)))
    await team.app.table.write(Delete(key))
    heard = await ear.told()

    assert [(each.t, each.topics) for each in heard] == [
        ("workspace.item.created", (topic,)),
        ("workspace.item.updated", (topic,)),
        ("workspace.item.deleted", (topic,)),
    ]
    assert [each.d.get("title") for each in heard] == ["Flour", "Rye", None]
    assert heard[-1].d == {"workspaceId": team.workspace_id, "itemId": item.item_id}


async def test_settings_are_told(team: Team, ear: Ear) -> None:
    name = SettingName("theme")
    await team.app.workspace_settings.put(team.owner, team.workspace_id, name, {"dark": True})
    await team.app.table.write(Delete(setting_by_name(workspace_id=team.workspace_id, name=name)))
    given, gone = await ear.told()

    assert given[:2] == ("workspace.setting.updated", (topics.workspace(team.workspace_id),))
    assert (given.d["workspaceId"], given.d["name"], given.d["value"]) == (team.workspace_id, "theme", {"dark": True})
    assert gone == Told("workspace.setting.deleted", given.topics, {"workspaceId": team.workspace_id, "name": "theme"})


async def test_a_deleted_workspace_is_told_to_each_who_was_in_it_and_nothing_more(team: Team, ear: Ear) -> None:
    await team.app.items.create(team.owner, team.workspace_id, title="Flour", data={})
    await team.app.workspace_settings.put(team.owner, team.workspace_id, SettingName("theme"), 1)
    await ear.hears()

    await team.app.workspaces.delete(team.owner, team.workspace_id)
    heard = await ear.hears()
    await team.app.jobs.run_pending(team.app.handlers)

    inside = (team.owner, team.admin, team.member)
    assert sorted(told(each) for each in heard if each.t) == sorted(
        Told("workspace.deleted", (topics.person(who.user_id),), {"workspaceId": team.workspace_id}) for who in inside
    )
    assert Expulsion(None, topics.workspace(team.workspace_id)) in expelled(heard)
    assert names(await ear.hears()) == []
