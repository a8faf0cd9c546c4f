"""The events of servers, their members and channels, and their audience."""

from __future__ import annotations

import pytest

from communities.environment import Community, actor_of, create_community, join
from events.recorder import EventRecorder, Published, added_members, names, published, removed_members
from sobremesa.app import Sobremesa
from sobremesa.live import events as topics
from sobremesa.live.events import TopicMembership, TopicRemoval


@pytest.fixture
async def community(app: Sobremesa) -> Community:
    return await create_community(app)


@pytest.fixture
async def recorder(community: Community, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


async def test_creator_of_a_server_receives_it_and_is_subscribed(app: Sobremesa, recorder: EventRecorder) -> None:
    ana = actor_of("ana")

    server = await app.communities.create_server(ana, name="Lunch")
    events = await recorder.publications()

    topic = topics.server(server.server_id)
    assert [published(each)[:2] for each in events] == [
        ("server.created", (topics.user(ana.user_id),)),
        ("member.joined", (topic,)),
    ]
    assert published(events[0]).d == {
        "serverId": server.server_id,
        "name": "Lunch",
        "ownerId": ana.user_id,
        "iconUrl": None,
        "createdAt": server.created_at,
        "updatedAt": server.updated_at,
        "data": None,
    }
    assert added_members(events) == [TopicMembership(ana.user_id, topic, moderates=True)]


async def test_new_member_receives_the_server_and_all_members_the_new_one(
    community: Community, recorder: EventRecorder
) -> None:
    await join(community.app, community.owner, community.server_id, community.stranger)
    events = await recorder.publications()

    topic = topics.server(community.server_id)
    assert names(events) == ["server.created", "member.joined"]
    joined = published(events[1])
    assert joined.topics == (topic,)
    assert (joined.d["userId"], joined.d["role"]) == (community.stranger.user_id, "member")
    assert added_members(events) == [TopicMembership(community.stranger.user_id, topic, moderates=False)]


async def test_server_updated_is_published_to_its_members(community: Community, recorder: EventRecorder) -> None:
    await community.app.communities.change_server(community.owner, community.server_id, {"name": "The short table"})
    [changed] = await recorder.published()

    assert changed[:2] == ("server.updated", (topics.server(community.server_id),))
    assert changed.d["name"] == "The short table"


async def test_new_role_changes_what_a_member_receives(community: Community, recorder: EventRecorder) -> None:
    await community.app.communities.members.change_role(
        community.owner, community.server_id, community.member.user_id, role="moderator"
    )
    events = await recorder.publications()

    topic = topics.server(community.server_id)
    assert [published(each)[:2] for each in events] == [("member.updated", (topic,))]
    assert published(events[0]).d["role"] == "moderator"
    assert added_members(events) == [TopicMembership(community.member.user_id, topic, moderates=True)]


async def test_transfer_of_ownership_changes_both_roles(community: Community, recorder: EventRecorder) -> None:
    await community.app.communities.members.transfer(community.owner, community.server_id, community.member.user_id)
    events = await recorder.publications()

    assert names(events) == ["server.updated", "member.updated", "member.updated"]
    roles = {published(each).d["userId"]: published(each).d["role"] for each in events[1:]}
    assert roles == {community.member.user_id: "owner", community.owner.user_id: "admin"}
    topic = topics.server(community.server_id)
    for user_id in roles:
        assert TopicMembership(user_id, topic, moderates=True) in added_members(events[:1])


async def test_owner_without_a_membership_is_not_subscribed(community: Community, recorder: EventRecorder) -> None:
    from sobremesa.domains.communities.entities import server_by_id
    from sobremesa.table import Update, set_to

    owned = set_to(owner_id=community.stranger.user_id)
    await community.app.table.write(Update(server_by_id(server_id=community.server_id), owned))
    events = await recorder.publications()

    topic = topics.server(community.server_id)
    assert added_members(events) == [TopicMembership(community.owner.user_id, topic, moderates=True)], (
        "they stay, as an admin"
    )


async def test_removed_member_receives_the_removal_and_nothing_more(
    community: Community, recorder: EventRecorder
) -> None:
    await community.app.communities.members.remove(community.owner, community.server_id, community.member.user_id)
    events = await recorder.publications()

    topic = topics.server(community.server_id)
    gone = {"serverId": community.server_id, "userId": community.member.user_id}
    assert [published(each) for each in events] == [
        Published("member.left", (topic, topics.user(community.member.user_id)), gone),
    ]
    assert removed_members(events) == [TopicRemoval(community.member.user_id, topic)]


async def test_channel_creation_update_and_deletion_are_published(
    community: Community, recorder: EventRecorder
) -> None:
    communities = community.app.communities
    new = await communities.create_channel(community.owner, community.server_id, name="jokes", topic="bad ones")
    channel_id = new.channel.channel_id
    await communities.change_channel(community.owner, channel_id, {"topic": "good ones"})
    await communities.delete_channel(community.owner, channel_id)
    created, changed, gone = await recorder.published()

    topic = topics.server(community.server_id)
    assert created[:2] == ("channel.created", (topic,))
    assert (created.d["channelId"], created.d["topic"], created.d["lastMessageId"]) == (channel_id, "bad ones", None)
    assert (changed.t, changed.d["topic"]) == ("channel.updated", "good ones")
    assert gone == Published("channel.deleted", (topic,), {"channelId": channel_id, "serverId": community.server_id})


async def test_server_deleted_is_published_once_without_its_contents(
    community: Community, recorder: EventRecorder
) -> None:
    await community.send(community.member, "hello")
    await recorder.publications()

    await community.app.communities.delete_server(community.owner, community.server_id)
    events = await recorder.publications()
    await community.app.jobs.run_pending(community.app.handlers)
    later = await recorder.publications()

    topic = topics.server(community.server_id)
    assert [published(each) for each in events] == [
        Published("server.deleted", (topic,), {"serverId": community.server_id})
    ]
    assert removed_members(events) == [TopicRemoval(None, topic)]
    assert names(later) == []


async def test_contents_of_a_deleted_channel_are_not_published_one_by_one(
    community: Community, recorder: EventRecorder
) -> None:
    message = await community.send(community.member, "hello")
    await community.app.communities.react(community.owner, community.channel_id, message.message_id, "👍")
    await community.app.communities.pin(community.owner, community.channel_id, message.message_id)
    await recorder.publications()

    await community.app.communities.delete_channel(community.owner, community.channel_id)
    await community.app.jobs.run_pending(community.app.handlers)

    assert names(await recorder.publications()) == ["channel.deleted"]
