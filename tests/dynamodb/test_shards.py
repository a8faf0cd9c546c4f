"""Many shards, scripted: parents before children, every batch a place to go on from, and nothing lost."""

from __future__ import annotations

import asyncio

import pytest

from dynamodb.scripted import Answering, ScriptedEndpoint, hangs_up, rejects
from dynamodb.scripted_stream import ScriptedStream
from sobremesa.core.clock import SetClock
from sobremesa.table import NEWEST, OLDEST, ChangeBatch, Position
from sobremesa.table.engines.dynamodb import DynamoEngine, streams
from sobremesa.table.engines.dynamodb.positions import position_from
from sobremesa.table.engines.dynamodb.responses import RecordsResponse
from sobremesa.table.engines.dynamodb.shards import Stream
from sobremesa.table.engines.protocol import ChangeReader
from sobremesa.table.errors import BadExpression, PositionTrimmed, StoreFailed, Throttled

ROUNDS = 12
"""More reads than any of these streams has batches."""


@pytest.fixture
def stream(scripted: ScriptedEndpoint, clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> ScriptedStream:
    """A stream in which A was split into B and C, with D beside; shards are looked for at every read."""
    monkeypatch.setattr(streams, "DISCOVERY_SECONDS", 0.0)
    stream = ScriptedStream(clock)
    stream.put("a0", "a1", "a2", "a3", "a4")
    stream.split("A", "B", "C")
    stream.put("b0", "c0", "d0", "b1", "c1", "d1", "b2", "c2", "d2")
    scripted.answers_always(stream.answer)
    return stream


ALL = sorted(f"a{n}" for n in range(5)) + sorted(f"{shard}{n}" for shard in "bcd" for n in range(3))


def names(*batches: ChangeBatch) -> list[str]:
    return [change.key.sk for batch in batches for change in batch.changes]


async def drain(reader: ChangeReader) -> tuple[list[str], Position]:
    """All that a reader gives at once, and the position after it."""
    batches = [await reader.read(0) for _ in range(ROUNDS)]
    assert batches[-1].changes == []
    return names(*batches), batches[-1].position


def assert_in_order(seen: list[str]) -> None:
    """Within a shard in order, and a parent before its children."""
    for shard in "abcd":
        own = [name for name in seen if name[0] == shard]
        assert own == sorted(own)
    last_of_parent = max(place for place, name in enumerate(seen) if name[0] == "a")
    assert all(place > last_of_parent for place, name in enumerate(seen) if name[0] in "bc")


@pytest.mark.usefixtures("stream")
async def test_from_the_oldest_on_parents_come_before_their_children(engine: DynamoEngine) -> None:
    seen, _ = await drain(await engine.changes(OLDEST))

    assert sorted(seen) == ALL
    assert_in_order(seen)


@pytest.mark.usefixtures("stream")
async def test_reader_that_resumes_after_every_batch_gets_everything_once_and_in_order(engine: DynamoEngine) -> None:
    seen: list[str] = []
    position = OLDEST
    for _ in range(ROUNDS):
        reader = await engine.changes(position)
        batch = await reader.read(0)
        seen += names(batch)
        position = batch.position

    assert sorted(seen) == ALL
    assert_in_order(seen)


@pytest.mark.usefixtures("stream")
@pytest.mark.parametrize("read", range(8))
async def test_reader_resumes_from_any_position(read: int, engine: DynamoEngine) -> None:
    reader = await engine.changes(OLDEST)
    batches = [await reader.read(0) for _ in range(read + 1)]

    rest, _ = await drain(await engine.changes(batches[-1].position))

    assert sorted([*names(*batches), *rest]) == ALL
    assert_in_order([*names(*batches), *rest])


async def test_shards_that_come_later_are_found(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(OLDEST)
    _, position = await drain(reader)

    stream.split("B", "E")
    stream.put("e0", "f0")
    del stream.shards["A"]

    for each_reader in (reader, await engine.changes(position)):
        seen, after = await drain(each_reader)
        assert sorted(seen) == ["e0", "f0"]
        known = position_from(after).shards
        assert "A" not in known
        assert known["B"].done


async def test_the_children_of_an_ended_shard_are_found_at_once(
    engine: DynamoEngine, stream: ScriptedStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "DISCOVERY_SECONDS", 3600.0)
    reader = await engine.changes(OLDEST)
    await drain(reader)

    stream.put("b3")
    stream.split("B", "E")
    stream.put("e0")

    assert (await drain(reader))[0] == ["b3", "e0"]


@pytest.mark.usefixtures("stream")
async def test_shards_are_not_looked_for_at_every_read(
    engine: DynamoEngine, scripted: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "DISCOVERY_SECONDS", 3600.0)
    reader = await engine.changes(NEWEST)
    asked = scripted.actions().count("DescribeStream")

    await drain(reader)

    assert scripted.actions().count("DescribeStream") == asked


async def test_an_iterator_that_expired_is_replaced(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(OLDEST)
    await drain(reader)

    stream.put("b3", "d3")
    stream.expired.update(stream.given)

    assert sorted(names(await reader.read(0))) == ["b3", "d3"]


async def test_newest_is_pinned_when_the_reader_is_opened(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(NEWEST)

    stream.put("b3", "c3")
    stream.split("D", "E")
    stream.put("d3", "e0")

    seen, _ = await drain(reader)
    assert sorted(seen) == ["b3", "c3", "d3", "e0"]


async def test_a_position_of_newest_holds_before_anything_was_read(
    engine: DynamoEngine, stream: ScriptedStream
) -> None:
    pinned = (await (await engine.changes(NEWEST)).read(0)).position
    again = (await (await engine.changes(pinned)).read(0)).position
    stream.put("b3", "d3")

    for position in (pinned, again):
        seen, _ = await drain(await engine.changes(position))
        assert sorted(seen) == ["b3", "d3"]


async def test_a_position_of_newest_holds_also_when_its_iterators_are_forgotten(
    engine: DynamoEngine, stream: ScriptedStream, clock: SetClock
) -> None:
    clock.move(seconds=3600)
    pinned = (await (await engine.changes(NEWEST)).read(0)).position
    clock.move(seconds=3600)
    stream.put("b3", "d3")
    stream.expired.update(stream.given)

    seen, after = await drain(await engine.changes(pinned))
    stream.put("c3")
    more, _ = await drain(await engine.changes(after))

    assert sorted(seen) == ["b3", "d3"]
    assert more == ["c3"]


async def test_with_forgotten_iterators_a_clock_that_differs_loses_nothing(
    engine: DynamoEngine, stream: ScriptedStream, clock: SetClock
) -> None:
    clock.move(seconds=3600)
    pinned = (await (await engine.changes(NEWEST)).read(0)).position
    clock.move(seconds=-240)  # the service's clock is four minutes behind ours
    stream.put("d3")
    stream.expired.update(stream.given)

    seen, _ = await drain(await engine.changes(pinned))

    assert seen == ["d3"]


async def test_what_time_to_live_removed_is_marked(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(NEWEST)
    stream.put("d3")
    stream.put("d4", expired=True)

    (added, removed) = (await reader.read(0)).changes

    assert (added.expired, added.old, added.new) == (False, None, {"pk": "p", "sk": "d3"})
    assert (removed.expired, removed.old, removed.new) == (True, {"pk": "p", "sk": "d4"}, None)
    assert added.id == "event-d3"


TRIMMED = ["the sequence number", "the iterator", "the shard", "the stream"]


@pytest.mark.parametrize("what", TRIMMED)
async def test_position_that_is_no_longer_kept_fails_at_once(
    what: str, engine: DynamoEngine, stream: ScriptedStream
) -> None:
    _, position = await drain(await engine.changes(OLDEST))
    match what:
        case "the sequence number":
            stream.trimmed.add("C")
        case "the iterator":
            stream.unreadable.add("C")
        case "the shard":
            del stream.shards["C"]
        case _:
            stream.label = "second"

    with pytest.raises(PositionTrimmed) as trimmed:
        await engine.changes(position)

    assert trimmed.value.oldest == OLDEST
    await engine.changes(OLDEST)


async def test_a_position_is_trimmed_after_a_day(engine: DynamoEngine, stream: ScriptedStream, clock: SetClock) -> None:
    _, position = await drain(await engine.changes(OLDEST))

    clock.move(seconds=24 * 3600)
    reader = await engine.changes(position)
    fresh = (await reader.read(0)).position
    clock.move(seconds=1)

    with pytest.raises(PositionTrimmed):
        await engine.changes(position)
    await engine.changes(fresh)


async def test_reader_behind_pruned_changes_raises(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(OLDEST)
    await drain(reader)

    stream.trimmed.update(stream.shards)
    stream.expired.update(stream.given)

    with pytest.raises(PositionTrimmed):
        await reader.read(0)


@pytest.mark.parametrize("forgotten", [False, True])
async def test_a_cancelled_read_loses_nothing(
    forgotten: bool,
    engine: DynamoEngine,
    stream: ScriptedStream,
    scripted: ScriptedEndpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = await engine.changes(OLDEST)
    await drain(reader)
    stream.put("b3", "c3", "d3")
    stream.failing["D"] = scripted.never
    stream.expired.update(stream.given if forgotten else [])
    come: asyncio.Queue[RecordsResponse] = asyncio.Queue()
    records = Stream.records

    async def recorded(asked: Stream, iterator: str) -> RecordsResponse:
        page = await records(asked, iterator)
        come.put_nowait(page)
        return page

    monkeypatch.setattr(Stream, "records", recorded)
    reading = asyncio.create_task(reader.read(60))
    for _ in "BC":  # two shards have answered, and the third will not
        assert (await come.get()).records
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    stream.failing.clear()

    assert reading.cancelled()
    assert sorted((await drain(reader))[0]) == ["b3", "c3", "d3"]


async def test_a_shard_that_is_throttled_does_not_stop_the_others(engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(OLDEST)
    await drain(reader)
    stream.failing["D"] = rejects("ProvisionedThroughputExceededException")
    stream.put("c3", "d3")

    assert names(await reader.read(0)) == ["c3"]
    with pytest.raises(Throttled):
        await reader.read(0)
    stream.failing.clear()
    assert names(await reader.read(0)) == ["d3"]


@pytest.mark.parametrize("failure", [hangs_up, rejects("InternalServerError", status=500)])
async def test_failed_read_can_be_repeated(failure: Answering, engine: DynamoEngine, stream: ScriptedStream) -> None:
    reader = await engine.changes(OLDEST)
    await drain(reader)
    stream.put("b3", "c3", "d3")
    for shard in stream.shards:
        stream.failing[shard] = failure

    with pytest.raises(StoreFailed):
        await reader.read(0)
    stream.failing.clear()

    assert sorted((await drain(reader))[0]) == ["b3", "c3", "d3"]


async def test_a_read_waits_for_the_first_change(
    engine: DynamoEngine, stream: ScriptedStream, scripted: ScriptedEndpoint
) -> None:
    reader = await engine.changes(NEWEST)
    before = scripted.actions().count("GetRecords")

    reading = asyncio.create_task(reader.read(60))
    while scripted.actions().count("GetRecords") < before + 3:
        await scripted.has_received(len(scripted.received) + 1)
    assert not reading.done()
    stream.put("d3")

    assert names(await reading) == ["d3"]


@pytest.mark.usefixtures("stream")
async def test_a_read_that_waits_in_vain_gives_an_empty_batch(engine: DynamoEngine) -> None:
    batch = await (await engine.changes(NEWEST)).read(0.01)

    assert batch.changes == []


@pytest.mark.parametrize("view", ["KEYS_ONLY", "NEW_IMAGE"])
async def test_a_stream_without_both_images_is_refused(view: str, engine: DynamoEngine, stream: ScriptedStream) -> None:
    stream.view = view

    with pytest.raises(BadExpression, match=view):
        await engine.changes(NEWEST)
