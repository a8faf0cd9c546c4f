"""The events of conversations and their participants, and their audience."""

from __future__ import annotations

import pytest

from conversations.users import Users, create_users, known
from events.recorder import EventRecorder, Published, added_members, named, names, published, removed_members
from sobremesa.app import Sobremesa
from sobremesa.domains.conversations.entities import seat_of
from sobremesa.live import events as topics
from sobremesa.live.events import TopicMembership, TopicRemoval
from sobremesa.table import Update, set_to


@pytest.fixture
async def users(app: Sobremesa) -> Users:
    return await create_users(app)


@pytest.fixture
async def recorder(users: Users, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


async def test_conversation_created_is_published_to_each_participant(users: Users, recorder: EventRecorder) -> None:
    room_id = await users.group(users.ana, users.ben, name="Lunch")
    events = await recorder.publications()

    topic = topics.conversation(room_id)
    created = [published(each) for each in named(events, "conversation.created")]
    assert {each.topics for each in created} == {
        (topics.user(users.ana.user_id),),
        (topics.user(users.ben.user_id),),
    }
    assert created[0].d | {"createdAt": "", "updatedAt": ""} == {
        "data": None,
        "convoId": room_id,
        "type": "group",
        "name": "Lunch",
        "lastMessageId": None,
        "lastMessageBody": None,
        "lastMessageSender": None,
        "lastMessageAt": None,
        "participantCount": 2,
        "createdBy": users.ana.user_id,
        "createdAt": "",
        "updatedAt": "",
    }
    joined = {published(each).d["username"]: published(each) for each in named(events, "participant.joined")}
    assert {name: (each.topics, each.d["role"]) for name, each in joined.items()} == {
        "ana": ((topic,), "admin"),
        "ben": ((topic,), "member"),
    }
    assert set(added_members(events)) == {
        TopicMembership(users.ana.user_id, topic, moderates=True),
        TopicMembership(users.ben.user_id, topic, moderates=False),
    }
    assert len(names(events)) == 4


async def test_direct_conversations_have_no_moderator(users: Users, recorder: EventRecorder) -> None:
    room_id = await users.direct(users.ana, users.ben)
    assert [admission.moderates for admission in added_members(await recorder.publications())] == [False, False]

    # Not even whom another writer calls an admin there.
    await users.app.table.write(Update(seat_of(room_id=room_id, user_id=users.ana.user_id), set_to(role="admin")))
    assert [admission.moderates for admission in added_members(await recorder.publications())] == [False]


async def test_new_message_alone_causes_no_conversation_updated(users: Users, recorder: EventRecorder) -> None:
    room_id = await users.group()
    await recorder.publications()

    await users.send(users.ana, room_id, "hello")
    assert sorted(names(await recorder.publications())) == ["message.created", "read.updated"]

    await users.app.conversations.rename(users.ana, room_id, name="Dinner")
    [renamed] = await recorder.published()
    assert renamed[:2] == ("conversation.updated", (topics.conversation(room_id),))
    assert (renamed.d["name"], renamed.d["lastMessageBody"]) == ("Dinner", "hello")


async def test_participants_joining_leaving_and_roles_are_published_to_all(
    users: Users, recorder: EventRecorder
) -> None:
    room_id = await users.group(users.ana, users.ben)
    [dan] = await known(users.app, "dan")
    topic = topics.conversation(room_id)
    seats = users.app.conversations.participants
    await recorder.publications()

    await seats.add(users.ana, room_id, dan.user_id)
    assert sorted(names(await recorder.publications())) == [
        "conversation.created",
        "conversation.updated",
        "participant.joined",
    ]

    await seats.change_role(users.ana, room_id, dan.user_id, role="admin")
    events = await recorder.publications()
    assert [(published(each).t, published(each).d["role"]) for each in events] == [("participant.updated", "admin")]
    assert added_members(events) == [TopicMembership(dan.user_id, topic, moderates=True)]

    await seats.remove(users.ana, room_id, dan.user_id)
    events = await recorder.publications()
    gone = {"roomKind": "conversation", "roomId": room_id, "userId": dan.user_id}
    assert Published("participant.left", (topic, topics.user(dan.user_id)), gone) in [
        published(each) for each in events
    ]
    assert removed_members(events) == [TopicRemoval(dan.user_id, topic)]


async def test_several_events_of_one_change_have_distinct_ids(users: Users, recorder: EventRecorder) -> None:
    room_id = await users.group()
    message = await users.send(users.ana, room_id, "hello")
    await recorder.publications()

    both = set_to(role="admin", last_read_message_id=message.message_id, muted=True)
    await users.app.table.write(Update(seat_of(room_id=room_id, user_id=users.ben.user_id), both))
    events = await recorder.publications()

    assert names(events) == ["participant.updated", "read.updated", "preferences.updated"]
    assert len({each.id for each in events}) == 3


async def test_abandoned_group_is_deleted_without_events_of_its_contents(users: Users, recorder: EventRecorder) -> None:
    room_id = await users.group(users.ana, users.ben)
    message = await users.send(users.ana, room_id, "hello")
    await users.app.conversations.react(users.ben, room_id, message.message_id, "👍")
    for who in (users.ben, users.ana):
        await users.app.conversations.participants.remove(who, room_id, who.user_id)
    await recorder.publications()

    await users.app.jobs.run_pending(users.app.handlers)
    events = await recorder.publications()

    topic = topics.conversation(room_id)
    assert [published(each) for each in events] == [Published("conversation.deleted", (topic,), {"convoId": room_id})]
    assert removed_members(events) == [TopicRemoval(None, topic)]
