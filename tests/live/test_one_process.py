"""One process on DynamoDB: events are delivered at once, and cursors stay valid after a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from live.nodes import Client, Community, Node, connected, eventually, nodes
from sobremesa.core.clock import SystemClock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live.entities import HOUR_MS, TrailMark
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.stream_feed import StreamFeed
from sobremesa.rooms.sending import Draft
from sobremesa.table import ChangeReader, Position, Put


async def test_writes_of_any_process_are_delivered(community: Community, store: str, tmp_path: Path) -> None:
    with nodes(1, store, tmp_path, None) as [node]:
        client = Client(community, "bea", lambda: node)
        async with connected(client):
            sent = await community.send(node, "ana", "through the server")
            beside = await community.app.communities.send(
                community.users["ana"].actor, community.channel_id, Draft("beside it")
            )
            await client.until(sent, beside.message_id)


async def test_new_message_is_delivered_without_the_change_stream(
    community: Community, store: str, tmp_path: Path
) -> None:
    with nodes(1, store, tmp_path, None, stream=False) as [node]:
        client = Client(community, "bea", lambda: node)
        async with connected(client):
            sent = [await community.send(node, "ana", f"{number}") for number in range(5)]
            await client.until(*sent)


async def test_author_receives_the_nonce_of_a_message_that_another_process_wrote(
    community: Community, store: str, tmp_path: Path
) -> None:
    with nodes(1, store, tmp_path, None) as [node]:
        async with community.connect(node, "ana") as ana, community.connect(node, "bea") as bea:
            await ana.identify()
            await bea.identify()
            await community.app.communities.send(
                community.users["ana"].actor, community.channel_id, Draft("beside it", nonce="n")
            )
            assert (await ana.wait_for("message.created"))["nonce"] == "n"
            assert "nonce" not in await bea.wait_for("message.created")


@pytest.mark.parametrize("store", ["dynamodb_endpoint", "sharded"], indirect=True)
@pytest.mark.parametrize("is_killed", [False, True])
async def test_cursor_is_valid_after_a_restart(
    community: Community, store: str, tmp_path: Path, is_killed: bool
) -> None:
    with nodes(1, store, tmp_path, None) as [node]:
        current = node
        client = Client(community, "bea", lambda: current)
        async with connected(client):
            sent = [await community.send(node, "ana", f"before {number}") for number in range(30)]
            await client.until(sent[0])
            node.kill() if is_killed else node.stop()
            await eventually(lambda: client.breaks > 0)
            for number in range(10):
                beside = await community.app.communities.send(
                    community.users["ana"].actor, community.channel_id, Draft(f"meanwhile {number}")
                )
                sent.append(beside.message_id)
            with nodes(1, store, tmp_path, None) as [current]:
                sent.append(await community.send(current, "carl", "after"))
                await client.until(*sent)
                assert client.received == sent
                assert client.gaps == 0


async def test_client_disconnected_repeatedly_receives_everything_in_order(
    community: Community, store: str, tmp_path: Path
) -> None:
    with nodes(1, store, tmp_path, None) as [node]:
        received: dict[str, None] = {}
        async with community.connect(node, "bea") as before:
            await before.identify()
        sending = asyncio.create_task(send_many(community, node, 150))
        while not (sending.done() and sending.result() <= received.keys()):
            async with community.connect(node, "bea") as connection:
                frames = await connection.resume(before)
                if not sending.done():
                    frames.append(await connection.event("message.created"))
                received |= {frame["id"]: None for frame in frames if frame["t"] == "message.created"}
                before = connection
    assert list(received) == sorted(sending.result())


async def send_many(community: Community, node: Node, count: int) -> set[str]:
    return {await community.send(node, "ana", f"{number}") for number in range(count)}


async def test_events_without_subscribers_are_replayed_on_resume(community: Community) -> None:
    clock = SystemClock()
    feed = StreamFeed(
        community.app.table, clock, translation_of(community.app.table, clock, community.app.accounts), EventCursors()
    )
    place = await feed.open(lambda _: True)
    first = await community.app.communities.send(
        community.users["ana"].actor, community.channel_id, Draft("nobody listens")
    )
    here = (await feed.next(lambda: False)).position

    missed = [entry async for page in feed.history(place, here, []) for entry in page.entries]
    await feed.close()

    # Perhaps twice: from the fast path, and from the stream.
    assert {entry.id for entry in missed} == {first.message_id}


async def test_checkpoint_of_another_store_does_not_prevent_opening(community: Community) -> None:
    clock = SystemClock()
    feed = StreamFeed(
        community.app.table, clock, translation_of(community.app.table, clock, community.app.accounts), EventCursors()
    )
    now_ms = clock.now_ms() + 1000
    mark = TrailMark(
        hour=now_ms // HOUR_MS,
        at_ms=now_ms,
        run="f" * 12,
        number=7,
        position="0123456789abcdef-7",
        ttl=now_ms // 1000 + 60,
    )
    await community.app.table.write(Put(mark))
    place = await feed.open(lambda _: True)
    sent = await community.app.communities.send(community.users["ana"].actor, community.channel_id, Draft("hello"))
    received = await feed.next(lambda: True)
    await feed.close()

    assert place
    assert [entry.id for entry in received.entries] == [sent.message_id]


async def test_clients_that_resume_together_share_one_read_of_the_stream(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SystemClock()
    translation = translation_of(community.app.table, clock, community.app.accounts)
    before = StreamFeed(community.app.table, clock, translation, EventCursors())
    place = before.s_of(await before.open(lambda _: True))
    for number in range(20):
        await community.app.communities.send(community.users["ana"].actor, community.channel_id, Draft(f"{number}"))
    await before.next(lambda: True)
    await before.close()
    feed = StreamFeed(community.app.table, clock, translation, EventCursors())
    await feed.open(lambda _: True)
    here = (await feed.next(lambda: False)).position

    asked = 0
    changes = community.app.table.changes

    async def counted(position: Position) -> ChangeReader:
        nonlocal asked
        asked += 1
        return await changes(position)

    monkeypatch.setattr(community.app.table, "changes", counted)
    after = feed.cursor_of(place).position
    assert after is not None

    async def missed() -> list[str]:
        found = [
            entry.event for page in [page async for page in feed.history(after, here, [])] for entry in page.entries
        ]
        return [
            msgspec.json.decode(each.d)["content"] for each in found if each is not None and each.t == "message.created"
        ]

    replays = await asyncio.gather(*(missed() for _ in range(200)))
    await feed.close()

    assert all(each[-20:] == [f"{number}" for number in range(20)] for each in replays)
    assert asked <= 2
