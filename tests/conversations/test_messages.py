"""Messages in a conversation: previews, cursors and unread counts."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.environment import requests, rows
from conversations.users import Users
from sobremesa.core.clock import Instant, instant
from sobremesa.core.errors import Forbidden
from sobremesa.core.ids import MessageId, time_of
from sobremesa.domains.conversations.entities import CONVERSATIONS, ConversationMessage, conversation_by_id, seat_of
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.engines.protocol import PutItem, RawKey


async def test_preview_is_the_beginning_of_the_last_message(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    await users.send(users.ana, room_id, "First")
    sent = await users.send(users.ana, room_id, "y" * 500)

    [row] = await users.inbox(users.ben)

    conversation = row.seat.conversation
    assert conversation.last_message_body == "y" * 200
    assert conversation.last_message_sender == users.ana.user_id
    assert conversation.last_message_id == sent.message_id
    assert conversation.last_message_at == sent.created_at


async def test_preview_follows_edits_of_the_last_message_only(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    first = await users.send(users.ana, room_id, "Frist")
    last = await users.send(users.ana, room_id, "Lats")

    await users.app.conversations.edit(users.ana, room_id, last.message_id, "Last")
    await users.app.conversations.edit(users.ana, room_id, first.message_id, "First")

    assert await users.preview(users.ben, room_id) == "Last"


async def test_deleted_message_is_in_no_preview(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    secret = await users.send(users.ana, room_id, "the secret word")

    await users.app.conversations.delete_message(users.ana, room_id, secret.message_id)

    assert await users.preview(users.ben, room_id) is None
    assert not await rows(users.app, "the secret word")


async def test_edit_of_the_last_message_never_hides_a_concurrent_newer_one(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    for number in range(10):
        old = await users.send(users.ana, room_id, f"old {number}")
        await asyncio.gather(
            users.app.conversations.edit(users.ana, room_id, old.message_id, f"edited {number}"),
            users.send(users.ben, room_id, f"new {number}"),
        )
        assert await users.preview(users.ana, room_id) == f"new {number}"


async def test_last_message_time_does_not_step_back_with_the_clock(users: Users, clock: Ahead) -> None:
    room_id = await users.direct(users.ana, users.ben)
    first = await users.send(users.ana, room_id, "Noon")
    clock.move(seconds=-3600)
    second = await users.send(users.ben, room_id, "Eleven, they say")

    [row] = await users.inbox(users.ana)
    assert first.created_at <= second.created_at == instant(time_of(second.message_id))
    assert row.seat.conversation.last_message_at == second.created_at


async def test_zero_unread_in_a_group_of_three_is_zero(users: Users) -> None:
    room_id = await users.group()
    for who in (users.ana, users.ben, users.cleo):
        assert await users.unread(who, room_id) == 0

    last = await users.send(users.ana, room_id, "Hello")
    assert [await users.unread(who, room_id) for who in (users.ana, users.ben, users.cleo)] == [0, 1, 1]

    for who in (users.ben, users.cleo):
        assert (await users.app.conversations.mark_read(who, room_id, last.message_id)).unread.count == 0
        assert await users.unread(who, room_id) == 0


async def test_unread_counts_no_participants_no_own_messages_and_no_foreign_rows(users: Users) -> None:
    room_id = await users.group()
    await users.send(users.ben, room_id, "theirs")
    for number in range(3):
        await users.send(users.ana, room_id, f"own {number}")
    # Rows of other writers whose keys sort after every message's.
    for sk in ("TAB#brief", "THR", "zzz", "MSGX#1"):
        await users.app.table.engine.write(
            PutItem(RawKey(f"CONVO#{room_id}", sk), {"pk": f"CONVO#{room_id}", "sk": sk, "x": 1})
        )

    assert await users.unread(users.ana, room_id) == 1
    assert await users.unread(users.cleo, room_id) == 4


async def test_sender_who_had_read_everything_has_no_unread_messages(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    for number in range(250):
        await users.send(users.ana, room_id, f"mine {number}")
    with requests(users.app) as asked:
        assert await users.unread(users.ana, room_id) == 0
    assert asked["query"] == 0


async def test_sender_with_unread_messages_keeps_them_unread(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    await users.send(users.ana, room_id, "Did you see this?")
    await users.send(users.ben, room_id, "I write before I read")

    assert await users.unread(users.ben, room_id) == 1


async def test_concurrent_senders_have_the_others_message_unread(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    for _ in range(10):
        await asyncio.gather(users.send(users.ana, room_id, "a"), users.send(users.ben, room_id, "b"))
        first, second = (await users.app.conversations.page(users.ana, room_id, limit=2)).messages[::-1]
        later, earlier = (users.ana, users.ben) if second.content == "a" else (users.ben, users.ana)

        assert await users.unread(later, room_id) == 1, "the first one was there and not seen"
        assert await users.unread(earlier, room_id) == 1, "the second one came after"
        for who in (users.ana, users.ben):
            await users.app.conversations.mark_read(who, room_id, second.message_id)
        assert first.message_id < second.message_id


async def test_cursor_never_moves_back(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    sent = [await users.send(users.ana, room_id, str(number)) for number in range(3)]

    await users.app.conversations.mark_read(users.ben, room_id, sent[2].message_id)
    view = await users.app.conversations.mark_read(users.ben, room_id, sent[0].message_id)

    assert view.last_read_message_id == sent[2].message_id
    seat = await users.app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id))
    assert seat is not None
    assert seat.last_read_at == sent[2].created_at


async def test_fifty_sends_with_one_nonce_create_one_message(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)

    sent = await asyncio.gather(*(users.send(users.ana, room_id, "once", nonce="n") for _ in range(50)))

    assert len({one.message_id for one in sent}) == 1
    assert sum(not one.replayed for one in sent) == 1
    assert len((await users.app.conversations.page(users.ben, room_id, limit=100)).messages) == 1
    with pytest.raises(NonceReused):
        await users.send(users.ana, room_id, "other", nonce="n")


async def test_concurrent_sends_have_one_order(users: Users) -> None:
    room_id = await users.group()
    everyone = (users.ana, users.ben, users.cleo)

    sent = await asyncio.gather(*(users.send(everyone[n % 3], room_id, str(n)) for n in range(60)))

    received = (await users.app.conversations.page(users.ana, room_id, limit=100)).messages
    ids = [message.message_id for message in received]
    assert ids == sorted((one.message_id for one in sent), reverse=True)
    [row] = await users.inbox(users.ben)
    assert row.seat.conversation.last_message_id == ids[0]


async def test_only_an_admin_of_a_group_deletes_messages_of_others(users: Users) -> None:
    room_id = await users.group()
    sent = await users.send(users.ben, room_id, "oops")

    with pytest.raises(Forbidden):
        await users.app.conversations.delete_message(users.cleo, room_id, sent.message_id)
    await users.app.conversations.delete_message(users.ana, room_id, sent.message_id)

    assert (await users.app.conversations.get_message(users.ben, room_id, sent.message_id)).deleted


async def test_reactions_pins_replies_and_readers_work_as_in_every_room(users: Users) -> None:
    talks, room_id = users.app.conversations, await users.group()
    sent = await users.send(users.ana, room_id, "Lunch? @ben")
    reply = await talks.send(users.ben, room_id, Draft("Yes", reply_to=sent.message_id))
    await talks.react(users.ben, room_id, sent.message_id, "👍")
    await talks.pin(users.cleo, room_id, sent.message_id)
    await talks.mark_read(users.cleo, room_id, reply.message_id)
    await talks.set_preferences(users.cleo, room_id, muted=True)

    [first, second] = (await talks.page(users.cleo, room_id, limit=10)).messages
    assert first.reply_to == second.message_id
    assert [(one.emoji, one.count, one.me) for one in second.reactions] == [("👍", 1, False)]
    pins, _ = await talks.list_pins(users.ana, room_id, limit=10, cursor=None)
    assert [pin.message.message_id for pin in pins] == [sent.message_id]
    readers, _ = await talks.list_readers(users.ana, room_id, limit=10, cursor=None)
    assert {reader.user_id: reader.last_read_message_id for reader in readers} == {
        users.ana.user_id: sent.message_id,
        users.cleo.user_id: reply.message_id,
    }
    seat = await users.app.table.get(seat_of(room_id=room_id, user_id=users.cleo.user_id))
    assert seat is not None
    assert seat.muted


async def test_unread_totals_include_conversations(users: Users) -> None:
    direct, group = await users.direct(users.ana, users.ben), await users.group()
    await users.send(users.ana, direct, "one")
    await users.send(users.ana, group, "two")
    await users.send(users.ana, group, "three")

    unread = {room.room_id: room.count for room in await users.app.conversations.unread_everywhere(users.ben)}

    assert unread == {direct: 1, group: 2}


async def test_seat_removed_while_its_cursor_moves_is_not_created_again(users: Users) -> None:
    room_id = await users.group()
    talks, seats = users.app.conversations, users.app.conversations.participants
    for number in range(10):
        sent = await users.send(users.ana, room_id, f"Hello {number}")
        await asyncio.gather(
            talks.mark_read(users.ben, room_id, sent.message_id),
            seats.remove(users.ana, room_id, users.ben.user_id),
            talks.mark_read(users.ben, room_id, sent.message_id),
            talks.set_preferences(users.ben, room_id, muted=True),
            return_exceptions=True,
        )
        assert await users.app.table.get(seat_of(room_id=room_id, user_id=users.ben.user_id)) is None
        await seats.add(users.ana, room_id, users.ben.user_id)


async def test_message_of_another_writer_without_a_time_has_that_of_its_id(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    posted = await users.send(users.ana, room_id, "x")
    foreign = ConversationMessage(
        room_id=room_id, message_id=MessageId("01HW1A2B3C4D5E6F7G8H9J0KMN"), author_id=users.ana.user_id
    )
    await users.app.table.write(Put(foreign))

    view = await users.app.conversations.get_message(users.ben, room_id, foreign.message_id)

    assert view.created_at.startswith("2024-04-2")
    assert view.created_at < posted.created_at


async def test_new_message_updates_its_conversation_and_an_edit_only_the_message(users: Users, clock: Ahead) -> None:
    room_id = await users.direct(users.ana, users.ben)

    async def stored() -> tuple[Instant | None, Instant | None]:
        head = await users.app.table.get(conversation_by_id(room_id=room_id))
        key = CONVERSATIONS.message_key(room_id, sent.message_id)
        message = await users.app.table.get(key, consistent=True)
        assert head is not None
        assert message is not None
        return message.updated_at, head.updated_at

    sent = await users.send(users.ana, room_id, "hello")
    assert await stored() == (None, sent.created_at)

    clock.move(seconds=5)
    edited = await users.app.conversations.edit(users.ana, room_id, sent.message_id, "hello there")
    assert await stored() == (edited.edited_at, sent.created_at)

    clock.move(seconds=5)
    await users.app.conversations.delete_message(users.ana, room_id, sent.message_id)
    message_at, head_at = await stored()
    assert edited.edited_at is not None
    assert message_at is not None
    assert message_at > edited.edited_at
    assert head_at == sent.created_at


async def test_message_of_a_conversation_is_found_by_its_id_alone_by_participants(users: Users) -> None:
    find = users.app.conversations.find_message
    await users.group()
    sent = await users.send(users.ana, await users.direct(users.ana, users.ben), "here")

    for reader in (users.ana, users.ben):
        found = await find(reader, sent.message_id)
        assert found is not None
        assert (found.message_id, found.content) == (sent.message_id, "here")
    assert await find(users.cleo, sent.message_id) is None
    assert await find(users.ana, MessageId("01JZZZZZZZZZZZZZZZZZZZZZZZ")) is None
