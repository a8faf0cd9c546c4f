"""Several shards, read by several nodes: each once, at its pace, and nothing is lost whatever shards and nodes do."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from functools import partial

import msgspec
import pytest

from consumers.stream_nodes import Cluster, StreamNode, cluster_of, eventually
from servers import Endpoint
from servers.sharded import ShardingProxy, start_sharded
from sobremesa.core.clock import SetClock
from sobremesa.core.lease import Lease
from sobremesa.http.metrics import Metrics
from sobremesa.table import OLDEST, Position, Put, set_to
from sobremesa.work.consumers.deliveries import END, rank
from sobremesa.work.consumers.entities import Progress, ShardProgress, keep_shard, shard_progress, stream_rows
from sobremesa.work.consumers.service import EARLIER

SHARDS = 8


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")


@pytest.fixture
def proxy(dynamodb_endpoint: Endpoint) -> Iterator[ShardingProxy]:
    with start_sharded(dynamodb_endpoint, shards=SHARDS) as proxy:
        yield proxy


@pytest.fixture
async def cluster(proxy: ShardingProxy) -> AsyncIterator[Cluster]:
    async with cluster_of(proxy.url, f"shards-{uuid.uuid4().hex}") as cluster:
        await cluster.table.shards()
        yield cluster


async def rows(cluster: Cluster) -> dict[str, ShardProgress]:
    found = [row async for row in cluster.table.every(stream_rows()) if isinstance(row, ShardProgress)]
    return {row.shard_id: row for row in found}


def has_shards(node: StreamNode, least: int) -> bool:
    return len(node.consumer.shards) >= least


def counts(*nodes: StreamNode) -> list[int]:
    return [len(node.consumer.shards) for node in nodes]


async def test_nothing_is_lost_while_shards_split_lag_and_forget_iterators(
    cluster: Cluster, proxy: ShardingProxy
) -> None:
    await cluster.started("a", "b")
    for number, shard_id in enumerate(proxy.stream.leaves()):
        proxy.stream.delay(shard_id, number * 0.15)

    for turn in range(12):
        await cluster.write()
        if turn % 3 == 1:
            for child in proxy.stream.split():
                proxy.stream.delay(child, turn * 0.05)
        if turn % 4 == 3:
            proxy.stream.expire_iterators()

    await cluster.until_received()
    assert proxy.stream.early_reads == [], "children are read after their parents"


async def test_each_shard_is_read_at_most_five_times_a_second_while_there_are_writes(
    cluster: Cluster, proxy: ShardingProxy
) -> None:
    a, b = await cluster.started("a", "b")
    await eventually(lambda: counts(a, b) == [SHARDS // 2, SHARDS // 2])
    # A consumer behind the others gets pages of its own, within the same pace.
    b.handlers["two"].is_broken = True
    since = time.monotonic()

    while time.monotonic() - since < 4:
        await cluster.write()
    b.handlers["two"].is_broken = False
    await cluster.until_received()

    # Two more than 15: requests may be a moment longer on their way than those after them.
    # A busy machine may read less often.
    assert 1 <= proxy.stream.most_reads_in(3.0, since) <= 17


async def test_two_nodes_share_the_shards_evenly_and_one_reads_all_when_the_other_stops(cluster: Cluster) -> None:
    [a] = await cluster.started("a")
    await eventually(lambda: counts(a) == [SHARDS])

    [b] = await cluster.started("b")
    await eventually(lambda: counts(a, b) == [SHARDS // 2, SHARDS // 2])
    await cluster.write()
    await cluster.until_received()
    assert {received.node for received in cluster.logs.events.received} == {"a", "b"}

    await a.stop()
    await eventually(lambda: counts(b) == [SHARDS])
    await cluster.write()
    await cluster.until_received()


async def test_shards_of_a_killed_node_are_read_by_another_where_it_stopped(cluster: Cluster) -> None:
    a, b = await cluster.started("a", "b")
    await eventually(lambda: counts(a, b) == [SHARDS // 2, SHARDS // 2])
    await cluster.write()

    a.kill()
    for _ in range(3):
        await cluster.write()

    await cluster.until_received()
    await eventually(lambda: counts(b) == [SHARDS])


async def test_checkpoints_never_move_back_while_nodes_stop_and_come_back(
    cluster: Cluster, proxy: ShardingProxy
) -> None:
    a, b = await cluster.started("a", "b")
    seen: dict[tuple[str, str], Position] = {}

    async def watch() -> None:
        while True:
            for shard_id, row in (await rows(cluster)).items():
                for name, position in row.checkpoints.items():
                    before = seen.get((shard_id, name), OLDEST)
                    assert rank(position) >= rank(before) or before == "newest", (shard_id, name, before, position)
                    seen[shard_id, name] = position
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())
    for node, other in ((a, b), (b, a), (a, b)):
        await eventually(partial(has_shards, node, 1))
        await cluster.write()
        node.kill()
        await cluster.write()
        proxy.stream.split()
        await eventually(partial(has_shards, other, SHARDS))
        node.engine.goes.set()
    await cluster.until_received()

    assert not watching.done() or watching.result() is None
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


async def test_checkpoint_of_a_holder_that_lost_its_lease_is_refused(cluster: Cluster) -> None:
    a = await cluster.node("a")
    await cluster.write()
    await a.consumer._discover()
    row = next(iter(a.consumer._rows.shards.values()))
    stale = await a.consumer._acquire(row, a.consumer._consumers)
    assert stale is not None
    key = shard_progress(stream=row.stream, shard_id=row.shard_id)
    # As another node does when the lease is over, which has processed everything.
    lease = Lease(cluster.table, SetClock(round(time.time() * 1000) + 3_600_000), key, seconds=60, pattern=keep_shard)
    done = {"one": END, "two": END, "events": END}
    assert await lease.acquire(set_to(holder="b", checkpoints=done)) is not None

    await stale.release()

    [kept] = [found for found in (await rows(cluster)).values() if found.shard_id == row.shard_id]
    assert (kept.holder, kept.checkpoints) == ("b", done)


async def test_failing_consumer_delays_no_other_and_misses_nothing(cluster: Cluster, proxy: ShardingProxy) -> None:
    [a] = await cluster.started("a")
    await eventually(lambda: counts(a) == [SHARDS])
    a.handlers["one"].is_broken = True
    for _ in range(3):
        await cluster.write()
        proxy.stream.split()
    # The children of shards that the broken one has not finished are read for the others.
    await cluster.until_received(cluster.logs.two, cluster.logs.events)
    assert cluster.logs.one.received == []

    a.handlers["one"].is_broken = False
    await cluster.until_received()


async def test_publisher_that_fails_repeats_the_last_seconds_in_order(cluster: Cluster) -> None:
    [a] = await cluster.started("a")
    await eventually(lambda: counts(a) == [SHARDS])
    await cluster.write()
    await cluster.until_received()

    a.publisher.is_broken = True
    await cluster.write()
    await cluster.until_received(cluster.logs.one)
    a.publisher.is_broken = False

    await cluster.until_received()
    repeated = len(cluster.logs.events.received) - len(set(cluster.logs.events.received))
    assert repeated > 0, "what Redis may have lost is published again"


async def test_publisher_starts_with_what_happens_after_the_first_start(cluster: Cluster) -> None:
    await cluster.write()
    a = await cluster.node("a")
    await a.consumer.prepare()
    for note_id in cluster.numbers:
        cluster.numbers[note_id] = 1
    await cluster.write()
    a.start()

    await cluster.until_received(cluster.logs.one)
    await eventually(lambda: len(cluster.logs.events.received) >= len(cluster.numbers))
    assert {received.number for received in cluster.logs.events.received} == {2}


async def test_positions_of_an_earlier_version_are_continued(cluster: Cluster) -> None:
    await cluster.write()
    reader = await cluster.table.changes(OLDEST)
    position = Position("")
    while (batch := await reader.read(0)).changes:
        position = batch.position
    await cluster.table.write(Put(Progress(name=EARLIER, position=position)))
    await cluster.write()

    await cluster.started("a")

    await eventually(lambda: len(cluster.logs.one.received) >= len(cluster.numbers))
    assert {received.number for received in cluster.logs.one.received} == {2}


async def test_rows_of_shards_that_are_no_longer_kept_are_removed(cluster: Cluster, proxy: ShardingProxy) -> None:
    a = await cluster.node("a")
    await cluster.write()
    await a.consumer.catch_up()
    shard_id = proxy.stream.leaves()[0]
    proxy.stream.split(shard_id)
    await cluster.write()
    await a.consumer.catch_up()
    cluster.require_all_in_order(cluster.logs.one, cluster.logs.two)
    row = (await rows(cluster))[shard_id]
    assert set(row.finished) >= {"one", "two"}
    await cluster.table.write(Put(_with(row, events=END)))

    proxy.stream.forget(shard_id)
    await a.consumer.catch_up()

    assert shard_id not in await rows(cluster)
    assert len(await rows(cluster)) == SHARDS + 1


def _with(row: ShardProgress, **checkpoints: Position) -> ShardProgress:
    return msgspec.structs.replace(row, checkpoints={**row.checkpoints, **checkpoints})


async def test_changes_that_are_trimmed_are_skipped_and_the_publisher_is_warned(
    cluster: Cluster, proxy: ShardingProxy
) -> None:
    [a] = await cluster.started("a")
    await eventually(lambda: counts(a) == [SHARDS])
    await cluster.write()
    await cluster.until_received()
    await a.stop()
    # A day later: the publisher's saved position is no longer as it was some seconds before the stop.
    for row in (await rows(cluster)).values():
        await cluster.table.write(Put(_with(row, events=row.checkpoints["one"])))
    await cluster.write()
    await cluster.table.shards()
    for shard_id in proxy.stream.leaves():
        proxy.stream.trim(shard_id)
    await cluster.write()

    [b] = await cluster.started("b")

    kept = {note_id: [1, 3] for note_id in cluster.numbers}
    await eventually(lambda: all(log.first_numbers() == kept for log in cluster.logs))
    assert b.publisher.restarts > 0


async def test_lag_of_each_consumer_grows_while_it_fails_and_is_gone_when_it_has_caught_up(cluster: Cluster) -> None:
    [a] = await cluster.started("a")
    await eventually(lambda: counts(a) == [SHARDS])
    a.handlers["one"].is_broken = True
    await cluster.write()
    await eventually(lambda: lag(a, "one") > 1)
    assert len(list(a.consumer.lags())) == 3 * SHARDS
    metrics = Metrics()
    metrics.watch_change_stream(lambda: len(a.consumer.shards), a.consumer.lags)
    text = metrics.text().decode()
    assert f"\nsobremesa_stream_shards {SHARDS}.0" in text
    assert all(f'{{consumer="one",shard="{shard_id}"}}' in text for shard_id in a.consumer.shards)

    a.handlers["one"].is_broken = False
    await cluster.until_received()
    await eventually(lambda: lag(a, "one") == 0)


def lag(node: StreamNode, consumer: str) -> float:
    return max(found.seconds for found in node.consumer.lags() if found.consumer == consumer)
