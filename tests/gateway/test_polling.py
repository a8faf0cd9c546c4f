"""Long polling: signed cursors, and a bounded part of the log for each request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from sobremesa.live import log_feed, polling
from sobremesa.live.event_cursors import EventCursors


async def poll(served: ServedApp, shared: SharedChannel, after: str, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.get(shared.bea, "/events", **{"after": after, "wait": 0} | query)
    return found


FORGED = [
    "{store}.1.0.0.{time}",
    "{store}.1.0.0.99999999999999999999999999",
    "{store}.99999999999999999999999999.0.0.{time}",
    "{store}.1.0.0.{time}.AAAAAAAAAAAAAAAA",
    "{signed}0",
    "0{signed}",
    "{signed}.{signed}",
    "é{signed}",
    "." * 200,
]


async def test_forged_cursor_is_refused(served: ServedApp, shared: SharedChannel) -> None:
    signed = (await served.get(shared.bea, "/events"))["next"]
    store, _, _, _, time, _ = signed.split(".")
    for forged in FORGED:
        problem = await poll(served, shared, forged.format(store=store, time=time, signed=signed))
        assert (problem["status"], problem["code"]) == (422, "bad_cursor"), forged


async def test_cursor_signed_with_another_secret_is_refused(served: ServedApp, shared: SharedChannel) -> None:
    signed = (await served.get(shared.bea, "/events"))["next"]
    ours = EventCursors(served.app.store.keyring.secret("gateway"))
    theirs = EventCursors(b"theirs").format(*ours.parse(signed))
    assert (await poll(served, shared, theirs))["code"] == "bad_cursor"


async def test_poll_reads_a_bounded_part_of_the_log_and_returns_the_next_cursor(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", 2)
    monkeypatch.setattr(polling, "MAX_PAGES", 3)
    start = (await served.get(shared.bea, "/events"))["next"]
    elsewhere = await served.channel(shared.ana, await served.server(shared.ana))
    for number in range(20):
        await served.send(shared.ana, elsewhere, f"not for bea {number}")
    sent = [await served.send(shared.ana, shared.channel_id, f"{number}") for number in range(20)]

    received: list[str] = []
    after, asked = start, 0
    while len(received) < len(sent):
        answer = await poll(served, shared, after)
        assert answer["next"] != after
        after, asked = answer["next"], asked + 1
        received += [item["d"]["messageId"] for item in answer["items"]]
    assert received == sent
    assert asked >= 40 // (2 * 3)


async def test_poll_stops_at_its_limit(served: ServedApp, shared: SharedChannel) -> None:
    after = (await served.get(shared.bea, "/events"))["next"]
    sent = [await served.send(shared.ana, shared.channel_id, f"{number}") for number in range(7)]
    received: list[str] = []
    while len(received) < len(sent):
        answer = await poll(served, shared, after, limit=3)
        assert 0 < len(answer["items"]) <= 3
        received += [item["d"]["messageId"] for item in answer["items"]]
        after = answer["next"]
    assert received == sent


async def test_poll_ends_an_older_one_of_the_same_session(served: ServedApp, shared: SharedChannel) -> None:
    after = (await served.get(shared.bea, "/events"))["next"]
    hub = served.app.live.hub
    older = asyncio.create_task(poll(served, shared, after, wait=25))
    while not hub.subscribers_of(shared.bea.user.user_id):  # noqa: ASYNC110 - polled: there is no signal
        await asyncio.sleep(0)
    newer = asyncio.create_task(poll(served, shared, after, wait=25))
    assert (await older)["items"] == []
    sent = await served.send(shared.ana, shared.channel_id, "hello")
    assert [item["d"]["messageId"] for item in (await newer)["items"]] == [sent]


async def test_other_requests_are_served_while_a_poll_reads_the_log(
    served: ServedApp, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", 1)
    after = (await served.get(shared.bea, "/events"))["next"]
    for number in range(polling.MAX_PAGES):
        await served.send(shared.ana, shared.channel_id, f"{number}")
    turns = 0
    reading = asyncio.create_task(poll(served, shared, after))
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > polling.MAX_PAGES
