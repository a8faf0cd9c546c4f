"""Rules that are conditions of the write: membership of senders, and limits under concurrent requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from communities.world import Town, person
from conversations.company import known
from sobremesa.app import Sobremesa
from sobremesa.core.errors import NotFound
from sobremesa.domains.communities import service
from sobremesa.domains.communities.errors import TooManyChannels, TooManyServers
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations import seats
from sobremesa.domains.conversations.errors import ChangedMeanwhile, TooManyParticipants
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


async def test_member_removed_between_the_check_and_the_write_sends_nothing(town: Town) -> None:
    removal = partial(town.app.membership.remove, town.owner, town.server_id, town.member.user_id)
    with before_the_next_transaction(town.app, removal), pytest.raises(NotFound):
        await town.say(town.member, "too late")

    assert await town.contents() == []


async def test_member_banned_between_the_check_and_the_write_sends_nothing(town: Town) -> None:
    ban = partial(town.app.membership.ban, town.owner, town.server_id, town.member.user_id)
    with before_the_next_transaction(town.app, ban), pytest.raises(NotFound):
        await town.say(town.member, "too late")

    assert await town.contents() == []


async def test_nothing_is_sent_after_a_removal_that_races_with_many_sends(town: Town) -> None:
    removal = town.app.membership.remove(town.owner, town.server_id, town.member.user_id)
    sends = [town.say(town.member, str(number)) for number in range(ATTEMPTS)]
    sent, refused = await outcomes(*sends[:4], removal, *sends[4:])

    messages = [one for one in sent if isinstance(one, MessageView)]
    assert sorted(await town.contents()) == sorted(message.content for message in messages)
    assert refused <= {NotFound}
    with pytest.raises(NotFound):
        await town.say(town.member, "afterwards")


async def test_member_who_rejoins_sends_again(town: Town) -> None:
    await town.say(town.member, "before")
    await town.app.membership.remove(town.owner, town.server_id, town.member.user_id)
    invite = await town.app.membership.create_invite(town.owner, town.server_id)
    await town.app.membership.redeem(town.member, invite.code)

    await town.say(town.member, "after")

    assert await town.contents() == ["before", "after"]


# Limits


async def test_user_is_in_no_more_servers_than_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_SERVERS", LIMIT)
    communities: Communities = town.app.communities
    who = person("many")
    invite = await town.app.membership.create_invite(town.owner, town.server_id)

    created, refused = await outcomes(
        *(communities.create_server(who, name=str(number)) for number in range(ATTEMPTS)),
        town.app.membership.redeem(who, invite.code),
    )

    assert len(created) == LIMIT
    assert refused == {TooManyServers}
    listed, _ = await communities.list_servers(who, limit=50)
    assert len(listed) == LIMIT


async def test_leaving_a_server_makes_room_for_another(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_SERVERS", 1)
    with pytest.raises(TooManyServers):
        await town.app.communities.create_server(town.member, name="second")

    await town.app.membership.remove(town.member, town.server_id, town.member.user_id)

    assert (await town.app.communities.create_server(town.member, name="second")).owner_id == town.member.user_id


async def test_server_has_no_more_channels_than_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_CHANNELS", LIMIT)
    communities = town.app.communities

    created, refused = await outcomes(
        *(communities.create_channel(town.owner, town.server_id, name=str(number)) for number in range(ATTEMPTS))
    )

    assert len(created) == LIMIT - 1  # the town has one
    assert refused == {TooManyChannels}
    listed, _ = await communities.list_channels(town.owner, town.server_id, limit=50)
    assert len(listed) == LIMIT


async def test_room_has_no_more_pins_than_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "MAX_PINS", LIMIT)
    channels, room = town.app.channels, town.channel_id
    posted = [await town.say(town.owner, str(number)) for number in range(ATTEMPTS)]

    created, refused = await outcomes(*(channels.pin(town.owner, room, one.message_id) for one in posted))

    assert len(created) == LIMIT
    assert refused == {TooManyPins}
    listed, _ = await channels.list_pins(town.owner, room, limit=50, cursor=None)
    assert len(listed) == LIMIT
    await channels.unpin(town.owner, room, listed[0].message.message_id)
    await channels.pin(town.owner, room, listed[0].message.message_id)


async def test_message_has_no_more_emoji_than_the_limit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactions, "MAX_EMOJI", LIMIT)
    channels, room = town.app.channels, town.channel_id
    message_id = (await town.say(town.owner, "how is it?")).message_id
    emoji = ["👍", "👎", "😀", "🎉", "❤️", "🔥", "🙏", "👀"]

    created, refused = await outcomes(*(channels.react(town.member, room, message_id, one) for one in emoji))

    assert len(created) == LIMIT
    assert refused == {TooManyEmoji}
    shown = (await channels.get(town.owner, room, message_id)).reactions
    assert [one.count for one in shown] == [1] * LIMIT
    # An existing emoji is open to all users, and removing one allows another.
    await channels.react(town.owner, room, message_id, shown[0].emoji)
    await channels.unreact(town.member, room, message_id, shown[1].emoji)
    await channels.react(
        town.owner, room, message_id, next(one for one in emoji if one not in {e.emoji for e in shown})
    )


async def test_group_has_no_more_participants_than_the_limit(app: Sobremesa, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_PARTICIPANTS", LIMIT)
    monkeypatch.setattr(seats, "BIG_ABOVE", 2)
    ana, *others = await known(app, "ana", *(f"guest{number}" for number in range(ATTEMPTS)))
    room = (await app.conversations.create_group(ana, [others[0].user_id])).conversation_id

    created, refused = await outcomes(
        *(app.conversation_participants.add(ana, room, one.user_id) for one in others[1:])
    )

    assert len(created) == LIMIT - 2
    assert refused <= {TooManyParticipants, ChangedMeanwhile}
    listed, _ = await app.conversation_participants.list_participants(ana, room, limit=50)
    assert len(listed) == LIMIT
    outside = {one.user_id for one in others} - {row.user_id for row in listed}
    with pytest.raises(TooManyParticipants):
        await app.conversation_participants.add(ana, room, min(outside))
