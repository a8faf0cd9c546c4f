"""Where the consumers of a table start whose rows were imported or copied: after these, which are no news."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.table import OLDEST, Position, Put, StreamShard, Table, absent, less
from sobremesa.table.errors import ConditionFailed, PositionTrimmed
from sobremesa.work.consumers.deliveries import END
from sobremesa.work.consumers.entities import ShardProgress, add_shard

SHARDS_AT_ONCE = 16
EMPTY_READS = 12
"""A shard of DynamoDB may answer without changes before its end; so many answers in a row are taken for the end."""


async def start_after_existing_changes(table: Table, clock: Clock, consumers: Sequence[str]) -> bool:
    """Save for all consumers that they have processed every change so far; return False if servers use the table.

    Without it they would process each imported row as a new one: webhooks would be sent again.
    """
    listed = await table.shards()
    done = await gather_bounded(
        SHARDS_AT_ONCE, lambda shard: _start_after(table, clock, listed.stream, shard, consumers), listed.shards
    )
    return all(done)


async def _start_after(table: Table, clock: Clock, stream: str, shard: StreamShard, consumers: Sequence[str]) -> bool:
    end = await _end_of(table, shard.id)
    now_ms = clock.now_ms()
    row = ShardProgress(
        stream=stream,
        shard_id=shard.id,
        parent=shard.parent,
        created_ms=now_ms,
        checkpoints={} if end == OLDEST else dict.fromkeys(consumers, end),
        finished=tuple(sorted(consumers)) if end == END else (),
    )
    for unless in (absent("stream"), less("leased_until_ms", now_ms)):
        try:
            await table.write(Put(row, when=unless), pattern=add_shard)
        except ConditionFailed:
            continue
        return True
    return False


async def _end_of(table: Table, shard_id: str) -> Position:
    """Return the position after the last change of a shard; OLDEST if it has none."""
    try:
        reader = await table.open_shard(shard_id, OLDEST)
        after, empty = OLDEST, 0
        while empty < (EMPTY_READS if reader.pause_seconds else 1):
            batch = await reader.read()
            if batch.ended:
                return END
            empty = 0 if batch.changes else empty + 1
            after = batch.after
            await asyncio.sleep(0 if batch.is_full else reader.pause_seconds)
    except PositionTrimmed:
        return OLDEST
    return after
