"""One stream of DynamoDB: its shards, and the changes in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.positions import Checkpoint
from sobremesa.table.engines.dynamodb.rejections import error_of, error_without_response
from sobremesa.table.engines.dynamodb.responses import (
    IteratorResponse,
    RecordsResponse,
    Shard,
    StreamResponse,
)
from sobremesa.table.engines.dynamodb.transport import NoResponse, Rejected
from sobremesa.table.engines.protocol import OLDEST, StreamShard
from sobremesa.table.errors import PositionTrimmed

A = TypeVar("A")

_streams = msgspec.json.Decoder(StreamResponse)
_iterators = msgspec.json.Decoder(IteratorResponse)
_records = msgspec.json.Decoder(RecordsResponse)


class IteratorExpired(Exception):
    """The iterator has expired; the checkpoint gives another."""


class Stream:
    """Reads the shards of one stream and their records; raises PositionTrimmed if they are no longer kept."""

    def __init__(self, client: Client, arn: str) -> None:
        self._client = client
        self._arn = arn

    async def list_shards(self) -> dict[str, Shard]:
        """Return every shard that is still kept, by id."""
        shards: dict[str, Shard] = {}
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            page = (await self._call("DescribeStream", request, _streams)).stream_description
            known = len(shards)
            shards |= {shard.shard_id: shard for shard in page.shards}
            # Some endpoints return the same page for every start: then nothing is new.
            if page.last_evaluated_shard_id is None or len(shards) == known:
                return shards
            request["ExclusiveStartShardId"] = page.last_evaluated_shard_id

    async def iterator_after(self, shard_id: str, checkpoint: Checkpoint) -> str:
        """Return the iterator after a checkpoint: after its last change, or at the oldest of the shard."""
        if checkpoint.after:
            request = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": checkpoint.after}
        else:
            request = {"ShardIteratorType": "TRIM_HORIZON"}
        return await self._iterator(shard_id, request)

    async def iterator_of_newest(self, shard_id: str) -> str:
        """Return the iterator of the next change of a shard."""
        return await self._iterator(shard_id, {"ShardIteratorType": "LATEST"})

    async def records(self, iterator: str) -> RecordsResponse:
        """Return the next records of a shard, if any; raise IteratorExpired if the iterator is too old."""
        return await self._call("GetRecords", {"ShardIterator": iterator}, _records)

    async def _iterator(self, shard_id: str, request: dict[str, str]) -> str:
        request |= {"StreamArn": self._arn, "ShardId": shard_id}
        answer = await self._call("GetShardIterator", request, _iterators)
        if answer.shard_iterator is None:
            raise PositionTrimmed(f"the shard {shard_id} can no longer be read", OLDEST)
        return answer.shard_iterator

    async def _call(self, action: str, request: dict[str, Any], answer: msgspec.json.Decoder[A]) -> A:
        try:
            return await self._client.exchange(action, request, answer)
        except Rejected as rejected:
            code = rejected.rejection.code
            if code in ("TrimmedDataAccessException", "ResourceNotFoundException"):
                raise PositionTrimmed(f"the stream no longer has these changes: {rejected}", OLDEST) from rejected
            if action == "GetRecords" and code in ("ExpiredIteratorException", "ValidationException"):
                raise IteratorExpired(str(rejected)) from rejected
            raise error_of(rejected, None) from rejected
        except NoResponse as lost:
            raise error_without_response(lost, writing=False) from lost


def parents_first(listed: Mapping[str, Shard]) -> list[StreamShard]:
    """Return shards so that each comes after its parent."""
    ordered: dict[str, StreamShard] = {}

    def add(shard: Shard) -> None:
        parent = listed.get(shard.parent_shard_id or "")
        if parent is not None and parent.shard_id not in ordered:
            add(parent)
        ordered.setdefault(shard.shard_id, StreamShard(shard.shard_id, shard.parent_shard_id))

    for shard in listed.values():
        add(shard)
    return list(ordered.values())
