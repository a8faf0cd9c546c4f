"""Who receives events: the members of a room, at once, and no other users."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.rooms.sending import Draft


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def test_members_receive_a_message_on_every_socket_and_others_do_not(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with (
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
        served.connect(shared.bea) as bea_again,
        served.connect(shared.dora) as dora,
    ):
        for connection in (ana, bea, bea_again, dora):
            await connection.identify()
        await served.send(shared.carl, shared.channel_id, "dinner is ready")

        events = [await connection.event("message.created") for connection in (ana, bea, bea_again)]

        assert events[0] == events[1] == events[2]  # the very same, with the same place
        assert await dora.is_quiet("message.created")


async def test_writes_of_another_process_are_delivered(served: ServedApp, shared: SharedChannel, store: str) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        async with Sobremesa.open(store, background=False) as beside:
            await beside.communities.send(shared.ana.actor, shared.channel_id, Draft("from beside"))
        assert (await bea.wait_for("message.created"))["content"] == "from beside"


async def test_removed_member_receives_no_more_events(served: ServedApp, shared: SharedChannel) -> None:
    for _ in range(2):
        async with served.connect(shared.bea) as bea, served.connect(shared.ana) as ana, talking(served, shared):
            await bea.identify()
            await ana.identify()
            await bea.event("message.created")
            status, _ = await ana.call(
                "communities.removeMember", serverId=shared.server_id, userId=shared.bea.user.user_id
            )
            after = {await served.send(shared.carl, shared.channel_id, "bea is gone") for _ in range(3)}

            received: set[str] = set()
            while (frame := await bea.event("member.left", "message.created"))["t"] != "member.left":
                received.add(frame["d"]["messageId"])
            assert status == 204
            assert received
            assert not after & received
            assert await bea.is_quiet("message.created")
        invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
        await served.app.communities.invites.redeem(shared.bea.actor, invite.code)


@asynccontextmanager
async def talking(served: ServedApp, shared: SharedChannel) -> AsyncIterator[None]:
    """Four users who send messages until the end of the block."""
    stop = asyncio.Event()

    async def send() -> None:
        while not stop.is_set():
            await served.send(shared.carl, shared.channel_id, "on and on")

    senders = [asyncio.create_task(send()) for _ in range(4)]
    yield
    stop.set()
    await asyncio.gather(*senders)


async def test_removed_member_who_rejoins_receives_events_again(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        for number in range(10):
            await served.app.communities.members.remove(shared.ana.actor, shared.server_id, shared.bea.user.user_id)
            invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
            await served.app.communities.invites.redeem(shared.bea.actor, invite.code)
            await served.send(shared.ana, shared.channel_id, f"{number}")
            assert (await bea.wait_for("message.created"))["content"] == f"{number}"


async def test_server_deleted_is_delivered_once_and_then_nothing(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        await served.app.communities.delete_server(shared.ana.actor, shared.server_id)
        await bea.event("server.deleted")
        for name in ("server.deleted", "channel.deleted", "member.left"):
            assert await bea.is_quiet(name), name


async def test_participants_receive_a_new_conversation(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as bea, served.connect(shared.carl) as carl:
        await bea.identify()
        await carl.identify()
        begun = await served.app.conversations.create_direct(shared.ana.actor, shared.bea.user.user_id)
        assert (await bea.wait_for("conversation.created"))["convoId"] == begun.conversation_id
        await served.app.conversations.send(shared.ana.actor, begun.conversation_id, Draft("just us"))
        assert (await bea.wait_for("message.created"))["content"] == "just us"
        assert await carl.is_quiet("conversation.created", "message.created")


async def test_typing_is_published_to_the_room_at_most_once_in_a_while(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        for _ in range(5):
            await served.app.communities.typing(shared.ana.actor, shared.channel_id)
        frame = await bea.event("typing.started")
        assert frame == {
            "op": 0,
            "t": "typing.started",
            "d": {
                "roomId": shared.channel_id,
                "roomKind": "channel",
                "userId": shared.ana.user.user_id,
                "username": "ana",
                "displayName": None,
            },
        }
        assert await bea.is_quiet("typing.started")


async def test_clearing_the_text_stops_typing_and_it_may_start_again(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        await served.app.communities.typing(shared.ana.actor, shared.channel_id)
        for _ in range(3):
            await served.app.communities.stop_typing(shared.ana.actor, shared.channel_id)
        await served.app.communities.typing(shared.ana.actor, shared.channel_id)
        events = [await bea.event("typing.started", "typing.stopped") for _ in range(3)]
    stopped = {"roomId": shared.channel_id, "roomKind": "channel", "userId": shared.ana.user.user_id}
    assert [event["t"] for event in events] == ["typing.started", "typing.stopped", "typing.started"]
    assert events[1] == {"op": 0, "t": "typing.stopped", "d": stopped}


async def test_long_polling_returns_the_same_events(served: ServedApp, shared: SharedChannel) -> None:
    after = (await served.get(shared.bea, "/events"))["next"]
    contents: dict[str, str] = {}

    async def poll(limit: int = 100) -> None:
        nonlocal after
        page = await served.get(shared.bea, "/events", after=after, wait=20, limit=limit)
        after = page["next"]
        contents.update({item["id"]: item["d"]["content"] for item in page["items"] if item["t"] == "message.created"})

    async def poll_until(count: int, limit: int) -> None:
        while len(contents) < count:
            await poll(limit)

    waiting = asyncio.create_task(poll_until(1, 100))
    await served.send(shared.ana, shared.channel_id, "one")
    await waiting
    await served.send(shared.ana, shared.channel_id, "two")
    await served.send(shared.ana, shared.channel_id, "three")
    await poll_until(3, 1)

    assert list(contents.values()) == ["one", "two", "three"]
    assert (await served.get(shared.bea, "/events", after="nonsense"))["code"] == "bad_cursor"


@pytest.mark.usefixtures("small_buffers")
async def test_slow_client_is_closed_and_can_resume_while_others_receive(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.carl) as carl, served.connect(shared.bea, max_queue=1) as slow:
        await carl.identify()
        await slow.identify()
        cursor = slow.s
        # Nobody reads from this one any more; the kernel takes something before the server feels it.
        slow.socket.transport.pause_reading()
        sent = 0
        text = "x" * 3900
        received = 0
        while served.app.live.hub.subscribers_of(shared.bea.user.user_id):
            await asyncio.gather(*(served.send(shared.ana, shared.channel_id, text) for _ in range(20)))
            sent += 20
            while received < sent:
                await carl.wait_for("message.created")
                received += 1
            assert sent < 20_000, "a slow reader is never closed"
        # How it was closed (test_slow_readers looks at that) is behind everything that it has not read.
        slow.socket.transport.abort()

    async with served.connect(shared.bea) as back:
        missed = await back.resume(slow, cursor)
    assert len({frame["id"] for frame in missed if frame["t"] == "message.created"}) == sent


async def test_metrics_count_sockets_and_events(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as ana, served.connect(shared.bea) as bea:
        await ana.identify()
        await bea.identify()
        await served.send(shared.carl, shared.channel_id, "hello")
        await ana.wait_for("message.created")
        await bea.wait_for("message.created")
        async with served.http.get(f"http://127.0.0.1:{served.metrics_port}/metrics") as answer:
            metrics = await answer.text()
    assert "sobremesa_gateway_sockets 2.0" in metrics
    # The stream may also deliver what happened just before the two connected.
    counted = re.search(r"^sobremesa_gateway_events_total (\d+)\.0$", metrics, re.MULTILINE)
    assert counted is not None
    assert int(counted[1]) >= 2


async def test_broadcast_delivers_counts_to_online_users_and_on_resume(
    served: ServedApp, shared: SharedChannel
) -> None:
    shop = Actor(key_id=KeyId("shop"), scopes=frozenset({"inbox:publish"}))
    notice = Notice(sender="shop", title="We are open", body="Come in")
    async with (
        served.connect(shared.ana) as ana,
        served.connect(shared.bea) as bea,
        served.connect(shared.carl) as before,
    ):
        for connection in (ana, bea, before):
            await connection.identify()
        await before.socket.close()
        await served.app.inboxes.publish_to_everyone(shop, DEFAULT_TENANT, InboxKey("news"), notice)
        for connection in (ana, bea):
            assert (await connection.wait_for("inbox.message"))["audience"] == "everyone"
            counts = await connection.event("inbox.counts")
            assert (counts["d"]["inbox"], counts["d"]["unread"]) == ("news", 1)
            assert counts["s"]
        async with served.connect(shared.carl) as after:
            missed = await after.resume(before)
    assert {frame["d"]["unread"] for frame in missed if frame["t"] == "inbox.counts"} == {1}
