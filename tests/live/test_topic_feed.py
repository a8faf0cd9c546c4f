"""The feed of one of several nodes: complete, in order, whatever happens to its connection."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import msgspec
import pytest
import redis.asyncio

from live.nodes import Community, Valkey, valkey_program
from servers import Endpoint, _free_port
from sobremesa.core.clock import SystemClock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live import topic_history, topic_receiver
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.events import Event, Publication, Topic
from sobremesa.live.feed import START, Entry, Trimmed
from sobremesa.live.redis_server import RedisServer
from sobremesa.live.relay import Relay
from sobremesa.live.repeated_changes import RepeatedChanges
from sobremesa.live.topic_feed import TopicFeed
from sobremesa.live.topic_messages import TopicMessages
from sobremesa.live.topic_publisher import TopicPublisher
from sobremesa.live.topic_receiver import UNKNOWN, TopicReceiver
from sobremesa.live.topic_routes import ALL_NODES
from sobremesa.live.topic_streams import NOTHING, Addition, Lost, TopicStreams
from sobremesa.live.topic_writer import TopicWriter

ONE, TWO = Topic("server:one"), Topic("server:two")
COUNT = 400


class Parts:
    """A feed, and what publishes to it."""

    def __init__(
        self, community: Community, valkey: Endpoint, name: str, *, node: str = "node", reads: bool = False
    ) -> None:
        clock, table = SystemClock(), community.app.table
        self.name = name
        translation = translation_of(table, clock, community.app.accounts)
        self.streams = TopicStreams(RedisServer(valkey.url), name, 3_600_000)
        self.messages = messages = TopicMessages(self.streams, node)
        self.receiver = TopicReceiver(self.streams, messages.take)
        changes = RepeatedChanges(table, translation)
        self.publisher = TopicPublisher(self.streams, changes)
        self.writer = TopicWriter(translation, TopicPublisher(self.streams, changes), messages)
        self.relay = Relay(self.publisher) if reads else None
        self.feed = TopicFeed(table, clock, self.streams, self.receiver, self.writer, self.relay, EventCursors())
        self._number = 0

    async def publish(self, *topics: Topic) -> str:
        """Publish an event to one topic, or to several; return its id."""
        self._number += 1
        id, epoch = f"event-{self._number}", (await self.streams.open())[0]
        publication = Publication(id=id, event=Event(t="message.created", d=b"{}", topics=topics))
        addition = Addition(id, "shard", f"{self._number:040}.000", None, msgspec.msgpack.encode(publication))
        await self.streams.add(epoch, {topic: [addition] for topic in topics})
        return id

    async def next(self, count: int) -> list[Entry]:
        found: list[Entry] = []
        async with asyncio.timeout(60):
            while len(found) < count:
                found += (await self.feed.next(lambda: True)).entries
        return found


@pytest.fixture
async def parts(community: Community, valkey: Endpoint) -> AsyncIterator[Parts]:
    parts = Parts(community, valkey, uuid.uuid4().hex)
    await parts.feed.open(lambda _: False)
    await parts.publish(ALL_NODES)  # which it receives as soon as it is connected
    await parts.next(1)
    yield parts
    await parts.feed.close()


async def test_broken_connections_lose_and_repeat_nothing(parts: Parts, valkey: Endpoint) -> None:
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    await parts.feed.cover([ONE, TWO])

    async def publish() -> list[str]:
        sent: list[str] = []
        for number in range(COUNT):
            sent.append(await parts.publish(ONE if number % 2 else TWO))
            if number % 100 == 50:
                await client.execute_command("CLIENT", "KILL", "TYPE", "PUBSUB")
        return sent

    publishing = asyncio.create_task(publish())
    received = await parts.next(COUNT)
    sent = await publishing
    await client.aclose()
    assert {entry.id for entry in received} == set(sent)
    assert len(received) == COUNT
    for topic in (ONE, TWO):
        own = [entry.id for entry in received if entry.event is not None and topic in entry.event.topics]
        assert own == [id for id in sent if id in own]
    positions = [entry.position for entry in received]
    assert positions == sorted(positions)


async def test_cursor_of_another_node_is_continued_exactly(
    parts: Parts, community: Community, valkey: Endpoint
) -> None:
    """A client that drops the ids that it knows would go back to what an event from before its snapshot shows."""
    other = Parts(community, valkey, parts.name)
    await other.feed.open(lambda _: False)
    for feed in (parts.feed, other.feed):
        await feed.cover([ONE])
    sent = [await parts.publish(ONE) for _ in range(3)]
    first = (await parts.next(3))[0]
    until = (await other.next(3))[-1].position

    after = other.feed.cursor_of(first.s).position
    assert after is not None
    found = [entry.id async for page in other.feed.history(after, until, [ONE]) for entry in page.entries]
    assert found == sent[1:]
    await other.feed.close()


async def test_positions_are_those_of_the_streams_while_topics_are_added(parts: Parts, valkey: Endpoint) -> None:
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    await parts.feed.cover([ONE, TWO])

    async def add_topics() -> None:
        for number in range(COUNT):
            await parts.feed.cover([Topic(f"server:added-{number}")])
            if number % 100 == 50:
                await client.execute_command("CLIENT", "KILL", "TYPE", "PUBSUB")

    adding = asyncio.create_task(add_topics())
    receiving = asyncio.create_task(parts.next(COUNT))
    for number in range(COUNT):
        await parts.publish(ONE if number % 2 else TWO)
    received = await receiving
    await adding
    await client.aclose()
    stored = await parts.streams.read({ONE: NOTHING, TWO: NOTHING}, None, COUNT)
    ids = sorted(added.id for _, entries in stored.values() for added in entries)
    assert [(entry.position.number, entry.position.offset) for entry in received] == ids


async def test_cursor_from_before_the_streams_were_lost_is_not_continued(parts: Parts) -> None:
    """Events are published again that its client does not know, and others that it does, and drops."""
    await parts.feed.cover([ONE])
    await parts.publish(ONE)
    [before] = await parts.next(1)
    epoch, _ = await parts.streams.look()
    await parts.streams.open(epoch or "")
    async with asyncio.timeout(60):
        while (await parts.feed.next(lambda: True)).position.run == epoch:
            pass

    assert parts.feed.cursor_of(before.s).position is None


async def test_topic_that_another_client_is_adding_is_waited_for(parts: Parts) -> None:
    before = parts.feed.covered_since([ALL_NODES])
    sent = await parts.publish(ONE)
    first = asyncio.create_task(parts.feed.cover([ONE]))
    await asyncio.sleep(0)  # it has begun
    await parts.feed.cover([ONE])

    since = parts.feed.covered_since([ONE])
    assert since > START
    found = [entry.id async for page in parts.feed.history(before, since, [ONE]) for entry in page.entries]
    assert found == [sent]
    await first


async def test_event_of_two_topics_comes_once(parts: Parts) -> None:
    await parts.feed.cover([ONE, TWO])
    both = await parts.publish(ONE, TWO)
    last = await parts.publish(TWO)

    assert [entry.id for entry in await parts.next(2)] == [both, last]


async def test_node_receives_no_event_of_other_topics(parts: Parts) -> None:
    await parts.feed.cover([ONE])
    for _ in range(50):
        await parts.publish(TWO)
    own = await parts.publish(ONE)

    assert [entry.id for entry in await parts.next(1)] == [own]
    assert parts.receiver.received == 2  # with the first of all nodes


async def test_released_topic_is_complete_when_it_is_needed_again(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_receiver, "RELEASED_EVERY", 1)
    monkeypatch.setattr(topic_receiver, "KEPT_SECONDS", 0)
    await parts.feed.cover([ONE])
    first = await parts.publish(ONE)
    [entry] = await parts.next(1)
    async with asyncio.timeout(30):
        while parts.receiver.count > 1:  # that of all nodes stays
            await parts.feed.next(lambda: True)
    missed = await parts.publish(ONE)
    await parts.feed.cover([ONE])
    since = parts.feed.covered_since([ONE])
    live = await parts.publish(ONE)

    assert entry.id == first
    pages = [page async for page in parts.feed.history(entry.position, since, [ONE])]
    assert [each.id for page in pages for each in page.entries] == [missed]
    assert [each.id for each in await parts.next(1)] == [live]


async def test_history_of_many_pages_is_in_one_order(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    start = parts.feed.covered_since([ALL_NODES])
    sent = [await parts.publish(ONE if number % 3 else TWO) for number in range(COUNT)]
    await parts.feed.cover([ONE, TWO])

    monkeypatch.setattr(topic_history, "PAGE", 64)
    for _ in range(2):  # from Valkey, and from memory
        pages = [page async for page in parts.feed.history(start, parts.feed.covered_since([ONE, TWO]), [ONE, TWO])]
        assert [entry.id for page in pages for entry in page.entries] == sent


async def test_events_that_wait_beyond_a_bound_are_read_from_the_streams(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_receiver, "MAX_WAITING", 10)
    await parts.feed.cover([ONE])
    sent = [await parts.publish(ONE) for _ in range(100)]

    assert [entry.id for entry in await parts.next(100)] == sent


async def test_stream_that_lost_its_end_begins_another_epoch(parts: Parts, valkey: Endpoint) -> None:
    client: Any = redis.asyncio.Redis.from_url(valkey.url)
    await parts.feed.cover([ONE])
    await parts.publish(ONE)
    [before] = await parts.next(1)
    epoch, _ = await parts.streams.look()
    channel = parts.streams.channel_of(ONE)
    await client.delete(channel, f"{channel}:state")
    await client.execute_command("CLIENT", "KILL", "TYPE", "PUBSUB")
    await client.aclose()
    async with asyncio.timeout(30):
        while (await parts.streams.look())[0] == epoch:
            await parts.feed.next(lambda: True)

    last = await parts.publish(ONE)
    [after] = await parts.next(1)
    assert after.id == last
    assert after.position > before.position
    with pytest.raises(Trimmed):
        [page async for page in parts.feed.history(before.position, after.position, [ONE])]


async def test_topics_of_a_node_that_starts_before_redis_are_received_once_it_is_there(community: Community) -> None:
    valkey = Valkey(valkey_program(), _free_port())
    parts = Parts(community, Endpoint("valkey", valkey.url), uuid.uuid4().hex)
    try:
        await parts.feed.open(lambda _: True)
        await parts.feed.cover([ONE])
        valkey.start()
        async with asyncio.timeout(60):
            while (await parts.feed.next(lambda: True)).position.run == UNKNOWN:
                pass
        sent = [await parts.publish(ONE), await parts.publish(ALL_NODES)]

        assert {entry.id for entry in await parts.next(2)} == set(sent)
    finally:
        await parts.feed.close()
        valkey.stop()


async def test_topics_covered_before_a_new_epoch_is_delivered_are_read_from_their_streams(community: Community) -> None:
    """What a node that starts while Redis is down receives of a topic begins when it subscribes, in the new epoch."""
    valkey = Valkey(valkey_program(), _free_port())
    endpoint, name = Endpoint("valkey", valkey.url), uuid.uuid4().hex
    parts, other = Parts(community, endpoint, name), Parts(community, endpoint, name, node="other")
    try:
        await parts.feed.open(lambda _: True)
        valkey.start()
        await asyncio.to_thread(valkey.wait)
        await other.feed.open(lambda _: True)
        before = other.feed.s_of(other.feed.covered_since([ALL_NODES]))
        sent = [await other.publish(ONE) for _ in range(3)]
        async with asyncio.timeout(60):
            while await parts.receiver.add([TWO], NOTHING) is None:  # noqa: ASYNC110 - polled: there is no signal
                await asyncio.sleep(0.02)
        await parts.feed.cover([ONE])
        sent.append(await other.publish(ONE))

        received = [entry.id for entry in await parts.next(1)]
        after, since = parts.feed.cursor_of(before).position, parts.feed.covered_since([ONE])
        assert after is not None
        missed = [] if after >= since else [page async for page in parts.feed.history(after, since, [ONE])]
        assert {entry.id for page in missed for entry in page.entries} | set(received) == set(sent)
    finally:
        await parts.feed.close()
        await other.feed.close()
        valkey.stop()


async def test_node_that_starts_before_redis_answers_delivers_nothing_from_before(community: Community) -> None:
    """Its clients have read their snapshots meanwhile: they resume, since they may know later events."""
    valkey = Valkey(valkey_program(), _free_port())
    parts = Parts(community, Endpoint("valkey", valkey.url), uuid.uuid4().hex)
    valkey.start()
    try:
        valkey.wait()
        await parts.publish(ONE)
        valkey.pause()
        await parts.feed.open(lambda _: True)
        await parts.feed.cover([ONE])
        valkey.resume()
        delivered: list[Entry] = []
        missed: set[Topic] = set()
        async with asyncio.timeout(60):
            while True:
                batch = await parts.feed.next(lambda: True)
                delivered += batch.entries
                missed |= batch.missed
                if batch.position.run != UNKNOWN:
                    break
        last = await parts.publish(ONE)
        delivered += await parts.next(1)

        assert [entry.id for entry in delivered] == [last]
        assert ONE in missed
    finally:
        await parts.feed.close()
        valkey.stop()


async def test_each_shard_notices_that_what_it_published_is_lost(parts: Parts) -> None:
    """Each must be published again, and different nodes may read them."""
    for shard_id in ("one", "two"):
        await parts.publisher.publish(shard_id, [])
    epoch, _ = await parts.streams.look()
    assert epoch is not None
    await parts.streams.open(epoch)

    for shard_id in ("one", "two"):
        with pytest.raises(Lost):
            await parts.publisher.publish(shard_id, [])
        await parts.publisher.publish(shard_id, [])


async def commands(client: Any, *names: str) -> int:
    """Return how often these commands were run."""
    stats = await client.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in names)


async def test_topics_of_clients_that_come_together_are_covered_at_once(parts: Parts, valkey: Endpoint) -> None:
    async with redis.asyncio.Redis.from_url(valkey.url) as client:
        before = await commands(client, "ssubscribe")
        await asyncio.gather(*(parts.feed.cover([Topic(f"user:{number}"), ONE]) for number in range(100)))
        assert await commands(client, "ssubscribe") - before <= 3

    sent = [await parts.publish(Topic(f"user:{number}")) for number in range(100)]
    assert [entry.id for entry in await parts.next(100)] == sent


async def test_clients_that_come_together_share_what_is_read_of_their_topics(parts: Parts, valkey: Endpoint) -> None:
    feed = parts.feed
    start = feed.covered_since([ALL_NODES])
    sent = [await parts.publish(ONE) for _ in range(10)]

    async def resume(number: int) -> list[str]:
        topics = [ONE, TWO, Topic(f"user:{number}")]
        await feed.cover(topics)
        assert await feed.missing(start, topics) == set()
        pages = [page async for page in feed.history(start, feed.covered_since(topics), topics)]
        return [entry.id for page in pages for entry in page.entries]

    assert await resume(0) == sent
    async with redis.asyncio.Redis.from_url(valkey.url) as client:
        states, ranges = await commands(client, "hmget"), await commands(client, "xrange")
        assert await asyncio.gather(*(resume(number) for number in range(1, 101))) == [sent] * 100
        assert await commands(client, "hmget") - states <= 150
        assert await commands(client, "xrange") == ranges


async def test_what_is_cached_of_topics_is_continued_exactly(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cursors from anywhere, topics that are covered later than others, and pages that end in between."""
    monkeypatch.setattr(topic_history, "PAGE", 5)
    chance, feed, topics = Random(1), parts.feed, [ONE, TWO]
    await feed.cover(topics)
    sent: list[str] = []
    starts = [feed.covered_since(topics)]
    for number in range(60):
        for _ in range(chance.randrange(8)):
            sent.append(await parts.publish(chance.choice([ONE, TWO])))
            starts.append((await parts.next(1))[0].position)
        fresh = Topic(f"user:{number}")
        await feed.cover([fresh])
        for _ in range(3):
            seen = chance.randrange(len(starts))
            if chance.random() < 0.7:
                assert await feed.missing(starts[seen], [*topics, fresh]) == set()
            pages = [page async for page in feed.history(starts[seen], feed.covered_since([fresh]), [*topics, fresh])]
            assert [entry.id for page in pages for entry in page.entries] == sent[seen:]
