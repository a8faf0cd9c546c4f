"""What a node did not receive, and is no longer kept, is reported to its clients as a gap."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio

from live.nodes import Community
from live.test_topic_feed import COUNT, ONE, TWO, Parts
from servers import Endpoint
from sobremesa.live import frames, topic_receiver, topic_streams
from sobremesa.live.feed import FeedBatch, Trimmed
from sobremesa.live.identify import refusals
from sobremesa.live.socket import Ended
from sobremesa.live.topic_routes import ALL_NODES
from sobremesa.rooms.sending import Draft

KEPT = 20


@pytest.fixture
async def parts(community: Community, valkey: Endpoint, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parts]:
    monkeypatch.setattr(topic_streams, "MAX_ENTRIES", KEPT)
    parts = Parts(community, valkey, uuid.uuid4().hex)
    await parts.feed.open(lambda _: False)
    await parts.feed.cover([ONE, TWO])
    await parts.publish(ONE)
    await parts.next(1)
    yield parts
    await parts.feed.close()


async def first_loss(parts: Parts) -> FeedBatch:
    """Return the first batch that reports topics with lost events."""
    async with asyncio.timeout(60):
        while not (batch := await parts.feed.next(lambda: True)).missed:
            pass
    return batch


async def test_events_that_were_trimmed_before_the_node_received_them_are_reported(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = parts.feed.covered_since([ALL_NODES])
    monkeypatch.setattr(topic_receiver, "MAX_WAITING", 10)
    sent = [await parts.publish(ONE) for _ in range(COUNT)]

    batch = await first_loss(parts)
    assert batch.missed == {ONE}
    assert [entry.id for entry in batch.entries][-1:] == sent[-1:]
    assert parts.feed.covered_since([ONE]) > before >= parts.feed.covered_since([TWO])
    assert await parts.feed.missing(before, [ONE, TWO]) == {ONE}


async def test_history_of_which_something_was_trimmed_is_no_longer_kept(parts: Parts) -> None:
    before = parts.feed.covered_since([ALL_NODES])
    sent = [await parts.publish(ONE) for _ in range(COUNT)]
    until = (await parts.next(COUNT))[-1].position

    with pytest.raises(Trimmed):
        [page async for page in parts.feed.history(before, until, [ONE])]
    kept = [entry.id async for page in parts.feed.kept_since(0, until, ONE) for entry in page.entries]
    assert KEPT <= len(kept) < COUNT
    assert kept == sent[-len(kept) :]
    with pytest.raises(Trimmed):  # what was read before is no reason to believe that this is all
        [page async for page in parts.feed.history(before, until, [ONE])]


async def test_changes_that_were_lost_before_they_were_published_are_missed_by_all(parts: Parts) -> None:
    await parts.publisher.reset()

    assert (await first_loss(parts)).missed == {ONE, TWO, ALL_NODES}


async def test_topics_are_missing_as_soon_as_redis_has_lost_them(parts: Parts, valkey: Endpoint) -> None:
    """Also before the node looks at the epoch again."""
    before = parts.feed.covered_since([ALL_NODES])
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    channels = [parts.streams.channel_of(topic) for topic in (ONE, TWO)]
    epoch_key = channels[0].replace("/" + ONE, "") + ":epoch"
    assert await client.delete(epoch_key) == 1
    await client.delete(*channels, *(f"{channel}:state" for channel in channels))
    await client.aclose()

    assert await parts.feed.missing(before, [ONE, TWO]) == {ONE, TWO}


async def test_gap_of_a_cursor_without_a_time_names_every_room(community: Community) -> None:
    ana = community.users["ana"].actor
    await community.app.communities.send(ana, community.channel_id, Draft("hello"))

    assert community.channel_id in {missed.room_id for missed in (await community.app.gaps.find(ana, 0)).rooms}


def test_client_whose_missed_events_are_trimmed_meanwhile_may_resume() -> None:
    with pytest.raises(Ended) as ended, refusals():
        raise Trimmed

    assert ended.value.code == frames.RESTARTING
