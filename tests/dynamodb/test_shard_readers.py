"""One shard of a stream with several: each change once, in order, from any sequence number on."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator

import pytest

from dynamodb.rows import put
from servers import Endpoint
from servers.sharded import ShardedStream, ShardingProxy, start_sharded
from sobremesa.core.clock import SystemClock
from sobremesa.table import NEWEST, OLDEST, Layout, Position, RawChange
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.protocol import ShardReader
from sobremesa.table.errors import PositionTrimmed

PARTITIONS = 24


@pytest.fixture
def proxy(dynamodb_endpoint: Endpoint) -> Iterator[ShardingProxy]:
    with start_sharded(dynamodb_endpoint, shards=4) as proxy:
        yield proxy


@pytest.fixture
async def engine(proxy: ShardingProxy, layout: Layout) -> AsyncIterator[DynamoEngine]:
    engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=proxy.url, clock=SystemClock())
    try:
        await engine.create_table()
        await engine.shards()
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def stream(engine: DynamoEngine, proxy: ShardingProxy) -> ShardedStream:
    """The stream of the engine's table."""
    del engine  # it has opened the stream
    return proxy.stream


async def write(engine: DynamoEngine, number: int) -> None:
    for partition in range(PARTITIONS):
        await engine.write(put("s", pk=f"p{partition}", n=number))


async def read_all(reader: ShardReader) -> list[RawChange]:
    changes: list[RawChange] = []
    while (batch := await reader.read()).changes and not batch.ended:
        changes += batch.changes
    return [*changes, *batch.changes]


async def test_shards_together_have_every_change_once_and_in_the_order_of_each_key(
    engine: DynamoEngine, stream: ShardedStream
) -> None:
    await write(engine, 1)
    await write(engine, 2)
    stream.split()
    await write(engine, 3)

    listed = (await engine.shards()).shards
    found = [change for shard in listed for change in await read_all(await engine.open_shard(shard.id, OLDEST))]

    assert len(listed) == 6
    of_key = defaultdict(list)
    for change in found:
        assert change.new is not None
        of_key[change.key.pk].append(change.new["n"])
    assert of_key == {f"p{partition}": [1, 2, 3] for partition in range(PARTITIONS)}
    for shard in listed:
        numbers = [int(change.sequence) for change in found if change.shard_id == shard.id]
        assert numbers == sorted(set(numbers))


async def test_parents_are_listed_before_their_children_however_the_pages_are_cut(
    engine: DynamoEngine, stream: ShardedStream
) -> None:
    stream.repeats_pages = True
    for _ in range(4):
        stream.split()

    listed = (await engine.shards()).shards

    assert len(listed) == 12
    places = {shard.id: place for place, shard in enumerate(listed)}
    assert len(places) == 12
    assert all(places[shard.parent] < places[shard.id] for shard in listed if shard.parent is not None)


async def test_closed_shard_ends_and_a_reader_continues_after_a_number(
    engine: DynamoEngine, stream: ShardedStream
) -> None:
    shard_id = stream.shard_of("p1")
    await engine.write(put("s", pk="p1", n=1))
    first = await (await engine.open_shard(shard_id, OLDEST)).read()
    await engine.write(put("s", pk="p1", n=2))
    await engine.shards()
    stream.split(shard_id)

    rest = await (await engine.open_shard(shard_id, first.after)).read()

    assert not first.ended
    assert [change.new and change.new["n"] for change in rest.changes] == [2]
    assert rest.ended


async def test_expired_iterator_is_replaced_and_a_trimmed_number_is_reported(
    engine: DynamoEngine, stream: ShardedStream
) -> None:
    shard_id = stream.shard_of("p1")
    newest = await engine.open_shard(shard_id, NEWEST)
    reader = await engine.open_shard(shard_id, OLDEST)
    for number in range(3):
        await engine.write(put("s", pk="p1", n=number))
    first = await reader.read()
    await engine.write(put("s", pk="p1", n=3))

    stream.expire_iterators()

    assert (await reader.read()).changes == []
    assert len((await reader.read()).changes) == 1
    assert (await newest.read()).changes == []
    assert len((await newest.read()).changes) == 4, "without a number, all that is kept is read again"
    stream.trim(shard_id, keep=1)
    with pytest.raises(PositionTrimmed):
        await engine.open_shard(shard_id, Position(first.changes[0].sequence))
    assert len((await (await engine.open_shard(shard_id, OLDEST)).read()).changes) == 1


async def test_position_of_the_whole_stream_is_one_of_each_shard(engine: DynamoEngine, stream: ShardedStream) -> None:
    reader = await engine.changes(OLDEST)
    await write(engine, 1)
    await engine.shards()
    ended = stream.split()
    while (batch := await reader.read(0)).changes:
        pass
    position = batch.position
    await write(engine, 2)

    positions = await engine.shard_positions(position)
    found = []
    for shard in (await engine.shards()).shards:
        after = positions.get(shard.id, OLDEST)
        if after is not None:
            found += await read_all(await engine.open_shard(shard.id, after))

    assert len(ended) == 2
    assert sorted(change.key.pk for change in found) == sorted(f"p{partition}" for partition in range(PARTITIONS))


async def test_reader_of_the_whole_stream_reads_each_shard_at_most_five_times_a_second(
    engine: DynamoEngine, stream: ShardedStream
) -> None:
    reader = await engine.changes(NEWEST)
    since = asyncio.get_running_loop().time()

    while asyncio.get_running_loop().time() < since + 2:
        await engine.write(put("s", pk="p1"))
        await reader.read(1)

    assert 1 <= stream.most_reads_in(2.0, since) <= 10
