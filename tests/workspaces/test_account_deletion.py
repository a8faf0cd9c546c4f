"""Account deletion removes a user from all workspaces, unless others would be left without an owner."""

from __future__ import annotations

import pytest

from communities.environment import PASSWORD, register, rows
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, UserId
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.errors import OwnsWorkspaces
from sobremesa.domains.workspaces.entities import WorkspaceId
from workspaces.team import Team, join


async def finish(app: Sobremesa) -> None:
    for _ in range(3):
        await app.jobs.run_pending(app.handlers)


async def test_only_owner_of_a_shared_workspace_cannot_delete_their_account(team: Team) -> None:
    app = team.app
    zeb = await register(app, "zebedee")
    created = await app.workspaces.create(zeb, name="Zeb's")
    await join(app, zeb, created.workspace.workspace_id, team.member)

    with pytest.raises(OwnsWorkspaces) as refused:
        await app.accounts.delete_me(zeb, password=PASSWORD)
    assert refused.value.data == {"workspace_ids": [created.workspace.workspace_id]}

    await app.workspaces.members.change_role(zeb, created.workspace.workspace_id, team.member.user_id, role="owner")
    await app.accounts.delete_me(zeb, password=PASSWORD)
    await finish(app)
    assert await team.mine(zeb) == []
    assert (await app.workspaces.get(team.member, created.workspace.workspace_id)).workspace.owners == 1


async def test_workspace_is_deleted_with_its_only_member(team: Team) -> None:
    app = team.app
    zeb = await register(app, "zebedee")
    created = await app.workspaces.create(zeb, name="Only mine")
    await app.workspaces.items.create(zeb, created.workspace.workspace_id, title="secret")
    await join(app, team.owner, team.workspace_id, zeb)

    await app.accounts.delete_me(zeb, password=PASSWORD)
    await finish(app)

    assert not await rows(app, "Only mine", "secret")
    assert zeb.user_id not in await team.roles()
    with pytest.raises(NotFound):
        await app.workspaces.get(zeb, team.workspace_id)


async def test_only_owner_during_a_deletion_is_replaced(team: Team) -> None:
    app = team.app
    zeb = await register(app, "zebedee")
    await join(app, team.owner, team.workspace_id, zeb)
    await app.workspaces.members.change_role(team.owner, team.workspace_id, zeb.user_id, role="owner")
    await app.accounts.delete_me(zeb, password=PASSWORD)
    await app.workspaces.members.change_role(team.owner, team.workspace_id, team.owner.user_id, role="member")

    await finish(app)

    members, _ = await app.workspaces.members.list_members(team.member, team.workspace_id, limit=10)
    assert {place.user_id: place.role for place in members} == {
        team.owner.user_id: "member",
        team.admin.user_id: "owner",
        team.member.user_id: "member",
    }


async def bot_in(app: Sobremesa, owner: Actor, *workspace_ids: WorkspaceId) -> UserId:
    """Create a bot that is an admin of these workspaces."""
    server = await app.communities.create_server(owner, name="Bots")
    user_id = (await app.bots.create_in_server(owner, server.server_id, username="helper")).bot.profile.user_id
    backend = Actor(key_id=KeyId("k"), scopes=frozenset({"rooms:write"}))
    for workspace_id in workspace_ids:
        await app.workspaces.members.add(backend, workspace_id, user_id, role="admin")
    return user_id


async def test_bot_does_not_become_the_owner_of_a_workspace(team: Team) -> None:
    app = team.app
    zeb = await register(app, "zebedee")
    alone = (await app.workspaces.create(zeb, name="Only mine")).workspace.workspace_id
    shared = (await app.workspaces.create(zeb, name="Ours")).workspace.workspace_id
    bot = await bot_in(app, team.owner, alone, shared)
    await join(app, zeb, shared, team.member)

    # Both have no other owner, as if they had become Zeb's after the deletion was checked.
    await app.workspaces.cleanup.delete_user_data(zeb.user_id)
    await finish(app)

    members, _ = await app.workspaces.members.list_members(team.member, shared, limit=10)
    assert {each.user_id: each.role for each in members} == {bot: "admin", team.member.user_id: "owner"}
    assert not await rows(app, "Only mine")


async def test_export_contains_memberships_and_items(team: Team) -> None:
    zeb = await register(team.app, "zebedee")
    await join(team.app, team.owner, team.workspace_id, zeb)
    await team.app.workspaces.items.create(zeb, team.workspace_id, title="Zeb's")
    await team.app.workspaces.items.create(team.owner, team.workspace_id, title="not Zeb's")

    lines = [line async for line in team.app.accounts.export(zeb)]

    assert [line["workspaceId"] for line in lines if line["kind"] == "workspaceMember"] == [team.workspace_id]
    assert [line["title"] for line in lines if line["kind"] == "item"] == ["Zeb's"]
