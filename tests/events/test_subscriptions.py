"""The subscriptions of a user, and what it costs to read them."""

from __future__ import annotations

import uuid

import pytest

from communities.environment import actor_of, create_community, join, requests
from conversations.users import Users, known
from events.recorder import EventRecorder, audience_changes
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import SetClock
from sobremesa.glue.subscriptions import Subscriptions
from sobremesa.live import events as topics
from sobremesa.live.events import Publication, TopicMembership
from threads.environment import strike_deal
from workspaces.team import gather_team
from workspaces.team import join as join_workspace


@pytest.fixture(params=["embedded", "dynamodb"])
def store(request: pytest.FixtureRequest) -> str:
    if request.param == "embedded":
        return "sqlite://"
    endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
    return f"dynamodb://sobremesa-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


async def live_everywhere(app: Sobremesa, ana: Actor, ben: Actor, cleo: Actor) -> dict[str, TopicMembership]:
    """Let Ana join something of every kind, and leave as much again."""
    users = Users(app, ana, ben, cleo)
    owned = await app.communities.create_server(ana, name="Mine")
    community, left_community = await create_community(app), await create_community(app)
    for each in (community, left_community):
        await join(app, each.owner, each.server_id, ana)
    await app.communities.members.remove(ana, left_community.server_id, ana.user_id)
    ended = await app.communities.create_server(ana, name="Over")
    await app.communities.delete_server(ana, ended.server_id)

    direct = await users.direct(ana, ben)
    group = await users.group(ana, ben, cleo)
    left_group = await users.group(ben, ana, cleo)
    await app.conversations.participants.remove(ana, left_group, ana.user_id)

    deal = await strike_deal(app)
    await app.threads.participants.add(deal.admin, deal.thread_id, ana.user_id, "admin")
    other = await strike_deal(app)
    await app.threads.participants.add(other.buyer, other.thread_id, ana.user_id, "buyer")
    await app.threads.participants.remove(ana, other.thread_id, ana.user_id)

    created = (await app.workspaces.create(ana, name="Mine")).workspace.workspace_id
    team = await gather_team(app)
    await join_workspace(app, team.owner, team.workspace_id, ana)
    await app.workspaces.members.remove(ana, team.workspace_id, ana.user_id)
    return {
        admission.topic: admission
        for admission in (
            TopicMembership(ana.user_id, topics.server(owned.server_id), moderates=True),
            TopicMembership(ana.user_id, topics.server(community.server_id), moderates=False),
            TopicMembership(ana.user_id, topics.conversation(direct), moderates=False),
            TopicMembership(ana.user_id, topics.conversation(group), moderates=True),
            TopicMembership(ana.user_id, topics.thread(deal.thread_id), moderates=True),
            TopicMembership(ana.user_id, topics.workspace(created), moderates=False),
        )
    }


def left_by(publications: list[Publication], who: Actor) -> dict[str, TopicMembership]:
    """Return the subscriptions of a user after all of these publications."""
    inside: dict[str, TopicMembership] = {}
    for change in audience_changes(publications):
        for topic in [each.topic for each in change.removes if each.user_id in (None, who.user_id)]:
            inside.pop(topic, None)
        inside |= {each.topic: each._replace(since="") for each in change.adds if each.user_id == who.user_id}
    return inside


async def test_user_is_subscribed_to_every_current_membership_and_no_former_one(
    app: Sobremesa, clock: SetClock
) -> None:
    ana, ben, cleo = await known(app, "ana", "ben", "cleo")
    expected = await live_everywhere(app, ana, ben, cleo)

    with requests(app) as counted:
        own, everyone, *inside = await Subscriptions(app.table).memberships_of(ana)

    assert (own, everyone) == (
        TopicMembership(ana.user_id, topics.user(ana.user_id)),
        TopicMembership(ana.user_id, topics.tenant(ana.tenant)),
    )
    assert {admission.topic: admission._replace(since="") for admission in inside} == expected
    assert all(admission.since for admission in inside)
    assert len(inside) == len(expected)
    assert counted == {"query": 4, "batch_get": 1}


async def test_user_without_memberships_is_subscribed_to_own_topic_and_tenant(app: Sobremesa) -> None:
    ana = Actor.of_user(actor_of("ana").user_id, "ana", Tenant("acme"))

    found = await Subscriptions(app.table).memberships_of(ana)

    assert [admission.topic for admission in found] == [topics.user(ana.user_id), topics.tenant("acme")]


async def test_audience_changes_lead_to_the_same_subscriptions_as_a_fresh_read(
    app: Sobremesa, recorder: EventRecorder
) -> None:
    ana, ben, cleo = await known(app, "ana", "ben", "cleo")
    expected = await live_everywhere(app, ana, ben, cleo)

    assert left_by(await recorder.publications(), ana) == expected
