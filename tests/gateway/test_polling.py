"""Long polling: signed cursors, and a bounded part of the log for each request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.conftest import LongTable
from gateway.town import Town
from sobremesa.live import log_feed, polling
from sobremesa.live.event_cursors import EventCursors


async def poll(town: Town, table: LongTable, after: str, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = await town.get(table.bea, "/events", **{"after": after, "wait": 0} | query)
    return found


FORGED = [
    "{store}.1.0.{time}",
    "{store}.1.0.99999999999999999999999999",
    "{store}.99999999999999999999999999.0.{time}",
    "{store}.1.0.{time}.AAAAAAAAAAAAAAAA",
    "{signed}0",
    "0{signed}",
    "{signed}.{signed}",
    "é{signed}",
    "." * 200,
]


async def test_forged_cursor_is_refused(town: Town, table: LongTable) -> None:
    signed = (await town.get(table.bea, "/events"))["next"]
    store, _, _, time, _ = signed.split(".")
    for forged in FORGED:
        problem = await poll(town, table, forged.format(store=store, time=time, signed=signed))
        assert (problem["status"], problem["code"]) == (422, "bad_cursor"), forged


async def test_cursor_signed_with_another_secret_is_refused(town: Town, table: LongTable) -> None:
    signed = (await town.get(table.bea, "/events"))["next"]
    theirs = EventCursors(b"theirs").signed(signed.rpartition(".")[0])
    assert (await poll(town, table, theirs))["code"] == "bad_cursor"


async def test_poll_reads_a_bounded_part_of_the_log_and_returns_the_next_cursor(
    town: Town, table: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", 2)
    monkeypatch.setattr(polling, "MAX_PAGES", 3)
    start = (await town.get(table.bea, "/events"))["next"]
    elsewhere = await town.channel(table.ana, await town.server(table.ana))
    for number in range(20):
        await town.send(table.ana, elsewhere, f"not for bea {number}")
    sent = [await town.send(table.ana, table.channel_id, f"{number}") for number in range(20)]

    received: list[str] = []
    after, asked = start, 0
    while len(received) < len(sent):
        answer = await poll(town, table, after)
        assert answer["next"] != after
        after, asked = answer["next"], asked + 1
        received += [item["d"]["messageId"] for item in answer["items"]]
    assert received == sent
    assert asked >= 40 // (2 * 3)


async def test_poll_stops_at_its_limit(town: Town, table: LongTable) -> None:
    after = (await town.get(table.bea, "/events"))["next"]
    sent = [await town.send(table.ana, table.channel_id, f"{number}") for number in range(7)]
    received: list[str] = []
    while len(received) < len(sent):
        answer = await poll(town, table, after, limit=3)
        assert 0 < len(answer["items"]) <= 3
        received += [item["d"]["messageId"] for item in answer["items"]]
        after = answer["next"]
    assert received == sent


async def test_poll_ends_an_older_one_of_the_same_session(town: Town, table: LongTable) -> None:
    after = (await town.get(table.bea, "/events"))["next"]
    hub = town.app.live.hub
    older = asyncio.create_task(poll(town, table, after, wait=25))
    while not hub.subscribers_of(table.bea.user.user_id):  # noqa: ASYNC110 - polled: there is no signal
        await asyncio.sleep(0)
    newer = asyncio.create_task(poll(town, table, after, wait=25))
    assert (await older)["items"] == []
    sent = await town.send(table.ana, table.channel_id, "hello")
    assert [item["d"]["messageId"] for item in (await newer)["items"]] == [sent]


async def test_other_requests_are_served_while_a_poll_reads_the_log(
    town: Town, table: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_feed, "PAGE_TRANSACTIONS", 1)
    after = (await town.get(table.bea, "/events"))["next"]
    for number in range(polling.MAX_PAGES):
        await town.send(table.ana, table.channel_id, f"{number}")
    turns = 0
    reading = asyncio.create_task(poll(town, table, after))
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > polling.MAX_PAGES
