"""The change consumer: passes every change of the table to all consumers, at least once, in the order of each shard.

Each shard of the change stream is read by one node, which has a lease on it; the nodes have about as many shards each.
How far each consumer has come in a shard is saved in the row of the lease, so that a node that lost it, and wakes up,
saves nothing. After a crash another node continues there: consumers must be idempotent. A consumer that fails is
called again and does not delay the others. The children of a shard are read after it, by each consumer.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import structlog

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.lease import Lease
from sobremesa.core.waiting import wait_for_event
from sobremesa.live.entities import pump_progress
from sobremesa.table import Entity, Operation, Position, Put, Table, set_to
from sobremesa.table.errors import TableError
from sobremesa.work.consumers.assignment import room_of, surplus_of
from sobremesa.work.consumers.deliveries import END
from sobremesa.work.consumers.entities import ShardProgress, StreamNode, keep_shard, progress_of, shard_progress
from sobremesa.work.consumers.handlers import (
    ChangeHandler,
    ChangePublisher,
    Consumer,
    HandlerConsumer,
    PublisherConsumer,
    error_text,
)
from sobremesa.work.consumers.reading import ShardReading
from sobremesa.work.consumers.shard_rows import ShardRows

PUBLISHER = "events"
BEHIND_SECONDS = 15.0
"""How much a node that takes over publishes again."""
EARLIER = "activity"
"""The name of the handlers' common progress in earlier versions."""
DISCOVERY_SECONDS = 60.0
"""How often a node lists the shards, besides when one of its own has ended."""

_log = structlog.get_logger("sobremesa.work.consumers")


class ReaderTimes(NamedTuple):
    """How long the leases of shards and nodes last, which are renewed three times as often."""

    lease_seconds: float = 6.0


class ConsumerLag(NamedTuple):
    """How far a consumer is behind in a shard of this node."""

    consumer: str
    shard_id: str
    seconds: float


class ChangeConsumer:
    """Reads this node's share of the change stream of one table, for several consumers."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        handlers: Mapping[str, ChangeHandler],
        *,
        publisher: ChangePublisher | None = None,
        times: ReaderTimes = ReaderTimes(),  # noqa: B008 - immutable
    ) -> None:
        """The names of the handlers are stored with their checkpoints."""
        self._table = table
        self._clock = clock
        self._node_id = ids.mint()
        self._times = times
        self._handlers = [HandlerConsumer(name, handler) for name, handler in handlers.items()]
        self._consumers: list[Consumer] = [*self._handlers]
        if publisher is not None:
            self._consumers.append(PublisherConsumer(PUBLISHER, publisher, behind_seconds=BEHIND_SECONDS))
        self._rows = ShardRows(table, clock, self._node_id)
        self._readings: dict[str, tuple[ShardReading, asyncio.Task[None]]] = {}
        self._wake = asyncio.Event()
        self._discover_at = 0.0
        self._prepared = asyncio.Lock()
        table.watch(self._note)

    # Running

    async def run(self) -> None:
        """Read this node's share of the stream until cancelled."""
        running = [asyncio.create_task(consumer.run()) for consumer in self._consumers]
        try:
            while True:
                self._wake.clear()
                try:
                    await self._assign()
                except Exception as error:  # any error: it is retried
                    _log.warning("the shards of the change stream are not assigned", why=error_text(error))
                pause = self._times.lease_seconds / 3 * random.uniform(0.9, 1.0)  # noqa: S311 - nothing secret
                await wait_for_event(self._wake, pause)
        finally:
            await self._stop([*self._readings])
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            with contextlib.suppress(TableError):
                await self._rows.remove_node()

    async def prepare(self) -> None:
        """Save the first positions, so that nothing is missed from now on, whichever node reads it."""
        async with self._prepared:
            if not self._rows.stream:
                await self._discover()

    async def catch_up(self) -> None:
        """Let the handlers process all pending changes, then stop: for commands and tests."""
        await self._discover()
        while await self._catch_up_once():
            await self._discover()

    def nudge(self) -> None:
        """Read the change stream now: something was written."""
        for reading, _ in self._readings.values():
            reading.nudge()

    # What metrics show

    @property
    def shards(self) -> Sequence[str]:
        """The shards that this node reads."""
        return [*self._readings]

    def lags(self) -> Iterator[ConsumerLag]:
        """Yield how far each consumer is behind in each shard of this node."""
        now_ms = self._clock.now_ms()
        for shard_id, (reading, _) in self._readings.items():
            for delivery in reading.deliveries:
                yield ConsumerLag(delivery.options.name, shard_id, delivery.lag_seconds(now_ms))

    # Which shards this node reads

    async def _assign(self) -> None:
        """Give up shards that are too many, and acquire free ones."""
        await self._rows.renew_node(self._times.lease_seconds)
        ended = [shard_id for shard_id, (_, task) in self._readings.items() if task.done()]
        await self._stop(ended)
        if asyncio.get_running_loop().time() >= self._discover_at:
            await self._discover()
        else:
            await self._rows.load()
        now_ms = self._clock.now_ms()
        held = dict.fromkeys(self._rows.nodes, 0) | {self._node_id: len(self._readings)}
        free = []
        for row in self._wanted():
            if row.shard_id in self._readings:
                continue
            if row.leased_until_ms < now_ms:
                free.append(row)
            elif row.holder in held:
                held[row.holder] += 1
        surplus = surplus_of(self._node_id, held)
        if surplus:
            await self._stop([*self._readings][-surplus:])
            return
        random.shuffle(free)
        for row in free[: room_of(self._node_id, held, len(free))]:
            await self._start_reading(row)

    def _wanted(self) -> list[ShardProgress]:
        """Return the shards that a consumer of this node has not processed, and may."""
        return [row for row in self._rows.shards.values() if self._is_wanted(row, self._consumers)]

    def _is_wanted(self, row: ShardProgress, consumers: Sequence[Consumer]) -> bool:
        names = [consumer.options.name for consumer in consumers]
        return any(row.checkpoints.get(name) != END and self._rows.may_start(row, name) for name in names)

    async def _start_reading(self, row: ShardProgress) -> None:
        reading = await self._acquire(row, self._consumers)
        if reading is not None:
            self._readings[row.shard_id] = (reading, asyncio.create_task(reading.run()))

    async def _acquire(self, row: ShardProgress, consumers: Sequence[Consumer]) -> ShardReading | None:
        """Acquire the lease on a shard; None while another node has it."""
        key = shard_progress(stream=row.stream, shard_id=row.shard_id)
        lease = Lease(self._table, self._clock, key, seconds=self._times.lease_seconds, pattern=keep_shard)
        acquired = await lease.acquire(set_to(holder=self._node_id))
        if acquired is None:
            return None
        return ShardReading(
            self._table,
            acquired,
            lease,
            consumers,
            may_start=self._rows.may_start,
            finished=self._shard_finished,
            newest=self._rows.pinned.pop(row.shard_id, None) if consumers is self._consumers else None,
        )

    def _shard_finished(self) -> None:
        """List the shards again: a shard that has ended has children."""
        self._discover_at = 0.0
        self._wake.set()

    async def _stop(self, shard_ids: Sequence[str]) -> None:
        """Stop reading some shards, and let other nodes have them."""
        tasks = [self._readings.pop(shard_id)[1] for shard_id in shard_ids]
        for task in tasks:
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                _log.warning("the reading of a shard has failed", why=error_text(result))

    async def _discover(self) -> None:
        """List the shards, and save first positions for those that are new."""
        consumers = [consumer.options for consumer in self._consumers]
        lost = await self._rows.discover(consumers, {} if self._rows.stream else await self._earlier_positions())
        self._discover_at = asyncio.get_running_loop().time() + DISCOVERY_SECONDS * random.uniform(0.8, 1.2)  # noqa: S311 - nothing secret
        if lost:
            _log.warning("changes are no longer kept that were not processed", shards=[row.shard_id for row in lost])
            for consumer in self._consumers:
                await consumer.trimmed()

    async def _earlier_positions(self) -> dict[str, Position | None]:
        """Return the positions that an earlier version has saved, by the consumer."""
        progress = await self._table.get(progress_of(name=EARLIER))
        relayed = await self._table.get(pump_progress())
        of_handlers = None if progress is None or progress.position is None else Position(progress.position)
        positions: dict[str, Position | None] = {handler.options.name: of_handlers for handler in self._handlers}
        positions[PUBLISHER] = None if relayed is None or relayed.position is None else Position(relayed.position)
        return positions

    # Catching up

    async def _catch_up_once(self) -> bool:
        """Let the handlers process what is in the shards that are free; return whether some of these have ended."""
        wanted = [row for row in self._rows.shards.values() if self._is_wanted(row, self._handlers)]
        free = [row for row in wanted if row.shard_id not in self._readings]
        held = [reading for row in free if (reading := await self._acquire(row, self._handlers)) is not None]
        try:
            with contextlib.ExitStack() as attached:
                for reading in held:
                    attached.enter_context(reading.attached())
                is_full = True
                while is_full:
                    is_full = any([await reading.drain() for reading in held])
                    for handler in self._handlers:
                        await handler.process()
        finally:
            for reading in held:
                await reading.release()
        return any(delivery.is_finished for reading in held for delivery in reading.deliveries)

    # Writes of this process

    def _note(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        if self._readings and any(_entity_of(operation) not in (ShardProgress, StreamNode) for operation in operations):
            self.nudge()


def _entity_of(operation: Operation) -> type[Entity]:
    return type(operation.entity) if isinstance(operation, Put) else operation.key.entity
