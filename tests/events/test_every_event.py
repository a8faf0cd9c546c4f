"""Every event type is caused by some change of rows, on both engines: none can be forgotten.

The tests of each domain check payloads and audience. A story pauses where its events must be read before it goes on:
what is deleted by then would be published differently.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeAlias

import jsonschema_rs
import msgspec
import pytest

from cheap import CHEAP
from communities.environment import create_community, join
from conversations.users import create_users, known
from events.recorder import EventRecorder, events_of
from inboxes.shop import ANA, KEY, NEWS, SHOP, Shop
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.commands.service import NewCommand
from sobremesa.domains.inboxes.editing import Edit
from sobremesa.domains.workspaces.entities import SettingName, setting_by_name
from sobremesa.glue.event_catalog import EVENTS, FROM_ROWS
from sobremesa.live import frames
from sobremesa.live.asyncapi import document
from sobremesa.live.events import EventTypes, Publication
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.table import Delete, Update, set_to
from table.engines import MAPS
from threads.environment import at, strike_deal
from workspaces.team import gather_team


@pytest.fixture(params=["embedded", "dynamodb"])
def store(request: pytest.FixtureRequest) -> str:
    if request.param == "embedded":
        return "sqlite://"
    endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
    return f"dynamodb://sobremesa-{uuid.uuid4().hex}?region=eu-west-1&endpoint={endpoint.url}"


ROOT = Path(__file__).parents[2]
SPECS = ROOT / "web" / "node_modules" / "@asyncapi" / "specs" / "schemas"
DOCUMENT = document(EVENTS, title="Sobremesa", version="1", server_url="https://chat.example.com")
DOCUMENTED = {
    event.name: jsonschema_rs.validator_for(
        {"$ref": f"#/components/schemas/{event.payload.__name__}", "components": DOCUMENT["components"]}
    )
    for event in EVENTS
}
"""What the AsyncAPI document contains for each event."""

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
    await rooms.delete_message(one, room_id, message.message_id)


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
    community = await create_community(app)
    async for _ in talk(app.communities, community.channel_id, community.member, community.owner):
        yield
    await app.communities.change_channel(community.owner, community.channel_id, {"name": "particular"})
    yield
    await app.communities.delete_channel(community.owner, community.channel_id)
    await app.communities.change_server(community.owner, community.server_id, {"name": "The short table"})
    await join(app, community.owner, community.server_id, community.stranger)
    await app.communities.members.remove(community.stranger, community.server_id, community.stranger.user_id)
    yield
    await app.communities.delete_server(community.owner, community.server_id)
    yield


async def in_a_conversation(app: Sobremesa, clock: SetClock) -> Story:
    users = await create_users(app)
    room_id = await users.group(users.ana, users.ben)
    async for _ in talk(app.conversations, room_id, users.ana, users.ben):
        yield
    await app.conversations.rename(users.ana, room_id, name="Lunch")
    await app.conversations.participants.change_role(users.ana, room_id, users.ben.user_id, role="admin")
    yield
    for who in (users.ana, users.ben):
        await app.conversations.participants.remove(who, room_id, who.user_id)
    yield
    await app.jobs.run_pending(app.handlers)
    yield


async def in_a_thread(app: Sobremesa, clock: SetClock) -> Story:
    deal = await strike_deal(app)
    async for _ in talk(app.threads, deal.thread_id, deal.buyer, deal.admin):
        yield
    offer = {"amount": 1, "currency": "EUR"}
    await app.threads.cards.create(deal.buyer, deal.thread_id, type="offer", payload=offer)
    await app.threads.tabs.put(deal.buyer, deal.thread_id, "brief", {}, source_version=1)
    until = at(clock.now_ms() + 1000)
    await app.threads.participants.change(deal.buyer, deal.thread_id, deal.seller.user_id, blocked_until=until)
    await app.threads.participants.remove(deal.admin, deal.thread_id, deal.admin.user_id)
    await app.threads.set_status(deal.buyer, deal.thread_id, "archived")
    yield


async def in_an_inbox(app: Sobremesa, clock: SetClock) -> Story:
    shop = Shop(app, clock)
    await shop.create_users(ANA)
    await shop.read(ANA, message_id := await shop.send(ANA))
    await shop.inboxes.update(KEY, SHOP, NEWS, message_id, Edit(title="Corrected"))
    await shop.inboxes.recall(KEY, SHOP, NEWS, message_id)
    yield


async def in_a_workspace(app: Sobremesa, clock: SetClock) -> Story:
    team = await gather_team(app)
    item = await app.workspaces.items.create(team.owner, team.workspace_id, title="Flour", data={})
    await app.workspaces.items.change(
        team.owner, team.workspace_id, item.item_id, version=item.version, changes={"title": "Rye"}
    )
    await app.workspaces.items.delete(team.owner, team.workspace_id, item.item_id)
    await app.workspaces.settings.put(team.owner, team.workspace_id, SettingName("theme"), 1)
    await app.table.write(Delete(setting_by_name(workspace_id=team.workspace_id, name=SettingName("theme"))))
    await app.workspaces.rename(team.owner, team.workspace_id, name="The pantry")
    await app.workspaces.members.remove(team.member, team.workspace_id, team.member.user_id)
    yield
    await app.workspaces.delete(team.owner, team.workspace_id)
    yield


async def of_oneself(app: Sobremesa, clock: SetClock) -> Story:
    [ana] = await known(app, "ana")
    key = user_by_id(user_id=ana.user_id)
    await app.table.write(Update(key, set_to(username="anna")))
    yield


async def of_a_command(app: Sobremesa, clock: SetClock) -> Story:
    community = await create_community(app)
    created = await app.bots.create_in_server(community.owner, community.server_id, username="helper")
    bot = await app.accounts.authenticate(created.token)
    await app.commands.put(bot, community.server_id, "weather", NewCommand("Show the weather", bot.user_id))
    called = await app.commands.invoke(community.member, community.channel_id, "weather", text="Lisbon")
    await app.commands.respond(bot, called.command_id, "Sunny", "private")
    await app.commands.respond(bot, called.command_id, "Sunny", "public")
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
    of_a_command: {
        *("command.invoked", "command.responded", "message.created"),
        *("server.created", "channel.created", "member.joined", "member.updated"),
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
    in_an_inbox: {"inbox.message", "inbox.updated", "inbox.edited", "inbox.recalled", "inbox.counts"},
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
    publications: list[Publication] = []
    async for _ in story(app, clock):
        changes = await recorder.changes()
        once, again = await recorder.translated(changes), await recorder.translated(changes)
        assert [each.id for each in once] == [each.id for each in again]
        publications += once

    assert len({each.id for each in publications}) == len(publications)
    events = events_of(publications)
    assert {each.t for each in events} == STORIES[story]
    for each in events:
        if not each.is_reference:
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
        events = {each.t async for _ in story(app, clock) for each in await recorder.published()}

    assert events == STORIES[story]


def test_every_event_has_a_summary_and_a_uniquely_named_payload() -> None:
    forms: dict[str, set[type]] = {}
    for event in EVENTS:
        assert event.summary.endswith(".")
        forms.setdefault(event.payload.__name__, set()).add(event.payload)

    assert [name for name, kinds in forms.items() if len(kinds) > 1] == []


def test_document_has_a_valid_example_of_every_event_and_frame() -> None:
    messages = DOCUMENT["components"]["messages"]

    assert set(messages) == set(DOCUMENT["channels"]["gateway"]["messages"])
    assert set(messages) == {each.name for each in (*EVENTS, *frames.CLIENT_FRAMES, *frames.SERVER_FRAMES)}
    for message in messages.values():
        frame = jsonschema_rs.validator_for({**message["payload"], "components": DOCUMENT["components"]})
        [example] = message["examples"]
        frame.validate(example["payload"])
        assert not frame.is_valid(example["payload"] | {"op": 99})


def test_document_is_valid_asyncapi() -> None:
    schema = msgspec.json.decode((SPECS / "3.1.0-without-$id.json").read_bytes())

    jsonschema_rs.validator_for(schema).validate(DOCUMENT)


def test_document_has_the_reply_to_each_frame_of_a_client() -> None:
    received = {name: each for name, each in DOCUMENT["operations"].items() if each["action"] == "receive"}

    assert set(received) == {"identify", "heartbeat", "resume", "call", "watch"}
    for name in ("call", "watch"):
        assert [each["$ref"].rpartition("/")[2] for each in received[name]["reply"]["messages"]] == ["result"]


def test_close_codes_are_in_the_document_and_on_the_page_of_the_gateway() -> None:
    page = (ROOT / "docs" / "gateway.md").read_text()

    codes = DOCUMENT["channels"]["gateway"]["x-close-codes"]
    assert len(codes) == 11
    assert [code for code in codes if not re.search(rf"^\| [0-9, ]*{code}", page, re.MULTILINE)] == []


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
