"""Nodes that read the change stream of one table, in this process, and what their consumers received."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.ids import Ids
from sobremesa.table import Entity, Keys, Layout, Position, Put, RawChange, Table
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.faults import FaultyEngine, Rates
from sobremesa.table.engines.protocol import ItemWrite, ShardBatch, ShardReader, Written
from sobremesa.work.consumers import ChangeConsumer, ReaderTimes

SOON_SECONDS = 60.0
LOOK_SECONDS = 0.02
LEASE_SECONDS = 2.0


class Note(Entity):
    """A row that is written again and again, each time with the next number."""

    keys = Keys(pk="NOTE#{note_id}", sk="NOTE")

    note_id: str
    number: int


class Received(NamedTuple):
    """A change of a note that a consumer received."""

    note_id: str
    number: int
    shard_id: str
    node: str


class Log:
    """What the consumers of one name received, on all nodes, in this order."""

    def __init__(self) -> None:
        self.received: list[Received] = []

    def add(self, changes: Sequence[RawChange], node: str) -> None:
        self.received += [
            Received(change.key.pk.removeprefix("NOTE#"), int(str(change.new["number"])), change.shard_id, node)
            for change in changes
            if change.new is not None and change.key.pk.startswith("NOTE#")
        ]

    def first_numbers(self) -> dict[str, list[int]]:
        """Return the numbers of each note, in the order in which they were received first."""
        numbers: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for note_id, number, _, _ in self.received:
            numbers[note_id].setdefault(number)
        return {note_id: list(found) for note_id, found in numbers.items()}


class Handler:
    """A handler that records what it processes, and fails for as long as a test wants."""

    def __init__(self, log: Log, node: str) -> None:
        self.is_broken = False
        self.failures = 0
        self._log = log
        self._node = node
        self._collected: list[RawChange] = []

    def collect(self, change: RawChange) -> None:
        self._collected.append(change)

    async def flush(self) -> None:
        if self.is_broken:
            self.failures += 1
            raise RuntimeError("the handler is broken")
        collected, self._collected = self._collected, []
        await asyncio.sleep(0)
        self._log.add(collected, self._node)


class Publisher:
    """A publisher that records what it publishes, and fails for as long as a test wants."""

    def __init__(self, log: Log, node: str) -> None:
        self.is_broken = False
        self.restarts = 0
        self._log = log
        self._node = node

    async def publish(self, shard_id: str, changes: Sequence[RawChange]) -> None:
        await asyncio.sleep(0)
        if self.is_broken:
            raise RuntimeError("the publisher is broken")
        assert {change.shard_id for change in changes} <= {shard_id}
        self._log.add(changes, self._node)

    async def restart(self) -> None:
        self.restarts += 1


class StoppableEngine(FaultyEngine):
    """An engine whose calls hang while it is stopped, as for a node that lost its network."""

    def __init__(self, engine: DynamoEngine) -> None:
        super().__init__(engine, Rates())
        self.goes = asyncio.Event()
        self.goes.set()

    async def write(self, operation: ItemWrite) -> Written:
        await self.goes.wait()
        return await super().write(operation)

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        await self.goes.wait()
        return _StoppableReader(self, await super().open_shard(shard_id, after))


class _StoppableReader:
    def __init__(self, engine: StoppableEngine, reader: ShardReader) -> None:
        self._engine = engine
        self._reader = reader
        self.pause_seconds = reader.pause_seconds

    async def read(self) -> ShardBatch:
        await self._engine.goes.wait()
        return await self._reader.read()


class StreamNode:
    """A node: its consumers, and what each received."""

    def __init__(self, name: str, engine: StoppableEngine, logs: Logs, clock: Clock, lease_seconds: float) -> None:
        self.name = name
        self.engine = engine
        self.table = Table(engine, clock=clock)
        self.handlers = {"one": Handler(logs.one, name), "two": Handler(logs.two, name)}
        self.publisher = Publisher(logs.events, name)
        self.consumer = ChangeConsumer(
            self.table,
            clock,
            Ids(clock),
            self.handlers,
            publisher=self.publisher,
            times=ReaderTimes(lease_seconds=lease_seconds),
        )
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self.consumer.run())

    async def stop(self) -> None:
        """Stop it as an operator would."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def kill(self) -> None:
        """Let it write and read nothing any more."""
        self.engine.goes.clear()

    async def bury(self) -> None:
        """End the tasks of a killed node."""
        self.engine.goes.set()
        await self.stop()


class Logs(NamedTuple):
    """What each consumer received."""

    one: Log
    two: Log
    events: Log


class Cluster:
    """Some nodes over one table."""

    def __init__(self, url: str, table: str) -> None:
        self._url = url
        self._table = table
        self._clock = SystemClock()
        self._closing = contextlib.AsyncExitStack()
        self.logs = Logs(Log(), Log(), Log())
        self.numbers: defaultdict[str, int] = defaultdict(int)
        self.table: Table

    async def open(self) -> None:
        engine = await self._engine()
        self.table = Table(engine, clock=self._clock)
        await engine.create_table()

    async def close(self) -> None:
        await self._closing.aclose()

    async def node(self, name: str, lease_seconds: float = LEASE_SECONDS) -> StreamNode:
        """Return a node, which is not started yet."""
        node = StreamNode(name, StoppableEngine(await self._engine()), self.logs, self._clock, lease_seconds)
        self._closing.push_async_callback(node.bury)
        return node

    async def started(self, *names: str) -> list[StreamNode]:
        """Start nodes, and wait until the first has a shard."""
        nodes = [await self.node(name) for name in names]
        for node in nodes:
            node.start()
        await eventually(lambda: any(node.consumer.shards for node in nodes))
        return nodes

    async def write(self, partitions: int = 24) -> None:
        """Write every note once more."""
        for number in range(partitions):
            note_id = f"n{number:02d}"
            self.numbers[note_id] += 1
            await self.table.write(Put(Note(note_id=note_id, number=self.numbers[note_id])))

    def is_received(self, log: Log) -> bool:
        """Return whether all that was written was received."""
        numbers = log.first_numbers()
        return all(len(numbers.get(note_id, ())) == last for note_id, last in self.numbers.items())

    def require_all_in_order(self, *logs: Log) -> None:
        for log in logs:
            expected = {note_id: list(range(1, last + 1)) for note_id, last in self.numbers.items()}
            assert log.first_numbers() == expected

    async def until_received(self, *logs: Log) -> None:
        await eventually(lambda: all(map(self.is_received, logs or self.logs)), self._missing)
        self.require_all_in_order(*(logs or self.logs))

    def _missing(self) -> str:
        found = [{note_id: len(numbers) for note_id, numbers in log.first_numbers().items()} for log in self.logs]
        return f"written: {dict(self.numbers)}, received: {found}"

    async def _engine(self) -> DynamoEngine:
        layout = Layout(table=self._table)
        engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=self._url, clock=self._clock)
        self._closing.push_async_callback(engine.close)
        return engine


@asynccontextmanager
async def cluster_of(url: str, table: str) -> AsyncIterator[Cluster]:
    cluster = Cluster(url, table)
    try:
        await cluster.open()
        yield cluster
    finally:
        await cluster.close()


async def eventually(is_so: Callable[[], bool], why: Callable[[], str] = lambda: "") -> None:
    """Wait for something that must come."""
    deadline = time.monotonic() + SOON_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, why()
        await asyncio.sleep(LOOK_SECONDS)
