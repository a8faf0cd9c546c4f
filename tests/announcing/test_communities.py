"""What is told of servers, their members and channels, and to whom."""

from __future__ import annotations

import pytest

from announcing.ear import Ear, Told, admitted, expelled, names, told
from communities.world import Town, found_town, join, person
from sobremesa.app import Sobremesa
from sobremesa.live import events as topics
from sobremesa.live.events import Admission, Expulsion


@pytest.fixture
async def town(app: Sobremesa) -> Town:
    return await found_town(app)


@pytest.fixture
async def ear(town: Town, ear: Ear) -> Ear:
    await ear.listen()
    return ear


async def test_whoever_makes_a_server_hears_of_it_and_from_then_on_listens_to_it(app: Sobremesa, ear: Ear) -> None:
    ana = person("ana")

    server = await app.communities.create_server(ana, name="Lunch")
    heard = await ear.hears()

    topic = topics.server(server.server_id)
    assert [told(each)[:2] for each in heard] == [
        ("server.created", (topics.person(ana.user_id),)),
        ("member.joined", (topic,)),
    ]
    assert told(heard[0]).d == {
        "serverId": server.server_id,
        "name": "Lunch",
        "ownerId": ana.user_id,
        "iconUrl": None,
        "createdAt": server.created_at,
        "updatedAt": server.updated_at,
    }
    assert admitted(heard) == [Admission(ana.user_id, topic, moderates=True)]


async def test_whoever_comes_in_hears_of_the_server_and_everybody_of_them(town: Town, ear: Ear) -> None:
    await join(town.app, town.owner, town.server_id, town.stranger)
    heard = await ear.hears()

    topic = topics.server(town.server_id)
    assert names(heard) == ["server.created", "member.joined"]
    joined = told(heard[1])
    assert joined.topics == (topic,)
    assert (joined.d["userId"], joined.d["role"]) == (town.stranger.user_id, "member")
    assert admitted(heard) == [Admission(town.stranger.user_id, topic, moderates=False)]


async def test_a_changed_server_is_told_to_those_who_are_in_it(town: Town, ear: Ear) -> None:
    await town.app.communities.change_server(town.owner, town.server_id, {"name": "The short table"})
    [changed] = await ear.told()

    assert changed[:2] == ("server.updated", (topics.server(town.server_id),))
    assert changed.d["name"] == "The short table"


async def test_a_new_role_changes_what_one_hears(town: Town, ear: Ear) -> None:
    await town.app.membership.change_role(town.owner, town.server_id, town.member.user_id, role="moderator")
    heard = await ear.hears()

    topic = topics.server(town.server_id)
    assert [told(each)[:2] for each in heard] == [("member.updated", (topic,))]
    assert told(heard[0]).d["role"] == "moderator"
    assert admitted(heard) == [Admission(town.member.user_id, topic, moderates=True)]


async def test_with_the_server_its_owners_rights_are_handed_over(town: Town, ear: Ear) -> None:
    await town.app.membership.transfer(town.owner, town.server_id, town.member.user_id)
    heard = await ear.hears()

    assert names(heard) == ["server.updated", "member.updated", "member.updated"]
    roles = {told(each).d["userId"]: told(each).d["role"] for each in heard[1:]}
    assert roles == {town.member.user_id: "owner", town.owner.user_id: "admin"}
    topic = topics.server(town.server_id)
    for user_id in roles:
        assert Admission(user_id, topic, moderates=True) in admitted(heard[:1])


async def test_an_owner_of_another_writer_who_is_not_inside_is_not_let_in(town: Town, ear: Ear) -> None:
    from sobremesa.domains.communities.entities import server_by_id
    from sobremesa.table import Update, set_to

    owned = set_to(owner_id=town.stranger.user_id)
    await town.app.table.write(Update(server_by_id(server_id=town.server_id), owned))
    heard = await ear.hears()

    topic = topics.server(town.server_id)
    assert admitted(heard) == [Admission(town.owner.user_id, topic, moderates=True)], "they stay, as an admin"


async def test_whoever_is_removed_hears_it_and_nothing_more(town: Town, ear: Ear) -> None:
    await town.app.membership.remove(town.owner, town.server_id, town.member.user_id)
    heard = await ear.hears()

    topic = topics.server(town.server_id)
    gone = {"serverId": town.server_id, "userId": town.member.user_id}
    assert [told(each) for each in heard] == [
        Told("member.left", (topic, topics.person(town.member.user_id)), gone),
    ]
    assert expelled(heard) == [Expulsion(town.member.user_id, topic)]


async def test_a_channel_is_told_from_its_beginning_to_its_end(town: Town, ear: Ear) -> None:
    communities = town.app.communities
    made = await communities.create_channel(town.owner, town.server_id, name="jokes", topic="bad ones")
    channel_id = made.channel.channel_id
    await communities.change_channel(town.owner, channel_id, {"topic": "good ones"})
    await communities.delete_channel(town.owner, channel_id)
    created, changed, gone = await ear.told()

    topic = topics.server(town.server_id)
    assert created[:2] == ("channel.created", (topic,))
    assert (created.d["channelId"], created.d["topic"], created.d["lastMessageId"]) == (channel_id, "bad ones", None)
    assert (changed.t, changed.d["topic"]) == ("channel.updated", "good ones")
    assert gone == Told("channel.deleted", (topic,), {"channelId": channel_id, "serverId": town.server_id})


async def test_a_deleted_server_is_told_once_and_nothing_of_what_goes_with_it(town: Town, ear: Ear) -> None:
    await town.say(town.member, "hello")
    await ear.hears()

    await town.app.communities.delete_server(town.owner, town.server_id)
    heard = await ear.hears()
    await town.app.jobs.run_pending(town.app.handlers)
    later = await ear.hears()

    topic = topics.server(town.server_id)
    assert [told(each) for each in heard] == [Told("server.deleted", (topic,), {"serverId": town.server_id})]
    assert expelled(heard) == [Expulsion(None, topic)]
    assert names(later) == []


async def test_what_goes_with_a_deleted_channel_is_not_told_one_by_one(town: Town, ear: Ear) -> None:
    message = await town.say(town.member, "hello")
    await town.app.channels.react(town.owner, town.channel_id, message.message_id, "👍")
    await town.app.channels.pin(town.owner, town.channel_id, message.message_id)
    await ear.hears()

    await town.app.communities.delete_channel(town.owner, town.channel_id)
    await town.app.jobs.run_pending(town.app.handlers)

    assert names(await ear.hears()) == ["channel.deleted"]
