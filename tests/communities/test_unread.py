"""Unread counts and read positions."""

from __future__ import annotations

import asyncio
import random

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import Community, create_community, join, register, requests
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids, MessageId, time_of
from sobremesa.core.settings import Settings
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelId,
    ChannelMessage,
    ChannelPointer,
    Connection,
    ConnectionId,
    last_read,
)
from sobremesa.http.large_requests import LargeRequestRunning
from sobremesa.rooms.tails import Tails
from sobremesa.rooms.unread import MANY_ROOMS, MAX_COUNTED, Unread
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Create, Put, Update, set_to
from table.heartbeat import Heartbeat


async def unread(community: Community, who: Actor) -> tuple[int, bool, int]:
    found = await community.app.communities.unread(who, community.channel_id)
    return found.count, found.capped, found.mentions


async def chatter(community: Community, who: Actor, count: int, clock: Ahead) -> list[MessageId]:
    """Many messages of one user, as many sends would write them."""
    ids = Ids(clock)
    created = [MessageId(ids.mint()) for _ in range(count)]
    await community.app.table.write_many(
        Put(ChannelMessage(room_id=community.channel_id, message_id=one, author_id=who.user_id, ms=time_of(one)))
        for one in created
    )
    pointer = await community.app.communities.get_channel(community.owner, community.channel_id)
    assert pointer.last_message_id is None or pointer.last_message_id < created[-1]
    await community.app.table.write(
        Update(ChannelPointer.key(room_id=community.channel_id), set_to(last_message_id=created[-1]))
    )
    return created


async def test_messages_before_joining_are_not_unread(community: Community, clock: Ahead) -> None:
    await community.send(community.owner, "long ago")
    clock.move(seconds=1)
    await join(community.app, community.owner, community.server_id, community.stranger)
    assert await unread(community, community.stranger) == (0, False, 0)

    clock.move(seconds=1)
    await community.send(community.owner, "welcome")

    assert await unread(community, community.stranger) == (1, False, 0)
    assert await community.contents(community.stranger) == ["long ago", "welcome"]


async def test_own_and_deleted_messages_are_not_unread(community: Community) -> None:
    await community.send(community.member, "mine")
    taken_back = await community.send(community.owner, "oops")
    await community.send(community.owner, "theirs")
    await community.app.communities.delete_message(community.owner, community.channel_id, taken_back.message_id)

    assert await unread(community, community.member) == (1, False, 0)
    assert await unread(community, community.owner) == (1, False, 0)
    assert await unread(community, community.admin) == (2, False, 0)


async def test_unread_count_is_capped_at_a_hundred(community: Community, clock: Ahead) -> None:
    posted = await chatter(community, community.owner, MAX_COUNTED + 1, clock)

    assert await unread(community, community.member) == (MAX_COUNTED, True, 0)
    read = await community.app.communities.mark_read(community.member, community.channel_id, posted[0])
    assert read.unread == UnreadView(MAX_COUNTED, False, 0)
    read = await community.app.communities.mark_read(community.member, community.channel_id, posted[-2])
    assert read.unread == UnreadView(1, False, 0)


async def test_many_own_messages_do_not_hide_later_ones_of_others(community: Community, clock: Ahead) -> None:
    await chatter(community, community.member, 210, clock)
    clock.move(seconds=1)
    await community.send(community.owner, "are you done?")

    rooms = await community.app.communities.unread_everywhere(community.member)

    assert [room.room_id for room in rooms] == [community.channel_id]


async def test_mentions_are_counted_separately(community: Community) -> None:
    ana = await register(community.app, "ana")
    await join(community.app, community.owner, community.server_id, ana)
    for content in ("@ana, come", "nobody in particular", "where is @Ana?", "mail x@ana.example"):
        await community.send(community.owner, content)
    await community.send(ana, "I am @ana myself")

    assert await unread(community, ana) == (4, False, 2)
    assert await unread(community, community.member) == (5, False, 0)


async def test_cursor_only_moves_forward_under_concurrent_moves(community: Community) -> None:
    posted = [(await community.send(community.owner, str(number))).message_id for number in range(20)]
    channels, room = community.app.communities, community.channel_id

    shuffled = random.Random(7).sample(posted, len(posted))
    reads = await asyncio.gather(*(channels.mark_read(community.member, room, one) for one in shuffled))

    assert all(read.last_read_message_id is not None and read.last_read_message_id >= one
               for read, one in zip(reads, shuffled, strict=True))  # fmt: skip
    back = await channels.mark_read(community.member, room, posted[3])
    assert (back.last_read_message_id, back.unread.count) == (posted[-1], 0)
    row = await community.app.table.get(last_read(room_id=room, user_id=community.member.user_id), consistent=True)
    assert row is not None
    assert (row.last_read_message_id, row.last_read_timestamp) == (posted[-1], time_of(posted[-1]))


async def test_only_a_message_of_the_channel_can_be_marked_read(community: Community) -> None:
    other = await community.app.communities.create_channel(community.owner, community.server_id, name="other")
    message = await community.send(community.owner, "here")

    for room, message_id in (
        (community.channel_id, MessageId("01JZZZZZZZZZZZZZZZZZZZZZZZ")),
        (community.channel_id, MessageId("nonsense")),
        (other.channel.channel_id, message.message_id),
    ):
        with pytest.raises(NotFound):
            await community.app.communities.mark_read(community.member, room, message_id)

    assert await unread(community, community.member) == (1, False, 0)


async def test_other_rows_of_the_channel_are_never_unread(community: Community, clock: Ahead) -> None:
    channels, room = community.app.communities, community.channel_id
    message = await community.send(community.owner, "the only one", nonce="n")
    await channels.pin(community.owner, room, message.message_id)
    for who in (community.owner, community.admin, community.moderator):
        await channels.react(who, room, message.message_id, "👍")
        await channels.mark_read(who, room, message.message_id)
    await community.app.table.write(
        Create(
            Connection(
                room_id=room,
                connection_id=ConnectionId("socket"),
                server_id=community.server_id,
                user_id=community.owner.user_id,
                ttl=clock.now_ms() // 1000 + 3600,
            )
        )
    )

    assert await unread(community, community.member) == (1, False, 0)
    await channels.mark_read(community.member, room, message.message_id)
    assert await unread(community, community.member) == (0, False, 0)


async def test_totals_cover_all_servers_and_muted_channels(community: Community) -> None:
    other = await create_community(community.app)
    await join(community.app, other.owner, other.server_id, community.member)
    quiet = await community.app.communities.create_channel(community.owner, community.server_id, name="quiet")
    read = await community.app.communities.create_channel(community.owner, community.server_id, name="read")
    await community.send(community.owner, "one")
    await community.send(community.admin, "two")
    await other.send(other.owner, "three")
    await community.app.communities.set_preferences(community.member, community.channel_id, muted=True)
    done = await community._replace(channel_id=read.channel.channel_id).send(community.owner, "four")
    await community.app.communities.mark_read(community.member, read.channel.channel_id, done.message_id)

    rooms = await community.app.communities.unread_everywhere(community.member)

    assert {(room.room_id, room.count, room.capped, room.muted) for room in rooms} == {
        (community.channel_id, 2, False, True),
        (other.channel_id, 1, False, False),
    }
    assert quiet.channel.channel_id not in {room.room_id for room in rooms}
    assert {room.room_kind for room in rooms} == {"channel"}
    assert await community.app.communities.unread_everywhere(community.stranger) == []


async def test_muting_keeps_the_read_position(community: Community) -> None:
    message = await community.send(community.owner, "one")
    await community.app.communities.mark_read(community.member, community.channel_id, message.message_id)

    assert (await community.app.communities.set_preferences(community.member, community.channel_id, muted=True)).muted
    await community.send(community.owner, "two")
    assert await unread(community, community.member) == (1, False, 0)
    assert not (
        await community.app.communities.set_preferences(community.member, community.channel_id, muted=False)
    ).muted
    assert await unread(community, community.member) == (1, False, 0)


async def test_messages_before_rejoining_are_not_unread(community: Community, clock: Ahead) -> None:
    message = await community.send(community.owner, "before")
    await community.app.communities.mark_read(community.member, community.channel_id, message.message_id)
    await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)
    await community.send(community.owner, "meanwhile")
    clock.move(seconds=1)
    await join(community.app, community.owner, community.server_id, community.member)
    clock.move(seconds=1)

    assert await unread(community, community.member) == (0, False, 0)
    await community.send(community.owner, "after")
    assert await unread(community, community.member) == (1, False, 0)


async def test_readers_are_current_members(community: Community) -> None:
    first, second = await community.send(community.owner, "one"), await community.send(community.owner, "two")
    channels, room = community.app.communities, community.channel_id
    await channels.mark_read(community.member, room, first.message_id)
    await channels.mark_read(community.admin, room, second.message_id)
    await channels.mark_read(community.moderator, room, second.message_id)
    await channels.set_preferences(community.owner, room, muted=True)
    await community.app.communities.members.remove(community.owner, community.server_id, community.moderator.user_id)

    readers, cursor = await channels.list_readers(community.owner, room, limit=10, cursor=None)

    assert {reader.user_id: reader.last_read_message_id for reader in readers} == {
        community.member.user_id: first.message_id,
        community.admin.user_id: second.message_id,
    }
    assert cursor is None


async def test_room_without_new_messages_is_not_queried(community: Community) -> None:
    message = await community.send(community.owner, "one")
    await community.app.communities.mark_read(community.member, community.channel_id, message.message_id)

    with requests(community.app) as asked:
        await unread(community, community.member)

    assert asked["query"] == 0


async def test_unread_counts_of_many_rooms_run_one_at_a_time_for_each_user(community: Community) -> None:
    """A few rooms are counted for every request; hundreds of them by one request at a time."""
    few = await community.app.communities.seats_of(community.owner)
    numbers = [ChannelId(f"channel{number}") for number in range(MANY_ROOMS)]
    await community.app.table.write_many(
        [
            *(Put(Channel(server_id=community.server_id, channel_id=one, name=one)) for one in numbers),
            *(Put(ChannelPointer(room_id=one, server_id=community.server_id)) for one in numbers),
        ]
    )
    many = await community.app.communities.seats_of(community.owner)
    counting = Unread(CHANNELS, community.app.table, Tails(CHANNELS, community.app.table))

    together = await asyncio.gather(
        counting.everywhere(many), counting.everywhere(few), counting.everywhere(many), return_exceptions=True
    )

    assert isinstance(together[2], LargeRequestRunning)
    assert [len(found) for found in together[:2] if isinstance(found, list)] == [MANY_ROOMS + 1, 1]
    assert len(await counting.everywhere(many)) == MANY_ROOMS + 1


async def test_other_tasks_run_while_messages_are_exported(clock: Ahead) -> None:
    async with Sobremesa.open(
        "sqlite://", settings=Settings(**CHEAP, rate_limits="off"), clock=clock, background=False
    ) as app:
        community = await create_community(app)
        ana = await register(app, "ana")
        await join(community.app, community.owner, community.server_id, ana)
        await chatter(community, community.owner, 1500, clock)

        async def export() -> list[object]:
            return [line async for line in community.app.accounts.export(ana)]

        assert await Heartbeat().during(export()) >= 2
