"""After a break a client gets what it missed, once and in order, or is told exactly what to fetch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.conftest import LongTable, long_table
from gateway.talking import Talk
from gateway.town import Town, town_of
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId
from sobremesa.core.clock import SetClock
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.live import log_feed, recent_events
from sobremesa.live.event_cursors import EventCursors


def contents(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["d"]["content"] for frame in frames if frame["t"] == "message.created"]


async def test_what_was_missed_comes_once_and_in_order(town: Town, table: LongTable) -> None:
    async with town.visit(table.bea) as before:
        await before.identify()
        await town.say(table.ana, table.channel_id, "received")
        await before.hear("message.created")
    for number in range(300):
        await town.say(table.ana, table.channel_id, f"{number}")

    async with town.visit(table.bea) as after:
        missed = await after.resume(before)
        await town.say(table.ana, table.channel_id, "live again")
        live = await after.hear("message.created")

    assert contents(missed) == [f"{number}" for number in range(300)]
    assert len({frame["id"] for frame in missed}) == 300
    assert live["content"] == "live again"


async def test_a_cursor_in_the_middle_of_a_transaction_loses_none_of_it(town: Town, table: LongTable) -> None:
    async with town.visit(table.dora) as before:
        await before.identify()
        invite = await town.app.membership.create_invite(table.ana.actor, table.server_id)
        await town.app.membership.redeem(table.dora.actor, invite.code)
        first = await before.event("server.created")
        second = await before.event("member.joined")

    async with town.visit(table.dora) as after:
        assert await after.resume(before, first["s"]) == [second]
    async with town.visit(table.dora) as after:
        assert await after.resume(before, second["s"]) == []


async def test_a_resume_outlives_the_server(store: str) -> None:
    async with town_of(store) as town:
        table = await long_table(town)
        async with town.visit(table.bea) as before:
            await before.identify()
            await town.say(table.ana, table.channel_id, "received")
            await before.hear("message.created")
        await town.say(table.ana, table.channel_id, "missed")

    async with town_of(store) as town:
        await town.say(table.ana, table.channel_id, "missed, too")
        async with town.visit(table.bea) as after:
            assert contents(await after.resume(before)) == ["missed", "missed, too"]


@pytest.mark.parametrize("page", [1, 128])
async def test_a_cursor_in_the_middle_of_a_transaction_loses_none_of_it_after_a_restart(
    store: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", page)
    async with town_of(store) as town:
        table = await long_table(town)
        async with town.visit(table.dora) as before:
            await before.identify()
            invite = await town.app.membership.create_invite(table.ana.actor, table.server_id)
            await town.app.membership.redeem(table.dora.actor, invite.code)
            first = await before.event("server.created")
            second = await before.event("member.joined")
    async with town_of(store) as town, town.visit(table.dora) as after:
        assert await after.resume(before, first["s"]) == [second]


async def test_events_from_before_what_is_kept_in_memory_come_from_the_log(
    town: Town, table: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_events, "MAX_ENTRIES", 100)
    async with town.visit(table.bea) as before, town.visit(table.ana) as listens:
        await before.identify()
        await listens.identify()
        total, senders = 600, 20

        async def send(sender: int) -> None:
            for number in range(total // senders + 1):
                await town.say(table.ana, table.channel_id, f"{sender} {number}")

        async def listen() -> int:
            received = 0
            while received < (total // senders + 1) * senders:
                await listens.hear("message.created")
                received += 1
            return received

        listening = asyncio.create_task(listen())
        s = before.s
        await asyncio.gather(*map(send, range(senders)))
        count = await listening

    async with town.visit(table.bea) as after:
        missed = contents(await after.resume(before, s))
    assert len(missed) == len(set(missed)) == count
    for sender in range(senders):
        own = [int(said.split()[1]) for said in missed if said.startswith(f"{sender} ")]
        assert own == sorted(own)


async def test_a_session_of_somebody_else_or_none_is_no_session(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as before:
        await before.identify()
    for session_id, s in [(before.session_id, before.s), ("made up", before.s)]:
        async with town.visit(table.bea) as talk:
            await talk.frame()
            await talk.send(6, {"token": table.bea.access_token, "sessionId": session_id, "s": s})
            assert await talk.frame() == {"op": 9, "d": False}
            await talk.send(2, {"token": table.bea.access_token})  # the same socket serves to begin anew
            assert (await talk.frame())["t"] == "ready"


async def test_a_cursor_that_is_none_is_no_session_either(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as before:
        await before.identify()
    for s in ("", "x", "1.2", before.s + "0" * 200, before.s.replace(".", "-"), "a.b.c.d"):
        async with town.visit(table.ana) as talk:
            await talk.frame()
            await talk.send(6, {"token": table.ana.access_token, "sessionId": before.session_id, "s": s})
            assert await talk.frame() == {"op": 9, "d": False}


async def test_whoever_was_removed_meanwhile_hears_of_that_and_of_nothing_after_it(
    town: Town, table: LongTable
) -> None:
    async with town.visit(table.bea) as before:
        await before.identify()
    await town.app.membership.remove(table.ana.actor, table.server_id, table.bea.user.user_id)
    await town.say(table.ana, table.channel_id, "without bea")

    async with town.visit(table.bea) as after:
        missed = await after.resume(before)
        assert [frame["t"] for frame in missed] == ["member.left"]
        await town.say(table.ana, table.channel_id, "still without bea")
        assert await after.is_quiet()


async def test_whoever_came_in_meanwhile_hears_what_was_said_since(town: Town, table: LongTable) -> None:
    async with town.visit(table.dora) as before:
        await before.identify()
    invite = await town.app.membership.create_invite(table.ana.actor, table.server_id)
    await town.app.membership.redeem(table.dora.actor, invite.code)
    await town.say(table.ana, table.channel_id, "welcome")

    async with town.visit(table.dora) as after:
        missed = await after.resume(before)
        assert [frame["t"] for frame in missed] == ["server.created", "member.joined", "message.created"]
        await town.say(table.ana, table.channel_id, "and again")
        assert (await after.hear("message.created"))["content"] == "and again"


async def test_beyond_a_day_a_gap_says_what_to_fetch_and_a_new_snapshot_follows(store: str) -> None:
    clock = SetClock(1_794_800_000_000)
    async with town_of(store, clock=clock) as town:
        table = await long_table(town)
        quiet = await town.channel(table.ana, table.server_id, "quiet")
        await town.say(table.ana, quiet, "long ago")
        clock.move(seconds=2 * 3600)
        table = table._replace(bea=await town.app.accounts.refresh(table.bea.refresh_token))
        async with town.visit(table.bea) as before:
            await before.identify()
            old = await town.say(table.ana, table.channel_id, "received")
            await before.hear("message.created")
        clock.move(seconds=5)
        said = [await town.say(table.ana, table.channel_id, f"{number}") for number in range(3)]
        clock.move(seconds=25 * 3600)
        await town.say(table.ana, table.channel_id, "today")
        said.append(await town.say(table.ana, table.channel_id, "today, too"))
        await town.app.table.engine.sweep()  # type: ignore[attr-defined]

        bea = await town.app.accounts.refresh(table.bea.refresh_token)
        async with town.visit(bea) as after:
            await after.frame()
            await after.send(6, {"token": bea.access_token, "sessionId": before.session_id, "s": before.s})
            gap = await after.frame()
            ready = await after.frame()
            [missed] = gap["d"]["rooms"]
            page = await town.get(bea, f"/channels/{missed['roomId']}/messages", after=missed["after"], limit=100)
            await town.say(table.ana, table.channel_id, "live")
            assert (await after.hear("message.created"))["content"] == "live"

    assert (gap["t"], ready["t"]) == ("gap", "ready")
    assert missed["roomId"] == table.channel_id
    assert missed["until"] == said[-1]
    fetched = [message["messageId"] for message in page["items"]]
    assert fetched[-1] == missed["until"]
    assert set(said) <= set(fetched) <= {*said, old, fetched[-2]}


async def test_a_cursor_of_another_store_leads_to_a_gap(town: Town, table: LongTable) -> None:
    async with town.visit(table.ana) as before:
        await before.identify()
    places = EventCursors(town.app.keyring.secret("gateway"))
    foreign = places.signed("0123456789abcdef." + places.read(before.s).partition(".")[2])
    async with town.visit(table.ana) as talk:
        await talk.frame()
        await talk.send(6, {"token": table.ana.access_token, "sessionId": before.session_id, "s": foreign})
        assert (await talk.frame())["t"] == "gap"
        assert (await talk.frame())["t"] == "ready"


async def test_a_client_that_is_cut_off_again_and_again_misses_nothing(town: Town, table: LongTable) -> None:
    received: dict[str, str] = {}
    order: list[str] = []
    sent: list[str] = []
    done = asyncio.Event()

    async def send() -> None:
        for number in range(400):
            message_id = await town.say(table.ana, table.channel_id, f"{number}")
            sent.append(message_id)
        done.set()

    def note(frame: dict[str, Any]) -> None:
        if frame["t"] == "message.created" and frame["id"] not in received:
            received[frame["id"]] = frame["d"]["content"]
            order.append(frame["d"]["messageId"])

    first = Talk(town.url, table.bea.access_token)
    async with first as talk:
        await talk.identify()
        sending = asyncio.create_task(send())
        note(await talk.event())
    before = first
    while not (done.is_set() and len(order) >= len(sent)):
        async with town.visit(table.bea) as talk:
            for frame in await talk.resume(before):
                note(frame)
            if not done.is_set():
                note(await talk.event())
            before = talk
    await sending
    assert order == sent


async def test_what_came_into_an_inbox_meanwhile_is_counted_as_it_is_now(town: Town, table: LongTable) -> None:
    shop = Actor(key_id=KeyId("shop"), scopes=frozenset({"inbox:publish"}))

    async def publish(title: str) -> None:
        notice = Notice(sender="shop", title=title, body="Something new")
        await town.app.inboxes.publishing.publish_to_users(
            shop, DEFAULT_TENANT, InboxKey("news"), notice, [table.bea.user.user_id]
        )

    async with town.visit(table.ana) as listens, town.visit(table.bea) as before:
        await listens.identify()  # so that what happens is kept
        await before.identify()
        await publish("received")
        assert (await before.hear("inbox.counts"))["unread"] == 1
        await before.socket.close()
        await publish("missed")
        await publish("missed, too")

        async with town.visit(table.bea) as after:
            missed = await after.resume(before)
    assert [frame["d"]["title"] for frame in missed if frame["t"] == "inbox.message"] == ["missed", "missed, too"]
    assert [frame["d"]["unread"] for frame in missed if frame["t"] == "inbox.counts"][-2:] == [3, 3]
