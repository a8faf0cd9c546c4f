"""Unread counts and read positions."""

from __future__ import annotations

import asyncio
import random

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.world import Town, found_town, join, register, requests
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
from sobremesa.rooms.unread import MANY_ROOMS, MAX_COUNTED, Unread
from sobremesa.rooms.views import UnreadView
from sobremesa.table import Create, Put, Update, set_to
from table.heartbeat import Heartbeat


async def unread(town: Town, who: Actor) -> tuple[int, bool, int]:
    found = await town.app.channels.unread(who, town.channel_id)
    return found.count, found.capped, found.mentions


async def chatter(town: Town, who: Actor, count: int, clock: Ahead) -> list[MessageId]:
    """Many messages of one user, as many sends would write them."""
    ids = Ids(clock)
    created = [MessageId(ids.mint()) for _ in range(count)]
    await town.app.table.write_many(
        Put(ChannelMessage(room_id=town.channel_id, message_id=one, author_id=who.user_id, ms=time_of(one)))
        for one in created
    )
    pointer = await town.app.communities.get_channel(town.owner, town.channel_id)
    assert pointer.last_message_id is None or pointer.last_message_id < created[-1]
    await town.app.table.write(Update(ChannelPointer.key(room_id=town.channel_id), set_to(last_message_id=created[-1])))
    return created


async def test_messages_before_joining_are_not_unread(town: Town, clock: Ahead) -> None:
    await town.say(town.owner, "long ago")
    clock.move(seconds=1)
    await join(town.app, town.owner, town.server_id, town.stranger)
    assert await unread(town, town.stranger) == (0, False, 0)

    clock.move(seconds=1)
    await town.say(town.owner, "welcome")

    assert await unread(town, town.stranger) == (1, False, 0)
    assert await town.contents(town.stranger) == ["long ago", "welcome"]


async def test_own_and_deleted_messages_are_not_unread(town: Town) -> None:
    await town.say(town.member, "mine")
    taken_back = await town.say(town.owner, "oops")
    await town.say(town.owner, "theirs")
    await town.app.channels.delete(town.owner, town.channel_id, taken_back.message_id)

    assert await unread(town, town.member) == (1, False, 0)
    assert await unread(town, town.owner) == (1, False, 0)
    assert await unread(town, town.admin) == (2, False, 0)


async def test_unread_count_is_capped_at_a_hundred(town: Town, clock: Ahead) -> None:
    posted = await chatter(town, town.owner, MAX_COUNTED + 1, clock)

    assert await unread(town, town.member) == (MAX_COUNTED, True, 0)
    read = await town.app.channels.mark_read(town.member, town.channel_id, posted[0])
    assert read.unread == UnreadView(MAX_COUNTED, False, 0)
    read = await town.app.channels.mark_read(town.member, town.channel_id, posted[-2])
    assert read.unread == UnreadView(1, False, 0)


async def test_many_own_messages_do_not_hide_later_ones_of_others(town: Town, clock: Ahead) -> None:
    await chatter(town, town.member, 210, clock)
    clock.move(seconds=1)
    await town.say(town.owner, "are you done?")

    rooms = await town.app.channels.unread_everywhere(town.member)

    assert [room.room_id for room in rooms] == [town.channel_id]


async def test_mentions_are_counted_separately(town: Town) -> None:
    ana = await register(town.app, "ana")
    await join(town.app, town.owner, town.server_id, ana)
    for content in ("@ana, come", "nobody in particular", "where is @Ana?", "mail x@ana.example"):
        await town.say(town.owner, content)
    await town.say(ana, "I am @ana myself")

    assert await unread(town, ana) == (4, False, 2)
    assert await unread(town, town.member) == (5, False, 0)


async def test_cursor_only_moves_forward_under_concurrent_moves(town: Town) -> None:
    posted = [(await town.say(town.owner, str(number))).message_id for number in range(20)]
    channels, room = town.app.channels, town.channel_id

    shuffled = random.Random(7).sample(posted, len(posted))
    reads = await asyncio.gather(*(channels.mark_read(town.member, room, one) for one in shuffled))

    assert all(read.last_read_message_id is not None and read.last_read_message_id >= one
               for read, one in zip(reads, shuffled, strict=True))  # fmt: skip
    back = await channels.mark_read(town.member, room, posted[3])
    assert (back.last_read_message_id, back.unread.count) == (posted[-1], 0)
    row = await town.app.table.get(last_read(room_id=room, user_id=town.member.user_id), consistent=True)
    assert row is not None
    assert (row.last_read_message_id, row.last_read_timestamp) == (posted[-1], time_of(posted[-1]))


async def test_only_a_message_of_the_channel_can_be_marked_read(town: Town) -> None:
    other = await town.app.communities.create_channel(town.owner, town.server_id, name="other")
    message = await town.say(town.owner, "here")

    for room, message_id in (
        (town.channel_id, MessageId("01JZZZZZZZZZZZZZZZZZZZZZZZ")),
        (town.channel_id, MessageId("nonsense")),
        (other.channel.channel_id, message.message_id),
    ):
        with pytest.raises(NotFound):
            await town.app.channels.mark_read(town.member, room, message_id)

    assert await unread(town, town.member) == (1, False, 0)


async def test_other_rows_of_the_channel_are_never_unread(town: Town, clock: Ahead) -> None:
    channels, room = town.app.channels, town.channel_id
    message = await town.say(town.owner, "the only one", nonce="n")
    await channels.pin(town.owner, room, message.message_id)
    for who in (town.owner, town.admin, town.moderator):
        await channels.react(who, room, message.message_id, "👍")
        await channels.mark_read(who, room, message.message_id)
    await town.app.table.write(
        Create(
            Connection(
                room_id=room,
                connection_id=ConnectionId("socket"),
                server_id=town.server_id,
                user_id=town.owner.user_id,
                ttl=clock.now_ms() // 1000 + 3600,
            )
        )
    )

    assert await unread(town, town.member) == (1, False, 0)
    await channels.mark_read(town.member, room, message.message_id)
    assert await unread(town, town.member) == (0, False, 0)


async def test_totals_cover_all_servers_and_muted_channels(town: Town) -> None:
    other = await found_town(town.app)
    await join(town.app, other.owner, other.server_id, town.member)
    quiet = await town.app.communities.create_channel(town.owner, town.server_id, name="quiet")
    read = await town.app.communities.create_channel(town.owner, town.server_id, name="read")
    await town.say(town.owner, "one")
    await town.say(town.admin, "two")
    await other.say(other.owner, "three")
    await town.app.channels.set_preferences(town.member, town.channel_id, muted=True)
    done = await town._replace(channel_id=read.channel.channel_id).say(town.owner, "four")
    await town.app.channels.mark_read(town.member, read.channel.channel_id, done.message_id)

    rooms = await town.app.channels.unread_everywhere(town.member)

    assert {(room.room_id, room.count, room.capped, room.muted) for room in rooms} == {
        (town.channel_id, 2, False, True),
        (other.channel_id, 1, False, False),
    }
    assert quiet.channel.channel_id not in {room.room_id for room in rooms}
    assert {room.room_kind for room in rooms} == {"channel"}
    assert await town.app.channels.unread_everywhere(town.stranger) == []


async def test_muting_keeps_the_read_position(town: Town) -> None:
    message = await town.say(town.owner, "one")
    await town.app.channels.mark_read(town.member, town.channel_id, message.message_id)

    assert (await town.app.channels.set_preferences(town.member, town.channel_id, muted=True)).muted
    await town.say(town.owner, "two")
    assert await unread(town, town.member) == (1, False, 0)
    assert not (await town.app.channels.set_preferences(town.member, town.channel_id, muted=False)).muted
    assert await unread(town, town.member) == (1, False, 0)


async def test_messages_before_rejoining_are_not_unread(town: Town, clock: Ahead) -> None:
    message = await town.say(town.owner, "before")
    await town.app.channels.mark_read(town.member, town.channel_id, message.message_id)
    await town.app.membership.remove(town.member, town.server_id, town.member.user_id)
    await town.say(town.owner, "meanwhile")
    clock.move(seconds=1)
    await join(town.app, town.owner, town.server_id, town.member)
    clock.move(seconds=1)

    assert await unread(town, town.member) == (0, False, 0)
    await town.say(town.owner, "after")
    assert await unread(town, town.member) == (1, False, 0)


async def test_readers_are_current_members(town: Town) -> None:
    first, second = await town.say(town.owner, "one"), await town.say(town.owner, "two")
    channels, room = town.app.channels, town.channel_id
    await channels.mark_read(town.member, room, first.message_id)
    await channels.mark_read(town.admin, room, second.message_id)
    await channels.mark_read(town.moderator, room, second.message_id)
    await channels.set_preferences(town.owner, room, muted=True)
    await town.app.membership.remove(town.owner, town.server_id, town.moderator.user_id)

    readers, cursor = await channels.list_readers(town.owner, room, limit=10, cursor=None)

    assert {reader.user_id: reader.last_read_message_id for reader in readers} == {
        town.member.user_id: first.message_id,
        town.admin.user_id: second.message_id,
    }
    assert cursor is None


async def test_room_without_new_messages_is_not_queried(town: Town) -> None:
    message = await town.say(town.owner, "one")
    await town.app.channels.mark_read(town.member, town.channel_id, message.message_id)

    with requests(town.app) as asked:
        await unread(town, town.member)

    assert asked["query"] == 0


async def test_unread_counts_of_many_rooms_run_one_at_a_time_for_each_user(town: Town) -> None:
    """A few rooms are counted for every request; hundreds of them by one request at a time."""
    few = await town.app.channels.seats_of(town.owner)
    numbers = [ChannelId(f"channel{number}") for number in range(MANY_ROOMS)]
    await town.app.table.write_many(
        [
            *(Put(Channel(server_id=town.server_id, channel_id=one, name=one)) for one in numbers),
            *(Put(ChannelPointer(room_id=one, server_id=town.server_id)) for one in numbers),
        ]
    )
    many = await town.app.channels.seats_of(town.owner)
    counting = Unread(CHANNELS, town.app.table)

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
        town = await found_town(app)
        ana = await register(app, "ana")
        await join(town.app, town.owner, town.server_id, ana)
        await chatter(town, town.owner, 1500, clock)

        async def export() -> list[object]:
            return [line async for line in town.app.accounts.export(ana)]

        assert await Heartbeat().during(export()) >= 2
