"""Workspaces and their members: visibility, rights, and that there is always an owner."""

from __future__ import annotations

import asyncio

import pytest

from communities.environment import rows
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.errors import AlreadyMember, ChangedMeanwhile, Forbidden, NotFound, RankTooLow
from sobremesa.domains.workspaces.entities import (
    Item,
    ItemId,
    Member,
    SettingName,
    Workspace,
    WorkspaceId,
    workspace_by_id,
)
from sobremesa.domains.workspaces.errors import LastOwner, TooManyMembers
from sobremesa.domains.workspaces.members import MAX_MEMBERS
from sobremesa.table import Put, RawKey
from sobremesa.table.engines.protocol import PutItem
from sobremesa.work.idempotency import KeyReused
from workspaces.team import Team, join


async def test_one_query_returns_the_workspace_with_its_contents(team: Team) -> None:
    app = team.app
    created = await app.workspaces.items.create(team.member, team.workspace_id, title="Buy coffee", status="open")
    await app.workspaces.settings.put(team.owner, team.workspace_id, SettingName("theme"), "dark")

    found = await app.workspaces.get_everything(team.member, team.workspace_id, limit=1000)

    assert found.workspace is not None
    assert (found.workspace.name, found.workspace.members, found.workspace.owners) == ("The kitchen", 3, 1)
    assert {place.user_id: place.role for place in found.members} == await team.roles()
    assert found.items == [created]
    assert [(setting.name, setting.value) for setting in found.settings] == [("theme", "dark")]
    assert found.cursor is None


async def test_pages_of_a_large_workspace_neither_skip_nor_repeat(team: Team) -> None:
    items = [
        Item(workspace_id=team.workspace_id, item_id=ItemId(f"i{number:03}"), title="x" * 500) for number in range(95)
    ]
    await team.app.table.write_many(map(Put, items))

    pages = [await team.app.workspaces.get_everything(team.owner, team.workspace_id, limit=20)]
    while pages[-1].cursor is not None:
        pages.append(
            await team.app.workspaces.get_everything(team.owner, team.workspace_id, limit=20, cursor=pages[-1].cursor)
        )

    assert [page.workspace is not None for page in pages] == [True] + [False] * (len(pages) - 1)
    assert sorted(item.item_id for page in pages for item in page.items) == [item.item_id for item in items]
    assert sum(len(page.members) for page in pages) == 3


async def test_creator_sees_a_workspace_once_and_not_after_removal(team: Team) -> None:
    """Also for a row of the first design, which the index lists for its creator."""
    app, maker = team.app, team.owner
    old = {
        "pk": "WORKSPACE#old",
        "sk": "WORKSPACE",
        "gsi1pk": f"USER#{maker.user_id}",
        "gsi1sk": "WORKSPACE#2026-02-04T12:10:00Z",
        "name": "Old",
        "createdBy": maker.user_id,
        "createdAt": "2026-02-04T12:10:00.000Z",
    }
    await app.table.engine.write(PutItem(RawKey(old["pk"], old["sk"]), old))
    for who, role in ((maker, "owner"), (team.admin, "owner")):
        await app.table.write(
            Put(Member(workspace_id=WorkspaceId("old"), user_id=who.user_id, role=role))  # type: ignore[arg-type]
        )
    assert sorted(await team.mine(maker)) == sorted([team.workspace_id, WorkspaceId("old")])

    await app.workspaces.members.remove(team.admin, WorkspaceId("old"), maker.user_id)
    await app.workspaces.members.change_role(maker, team.workspace_id, team.admin.user_id, role="owner")
    await app.workspaces.members.remove(team.admin, team.workspace_id, maker.user_id)

    assert await team.mine(maker) == []
    assert not [
        row
        for row in await rows(app, "WORKSPACE#")
        if row["sk"] == "WORKSPACE" and "gsi1pk" in row and row["pk"] != "WORKSPACE#old"
    ]


async def test_non_members_and_removed_members_get_not_found(team: Team) -> None:
    app = team.app
    await app.workspaces.members.remove(team.owner, team.workspace_id, team.member.user_id)

    for who in (team.stranger, team.member):
        for attempt in (
            app.workspaces.get_everything(who, team.workspace_id, limit=10),
            app.workspaces.rename(who, team.workspace_id, name="Mine"),
            app.workspaces.items.list_items(who, team.workspace_id, limit=10),
            app.workspaces.items.create(who, team.workspace_id, title="x"),
            app.workspaces.settings.list_settings(who, team.workspace_id, limit=10),
            app.workspaces.members.list_members(who, team.workspace_id, limit=10),
            app.workspaces.invites.create(who, team.workspace_id),
        ):
            with pytest.raises(NotFound):
                await attempt


async def test_creating_a_workspace_twice_with_one_key_creates_one(team: Team) -> None:
    created = await asyncio.gather(*(team.app.workspaces.create(team.member, name="Once", key="k") for _ in range(5)))

    assert len({each.workspace.workspace_id for each in created}) == 1
    with pytest.raises(KeyReused):
        await team.app.workspaces.create(team.member, name="Another", key="k")


async def test_one_of_two_owners_who_leave_at_once_is_refused(team: Team) -> None:
    app = team.app
    await app.workspaces.members.change_role(team.owner, team.workspace_id, team.admin.user_id, role="owner")

    outcomes = await asyncio.gather(
        *(app.workspaces.members.remove(who, team.workspace_id, who.user_id) for who in (team.owner, team.admin)),
        return_exceptions=True,
    )

    refused = [outcome for outcome in outcomes if outcome is not None]
    assert [type(refusal) for refusal in refused] == [LastOwner]
    workspace = await app.table.get(workspace_by_id(workspace_id=team.workspace_id))
    assert workspace is not None
    assert (workspace.owners, workspace.members) == (1, 2)


async def test_one_of_two_owners_who_step_down_or_remove_each_other_stays(team: Team) -> None:
    app, at = team.app, team.workspace_id
    for attempt in range(4):
        await app.workspaces.members.change_role(team.owner, at, team.admin.user_id, role="owner")
        if attempt % 2:
            race = [
                app.workspaces.members.change_role(who, at, who.user_id, role="member")
                for who in (team.owner, team.admin)
            ]
        else:
            race = [
                app.workspaces.members.change_role(one, at, other.user_id, role="member")
                for one, other in ((team.owner, team.admin), (team.admin, team.owner))
            ]

        outcomes = await asyncio.gather(*race, return_exceptions=True)

        assert sum(isinstance(outcome, BaseException) for outcome in outcomes) == 1
        members, _ = await app.workspaces.members.list_members(team.member, at, limit=10)
        owners = [place.user_id for place in members if place.role == "owner"]
        assert len(owners) == 1
        if owners != [team.owner.user_id]:
            await app.workspaces.members.change_role(team.admin, at, team.owner.user_id, role="owner")


async def test_only_owner_cannot_leave_or_step_down(team: Team) -> None:
    with pytest.raises(LastOwner):
        await team.app.workspaces.members.remove(team.owner, team.workspace_id, team.owner.user_id)
    with pytest.raises(LastOwner):
        await team.app.workspaces.members.change_role(team.owner, team.workspace_id, team.owner.user_id, role="admin")

    assert (await team.roles())[team.owner.user_id] == "owner"


async def test_rights_follow_the_role(team: Team) -> None:
    app, at = team.app, team.workspace_id
    with pytest.raises(Forbidden):
        await app.workspaces.rename(team.member, at, name="x")
    with pytest.raises(Forbidden):
        await app.workspaces.delete(team.admin, at)
    with pytest.raises(Forbidden):
        await app.workspaces.members.change_role(team.admin, at, team.member.user_id, role="admin")
    with pytest.raises(RankTooLow):
        await app.workspaces.members.remove(team.admin, at, team.owner.user_id)

    assert (await app.workspaces.rename(team.admin, at, name="Ours")).workspace.name == "Ours"
    await app.workspaces.members.remove(team.admin, at, team.member.user_id)


async def test_deleted_workspace_is_invisible_at_once_and_its_rows_are_removed_by_the_job(team: Team) -> None:
    app = team.app
    invite = await app.workspaces.invites.create(team.owner, team.workspace_id)
    await app.workspaces.items.create(team.member, team.workspace_id, title="x")
    await app.workspaces.settings.put(team.owner, team.workspace_id, SettingName("a"), 1)

    await app.workspaces.delete(team.owner, team.workspace_id)

    for who in (team.owner, team.member):
        assert await team.mine(who) == []
        with pytest.raises(NotFound):
            await app.workspaces.get_everything(who, team.workspace_id, limit=10)
    with pytest.raises(NotFound):
        await app.invites.redeem(team.stranger, invite.code)
    await app.jobs.run_pending(app.handlers)
    assert {row["entityType"] for row in await rows(app, team.workspace_id)} <= {"AuditEntry"}


async def test_no_member_remains_if_a_user_joins_during_the_deletion(team: Team) -> None:
    app = team.app
    invite = await app.workspaces.invites.create(team.owner, team.workspace_id)
    guests = await known(app, *(f"g{number}" for number in range(8)))

    async def delete() -> None:
        for _ in range(50):
            try:
                return await app.workspaces.delete(team.owner, team.workspace_id)
            except ChangedMeanwhile:
                continue

    outcomes = await asyncio.gather(
        *(app.invites.redeem(who, invite.code) for who in guests), delete(), return_exceptions=True
    )

    assert outcomes[-1] is None
    assert not [row for row in await rows(app, team.workspace_id) if row["sk"].startswith("MEMBER#")]


async def test_number_of_members_is_limited(team: Team) -> None:
    app = team.app
    guests = await known(app, *(f"g{number}" for number in range(MAX_MEMBERS)))
    invite = await app.workspaces.invites.create(team.owner, team.workspace_id)

    came = 0
    for who in guests:
        try:
            await app.invites.redeem(who, invite.code)
            came += 1
        except TooManyMembers:
            break

    assert came == MAX_MEMBERS - 3
    await app.workspaces.delete(team.owner, team.workspace_id)
    assert not [row for row in await rows(app, team.workspace_id) if row["sk"].startswith("MEMBER#")]


async def test_workspace_of_another_writer_gets_counts_and_an_owner(app: Sobremesa) -> None:
    ana, ben, cleo = await known(app, "ana", "ben", "cleo")
    foreign = WorkspaceId("foreign")
    await app.table.write(Put(Workspace(workspace_id=foreign, name="Theirs", created_by=ana.user_id)))
    for who in (ana, ben):
        item = {"pk": "WORKSPACE#foreign", "sk": f"MEMBER#{who.user_id}"}
        item |= {"gsi1pk": f"USER#{who.user_id}", "gsi1sk": "WORKSPACE#foreign"}
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))

    await app.workspaces.members.remove(ben, foreign, ben.user_id)

    with pytest.raises(LastOwner):
        await app.workspaces.members.remove(ana, foreign, ana.user_id)
    await join(app, ana, foreign, cleo)
    with pytest.raises(AlreadyMember):
        await join(app, ana, foreign, cleo)


async def test_admins_and_owners_of_a_workspace_read_its_audit_log(team: Team) -> None:
    workspaces, place = team.app.workspaces, team.workspace_id
    await workspaces.rename(team.owner, place, name="Ours")

    for reader in (team.owner, team.admin):
        entries, _ = await workspaces.list_audit(reader, place, limit=1)
        assert [(entry.action, entry.actor) for entry in entries] == [("workspace.rename", team.owner.user_id)]
    with pytest.raises(Forbidden):
        await workspaces.list_audit(team.member, place, limit=1)
    with pytest.raises(NotFound):
        await workspaces.list_audit(team.stranger, place, limit=1)
