"""The permission table: every right tested with every role."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, get_args

import pytest

from communities.environment import Community, add_members, create_community
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.permissions import DESCRIPTIONS, RIGHTS, Right, Role
from sobremesa.rooms.sending import Draft

ROLES: tuple[Role, ...] = get_args(Role)

Try: TypeAlias = Callable[[Community, Actor], Awaitable[Any]]


async def read(community: Community, who: Actor) -> None:
    await community.app.communities.get_server(who, community.server_id)
    await community.app.communities.list_channels(who, community.server_id, limit=5)
    await community.app.communities.get_channel(who, community.channel_id)
    await community.app.communities.members.list_members(who, community.server_id, limit=5)
    await community.app.communities.page(who, community.channel_id, limit=5)
    await community.app.communities.list_readers(who, community.channel_id, limit=5, cursor=None)


async def send(community: Community, who: Actor) -> None:
    message = await community.app.communities.send(who, community.channel_id, Draft("hello"))
    await community.app.communities.react(who, community.channel_id, message.message_id, "👍")
    await community.app.communities.report(who, community.channel_id, message.message_id, "spam")
    await community.app.communities.typing(who, community.channel_id)


async def invite(community: Community, who: Actor) -> None:
    created = await community.app.communities.invites.create(who, community.server_id)
    await community.app.communities.invites.revoke(who, created.code)


async def pin(community: Community, who: Actor) -> None:
    message = await community.send(community.owner, "keep this")
    await community.app.communities.pin(who, community.channel_id, message.message_id)
    await community.app.communities.unpin(who, community.channel_id, message.message_id)


async def moderate(community: Community, who: Actor) -> None:
    message = await community.send(next(one for one in community.members.values() if one != who), "rude")
    await community.app.communities.delete_message(who, community.channel_id, message.message_id)


async def remove_members(community: Community, who: Actor) -> None:
    [kicked, banned] = await add_members(community.app, community.server_id, 2)
    await community.app.communities.members.list_bans(who, community.server_id, limit=5)
    await community.app.communities.members.remove(who, community.server_id, kicked.user_id)
    await community.app.communities.members.ban(who, community.server_id, banned.user_id)
    await community.app.communities.members.lift_ban(who, community.server_id, banned.user_id)


async def manage_invites(community: Community, who: Actor) -> None:
    created = await community.app.communities.invites.create(
        next(one for one in community.members.values() if one != who), community.server_id
    )
    await community.app.communities.invites.list_invites(who, community.server_id, limit=5)
    await community.app.communities.invites.revoke(who, created.code)


async def manage_channels(community: Community, who: Actor) -> None:
    created = await community.app.communities.create_channel(who, community.server_id, name="new")
    await community.app.communities.change_channel(who, created.channel.channel_id, {"name": "newer"})
    await community.app.communities.delete_channel(who, created.channel.channel_id)


async def manage_server(community: Community, who: Actor) -> None:
    await community.app.communities.change_server(who, community.server_id, {"name": "Another table"})
    await community.app.bots.create_in_server(who, community.server_id, username="helper")


async def manage_roles(community: Community, who: Actor) -> None:
    [other] = await add_members(community.app, community.server_id, 1)
    await community.app.communities.members.change_role(who, community.server_id, other.user_id, role="moderator")


async def see_audit(community: Community, who: Actor) -> None:
    await community.app.communities.list_audit(who, community.server_id, limit=5)


async def transfer(community: Community, who: Actor) -> None:
    other = next(one for one in community.members.values() if one != who)
    await community.app.communities.members.transfer(who, community.server_id, other.user_id)


async def delete_server(community: Community, who: Actor) -> None:
    await community.app.communities.delete_server(who, community.server_id)


USES: dict[Right, Try] = {
    "read": read,
    "send": send,
    "invite": invite,
    "pin": pin,
    "moderate": moderate,
    "remove_members": remove_members,
    "manage_invites": manage_invites,
    "manage_channels": manage_channels,
    "manage_server": manage_server,
    "manage_roles": manage_roles,
    "see_audit": see_audit,
    "transfer": transfer,
    "delete_server": delete_server,
}
SINGLE_VERBS: tuple[Try, ...] = (
    lambda community, who: community.app.communities.change_channel(who, community.channel_id, {"name": "x"}),
    lambda community, who: community.app.communities.delete_channel(who, community.channel_id),
    lambda community, who: community.app.communities.members.list_bans(who, community.server_id, limit=5),
    lambda community, who: community.app.communities.members.ban(who, community.server_id, community.stranger.user_id),
    lambda community, who: community.app.communities.members.lift_ban(
        who, community.server_id, community.stranger.user_id
    ),
    lambda community, who: community.app.communities.invites.list_invites(who, community.server_id, limit=5),
    lambda community, who: community.app.communities.unpin(who, community.channel_id, MessageId("x")),
)


def test_every_right_is_described_and_tested() -> None:
    rights = set(get_args(Right))

    assert set(USES) == set(DESCRIPTIONS) == rights
    assert set(RIGHTS) == set(ROLES)
    assert set().union(*RIGHTS.values()) == rights
    assert RIGHTS["owner"] > RIGHTS["admin"] > RIGHTS["moderator"] > RIGHTS["member"]


@pytest.mark.parametrize("role", ROLES)
async def test_every_role_has_exactly_the_rights_of_the_table(app: Sobremesa, role: Role) -> None:
    community = await create_community(app)
    who = community.members[role]
    # What ends the role or the server comes last.
    for right in sorted(USES, key=("transfer", "delete_server").count):
        if right in ("transfer", "delete_server") and role == "owner":
            community = await create_community(app)
            who = community.owner
        try:
            await USES[right](community, who)
            allowed = True
        except Forbidden:
            allowed = False
        assert allowed == (right in RIGHTS[role]), f"{role}: {right}"


async def test_member_is_refused_every_operation_of_higher_roles(community: Community) -> None:
    for use in SINGLE_VERBS:
        with pytest.raises(Forbidden):
            await use(community, community.member)


async def test_non_member_and_removed_member_find_nothing(community: Community) -> None:
    await community.app.communities.members.remove(community.owner, community.server_id, community.member.user_id)

    for who in (community.stranger, community.member):
        for right, use in USES.items():
            with pytest.raises(NotFound) as refused:
                await use(community, who)
            assert str(refused.value) == NotFound.default_detail, right
        assert await community.app.communities.list_servers(who, limit=10) == ([], None)
        assert await community.app.communities.unread_everywhere(who) == []
