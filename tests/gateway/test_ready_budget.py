"""What a ready costs: an ordinary user is brought up to date with few requests to the table."""

from __future__ import annotations

from typing import Any

import pytest

from communities.environment import requests
from gateway.served_app import ServedApp
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities import channel_lists
from sobremesa.domains.communities.entities import ServerId
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft

SERVERS, CHANNELS, CONVERSATIONS, THREADS, INBOXES, WORKSPACES = 5, 10, 30, 20, 3, 2
MAX_REQUESTS = 10
MAX_REQUESTS_OF_RESUME = 6
DEFAULT = Tenant("default")
SHOP = Actor(key_id=KeyId("shop"), scopes=frozenset({"inbox:admin", "inbox:publish"}), tenant=DEFAULT)


class OrdinaryUser:
    """Ana, who is in some servers, conversations, threads and workspaces, and has inboxes."""

    def __init__(self, served: ServedApp, ana: SignedIn, bea: SignedIn) -> None:
        self.served, self.app = served, served.app
        self.ana, self.bea = ana, bea
        self.servers: list[ServerId] = []
        self.channels: list[RoomId] = []
        self.groups: list[RoomId] = []

    async def create_rooms(self) -> None:
        ana, bea, app = self.ana.actor, self.bea.actor, self.app
        for _ in range(SERVERS):
            self.servers.append(await self.served.server(self.bea, self.ana))
            for number in range(CHANNELS):
                self.channels.append(await self.served.channel(self.bea, self.servers[-1], f"channel-{number}"))
        for number in range(CONVERSATIONS - 1):
            group = await app.conversations.create_group(ana, [bea.user_id], name=f"Group {number}")
            self.groups.append(group.conversation_id)
        await app.conversations.create_direct(ana, bea.user_id)
        for _ in range(THREADS):
            await app.threads.create(bea, NewThread("project", ana.user_id))
        for _ in range(WORKSPACES):
            await app.workspaces.create(ana, name="Pantry")

    async def create_inboxes(self) -> None:
        """Create inboxes with messages of several categories, of which Ana has muted one."""
        for number in range(INBOXES):
            inbox = InboxKey(f"inbox-{number}")
            await self.app.inboxes.set_inbox(SHOP, DEFAULT, inbox, title="News", description=None, ttl={})
            for category in ("deals", "orders", None):
                notice = Notice(sender="shop", title="News", body="Something new", category=category)
                await self.app.inboxes.publish_to_users(SHOP, DEFAULT, inbox, notice, [self.ana.actor.user_id])
                await self.app.inboxes.publish_to_everyone(SHOP, DEFAULT, inbox, notice)
            await self.app.inboxes.set_preference(self.ana.actor, DEFAULT, inbox, "deals", muted=True)

    async def ready(self) -> tuple[dict[str, Any], int]:
        """Return a ready of Ana, and how many requests to the table it took to read it.

        It is the smallest number of a few, since background tasks read as well.
        """
        numbers: list[int] = []
        ready: dict[str, Any] = {}
        for _ in range(3):
            with requests(self.app) as asked:
                async with self.served.connect(self.ana) as connection:
                    ready = await connection.identify()
                numbers.append(asked["get"] + asked["batch_get"] + asked["query"] + asked["scan"])
        return ready, min(numbers)


async def ordinary_user(served: ServedApp) -> OrdinaryUser:
    user = OrdinaryUser(served, await served.create_user("ana"), await served.create_user("bea"))
    await user.create_rooms()
    await user.create_inboxes()
    await user.ready()  # the first one settles the inboxes
    return user


async def test_ready_of_an_ordinary_user_takes_few_requests(served: ServedApp) -> None:
    user = await ordinary_user(served)

    ready, reads = await user.ready()

    sizes = [len(ready[name]) for name in ("servers", "conversations", "threads", "inboxes", "workspaces")]
    assert sizes == [SERVERS, CONVERSATIONS, THREADS, INBOXES, WORKSPACES]
    assert [len(server["channels"]) for server in ready["servers"]] == [CHANNELS] * SERVERS
    assert reads <= MAX_REQUESTS
    for name in ("conversations", "threads", "workspaces"):
        assert ready[name] == (await served.get(user.ana, f"/{name}"))["items"]
    for inbox in ready["inboxes"]:
        counts = await served.get(user.ana, f"/tenants/default/inboxes/{inbox['inbox']}/counts")
        assert counts.items() <= inbox.items()
        assert (inbox["total"], inbox["unread"]) == (6, 4)


async def test_resume_takes_fewer_requests_than_a_ready(served: ServedApp) -> None:
    user = await ordinary_user(served)
    numbers: list[int] = []
    for _ in range(3):
        async with served.connect(user.ana) as before:
            await before.identify()
        with requests(user.app) as asked:
            async with served.connect(user.ana) as after:
                await after.resume(before)
        numbers.append(asked["get"] + asked["batch_get"] + asked["query"] + asked["scan"])

    assert min(numbers) <= MAX_REQUESTS_OF_RESUME


async def test_each_room_with_unread_messages_costs_one_request_more(served: ServedApp) -> None:
    user = await ordinary_user(served)
    bea = user.bea.actor
    for room_id in user.channels[:3]:
        await user.app.communities.send(bea, room_id, Draft("hello"))
    for room_id in user.groups[:2]:
        await user.app.conversations.send(bea, room_id, Draft("hello"))

    ready, reads = await user.ready()

    channels = [channel for server in ready["servers"] for channel in server["channels"]]
    assert sum(channel["unread"]["count"] for channel in channels) == 3
    assert sum(each["unread"]["count"] for each in ready["conversations"]) == 2
    assert reads <= MAX_REQUESTS + 5


async def test_server_whose_channels_are_not_cached_costs_one_request_more(
    served: ServedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel_lists, "LONGEST_SECONDS", -1.0)
    user = await ordinary_user(served)

    _, reads = await user.ready()

    assert MAX_REQUESTS < reads <= MAX_REQUESTS + SERVERS


async def test_ready_has_the_current_channels(served: ServedApp) -> None:
    """Also where the list is cached: every change of a channel changes its version."""
    user = await ordinary_user(served)
    communities, bea = user.app.communities, user.bea.actor

    async def names() -> list[str]:
        ready, _ = await user.ready()
        [server] = [each for each in ready["servers"] if each["serverId"] == user.servers[0]]
        return sorted(channel["name"] for channel in server["channels"])

    before = await names()
    created = await communities.create_channel(bea, user.servers[0], name="zebra")
    assert await names() == [*before, "zebra"]
    await communities.change_channel(bea, created.channel.channel_id, {"name": "zoo"})
    assert await names() == [*before, "zoo"]
    await communities.delete_channel(bea, created.channel.channel_id)
    assert await names() == before
    await communities.create_channel(bea, user.servers[0], name="zone", access=None)
    await communities.privacy.change(bea, user.channels[0], AccessList([], []))
    assert await names() == [*before[1:], "zone"]
