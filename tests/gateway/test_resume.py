"""After a disconnect a client receives what it missed, once and in order, or a gap that names what to fetch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.conftest import SharedChannel, shared_channel
from gateway.connection import Connection
from gateway.served_app import ServedApp, serve_app
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId
from sobremesa.core.clock import SetClock
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.live import log_feed, recent_events
from sobremesa.live.event_cursors import EventCursors


def contents(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["d"]["content"] for frame in frames if frame["t"] == "message.created"]


async def test_missed_events_are_replayed_once_and_in_order(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as before:
        await before.identify()
        await served.send(shared.ana, shared.channel_id, "received")
        await before.wait_for("message.created")
    for number in range(300):
        await served.send(shared.ana, shared.channel_id, f"{number}")

    async with served.connect(shared.bea) as after:
        missed = await after.resume(before)
        await served.send(shared.ana, shared.channel_id, "live again")
        live = await after.wait_for("message.created")

    assert contents(missed) == [f"{number}" for number in range(300)]
    assert len({frame["id"] for frame in missed}) == 300
    assert live["content"] == "live again"


async def test_a_cursor_in_the_middle_of_a_transaction_loses_none_of_it(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.dora) as before:
        await before.identify()
        invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
        await served.app.communities.invites.redeem(shared.dora.actor, invite.code)
        first = await before.event("server.created")
        second = await before.event("member.joined")

    async with served.connect(shared.dora) as after:
        assert await after.resume(before, first["s"]) == [second]
    async with served.connect(shared.dora) as after:
        assert await after.resume(before, second["s"]) == []


async def test_resume_works_after_a_server_restart(store: str) -> None:
    async with serve_app(store) as served:
        shared = await shared_channel(served)
        async with served.connect(shared.bea) as before:
            await before.identify()
            await served.send(shared.ana, shared.channel_id, "received")
            await before.wait_for("message.created")
        await served.send(shared.ana, shared.channel_id, "missed")

    async with serve_app(store) as served:
        await served.send(shared.ana, shared.channel_id, "missed, too")
        async with served.connect(shared.bea) as after:
            assert contents(await after.resume(before)) == ["missed", "missed, too"]


@pytest.mark.parametrize("page", [1, 128])
async def test_a_cursor_in_the_middle_of_a_transaction_loses_none_of_it_after_a_restart(
    store: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", page)
    async with serve_app(store) as served:
        shared = await shared_channel(served)
        async with served.connect(shared.dora) as before:
            await before.identify()
            invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
            await served.app.communities.invites.redeem(shared.dora.actor, invite.code)
            first = await before.event("server.created")
            second = await before.event("member.joined")
    async with serve_app(store) as served, served.connect(shared.dora) as after:
        assert await after.resume(before, first["s"]) == [second]


async def test_events_older_than_memory_come_from_the_log(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_events, "MAX_ENTRIES", 100)
    async with served.connect(shared.bea) as before, served.connect(shared.ana) as other:
        await before.identify()
        await other.identify()
        total, senders = 600, 20

        async def send(sender: int) -> None:
            for number in range(total // senders + 1):
                await served.send(shared.ana, shared.channel_id, f"{sender} {number}")

        async def listen() -> int:
            received = 0
            while received < (total // senders + 1) * senders:
                await other.wait_for("message.created")
                received += 1
            return received

        listening = asyncio.create_task(listen())
        s = before.s
        await asyncio.gather(*map(send, range(senders)))
        count = await listening

    async with served.connect(shared.bea) as after:
        missed = contents(await after.resume(before, s))
    assert len(missed) == len(set(missed)) == count
    for sender in range(senders):
        own = [int(sent.split()[1]) for sent in missed if sent.startswith(f"{sender} ")]
        assert own == sorted(own)


async def test_session_of_another_user_or_unknown_session_is_invalid(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as before:
        await before.identify()
    for session_id, s in [(before.session_id, before.s), ("made up", before.s)]:
        async with served.connect(shared.bea) as connection:
            await connection.frame()
            await connection.send(6, {"token": shared.bea.access_token, "sessionId": session_id, "s": s})
            assert await connection.frame() == {"op": 9, "d": False}
            await connection.send(2, {"token": shared.bea.access_token})  # the same socket serves to begin anew
            assert (await connection.frame())["t"] == "ready"


async def test_malformed_cursor_is_an_invalid_session(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as before:
        await before.identify()
    for s in ("", "x", "1.2", before.s + "0" * 200, before.s.replace(".", "-"), "a.b.c.d"):
        async with served.connect(shared.ana) as connection:
            await connection.frame()
            await connection.send(6, {"token": shared.ana.access_token, "sessionId": before.session_id, "s": s})
            assert await connection.frame() == {"op": 9, "d": False}


async def test_member_removed_meanwhile_receives_the_removal_and_nothing_after(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.bea) as before:
        await before.identify()
    await served.app.communities.members.remove(shared.ana.actor, shared.server_id, shared.bea.user.user_id)
    await served.send(shared.ana, shared.channel_id, "without bea")

    async with served.connect(shared.bea) as after:
        missed = await after.resume(before)
        assert [frame["t"] for frame in missed] == ["member.left"]
        await served.send(shared.ana, shared.channel_id, "still without bea")
        assert await after.is_quiet()


async def test_member_who_joined_meanwhile_receives_messages_since_then(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.dora) as before:
        await before.identify()
    invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
    await served.app.communities.invites.redeem(shared.dora.actor, invite.code)
    await served.send(shared.ana, shared.channel_id, "welcome")

    async with served.connect(shared.dora) as after:
        missed = await after.resume(before)
        assert [frame["t"] for frame in missed] == ["server.created", "member.joined", "message.created"]
        await served.send(shared.ana, shared.channel_id, "and again")
        assert (await after.wait_for("message.created"))["content"] == "and again"


async def test_after_a_day_a_gap_names_what_to_fetch_and_ready_follows(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with serve_app(store, clock=clock) as served:
        shared = await shared_channel(served)
        quiet = await served.channel(shared.ana, shared.server_id, "quiet")
        await served.send(shared.ana, quiet, "long ago")
        clock.move(seconds=2 * 3600)
        shared = shared._replace(bea=await served.app.accounts.refresh(shared.bea.refresh_token))
        async with served.connect(shared.bea) as before:
            await before.identify()
            old = await served.send(shared.ana, shared.channel_id, "received")
            await before.wait_for("message.created")
        clock.move(seconds=5)
        sent = [await served.send(shared.ana, shared.channel_id, f"{number}") for number in range(3)]
        clock.move(seconds=25 * 3600)
        await served.send(shared.ana, shared.channel_id, "today")
        sent.append(await served.send(shared.ana, shared.channel_id, "today, too"))
        await served.app.table.engine.sweep()  # type: ignore[attr-defined]

        bea = await served.app.accounts.refresh(shared.bea.refresh_token)
        async with served.connect(bea) as after:
            await after.frame()
            await after.send(6, {"token": bea.access_token, "sessionId": before.session_id, "s": before.s})
            gap = await after.frame()
            ready = await after.frame()
            [missed] = gap["d"]["rooms"]
            page = await served.get(bea, f"/channels/{missed['roomId']}/messages", after=missed["after"], limit=100)
            await served.send(shared.ana, shared.channel_id, "live")
            assert (await after.wait_for("message.created"))["content"] == "live"

    assert (gap["t"], ready["t"]) == ("gap", "ready")
    assert missed["roomId"] == shared.channel_id
    assert missed["until"] == sent[-1]
    fetched = [message["messageId"] for message in page["items"]]
    assert fetched[-1] == missed["until"]
    assert set(sent) <= set(fetched) <= {*sent, old, fetched[-2]}


async def test_a_cursor_of_another_store_leads_to_a_gap(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.ana) as before:
        await before.identify()
    places = EventCursors(served.app.store.keyring.secret("gateway"))
    position, at_ms = places.parse(before.s)
    foreign = places.format(position._replace(run="0123456789abcdef"), at_ms)
    async with served.connect(shared.ana) as connection:
        await connection.frame()
        await connection.send(6, {"token": shared.ana.access_token, "sessionId": before.session_id, "s": foreign})
        assert (await connection.frame())["t"] == "gap"
        assert (await connection.frame())["t"] == "ready"


async def test_client_disconnected_repeatedly_misses_nothing(served: ServedApp, shared: SharedChannel) -> None:
    received: dict[str, str] = {}
    order: list[str] = []
    sent: list[str] = []
    done = asyncio.Event()

    async def send() -> None:
        for number in range(400):
            message_id = await served.send(shared.ana, shared.channel_id, f"{number}")
            sent.append(message_id)
        done.set()

    def note(frame: dict[str, Any]) -> None:
        if frame["t"] == "message.created" and frame["id"] not in received:
            received[frame["id"]] = frame["d"]["content"]
            order.append(frame["d"]["messageId"])

    first = Connection(served.url, shared.bea.access_token)
    async with first as connection:
        await connection.identify()
        sending = asyncio.create_task(send())
        note(await connection.event())
    before = first
    while not (done.is_set() and len(order) >= len(sent)):
        async with served.connect(shared.bea) as connection:
            for frame in await connection.resume(before):
                note(frame)
            if not done.is_set():
                note(await connection.event())
            before = connection
    await sending
    assert order == sent


async def test_replayed_inbox_counts_are_current(served: ServedApp, shared: SharedChannel) -> None:
    shop = Actor(key_id=KeyId("shop"), scopes=frozenset({"inbox:publish"}))

    async def publish(title: str) -> None:
        notice = Notice(sender="shop", title=title, body="Something new")
        await served.app.inboxes.publish_to_users(
            shop, DEFAULT_TENANT, InboxKey("news"), notice, [shared.bea.user.user_id]
        )

    async with served.connect(shared.ana) as other, served.connect(shared.bea) as before:
        await other.identify()  # so that what happens is kept
        await before.identify()
        await publish("received")
        assert (await before.wait_for("inbox.counts"))["unread"] == 1
        await before.socket.close()
        await publish("missed")
        await publish("missed, too")

        async with served.connect(shared.bea) as after:
            missed = await after.resume(before)
    assert [frame["d"]["title"] for frame in missed if frame["t"] == "inbox.message"] == ["missed", "missed, too"]
    assert [frame["d"]["unread"] for frame in missed if frame["t"] == "inbox.counts"][-2:] == [3, 3]
