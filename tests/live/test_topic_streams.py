"""The streams of topics in Valkey: each event once, never backwards, and lost or old ones are noticed."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis.asyncio
import redis.exceptions
from structlog.testing import capture_logs

from live.nodes import Valkey, eventually, valkey_program
from servers import Endpoint, _free_port
from sobremesa.live import topic_streams
from sobremesa.live.events import Topic
from sobremesa.live.redis_server import RedisServer
from sobremesa.live.topic_messages import TopicMessages
from sobremesa.live.topic_routes import ALL_NODES
from sobremesa.live.topic_streams import NOTHING, Addition, Lost, TopicStreams

ROOM = Topic("server:one")
WINDOW_MS = 3_600_000


@pytest.fixture
async def streams(valkey: Endpoint) -> AsyncIterator[TopicStreams]:
    server = RedisServer(valkey.url)
    yield TopicStreams(server, uuid.uuid4().hex, WINDOW_MS)
    await server.close()


def relayed(number: int, id: str = "", shard: str = "s", *, is_message: bool = False) -> Addition:
    written = 0 if is_message else None
    return Addition(id or f"{shard}-{number}", shard, f"{number:040}.000", written, b"body %d" % number)


def written(id: str, ms: int | None = None) -> Addition:
    return Addition(id, "", "", round(time.time() * 1000) if ms is None else ms, id.encode())


async def bodies(streams: TopicStreams, topic: Topic = ROOM) -> list[bytes]:
    found = await streams.read({topic: NOTHING}, None, 20_000)
    return [added.body for added in found[topic][1]]


async def test_repeated_batch_of_a_shard_adds_nothing(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    batch = [relayed(number) for number in (5, 6, 7)]
    await streams.add(epoch, {ROOM: batch})
    await streams.add(epoch, {ROOM: [relayed(8)]})

    assert await streams.add(epoch, {ROOM: batch}) == 0
    assert await streams.add(epoch, {ROOM: [*batch, relayed(8), relayed(9)]}) == 1
    assert await bodies(streams) == [b"body 5", b"body 6", b"body 7", b"body 8", b"body 9"]


async def test_shards_have_an_order_each(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    await streams.add(epoch, {ROOM: [relayed(9)]})

    assert await streams.add(epoch, {ROOM: [relayed(1, shard="other")]}) == 1


async def test_message_is_added_once_whichever_copy_comes_first(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()

    assert await streams.add(epoch, {ROOM: [written("early")]}) == 1
    assert await streams.add(epoch, {ROOM: [relayed(1, "early", is_message=True)]}) == 0
    assert await streams.add(epoch, {ROOM: [written("early")]}) == 0

    assert await streams.add(epoch, {ROOM: [relayed(2, "late", is_message=True)]}) == 1
    assert await streams.add(epoch, {ROOM: [written("late")]}) == 0


async def test_message_that_its_writer_adds_too_late_is_left_to_the_change_stream(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    old = written("old", round(time.time() * 1000) - topic_streams.LATE_MS - 5_000)

    assert await streams.add(epoch, {ROOM: [old]}) == 0
    assert await streams.add(epoch, {ROOM: [relayed(1, "old", is_message=True)]}) == 1


async def test_lost_epoch_is_noticed_and_drops_what_an_earlier_one_left(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    await streams.add(epoch, {ROOM: [relayed(7)]})
    anew, _ = await streams.open(epoch)

    assert int(anew) > int(epoch)
    assert (await streams.open())[0] == anew
    with pytest.raises(Lost):
        await streams.add(epoch, {ROOM: [relayed(8)]})
    # What was lost is published again, although the topic was further than that.
    assert await streams.add(anew, {ROOM: [relayed(6), relayed(7)]}) == 2
    assert await bodies(streams) == [b"body 6", b"body 7"]
    with pytest.raises(Lost):
        await streams.add(epoch, {ROOM: [relayed(9)]})


async def test_second_node_that_finds_the_loss_begins_no_other_epoch(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    anew, _ = await streams.open(epoch)

    assert (await streams.open(epoch))[0] == anew


async def test_streams_are_bounded_and_know_what_they_no_longer_keep(
    streams: TopicStreams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_streams, "MAX_ENTRIES", 20)
    epoch, _ = await streams.open()
    await streams.add(epoch, {ROOM: [relayed(number) for number in range(1, 20)]})
    [before] = await streams.states([ROOM])
    await streams.add(epoch, {ROOM: [relayed(number) for number in range(20, 100)]})

    found = await bodies(streams)
    [after] = await streams.states([ROOM])
    assert before.trimmed == NOTHING
    assert len(found) == 20
    assert found[-1] == b"body 99"
    assert before.last < after.trimmed < after.last
    # Exactly: nothing after it is missing.
    assert len((await streams.read({ROOM: after.trimmed}, None, 1000))[ROOM][1]) == 20


async def test_old_events_are_trimmed(valkey: Endpoint) -> None:
    server = RedisServer(valkey.url)
    streams = TopicStreams(server, uuid.uuid4().hex, 1)
    epoch, _ = await streams.open()
    await streams.add(epoch, {ROOM: [relayed(number) for number in range(1, 10)]})
    while not (await streams.states([ROOM]))[0].trimmed > NOTHING:
        await streams.add(epoch, {ROOM: [relayed(round(time.time() * 1000))]})
    assert b"body 1" not in await bodies(streams)
    await server.close()


async def test_keys_of_a_topic_expire(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    await streams.add(epoch, {ROOM: [relayed(1), written("new")]})

    channel = streams.channel_of(ROOM)
    keys = [channel, f"{channel}:state", f"{channel}:awaited"]
    left = await streams.server.run([("PTTL", key) for key in keys])
    assert all(WINDOW_MS < each <= WINDOW_MS + topic_streams.SLACK_MS for each in left)
    await streams.add(epoch, {ROOM: [relayed(2, "new", is_message=True)]})
    [repeated, awaited] = await streams.server.run([("PTTL", f"{channel}:repeated"), ("EXISTS", keys[2])])
    assert 0 < repeated <= topic_streams.REPEATED_MS
    assert not awaited


async def test_shards_that_ended_long_ago_are_forgotten(streams: TopicStreams) -> None:
    epoch, _ = await streams.open()
    for number in range(100):
        await streams.add(epoch, {ROOM: [relayed(1, shard=f"shard-{number}")]})
    state = f"{streams.channel_of(ROOM)}:state"
    old = round(time.time()) - 100_000
    await streams.server.run([("HSET", state, f"@shard-{number}", f"{1:040}.000:{old}") for number in range(100)])
    await streams.add(epoch, {ROOM: [relayed(number, shard="now") for number in range(1, 70)]})

    [count] = await streams.server.run([("HLEN", state)])
    assert count < 20


async def test_sender_ends_at_whichever_moment_it_is_cancelled(valkey: Endpoint) -> None:
    """The client of Redis may swallow a cancellation; a node then never stopped."""
    for turns in range(60):
        streams = TopicStreams(RedisServer(valkey.url), uuid.uuid4().hex, 60_000)
        messages = TopicMessages(streams, "node")
        sending = asyncio.create_task(messages.run())
        messages.publish(b"hint", [ALL_NODES])
        for _ in range(turns):
            await asyncio.sleep(0)
        sending.cancel()
        ended, _ = await asyncio.wait([sending], timeout=10)
        await streams.server.close()
        assert ended, f"cancelled after {turns} turns of the loop"


async def test_repeated_message_reaches_the_nodes_after_redis_is_back() -> None:
    """A removal that is answered while Redis is down takes effect on other nodes as soon as it is back."""
    valkey = Valkey(valkey_program(), _free_port())
    streams = TopicStreams(RedisServer(valkey.url), uuid.uuid4().hex, WINDOW_MS)
    messages = TopicMessages(streams, "node")
    sending = asyncio.create_task(messages.run())
    client = redis.asyncio.Redis.from_url(valkey.url)
    subscriber: Any = client.pubsub()
    try:
        with capture_logs() as logs:
            messages.publish(b"event", [ROOM], b"lost")
            messages.publish(b"removal", [ROOM], b"kept", is_repeated=True)
            await eventually(lambda: any("were lost" in each["event"] for each in logs))
        valkey.start()
        async with asyncio.timeout(30):
            while True:
                with contextlib.suppress(redis.exceptions.ConnectionError):
                    await subscriber.ssubscribe(streams.channel_of(ROOM))
                    break
                await asyncio.sleep(0.02)
            while (found := await subscriber.get_message(timeout=1)) is None or found["type"] != "smessage":
                pass
        assert found["data"].endswith(b"kept")
    finally:
        sending.cancel()
        await asyncio.wait([sending])
        await subscriber.aclose()
        await client.aclose()
        await streams.server.close()
        valkey.stop()
