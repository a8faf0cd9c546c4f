"""What is told of conversations and of who is in them, and to whom."""

from __future__ import annotations

import pytest

from announcing.ear import Ear, Told, admitted, expelled, names, told
from conversations.company import Company, known, meet
from sobremesa.app import Sobremesa
from sobremesa.domains.conversations.entities import seat_of
from sobremesa.live import events as topics
from sobremesa.live.events import Admission, Expulsion
from sobremesa.table import Update, set_to


@pytest.fixture
async def people(app: Sobremesa) -> Company:
    return await meet(app)


@pytest.fixture
async def ear(people: Company, ear: Ear) -> Ear:
    await ear.listen()
    return ear


async def test_a_new_conversation_is_told_to_each_who_is_in_it(people: Company, ear: Ear) -> None:
    room_id = await people.group(people.ana, people.ben, name="Lunch")
    heard = await ear.hears()

    topic = topics.conversation(room_id)
    created = [told(each) for each in heard if each.t == "conversation.created"]
    assert {each.topics for each in created} == {
        (topics.person(people.ana.user_id),),
        (topics.person(people.ben.user_id),),
    }
    assert created[0].d | {"createdAt": "", "updatedAt": ""} == {
        "convoId": room_id,
        "type": "group",
        "name": "Lunch",
        "lastMessageId": None,
        "lastMessageBody": None,
        "lastMessageSender": None,
        "lastMessageAt": None,
        "participantCount": 2,
        "createdBy": people.ana.user_id,
        "createdAt": "",
        "updatedAt": "",
    }
    joined = {told(each).d["username"]: told(each) for each in heard if each.t == "participant.joined"}
    assert {name: (each.topics, each.d["role"]) for name, each in joined.items()} == {
        "ana": ((topic,), "admin"),
        "ben": ((topic,), "member"),
    }
    assert set(admitted(heard)) == {
        Admission(people.ana.user_id, topic, moderates=True),
        Admission(people.ben.user_id, topic, moderates=False),
    }
    assert len(names(heard)) == 4


async def test_nobody_moderates_where_there_are_two(people: Company, ear: Ear) -> None:
    room_id = await people.direct(people.ana, people.ben)
    assert [admission.moderates for admission in admitted(await ear.hears())] == [False, False]

    # Not even whom another writer calls an admin there.
    await people.app.table.write(Update(seat_of(room_id=room_id, user_id=people.ana.user_id), set_to(role="admin")))
    assert [admission.moderates for admission in admitted(await ear.hears())] == [False]


async def test_a_new_message_alone_is_no_change_of_the_conversation(people: Company, ear: Ear) -> None:
    room_id = await people.group()
    await ear.hears()

    await people.say(people.ana, room_id, "hello")
    assert sorted(names(await ear.hears())) == ["message.created", "read.updated"]

    await people.app.conversations.rename(people.ana, room_id, name="Dinner")
    [renamed] = await ear.told()
    assert renamed[:2] == ("conversation.updated", (topics.conversation(room_id),))
    assert (renamed.d["name"], renamed.d["lastMessageBody"]) == ("Dinner", "hello")


async def test_whoever_is_taken_in_or_leaves_or_gets_another_role_is_told_to_all(people: Company, ear: Ear) -> None:
    room_id = await people.group(people.ana, people.ben)
    [dan] = await known(people.app, "dan")
    topic = topics.conversation(room_id)
    seats = people.app.seats
    await ear.hears()

    await seats.add(people.ana, room_id, dan.user_id)
    assert sorted(names(await ear.hears())) == ["conversation.created", "conversation.updated", "participant.joined"]

    await seats.change_role(people.ana, room_id, dan.user_id, role="admin")
    heard = await ear.hears()
    assert [(each.t, told(each).d["role"]) for each in heard if each.t] == [("participant.updated", "admin")]
    assert admitted(heard) == [Admission(dan.user_id, topic, moderates=True)]

    await seats.remove(people.ana, room_id, dan.user_id)
    heard = await ear.hears()
    gone = {"roomKind": "conversation", "roomId": room_id, "userId": dan.user_id}
    assert Told("participant.left", (topic, topics.person(dan.user_id)), gone) in [told(each) for each in heard]
    assert expelled(heard) == [Expulsion(dan.user_id, topic)]


async def test_several_events_of_one_change_have_ids_of_their_own(people: Company, ear: Ear) -> None:
    room_id = await people.group()
    message = await people.say(people.ana, room_id, "hello")
    await ear.hears()

    both = set_to(role="admin", last_read_message_id=message.message_id, muted=True)
    await people.app.table.write(Update(seat_of(room_id=room_id, user_id=people.ben.user_id), both))
    heard = await ear.hears()

    assert names(heard) == ["participant.updated", "read.updated", "preferences.updated"]
    assert len({each.id for each in heard}) == 3


async def test_a_group_that_everybody_has_left_ends_and_nothing_in_it_is_told(people: Company, ear: Ear) -> None:
    room_id = await people.group(people.ana, people.ben)
    message = await people.say(people.ana, room_id, "hello")
    await people.app.talks.react(people.ben, room_id, message.message_id, "👍")
    for who in (people.ben, people.ana):
        await people.app.seats.remove(who, room_id, who.user_id)
    await ear.hears()

    await people.app.jobs.run_pending(people.app.handlers)
    heard = await ear.hears()

    topic = topics.conversation(room_id)
    assert [told(each) for each in heard] == [Told("conversation.deleted", (topic,), {"convoId": room_id})]
    assert expelled(heard) == [Expulsion(None, topic)]
