"""The client at a real gateway: connected clients receive events, and others receive them when they resume."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from api.calling import PASSWORD
from api.running import Server, serving
from client.scripted import WITHIN_SECONDS
from client.tcp_proxy import TcpProxy
from client.timing import ManualTime
from sobremesa.client import ApiError, Channel, Client, Event, Message, Pace, SignedOut
from sobremesa.client.state import CHANGES
from sobremesa.client.tokens import RENEW_BEFORE_SECONDS
from sobremesa.glue.event_catalog import EVENTS

AT_ONCE = Pace(chance=lambda: 0.01)
TOKEN_SECONDS = 600


async def until(events: AsyncIterator[Event], is_it: Callable[[Event], bool]) -> list[Event]:
    """Return the events up to a matching one."""
    received: list[Event] = []
    async with asyncio.timeout(WITHIN_SECONDS):
        async for event in events:
            received.append(event)
            if is_it(event):
                break
    return received


def has_content(content: str) -> Callable[[Event], bool]:
    return lambda event: event.t == "message.created" and event.d["content"] == content


async def create_shared_channel(ana: Client, ben: Client, fresh: str) -> Channel:
    """Return a channel that both are in."""
    await ana.register(f"ana{fresh}@example.com", f"ana{fresh}", PASSWORD)
    await ben.register(f"ben{fresh}@example.com", f"ben{fresh}", PASSWORD)
    server = await ana.create_server("The long table")
    await ben.join((await ana.invite(server.server_id)).code)
    return await ana.create_channel(server.server_id, "general")


def test_state_has_a_rule_for_every_event() -> None:
    names = {kind.name for kind in EVENTS} - {"ready", "resumed", "renewed", "gap"}
    assert names - CHANGES.keys() == set()
    assert CHANGES.keys() - names <= {"presence.updated"}


async def test_messages_sent_over_http_and_gateway_are_received(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        room = (await create_shared_channel(ana, ben, fresh)).room
        async with ben.gateway() as live, ana.gateway() as speaking:
            over_http = await ana.send(room, "over HTTP")
            over_gateway = await speaking.send(room, f"over the gateway, @ben{fresh}", reply_to=over_http.message_id)
            await ana.edit(over_http, "over HTTP, edited")
            received = await until(live.events(), lambda event: event.t == "message.updated")

    assert received[0].t == "ready"
    messages = [event.message() for event in received if event.t.startswith("message.")]
    assert [message.content for message in messages] == [
        "over HTTP",
        f"over the gateway, @ben{fresh}",
        "over HTTP, edited",
    ]
    assert (messages[1].message_id, messages[1].reply_to) == (over_gateway.message_id, over_http.message_id)
    assert messages[1].mentions == [ben.user.user_id]


async def test_messages_of_the_user_have_their_nonce(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        room = (await create_shared_channel(ana, ben, fresh)).room
        async with ana.gateway() as own, ben.gateway() as other:
            await ana.send(room, "from another device", nonce="one")
            await own.send(room, "the last", nonce="two")
            received = [await until(live.events(), has_content("the last")) for live in (own, other)]

    nonces = [[event.message().nonce for event in events if event.t == "message.created"] for events in received]
    assert nonces == [["one", "two"], [None, None]]


async def test_call_returns_the_same_as_http(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        channel = await create_shared_channel(ana, ben, fresh)
        async with ben.gateway() as live:
            me = await live.call("accounts.getMe")
            params = {"roomId": channel.channel_id, "content": "By name", "nonce": "n"}
            sent = await live.call("channels.sendMessage", params)
            again = await live.call("channels.sendMessage", params)
            listed = await live.call(f"GET /v1/channels/{channel.channel_id}/messages", {"limit": 1})
            with pytest.raises(ApiError) as refused:
                await live.call(f"DELETE /v1/servers/{channel.server_id}")

    assert me["userId"] == ben.user.user_id
    assert (again["messageId"], again["replayed"]) == (sent["messageId"], True)
    assert [item["messageId"] for item in listed["items"]] == [sent["messageId"]]
    assert (refused.value.status, refused.value.code) == (403, "forbidden")


async def test_cut_connection_misses_nothing_and_repeats_nothing(server: Server, fresh: str) -> None:
    async with TcpProxy(server.url) as relay, Client(server.url) as ana, Client(relay.url, pace=AT_ONCE) as ben:
        room = (await create_shared_channel(ana, ben, fresh)).room
        async with ben.gateway() as live:
            events = live.events()
            for number in range(5):
                await ana.send(room, f"line {number}")
                relay.cut()
            await ana.send(room, "the end")
            received = await until(events, has_content("the end"))

    contents = [event.d["content"] for event in received if event.t == "message.created"]
    assert contents == [*(f"line {number}" for number in range(5)), "the end"]


async def test_send_over_a_cut_connection_creates_one_message(server: Server, fresh: str) -> None:
    async with TcpProxy(server.url) as relay, Client(server.url) as ana, Client(relay.url, pace=AT_ONCE) as ben:
        room = (await create_shared_channel(ana, ben, fresh)).room
        async with ben.gateway() as live:
            for number in range(5):
                sending = asyncio.create_task(live.send(room, f"line {number}"))
                await asyncio.sleep(0)
                relay.cut()
                await asyncio.wait_for(sending, WITHIN_SECONDS)
        contents = [message.content async for message in ana.messages(room)]

    assert contents == [f"line {number}" for number in reversed(range(5))]


@pytest.mark.parametrize("politely", [True, False], ids=["stopped", "killed"])
async def test_restarted_server_replays_missed_events(tmp_path: Path, fresh: str, politely: bool) -> None:
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    with serving(store, tmp_path / "first.log") as first:
        async with (
            TcpProxy(first.url) as relay,
            Client(relay.url, pace=AT_ONCE) as ana,
            Client(relay.url, pace=AT_ONCE) as ben,
        ):
            room = (await create_shared_channel(ana, ben, fresh)).room
            async with ben.gateway() as live:
                events = live.events()
                await ana.send(room, "before")
                before = await until(events, has_content("before"))

                await asyncio.to_thread(first.stop if politely else first.kill)
                with serving(store, tmp_path / "second.log") as second:
                    async with Client(second.url, refresh_token=ana.refresh_token) as elsewhere:
                        missed = await elsewhere.send(room, "while no client was connected")
                    relay.behind = second.url
                    after = await until(events, lambda event: event.t == "resumed")
                    later = await live.send(room, "and on")
                    after += await until(events, has_content("and on"))

    assert [event.t for event in before].count("ready") == 1
    assert [event.t for event in after].count("ready") == 0
    ids = [event.d["messageId"] for event in after if event.t == "message.created"]
    assert ids == [missed.message_id, later.message_id]


async def test_a_token_is_renewed_on_the_open_socket(server: Server, fresh: str) -> None:
    manual_time = ManualTime()
    async with Client(server.url, pace=manual_time.pace) as ana:
        await ana.register(f"{fresh}@example.com", fresh, PASSWORD)
        async with ana.gateway() as live:
            first = ana.refresh_token
            await manual_time.wake(TOKEN_SECONDS - RENEW_BEFORE_SECONDS)
            await manual_time.sleeping(TOKEN_SECONDS - RENEW_BEFORE_SECONDS)

            assert ana.refresh_token != first
            assert (await live.call("accounts.getMe"))["username"] == fresh


async def test_session_ended_elsewhere_ends_the_events(server: Server, fresh: str) -> None:
    async with Client(server.url, pace=AT_ONCE) as ana, Client(server.url) as elsewhere:
        await ana.register(f"{fresh}@example.com", fresh, PASSWORD)
        await elsewhere.login(f"{fresh}@example.com", PASSWORD)
        sessions = (await elsewhere.request("GET", "/users/me/sessions"))["items"]
        other = next(session["sessionId"] for session in sessions if not session["current"])
        async with ana.gateway() as live:
            await elsewhere.request("DELETE", f"/users/me/sessions/{other}")
            with pytest.raises(SignedOut):
                await until(live.events(), lambda event: False)


async def test_typing_is_received_by_others(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        channel = await create_shared_channel(ana, ben, fresh)
        async with ben.gateway() as live:
            await ana.typing(channel.room)
            received = await until(live.events(), lambda event: event.t == "typing.started")

    typing = received[-1]
    assert (typing.s, typing.id) == (None, None)
    assert (typing.d["roomId"], typing.d["userId"]) == (channel.channel_id, ana.user.user_id)


async def test_messages_are_typed(server: Server, fresh: str) -> None:
    async with Client(server.url) as ana, Client(server.url) as ben:
        await create_shared_channel(ana, ben, fresh)
        convo = await ana.direct(ben.user.user_id)
        async with ben.gateway() as live:
            sent = await ana.send(convo.room, "Just you")
            async with asyncio.timeout(WITHIN_SECONDS):
                message: Message = await anext(live.messages())
            assert (message.message_id, message.room) == (sent.message_id, convo.room)
            assert await ben.is_direct(message.room)
