"""The events of workspaces, and their audience."""

from __future__ import annotations

import pytest

from events.recorder import EventRecorder, Published, added_members, names, published, removed_members
from sobremesa.app import Sobremesa
from sobremesa.domains.workspaces.entities import SettingName, item_by_id, setting_by_name
from sobremesa.live import events as topics
from sobremesa.live.events import TopicMembership, TopicRemoval
from sobremesa.table import Delete, Update, set_to
from workspaces.team import Team, gather_team, join


@pytest.fixture
async def team(app: Sobremesa) -> Team:
    return await gather_team(app)


@pytest.fixture
async def recorder(team: Team, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


async def test_new_workspace_member_receives_the_workspace_and_all_members_the_new_one(
    team: Team, recorder: EventRecorder
) -> None:
    await join(team.app, team.owner, team.workspace_id, team.stranger)
    events = await recorder.publications()

    topic = topics.workspace(team.workspace_id)
    assert [published(each)[:2] for each in events] == [
        ("workspace.created", (topics.user(team.stranger.user_id),)),
        ("workspace.member.joined", (topic,)),
    ]
    assert published(events[0]).d["name"] == "The kitchen"
    assert published(events[1]).d["role"] == "member"
    assert added_members(events) == [TopicMembership(team.stranger.user_id, topic)]


async def test_names_roles_and_departures_are_published_to_all_members(team: Team, recorder: EventRecorder) -> None:
    topic = topics.workspace(team.workspace_id)
    await team.app.workspaces.rename(team.owner, team.workspace_id, name="The pantry")
    await team.app.workspaces.members.change_role(team.owner, team.workspace_id, team.member.user_id, role="admin")
    await team.app.workspaces.members.remove(team.member, team.workspace_id, team.member.user_id)
    events = await recorder.publications()

    renamed, changed, left = map(published, events)
    assert (renamed.t, renamed.topics, renamed.d["name"]) == ("workspace.updated", (topic,), "The pantry")
    assert (changed.t, changed.topics, changed.d["role"]) == ("workspace.member.updated", (topic,), "admin")
    gone = {"workspaceId": team.workspace_id, "userId": team.member.user_id}
    assert left == Published("workspace.member.left", (topic, topics.user(team.member.user_id)), gone)
    assert removed_members(events) == [TopicRemoval(team.member.user_id, topic)]


async def test_items_are_published_and_a_tombstone_is_a_deletion(team: Team, recorder: EventRecorder) -> None:
    items, topic = team.app.workspaces.items, topics.workspace(team.workspace_id)
    item = await items.create(team.owner, team.workspace_id, title="Flour", data={"kg": 2})
    key = item_by_id(workspace_id=team.workspace_id, item_id=item.item_id)
    await items.change(team.owner, team.workspace_id, item.item_id, version=item.version, changes={"title": "Rye"})
    await team.app.table.write(Update(key, set_to(deleted_at=item.created_at)))
    await team.app.table.write(Delete(key))
    events = await recorder.published()

    assert [(each.t, each.topics) for each in events] == [
        ("workspace.item.created", (topic,)),
        ("workspace.item.updated", (topic,)),
        ("workspace.item.deleted", (topic,)),
    ]
    assert [each.d.get("title") for each in events] == ["Flour", "Rye", None]
    assert events[-1].d == {"workspaceId": team.workspace_id, "itemId": item.item_id}


async def test_settings_are_published(team: Team, recorder: EventRecorder) -> None:
    name = SettingName("theme")
    await team.app.workspaces.settings.put(team.owner, team.workspace_id, name, {"dark": True})
    await team.app.table.write(Delete(setting_by_name(workspace_id=team.workspace_id, name=name)))
    given, gone = await recorder.published()

    assert given[:2] == ("workspace.setting.updated", (topics.workspace(team.workspace_id),))
    assert (given.d["workspaceId"], given.d["name"], given.d["value"]) == (team.workspace_id, "theme", {"dark": True})
    assert gone == Published(
        "workspace.setting.deleted", given.topics, {"workspaceId": team.workspace_id, "name": "theme"}
    )


async def test_workspace_deleted_is_published_to_each_member_and_nothing_else(
    team: Team, recorder: EventRecorder
) -> None:
    await team.app.workspaces.items.create(team.owner, team.workspace_id, title="Flour", data={})
    await team.app.workspaces.settings.put(team.owner, team.workspace_id, SettingName("theme"), 1)
    await recorder.publications()

    await team.app.workspaces.delete(team.owner, team.workspace_id)
    events = await recorder.publications()
    await team.app.jobs.run_pending(team.app.handlers)

    inside = (team.owner, team.admin, team.member)
    assert sorted(published(each) for each in events if each.event is not None) == sorted(
        Published("workspace.deleted", (topics.user(who.user_id),), {"workspaceId": team.workspace_id})
        for who in inside
    )
    assert TopicRemoval(None, topics.workspace(team.workspace_id)) in removed_members(events)
    assert names(await recorder.publications()) == []
