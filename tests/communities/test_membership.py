"""Members, roles, bans and transfers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias, get_args

import pytest

from communities.conftest import Ahead
from communities.world import Town, crowd, found_town, join, person
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Clash, Forbidden, NotFound, Refusal
from sobremesa.domains.communities.entities import (
    Connection,
    ConnectionId,
    ConnectionPointer,
    connections_in,
    connections_of,
    members_of,
    server_by_id,
)
from sobremesa.domains.communities.errors import Banned, ChangedMeanwhile, OwnerCannotLeave, RankTooLow
from sobremesa.domains.communities.permissions import Role, outranks
from sobremesa.table import Create

ROLES: tuple[Role, ...] = get_args(Role)

Try: TypeAlias = Callable[[Town, Actor], Awaitable[Any]]

# Roles


async def test_only_roles_below_the_own_role_can_be_given(town: Town) -> None:
    change = town.app.membership.change_role
    members = town.people

    for actor_role in ("owner", "admin"):
        for target_role in ROLES:
            for given in ROLES:
                if target_role == actor_role or (outranks(actor_role, target_role) and outranks(actor_role, given)):
                    continue
                with pytest.raises(RankTooLow):
                    await change(members[actor_role], town.server_id, members[target_role].user_id, role=given)
    with pytest.raises(RankTooLow):
        await change(town.admin, town.server_id, town.admin.user_id, role="member")
    with pytest.raises(NotFound):
        await change(town.owner, town.server_id, town.stranger.user_id, role="member")

    promoted = await change(town.admin, town.server_id, town.member.user_id, role="moderator")
    assert promoted.role == "moderator"
    [entry, *_] = (await town.app.communities.list_audit(town.owner, town.server_id, limit=5))[0]
    assert (entry.action, entry.target, entry.details) == (
        "member.role",
        town.member.user_id,
        {"from": "member", "to": "moderator"},
    )


async def test_all_members_are_listed_with_their_role(town: Town) -> None:
    listed: dict[UserId, Role] = {}
    cursor = None
    while True:
        page, cursor = await town.app.membership.list_members(town.member, town.server_id, limit=3, cursor=cursor)
        listed |= {row.user_id: row.role for row in page}
        if cursor is None:
            break

    assert listed == {who.user_id: role for role, who in town.people.items()}
    assert (await town.app.membership.get_member(town.member, town.server_id, town.owner.user_id)).role == "owner"
    with pytest.raises(NotFound):
        await town.app.membership.get_member(town.member, town.server_id, town.stranger.user_id)


# Going


async def test_member_cannot_act_on_equal_or_higher_roles(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id
    [other_admin, other_moderator] = await crowd(town.app, server_id, 2)
    await membership.change_role(town.owner, server_id, other_admin.user_id, role="admin")
    await membership.change_role(town.owner, server_id, other_moderator.user_id, role="moderator")

    for actor, target in (
        (town.admin, other_admin),
        (town.admin, town.owner),
        (town.moderator, other_moderator),
        (town.moderator, town.admin),
        (town.moderator, town.owner),
    ):
        with pytest.raises(RankTooLow):
            await membership.remove(actor, server_id, target.user_id)
        with pytest.raises(RankTooLow):
            await membership.ban(actor, server_id, target.user_id)
    for actor in (town.owner, town.admin):
        with pytest.raises(RankTooLow):
            await membership.ban(actor, server_id, actor.user_id)

    assert len((await membership.list_members(town.owner, server_id, limit=20))[0]) == 6


async def test_member_leaves_and_rejoins_and_owner_cannot_leave(town: Town) -> None:
    await town.app.membership.remove(town.member, town.server_id, town.member.user_id)
    with pytest.raises(NotFound):
        await town.app.membership.remove(town.member, town.server_id, town.member.user_id)
    with pytest.raises(NotFound):
        await town.app.channels.page(town.member, town.channel_id, limit=5)

    await join(town.app, town.owner, town.server_id, town.member)
    assert await town.contents(town.member) == []
    with pytest.raises(OwnerCannotLeave):
        await town.app.membership.remove(town.owner, town.server_id, town.owner.user_id)


async def test_kicked_member_can_rejoin_and_banned_member_cannot(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id
    open_invite = await membership.create_invite(town.owner, server_id)
    await membership.remove(town.moderator, server_id, town.member.user_id)
    assert (await membership.redeem(town.member, open_invite.code)).membership.role == "member"

    ban = await membership.ban(town.moderator, server_id, town.member.user_id, reason="rude")
    stranger = await membership.ban(town.moderator, server_id, town.stranger.user_id)
    again = await membership.ban(town.admin, server_id, town.member.user_id, reason="still rude")

    assert again == ban
    assert (ban.reason, ban.banned_by) == ("rude", town.moderator.user_id)
    bans, _ = await membership.list_bans(town.moderator, server_id, limit=5)
    assert {one.user_id for one in bans} == {ban.user_id, stranger.user_id}
    for who in (town.member, town.stranger):
        with pytest.raises(Banned):
            await membership.redeem(who, open_invite.code)

    await membership.lift_ban(town.moderator, server_id, town.member.user_id)
    await membership.redeem(town.member, open_invite.code)
    with pytest.raises(NotFound):
        await membership.lift_ban(town.moderator, server_id, town.member.user_id)
    entries, _ = await town.app.communities.list_audit(town.owner, server_id, limit=4)
    assert [entry.action for entry in entries] == ["member.unban", "member.ban", "member.ban", "member.kick"]


async def test_user_who_redeems_while_being_banned_is_no_member(town: Town) -> None:
    invite = await town.app.membership.create_invite(town.owner, town.server_id)

    for number in range(8):
        late = person(f"late{number}")
        outcome = await asyncio.gather(
            town.app.membership.redeem(late, invite.code),
            town.app.membership.ban(town.moderator, town.server_id, late.user_id),
            return_exceptions=True,
        )

        inside = await is_inside(town, late)
        bans, _ = await town.app.membership.list_bans(town.owner, town.server_id, limit=50)
        is_banned = late.user_id in {ban.user_id for ban in bans}
        assert inside != is_banned, outcome
        assert is_banned != isinstance(outcome[1], Clash)


async def is_inside(town: Town, who: Actor) -> bool:
    try:
        await town.app.communities.get_server(who, town.server_id)
    except NotFound:
        return False
    return True


# Sockets


async def look(town: Town, who: Actor, socket: str, clock: Ahead) -> None:
    ttl = clock.now_ms() // 1000 + 3600
    connection_id = ConnectionId(socket)
    await town.app.table.write(
        Create(
            Connection(
                room_id=town.channel_id,
                connection_id=connection_id,
                server_id=town.server_id,
                user_id=who.user_id,
                ttl=ttl,
            )
        ),
        Create(
            ConnectionPointer(
                user_id=who.user_id,
                connection_id=connection_id,
                node_id="node",
                channel_id=town.channel_id,
                server_id=town.server_id,
                ttl=ttl,
            )
        ),
    )


async def lookers(town: Town) -> set[UserId]:
    question = connections_in(room_id=town.channel_id)
    return {socket.user_id async for socket in town.app.table.every(question, consistent=True)}


async def test_kick_ban_and_leave_delete_the_connections(town: Town, clock: Ahead) -> None:
    other = await found_town(town.app)
    await join(town.app, other.owner, other.server_id, town.member)
    await look(town, town.member, "one", clock)
    await look(town, town.member, "two", clock)
    await look(other, town.member, "three", clock)
    await look(town, town.moderator, "four", clock)
    await look(town, town.admin, "five", clock)
    await look(town, town.owner, "six", clock)

    await town.app.membership.remove(town.owner, town.server_id, town.member.user_id)
    assert await lookers(town) == {town.moderator.user_id, town.admin.user_id, town.owner.user_id}
    await town.app.membership.ban(town.owner, town.server_id, town.moderator.user_id)
    assert await lookers(town) == {town.admin.user_id, town.owner.user_id}
    await town.app.membership.remove(town.admin, town.server_id, town.admin.user_id)
    assert await lookers(town) == {town.owner.user_id}

    assert await lookers(other) == {town.member.user_id}
    pointers = [row async for row in town.app.table.every(connections_of(user_id=town.member.user_id))]
    assert "three" in {pointer.connection_id for pointer in pointers}


# Handing over


async def owners(town: Town) -> tuple[UserId, list[UserId]]:
    """The owner by the server row, and by the membership rows."""
    server = await town.app.table.get(server_by_id(server_id=town.server_id))
    assert server is not None
    rows = [row async for row in town.app.table.every(members_of(server_id=town.server_id))]
    return server.owner_id, [row.user_id for row in rows if row.role == "owner"]


async def test_server_is_transferred_to_another_member(town: Town) -> None:
    with pytest.raises(NotFound):
        await town.app.membership.transfer(town.owner, town.server_id, town.stranger.user_id)

    server = await town.app.membership.transfer(town.owner, town.server_id, town.member.user_id)

    assert server.owner_id == town.member.user_id
    assert await owners(town) == (town.member.user_id, [town.member.user_id])
    assert (await town.app.communities.get_server(town.owner, town.server_id)).role == "admin"
    with pytest.raises(Forbidden):
        await town.app.membership.transfer(town.owner, town.server_id, town.owner.user_id)
    with pytest.raises(OwnerCannotLeave):
        await town.app.membership.remove(town.member, town.server_id, town.member.user_id)
    await town.app.membership.remove(town.owner, town.server_id, town.owner.user_id)


async def test_exactly_one_of_two_concurrent_transfers_succeeds(app: Sobremesa) -> None:
    for _ in range(4):
        town = await found_town(app)
        outcomes = await asyncio.gather(
            *(
                app.membership.transfer(town.owner, town.server_id, who.user_id)
                for who in (town.admin, town.moderator, town.member)
            ),
            return_exceptions=True,
        )

        won = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        assert len(won) == 1
        assert all(isinstance(outcome, Clash | Forbidden) for outcome in outcomes if outcome not in won)
        assert await owners(town) == (won[0].owner_id, [won[0].owner_id])


async def test_server_always_has_an_owner_who_is_a_member(app: Sobremesa) -> None:
    for _ in range(4):
        town = await found_town(app)
        outcomes = await asyncio.gather(
            app.membership.transfer(town.owner, town.server_id, town.member.user_id),
            app.membership.remove(town.member, town.server_id, town.member.user_id),
            app.membership.remove(town.admin, town.server_id, town.member.user_id),
            app.membership.ban(town.moderator, town.server_id, town.member.user_id),
            return_exceptions=True,
        )

        assert all(not isinstance(one, BaseException) or isinstance(one, Refusal) for one in outcomes)
        owner_id, by_place = await owners(town)
        assert by_place == [owner_id]
        assert owner_id in (town.owner.user_id, town.member.user_id)


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


async def test_member_who_loses_their_role_meanwhile_is_refused(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id
    target = town.member.user_id

    async def kick() -> None:
        await membership.remove(town.moderator, server_id, target)

    async def ban() -> None:
        await membership.ban(town.moderator, server_id, target)

    async def ban_a_stranger() -> None:
        await membership.ban(town.moderator, server_id, town.stranger.user_id)

    for act in (kick, ban, ban_a_stranger):
        await membership.change_role(town.owner, server_id, town.moderator.user_id, role="moderator")

        async def demote() -> None:
            await membership.change_role(town.owner, server_id, town.moderator.user_id, role="member")

        async with just_before_the_write(town.app, demote):
            with pytest.raises(Refusal):
                await act()

    assert await is_inside(town, town.member)
    assert await membership.list_bans(town.owner, server_id, limit=5) == ([], None)
    actions = {entry.action for entry in (await town.app.communities.list_audit(town.owner, server_id, limit=50))[0]}
    assert not actions & {"member.kick", "member.ban"}


async def test_admin_demoted_to_moderator_meanwhile_cannot_kick_a_moderator(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id

    async def demote() -> None:
        await membership.change_role(town.owner, server_id, town.admin.user_id, role="moderator")

    async with just_before_the_write(town.app, demote):
        with pytest.raises(Refusal):
            await membership.remove(town.admin, server_id, town.moderator.user_id)

    assert await is_inside(town, town.moderator)


async def test_owner_who_transferred_meanwhile_cannot_change_an_admin(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id

    async def hand_over() -> None:
        await membership.transfer(town.owner, server_id, town.member.user_id)

    async with just_before_the_write(town.app, hand_over):
        with pytest.raises(Refusal):
            await membership.change_role(town.owner, server_id, town.admin.user_id, role="member")

    assert (await membership.get_member(town.member, server_id, town.admin.user_id)).role == "admin"


async def test_concurrent_demotion_and_kick_happen_in_one_order(town: Town) -> None:
    """In either order the audit log and the members agree: no kick after the demotion."""
    membership, server_id = town.app.membership, town.server_id
    targets = await crowd(town.app, server_id, 12)

    for target in targets:
        await membership.change_role(town.owner, server_id, town.moderator.user_id, role="moderator")
        demoted, kicked = await asyncio.gather(
            membership.change_role(town.owner, server_id, town.moderator.user_id, role="member"),
            membership.remove(town.moderator, server_id, target.user_id),
            return_exceptions=True,
        )

        assert not isinstance(demoted, BaseException)
        assert kicked is None or isinstance(kicked, Clash | Forbidden)
        assert await is_inside(town, target) == (kicked is not None)
        with pytest.raises(Forbidden):
            await membership.remove(town.moderator, server_id, target.user_id)

    entries, _ = await town.app.communities.list_audit(town.owner, server_id, limit=100)
    kicks = {entry.target for entry in entries if entry.action == "member.kick"}
    assert kicks == {target.user_id for target in targets if not await is_inside(town, target)}


async def test_admin_demoted_meanwhile_changes_nothing(app: Sobremesa) -> None:
    tries: tuple[Try, ...] = (
        lambda town, who: app.communities.change_server(who, town.server_id, {"name": "x"}),
        lambda town, who: app.communities.create_channel(who, town.server_id, name="x"),
        lambda town, who: app.communities.change_channel(who, town.channel_id, {"name": "x"}),
        lambda town, who: app.communities.delete_channel(who, town.channel_id),
        lambda town, who: app.membership.change_role(who, town.server_id, town.member.user_id, role="moderator"),
    )
    town = await found_town(app)
    before = await app.communities.list_channels(town.owner, town.server_id, limit=10)

    for act in tries:
        await app.membership.change_role(town.owner, town.server_id, town.admin.user_id, role="admin")
        demotion = partial(app.membership.change_role, town.owner, town.server_id, town.admin.user_id, role="moderator")
        async with just_before_the_write(app, demotion):
            with pytest.raises(ChangedMeanwhile):
                await act(town, town.admin)

    assert await app.communities.list_channels(town.owner, town.server_id, limit=10) == before
    assert (await app.communities.get_server(town.owner, town.server_id)).server.name == "The long table"
    assert (await app.membership.get_member(town.owner, town.server_id, town.member.user_id)).role == "member"


async def test_rows_deleted_meanwhile_are_refused_and_not_created_again(app: Sobremesa) -> None:
    tries: tuple[Try, ...] = (
        lambda town, who: app.communities.change_server(who, town.server_id, {"name": "x"}),
        lambda town, who: app.communities.create_channel(who, town.server_id, name="x"),
        lambda town, who: app.membership.create_invite(who, town.server_id),
        lambda town, who: app.membership.transfer(town.owner, town.server_id, who.user_id),
    )

    for act in tries:
        town = await found_town(app)
        deletion = partial(app.communities.delete_server, town.owner, town.server_id)
        async with just_before_the_write(app, deletion):
            with pytest.raises((NotFound, ChangedMeanwhile)):
                await act(town, town.admin)
        assert not await is_inside(town, town.owner)

    town = await found_town(app)
    async with just_before_the_write(app, partial(app.communities.delete_channel, town.owner, town.channel_id)):
        with pytest.raises((NotFound, ChangedMeanwhile)):
            await app.communities.change_channel(town.admin, town.channel_id, {"name": "x"})
    assert await app.communities.list_channels(town.owner, town.server_id, limit=5) == ([], None)
