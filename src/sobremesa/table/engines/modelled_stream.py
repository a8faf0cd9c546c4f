"""The change stream of a modelled table: shards by hash of the partition key, which lag, stall, split and are trimmed.

As in DynamoDB Streams, only the changes of one partition key are in order, a split shard is read to its end before its
children, and a change becomes visible some time after the write.
"""

from __future__ import annotations

import asyncio
import random
import zlib
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from sobremesa.table.engines.protocol import NEWEST, OLDEST, ChangeBatch, Position, RawChange
from sobremesa.table.errors import BadCursor, PositionTrimmed, StoreClosed

POLL_SECONDS = 0.2
LONGEST_POLL_SECONDS = 1.0
RECORDS_A_READ = 1000
MAX_OPEN_SHARDS = 32
REPEATED = 20
"""How many changes a reader repeats at most when it is rewound."""


class Record(msgspec.Struct, frozen=True):
    """A change in its shard."""

    number: int
    """Its sequence number; those of a shard increase."""
    visible_at: float
    change: RawChange


class Shard:
    """A range of hashes, from `low` (included) to `high`, and its records."""

    def __init__(self, name: str, low: float, high: float, parent: str | None) -> None:
        self.name = name
        self.low = low
        self.high = high
        self.parent = parent
        self.is_closed = False
        self.records: list[Record] = []
        self.last_number = 0
        self.trimmed_number = 0
        """The number of the last record that is no longer kept."""
        self.visible_at = 0.0
        """When the last record becomes visible."""

    def visible(self, after: int, now: float) -> list[Record]:
        """Return the next records that a reader sees now."""
        start = bisect_right(self.records, after, key=lambda record: record.number)
        found = self.records[start : start + RECORDS_A_READ]
        return [record for record in found if record.visible_at <= now]

    def is_over(self, after: int, now: float) -> bool:
        """Return whether it is closed, and a reader has seen everything."""
        return self.is_closed and after >= self.last_number and self.visible_at <= now

    def trim(self, until: float) -> None:
        """Drop the records that became visible before a time."""
        kept = bisect_right(self.records, until, key=lambda record: record.visible_at)
        if kept:
            self.trimmed_number = self.records[kept - 1].number
            del self.records[:kept]


class ShardedStream:
    """All shards, open and closed ones."""

    def __init__(
        self,
        chance: random.Random,
        *,
        shards: int,
        lag: tuple[float, float],
        stall: float,
        stall_seconds: tuple[float, float],
        rewind: float,
        retention_seconds: float,
    ) -> None:
        self._chance = chance
        self._lag = lag
        self._stall = stall
        self._stall_seconds = stall_seconds
        self._rewind = rewind
        self._retention_seconds = retention_seconds
        self._last_number = 0
        self.shards: dict[str, Shard] = {}
        for number in range(shards):
            self._add(number / shards, (number + 1) / shards, None)

    def append(self, change: RawChange) -> None:
        """Add a change to the shard of its partition key."""
        now = asyncio.get_running_loop().time()
        point = zlib.crc32(change.key.pk.encode()) / 2**32
        shard = next(each for each in self.open_shards() if each.low <= point < each.high)
        lag = self._chance.uniform(*self._lag)
        if self._chance.random() < self._stall:
            lag += self._chance.uniform(*self._stall_seconds)
        self._last_number += 1
        shard.last_number = self._last_number
        shard.visible_at = max(now + lag, shard.visible_at)
        change = change._replace(shard_id=shard.name, sequence=str(self._last_number))
        shard.records.append(Record(self._last_number, shard.visible_at, change))
        shard.trim(now - self._retention_seconds)

    def split(self) -> None:
        """Close one of the open shards, and open two in its place."""
        shard = self._chance.choice(list(self.open_shards()))
        if len(list(self.open_shards())) < MAX_OPEN_SHARDS:
            shard.is_closed = True
            middle = (shard.low + shard.high) / 2
            self._add(shard.low, middle, shard.name)
            self._add(middle, shard.high, shard.name)

    def stall(self, seconds: float) -> None:
        """Delay what is written to one of the open shards from now on."""
        shard = self._chance.choice(list(self.open_shards()))
        shard.visible_at = max(shard.visible_at, asyncio.get_running_loop().time() + seconds)

    def rewound(self, shard: Shard, after: int) -> int:
        """Return where to read next: sometimes a little before, as with an iterator that expired."""
        if self._chance.random() >= self._rewind:
            return after
        read = bisect_right(shard.records, after, key=lambda record: record.number)
        back = max(0, read - self._chance.randint(1, REPEATED))
        return shard.records[back - 1].number if back else shard.trimmed_number

    def reader(self, position: Position, *, latency: float) -> ModelledReader:
        """Return a reader from a position on."""
        now = asyncio.get_running_loop().time()
        for shard in self.shards.values():
            shard.trim(now - self._retention_seconds)
        return ModelledReader(self, self._start(position, now), latency)

    def positions(self, position: Position) -> dict[str, Position | None]:
        """Return a position as one in each shard; None for a shard that was read to its end."""
        checkpoints = self._start(position, asyncio.get_running_loop().time())
        return {
            name: None if checkpoint.is_done else Position(str(checkpoint.after))
            for name, checkpoint in checkpoints.items()
        }

    def open_shards(self) -> Iterator[Shard]:
        return (shard for shard in self.shards.values() if not shard.is_closed)

    def _start(self, position: Position, now: float) -> dict[str, Checkpoint]:
        if position == OLDEST:
            return {name: Checkpoint(shard.trimmed_number) for name, shard in self.shards.items()}
        if position == NEWEST:
            return {name: self.newest(shard, now) for name, shard in self.shards.items()}
        try:
            checkpoints = _decode(position)
        except msgspec.DecodeError:
            raise BadCursor("this is not a position in a modelled stream") from None
        for name, checkpoint in checkpoints.items():
            shard = self.shards.get(name)
            if shard is None or (not checkpoint.is_done and shard.trimmed_number > checkpoint.after):
                raise PositionTrimmed("the changes after this position are no longer kept", OLDEST)
        return checkpoints

    def newest(self, shard: Shard, now: float) -> Checkpoint:
        """Return the end of a shard, as it is visible now."""
        after = next((each.number for each in reversed(shard.records) if each.visible_at <= now), shard.trimmed_number)
        return Checkpoint(after, is_done=shard.is_over(after, now))

    def _add(self, low: float, high: float, parent: str | None) -> None:
        name = f"s{len(self.shards) + 1}"
        self.shards[name] = Shard(name, low, high, parent)


class Checkpoint(msgspec.Struct, array_like=True):
    """How far one shard was read."""

    after: int = 0
    is_done: bool = False


_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(dict[str, Checkpoint]).decode


class ModelledReader:
    """Reads all shards, at most five times a second."""

    def __init__(self, stream: ShardedStream, checkpoints: dict[str, Checkpoint], latency: float) -> None:
        self._stream = stream
        self._checkpoints = checkpoints
        self._latency = latency
        self._polled_at = 0.0
        self._pause = POLL_SECONDS
        self._nudged = asyncio.Event()
        self._is_closed = False

    async def read(self, wait_seconds: float) -> ChangeBatch:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_seconds
        while True:
            await asyncio.sleep(max(self._latency, self._polled_at + POLL_SECONDS - loop.time()))
            if self._is_closed:
                raise StoreClosed("the reader has been closed")
            self._nudged.clear()
            self._polled_at = loop.time()
            changes = self._poll()
            remaining = until - loop.time()
            self._pause = POLL_SECONDS if changes else min(2 * self._pause, LONGEST_POLL_SECONDS)
            if changes or remaining <= 0:
                return ChangeBatch(changes, Position(_encode(self._checkpoints).decode()))
            try:
                async with asyncio.timeout(min(self._pause, remaining)):
                    await self._nudged.wait()
            except TimeoutError:
                pass

    def nudge(self) -> None:
        self._nudged.set()

    def has_reached(self, goal: Position) -> bool:
        for name, there in _decode(goal).items():
            here = self._checkpoints.get(name, Checkpoint(is_done=there.is_done))
            if not here.is_done and (there.is_done or here.after < there.after):
                return False
        return True

    def includes(self, position: Position, change: RawChange) -> bool:
        read = _decode(position).get(change.shard_id, Checkpoint())
        return read.is_done or int(change.sequence) <= read.after

    async def close(self) -> None:
        self._is_closed = True

    def _poll(self) -> list[RawChange]:
        """Return the next changes of every shard whose parent was read to its end."""
        now = asyncio.get_running_loop().time()
        changes: list[RawChange] = []
        for shard in self._stream.shards.values():
            here = self._checkpoints.setdefault(shard.name, Checkpoint())
            parent = self._checkpoints.get(shard.parent or "")
            if here.is_done or (parent is not None and not parent.is_done):
                continue
            if shard.trimmed_number > here.after:
                raise PositionTrimmed("the changes after this position are no longer kept", OLDEST)
            records = shard.visible(self._stream.rewound(shard, here.after), now)
            changes += [record.change for record in records]
            if records:
                here.after = records[-1].number
            here.is_done = shard.is_over(here.after, now)
        return changes
