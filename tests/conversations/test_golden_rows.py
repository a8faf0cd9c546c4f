"""Rows that another program wrote by the documented design: they load, and all operations work with them."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.users import Users, known
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import EPOCH, Instant, milliseconds
from sobremesa.core.ids import MessageId, first_of
from sobremesa.domains.accounts.entities import Block
from sobremesa.domains.conversations import entities as conversations
from sobremesa.domains.conversations.entities import (
    Conversation,
    ConversationId,
    ConversationMessage,
    Participant,
    seat_of,
)
from sobremesa.domains.conversations.errors import BlockedByRecipient
from sobremesa.rooms.sending import Draft
from sobremesa.table import Entity, Layout, Put, RawKey, Registry
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item

LAYOUT = Layout()
C1 = ConversationId("c_01")
ANA, BEN, EVE = (Actor.of_user(UserId(name), name) for name in ("u_01", "u_02", "u_03"))


def seat(convo: str, user: str, **attributes: Any) -> tuple[type[Entity], Item]:
    keys = {"pk": f"CONVO#{convo}", "sk": f"PARTICIPANT#{user}", "gsi1pk": f"USER#{user}", "gsi1sk": f"CONVO#{convo}"}
    return Participant, {**keys, **attributes}


def message(convo: str, id: str, **attributes: Any) -> tuple[type[Entity], Item]:
    return ConversationMessage, {"pk": f"CONVO#{convo}", "sk": f"MSG#{id}", **attributes}


SAMPLES: dict[str, tuple[type[Entity], Item]] = {
    "a group": (
        Conversation,
        {
            "pk": "CONVO#c_01",
            "sk": "#METADATA",
            "name": "Project Chat",
            "type": "group",
            "lastMessageBody": "Sounds good!",
            "lastMessageSender": "u_02",
            "lastMessageAt": "2026-04-15T10:30:00Z",
        },
    ),
    "a direct conversation": (
        Conversation,
        {
            "pk": "CONVO#c_02",
            "sk": "#METADATA",
            "name": None,
            "type": "direct",
            "lastMessageBody": "See you tomorrow",
            "lastMessageSender": "u_01",
        },
    ),
    "an admin": seat("c_01", "u_01", role="admin", joinedAt="2026-04-01T...", lastReadAt="2026-04-15T10:25:00Z"),
    "a member": seat("c_01", "u_02", role="member", joinedAt="2026-04-01T...", lastReadAt="2026-04-15T10:30:00Z"),
    "one of two": seat("c_02", "u_01", role="member", lastReadAt="2026-04-15T09:00:00Z"),
    "the other of two": seat("c_02", "u_03", role="member", lastReadAt="2026-04-15T09:00:00Z"),
    "a message": message("c_01", "01HW1A2B3C...", senderId="u_01", body="Can we ship by Friday?", type="text"),
    "an answer": message("c_01", "01HW1D4E5F...", senderId="u_02", body="Sounds good!", type="text"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_documented_row_loads_and_keeps_its_keys(name: str) -> None:
    entity, item = SAMPLES[name]

    loaded = entity.from_item(item, LAYOUT)

    stored = loaded.to_item(LAYOUT)
    keys = [key for key in ("pk", "sk", "gsi1pk", "gsi1sk") if key in item]
    assert {key: stored[key] for key in keys} == {key: item[key] for key in keys}
    lost = {field: value for field, value in item.items() if value is not None and stored.get(field) != value}
    assert lost == {}
    assert Registry.of(conversations).entity_of(item, LAYOUT) is entity


async def write_samples(app: Sobremesa) -> None:
    for _, item in SAMPLES.values():
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))


async def test_conversation_of_another_writer_accepts_new_messages(users: Users) -> None:
    app, talks = users.app, users.app.conversations
    await write_samples(app)

    assert [one.content for one in (await talks.page(ANA, C1, limit=10)).messages] == [
        "Sounds good!",
        "Can we ship by Friday?",
    ]
    sent = await talks.send(BEN, C1, Draft("Shipped"))
    await talks.react(ANA, C1, MessageId("01HW1D4E5F..."), "🎉")
    await talks.mark_read(ANA, C1, sent.message_id)
    await app.change_consumer.catch_up()

    newest, answer, _ = (await talks.page(ANA, C1, limit=10)).messages
    assert newest.message_id == sent.message_id
    assert answer.reactions[0].emoji == "🎉"
    rows, _ = await app.conversations.list_conversations(ANA, limit=10)
    assert [row.seat.room_id for row in rows] == [C1, "c_02"]
    assert rows[0].seat.conversation.last_message_body == "Shipped"
    seat = await app.table.get(seat_of(room_id=C1, user_id=ANA.user_id))
    assert seat is not None
    assert seat.joined_at == "2026-04-01T..."


async def test_read_time_of_another_writer_is_kept(users: Users) -> None:
    await write_samples(users.app)
    talks = users.app.conversations

    assert (await talks.unread(BEN, C1)).count == 0
    sent = await talks.send(ANA, C1, Draft("New"))

    assert (await talks.unread(BEN, C1)).count == 1
    assert (await talks.mark_read(BEN, C1, sent.message_id)).unread.count == 0


async def test_send_after_another_writers_messages_keeps_them_unread(
    users: Users,
) -> None:
    await write_samples(users.app)
    answered_at = milliseconds(Instant("2026-04-15T10:30:00.000Z"))
    _, unseen = message("c_01", first_of(answered_at), senderId="u_02", body="By Thursday!", type="text")
    await users.app.table.engine.write(PutItem(RawKey(unseen["pk"], unseen["sk"]), unseen))

    await users.app.conversations.send(ANA, C1, Draft("Anybody?"))

    assert (await users.app.conversations.unread(ANA, C1)).count == 1


async def test_block_applies_to_a_direct_conversation_of_another_writer(users: Users) -> None:
    await write_samples(users.app)
    await users.app.table.write(Put(Block(user_id=EVE.user_id, blocked_id=ANA.user_id, created_at=EPOCH)))

    with pytest.raises(BlockedByRecipient):
        await users.app.conversations.send(ANA, ConversationId("c_02"), Draft("Hello?"))
    assert (await users.app.conversations.send(EVE, ConversationId("c_02"), Draft("No."))).content == "No."


@pytest.mark.parametrize("stored", [{"role": None}, {}], ids=["null", "absent"])
async def test_participant_whose_role_another_writer_left_out_can_be_changed_and_removed(
    users: Users, stored: dict[str, Any]
) -> None:
    await write_samples(users.app)
    [eve] = await known(users.app, "eve")
    _, item = seat("c_01", eve.user_id, **stored)
    await users.app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))

    assert (await users.app.conversations.participants.change_role(ANA, C1, eve.user_id, role="admin")).role == "admin"
    assert (
        await users.app.conversations.participants.change_role(ANA, C1, eve.user_id, role="member")
    ).role == "member"
    await users.app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))
    await users.app.conversations.participants.remove(ANA, C1, eve.user_id)

    assert await users.app.table.get(seat_of(room_id=C1, user_id=eve.user_id)) is None
