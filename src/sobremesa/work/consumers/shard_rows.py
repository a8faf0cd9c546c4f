"""The rows of the change stream: they list its shards for all nodes, and the nodes for each other."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence

import structlog

from sobremesa.core.clock import Clock
from sobremesa.table import (
    NEWEST,
    OLDEST,
    Create,
    Delete,
    Position,
    Put,
    ShardList,
    ShardReader,
    StreamShard,
    Table,
    less,
)
from sobremesa.table.errors import BadCursor, ConditionFailed, PositionTrimmed
from sobremesa.work.consumers.deliveries import END, ConsumerOptions
from sobremesa.work.consumers.entities import (
    ShardProgress,
    StreamNode,
    add_shard,
    keep_stream_node,
    stream_rows,
)

NODE_KEPT_SECONDS = 3600
RETENTION_MS = 24 * 60 * 60 * 1000

_log = structlog.get_logger("sobremesa.work.consumers")


class ShardRows:
    """The rows of the shards and nodes of one table, as last read."""

    def __init__(self, table: Table, clock: Clock, node_id: str) -> None:
        self._table = table
        self._clock = clock
        self._node_id = node_id
        self.stream = ""
        self.shards: dict[str, ShardProgress] = {}
        """The shards of the table's stream, by id."""
        self.nodes: list[str] = []
        """The live nodes, and this one."""
        self.pinned: dict[str, ShardReader] = {}
        """Readers of the shards that were pinned at their end when the installation started."""
        self._foreign: list[ShardProgress] = []
        """Shards of a stream that the table no longer has."""

    async def load(self) -> None:
        """Read all rows again."""
        now_ms = self._clock.now_ms()
        found: dict[str, ShardProgress] = {}
        self._foreign = []
        nodes = {self._node_id}
        async for row in self._table.every(stream_rows()):
            if isinstance(row, StreamNode):
                nodes |= {row.node_id} if row.leased_until_ms >= now_ms else set()
            elif isinstance(row, ShardProgress) and row.stream == self.stream:
                found[row.shard_id] = row
            elif isinstance(row, ShardProgress):
                self._foreign.append(row)
        self.shards = found
        self.nodes = sorted(nodes)

    def may_start(self, row: ShardProgress, consumer: str) -> bool:
        """Return whether a consumer has finished the parent of a shard, or the parent is no longer kept."""
        parent = self.shards.get(row.parent or "")
        return parent is None or consumer in parent.finished

    async def discover(
        self, consumers: Sequence[ConsumerOptions], earlier: Mapping[str, Position | None]
    ) -> Collection[ShardProgress]:
        """List the shards, and add and remove rows; return those that were removed before they were read.

        `earlier` is the position of each consumer in an earlier version, which read the whole stream with one reader.
        """
        listed = await self._table.shards()
        self.stream = listed.stream
        await self.load()
        if not self.shards:
            await self._start(listed, consumers, earlier)
        else:
            for shard in listed.shards:
                if shard.id not in self.shards:
                    await self._add(self._row(shard))
        kept = {shard.id for shard in listed.shards}
        lost = [row for row in list(self.shards.values()) if row.shard_id not in kept and await self._remove(row)]
        for row in self._foreign:
            await self._remove(row)
        await self.load()
        return lost

    async def _start(
        self, listed: ShardList, consumers: Sequence[ConsumerOptions], earlier: Mapping[str, Position | None]
    ) -> None:
        """Add the first rows: consumers of new changes start at the end of every shard without children."""
        positions = {name: await self._positions_of(earlier.get(name)) for name in {each.name for each in consumers}}
        parents = {shard.parent for shard in listed.shards}
        now_ms = self._clock.now_ms()
        for shard in listed.shards:
            checkpoints: dict[str, Position] = {}
            for consumer in consumers:
                known = positions[consumer.name]
                if known is not None:
                    checkpoints[consumer.name] = known.get(shard.id, OLDEST) or END
                elif consumer.starts_at_newest:
                    checkpoints[consumer.name] = END if shard.id in parents else NEWEST
            if NEWEST in checkpoints.values():
                # Pinned before the row exists: nothing that happens from now on is missed.
                self.pinned[shard.id] = await self._table.open_shard(shard.id, NEWEST)
            finished = tuple(sorted(name for name, position in checkpoints.items() if position == END))
            row = self._row(shard, checkpoints, finished, newest_since_ms=now_ms)
            if not await self._add(row):
                self.pinned.pop(shard.id, None)  # another node has, before

    async def _positions_of(self, earlier: Position | None) -> Mapping[str, Position | None] | None:
        if earlier is None:
            return None
        try:
            return await self._table.shard_positions(earlier)
        except (PositionTrimmed, BadCursor) as foreign:
            _log.warning("the position of an earlier version cannot be used", why=str(foreign))
            return None

    def _row(
        self,
        shard: StreamShard,
        checkpoints: dict[str, Position] | None = None,
        finished: tuple[str, ...] = (),
        newest_since_ms: int = 0,
    ) -> ShardProgress:
        return ShardProgress(
            stream=self.stream,
            shard_id=shard.id,
            parent=shard.parent,
            created_ms=self._clock.now_ms(),
            newest_since_ms=newest_since_ms,
            checkpoints=checkpoints or {},
            finished=finished,
        )

    async def _add(self, row: ShardProgress) -> bool:
        try:
            await self._table.write(Create(row), pattern=add_shard)
        except ConditionFailed:
            return False
        return True

    async def _remove(self, row: ShardProgress) -> bool:
        """Remove the row of a shard that is no longer listed; return whether a consumer had not finished it.

        One that is not finished is kept as long as its changes could be: the list may have been incomplete.
        """
        is_finished = all(position == END for position in row.checkpoints.values()) and bool(row.checkpoints)
        now_ms = self._clock.now_ms()
        if not is_finished and now_ms - row.created_ms < RETENTION_MS:
            return False
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(row.own_key(), when=less("leased_until_ms", now_ms)), pattern=add_shard)
            return not is_finished
        return False

    # Nodes

    async def renew_node(self, seconds: float) -> None:
        """Count as alive for so long."""
        now_ms = self._clock.now_ms()
        node = StreamNode(
            node_id=self._node_id,
            leased_until_ms=now_ms + round(seconds * 1000),
            ttl=now_ms // 1000 + NODE_KEPT_SECONDS,
        )
        await self._table.write(Put(node), pattern=keep_stream_node)

    async def remove_node(self) -> None:
        """Stop counting as alive."""
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Delete(StreamNode.key(node_id=self._node_id)), pattern=keep_stream_node)
