"""Reactions to messages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import Community, actor_of, add_members
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.rooms.errors import NotAnEmoji, TooManyEmoji
from sobremesa.rooms.reactions import MAX_EMOJI
from sobremesa.rooms.rendering import MAX_SHOWN_REACTORS
from sobremesa.rooms.views import ReactionView
from sobremesa.table import Put, RawKey, hex_part
from sobremesa.table.engines.protocol import PutItem

USERS = 100


async def reactions_of(community: Community, who: Actor, message_id: MessageId) -> list[ReactionView]:
    return (await community.app.communities.get_message(who, community.channel_id, message_id)).reactions


async def settled(community: Community, message_id: MessageId, emoji: str) -> set[UserId]:
    """Return who reacted, after asserting that rows, count and names agree."""
    table = community.app.table
    asked = CHANNELS.reactors(room_id=community.channel_id, message_id=message_id, emoji_hex=hex_part(emoji))
    reacted = {row.user_id async for row in table.every(asked, consistent=True)}
    question = CHANNELS.reactions_of_message(room_id=community.channel_id, message_id=message_id)
    summaries = [row async for row in table.every(question, consistent=True)]
    assert [summary.count for summary in summaries] == ([len(reacted)] if reacted else [])
    for summary in summaries:
        assert summary.user_ids <= reacted
        assert len(summary.user_ids) <= MAX_SHOWN_REACTORS
    return reacted


async def all_at_once(community: Community, verb: Callable[[Actor], Awaitable[None]], users: Sequence[Actor]) -> None:
    """Run all calls; on an HTTP endpoint about thirty at a time."""
    crowded = asyncio.Semaphore(USERS if community.app.settings.store.startswith("sqlite") else 32)

    async def one(who: Actor) -> None:
        async with crowded:
            await verb(who)

    await asyncio.gather(*map(one, users))


async def test_hundred_users_react_at_once_and_half_remove_it(community: Community) -> None:
    users = await add_members(community.app, community.server_id, USERS)
    message = await community.send(community.owner, "pudding?")
    channels, room = community.app.communities, community.channel_id

    await all_at_once(community, lambda who: channels.react(who, room, message.message_id, "👍"), users)
    assert await settled(community, message.message_id, "👍") == {who.user_id for who in users}

    stay, leave = users[::2], users[1::2]
    await all_at_once(community, lambda who: channels.unreact(who, room, message.message_id, "👍"), leave)

    assert await settled(community, message.message_id, "👍") == {who.user_id for who in stay}
    [shown] = await reactions_of(community, stay[-1], message.message_id)
    assert (shown.count, shown.me) == (len(stay), True)
    [shown] = await reactions_of(community, leave[-1], message.message_id)
    assert shown.me is False


async def test_counts_rows_and_names_agree_after_any_toggles(community: Community) -> None:
    users = await add_members(community.app, community.server_id, 30)
    message = await community.send(community.owner, "pudding?")
    channels = community.app.communities

    async def toggle(who: Actor, times: int) -> None:
        for time in range(times):
            verb = channels.unreact if time % 2 else channels.react
            await verb(who, community.channel_id, message.message_id, "👍")

    await asyncio.gather(*(toggle(who, 2 + index % 4) for index, who in enumerate(users)))

    expected = {who.user_id for index, who in enumerate(users) if index % 2}
    assert await settled(community, message.message_id, "👍") == expected

    await asyncio.gather(*(channels.unreact(who, community.channel_id, message.message_id, "👍") for who in users))
    assert await settled(community, message.message_id, "👍") == set()
    assert await reactions_of(community, community.owner, message.message_id) == []


async def test_reacting_twice_and_removing_twice_have_no_effect(community: Community) -> None:
    message = await community.send(community.owner, "pudding?")
    channels, room = community.app.communities, community.channel_id

    for _ in range(2):
        await asyncio.gather(*(channels.react(community.member, room, message.message_id, "🍮") for _ in range(5)))
        assert await reactions_of(community, community.member, message.message_id) == [
            ReactionView("🍮", 1, [community.member.user_id], True)
        ]
    for _ in range(2):
        await asyncio.gather(*(channels.unreact(community.member, room, message.message_id, "🍮") for _ in range(5)))
        assert await reactions_of(community, community.member, message.message_id) == []


async def test_reader_sees_their_own_reaction_within_and_beyond_the_first_twenty(community: Community) -> None:
    users = await add_members(community.app, community.server_id, MAX_SHOWN_REACTORS + 3)
    message = await community.send(community.owner, "pudding?")
    for who in users:
        await community.app.communities.react(who, community.channel_id, message.message_id, "👍")

    [first] = await reactions_of(community, users[0], message.message_id)
    [last] = await reactions_of(community, users[-1], message.message_id)
    [owners] = await reactions_of(community, community.owner, message.message_id)

    assert [first.me, last.me, owners.me] == [True, True, False]
    assert users[0].user_id in first.user_ids
    assert users[-1].user_id not in last.user_ids
    assert set(first.user_ids) == {who.user_id for who in users[:MAX_SHOWN_REACTORS]}
    assert first.count == len(users)


async def test_emoji_are_in_the_order_of_their_first_use(community: Community, clock: Ahead) -> None:
    message = await community.send(community.owner, "pudding?")
    for emoji, who in [
        ("🍮", community.member),
        ("👍", community.admin),
        ("🍎", community.member),
        ("👍", community.owner),
    ]:
        clock.move(seconds=0.01)
        await community.app.communities.react(who, community.channel_id, message.message_id, emoji)

    shown = await reactions_of(community, community.owner, message.message_id)

    assert [(reaction.emoji, reaction.count) for reaction in shown] == [("🍮", 1), ("👍", 2), ("🍎", 1)]


async def test_message_accepts_twenty_emoji_and_removing_one_allows_another(community: Community) -> None:
    message = await community.send(community.owner, "pudding?")
    channels, room = community.app.communities, community.channel_id
    emoji = [chr(0x1F600 + number) for number in range(MAX_EMOJI + 1)]
    for one in emoji[:MAX_EMOJI]:
        await channels.react(community.member, room, message.message_id, one)

    with pytest.raises(TooManyEmoji) as refused:
        await channels.react(community.member, room, message.message_id, emoji[-1])
    assert refused.value.data == {"limit": MAX_EMOJI}
    await channels.react(community.owner, room, message.message_id, emoji[0])
    await channels.unreact(community.member, room, message.message_id, emoji[5])
    await channels.react(community.member, room, message.message_id, emoji[-1])

    shown = {reaction.emoji for reaction in await reactions_of(community, community.owner, message.message_id)}
    assert shown == {*emoji} - {emoji[5]}


async def test_concurrent_emoji_fill_a_message_to_its_limit(community: Community) -> None:
    message = await community.send(community.owner, "pudding?")
    users = await add_members(community.app, community.server_id, MAX_EMOJI + 5)
    react, room = community.app.communities.react, community.channel_id
    rush = [react(who, room, message.message_id, chr(0x1F600 + number)) for number, who in enumerate(users)]

    outcomes = await asyncio.gather(*rush, return_exceptions=True)

    assert all(outcome is None or isinstance(outcome, TooManyEmoji) for outcome in outcomes)
    shown = await reactions_of(community, community.owner, message.message_id)
    assert len(shown) == outcomes.count(None) == MAX_EMOJI
    with pytest.raises(TooManyEmoji):
        await react(community.member, room, message.message_id, "🍮")


async def test_every_emoji_is_returned_as_it_was_sent(community: Community) -> None:
    channels, room = community.app.communities, community.channel_id

    for emoji in ["#️⃣", "*️⃣", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👍🏽", "🇪🇸"]:
        message = await community.send(community.owner, "pudding?")
        await channels.react(community.member, room, message.message_id, emoji)

        [shown] = await reactions_of(community, community.member, message.message_id)
        assert (shown.emoji, shown.count, shown.me) == (emoji, 1, True)
        reactors, _ = await channels.list_reactors(
            community.owner, room, message.message_id, emoji, limit=5, cursor=None
        )
        assert [reactor.user_id for reactor in reactors] == [community.member.user_id]
        await channels.unreact(community.member, room, message.message_id, emoji)
        assert await reactions_of(community, community.member, message.message_id) == []


async def put_old_message(community: Community, reactions: list[dict[str, object]]) -> MessageId:
    """A message as the document's own program stores it, with its list of reactions."""
    message_id, pk, sk = "01JGSTEST004", f"CHANNEL#{community.channel_id}", "MSG#1735257600000#01JGSTEST004"
    item = {
        "pk": pk, "sk": sk, "gsi1pk": f"MSG#{message_id}", "gsi1sk": pk, "entityType": "Message",
        "messageId": message_id, "channelId": community.channel_id, "userId": community.owner.user_id,
        "username": "olga", "content": "old", "edited": False, "editedAt": None, "reactions": reactions,
        "createdAt": "2024-12-27T00:00:00.000Z", "updatedAt": "2024-12-27T00:00:00.000Z",
    }  # fmt: skip
    await community.app.table.engine.write(PutItem(RawKey(pk, sk), item))
    return MessageId(message_id)


async def test_stored_list_of_reactions_is_merged_with_new_ones(community: Community) -> None:
    away = actor_of("away")
    message_id = await put_old_message(
        community,
        [
            {"emoji": "👍", "userIds": [community.member.user_id, away.user_id], "count": 2},
            {"emoji": "🍎", "userIds": [away.user_id], "count": 1},
        ],
    )

    await community.app.communities.react(community.owner, community.channel_id, message_id, "👍")
    await community.app.communities.react(community.owner, community.channel_id, message_id, "🍮")

    assert await reactions_of(community, community.member, message_id) == [
        ReactionView("👍", 3, [community.member.user_id, away.user_id, community.owner.user_id], True),
        ReactionView("🍎", 1, [away.user_id], False),
        ReactionView("🍮", 1, [community.owner.user_id], False),
    ]


async def test_user_in_a_stored_list_is_counted_once_and_can_remove_it(community: Community) -> None:
    message_id = await put_old_message(community, [{"emoji": "👍", "userIds": [community.member.user_id], "count": 1}])
    channels, room = community.app.communities, community.channel_id

    await channels.react(community.member, room, message_id, "👍")
    assert await reactions_of(community, community.member, message_id) == [
        ReactionView("👍", 1, [community.member.user_id], True)
    ]

    await channels.unreact(community.member, room, message_id, "👍")
    assert await reactions_of(community, community.member, message_id) == []


async def test_all_reactors_are_listed_page_by_page(community: Community) -> None:
    users = await add_members(community.app, community.server_id, 25)
    message = await community.send(community.owner, "pudding?")
    react = community.app.communities.react
    await asyncio.gather(*(react(who, community.channel_id, message.message_id, "👍") for who in users))
    await react(community.owner, community.channel_id, message.message_id, "🍮")

    found: list[UserId] = []
    cursor = None
    while True:
        page, cursor = await community.app.communities.list_reactors(
            community.member, community.channel_id, message.message_id, "👍", limit=10, cursor=cursor
        )
        found += [reactor.user_id for reactor in page]
        if cursor is None:
            break

    assert found == sorted(who.user_id for who in users)


async def test_reaction_without_emoji_is_refused_and_a_stored_one_is_shown_and_removed(community: Community) -> None:
    channels, room = community.app.communities, community.channel_id
    message = await community.send(community.owner, "pudding?")

    for text in ["donkey", ":party_parrot:", "#", "7", "é", "👍donkey", "👍👍", "🇩🇩", "\u200d"]:
        with pytest.raises(NotAnEmoji):
            await channels.react(community.member, room, message.message_id, text)

    row: dict[str, Any] = {"room_id": room, "message_id": message.message_id, "emoji_hex": hex_part("donkey")}
    user_id = community.member.user_id
    await community.app.table.write(Put(CHANNELS.reaction(**row, user_id=user_id, created_at=message.created_at)))
    await community.app.table.write(Put(CHANNELS.summary(**row, count=1, user_ids=frozenset({user_id}))))
    [shown] = await reactions_of(community, community.member, message.message_id)
    assert (shown.emoji, shown.count, shown.me) == ("donkey", 1, True)
    await channels.unreact(community.member, room, message.message_id, "donkey")
    assert await reactions_of(community, community.member, message.message_id) == []
