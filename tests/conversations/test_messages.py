"""Messages in a conversation: previews, cursors and unread counts."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.world import requests, rows
from conversations.company import Company
from sobremesa.core.clock import Instant, instant
from sobremesa.core.errors import Forbidden
from sobremesa.core.ids import MessageId, time_of
from sobremesa.domains.conversations.entities import CONVERSATIONS, ConversationMessage, conversation_by_id, seat_of
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.engines.protocol import PutItem, RawKey


async def test_preview_is_the_beginning_of_the_last_message(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    await people.say(people.ana, room_id, "First")
    sent = await people.say(people.ana, room_id, "y" * 500)

    [row] = await people.inbox(people.ben)

    conversation = row.seat.conversation
    assert conversation.last_message_body == "y" * 200
    assert conversation.last_message_sender == people.ana.user_id
    assert conversation.last_message_id == sent.message_id
    assert conversation.last_message_at == sent.created_at


async def test_preview_follows_edits_of_the_last_message_only(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    first = await people.say(people.ana, room_id, "Frist")
    last = await people.say(people.ana, room_id, "Lats")

    await people.app.conversation_rooms.edit(people.ana, room_id, last.message_id, "Last")
    await people.app.conversation_rooms.edit(people.ana, room_id, first.message_id, "First")

    assert await people.preview(people.ben, room_id) == "Last"


async def test_deleted_message_is_in_no_preview(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    secret = await people.say(people.ana, room_id, "the secret word")

    await people.app.conversation_rooms.delete(people.ana, room_id, secret.message_id)

    assert await people.preview(people.ben, room_id) is None
    assert not await rows(people.app, "the secret word")


async def test_edit_of_the_last_message_never_hides_a_concurrent_newer_one(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    for number in range(10):
        old = await people.say(people.ana, room_id, f"old {number}")
        await asyncio.gather(
            people.app.conversation_rooms.edit(people.ana, room_id, old.message_id, f"edited {number}"),
            people.say(people.ben, room_id, f"new {number}"),
        )
        assert await people.preview(people.ana, room_id) == f"new {number}"


async def test_last_message_time_does_not_step_back_with_the_clock(people: Company, clock: Ahead) -> None:
    room_id = await people.direct(people.ana, people.ben)
    first = await people.say(people.ana, room_id, "Noon")
    clock.move(seconds=-3600)
    second = await people.say(people.ben, room_id, "Eleven, they say")

    [row] = await people.inbox(people.ana)
    assert first.created_at <= second.created_at == instant(time_of(second.message_id))
    assert row.seat.conversation.last_message_at == second.created_at


async def test_zero_unread_in_a_group_of_three_is_zero(people: Company) -> None:
    room_id = await people.group()
    for who in (people.ana, people.ben, people.cleo):
        assert await people.unread(who, room_id) == 0

    last = await people.say(people.ana, room_id, "Hello")
    assert [await people.unread(who, room_id) for who in (people.ana, people.ben, people.cleo)] == [0, 1, 1]

    for who in (people.ben, people.cleo):
        assert (await people.app.conversation_rooms.mark_read(who, room_id, last.message_id)).unread.count == 0
        assert await people.unread(who, room_id) == 0


async def test_unread_counts_no_participants_no_own_messages_and_no_foreign_rows(people: Company) -> None:
    room_id = await people.group()
    await people.say(people.ben, room_id, "theirs")
    for number in range(3):
        await people.say(people.ana, room_id, f"own {number}")
    # Rows of other writers whose keys sort after every message's.
    for sk in ("TAB#brief", "THR", "zzz", "MSGX#1"):
        await people.app.table.engine.write(
            PutItem(RawKey(f"CONVO#{room_id}", sk), {"pk": f"CONVO#{room_id}", "sk": sk, "x": 1})
        )

    assert await people.unread(people.ana, room_id) == 1
    assert await people.unread(people.cleo, room_id) == 4


async def test_sender_who_had_read_everything_has_no_unread_messages(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    for number in range(250):
        await people.say(people.ana, room_id, f"mine {number}")
    with requests(people.app) as asked:
        assert await people.unread(people.ana, room_id) == 0
    assert asked["query"] == 0


async def test_sender_with_unread_messages_keeps_them_unread(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    await people.say(people.ana, room_id, "Did you see this?")
    await people.say(people.ben, room_id, "I write before I read")

    assert await people.unread(people.ben, room_id) == 1


async def test_concurrent_senders_have_the_others_message_unread(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    for _ in range(10):
        await asyncio.gather(people.say(people.ana, room_id, "a"), people.say(people.ben, room_id, "b"))
        first, second = (await people.app.conversation_rooms.page(people.ana, room_id, limit=2)).messages[::-1]
        later, earlier = (people.ana, people.ben) if second.content == "a" else (people.ben, people.ana)

        assert await people.unread(later, room_id) == 1, "the first one was there and not seen"
        assert await people.unread(earlier, room_id) == 1, "the second one came after"
        for who in (people.ana, people.ben):
            await people.app.conversation_rooms.mark_read(who, room_id, second.message_id)
        assert first.message_id < second.message_id


async def test_cursor_never_moves_back(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    sent = [await people.say(people.ana, room_id, str(number)) for number in range(3)]

    await people.app.conversation_rooms.mark_read(people.ben, room_id, sent[2].message_id)
    view = await people.app.conversation_rooms.mark_read(people.ben, room_id, sent[0].message_id)

    assert view.last_read_message_id == sent[2].message_id
    seat = await people.app.table.get(seat_of(room_id=room_id, user_id=people.ben.user_id))
    assert seat is not None
    assert seat.last_read_at == sent[2].created_at


async def test_fifty_sends_with_one_nonce_create_one_message(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)

    sent = await asyncio.gather(*(people.say(people.ana, room_id, "once", nonce="n") for _ in range(50)))

    assert len({one.message_id for one in sent}) == 1
    assert sum(not one.replayed for one in sent) == 1
    assert len((await people.app.conversation_rooms.page(people.ben, room_id, limit=100)).messages) == 1
    with pytest.raises(NonceReused):
        await people.say(people.ana, room_id, "other", nonce="n")


async def test_concurrent_sends_have_one_order(people: Company) -> None:
    room_id = await people.group()
    everyone = (people.ana, people.ben, people.cleo)

    sent = await asyncio.gather(*(people.say(everyone[n % 3], room_id, str(n)) for n in range(60)))

    received = (await people.app.conversation_rooms.page(people.ana, room_id, limit=100)).messages
    ids = [message.message_id for message in received]
    assert ids == sorted((one.message_id for one in sent), reverse=True)
    [row] = await people.inbox(people.ben)
    assert row.seat.conversation.last_message_id == ids[0]


async def test_only_an_admin_of_a_group_deletes_messages_of_others(people: Company) -> None:
    room_id = await people.group()
    sent = await people.say(people.ben, room_id, "oops")

    with pytest.raises(Forbidden):
        await people.app.conversation_rooms.delete(people.cleo, room_id, sent.message_id)
    await people.app.conversation_rooms.delete(people.ana, room_id, sent.message_id)

    assert (await people.app.conversation_rooms.get(people.ben, room_id, sent.message_id)).deleted


async def test_reactions_pins_replies_and_readers_work_as_in_every_room(people: Company) -> None:
    talks, room_id = people.app.conversation_rooms, await people.group()
    sent = await people.say(people.ana, room_id, "Lunch? @ben")
    reply = await talks.send(people.ben, room_id, Draft("Yes", reply_to=sent.message_id))
    await talks.react(people.ben, room_id, sent.message_id, "👍")
    await talks.pin(people.cleo, room_id, sent.message_id)
    await talks.mark_read(people.cleo, room_id, reply.message_id)
    await talks.set_preferences(people.cleo, room_id, muted=True)

    [first, second] = (await talks.page(people.cleo, room_id, limit=10)).messages
    assert first.reply_to == second.message_id
    assert [(one.emoji, one.count, one.me) for one in second.reactions] == [("👍", 1, False)]
    pins, _ = await talks.list_pins(people.ana, room_id, limit=10, cursor=None)
    assert [pin.message.message_id for pin in pins] == [sent.message_id]
    readers, _ = await talks.list_readers(people.ana, room_id, limit=10, cursor=None)
    assert {reader.user_id: reader.last_read_message_id for reader in readers} == {
        people.ana.user_id: sent.message_id,
        people.cleo.user_id: reply.message_id,
    }
    seat = await people.app.table.get(seat_of(room_id=room_id, user_id=people.cleo.user_id))
    assert seat is not None
    assert seat.muted


async def test_unread_totals_include_conversations(people: Company) -> None:
    direct, group = await people.direct(people.ana, people.ben), await people.group()
    await people.say(people.ana, direct, "one")
    await people.say(people.ana, group, "two")
    await people.say(people.ana, group, "three")

    unread = {room.room_id: room.count for room in await people.app.conversation_rooms.unread_everywhere(people.ben)}

    assert unread == {direct: 1, group: 2}


async def test_seat_removed_while_its_cursor_moves_is_not_created_again(people: Company) -> None:
    room_id = await people.group()
    talks, seats = people.app.conversation_rooms, people.app.conversation_participants
    for number in range(10):
        sent = await people.say(people.ana, room_id, f"Hello {number}")
        await asyncio.gather(
            talks.mark_read(people.ben, room_id, sent.message_id),
            seats.remove(people.ana, room_id, people.ben.user_id),
            talks.mark_read(people.ben, room_id, sent.message_id),
            talks.set_preferences(people.ben, room_id, muted=True),
            return_exceptions=True,
        )
        assert await people.app.table.get(seat_of(room_id=room_id, user_id=people.ben.user_id)) is None
        await seats.add(people.ana, room_id, people.ben.user_id)


async def test_message_of_another_writer_without_a_time_has_that_of_its_id(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    posted = await people.say(people.ana, room_id, "x")
    foreign = ConversationMessage(
        room_id=room_id, message_id=MessageId("01HW1A2B3C4D5E6F7G8H9J0KMN"), author_id=people.ana.user_id
    )
    await people.app.table.write(Put(foreign))

    view = await people.app.conversation_rooms.get(people.ben, room_id, foreign.message_id)

    assert view.created_at.startswith("2024-04-2")
    assert view.created_at < posted.created_at


async def test_new_message_updates_its_conversation_and_an_edit_only_the_message(people: Company, clock: Ahead) -> None:
    room_id = await people.direct(people.ana, people.ben)

    async def stored() -> tuple[Instant | None, Instant | None]:
        head = await people.app.table.get(conversation_by_id(room_id=room_id))
        key = CONVERSATIONS.message_key(room_id, sent.message_id)
        message = await people.app.table.get(key, consistent=True)
        assert head is not None
        assert message is not None
        return message.updated_at, head.updated_at

    sent = await people.say(people.ana, room_id, "hello")
    assert await stored() == (None, sent.created_at)

    clock.move(seconds=5)
    edited = await people.app.conversation_rooms.edit(people.ana, room_id, sent.message_id, "hello there")
    assert await stored() == (edited.edited_at, sent.created_at)

    clock.move(seconds=5)
    await people.app.conversation_rooms.delete(people.ana, room_id, sent.message_id)
    message_at, head_at = await stored()
    assert edited.edited_at is not None
    assert message_at is not None
    assert message_at > edited.edited_at
    assert head_at == sent.created_at


async def test_message_of_a_conversation_is_found_by_its_id_alone_by_participants(people: Company) -> None:
    find = people.app.conversation_rooms.find_anywhere
    await people.group()
    sent = await people.say(people.ana, await people.direct(people.ana, people.ben), "here")

    for reader in (people.ana, people.ben):
        found = await find(reader, sent.message_id)
        assert found is not None
        assert (found.message_id, found.content) == (sent.message_id, "here")
    assert await find(people.cleo, sent.message_id) is None
    assert await find(people.ana, MessageId("01JZZZZZZZZZZZZZZZZZZZZZZZ")) is None
