"""A change stream of many shards behind a scripted endpoint: they split, end, are trimmed, and forget iterators."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from dynamodb.scripted import Answering, Received, answers, rejects
from sobremesa.core.clock import SetClock

SHARDS_A_PAGE = 2
RECORDS_A_PAGE = 2
TTL_SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


class ScriptedStream:
    """Shards with records. An iterator is `shard|place|serial`, a sequence number is `shard-place`."""

    def __init__(self, clock: SetClock) -> None:
        self.clock = clock
        self.label = "first"
        self.view = "NEW_AND_OLD_IMAGES"
        self.shards: dict[str, list[dict[str, Any]]] = {}
        self.parents: dict[str, str] = {}
        self.ended: set[str] = set()
        self.trimmed: set[str] = set()
        """Shards that no longer know the sequence numbers that were read."""
        self.unreadable: set[str] = set()
        """Shards that give no iterator at all."""
        self.expired: set[str] = set()
        """Iterators that are forgotten."""
        self.given: list[str] = []
        """Every iterator that was given out."""
        self.failing: dict[str, Answering] = {}
        """How a shard answers instead of giving records."""

    async def answer(self, received: Received) -> web.StreamResponse:
        """Response one request about the table or its stream."""
        return await self._answer_to(received)(received)

    def put(self, *names: str, expired: bool = False) -> None:
        """Add one record for each name at the end of the shard that its first letter names."""
        for name in names:
            shard = name[0].upper()
            records = self.shards.setdefault(shard, [])
            key = {"pk": {"S": "p"}, "sk": {"S": name}}
            body = {
                "ApproximateCreationDateTime": self.clock.now_ms() // 1000,
                "Keys": key,
                "SequenceNumber": f"{shard}-{len(records)}",
                **({"OldImage": key} if expired else {"NewImage": key, "OldImage": {}}),
            }
            record = {"eventID": f"event-{name}", "eventName": "REMOVE" if expired else "INSERT", "dynamodb": body}
            records.append(record | ({"userIdentity": TTL_SERVICE} if expired else {}))

    def split(self, parent: str, *children: str) -> None:
        """End a shard, with these as its children."""
        self.ended.add(parent)
        for child in children:
            self.parents[child] = parent
            self.shards.setdefault(child, [])

    def _answer_to(self, received: Received) -> Answering:
        body = received.body
        match received.service, received.action:
            case "DynamoDB_20120810", "DescribeTable":
                return answers({"Table": self._table()})
            case "DynamoDBStreams_20120810", "DescribeStream":
                return answers({"StreamDescription": self._described(body.get("ExclusiveStartShardId", ""))})
            case "DynamoDBStreams_20120810", "GetShardIterator":
                return self._iterator(body)
            case "DynamoDBStreams_20120810", "GetRecords":
                return self._records(body["ShardIterator"])
            case service, action:
                raise AssertionError(f"{service} knows no {action}")

    def _table(self) -> dict[str, Any]:
        return {
            "TableStatus": "ACTIVE",
            "LatestStreamArn": f"arn:{self.label}",
            "LatestStreamLabel": self.label,
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": self.view},
        }

    def _described(self, start: str) -> dict[str, Any]:
        ids = sorted(shard_id for shard_id in self.shards if shard_id > start)
        page = ids[:SHARDS_A_PAGE]
        shards = [
            {"ShardId": shard_id, "SequenceNumberRange": {}}
            | ({"ParentShardId": self.parents[shard_id]} if shard_id in self.parents else {})
            for shard_id in page
        ]
        return {"Shards": shards} | ({"LastEvaluatedShardId": page[-1]} if len(ids) > len(page) else {})

    def _iterator(self, body: dict[str, Any]) -> Answering:
        shard_id = body["ShardId"]
        if body["StreamArn"] != f"arn:{self.label}" or shard_id not in self.shards:
            return rejects("ResourceNotFoundException")
        if shard_id in self.unreadable:
            return answers({"ShardIterator": None})
        match body["ShardIteratorType"]:
            case "TRIM_HORIZON":
                place = 0
            case "LATEST":
                place = len(self.shards[shard_id])
            case "AFTER_SEQUENCE_NUMBER":
                if shard_id in self.trimmed:
                    return rejects("TrimmedDataAccessException")
                place = int(body["SequenceNumber"].removeprefix(f"{shard_id}-")) + 1
            case other:
                raise AssertionError(f"{other} was not requested before")
        return answers({"ShardIterator": self._give(shard_id, place)})

    def _records(self, iterator: str) -> Answering:
        shard_id, place, _ = iterator.split("|")
        if shard_id in self.failing:
            return self.failing[shard_id]
        if iterator in self.expired:
            return rejects("ExpiredIteratorException")
        records = self.shards[shard_id][int(place) : int(place) + RECORDS_A_PAGE]
        end = int(place) + len(records)
        if shard_id in self.ended and end == len(self.shards[shard_id]):
            return answers({"Records": records})
        return answers({"Records": records, "NextShardIterator": self._give(shard_id, end)})

    def _give(self, shard_id: str, place: int) -> str:
        self.given.append(f"{shard_id}|{place}|{len(self.given)}")
        return self.given[-1]
