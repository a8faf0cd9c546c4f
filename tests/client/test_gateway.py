"""The client's side of the gateway: connections, sessions, tokens and servers that come and go."""

from __future__ import annotations

import asyncio

import pytest

from client.scripted import INTERVAL_SECONDS, LIFETIME_SECONDS, WITHIN_SECONDS, Scripted, take
from client.timing import Hurried, ManualTime
from sobremesa.client import Client, Event, GatewayRefused, SignedOut
from sobremesa.client.frames import MAX_SEEN_IDS, SessionCursor
from sobremesa.client.pace import LONGEST_ASKED_SECONDS
from sobremesa.client.tokens import RENEW_BEFORE_SECONDS

MESSAGE = {
    "messageId": "m1",
    "roomId": "c1",
    "roomKind": "channel",
    "type": "text",
    "authorId": "u2",
    "username": "ben",
    "content": "Hello",
    "createdAt": "2026-11-16T09:30:00.000Z",
    "somethingNew": True,
}


async def test_first_event_is_the_snapshot() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        await peer.sends(t="message.created", s="2", id="e2", d=MESSAGE)
        await peer.sends(t="typing.started", d={"userId": "u2"})

        ready, created, typing = await take(live.events(), 3)

        assert (ready.t, ready.d["sessionId"]) == ("ready", "session")
        assert (created.message().content, created.message().room) == ("Hello", ("channel", "c1"))
        assert (typing.t, typing.s, typing.id) == ("typing.started", None, None)
        with pytest.raises(ValueError, match=r"typing\.started"):
            typing.message()


async def test_lost_connection_is_resumed_and_repeats_are_dropped() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        await peer.sends(t="message.created", s="2", id="e2", d=MESSAGE)
        events = live.events()
        await take(events, 2)

        peer.cut()
        again = await script.accepts()
        resumed = await again.receives(6)
        await again.sends(t="message.created", s="2", id="e2", d=MESSAGE)
        await again.sends(t="message.updated", s="3", id="e3", d=MESSAGE)
        await again.sends(t="resumed", s="3", d={})

        assert resumed == {"token": "t", "sessionId": "session", "s": "2"}
        assert [event.t for event in await take(events, 2)] == ["message.updated", "resumed"]


async def test_cursor_advances_with_every_durable_event() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        await peer.sends(t="message.created", s="7", id="e7", d=MESSAGE)
        await peer.sends(t="presence.updated", d={"userId": "u2", "status": "online"})
        await take(live.events(), 3)

        await peer.close(4015)

        assert (await (await script.accepts()).receives(6))["s"] == "7"


async def test_heartbeats_are_sent_at_the_interval_and_first_after_a_part_of_it() -> None:
    manual_time = ManualTime(chance=0.25)
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=manual_time.pace) as client,
        script.live(client) as (live, peer),
    ):
        await manual_time.wake(INTERVAL_SECONDS * 0.25)
        assert await peer.receives(1) == {"s": "1"}
        await peer.sends(11)
        await peer.sends(t="message.created", s="2", id="e2", d=MESSAGE)
        await take(live.events(), 2)
        await manual_time.wake(INTERVAL_SECONDS)
        assert await peer.receives(1) == {"s": "2"}


async def test_connection_without_a_heartbeat_ack_is_closed() -> None:
    manual_time = ManualTime(chance=1.0)
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=manual_time.pace) as client,
        script.live(client) as (_, peer),
    ):
        await manual_time.wake(INTERVAL_SECONDS)
        await peer.receives(1)
        await manual_time.wake(INTERVAL_SECONDS)
        await manual_time.wake(1.0)

        assert (await (await script.accepts()).receives(6))["sessionId"] == "session"
        assert await asyncio.wait_for(peer.closed, WITHIN_SECONDS) == 1006


@pytest.mark.parametrize("going", ["op 7", 1012, 1001, 4000, 4009])
async def test_client_reconnects_and_resumes_on_request(going: str | int) -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (_, peer),
    ):
        if isinstance(going, int):
            await peer.close(going)
        else:
            await peer.sends(7)

        assert (await (await script.accepts()).receives(6))["sessionId"] == "session"


async def test_client_reconnects_at_the_time_that_the_server_names() -> None:
    manual_time = ManualTime(chance=0.5)
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=manual_time.pace) as client,
        script.live(client) as (_, peer),
    ):
        await peer.sends(7, d={"retryAfter": 12.5, "spread": 4})
        await manual_time.wake(14.5)

        assert (await (await script.accepts()).receives(6))["sessionId"] == "session"


@pytest.mark.parametrize(("asked", "seconds"), [(1e9, LONGEST_ASKED_SECONDS), (-5, 0.0)])
async def test_server_cannot_make_a_client_wait_forever(asked: float, seconds: float) -> None:
    assert ManualTime().pace.asked(asked, 0) == seconds


async def test_refused_handshake_is_repeated_after_the_time_of_the_server() -> None:
    manual_time = ManualTime(chance=1.0)
    async with Scripted() as script, Client(script.url, token="t", pace=manual_time.pace) as client:
        script.refuse, script.retry_after = [429], "8"
        live = client.gateway()
        entering = asyncio.create_task(live.__aenter__())
        await manual_time.wake(10.0)
        peer = await script.accepts()
        await peer.receives(2)
        await peer.sends_ready()
        await asyncio.wait_for(entering, WITHIN_SECONDS)
        await live.__aexit__(None, None, None)


async def test_invalid_session_is_replaced_on_the_same_socket() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        peer.cut()
        again = await script.accepts()
        await again.receives(6)
        await again.sends(9, d=False)
        assert await again.receives(2) == {"token": "t"}
        await again.sends_ready("another", s="50")
        again.cut()

        assert (await (await script.accepts()).receives(6))["sessionId"] == "another"
        assert [event.t for event in await take(live.events(), 2)] == ["ready", "ready"]


async def test_refused_token_is_refreshed_and_the_session_resumed() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", refresh_token="r", pace=Hurried().pace) as client,
        script.live(client) as (_, peer),
    ):
        await peer.close(4004)

        assert await (await script.accepts()).receives(6) == {"token": "token 1", "sessionId": "session", "s": "1"}
        assert script.refreshed == 1


async def test_refused_token_without_refresh_ends_the_events() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        events = live.events()
        await take(events, 1)
        await peer.close(4004)

        with pytest.raises(SignedOut):
            await take(events, 1)
        with pytest.raises(SignedOut):
            await take(live.events(), 1)
        with pytest.raises(SignedOut):
            await live.call("accounts.getMe")


async def test_client_gives_up_when_every_token_is_refused() -> None:
    async with Scripted() as script, Client(script.url, refresh_token="r", pace=Hurried().pace) as client:
        entering = asyncio.create_task(client.gateway().__aenter__())
        for _ in range(3):
            peer = await script.accepts()
            await peer.receives(2)
            await peer.close(4004)

        with pytest.raises(SignedOut):
            await entering
        assert script.refreshed == 3


async def test_token_is_renewed_on_the_open_socket_before_it_expires() -> None:
    manual_time = ManualTime()
    async with (
        Scripted(interval_seconds=3600) as script,
        Client(script.url, refresh_token="r", pace=manual_time.pace) as client,
        script.live(client) as (live, peer),
    ):
        for number in (2, 3):
            await manual_time.wake(LIFETIME_SECONDS - RENEW_BEFORE_SECONDS)
            assert await peer.receives(2) == {"token": f"token {number}"}
            await peer.sends(t="renewed", d={"expiresAt": "2026-11-16T09:30:00.000Z"})
        await peer.sends(t="message.created", s="2", id="e2", d=MESSAGE)

        assert [event.t for event in await take(live.events(), 2)] == ["ready", "message.created"]


async def test_a_session_that_ended_elsewhere_ends_the_events() -> None:
    manual_time = ManualTime()
    async with (
        Scripted() as script,
        Client(script.url, refresh_token="r", pace=manual_time.pace) as client,
        script.live(client) as (live, _),
    ):
        script.sessions_end = True
        await manual_time.wake(LIFETIME_SECONDS - RENEW_BEFORE_SECONDS)

        events = live.events()
        await take(events, 1)
        with pytest.raises(SignedOut) as ended:
            await take(events, 1)
        assert ended.value.code == "session_ended"


async def test_waits_between_attempts_double_and_reset_after_a_success() -> None:
    hurried = Hurried(chance=1.0)
    async with Scripted() as script, Client(script.url, token="t", pace=hurried.pace) as client:
        script.refuse = [503, 403, 502, 429]
        async with script.live(client) as (_, peer):
            peer.cut()
            again = await script.accepts()
            await again.receives(6)
            again.cut()
            await (await script.accepts()).receives(6)

    assert [wait for wait in hurried.slept if wait != INTERVAL_SECONDS] == [1, 2, 4, 8, 1, 2]


def test_no_wait_is_longer_than_half_a_minute() -> None:
    assert [ManualTime(chance=1.0).pace.backoff(attempt) for attempt in (4, 5, 500)] == [16, 30, 30]


async def test_waits_are_random() -> None:
    hurried = Hurried(chance=0.3)
    async with Scripted() as script, Client(script.url, token="t", pace=hurried.pace) as client:
        script.refuse = [502, 429]
        async with script.live(client):
            assert hurried.slept[:2] == [0.3, 0.6]


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_permanently_refused_handshake_is_not_retried(status: int) -> None:
    hurried = Hurried()
    async with Scripted() as script, Client(script.url, token="t", pace=hurried.pace) as client:
        script.refuse = [status]
        with pytest.raises(GatewayRefused):
            async with client.gateway():
                raise AssertionError("never")
    assert hurried.slept == []


@pytest.mark.parametrize(
    "unreadable",
    [
        '{"op":0,"t":"message.created","s":"2","id":"e2","d":}',
        '{"op":0,"t":"message.created","s":"2","id":"e2","d":[]}',
        '{"op":13,"id":"1","d":{}}',
        "hello",
    ],
)
async def test_malformed_frame_leads_to_a_new_snapshot(unreadable: str) -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        await peer.sends_raw(unreadable)
        again = await script.accepts()
        await again.receives(2)
        await again.sends_ready("another", s="3")

        assert [event.d["sessionId"] for event in await take(live.events(), 2)] == ["session", "another"]


async def test_client_without_a_session_raises_signed_out() -> None:
    async with Scripted() as script, Client(script.url) as client:
        with pytest.raises(SignedOut):
            async with client.gateway():
                raise AssertionError("never")


async def test_trimmed_events_lead_to_a_gap_and_a_new_snapshot() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client) as (live, peer),
    ):
        peer.cut()
        again = await script.accepts()
        await again.receives(6)
        rooms = [{"roomKind": "channel", "roomId": "c1", "after": "m1", "until": "m9"}]
        await again.sends(t="gap", d={"since": "2026-11-16T09:30:00.000Z", "rooms": rooms})
        await again.sends_ready("another", s="90")

        _, gap, ready = await take(live.events(), 3)

        assert (gap.t, gap.d["rooms"]) == ("gap", rooms)
        assert (ready.t, ready.d["sessionId"]) == ("ready", "another")


async def test_slow_application_loses_nothing() -> None:
    async with (
        Scripted() as script,
        Client(script.url, token="t", pace=Hurried().pace) as client,
        script.live(client, max_waiting_events=3) as (live, peer),
    ):
        for number in range(2, 6):
            await peer.sends(t="message.created", s=str(number), id=f"e{number}", d=MESSAGE)
        await asyncio.wait_for(peer.closed, WITHIN_SECONDS)
        events = live.events()
        before = await take(events, 3)
        again = await script.accepts()
        resumed = await again.receives(6)
        for number in range(4, 6):
            await again.sends(t="message.created", s=str(number), id=f"e{number}", d=MESSAGE)
        after = await take(events, 2)

        assert resumed["s"] == "3"
        assert [event.s for event in before + after] == ["1", "2", "3", "4", "5"]


async def test_leaving_closes_the_socket_and_ends_the_events() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client:
        async with script.live(client) as (live, peer):
            events = live.events()
            await take(events, 1)
        assert await asyncio.wait_for(peer.closed, WITHIN_SECONDS) == 1000
        assert [event async for event in events] == []


async def test_unknown_frames_are_ignored() -> None:
    async with Scripted() as script, Client(script.url, token="t") as client, script.live(client) as (live, peer):
        await peer.sends(99, d={"what": "ever"})
        await peer.sends(t="something.new", s="2", id="e2", d={"what": "ever"})

        assert [event.t for event in await take(live.events(), 2)] == ["ready", "something.new"]


def test_repeats_are_recognized_among_the_last_ten_thousand() -> None:
    place = SessionCursor()
    events = [Event("typing.started", {}, str(number), f"e{number}") for number in range(MAX_SEEN_IDS + 1)]
    for event in events:
        place.advance(event)

    assert not place.has_seen(events[0])
    assert all(place.has_seen(event) for event in events[1:])
