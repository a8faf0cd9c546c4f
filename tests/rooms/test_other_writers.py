"""Messages of other writers, whose ids are not ULIDs: every operation finds them, in every kind of room."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.conversations.entities import ConversationId, Participant, seat_of
from sobremesa.rooms import archive
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.table import RawKey
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item

ANA, BEN = (Actor.of_user(UserId(user_id), name) for user_id, name in (("u_1", "ana"), ("u_2", "ben")))
ROOM = RoomId("room_1")
TIMES = [f"2026-04-15T10:0{minute}:00.000Z" for minute in range(4)]
MS = [1776247200000 + 60_000 * minute for minute in range(4)]
IDS = [MessageId(f"msg_{name}") for name in ("d", "c", "b", "a")]
"""Ids without an order: only a key with a time sorts them by the time of writing."""


class Environment(NamedTuple):
    """A room that another writer created, with four messages of Ana."""

    rooms: Rooms
    ids: list[MessageId]
    """In the order of their keys."""


def user(one: Actor) -> Item:
    return {
        "pk": f"USER#{one.user_id}",
        "sk": "PROFILE",
        "userId": one.user_id,
        "username": one.username,
        "createdAt": TIMES[0],
    }


def channel_rows() -> list[Item]:
    member = {"serverId": "s_1", "role": "member", "joinedAt": "2026-01-01T00:00:00.000Z"}
    return [
        {"pk": "SERVER#s_1", "sk": "META", "serverId": "s_1", "name": "Old", "ownerId": "u_1", "createdAt": TIMES[0]},
        *(
            {"pk": f"USER#{one}", "sk": "SERVER#s_1", "gsi1pk": "SERVER#s_1", "gsi1sk": f"USER#{one}", **member}
            for one in ("u_1", "u_2")
        ),
        {"pk": "SERVER#s_1", "sk": f"CHANNEL#{ROOM}", "gsi1pk": f"CHANNEL#{ROOM}", "gsi1sk": "META", "name": "general"},
        *(
            {"pk": f"CHANNEL#{ROOM}", "sk": f"MSG#{ms}#{id}", "gsi1pk": f"MSG#{id}", "gsi1sk": f"CHANNEL#{ROOM}",
             "userId": "u_1", "content": f"posted {id}", "createdAt": at}
            for id, ms, at in zip(IDS, MS, TIMES, strict=True)
        ),
    ]  # fmt: skip


def conversation_rows() -> list[Item]:
    return [
        {"pk": f"CONVO#{ROOM}", "sk": "#METADATA", "type": "group", "lastMessageBody": "x", "lastMessageSender": "u_1",
         "lastMessageAt": "2026-04-15T10:03:00Z"},
        *(
            {"pk": f"CONVO#{ROOM}", "sk": f"PARTICIPANT#{one}", "gsi1pk": f"USER#{one}", "gsi1sk": f"CONVO#{ROOM}",
             "role": "admin", "joinedAt": "2026-01-01T00:00:00.000Z"}
            for one in ("u_1", "u_2")
        ),
        *(
            {"pk": f"CONVO#{ROOM}", "sk": f"MSG#{id}", "senderId": "u_1", "body": f"posted {id}", "createdAt": at}
            for id, at in zip(IDS, TIMES, strict=True)
        ),
    ]  # fmt: skip


def thread_rows() -> list[Item]:
    return [
        {"pk": f"THR#{ROOM}", "sk": "THR", "kind": "project", "buyerUserId": "u_1", "sellerUserId": "u_2",
         "participants": ["u_1", "u_2"], "createdAt": TIMES[0], "lastMessageAt": TIMES[3]},
        *(
            {"pk": f"THR#{ROOM}", "sk": f"PART#{one}", "gsi1pk": f"PARTICIPANT#{one}", "gsi1sk": f"{TIMES[3]}#{ROOM}",
             "roleContext": role, "joinedAt": "2026-01-01T00:00:00.000Z"}
            for one, role in (("u_1", "buyer"), ("u_2", "seller"))
        ),
        *(
            {"pk": f"THR#{ROOM}", "sk": f"MSG#{at}#{id}", "type": "text", "authorUserId": "u_1", "body": f"posted {id}",
             "createdAt": at}
            for id, at in zip(IDS, TIMES, strict=True)
        ),
    ]  # fmt: skip


async def put(app: Sobremesa, items: list[Item]) -> None:
    for item in [*items, user(ANA), user(BEN)]:
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))


@pytest.fixture(params=["channel", "conversation", "thread"])
async def env(request: pytest.FixtureRequest, app: Sobremesa) -> Environment:
    kinds: dict[str, tuple[list[Item], Rooms]] = {
        "channel": (channel_rows(), app.communities),
        "conversation": (conversation_rows(), app.conversations),
        "thread": (thread_rows(), app.threads),
    }
    items, rooms = kinds[request.param]
    await put(app, items)
    return Environment(rooms, sorted(IDS) if request.param == "conversation" else IDS)


async def ids_of(env: Environment, **where: Any) -> list[MessageId]:
    page = await env.rooms.page(BEN, ROOM, limit=10, **where)
    return [message.message_id for message in page.messages]


async def test_pages_start_and_end_at_a_message_of_another_writer(env: Environment) -> None:
    first, second, third, fourth = env.ids

    assert await ids_of(env) == [fourth, third, second, first]
    assert await ids_of(env, before=third) == [second, first]
    assert await ids_of(env, after=second) == [third, fourth]
    assert await ids_of(env, around=second) == [fourth, third, second, first]


async def test_message_of_another_writer_has_the_name_of_its_author(env: Environment) -> None:
    for message_id in IDS:
        message = await env.rooms.get_message(BEN, ROOM, message_id)
        assert (message.content, message.username) == (f"posted {message_id}", "ana")
    assert {message.username for message in (await env.rooms.page(BEN, ROOM, limit=10)).messages} == {"ana"}
    with pytest.raises(NotFound):
        await env.rooms.get_message(BEN, ROOM, MessageId("msg_e"))


async def test_message_of_another_writer_supports_all_operations(
    env: Environment,
) -> None:
    rooms, message_id = env.rooms, IDS[1]

    assert (await rooms.edit(ANA, ROOM, message_id, "posted better")).content == "posted better"
    await rooms.react(BEN, ROOM, message_id, "👍")
    await rooms.pin(ANA, ROOM, message_id)
    await rooms.report(BEN, ROOM, message_id, "spam")
    answer = await rooms.send(BEN, ROOM, Draft("yes", reply_to=message_id))

    found = await rooms.get_message(ANA, ROOM, message_id)
    assert [(reaction.emoji, reaction.count) for reaction in found.reactions] == [("👍", 1)]
    reactors, _ = await rooms.list_reactors(ANA, ROOM, message_id, "👍", limit=5, cursor=None)
    assert [reactor.username for reactor in reactors] == ["ben"]
    [pin] = (await rooms.list_pins(ANA, ROOM, limit=5, cursor=None))[0]
    assert pin.message.content == "posted better"
    assert answer.reply_to == message_id
    await rooms.unreact(BEN, ROOM, message_id, "👍")
    await rooms.unpin(ANA, ROOM, message_id)
    await rooms.delete_message(ANA, ROOM, message_id)
    assert (await rooms.get_message(BEN, ROOM, message_id)).deleted


async def test_messages_of_other_writers_are_unread_until_read(env: Environment) -> None:
    """Before adoption: heads have no last message."""
    rooms = env.rooms

    assert (await rooms.unread(BEN, ROOM)).count == 4
    assert (await rooms.unread(ANA, ROOM)).count == 0, "they are Ana's own"
    read = await rooms.mark_read(BEN, ROOM, IDS[1])
    assert (read.last_read_message_id, read.unread.count) == (IDS[1], 2)
    again = await rooms.mark_read(BEN, ROOM, IDS[0])
    assert (again.last_read_message_id, again.unread.count) == (IDS[1], 2), "a cursor does not move back"
    assert (await rooms.mark_read(BEN, ROOM, IDS[3])).unread.count == 0

    posted = await rooms.send(ANA, ROOM, Draft("new"))

    assert (await rooms.unread(BEN, ROOM)).count == 1
    assert (await rooms.mark_read(BEN, ROOM, posted.message_id)).unread.count == 0
    assert (await rooms.unread(BEN, ROOM)).count == 0


async def test_id_without_a_known_position_is_searched_up_to_a_limit(
    app: Sobremesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(app, thread_rows())
    monkeypatch.setattr(archive, "SCAN_PAGE_SIZE", 1)
    monkeypatch.setattr(archive, "MAX_SCANNED", 2)

    assert (await app.threads.get_message(BEN, ROOM, IDS[2])).message_id == IDS[2]
    with pytest.raises(NotFound):
        await app.threads.get_message(BEN, ROOM, IDS[1])


async def test_inbox_position_has_a_time_of_fixed_width(app: Sobremesa) -> None:
    await put(app, conversation_rows())

    await app.change_consumer.catch_up()

    seat = await app.table.get(seat_of(room_id=ConversationId(ROOM), user_id=ANA.user_id))
    assert isinstance(seat, Participant)
    assert seat.last_message_at == "2026-04-15T10:03:00.000Z"
    [item] = [item async for item in app.table.scan(consistent=True) if item["sk"] == "PARTICIPANT#u_1"]
    assert item["gsi2sk"] == f"CONVO#2026-04-15T10:03:00.000Z#{ROOM}"
