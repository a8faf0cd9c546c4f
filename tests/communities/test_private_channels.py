"""Private channels: for a member whom the access list excludes, the channel does not exist."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from communities.environment import Community, actor_of, join
from sobremesa.core.actor import Actor
from sobremesa.core.errors import ChangedMeanwhile, Forbidden, NotFound, UnknownUsers
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.entities import CHANNELS, ChannelId
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.rooms.readers import RoomReaders
from sobremesa.rooms.sending import Draft


async def restrict(community: Community, *roles: Role, users: tuple[Actor, ...] = ()) -> None:
    wanted = AccessList(roles, [who.user_id for who in users])
    await community.app.communities.privacy.change(community.owner, community.channel_id, wanted)


async def sees(community: Community, who: Actor) -> bool:
    """Return whether a user sees the channel, which every read must agree on."""
    communities, channel_id = community.app.communities, community.channel_id
    try:
        await communities.get_channel(who, channel_id)
    except NotFound:
        found = False
    else:
        found = True
    channels, _ = await communities.list_channels(who, community.server_id, limit=50)
    assert (channel_id in [each.channel.channel_id for each in channels]) is found
    assert (channel_id in [seat.room_id for seat in await communities.seats_of(who)]) is found
    servers, _ = await communities.list_servers(who, limit=50)
    assert await communities.count_channels(who, servers) == [int(found)]
    return found


async def test_access_list_names_roles_and_users(community: Community) -> None:
    await restrict(community, "moderator")
    assert {role: await sees(community, who) for role, who in community.members.items()} == {
        "owner": True,
        "admin": True,
        "moderator": True,
        "member": False,
    }
    await restrict(community, users=(community.member,))
    assert [await sees(community, community.moderator), await sees(community, community.member)] == [False, True]
    await restrict(community)
    assert [await sees(community, community.admin), await sees(community, community.member)] == [True, False]
    await community.app.communities.privacy.change(community.admin, community.channel_id, None)
    assert await sees(community, community.member)


async def test_every_verb_is_refused_as_if_there_were_no_channel(community: Community) -> None:
    sent = await community.send(community.owner, "secret")
    await restrict(community)
    app, who, channel_id = community.app.communities, community.member, community.channel_id
    id = sent.message_id

    def verbs(room: ChannelId) -> list[Callable[[], Awaitable[object]]]:
        return [
            lambda: app.send(who, room, Draft("let me in")),
            lambda: app.edit(who, room, id, "x"),
            lambda: app.delete_message(who, room, id),
            lambda: app.page(who, room, limit=10),
            lambda: app.get_message(who, room, id),
            lambda: app.react(who, room, id, "🍞"),
            lambda: app.unreact(who, room, id, "🍞"),
            lambda: app.list_reactors(who, room, id, "🍞", limit=10),
            lambda: app.pin(who, room, id),
            lambda: app.unpin(who, room, id),
            lambda: app.list_pins(who, room, limit=10),
            lambda: app.mark_read(who, room, id),
            lambda: app.unread(who, room),
            lambda: app.list_readers(who, room, limit=10),
            lambda: app.set_preferences(who, room, muted=True),
            lambda: app.typing(who, room),
            lambda: app.stop_typing(who, room),
            lambda: app.report(who, room, id, "rude"),
            lambda: app.change_channel(who, room, {"name": "x"}),
            lambda: app.delete_channel(who, room),
            lambda: app.members.list_in_channel(who, room, limit=10),
            lambda: app.privacy.find(who, room),
            lambda: app.privacy.change(who, room, None),
        ]

    for hidden, missing in zip(verbs(channel_id), verbs(ChannelId("01M00000000000000000000000")), strict=True):
        errors = []
        for verb in (hidden, missing):
            with pytest.raises(NotFound) as refused:
                await verb()
            errors.append((str(refused.value), refused.value.data))
        assert errors[0] == errors[1]
    assert await app.find_message(who, id) is None
    assert await app.unread_everywhere(who) == []
    readers = RoomReaders(community.app.table)
    readers.add(CHANNELS, app._access)
    assert not await readers.may_read(who.user_id, "channel", channel_id, id)
    assert await readers.may_read(community.admin.user_id, "channel", channel_id, id)


async def test_those_without_the_right_to_manage_channels_cannot_change_the_list(community: Community) -> None:
    privacy = community.app.communities.privacy
    with pytest.raises(Forbidden):
        await privacy.change(community.moderator, community.channel_id, AccessList())
    with pytest.raises(Forbidden):
        await privacy.find(community.member, community.channel_id)
    with pytest.raises(NotFound):
        await privacy.change(community.stranger, community.channel_id, AccessList())


async def test_list_names_members_only(community: Community) -> None:
    privacy, channel_id = community.app.communities.privacy, community.channel_id
    users = [community.member.user_id, community.stranger.user_id]
    with pytest.raises(UnknownUsers) as refused:
        await privacy.change(community.owner, channel_id, AccessList((), users))
    assert refused.value.data == {"user_ids": [community.stranger.user_id]}
    assert await privacy.find(community.owner, channel_id) is None

    await privacy.change(community.owner, channel_id, AccessList(["moderator"] * 2, [community.member.user_id] * 2))
    assert await privacy.find(community.admin, channel_id) == (["moderator"], [community.member.user_id])
    await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)
    assert await privacy.find(community.admin, channel_id) == (["moderator"], [])


async def test_role_changes_kicks_and_rejoins_take_effect_at_once(community: Community) -> None:
    members, member = community.app.communities.members, community.member
    await restrict(community, "moderator")
    await members.change_role(community.owner, community.server_id, member.user_id, role="moderator")
    assert await sees(community, member)
    await members.change_role(community.owner, community.server_id, member.user_id, role="member")
    assert not await sees(community, member)

    await restrict(community, users=(member,))
    await members.remove(community.owner, community.server_id, member.user_id)
    with pytest.raises(NotFound):
        await community.send(member, "still here?")
    await join(community.app, community.owner, community.server_id, member)
    assert await sees(community, member)
    await members.ban(community.owner, community.server_id, member.user_id)
    with pytest.raises(NotFound):
        await community.app.communities.get_channel(member, community.channel_id)


async def test_new_owner_sees_every_channel_and_the_previous_one_too(community: Community) -> None:
    await restrict(community)
    await community.app.communities.members.transfer(community.owner, community.server_id, community.member.user_id)
    assert await sees(community, community.member)
    assert await sees(community, community.owner)


async def test_channel_can_be_created_private(community: Community) -> None:
    communities = community.app.communities
    access = AccessList([], [community.member.user_id])
    outcome = await communities.create_channel(community.admin, community.server_id, name="secret", access=access)

    assert outcome.channel.private
    assert (await communities.get_channel(community.member, outcome.channel.channel_id)).channel.private
    with pytest.raises(NotFound):
        await communities.get_channel(community.moderator, outcome.channel.channel_id)
    rows, _ = await communities.members.list_in_channel(community.member, outcome.channel.channel_id, limit=50)
    assert {row.user_id for row in rows} == {
        community.owner.user_id,
        community.admin.user_id,
        community.member.user_id,
    }
    await communities.delete_channel(community.owner, outcome.channel.channel_id)
    assert await communities.count_channels(
        community.member, (await communities.list_servers(community.member, limit=5))[0]
    ) == [1]


async def test_mention_of_a_user_without_access_does_not_count(community: Community) -> None:
    app = community.app
    signed_in = await app.accounts.register(email="mia@example.com", username="mia", password="correct horse")
    mia = Actor.of_user(signed_in.user.user_id, "mia")
    await join(app, community.owner, community.server_id, mia)
    assert (await community.send(community.owner, "@mia")).mentions == [mia.user_id]
    await restrict(community)
    assert (await community.send(community.owner, "@mia")).mentions == []
    await restrict(community, users=(mia,))
    assert (await community.send(community.owner, "@mia")).mentions == [mia.user_id]


async def test_send_depends_on_the_list_as_it_is_when_it_is_written(community: Community) -> None:
    """The seat is read first, as in a send that waits for a moderation service."""
    communities, member = community.app.communities, community.member
    for change in ("access", "role"):
        await restrict(community, "moderator" if change == "role" else "member")
        if change == "role":
            await communities.members.change_role(
                community.owner, community.server_id, member.user_id, role="moderator"
            )
        seat = await communities._access.authorize_send(member, community.channel_id)
        if change == "role":
            await communities.members.change_role(community.owner, community.server_id, member.user_id, role="member")
        else:
            await restrict(community)
        with pytest.raises(NotFound):
            await communities.send_with(seat, Draft("too late"), lambda message: ())
    assert "too late" not in await community.contents()


async def test_send_succeeds_while_the_list_changes_for_others(community: Community) -> None:
    await restrict(community, "member")
    contents = [f"text {number}" for number in range(8)]
    await asyncio.gather(
        *(community.send(community.member, content) for content in contents),
        *(restrict_or_lose(community, number) for number in range(3)),
    )
    assert sorted(await community.contents()) == contents


async def restrict_or_lose(community: Community, number: int) -> None:
    with contextlib.suppress(ChangedMeanwhile):  # another change was faster
        await (restrict(community, "member", "moderator") if number % 2 else restrict(community, "member"))


async def test_no_message_is_sent_after_access_is_removed(community: Community) -> None:
    await restrict(community, "member")
    sent: list[MessageId] = []

    async def send_many() -> None:
        for number in range(20):
            try:
                sent.append((await community.send(community.member, f"text {number}")).message_id)
            except NotFound:
                return

    sending = asyncio.create_task(send_many())
    await asyncio.sleep(0)
    await restrict(community)
    last = (await community.app.communities.get_channel(community.owner, community.channel_id)).last_message_id
    await sending
    after = (await community.app.communities.get_channel(community.owner, community.channel_id)).last_message_id
    assert after == last


async def test_public_channel_of_another_server_is_not_affected(community: Community) -> None:
    communities = community.app.communities
    await restrict(community)
    other = await communities.create_server(community.member, name="Another")
    channel = await communities.create_channel(community.member, other.server_id, name="open")
    joining = actor_of("jo")
    await join(community.app, community.member, other.server_id, joining)
    assert (await communities.get_channel(joining, channel.channel.channel_id)).channel.private is None
