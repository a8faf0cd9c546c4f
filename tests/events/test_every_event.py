"""Every event type is caused by some change of rows, on both engines: none can be forgotten.

The tests of each domain check payloads and audience. A story pauses where its events must be read before it goes on:
what is deleted by then would be published differently.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import jsonschema_rs
import msgspec
import pytest

from cheap import CHEAP
from communities.world import found_town, join
from conversations.company import known, meet
from events.recorder import EventRecorder
from inboxes.shop import ANA, Shop
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.workspaces.entities import SettingName, setting_by_name
from sobremesa.glue.event_catalog import EVENTS, FROM_ROWS
from sobremesa.live.asyncapi import document
from sobremesa.live.events import Event, EventTypes
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.table import Delete, Update, set_to
from table.engines import MAPS
from threads.world import at, strike_deal
from workspaces.team import gather_team


@pytest.fixture(params=["embedded", "dynamodb"])
def store(request: pytest.FixtureRequest) -> str:
    if request.param == "embedded":
        return "sqlite://"
    endpoint: Endpoint = request.getfixturevalue("dynoxide_memory")
    return f"dynamodb://sobremesa-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


DOCUMENT = document(EVENTS, title="Sobremesa", version="1", server_url="https://chat.example.com")
DOCUMENTED = {
    event.name: jsonschema_rs.validator_for(
        {"$ref": f"#/components/schemas/{event.payload.__name__}", "components": DOCUMENT["components"]}
    )
    for event in EVENTS
}
"""What the AsyncAPI document says of each event."""

Story: TypeAlias = AsyncIterator[None]


async def talk(rooms: Rooms, room_id: RoomId, one: Actor, other: Actor) -> Story:
    """Everything that can happen to a message."""
    message = await rooms.send(one, room_id, Draft("hello"))
    await rooms.edit(one, room_id, message.message_id, "hello there")
    await rooms.react(other, room_id, message.message_id, "👍")
    yield
    await rooms.unreact(other, room_id, message.message_id, "👍")
    await rooms.pin(other, room_id, message.message_id)
    await rooms.unpin(other, room_id, message.message_id)
    await rooms.mark_read(other, room_id, message.message_id)
    await rooms.set_preferences(other, room_id, muted=True)
    yield
    await rooms.delete(one, room_id, message.message_id)


TALK = {
    "message.created",
    "message.updated",
    "message.deleted",
    "reaction.added",
    "reaction.removed",
    "pin.added",
    "pin.removed",
    "read.updated",
    "preferences.updated",
}


async def in_a_server(app: Sobremesa, clock: SetClock) -> Story:
    town = await found_town(app)
    async for _ in talk(app.channels, town.channel_id, town.member, town.owner):
        yield
    await app.communities.change_channel(town.owner, town.channel_id, {"name": "particular"})
    yield
    await app.communities.delete_channel(town.owner, town.channel_id)
    await app.communities.change_server(town.owner, town.server_id, {"name": "The short table"})
    await join(app, town.owner, town.server_id, town.stranger)
    await app.membership.remove(town.stranger, town.server_id, town.stranger.user_id)
    yield
    await app.communities.delete_server(town.owner, town.server_id)
    yield


async def in_a_conversation(app: Sobremesa, clock: SetClock) -> Story:
    people = await meet(app)
    room_id = await people.group(people.ana, people.ben)
    async for _ in talk(app.conversation_rooms, room_id, people.ana, people.ben):
        yield
    await app.conversations.rename(people.ana, room_id, name="Lunch")
    await app.conversation_participants.change_role(people.ana, room_id, people.ben.user_id, role="admin")
    yield
    for who in (people.ana, people.ben):
        await app.conversation_participants.remove(who, room_id, who.user_id)
    yield
    await app.jobs.run_pending(app.handlers)
    yield


async def in_a_thread(app: Sobremesa, clock: SetClock) -> Story:
    deal = await strike_deal(app)
    async for _ in talk(app.thread_rooms, deal.thread_id, deal.buyer, deal.admin):
        yield
    offer = {"amount": 1, "currency": "EUR"}
    await app.cards.create(deal.buyer, deal.thread_id, type="offer", payload=offer)
    await app.tabs.put(deal.buyer, deal.thread_id, "brief", {}, source_version=1)
    until = at(clock.now_ms() + 1000)
    await app.thread_participants.change(deal.buyer, deal.thread_id, deal.seller.user_id, blocked_until=until)
    await app.thread_participants.remove(deal.admin, deal.thread_id, deal.admin.user_id)
    await app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    yield


async def in_an_inbox(app: Sobremesa, clock: SetClock) -> Story:
    shop = Shop(app, clock)
    await shop.create_users(ANA)
    await shop.read(ANA, await shop.send(ANA))
    yield


async def in_a_workspace(app: Sobremesa, clock: SetClock) -> Story:
    team = await gather_team(app)
    item = await app.workspace_items.create(team.owner, team.workspace_id, title="Flour", data={})
    await app.workspace_items.change(
        team.owner, team.workspace_id, item.item_id, version=item.version, changes={"title": "Rye"}
    )
    await app.workspace_items.delete(team.owner, team.workspace_id, item.item_id)
    await app.workspace_settings.put(team.owner, team.workspace_id, SettingName("theme"), 1)
    await app.table.write(Delete(setting_by_name(workspace_id=team.workspace_id, name=SettingName("theme"))))
    await app.workspaces.rename(team.owner, team.workspace_id, name="The pantry")
    await app.workspace_members.remove(team.member, team.workspace_id, team.member.user_id)
    yield
    await app.workspaces.delete(team.owner, team.workspace_id)
    yield


async def of_oneself(app: Sobremesa, clock: SetClock) -> Story:
    [ana] = await known(app, "ana")
    key = user_by_id(user_id=ana.user_id)
    await app.table.write(Update(key, set_to(username="anna")))
    yield


STORIES: dict[Callable[[Sobremesa, SetClock], Story], set[str]] = {
    in_a_server: {
        *TALK,
        "server.created",
        "server.updated",
        "server.deleted",
        "channel.created",
        "channel.updated",
        "channel.deleted",
        "member.joined",
        "member.updated",
        "member.left",
    },
    in_a_conversation: {
        *TALK,
        "conversation.created",
        "conversation.updated",
        "conversation.deleted",
        "participant.joined",
        "participant.updated",
        "participant.left",
    },
    in_a_thread: {
        *TALK,
        "thread.created",
        "thread.updated",
        "participant.joined",
        "participant.updated",
        "participant.left",
        "card.updated",
        "tab.updated",
    },
    in_an_inbox: {"inbox.message", "inbox.updated", "inbox.counts"},
    in_a_workspace: {
        "workspace.created",
        "workspace.updated",
        "workspace.deleted",
        "workspace.member.joined",
        "workspace.member.updated",
        "workspace.member.left",
        "workspace.item.created",
        "workspace.item.updated",
        "workspace.item.deleted",
        "workspace.setting.updated",
        "workspace.setting.deleted",
    },
    of_oneself: {"user.updated"},
}


def test_every_event_is_published_in_some_story() -> None:
    assert set().union(*STORIES.values()) == {event.name for event in EventTypes.of(*FROM_ROWS)}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
async def test_each_story_publishes_its_events(
    story: Callable[[Sobremesa, SetClock], Story], app: Sobremesa, clock: SetClock, recorder: EventRecorder
) -> None:
    events: list[Event] = []
    async for _ in story(app, clock):
        changes = await recorder.changes()
        once, again = await recorder.translated(changes), await recorder.translated(changes)
        assert [each.id for each in once] == [each.id for each in again]
        events += once

    assert {each.t for each in events if each.t} == STORIES[story]
    assert len({each.id for each in events}) == len(events)
    for each in events:
        if each.t and each.fresh is None:
            DOCUMENTED[each.t].validate(msgspec.json.decode(each.d))
            assert each.topics


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
@pytest.mark.parametrize("names", MAPS)
async def test_table_with_a_name_map_publishes_the_same(
    names: str, story: Callable[[Sobremesa, SetClock], Story], clock: SetClock
) -> None:
    settings = Settings(**CHEAP, rate_limits="off", names=MAPS[names])
    async with Sobremesa.open("sqlite://", settings=settings, clock=clock, background=False) as app:
        recorder = EventRecorder(app, clock)
        await recorder.start()
        events = {each.t async for _ in story(app, clock) for each in await recorder.events()}

    assert events - {""} == STORIES[story]


def test_every_event_has_a_summary_and_a_uniquely_named_payload() -> None:
    forms: dict[str, set[type]] = {}
    for event in EVENTS:
        assert event.summary.endswith(".")
        forms.setdefault(event.payload.__name__, set()).add(event.payload)

    assert [name for name, kinds in forms.items() if len(kinds) > 1] == []


def test_document_has_a_valid_example_of_every_event() -> None:
    messages = DOCUMENT["components"]["messages"]

    assert set(messages) == set(DOCUMENT["channels"]["gateway"]["messages"]) == {event.name for event in EVENTS}
    for message in messages.values():
        frame = jsonschema_rs.validator_for({**message["payload"], "components": DOCUMENT["components"]})
        [example] = message["examples"]
        frame.validate(example["payload"])
        assert not frame.is_valid(example["payload"] | {"t": "something.else"})


def test_every_reference_in_the_document_resolves() -> None:
    text = msgspec.json.encode(DOCUMENT).decode()

    for path in set(re.findall(r'"\$ref":"#/([^"]+)"', text)):
        found = DOCUMENT
        for step in path.split("/"):
            found = found[step]
        assert found


def test_document_names_the_public_address() -> None:
    assert DOCUMENT["servers"]["gateway"] == {"host": "chat.example.com", "protocol": "wss"}
    assert DOCUMENT["channels"]["gateway"]["address"] == "/v1/gateway"
