"""What the type checker knows of the table: `make types` fails when one of these is no longer so."""

from collections.abc import AsyncIterator
from typing import assert_type

import msgspec

from sobremesa.cli.tour_model import (
    Conversation,
    ConversationId,
    Message,
    Participant,
    UserId,
    conversation_by_id,
    messages_of,
    participants_of,
)
from sobremesa.table import Create, Delete, Key, Page, Pattern, Question, Table, Update, add, open_engine, set_to

LUNCH = ConversationId("lunch")
DINNER = ConversationId("dinner")


class Body(msgspec.Struct):
    body: str


class Named(msgspec.Struct):
    convo_id: ConversationId


SEAT = Participant(convo_id=LUNCH, user_id=UserId("ana"))


async def test_what_is_read_and_written_has_the_type_of_its_entity() -> None:
    table = Table(await open_engine("sqlite://", janitor=False))

    assert_type(await table.write(Create(SEAT)), Participant)
    assert_type(
        await table.write(lunch=Create(Conversation(convo_id=LUNCH)), dinner=Create(Conversation(convo_id=DINNER))),
        None,
    )
    assert_type(await table.write(Update(SEAT.own_key(), set_to(role="admin"))), Participant)
    assert_type(await table.get(SEAT.own_key()), Participant | None)
    assert_type(await table.get(conversation_by_id(convo_id=LUNCH)), Conversation | None)
    assert_type(await table.get_many([conversation_by_id(convo_id=LUNCH)]), list[Conversation | None])
    assert_type(await table.query(messages_of(convo_id=LUNCH)), Page[Message])
    assert_type(table.every(participants_of(convo_id=LUNCH)), AsyncIterator[Participant])
    assert_type(await table.write(Delete(SEAT.own_key())), Participant | None)
    assert_type(await table.query(messages_of(convo_id=LUNCH), into=Body), Page[Body])
    assert_type(await table.get(conversation_by_id(convo_id=LUNCH), into=Named), Named | None)
    assert_type(table.every(messages_of(convo_id=LUNCH), into=Body), AsyncIterator[Body])
    await table.close()


def test_keys_and_questions_carry_their_entity() -> None:
    assert_type(Conversation.key(convo_id=LUNCH), Key[Conversation])
    assert_type(participants_of(convo_id=LUNCH), Question[Participant])
    assert_type(Update(SEAT.own_key(), add(n=1)), Update[Participant])


def test_a_question_about_several_kinds_of_row_gives_any_of_them() -> None:
    aggregate: Pattern[Conversation | Participant | Message] = Pattern(
        "W1", "All of it?", Conversation, Participant, Message
    )

    assert_type(aggregate(convo_id=LUNCH), Question[Conversation | Participant | Message])
