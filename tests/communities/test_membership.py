"""Members, roles, bans and transfers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias, get_args

import pytest

from communities.environment import Community, actor_of, add_members, create_community, create_profile, join
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import ChangedMeanwhile, Clash, Forbidden, NotFound, RankTooLow, Refusal
from sobremesa.domains.communities.entities import (
    members_of,
    server_by_id,
)
from sobremesa.domains.communities.errors import Banned, OwnerCannotLeave
from sobremesa.domains.communities.permissions import Role, outranks

ROLES: tuple[Role, ...] = get_args(Role)

Try: TypeAlias = Callable[[Community, Actor], Awaitable[Any]]

# Roles


async def test_only_roles_below_the_own_role_can_be_given(community: Community) -> None:
    change = community.app.communities.members.change_role
    members = community.members

    for actor_role in ("owner", "admin"):
        for target_role in ROLES:
            for given in ROLES:
                if target_role == actor_role or (outranks(actor_role, target_role) and outranks(actor_role, given)):
                    continue
                with pytest.raises(RankTooLow):
                    await change(members[actor_role], community.server_id, members[target_role].user_id, role=given)
    with pytest.raises(RankTooLow):
        await change(community.admin, community.server_id, community.admin.user_id, role="member")
    with pytest.raises(NotFound):
        await change(community.owner, community.server_id, community.stranger.user_id, role="member")

    promoted = await change(community.admin, community.server_id, community.member.user_id, role="moderator")
    assert promoted.role == "moderator"
    [entry, *_] = (await community.app.communities.list_audit(community.owner, community.server_id, limit=5))[0]
    assert (entry.action, entry.target, entry.details) == (
        "member.role",
        community.member.user_id,
        {"from": "member", "to": "moderator"},
    )


async def test_all_members_are_listed_with_their_role(community: Community) -> None:
    listed: dict[UserId, Role] = {}
    cursor = None
    while True:
        page, cursor = await community.app.communities.members.list_members(
            community.member, community.server_id, limit=3, cursor=cursor
        )
        listed |= {row.user_id: row.role for row in page}
        if cursor is None:
            break

    assert listed == {who.user_id: role for role, who in community.members.items()}
    assert (
        await community.app.communities.members.get(community.member, community.server_id, community.owner.user_id)
    ).role == "owner"
    with pytest.raises(NotFound):
        await community.app.communities.members.get(community.member, community.server_id, community.stranger.user_id)


# Going


async def test_member_cannot_act_on_equal_or_higher_roles(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id
    [other_admin, other_moderator] = await add_members(community.app, server_id, 2)
    await communities.members.change_role(community.owner, server_id, other_admin.user_id, role="admin")
    await communities.members.change_role(community.owner, server_id, other_moderator.user_id, role="moderator")

    for actor, target in (
        (community.admin, other_admin),
        (community.admin, community.owner),
        (community.moderator, other_moderator),
        (community.moderator, community.admin),
        (community.moderator, community.owner),
    ):
        with pytest.raises(RankTooLow):
            await communities.members.remove(actor, server_id, target.user_id)
        with pytest.raises(RankTooLow):
            await communities.members.ban(actor, server_id, target.user_id)
    for actor in (community.owner, community.admin):
        with pytest.raises(RankTooLow):
            await communities.members.ban(actor, server_id, actor.user_id)

    assert len((await communities.members.list_members(community.owner, server_id, limit=20))[0]) == 6


async def test_member_leaves_and_rejoins_and_owner_cannot_leave(community: Community) -> None:
    await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)
    with pytest.raises(NotFound):
        await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)
    with pytest.raises(NotFound):
        await community.app.communities.page(community.member, community.channel_id, limit=5)

    await join(community.app, community.owner, community.server_id, community.member)
    assert await community.contents(community.member) == []
    with pytest.raises(OwnerCannotLeave):
        await community.app.communities.members.remove(community.owner, community.server_id, community.owner.user_id)


async def test_kicked_member_can_rejoin_and_banned_member_cannot(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id
    open_invite = await communities.invites.create(community.owner, server_id)
    await communities.members.remove(community.moderator, server_id, community.member.user_id)
    assert (await communities.invites.redeem(community.member, open_invite.code)).membership.role == "member"

    ban = await communities.members.ban(community.moderator, server_id, community.member.user_id, reason="rude")
    stranger = await communities.members.ban(community.moderator, server_id, community.stranger.user_id)
    again = await communities.members.ban(community.admin, server_id, community.member.user_id, reason="still rude")

    assert again == ban
    assert (ban.reason, ban.banned_by) == ("rude", community.moderator.user_id)
    bans, _ = await communities.members.list_bans(community.moderator, server_id, limit=5)
    assert {one.user_id for one in bans} == {ban.user_id, stranger.user_id}
    for who in (community.member, community.stranger):
        with pytest.raises(Banned):
            await communities.invites.redeem(who, open_invite.code)

    await communities.members.lift_ban(community.moderator, server_id, community.member.user_id)
    await communities.invites.redeem(community.member, open_invite.code)
    with pytest.raises(NotFound):
        await communities.members.lift_ban(community.moderator, server_id, community.member.user_id)
    entries, _ = await community.app.communities.list_audit(community.owner, server_id, limit=4)
    assert [entry.action for entry in entries] == ["member.unban", "member.ban", "member.ban", "member.kick"]


async def test_user_who_redeems_while_being_banned_is_no_member(community: Community) -> None:
    invite = await community.app.communities.invites.create(community.owner, community.server_id)

    for number in range(8):
        late = await create_profile(community.app, actor_of(f"late{number}"))
        outcome = await asyncio.gather(
            community.app.communities.invites.redeem(late, invite.code),
            community.app.communities.members.ban(community.moderator, community.server_id, late.user_id),
            return_exceptions=True,
        )

        inside = await is_inside(community, late)
        bans, _ = await community.app.communities.members.list_bans(community.owner, community.server_id, limit=50)
        is_banned = late.user_id in {ban.user_id for ban in bans}
        assert inside != is_banned, outcome
        assert is_banned != isinstance(outcome[1], Clash)


async def is_inside(community: Community, who: Actor) -> bool:
    try:
        await community.app.communities.get_server(who, community.server_id)
    except NotFound:
        return False
    return True


# Handing over


async def owners(community: Community) -> tuple[UserId, list[UserId]]:
    """The owner by the server row, and by the membership rows."""
    server = await community.app.table.get(server_by_id(server_id=community.server_id))
    assert server is not None
    rows = [row async for row in community.app.table.every(members_of(server_id=community.server_id))]
    return server.owner_id, [row.user_id for row in rows if row.role == "owner"]


async def test_server_is_transferred_to_another_member(community: Community) -> None:
    with pytest.raises(NotFound):
        await community.app.communities.members.transfer(
            community.owner, community.server_id, community.stranger.user_id
        )

    server = await community.app.communities.members.transfer(
        community.owner, community.server_id, community.member.user_id
    )

    assert server.owner_id == community.member.user_id
    assert await owners(community) == (community.member.user_id, [community.member.user_id])
    assert (await community.app.communities.get_server(community.owner, community.server_id)).role == "admin"
    with pytest.raises(Forbidden):
        await community.app.communities.members.transfer(community.owner, community.server_id, community.owner.user_id)
    with pytest.raises(OwnerCannotLeave):
        await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)
    await community.app.communities.members.remove(community.owner, community.server_id, community.owner.user_id)


async def test_exactly_one_of_two_concurrent_transfers_succeeds(app: Sobremesa) -> None:
    for _ in range(4):
        community = await create_community(app)
        outcomes = await asyncio.gather(
            *(
                app.communities.members.transfer(community.owner, community.server_id, who.user_id)
                for who in (community.admin, community.moderator, community.member)
            ),
            return_exceptions=True,
        )

        won = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        assert len(won) == 1
        assert all(isinstance(outcome, Clash | Forbidden) for outcome in outcomes if outcome not in won)
        assert await owners(community) == (won[0].owner_id, [won[0].owner_id])


async def test_server_always_has_an_owner_who_is_a_member(app: Sobremesa) -> None:
    for _ in range(4):
        community = await create_community(app)
        outcomes = await asyncio.gather(
            app.communities.members.transfer(community.owner, community.server_id, community.member.user_id),
            app.communities.members.remove(community.member, community.server_id, community.member.user_id),
            app.communities.members.remove(community.admin, community.server_id, community.member.user_id),
            app.communities.members.ban(community.moderator, community.server_id, community.member.user_id),
            return_exceptions=True,
        )

        assert all(not isinstance(one, BaseException) or isinstance(one, Refusal) for one in outcomes)
        owner_id, by_place = await owners(community)
        assert by_place == [owner_id]
        assert owner_id in (community.owner.user_id, community.member.user_id)


# Losing a right while using it


@asynccontextmanager
async def just_before_the_write(app: Sobremesa, happens: Callable[[], Awaitable[Any]]) -> AsyncIterator[None]:
    """Run something between the checks of the next operation and its write."""
    write: Any = app.table.write

    async def interrupted(*operations: Any, **options: Any) -> Any:
        del app.table.write
        await happens()
        return await write(*operations, **options)

    app.table.write = interrupted  # type: ignore[method-assign]
    try:
        yield
    finally:
        vars(app.table).pop("write", None)


async def test_member_who_loses_their_role_meanwhile_is_refused(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id
    target = community.member.user_id

    async def kick() -> None:
        await communities.members.remove(community.moderator, server_id, target)

    async def ban() -> None:
        await communities.members.ban(community.moderator, server_id, target)

    async def ban_a_stranger() -> None:
        await communities.members.ban(community.moderator, server_id, community.stranger.user_id)

    for act in (kick, ban, ban_a_stranger):
        await communities.members.change_role(community.owner, server_id, community.moderator.user_id, role="moderator")

        async def demote() -> None:
            await communities.members.change_role(
                community.owner, server_id, community.moderator.user_id, role="member"
            )

        async with just_before_the_write(community.app, demote):
            with pytest.raises(Refusal):
                await act()

    assert await is_inside(community, community.member)
    assert await communities.members.list_bans(community.owner, server_id, limit=5) == ([], None)
    actions = {
        entry.action for entry in (await community.app.communities.list_audit(community.owner, server_id, limit=50))[0]
    }
    assert not actions & {"member.kick", "member.ban"}


async def test_admin_demoted_to_moderator_meanwhile_cannot_kick_a_moderator(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id

    async def demote() -> None:
        await communities.members.change_role(community.owner, server_id, community.admin.user_id, role="moderator")

    async with just_before_the_write(community.app, demote):
        with pytest.raises(Refusal):
            await communities.members.remove(community.admin, server_id, community.moderator.user_id)

    assert await is_inside(community, community.moderator)


async def test_owner_who_transferred_meanwhile_cannot_change_an_admin(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id

    async def hand_over() -> None:
        await communities.members.transfer(community.owner, server_id, community.member.user_id)

    async with just_before_the_write(community.app, hand_over):
        with pytest.raises(Refusal):
            await communities.members.change_role(community.owner, server_id, community.admin.user_id, role="member")

    assert (await communities.members.get(community.member, server_id, community.admin.user_id)).role == "admin"


async def test_concurrent_demotion_and_kick_happen_in_one_order(community: Community) -> None:
    """In either order the audit log and the members agree: no kick after the demotion."""
    communities, server_id = community.app.communities, community.server_id
    targets = await add_members(community.app, server_id, 12)

    for target in targets:
        await communities.members.change_role(community.owner, server_id, community.moderator.user_id, role="moderator")
        demoted, kicked = await asyncio.gather(
            communities.members.change_role(community.owner, server_id, community.moderator.user_id, role="member"),
            communities.members.remove(community.moderator, server_id, target.user_id),
            return_exceptions=True,
        )

        assert not isinstance(demoted, BaseException)
        assert kicked is None or isinstance(kicked, Clash | Forbidden)
        assert await is_inside(community, target) == (kicked is not None)
        with pytest.raises(Forbidden):
            await communities.members.remove(community.moderator, server_id, target.user_id)

    entries, _ = await community.app.communities.list_audit(community.owner, server_id, limit=100)
    kicks = {entry.target for entry in entries if entry.action == "member.kick"}
    assert kicks == {target.user_id for target in targets if not await is_inside(community, target)}


async def test_admin_demoted_meanwhile_changes_nothing(app: Sobremesa) -> None:
    tries: tuple[Try, ...] = (
        lambda community, who: app.communities.change_server(who, community.server_id, {"name": "x"}),
        lambda community, who: app.communities.create_channel(who, community.server_id, name="x"),
        lambda community, who: app.communities.change_channel(who, community.channel_id, {"name": "x"}),
        lambda community, who: app.communities.delete_channel(who, community.channel_id),
        lambda community, who: app.communities.members.change_role(
            who, community.server_id, community.member.user_id, role="moderator"
        ),
    )
    community = await create_community(app)
    before = await app.communities.list_channels(community.owner, community.server_id, limit=10)

    for act in tries:
        await app.communities.members.change_role(
            community.owner, community.server_id, community.admin.user_id, role="admin"
        )
        demotion = partial(
            app.communities.members.change_role,
            community.owner,
            community.server_id,
            community.admin.user_id,
            role="moderator",
        )
        async with just_before_the_write(app, demotion):
            with pytest.raises(ChangedMeanwhile):
                await act(community, community.admin)

    assert await app.communities.list_channels(community.owner, community.server_id, limit=10) == before
    assert (await app.communities.get_server(community.owner, community.server_id)).server.name == "The long table"
    assert (
        await app.communities.members.get(community.owner, community.server_id, community.member.user_id)
    ).role == "member"


async def test_rows_deleted_meanwhile_are_refused_and_not_created_again(app: Sobremesa) -> None:
    tries: tuple[Try, ...] = (
        lambda community, who: app.communities.change_server(who, community.server_id, {"name": "x"}),
        lambda community, who: app.communities.create_channel(who, community.server_id, name="x"),
        lambda community, who: app.communities.invites.create(who, community.server_id),
        lambda community, who: app.communities.members.transfer(community.owner, community.server_id, who.user_id),
    )

    for act in tries:
        community = await create_community(app)
        deletion = partial(app.communities.delete_server, community.owner, community.server_id)
        async with just_before_the_write(app, deletion):
            with pytest.raises((NotFound, ChangedMeanwhile)):
                await act(community, community.admin)
        assert not await is_inside(community, community.owner)

    community = await create_community(app)
    async with just_before_the_write(
        app, partial(app.communities.delete_channel, community.owner, community.channel_id)
    ):
        with pytest.raises((NotFound, ChangedMeanwhile)):
            await app.communities.change_channel(community.admin, community.channel_id, {"name": "x"})
    assert await app.communities.list_channels(community.owner, community.server_id, limit=5) == ([], None)
