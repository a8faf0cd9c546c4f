"""The change stream, read shard by shard: parents before their children, and in order within each.

A shard is read to its end, then its children; other shards are read concurrently, so only the changes of one partition
key are in order, as DynamoDB guarantees. A position has one checkpoint for each shard. It is valid for 24 hours, as
changes are: a consumer should also save the positions of empty batches from time to time.

NEWEST is pinned when the reader is opened: an iterator for every open shard. Until a first change is read it is the
only record of the position, so the position contains it. When it expires after 15 minutes, the shard is read again from
its oldest change, without those older than the pin, with some minutes for clock skew. A change may then be delivered
twice, but is never lost.

Known quirks of dynoxide: it has an end for open shards (never used here), returns the changes of a dropped table again
under the same name (so tests use a new name), and records writes that changed nothing.
"""

from __future__ import annotations

import asyncio
import math

from sobremesa.table.clock import Clock
from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.positions import Checkpoint, StreamPosition, position_from
from sobremesa.table.engines.dynamodb.requests import Requests
from sobremesa.table.engines.dynamodb.responses import RecordsResponse, Shard, TableDescription
from sobremesa.table.engines.dynamodb.shard_reader import READ_SECONDS, change_of
from sobremesa.table.engines.dynamodb.shards import IteratorExpired, Stream
from sobremesa.table.engines.protocol import NEWEST, OLDEST, ChangeBatch, Position, RawChange
from sobremesa.table.errors import BadExpression, BadRow, PositionTrimmed, StoreClosed

POLL_SECONDS = READ_SECONDS * 5 / 4
"""Leaves room for a reader that looks once a second: a shard allows five reads a second in total."""
LONGEST_POLL_SECONDS = 1.0
"""While nothing changes, the pauses grow up to this."""
DISCOVERY_SECONDS = 5.0
RETENTION_MS = 24 * 60 * 60 * 1000
CLOCK_SKEW_MS = 5 * 60 * 1000
"""AWS rejects requests with a larger clock skew."""


def latest_stream(client: Client, table: TableDescription) -> tuple[Stream, str]:
    """Return the table's latest stream and its label; raise BadExpression if there is none with both images."""
    specification = table.stream_specification
    label = table.latest_stream_label
    if table.latest_stream_arn is None or label is None or specification is None:
        raise BadExpression("the table has no stream of changes")
    if specification.stream_view_type not in (None, "NEW_AND_OLD_IMAGES"):
        raise BadExpression(f"the stream has only {specification.stream_view_type}, not both images")
    return Stream(client, table.latest_stream_arn), label


class StreamReader:
    """Reads the change stream of a table."""

    def __init__(
        self, stream: Stream, label: str, requests: Requests, clock: Clock, poll_seconds: float = POLL_SECONDS
    ) -> None:
        self._stream = stream
        self._label = label
        self._requests = requests
        self._clock = clock
        self._poll_seconds = self._pause = poll_seconds
        self._shards: dict[str, Shard] = {}
        self._checkpoints: dict[str, Checkpoint] = {}
        self._iterators: dict[str, str] = {}
        self._discover_at = 0.0
        self._polled_at = -math.inf
        self._nudged = asyncio.Event()
        self._closed = False

    @classmethod
    async def open(
        cls,
        client: Client,
        table: TableDescription,
        requests: Requests,
        clock: Clock,
        position: Position,
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> StreamReader:
        """Open a reader of the table's latest stream; raise PositionTrimmed if it does not reach back that far."""
        resumed = None if position in (OLDEST, NEWEST) else position_from(position)
        stream, label = latest_stream(client, table)
        reader = cls(stream, label, requests, clock, poll_seconds)
        if resumed is not None:
            await reader._resume(resumed)
        elif position == NEWEST:
            await reader._pin()
        else:
            await reader._discover()
        return reader

    async def read(self, wait_seconds: float) -> ChangeBatch:
        """Return the next changes; wait up to this long for one, then return an empty batch."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_seconds
        while True:
            if self._closed:
                raise StoreClosed("the reader has been closed")
            if wait_seconds and not await self._wait_for_turn(deadline):
                return ChangeBatch([], self._position())
            self._nudged.clear()
            self._polled_at = loop.time()
            changes = await self._poll()
            if changes:
                self._pause = self._poll_seconds
            remaining = deadline - loop.time()
            if changes or remaining <= 0:
                return ChangeBatch(changes, self._position())
            await self._rest(min(self._pause, remaining))
            self._pause = min(self._pause * 2, LONGEST_POLL_SECONDS)

    async def _wait_for_turn(self, deadline: float) -> bool:
        """Wait until the shards may be read again; return False if that is only after the deadline.

        A read that does not wait has no turn: it is for commands, which look once.
        """
        now = asyncio.get_running_loop().time()
        turn = self._polled_at + self._poll_seconds
        await asyncio.sleep(min(turn, deadline) - now)
        return turn <= deadline

    async def _rest(self, seconds: float) -> None:
        """Pause until nudged, but not read a shard more often than it allows."""
        try:
            async with asyncio.timeout(seconds):
                await self._nudged.wait()
                self._pause = self._poll_seconds
                await asyncio.sleep(self._polled_at + self._poll_seconds - asyncio.get_running_loop().time())
        except TimeoutError:
            pass

    def nudge(self) -> None:
        self._nudged.set()

    def has_reached(self, goal: Position) -> bool:
        return StreamPosition(self._label, 0, self._checkpoints).has_reached(position_from(goal))

    def includes(self, position: Position, change: RawChange) -> bool:
        return position_from(position).includes(change)

    async def close(self) -> None:
        """Stop reading. The service holds no resources of a reader."""
        self._closed = True

    async def _resume(self, position: StreamPosition) -> None:
        if position.label != self._label:
            raise PositionTrimmed("the position is of a stream that the table no longer has", OLDEST)
        if self._clock.now_ms() - position.at_ms > RETENTION_MS:
            raise PositionTrimmed("the position is older than the retention of changes", OLDEST)
        listed = await self._stream.list_shards()
        started = {id_: checkpoint for id_, checkpoint in position.shards.items() if not checkpoint.done}
        for shard_id in started:
            if shard_id not in listed:
                raise PositionTrimmed(f"the shard {shard_id} is no longer kept", OLDEST)
        self._checkpoints = dict(position.shards)
        self._adopt(listed)
        # Requested now, so that a position which is too old fails here and not in the first read.
        pinned = {id_: checkpoint.iterator for id_, checkpoint in started.items() if checkpoint.iterator}
        others = [id_ for id_, checkpoint in started.items() if checkpoint.after]
        found = await asyncio.gather(*(self._stream.iterator_after(id_, started[id_]) for id_ in others))
        self._iterators = pinned | dict(zip(others, found, strict=True))

    async def _pin(self) -> None:
        """Start after all existing changes: at the end of every shard without children."""
        now_ms = self._clock.now_ms()
        listed = await self._stream.list_shards()
        parents = {shard.parent_shard_id for shard in listed.values()}
        leaves = [shard_id for shard_id in listed if shard_id not in parents]
        found = await asyncio.gather(*map(self._stream.iterator_of_newest, leaves))
        self._checkpoints = {shard_id: Checkpoint(done=True) for shard_id in listed if shard_id in parents}
        for shard_id, iterator in zip(leaves, found, strict=True):
            self._iterators[shard_id] = iterator
            self._checkpoints[shard_id] = Checkpoint(iterator=iterator, since_ms=now_ms)
        self._adopt(listed)

    async def _discover(self) -> None:
        self._adopt(await self._stream.list_shards())

    def _adopt(self, listed: dict[str, Shard]) -> None:
        """Add new shards, to be read from their start, and remove read ones that no longer exist."""
        kept = {
            shard_id: checkpoint
            for shard_id, checkpoint in self._checkpoints.items()
            if shard_id in listed or not checkpoint.done
        }
        self._checkpoints = dict.fromkeys(listed, Checkpoint()) | kept
        known = self._shards | listed
        self._shards = {shard_id: known[shard_id] for shard_id in self._checkpoints}
        self._discover_at = asyncio.get_running_loop().time() + DISCOVERY_SECONDS

    def _readable(self) -> list[str]:
        """Return the shards that are not done and whose parents are."""
        readable = []
        for shard_id, checkpoint in self._checkpoints.items():
            parent = self._checkpoints.get(self._shards[shard_id].parent_shard_id or "")
            if not checkpoint.done and (parent is None or parent.done):
                readable.append(shard_id)
        return readable

    async def _poll(self) -> list[RawChange]:
        """Read every readable shard once."""
        if asyncio.get_running_loop().time() >= self._discover_at:
            await self._discover()
        shard_ids = self._readable()
        pages = await asyncio.gather(*map(self._page, shard_ids), return_exceptions=True)
        # Checkpoints move only from here on, without awaiting: a cancelled read loses no change.
        changes: list[RawChange] = []
        failure: BaseException | None = None
        for shard_id, page in zip(shard_ids, pages, strict=True):
            if isinstance(page, BaseException):
                failure = page
                continue
            try:
                changes += self._accept(shard_id, page)
            except BadRow as error:
                failure = error
        if failure is not None and not changes:
            raise failure
        return changes

    async def _page(self, shard_id: str) -> RecordsResponse:
        iterator = self._iterators.get(shard_id)
        if iterator is not None:
            try:
                return await self._stream.records(iterator)
            except IteratorExpired:
                del self._iterators[shard_id]
        checkpoint = self._checkpoints[shard_id]
        fresh = await self._stream.iterator_after(shard_id, checkpoint)
        if checkpoint.iterator:
            self._checkpoints[shard_id] = Checkpoint(since_ms=checkpoint.since_ms)
        return await self._stream.records(fresh)

    def _accept(self, shard_id: str, page: RecordsResponse) -> list[RawChange]:
        before = self._checkpoints[shard_id]
        changes = [change_of(record, self._requests, shard_id) for record in page.records]
        if before.since_ms and not before.iterator:
            changes = [change for change in changes if change.at_ms >= before.since_ms - CLOCK_SKEW_MS]
        following = page.next_shard_iterator
        if following is None:
            self._iterators.pop(shard_id, None)
            self._checkpoints[shard_id] = Checkpoint(done=True)
            self._discover_at = 0.0
            return changes
        self._iterators[shard_id] = following
        self._checkpoints[shard_id] = Checkpoint(
            after=page.records[-1].body.sequence_number if page.records else before.after,
            iterator=following if before.iterator and not page.records else "",
            since_ms=0 if changes else before.since_ms,
        )
        return changes

    def _position(self) -> Position:
        return StreamPosition(self._label, self._clock.now_ms(), self._checkpoints).to_text()
