"""Invites of workspaces: codes are shared with communities, k uses admit k users, repeated redeems count once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import actor_of, rows
from communities.test_golden_rows import put
from conversations.users import known
from sobremesa.core.errors import AlreadyMember, Forbidden, NotFound
from sobremesa.domains.communities.invites import Redeemed
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.invites.errors import InviteUsedUp
from sobremesa.domains.workspaces.entities import invite_by_code, workspace_by_id
from sobremesa.domains.workspaces.invites import Joined
from sobremesa.table.values import Item
from workspaces.team import Team


async def uses(team: Team, code: InviteCode) -> int:
    invite = await team.app.table.get(invite_by_code(code=code))
    assert invite is not None
    return invite.uses


async def test_invite_for_k_uses_admits_exactly_k_users(team: Team) -> None:
    invite = await team.app.workspaces.invites.create(team.admin, team.workspace_id, max_uses=5)
    users = await known(team.app, *(f"guest{number}" for number in range(60)))

    outcomes = await asyncio.gather(
        *(team.app.invites.redeem(who, invite.code) for who in users), return_exceptions=True
    )

    assert sum(isinstance(outcome, Joined) for outcome in outcomes) == 5
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} <= {InviteUsedUp, NotFound}
    assert await uses(team, invite.code) == 5
    workspace = await team.app.table.get(workspace_by_id(workspace_id=team.workspace_id))
    assert workspace is not None
    assert workspace.members == len(await team.roles()) == 8


async def test_repeated_redeems_of_one_user_count_once(team: Team) -> None:
    invite = await team.app.workspaces.invites.create(team.owner, team.workspace_id, max_uses=5)
    [guest] = await known(team.app, "guest")

    outcomes = await asyncio.gather(
        *(team.app.invites.redeem(guest, invite.code) for _ in range(8)), return_exceptions=True
    )

    assert sum(isinstance(outcome, Joined) for outcome in outcomes) == 1
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} == {AlreadyMember}
    assert await uses(team, invite.code) == 1


async def test_one_route_redeems_codes_of_communities_and_workspaces(team: Team) -> None:
    app, guest = team.app, actor_of("guest")
    server = await app.communities.create_server(team.owner, name="The long table")
    to_server = await app.communities.invites.create(team.owner, server.server_id)
    to_workspace = await app.workspaces.invites.create(team.owner, team.workspace_id)

    into_server = await app.invites.redeem(guest, to_server.code)
    into_workspace = await app.invites.redeem(guest, to_workspace.code)

    assert isinstance(into_server, Redeemed)
    assert into_server.server.server_id == server.server_id
    assert isinstance(into_workspace, Joined)
    assert (into_workspace.workspace.workspace_id, into_workspace.member.role) == (team.workspace_id, "member")


async def test_invite_ends_when_it_expires_or_is_revoked(team: Team, clock: Ahead) -> None:
    app, guest = team.app, actor_of("guest")
    short = await app.workspaces.invites.create(team.owner, team.workspace_id, expires_in_seconds=60)
    revoked = await app.workspaces.invites.create(team.owner, team.workspace_id)
    assert {
        each.code for each in (await app.workspaces.invites.list_invites(team.admin, team.workspace_id, limit=9))[0]
    } == {
        short.code,
        revoked.code,
    }

    await app.invites.revoke(team.admin, revoked.code)
    clock.move(seconds=60)

    for code in (short.code, revoked.code, InviteCode("never")):
        for attempt in (app.invites.get(guest, code), app.invites.redeem(guest, code)):
            with pytest.raises(NotFound):
                await attempt
    with pytest.raises(NotFound):
        await app.invites.revoke(team.admin, revoked.code)
    assert (await app.workspaces.invites.list_invites(team.owner, team.workspace_id, limit=9))[0] == []


async def test_members_cannot_create_invites_and_others_cannot_revoke_them(team: Team) -> None:
    with pytest.raises(Forbidden):
        await team.app.workspaces.invites.create(team.member, team.workspace_id)
    invite = await team.app.workspaces.invites.create(team.owner, team.workspace_id)
    with pytest.raises(Forbidden):
        await team.app.invites.revoke(team.member, invite.code)
    with pytest.raises(NotFound):
        await team.app.invites.revoke(team.stranger, invite.code)
    created = await team.app.workspaces.invites.create(team.owner, team.workspace_id, key="k")
    assert (await team.app.workspaces.invites.create(team.owner, team.workspace_id, key="k")).code == created.code


@pytest.mark.parametrize("uses", [{}, {"uses": None}], ids=["absent", "null"])
async def test_invite_of_another_writer_without_uses_counts_from_zero(team: Team, uses: dict[str, Any]) -> None:
    """Such an invite was listed as usable, but redeeming it was a 409 or a 500."""
    row: Item = {"pk": "INVITE#old", "sk": "INVITE", "workspaceId": team.workspace_id, "maxUses": 2, **uses}
    await put(team.app, row)
    code = InviteCode("old")
    users = [actor_of(f"guest {number}") for number in range(6)]

    assert (await team.app.invites.get(users[0], code)).invite.uses == 0
    outcomes = await asyncio.gather(*(team.app.invites.redeem(who, code) for who in users), return_exceptions=True)

    assert sum(isinstance(outcome, Joined) for outcome in outcomes) == 2
    assert {type(each) for each in outcomes if isinstance(each, BaseException)} <= {InviteUsedUp, NotFound}


async def test_revoking_an_invite_is_recorded_in_the_audit_log(team: Team) -> None:
    invite = await team.app.workspaces.invites.create(team.owner, team.workspace_id)

    await team.app.invites.revoke(team.admin, invite.code)

    [entry] = [each for each in await rows(team.app, "invite.revoke") if each["entityType"] == "AuditEntry"]
    assert (entry["scope"], entry["actor"], entry["target"]) == (team.workspace_id, team.admin.user_id, invite.code)


async def test_invite_ends_with_the_membership_of_its_creator(team: Team) -> None:
    app, guest = team.app, actor_of("guest")
    invite = await app.workspaces.invites.create(team.admin, team.workspace_id)
    with pytest.raises(AlreadyMember):
        await app.invites.redeem(team.admin, invite.code)

    await app.workspaces.members.remove(team.owner, team.workspace_id, team.admin.user_id)

    for attempt in (
        app.invites.get(guest, invite.code),
        app.invites.redeem(guest, invite.code),
        app.invites.redeem(team.admin, invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await app.workspaces.invites.list_invites(team.owner, team.workspace_id, limit=9))[0] == []
