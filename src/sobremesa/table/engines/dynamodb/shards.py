"""One stream of DynamoDB: its shards, and the changes in each."""

from __future__ import annotations

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
from sobremesa.table.engines.protocol import OLDEST
from sobremesa.table.errors import PositionTrimmed

A = TypeVar("A")

_streams = msgspec.json.Decoder(StreamResponse)
_iterators = msgspec.json.Decoder(IteratorResponse)
_records = msgspec.json.Decoder(RecordsResponse)


class IteratorExpired(Exception):
    """The service no longer knows this iterator; its checkpoint gives another."""


class Stream:
    """Asks one stream for its shards and their records; PositionTrimmed where it forgot."""

    def __init__(self, client: Client, arn: str) -> None:
        self._client = client
        self._arn = arn

    async def list_shards(self) -> dict[str, Shard]:
        """Every shard that is still kept, by its id."""
        shards: dict[str, Shard] = {}
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            page = (await self._ask("DescribeStream", request, _streams)).stream_description
            known = len(shards)
            shards |= {shard.shard_id: shard for shard in page.shards}
            # Some endpoints give the same page for every start: then nothing new comes.
            if page.last_evaluated_shard_id is None or len(shards) == known:
                return shards
            request["ExclusiveStartShardId"] = page.last_evaluated_shard_id

    async def iterator_after(self, shard_id: str, checkpoint: Checkpoint) -> str:
        """Where to go on after a checkpoint: after its last change, or at the shard's oldest."""
        if checkpoint.after:
            request = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": checkpoint.after}
        else:
            request = {"ShardIteratorType": "TRIM_HORIZON"}
        return await self._iterator(shard_id, request)

    async def iterator_of_newest(self, shard_id: str) -> str:
        """Where the next change of a shard will come."""
        return await self._iterator(shard_id, {"ShardIteratorType": "LATEST"})

    async def records(self, iterator: str) -> RecordsResponse:
        """The next records of a shard, perhaps none yet; IteratorExpired if the iterator is too old."""
        return await self._ask("GetRecords", {"ShardIterator": iterator}, _records)

    async def _iterator(self, shard_id: str, request: dict[str, str]) -> str:
        request |= {"StreamArn": self._arn, "ShardId": shard_id}
        answer = await self._ask("GetShardIterator", request, _iterators)
        if answer.shard_iterator is None:
            raise PositionTrimmed(f"the shard {shard_id} can no longer be read", OLDEST)
        return answer.shard_iterator

    async def _ask(self, action: str, request: dict[str, Any], answer: msgspec.json.Decoder[A]) -> A:
        try:
            return await self._client.exchange(action, request, answer)
        except Rejected as rejected:
            code = rejected.rejection.code
            if code in ("TrimmedDataAccessException", "ResourceNotFoundException"):
                raise PositionTrimmed(f"the stream forgot: {rejected}", OLDEST) from rejected
            if action == "GetRecords" and code in ("ExpiredIteratorException", "ValidationException"):
                raise IteratorExpired(str(rejected)) from rejected
            raise error_of(rejected, None) from rejected
        except NoResponse as silence:
            raise error_without_response(silence, writing=False) from silence
