"""The events of conversations and their participants, and their audience."""

from __future__ import annotations

import pytest

from conversations.company import Company, known, meet
from events.recorder import EventRecorder, Published, added_members, names, published, removed_members
from sobremesa.app import Sobremesa
from sobremesa.domains.conversations.entities import seat_of
from sobremesa.live import events as topics
from sobremesa.live.events import TopicMembership, TopicRemoval
from sobremesa.table import Update, set_to


@pytest.fixture
async def people(app: Sobremesa) -> Company:
    return await meet(app)


@pytest.fixture
async def recorder(people: Company, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


async def test_conversation_created_is_published_to_each_participant(people: Company, recorder: EventRecorder) -> None:
    room_id = await people.group(people.ana, people.ben, name="Lunch")
    events = await recorder.events()

    topic = topics.conversation(room_id)
    created = [published(each) for each in events if each.t == "conversation.created"]
    assert {each.topics for each in created} == {
        (topics.user(people.ana.user_id),),
        (topics.user(people.ben.user_id),),
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
    joined = {published(each).d["username"]: published(each) for each in events if each.t == "participant.joined"}
    assert {name: (each.topics, each.d["role"]) for name, each in joined.items()} == {
        "ana": ((topic,), "admin"),
        "ben": ((topic,), "member"),
    }
    assert set(added_members(events)) == {
        TopicMembership(people.ana.user_id, topic, moderates=True),
        TopicMembership(people.ben.user_id, topic, moderates=False),
    }
    assert len(names(events)) == 4


async def test_direct_conversations_have_no_moderator(people: Company, recorder: EventRecorder) -> None:
    room_id = await people.direct(people.ana, people.ben)
    assert [admission.moderates for admission in added_members(await recorder.events())] == [False, False]

    # Not even whom another writer calls an admin there.
    await people.app.table.write(Update(seat_of(room_id=room_id, user_id=people.ana.user_id), set_to(role="admin")))
    assert [admission.moderates for admission in added_members(await recorder.events())] == [False]


async def test_new_message_alone_causes_no_conversation_updated(people: Company, recorder: EventRecorder) -> None:
    room_id = await people.group()
    await recorder.events()

    await people.say(people.ana, room_id, "hello")
    assert sorted(names(await recorder.events())) == ["message.created", "read.updated"]

    await people.app.conversations.rename(people.ana, room_id, name="Dinner")
    [renamed] = await recorder.published()
    assert renamed[:2] == ("conversation.updated", (topics.conversation(room_id),))
    assert (renamed.d["name"], renamed.d["lastMessageBody"]) == ("Dinner", "hello")


async def test_participants_joining_leaving_and_roles_are_published_to_all(
    people: Company, recorder: EventRecorder
) -> None:
    room_id = await people.group(people.ana, people.ben)
    [dan] = await known(people.app, "dan")
    topic = topics.conversation(room_id)
    seats = people.app.conversation_participants
    await recorder.events()

    await seats.add(people.ana, room_id, dan.user_id)
    assert sorted(names(await recorder.events())) == [
        "conversation.created",
        "conversation.updated",
        "participant.joined",
    ]

    await seats.change_role(people.ana, room_id, dan.user_id, role="admin")
    events = await recorder.events()
    assert [(each.t, published(each).d["role"]) for each in events if each.t] == [("participant.updated", "admin")]
    assert added_members(events) == [TopicMembership(dan.user_id, topic, moderates=True)]

    await seats.remove(people.ana, room_id, dan.user_id)
    events = await recorder.events()
    gone = {"roomKind": "conversation", "roomId": room_id, "userId": dan.user_id}
    assert Published("participant.left", (topic, topics.user(dan.user_id)), gone) in [
        published(each) for each in events
    ]
    assert removed_members(events) == [TopicRemoval(dan.user_id, topic)]


async def test_several_events_of_one_change_have_distinct_ids(people: Company, recorder: EventRecorder) -> None:
    room_id = await people.group()
    message = await people.say(people.ana, room_id, "hello")
    await recorder.events()

    both = set_to(role="admin", last_read_message_id=message.message_id, muted=True)
    await people.app.table.write(Update(seat_of(room_id=room_id, user_id=people.ben.user_id), both))
    events = await recorder.events()

    assert names(events) == ["participant.updated", "read.updated", "preferences.updated"]
    assert len({each.id for each in events}) == 3


async def test_abandoned_group_is_deleted_without_events_of_its_contents(
    people: Company, recorder: EventRecorder
) -> None:
    room_id = await people.group(people.ana, people.ben)
    message = await people.say(people.ana, room_id, "hello")
    await people.app.conversation_rooms.react(people.ben, room_id, message.message_id, "👍")
    for who in (people.ben, people.ana):
        await people.app.conversation_participants.remove(who, room_id, who.user_id)
    await recorder.events()

    await people.app.jobs.run_pending(people.app.handlers)
    events = await recorder.events()

    topic = topics.conversation(room_id)
    assert [published(each) for each in events] == [Published("conversation.deleted", (topic,), {"convoId": room_id})]
    assert removed_members(events) == [TopicRemoval(None, topic)]
