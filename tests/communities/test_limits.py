"""Rules that are conditions of the write: membership of senders, and limits under concurrent requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from communities.environment import Community, actor_of
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.domains.communities import invites, service
from sobremesa.domains.communities.errors import TooManyChannels, TooManyServers
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations import participants
from sobremesa.domains.conversations.errors import TooManyParticipants
from sobremesa.rooms import pins, reactions
from sobremesa.rooms.errors import TooManyEmoji, TooManyPins
from sobremesa.rooms.views import MessageView

LIMIT = 3
ATTEMPTS = 8


@contextmanager
def before_the_next_transaction(app: Sobremesa, act: Callable[[], Awaitable[Any]]) -> Iterator[None]:
    """Run something after an operation has checked and before it writes."""
    engine: Any = app.table.engine
    transact = engine.transact

    async def after_the_act(*args: Any, **options: Any) -> Any:
        engine.transact = transact
        await act()
        return await transact(*args, **options)

    engine.transact = after_the_act
    try:
        yield
    finally:
        del engine.transact


async def outcomes(*attempts: Coroutine[Any, Any, Any]) -> tuple[list[Any], set[type[BaseException]]]:
    """Return the results of concurrent calls, and the refusals of those that failed."""
    done = await asyncio.gather(*attempts, return_exceptions=True)
    refused = {type(one) for one in done if isinstance(one, BaseException)}
    return [one for one in done if not isinstance(one, BaseException)], refused


# Membership


async def test_member_removed_between_the_check_and_the_write_sends_nothing(community: Community) -> None:
    removal = partial(
        community.app.communities.members.remove, community.owner, community.server_id, community.member.user_id
    )
    with before_the_next_transaction(community.app, removal), pytest.raises(NotFound):
        await community.send(community.member, "too late")

    assert await community.contents() == []


async def test_member_banned_between_the_check_and_the_write_sends_nothing(community: Community) -> None:
    ban = partial(community.app.communities.members.ban, community.owner, community.server_id, community.member.user_id)
    with before_the_next_transaction(community.app, ban), pytest.raises(NotFound):
        await community.send(community.member, "too late")

    assert await community.contents() == []


async def test_nothing_is_sent_after_a_removal_that_races_with_many_sends(community: Community) -> None:
    removal = community.app.communities.members.remove(community.owner, community.server_id, community.member.user_id)
    sends = [community.send(community.member, str(number)) for number in range(ATTEMPTS)]
    sent, refused = await outcomes(*sends[:4], removal, *sends[4:])

    messages = [one for one in sent if isinstance(one, MessageView)]
    assert sorted(await community.contents()) == sorted(message.content for message in messages)
    assert refused <= {NotFound}
    with pytest.raises(NotFound):
        await community.send(community.member, "afterwards")


async def test_member_who_rejoins_sends_again(community: Community) -> None:
    await community.send(community.member, "before")
    await community.app.communities.members.remove(community.owner, community.server_id, community.member.user_id)
    invite = await community.app.communities.invites.create(community.owner, community.server_id)
    await community.app.communities.invites.redeem(community.member, invite.code)

    await community.send(community.member, "after")

    assert await community.contents() == ["before", "after"]


# Limits


async def test_user_is_in_no_more_servers_than_the_limit(community: Community, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invites, "MAX_SERVERS", LIMIT)
    communities: Communities = community.app.communities
    who = actor_of("many")
    invite = await community.app.communities.invites.create(community.owner, community.server_id)

    created, refused = await outcomes(
        *(communities.create_server(who, name=str(number)) for number in range(ATTEMPTS)),
        community.app.communities.invites.redeem(who, invite.code),
    )

    assert len(created) == LIMIT
    assert refused == {TooManyServers}
    listed, _ = await communities.list_servers(who, limit=50)
    assert len(listed) == LIMIT


async def test_leaving_a_server_makes_room_for_another(community: Community, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invites, "MAX_SERVERS", 1)
    with pytest.raises(TooManyServers):
        await community.app.communities.create_server(community.member, name="second")

    await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)

    assert (
        await community.app.communities.create_server(community.member, name="second")
    ).owner_id == community.member.user_id


async def test_server_has_no_more_channels_than_the_limit(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_CHANNELS", LIMIT)
    communities = community.app.communities

    created, refused = await outcomes(
        *(
            communities.create_channel(community.owner, community.server_id, name=str(number))
            for number in range(ATTEMPTS)
        )
    )

    assert len(created) == LIMIT - 1  # the community has one
    assert refused == {TooManyChannels}
    listed, _ = await communities.list_channels(community.owner, community.server_id, limit=50)
    assert len(listed) == LIMIT


async def test_room_has_no_more_pins_than_the_limit(community: Community, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "MAX_PINS", LIMIT)
    channels, room = community.app.communities, community.channel_id
    posted = [await community.send(community.owner, str(number)) for number in range(ATTEMPTS)]

    created, refused = await outcomes(*(channels.pin(community.owner, room, one.message_id) for one in posted))

    assert len(created) == LIMIT
    assert refused == {TooManyPins}
    listed, _ = await channels.list_pins(community.owner, room, limit=50, cursor=None)
    assert len(listed) == LIMIT
    await channels.unpin(community.owner, room, listed[0].message.message_id)
    await channels.pin(community.owner, room, listed[0].message.message_id)


async def test_message_has_no_more_emoji_than_the_limit(community: Community, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactions, "MAX_EMOJI", LIMIT)
    channels, room = community.app.communities, community.channel_id
    message_id = (await community.send(community.owner, "how is it?")).message_id
    emoji = ["👍", "👎", "😀", "🎉", "❤️", "🔥", "🙏", "👀"]

    created, refused = await outcomes(*(channels.react(community.member, room, message_id, one) for one in emoji))

    assert len(created) == LIMIT
    assert refused == {TooManyEmoji}
    shown = (await channels.get_message(community.owner, room, message_id)).reactions
    assert [one.count for one in shown] == [1] * LIMIT
    # An existing emoji is open to all users, and removing one allows another.
    await channels.react(community.owner, room, message_id, shown[0].emoji)
    await channels.unreact(community.member, room, message_id, shown[1].emoji)
    await channels.react(
        community.owner, room, message_id, next(one for one in emoji if one not in {e.emoji for e in shown})
    )


async def test_group_has_no_more_participants_than_the_limit(app: Sobremesa, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(participants, "MAX_PARTICIPANTS", LIMIT)
    monkeypatch.setattr(participants, "BIG_ABOVE", 2)
    ana, *others = await known(app, "ana", *(f"guest{number}" for number in range(ATTEMPTS)))
    room = (await app.conversations.create_group(ana, [others[0].user_id])).conversation_id

    created, refused = await outcomes(
        *(app.conversations.participants.add(ana, room, one.user_id) for one in others[1:])
    )

    assert len(created) == LIMIT - 2
    assert refused <= {TooManyParticipants, ChangedMeanwhile}
    listed, _ = await app.conversations.participants.list_participants(ana, room, limit=50)
    assert len(listed) == LIMIT
    outside = {one.user_id for one in others} - {row.user_id for row in listed}
    with pytest.raises(TooManyParticipants):
        await app.conversations.participants.add(ana, room, min(outside))
