"""What each operation of a workspace costs: requests of each kind, and units, the same on both engines.

A number that grows here is a decision, not an accident: change it together with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import requests
from communities.test_budgets import Cost
from conversations.users import known
from sobremesa.core.actor import Actor, KeyId
from sobremesa.domains.workspaces.entities import SettingName
from sobremesa.table import measure
from workspaces.team import Team

# The member check is one consistent read. A list that may contain old rows reads the state of the migration, at most
# once a second.
BUDGETS: dict[str, Cost] = {
    "make a workspace": Cost({"transact": 1}, 0, 7),
    "list two workspaces": Cost({"query": 1, "batch_get": 2}, 4.5, 0),
    "make an item": Cost({"get": 1, "transact": 1}, 1, 5),
    "change an item": Cost({"get": 2, "transact": 1}, 2, 5),
    "get an item": Cost({"get": 2}, 2, 0),
    "set a setting": Cost({"get": 1, "transact": 1}, 1, 4),
    "get a setting": Cost({"get": 2}, 2, 0),
    "everything: 200 items": Cost({"get": 1, "query": 1}, 21, 0),
    "a page of 50 items": Cost({"get": 1, "query": 1}, 6, 0),
    "delete an item": Cost({"get": 2, "transact": 1}, 2, 5),
    "make an invite": Cost({"get": 1, "transact": 1}, 1, 6),
    # Two of these are the condition that the creator of the invite is still a member.
    "come in": Cost({"get": 3, "transact": 1}, 3, 11),
    "add a member by a key": Cost({"get": 2, "transact": 1}, 2, 9),
    "give a role": Cost({"get": 4, "transact": 1}, 4, 9),
    "leave": Cost({"get": 2, "transact": 1}, 2, 5),
    "delete a workspace of three": Cost({"get": 2, "query": 1, "transact": 1}, 3, 15),
}


@pytest.fixture
async def still(team: Team, clock: Ahead, monkeypatch: pytest.MonkeyPatch) -> Team:
    """The team with a cached state of the migration."""
    clock.move(seconds=2)
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    await team.items()
    return team


async def costs_of(team: Team) -> dict[str, Cost]:
    app, at = team.app, team.workspace_id
    costs: dict[str, Cost] = {}

    async def spend(name: str, verb: Awaitable[Any]) -> Any:
        with requests(app) as asked, measure() as used:
            result = await verb
        costs[name] = Cost(dict(asked), used.read, used.write)
        return result

    await spend("make a workspace", app.workspaces.create(team.member, name="Another"))
    await spend("list two workspaces", app.workspaces.list_workspaces(team.member, limit=50))
    item = await spend("make an item", app.workspaces.items.create(team.member, at, title="Coffee", status="open"))
    await spend(
        "change an item", app.workspaces.items.change(team.member, at, item.item_id, version=1, changes={"title": "x"})
    )
    await spend("get an item", app.workspaces.items.get(team.member, at, item.item_id))
    await spend("set a setting", app.workspaces.settings.put(team.owner, at, SettingName("theme"), "dark"))
    await spend("get a setting", app.workspaces.settings.get(team.member, at, SettingName("theme")))
    for number in range(199):
        await app.workspaces.items.create(team.owner, at, title=f"Item {number:03}", status="open")
    await spend("everything: 200 items", app.workspaces.get_everything(team.member, at, limit=1000))
    await spend("a page of 50 items", app.workspaces.items.list_items(team.member, at, limit=50))
    await spend("delete an item", app.workspaces.items.delete(team.member, at, item.item_id))
    invite = await spend("make an invite", app.workspaces.invites.create(team.owner, at))
    [dora] = await known(app, "dora")
    await spend("come in", app.invites.redeem(dora, invite.code))
    backend = Actor(key_id=KeyId("backend"), scopes=frozenset({"rooms:write"}))
    [emma] = await known(app, "emma")
    await spend("add a member by a key", app.workspaces.members.add(backend, at, emma.user_id))
    await app.workspaces.members.remove(team.owner, at, emma.user_id)
    await spend("give a role", app.workspaces.members.change_role(team.owner, at, dora.user_id, role="admin"))
    await spend("leave", app.workspaces.members.remove(dora, at, dora.user_id))
    await spend("delete a workspace of three", app.workspaces.delete(team.owner, at))
    return costs


async def test_every_verb_keeps_its_budget(still: Team) -> None:
    costs = await costs_of(still)

    changed = {name: (cost, BUDGETS.get(name)) for name, cost in costs.items() if cost != BUDGETS.get(name)}
    assert changed == {}
    assert set(costs) == set(BUDGETS)


def test_the_member_check_is_one_read() -> None:
    assert BUDGETS["get an item"] == Cost({"get": 2}, 2, 0)
    assert BUDGETS["everything: 200 items"].requests == {"get": 1, "query": 1}
