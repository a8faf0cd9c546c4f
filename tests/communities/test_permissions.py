"""The permission table: every right tested with every role."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, get_args

import pytest

from communities.world import Town, crowd, found_town
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.permissions import DESCRIPTIONS, RIGHTS, Right, Role
from sobremesa.rooms.sending import Draft

ROLES: tuple[Role, ...] = get_args(Role)

Try: TypeAlias = Callable[[Town, Actor], Awaitable[Any]]


async def read(town: Town, who: Actor) -> None:
    await town.app.communities.get_server(who, town.server_id)
    await town.app.communities.list_channels(who, town.server_id, limit=5)
    await town.app.communities.get_channel(who, town.channel_id)
    await town.app.membership.list_members(who, town.server_id, limit=5)
    await town.app.channels.page(who, town.channel_id, limit=5)
    await town.app.channels.list_readers(who, town.channel_id, limit=5, cursor=None)


async def send(town: Town, who: Actor) -> None:
    message = await town.app.channels.send(who, town.channel_id, Draft("hello"))
    await town.app.channels.react(who, town.channel_id, message.message_id, "👍")
    await town.app.channels.report(who, town.channel_id, message.message_id, "spam")
    await town.app.channels.typing(who, town.channel_id)


async def invite(town: Town, who: Actor) -> None:
    created = await town.app.membership.create_invite(who, town.server_id)
    await town.app.membership.revoke_invite(who, created.code)


async def pin(town: Town, who: Actor) -> None:
    message = await town.say(town.owner, "keep this")
    await town.app.channels.pin(who, town.channel_id, message.message_id)
    await town.app.channels.unpin(who, town.channel_id, message.message_id)


async def moderate(town: Town, who: Actor) -> None:
    message = await town.say(next(one for one in town.people.values() if one != who), "rude")
    await town.app.channels.delete(who, town.channel_id, message.message_id)


async def remove_members(town: Town, who: Actor) -> None:
    [kicked, banned] = await crowd(town.app, town.server_id, 2)
    await town.app.membership.list_bans(who, town.server_id, limit=5)
    await town.app.membership.remove(who, town.server_id, kicked.user_id)
    await town.app.membership.ban(who, town.server_id, banned.user_id)
    await town.app.membership.lift_ban(who, town.server_id, banned.user_id)


async def manage_invites(town: Town, who: Actor) -> None:
    created = await town.app.membership.create_invite(
        next(one for one in town.people.values() if one != who), town.server_id
    )
    await town.app.membership.list_invites(who, town.server_id, limit=5)
    await town.app.membership.revoke_invite(who, created.code)


async def manage_channels(town: Town, who: Actor) -> None:
    created = await town.app.communities.create_channel(who, town.server_id, name="new")
    await town.app.communities.change_channel(who, created.channel.channel_id, {"name": "newer"})
    await town.app.communities.delete_channel(who, created.channel.channel_id)


async def manage_server(town: Town, who: Actor) -> None:
    await town.app.communities.change_server(who, town.server_id, {"name": "Another table"})


async def manage_roles(town: Town, who: Actor) -> None:
    [other] = await crowd(town.app, town.server_id, 1)
    await town.app.membership.change_role(who, town.server_id, other.user_id, role="moderator")


async def see_audit(town: Town, who: Actor) -> None:
    await town.app.communities.list_audit(who, town.server_id, limit=5)


async def transfer(town: Town, who: Actor) -> None:
    other = next(one for one in town.people.values() if one != who)
    await town.app.membership.transfer(who, town.server_id, other.user_id)


async def delete_server(town: Town, who: Actor) -> None:
    await town.app.communities.delete_server(who, town.server_id)


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
    lambda town, who: town.app.communities.change_channel(who, town.channel_id, {"name": "x"}),
    lambda town, who: town.app.communities.delete_channel(who, town.channel_id),
    lambda town, who: town.app.membership.list_bans(who, town.server_id, limit=5),
    lambda town, who: town.app.membership.ban(who, town.server_id, town.stranger.user_id),
    lambda town, who: town.app.membership.lift_ban(who, town.server_id, town.stranger.user_id),
    lambda town, who: town.app.membership.list_invites(who, town.server_id, limit=5),
    lambda town, who: town.app.channels.unpin(who, town.channel_id, MessageId("x")),
)


def test_every_right_is_described_and_tested() -> None:
    rights = set(get_args(Right))

    assert set(USES) == set(DESCRIPTIONS) == rights
    assert set(RIGHTS) == set(ROLES)
    assert set().union(*RIGHTS.values()) == rights
    assert RIGHTS["owner"] > RIGHTS["admin"] > RIGHTS["moderator"] > RIGHTS["member"]


@pytest.mark.parametrize("role", ROLES)
async def test_every_role_has_exactly_the_rights_of_the_table(app: Sobremesa, role: Role) -> None:
    town = await found_town(app)
    who = town.people[role]
    # What ends the role or the server comes last.
    for right in sorted(USES, key=("transfer", "delete_server").count):
        if right in ("transfer", "delete_server") and role == "owner":
            town = await found_town(app)
            who = town.owner
        try:
            await USES[right](town, who)
            allowed = True
        except Forbidden:
            allowed = False
        assert allowed == (right in RIGHTS[role]), f"{role}: {right}"


async def test_member_is_refused_every_operation_of_higher_roles(town: Town) -> None:
    for use in SINGLE_VERBS:
        with pytest.raises(Forbidden):
            await use(town, town.member)


async def test_non_member_and_removed_member_find_nothing(town: Town) -> None:
    await town.app.membership.remove(town.owner, town.server_id, town.member.user_id)

    for who in (town.stranger, town.member):
        for right, use in USES.items():
            with pytest.raises(NotFound) as refused:
                await use(town, who)
            assert str(refused.value) == NotFound.says, right
        assert await town.app.communities.list_servers(who, limit=10) == ([], None)
        assert await town.app.channels.unread_everywhere(who) == []
