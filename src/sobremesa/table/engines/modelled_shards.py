"""One shard of a modelled stream, read by itself."""

from __future__ import annotations

import asyncio

from sobremesa.table.engines.modelled_stream import POLL_SECONDS, Shard, ShardedStream
from sobremesa.table.engines.protocol import NEWEST, OLDEST, Position, ShardBatch, ShardList, StreamShard
from sobremesa.table.errors import BadCursor, PositionTrimmed

STREAM = "modelled"


def list_shards(stream: ShardedStream) -> ShardList:
    """Return all shards; a shard is added after the one that it was split from."""
    return ShardList(STREAM, [StreamShard(shard.name, shard.parent) for shard in stream.shards.values()])


class ModelledShardReader:
    """Reads one shard; each read takes the latency of a request."""

    pause_seconds = POLL_SECONDS

    def __init__(self, shard: Shard, after: int, latency: float) -> None:
        self._shard = shard
        self._after = after
        self._latency = latency

    @classmethod
    def open(cls, stream: ShardedStream, shard_id: str, after: Position, latency: float) -> ModelledShardReader:
        """Open a reader after a sequence number, or at an end of the shard; PositionTrimmed if that is not kept."""
        shard = stream.shards.get(shard_id)
        if shard is None:
            raise PositionTrimmed("the shard is no longer kept", OLDEST)
        if after == OLDEST:
            return cls(shard, shard.trimmed_number, latency)
        if after == NEWEST:
            return cls(shard, stream.newest(shard, asyncio.get_running_loop().time()).after, latency)
        if not after.isdecimal():
            raise BadCursor("this is not a sequence number of a change")
        return cls(shard, int(after), latency)

    async def read(self) -> ShardBatch:
        await asyncio.sleep(self._latency)
        shard, now = self._shard, asyncio.get_running_loop().time()
        if shard.trimmed_number > self._after:
            raise PositionTrimmed("the changes after this position are no longer kept", OLDEST)
        records = shard.visible(self._after, now)
        if records:
            self._after = records[-1].number
        changes = [record.change._replace(shard_id=shard.name, sequence=str(record.number)) for record in records]
        return ShardBatch(changes, Position(str(self._after)), ended=shard.is_over(self._after, now))
