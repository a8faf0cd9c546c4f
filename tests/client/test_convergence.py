"""A snapshot with the events since applied equals a fresh snapshot, whatever happened in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest

from api.calling import PASSWORD
from api.running import Server, new_key
from client.scripted import WITHIN_SECONDS
from client.tcp_proxy import TcpProxy
from sobremesa.client import ApiError, Client, Conversation, Event, Gateway, Pace, Room
from sobremesa.client.state import State

AT_ONCE = Pace(chance=lambda: 0.01)


class Watched:
    """A user whose client applies events, and can be compared with a fresh one."""

    def __init__(self, client: Client, events: AsyncIterator[Event], state: State, rooms: Rooms) -> None:
        self._client = client
        self._is_crowded = rooms.is_crowded
        self._events = events
        self._state = state
        self._rooms = rooms
        self._loaded: list[str] = []

    async def load(self, *paths: str) -> None:
        """Load these paths, and keep them up to date from now on."""
        for path in paths:
            await fetch(self._client, self._state, path)
            self._loaded.append(path)

    async def assert_nothing_is_missing(self) -> None:
        await self._catch_up()
        async with self._client.gateway() as live:
            fresh = State.of((await anext(live.events())).d)
        for path in self._loaded:
            await fetch(self._client, fresh, path)
        for name in self._state.differences(fresh):
            assert getattr(self._state, name) == getattr(fresh, name), name
        assert self._state == fresh

    async def _catch_up(self) -> None:
        """Apply events up to a mark that Ana sets, which comes after everything before it.

        In a crowded server, what happened in channels is reported within a second: the mark follows a last report.
        """
        if self._is_crowded:
            last = await self._rooms.ana.send(self._rooms.unwatched, "The last message")
            async with asyncio.timeout(WITHIN_SECONDS):
                async for event in self._events:
                    await self._apply(event)
                    if (self._state.channels[last.room.room_id]["lastMessageId"] or "") >= last.message_id:
                        break
        mark = f"/workspaces/{self._rooms.workspace_id}/settings/mark"
        value = (await self._rooms.ana.request("PUT", mark, {"value": uuid4().hex}))["value"]
        async with asyncio.timeout(WITHIN_SECONDS):
            async for event in self._events:
                await self._apply(event)
                if event.t == "workspace.setting.updated" and event.d["value"] == value:
                    return

    async def _apply(self, event: Event) -> None:
        self._state.apply(event)
        for path in sorted(self._state.wanted):
            await fetch(self._client, self._state, path)


async def fetch(client: Client, state: State, path: str) -> None:
    try:
        answer = await client.request("GET", path)
    except ApiError as error:
        if error.status != 404:
            raise
        answer = None
    state.load(path, answer)


async def watched(client: Client, live: Gateway, rooms: Rooms) -> Watched:
    """Return a user of the rooms whose client applies every event."""
    events = live.events()
    ben = Watched(client, events, State.of((await anext(events)).d), rooms)
    for room in (rooms.general, rooms.pair.room, rooms.deal):
        await ben.load(*(f"{room.path}/{what}" for what in ("messages", "pins")))
        if room.kind != "channel":
            await ben.load(*(f"{room.path}/{what}" for what in ("readers", "participants")))
    await ben.load(f"/servers/{rooms.server_id}/members", f"{rooms.deal.path}/cards", f"{rooms.deal.path}/panel")
    await ben.load(f"/workspaces/{rooms.workspace_id}", f"{rooms.inbox}/messages")
    return ben


class Rooms:
    """Ana and Ben in one of each kind of room, and in a workspace, with an inbox."""

    def __init__(self, ana: Client, ben: Client, key: Client, *, is_crowded: bool) -> None:
        self.ana, self.ben, self.key = ana, ben, key
        self.is_crowded = is_crowded
        self.server_id = self.thread_id = self.workspace_id = ""
        self.general = self.unwatched = Room("channel", "")
        self.pair: Conversation

    @property
    def deal(self) -> Room:
        return Room("thread", self.thread_id)

    @property
    def inbox(self) -> str:
        return "/tenants/default/inboxes/news"

    async def create(self) -> None:
        ana, ben = self.ana, self.ben
        server = await ana.create_server("The long table")
        self.server_id = server.server_id
        self.general = (await ana.create_channel(server.server_id, "general")).room
        self.unwatched = (await ana.create_channel(server.server_id, "unwatched")).room
        await ben.join((await ana.invite(server.server_id)).code)
        self.pair = await ana.direct(ben.user.user_id)
        inquiry = {"kind": "project", "sellerUserId": ben.user.user_id}
        self.thread_id = (await ana.request("POST", "/threads", inquiry))["threadId"]
        self.workspace_id = (await ana.request("POST", "/workspaces", {"name": "Plan"}))["workspaceId"]
        await ben.join((await ana.request("POST", f"/workspaces/{self.workspace_id}/invites", {}))["code"])
        await self.key.request("PUT", self.inbox, {"title": "News"})

    async def publish(self, title: str, **audience: Any) -> None:
        body = {"audience": audience, "sender": "shop", "title": title, "body": title, "category": "deals"}
        await self.key.request("POST", f"{self.inbox}/messages", body)


@asynccontextmanager
async def rooms_on(server: Server, fresh: str, *, is_crowded: bool = False) -> AsyncIterator[Rooms]:
    key = await new_key(server, "inbox:publish", "inbox:admin")
    async with Client(server.url) as ana, Client(server.url) as ben, Client(server.url, token=key) as shop:
        await ana.register(f"ana{fresh}@example.com", f"ana{fresh}", PASSWORD)
        await ben.register(f"ben{fresh}@example.com", f"ben{fresh}", PASSWORD)
        created = Rooms(ana, ben, shop, is_crowded=is_crowded)
        await created.create()
        yield created


@pytest.fixture
async def rooms(server: Server, fresh: str) -> AsyncIterator[Rooms]:
    async with rooms_on(server, fresh) as created:
        yield created


@pytest.fixture
async def crowded_rooms(crowded_server: Server, fresh: str) -> AsyncIterator[Rooms]:
    async with rooms_on(crowded_server, fresh, is_crowded=True) as created:
        yield created


async def talk(rooms: Rooms, room: Room) -> None:
    """Everything that can happen to messages."""
    ana, ben = rooms.ana, rooms.ben
    first = await ana.send(room, f"First, @{ben.user.username}")
    second = await ana.send(room, "Second", reply_to=first.message_id)
    third = await ana.send(room, "Third")
    await ana.edit(second, "Second, edited")
    await ana.react(first, "☕")
    await ben.react(first, "☕")
    await ben.react(first, "🍰")
    await ben.unreact(first, "🍰")
    await ana.request("PUT", f"{room.path}/pins/{first.message_id}")
    await ana.request("PUT", f"{room.path}/pins/{second.message_id}")
    await ana.request("DELETE", f"{room.path}/pins/{second.message_id}")
    await ben.mark_read(room, second.message_id)
    await ana.mark_read(room, third.message_id)
    await ben.request("PUT", f"{room.path}/preferences", {"muted": True})
    await ana.send(room, "Fourth")
    if room.kind != "thread":
        await ana.delete(third)
        await ana.delete(await ana.send(room, "Fifth, taken back"))


async def talk_everywhere(rooms: Rooms) -> None:
    for room in (rooms.general, rooms.pair.room, rooms.deal):
        await talk(rooms, room)


async def change_servers(rooms: Rooms) -> None:
    ana, ben = rooms.ana, rooms.ben
    at = f"/servers/{rooms.server_id}"
    await ana.request("PATCH", at, {"name": "The longest table"})
    created = await ana.create_channel(rooms.server_id, "kitchen", topic="Food")
    await ana.request("PATCH", f"/channels/{created.channel_id}", {"topic": "Drinks"})
    gone = await ana.create_channel(rooms.server_id, "cellar")
    await ana.send(created.room, "In the kitchen")
    await ana.request("DELETE", f"/channels/{gone.channel_id}")
    await ana.request("PATCH", f"{at}/members/{ben.user.user_id}", {"role": "moderator"})
    other = await ana.create_server("Another table")
    hall = await ana.create_channel(other.server_id, "hall")
    await ana.send(hall.room, "Before Ben came")
    await ben.join((await ana.invite(other.server_id)).code)
    await ana.send(hall.room, "After Ben came")
    left = await ana.create_server("A table to leave")
    await ben.join((await ana.invite(left.server_id)).code)
    await ben.request("DELETE", f"/servers/{left.server_id}/members/{ben.user.user_id}")
    closed = await ana.create_server("A table to close")
    await ben.join((await ana.invite(closed.server_id)).code)
    await ana.request("DELETE", f"/servers/{closed.server_id}")
    await ana.request("POST", f"{at}/transfer", {"userId": ben.user.user_id})


async def change_conversations(rooms: Rooms) -> None:
    ana, ben = rooms.ana, rooms.ben
    group = await ana.group([ben.user.user_id], name="A group")
    await ana.send(group.room, "Welcome")
    await ana.request("PATCH", f"/conversations/{group.convo_id}", {"name": "The group"})
    await ana.request("PATCH", f"/conversations/{group.convo_id}/participants/{ben.user.user_id}", {"role": "admin"})
    left = await ana.group([ben.user.user_id], name="A group to leave")
    await ben.request("DELETE", f"/conversations/{left.convo_id}/participants/{ben.user.user_id}")


async def change_threads(rooms: Rooms) -> None:
    ana, ben = rooms.ana, rooms.ben
    offer = {"type": "offer", "payload": {"amount": 100, "currency": "EUR"}}
    card = await ben.request("POST", f"{rooms.deal.path}/cards", offer)
    await ana.request(
        "POST",
        f"{rooms.deal.path}/cards/{card['messageId']}/transitions",
        {"to": "accepted", "version": card["version"]},
    )
    await ana.request("PUT", f"{rooms.deal.path}/tabs/brief", {"content": {"text": "Chairs"}, "sourceVersion": 1})
    await ana.request("POST", "/threads", {"kind": "project", "sellerUserId": ben.user.user_id})
    await ana.request("PATCH", rooms.deal.path, {"status": "locked"})


async def change_workspaces(rooms: Rooms) -> None:
    ana, ben = rooms.ana, rooms.ben
    at = f"/workspaces/{rooms.workspace_id}"
    await ana.request("PATCH", at, {"name": "Plans"})
    chairs = await ana.request("POST", f"{at}/items", {"title": "Chairs"})
    await ana.request("PATCH", f"{at}/items/{chairs['itemId']}", {"title": "Eight chairs", "version": 1})
    tables = await ana.request("POST", f"{at}/items", {"title": "Tables"})
    await ana.request("DELETE", f"{at}/items/{tables['itemId']}")
    await ana.request("PUT", f"{at}/settings/colour", {"value": "red"})
    await ana.request("PATCH", f"{at}/members/{ben.user.user_id}", {"role": "admin"})
    other = await ben.request("POST", "/workspaces", {"name": "Ben's"})
    gone = await ben.request("POST", "/workspaces", {"name": "To go"})
    await ben.request("DELETE", f"/workspaces/{gone['workspaceId']}")
    await ben.request("PATCH", f"/workspaces/{other['workspaceId']}", {"name": "Ben's own"})


async def fill_inboxes(rooms: Rooms) -> None:
    ben = rooms.ben
    await rooms.publish("For Ben", kind="users", userIds=[ben.user.user_id])
    await rooms.publish("For Ben, read", kind="users", userIds=[ben.user.user_id])
    await rooms.publish("For Ben, archived", kind="users", userIds=[ben.user.user_id])
    await rooms.publish("For everyone", kind="everyone")
    await rooms.publish("For Ben, recalled", kind="users", userIds=[ben.user.user_id])
    await rooms.publish("For everyone, recalled", kind="everyone")
    listed = {
        each["title"]: each["messageId"] for each in (await ben.request("GET", f"{rooms.inbox}/messages"))["items"]
    }
    await ben.request("PUT", f"{rooms.inbox}/messages/{listed['For Ben, read']}/read")
    await ben.request("PUT", f"{rooms.inbox}/messages/{listed['For Ben, archived']}/archive")
    await ben.request("PUT", f"{rooms.inbox}/messages/{listed['For everyone']}/read")
    for title in ("For everyone", "For Ben, read"):
        await rooms.key.request("PATCH", f"{rooms.inbox}/messages/{listed[title]}", body={"body": "Corrected"})
    for title in ("For everyone, recalled", "For Ben, recalled"):
        await rooms.key.request("DELETE", f"{rooms.inbox}/messages/{listed[title]}")


CHAPTERS = [
    talk_everywhere,
    change_servers,
    change_conversations,
    change_threads,
    change_workspaces,
    fill_inboxes,
]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.__name__)
async def test_applied_events_equal_a_fresh_snapshot(rooms: Rooms, chapter: Callable[[Rooms], Awaitable[None]]) -> None:
    async with rooms.ben.gateway() as live:
        ben = await watched(rooms.ben, live, rooms)

        await chapter(rooms)

        await ben.assert_nothing_is_missing()


@pytest.mark.parametrize("chapter", [talk_everywhere, change_servers], ids=lambda chapter: chapter.__name__)
@pytest.mark.parametrize("is_watched", [True, False])
async def test_applied_events_equal_a_fresh_snapshot_in_a_crowded_server(
    crowded_rooms: Rooms, chapter: Callable[[Rooms], Awaitable[None]], is_watched: bool
) -> None:
    async with crowded_rooms.ben.gateway() as live:
        if is_watched:
            await live.watch(crowded_rooms.general)
        ben = await watched(crowded_rooms.ben, live, crowded_rooms)

        await chapter(crowded_rooms)

        await ben.assert_nothing_is_missing()


async def test_applied_events_equal_a_fresh_snapshot_over_a_flaky_connection(
    server: Server, rooms: Rooms, fresh: str
) -> None:
    await over_a_flaky_connection(server, rooms, fresh)


async def test_applied_events_equal_a_fresh_snapshot_over_a_flaky_connection_to_a_crowded_server(
    crowded_server: Server, crowded_rooms: Rooms, fresh: str
) -> None:
    await over_a_flaky_connection(crowded_server, crowded_rooms, fresh)


async def over_a_flaky_connection(server: Server, rooms: Rooms, fresh: str) -> None:
    async with TcpProxy(server.url) as relay, Client(relay.url, pace=AT_ONCE) as client:
        await client.login(f"ben{fresh}@example.com", PASSWORD)
        async with client.gateway() as live:
            await live.watch(rooms.general)
            ben = await watched(client, live, rooms)

            for chapter in CHAPTERS:
                relay.cut()
                await chapter(rooms)
                relay.cut()

            await ben.assert_nothing_is_missing()
