"""One shard of the change stream while this node holds its lease: read once, paced, for all consumers.

Consumers usually stand at one place, and a page is for all of them. One that is behind, because it failed or is slow,
gets pages of its own until it has caught up; the pace of the shard counts them all.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence

import structlog

from sobremesa.core.lease import Lease, LeaseLost
from sobremesa.table import NEWEST, OLDEST, Position, RawChange, ShardBatch, ShardReader, Table, set_to
from sobremesa.table.errors import PositionTrimmed, TableError
from sobremesa.table.updates import Changes
from sobremesa.work.consumers.deliveries import END, Delivery, rank, starting_position
from sobremesa.work.consumers.entities import PARTITION, ShardProgress
from sobremesa.work.consumers.handlers import Consumer, error_text

FREE_PAUSE_SECONDS = 0.1
"""Between reads of an engine that needs no pauses. What it wrote last is in its memory, which costs no decoding."""
FIRST_PAUSE_SECONDS = 0.2
"""Between attempts, until an engine's reader has its own."""
LONGEST_PAUSE_SECONDS = 1.0
"""While nothing changes, the pauses between reads grow up to this."""

_log = structlog.get_logger("sobremesa.work.consumers")


class ShardReading:
    """The reading of one shard for all consumers of this node."""

    def __init__(
        self,
        table: Table,
        row: ShardProgress,
        lease: Lease[ShardProgress],
        consumers: Sequence[Consumer],
        *,
        may_start: Callable[[ShardProgress, str], bool],
        finished: Callable[[], None] = lambda: None,
        newest: ShardReader | None = None,
    ) -> None:
        """`may_start` returns whether a consumer has finished the parent; `newest` is a reader pinned at NEWEST."""
        self.row = row
        self._table = table
        self._lease = lease
        self._may_start = may_start
        self._announce_finished = finished
        self._progress = asyncio.Event()
        self._nudged = asyncio.Event()
        self.deliveries = [self._delivery(consumer) for consumer in consumers]
        self._consumers = dict(zip(self.deliveries, consumers, strict=True))
        self._readers: dict[Position, ShardReader] = {} if newest is None else {NEWEST: newest}
        self._turn = 0
        self._read_at = 0.0
        self._least_pause = self._pause = FIRST_PAUSE_SECONDS
        self._finished = set(row.finished)
        # Handlers alone process what was read once a second: reading more often would gain nothing where it costs.
        self._needed_pause = min(consumer.least_pause_seconds for consumer in consumers)

    def _delivery(self, consumer: Consumer) -> Delivery:
        return Delivery(
            self.row.shard_id,
            consumer.options,
            starting_position(consumer.options, self.row.checkpoints),
            newest_since_ms=self.row.newest_since_ms,
            is_valid=lambda: self._lease.is_valid,
            progressed=self._progress.set,
        )

    # Running

    async def run(self) -> None:
        """Read the shard to its end, or until cancelled or the lease is lost; then release the lease."""
        try:
            with self.attached():
                async with self._lease.renewing(self.saving):
                    await self._read_to_end()
        except LeaseLost:
            _log.info("another node reads the shard now", shard=self.row.shard_id)
        finally:
            await self.release()

    @contextlib.contextmanager
    def attached(self) -> Iterator[None]:
        """Let the consumers process what is read, during the block."""
        for delivery, consumer in self._consumers.items():
            consumer.attach(delivery)
        try:
            yield
        finally:
            for delivery, consumer in self._consumers.items():
                consumer.detach(delivery)

    async def release(self) -> None:
        """Save the checkpoints and let another node acquire the lease."""
        with contextlib.suppress(TableError):
            await self._lease.release(self.saving())

    def nudge(self) -> None:
        """Read soon: something was written."""
        self._nudged.set()

    def saving(self) -> Changes:
        """Return the changes that save the checkpoints."""
        own = {delivery.options.name: delivery.saved() for delivery in self.deliveries}
        self._finished |= {delivery.options.name for delivery in self.deliveries if delivery.is_finished}
        return set_to(checkpoints={**self.row.checkpoints, **own}, finished=tuple(sorted(self._finished)))

    async def _read_to_end(self) -> None:
        while any(delivery.saved() != END for delivery in self.deliveries):
            self._nudged.clear()
            self._progress.clear()
            try:
                await self.read_once()
            except LeaseLost:
                raise
            except Exception as error:  # any error: the same changes are read again
                _log.warning("cannot read a shard", shard=self.row.shard_id, why=error_text(error))
                self._pause = LONGEST_PAUSE_SECONDS
            if not self._finished.issuperset(each.options.name for each in self.deliveries if each.is_finished):
                await self._lease.renew(self.saving())
                self._announce_finished()
            await self._rest()

    async def _rest(self) -> None:
        """Pause until nudged, or until a consumer has made progress; but read no more often than allowed."""
        loop = asyncio.get_running_loop()
        waits = [asyncio.ensure_future(self._nudged.wait())]
        if self._next_position() is None:
            waits.append(asyncio.ensure_future(self._progress.wait()))
        try:
            await asyncio.wait(waits, timeout=self._pause, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._nudged.is_set():
            self._pause = self._least_pause
        await asyncio.sleep(self._read_at + min(self._pause, self._least_pause) - loop.time())

    # Reading

    def _started(self) -> list[Delivery]:
        return [
            each
            for each in self.deliveries
            if each.position not in (OLDEST, NEWEST) or self._may_start(self.row, each.options.name)
        ]

    def _next_position(self) -> Position | None:
        """Return the place to read next: each place where consumers wait has its turn."""
        positions = list(dict.fromkeys(each.position for each in self._started() if each.has_room))
        return positions[self._turn % len(positions)] if positions else None

    async def read_once(self) -> bool:
        """Read one page for the consumers at one place, and pass it on; return whether anything was read."""
        start = self._next_position()
        if start is None:
            self._pause = LONGEST_PAUSE_SECONDS
            return False
        self._turn += 1
        self._read_at = asyncio.get_running_loop().time()
        try:
            reader = self._readers.get(start) or await self._table.open_shard(self.row.shard_id, self._opens_at(start))
            needed = self._needed_pause if reader.pause_seconds else min(self._needed_pause, FREE_PAUSE_SECONDS)
            self._least_pause = max(reader.pause_seconds, needed)
            self._read_at = asyncio.get_running_loop().time()
            batch = await reader.read()
        except PositionTrimmed as trimmed:
            await self._skip_trimmed(start, trimmed)
            return True
        # From here on without awaiting: what was read is passed on completely or not at all.
        self._pass_on(start, batch)
        places = {each.position for each in self.deliveries}
        self._readers = {place: kept for place, kept in self._readers.items() if place in places and place != start}
        if not batch.ended and batch.after in places:
            self._readers.setdefault(batch.after, reader)
        self._adapt_pause(batch, reader)
        return bool(batch.changes) or batch.ended

    async def drain(self) -> bool:
        """Read what there is, without pauses; return whether a consumer could not take all of it."""
        quiet = 0
        while quiet < len({each.position for each in self.deliveries}):
            quiet = 0 if await self.read_once() else quiet + 1
        return not all(each.has_room or each.position == END for each in self.deliveries)

    def _opens_at(self, start: Position) -> Position:
        # A consumer that starts at NEWEST reads from the oldest change, unless its reader was pinned, and skips some.
        return OLDEST if start == NEWEST else start

    def _pass_on(self, start: Position, batch: ShardBatch) -> None:
        end = END if batch.ended else batch.after
        for delivery in self._started():
            if not delivery.has_room:
                continue
            changes: Sequence[RawChange] = batch.changes
            if delivery.position != start:
                if not rank(start) < rank(delivery.position) <= rank(batch.after):
                    continue
                # It stands within the page.
                after = rank(delivery.position)
                changes = [change for change in changes if rank(Position(change.sequence)) > after]
            delivery.offer(changes, end, is_full=batch.is_full)

    def _adapt_pause(self, batch: ShardBatch, reader: ShardReader) -> None:
        """Wait longer while nothing happens: the rows of the stream itself change all the time."""
        if batch.is_full:
            self._pause = reader.pause_seconds
        elif any(change.key.pk != PARTITION for change in batch.changes):
            self._pause = self._least_pause
        else:
            self._pause = min(max(self._pause * 2, self._least_pause), LONGEST_PAUSE_SECONDS)

    async def _skip_trimmed(self, start: Position, trimmed: PositionTrimmed) -> None:
        """Continue at the oldest change that is kept; at the end, if the shard has none."""
        _log.warning("changes are no longer kept: continuing after them", shard=self.row.shard_id, why=str(trimmed))
        for delivery in self.deliveries:
            if delivery.position == start:
                await self._consumers[delivery].trimmed()
                if start in (OLDEST, NEWEST):
                    delivery.offer([], END)
                else:
                    delivery.move(OLDEST)
