"""A user who logs in as the demo prints it finds something on every screen."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.running import Server
from demo.running import Login
from sobremesa.client import ApiError, Client, Message, Room

Json = dict[str, Any]
MENTIONED = {"ana", "ben", "lena", "carmen"}


async def everything(client: Client) -> dict[Room, list[Message]]:
    """All that a user can read, by room, the newest first."""
    rooms = [thread.room async for thread in client.threads()]
    rooms += [conversation.room async for conversation in client.conversations()]
    async for server in client.servers():
        rooms += [channel.room async for channel in client.channels(server.server_id)]
    return {room: [message async for message in client.messages(room)] for room in rooms}


async def seen_by_all(demo: Server, logins: dict[str, Login]) -> dict[Room, list[Message]]:
    found: dict[Room, list[Message]] = {}
    for login in logins.values():
        async with Client(demo.url) as client:
            await client.login(login.email, login.password)
            found |= await everything(client)
    return found


async def test_weeks_of_talk_are_believable(demo: Server, logins: dict[str, Login]) -> None:
    found = await seen_by_all(demo, logins)
    messages = [message for room in found.values() for message in room]

    assert logins.keys() == MENTIONED
    assert 600 <= len({message.message_id for message in messages}) <= 1500
    now = datetime.now(UTC)
    for room in found.values():
        times = [message.created_at for message in reversed(room)]
        assert times == sorted(times)
        assert datetime.fromisoformat(times[-1]) <= now
    days = Counter(message.created_at[:10] for message in messages)
    assert len(days) >= 33
    assert datetime.fromisoformat(min(days)).replace(tzinfo=UTC) < now - timedelta(days=30)
    assert len({message.author_id for message in messages}) == 12
    assert sum(len(message.reactions) for message in messages) > 150
    assert sum(message.reply_to is not None for message in messages) > 40
    assert sum(message.edited for message in messages) >= 2
    assert sum(bool(message.mentions) for message in messages) >= 8


async def test_communities_have_channels_icons_pins_pictures_and_something_unread(ana: Client) -> None:
    unread = 0
    pictures = []
    pins = 0
    async for server in ana.servers():
        assert server.icon_url is not None
        async for channel in ana.channels(server.server_id):
            assert channel.topic
            messages = [message async for message in ana.messages(channel.room)]
            assert len(messages) > 5
            pictures += [file for message in messages for file in message.attachments if file["kind"] == "preview"]
            pins += len((await ana.request("GET", f"{channel.room.path}/pins"))["items"])
            unread += (await ana.request("GET", f"{channel.room.path}/unread"))["count"] > 0

    assert unread >= 4
    assert pins >= 8
    assert len(pictures) >= 8


async def test_every_user_has_an_avatar_that_can_be_fetched(ana: Client) -> None:
    faces = []
    async for server in ana.servers():
        faces += [each async for each in ana.every(f"/servers/{server.server_id}/members", dict[str, Any])]

    assert len({face["userId"] for face in faces}) == 12
    for face in faces:
        picture = await ana.request("GET", face["avatarUrl"].removeprefix("/v1"))
        assert (picture["kind"], picture["width"]) == ("preview", 256)


async def test_conversations_of_two_and_of_several_are_there_and_some_are_unread(ana: Client) -> None:
    conversations = [conversation async for conversation in ana.conversations()]

    kinds = Counter(conversation.type for conversation in conversations)
    assert kinds["direct"] >= 6
    assert kinds["group"] >= 3
    assert sum(conversation.unread.count > 0 for conversation in conversations) >= 3
    assert all(conversation.last_message_body for conversation in conversations)


async def test_offers_are_in_every_state_and_other_cards_too(demo: Server, logins: dict[str, Login]) -> None:
    states: set[tuple[str, str]] = set()
    for login in logins.values():
        async with Client(demo.url) as client:
            await client.login(login.email, login.password)
            async for thread in client.threads():
                cards = (await client.request("GET", f"{thread.room.path}/cards"))["items"]
                states |= {(card["type"], card["state"]) for card in cards}

    wanted = ("open", "accepted", "declined", "withdrawn", "expired", "countered")
    assert states >= {("offer", state) for state in wanted}
    assert {kind for kind, _ in states} == {
        *("offer", "counter-offer", "booking", "delivery", "payment-request", "amendment"),
    }


async def test_all_seven_tabs_of_the_project_show_something(ana: Client) -> None:
    threads = [thread async for thread in ana.threads()]
    project = next(thread for thread in threads if thread.kind == "project")

    panel = (await ana.request("GET", f"{project.room.path}/panel"))["tabs"]
    content = {tab["tab"]: tab["content"] for tab in panel}

    assert list(content) == ["brief", "moodboard", "shotlist", "files", "docs", "expenses", "actions"]
    assert "north window" in content["brief"]["text"]
    assert {shot["done"] for shot in content["shotlist"]["shots"]} == {True, False}
    shown = [entry["fileId"] for entry in content["moodboard"]["entries"] if "fileId" in entry]
    for file_id in [*shown, *(file["fileId"] for file in content["files"]["files"])]:
        assert (await ana.request("GET", f"/attachments/{file_id}"))["url"]
    documents = (await ana.request("GET", f"{project.room.path}/documents"))["items"]
    assert {document["state"] for document in documents} == {"draft", "signed"}
    expenses = (await ana.request("GET", f"{project.room.path}/expenses"))["items"]
    assert {expense["state"] for expense in expenses} == {"submitted", "approved", "rejected"}
    assert (await ana.request("GET", f"{project.room.path}/amendments"))["items"]


async def test_inboxes_have_categories_something_unread_and_something_to_do(ana: Client) -> None:
    for inbox in ("house", "orders"):
        path = f"/tenants/default/inboxes/{inbox}"
        counts = await ana.request("GET", f"{path}/counts")
        messages = (await ana.request("GET", f"{path}/messages"))["items"]

        assert 0 < counts["unread"] < counts["total"]
        assert len(counts["categories"]) >= 3
        assert any(message["ctaUri"] and message["readAt"] is None for message in messages)


async def test_workspaces_have_members_items_in_several_states_and_settings(ana: Client) -> None:
    listed = (await ana.request("GET", "/workspaces"))["items"]
    assert len(listed) == 2
    for workspace in listed:
        whole = await ana.request("GET", f"/workspaces/{workspace['workspaceId']}")
        assert len(whole["members"]) >= 5
        assert len({item["status"] for item in whole["items"]}) >= 3
        assert len(whole["settings"]) >= 3


async def test_a_new_user_sees_the_co_op_only(demo: Server, logins: dict[str, Login]) -> None:
    async with Client(demo.url) as lena:
        await lena.login(logins["lena"].email, logins["lena"].password)
        assert [server.name async for server in lena.servers()] == ["Olmo Street Food Co-op"]
        with pytest.raises(ApiError) as refused:
            await lena.request("GET", "/moderation/cases")

    assert refused.value.status == 403


async def test_the_administrator_has_a_reported_message_to_decide_about(demo: Server, logins: dict[str, Login]) -> None:
    async with Client(demo.url) as carmen:
        await carmen.login(logins["carmen"].email, logins["carmen"].password)
        cases: list[Json] = (await carmen.request("GET", "/moderation/cases"))["items"]

    assert len(cases) == 1
