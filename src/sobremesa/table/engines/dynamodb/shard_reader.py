"""One shard of the stream, read page by page from a sequence number on, and the records of a page as changes."""

from __future__ import annotations

from sobremesa.table.clock import Clock
from sobremesa.table.engines.dynamodb.positions import Checkpoint
from sobremesa.table.engines.dynamodb.requests import Requests
from sobremesa.table.engines.dynamodb.responses import Record
from sobremesa.table.engines.dynamodb.shards import IteratorExpired, Stream
from sobremesa.table.engines.protocol import NEWEST, OLDEST, Position, RawChange, ShardBatch
from sobremesa.table.errors import BadRow
from sobremesa.table.typed_items import load_item

READ_SECONDS = 0.2
"""A shard allows five reads a second, by all of its readers together."""
FRESH_MS = 2000
"""How old the last change of a page is at most, if there are no others yet; DynamoDB dates them by the second."""
TTL_PRINCIPAL = "dynamodb.amazonaws.com"


class DynamoShardReader:
    """Reads one shard; each read is one request."""

    pause_seconds = READ_SECONDS

    def __init__(
        self, stream: Stream, requests: Requests, clock: Clock, shard_id: str, after: Position, iterator: str
    ) -> None:
        self._stream = stream
        self._requests = requests
        self._clock = clock
        self._shard_id = shard_id
        self._after = after
        self._iterator: str | None = iterator

    @classmethod
    async def open(
        cls, stream: Stream, requests: Requests, clock: Clock, shard_id: str, after: Position
    ) -> DynamoShardReader:
        """Open a reader after a sequence number, or at an end of the shard; PositionTrimmed if that is not kept."""
        if after == NEWEST:
            iterator = await stream.iterator_of_newest(shard_id)
        else:
            iterator = await _iterator(stream, shard_id, after)
        return cls(stream, requests, clock, shard_id, after, iterator)

    async def read(self) -> ShardBatch:
        """Return the next changes; none if the iterator had expired, which the next read replaces."""
        if self._iterator is None:
            self._iterator = await _iterator(self._stream, self._shard_id, self._after)
            # A reader that had not read anything from NEWEST on has no number to continue after.
            self._after = OLDEST if self._after == NEWEST else self._after
        try:
            page = await self._stream.records(self._iterator)
        except IteratorExpired:
            self._iterator = None
            return ShardBatch([], self._after)
        changes = [change_of(record, self._requests, self._shard_id) for record in page.records]
        self._iterator = page.next_shard_iterator
        if changes:
            self._after = Position(changes[-1].sequence)
        # A page has no sign of what follows it; one of old changes is not the last.
        is_full = bool(changes) and changes[-1].at_ms < self._clock.now_ms() - FRESH_MS
        return ShardBatch(changes, self._after, ended=self._iterator is None, is_full=is_full)


async def _iterator(stream: Stream, shard_id: str, after: Position) -> str:
    is_number = after not in (OLDEST, NEWEST)
    return await stream.iterator_after(shard_id, Checkpoint(after=after if is_number else ""))


def change_of(record: Record, requests: Requests, shard_id: str) -> RawChange:
    """Return a record as a change; raise BadRow if its item cannot be decoded."""
    body = record.body
    key = requests.key_of(body.keys)
    try:
        old = load_item(body.old_image) if body.old_image else None
        new = load_item(body.new_image) if body.new_image else None
    except (LookupError, TypeError, ValueError) as error:
        raise BadRow(
            f"change {body.sequence_number} of {key.pk} / {key.sk} cannot be decoded: {error!r}", key
        ) from error
    return RawChange(
        id=record.id or body.sequence_number,
        at_ms=round(body.approximate_creation_date_time * 1000),
        key=key,
        old=old,
        new=new,
        expired=record.identity is not None and record.identity.principal == TTL_PRINCIPAL,
        shard_id=shard_id,
        sequence=body.sequence_number,
    )
