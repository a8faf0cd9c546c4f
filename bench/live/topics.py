"""Measure what an event costs Redis, and a node that does not need it: `python -m bench.live.topics redis://HOST:PORT`.

Each is measured beside one stream of everything, as it was before: every message twice in it, read and decoded by every
node. The server must be empty, and not used by anything else meanwhile.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from redis.asyncio import Redis

from sobremesa.core.clock import SystemClock
from sobremesa.core.ids import Ids
from sobremesa.live.events import Event, Publication, Topic, conversation
from sobremesa.live.redis_server import RedisServer
from sobremesa.live.topic_receiver import TopicReceiver
from sobremesa.live.topic_streams import Addition, TopicStreams

EVENTS = 40_000
TOPICS = 400
BATCH = 200
STREAM = "everything"
PAYLOAD = b'{"messageId":"%b","roomId":"%b","content":"%b"}'
CONTENT_BYTES = 480
"""With it, the payload has about the size of a message of 100 characters, which has many more fields."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Publication).decode


def publications() -> list[tuple[Topic, Publication]]:
    """Return new messages in many rooms."""
    ids = Ids(SystemClock())
    rooms = [ids.mint() for _ in range(TOPICS)]
    found: list[tuple[Topic, Publication]] = []
    for number in range(EVENTS):
        room = rooms[number % TOPICS]
        id, topic = ids.mint(), conversation(room)
        d = PAYLOAD % (id.encode(), room.encode(), b"x" * CONTENT_BYTES)
        event = Event(t="message.created", d=d, topics=(topic,), subject=id)
        found.append((topic, Publication(id=id, event=event)))
    return found


async def by_topic(streams: TopicStreams, found: list[tuple[Topic, Publication]]) -> None:
    """Publish as the writer of a message does, and as the change stream does."""
    epoch, _ = await streams.open()
    now_ms = round(time.time() * 1000)
    for start in range(0, len(found), BATCH):
        for shard in ("", "shard"):
            additions: dict[Topic, list[Addition]] = {}
            for number, (topic, publication) in enumerate(found[start : start + BATCH], start):
                sequence = f"{number:040}.000" if shard else ""
                addition = Addition(publication.id, shard, sequence, now_ms, _encode(publication))
                additions.setdefault(topic, []).append(addition)
            await streams.add(epoch, additions)


async def in_one_stream(client: Redis, found: list[tuple[Topic, Publication]]) -> None:
    for start in range(0, len(found), BATCH):
        pipeline: Any
        async with client.pipeline(transaction=False) as pipeline:
            for _, publication in [*found[start : start + BATCH], *found[start : start + BATCH]]:
                pipeline.xadd(STREAM, {"a": _encode(publication)})
            await pipeline.execute()


async def memory(client: Any, publish: Awaitable[None]) -> float:
    """Return how many bytes an event takes."""
    await client.execute_command("FLUSHALL", "SYNC")
    before = (await client.info("memory"))["used_memory"]
    await publish
    return float((await client.info("memory"))["used_memory"] - before) / EVENTS


@asynccontextmanager
async def idle_node(streams: TopicStreams) -> AsyncIterator[TopicReceiver]:
    """Run what receives events, of one topic that has none."""
    receiver = TopicReceiver(streams, lambda data: None)
    epoch, now = await streams.open()
    receiver.open(epoch, lambda topic: True)
    await receiver.add([Topic("user:alone")], now)
    reading = asyncio.create_task(_drain(receiver))
    yield receiver
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await receiver.close()


async def _drain(receiver: TopicReceiver) -> None:
    while True:
        await receiver.next()


async def read_everything(client: Any) -> None:
    """Read and decode the one stream, as a node did."""
    last, read = "0", 0
    while read < 2 * EVENTS:
        [[_, entries]] = await client.xread({STREAM: last}, count=1000, block=5000)
        for id, fields in entries:
            _decode(fields[b"a"])
            last, read = id, read + 1


async def main(url: str) -> None:
    client: Any = Redis.from_url(url, protocol=2)
    server = RedisServer(url)
    streams = TopicStreams(server, "bench", 3_600_000)
    found = publications()
    one = await memory(client, in_one_stream(client, found))
    spent = _spent()
    await read_everything(client)
    one_cpu = (_spent() - spent) / EVENTS
    topics = await memory(client, by_topic(streams, found))
    quiet = [each for each in found if each[0] != found[0][0]]
    async with idle_node(streams) as receiver:
        await asyncio.sleep(1)
        publishing = await asyncio.create_subprocess_exec(sys.executable, "-m", __spec__.name, url, "publish")
        spent = _spent()
        await publishing.wait()
        topic_cpu = (_spent() - spent) / len(quiet)
        received = receiver.received
    print(f"bytes in Redis for an event: {one:.0f} in one stream, {topics:.0f} by topic")
    print(
        f"CPU of a node for an event that it does not need: {one_cpu * 1e6:.1f} µs, {topic_cpu * 1e6:.2f} µs by topic"
    )
    print(f"events that the node received: {2 * EVENTS}, {received} by topic")
    await server.close()
    await client.aclose()


async def publish(url: str) -> None:
    server = RedisServer(url)
    await by_topic(TopicStreams(server, "bench", 3_600_000), publications())
    await server.close()


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    asyncio.run(publish(sys.argv[1]) if sys.argv[2:] == ["publish"] else main(sys.argv[1]))
