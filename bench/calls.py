"""The processor time of one DynamoDB call in this process: our engine, and aiobotocore with the same requests.

Both speak to the same dynoxide, one call after the other. aiobotocore is measured twice: as it is, with typed values
(`{"S": "..."}`) ready to be sent and left as they come, and with boto3's own (de)serialiser, which gives Python values
as our engine does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from time import process_time
from typing import Any, TypeAlias

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer  # type: ignore[import-untyped]

from bench.contender import BATCH
from bench.endpoints import boto_client
from bench.lock import Lock
from bench.plan import Plan
from bench.progress import Steps
from bench.results import CallCost, Series
from bench.stage import Stage
from bench.workload import SEATS, Rooms, Send, first_items, head_key, message_item, newest, operations, seat_key
from sobremesa.table import RawKey
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item

OURS = "DynamoEngine"
BOTO = "aiobotocore"
BOTO_TYPED = "aiobotocore, Python values"
GET = "get"
TRANSACTION = "transaction of 3"
PAGE_50 = "page of 50"
FIRST_ROOM = 1_000_000
ROUNDS = 9
SOME_MESSAGES = 70

Call: TypeAlias = Callable[[], Awaitable[None]]

_serialise = TypeSerializer().serialize
_deserialise = TypeDeserializer().deserialize


async def measure_calls(stage: Stage, plan: Plan, lock: Lock, steps: Steps) -> list[CallCost]:
    """What each call costs, by client, in milliseconds of processor time."""
    costs: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    async with boto_client(stage.dynoxide_url) as client:
        rooms = [OneRoom(FIRST_ROOM + number) for number in range(3)]
        for room in rooms:
            await _fill(stage.dynoxide, room)
        clients: list[OurCalls | BotoCalls] = [
            OurCalls(stage.dynoxide, rooms[0]),
            BotoCalls(client, stage.layout.table, rooms[1], typed=False),
            BotoCalls(client, stage.layout.table, rooms[2], typed=True),
        ]
        for number in range(ROUNDS):
            for each in clients if number % 2 else reversed(clients):
                for name, call in each.calls().items():
                    async with lock.held():
                        costs[name][each.name].append(await _cost(call, plan.calls))
                steps.done(each.name)
    return [
        CallCost(name, {client: Series(tuple(values)) for client, values in by_client.items()})
        for name, by_client in costs.items()
    ]


async def _cost(call: Call, times: int) -> float:
    started = process_time()
    for _ in range(times):
        await call()
    return 1000 * (process_time() - started) / times


async def _fill(engine: DynamoEngine, room: OneRoom) -> None:
    """Put a conversation with a page of messages into the table."""
    items = first_items(room.number) + [message_item(room.next_send()) for _ in range(SOME_MESSAGES)]
    for first in range(0, len(items), BATCH):
        batch = [PutItem(RawKey(item["pk"], item["sk"]), item) for item in items[first : first + BATCH]]
        await engine.batch_write(batch)


class OneRoom:
    """A separate conversation."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._rooms = Rooms(1)

    def next_send(self) -> Send:
        return self._rooms.next_send(0)._replace(room=self.number)


class OurCalls:
    """The calls through our engine."""

    name = OURS

    def __init__(self, engine: DynamoEngine, room: OneRoom) -> None:
        self._engine = engine
        self._room = room

    def calls(self) -> dict[str, Call]:
        return {GET: self._get, TRANSACTION: self._transact, PAGE_50: self._page}

    async def _get(self) -> None:
        found = await self._engine.get(head_key(self._room.number), consistent=True, fields=None)
        assert found.item

    async def _transact(self) -> None:
        await self._engine.transact(operations(self._room.next_send()), None)

    async def _page(self) -> None:
        page = await self._engine.query(newest(self._room.number))
        assert page.count == 50


class BotoCalls:
    """The same calls through aiobotocore."""

    def __init__(self, client: Any, table: str, room: OneRoom, *, typed: bool) -> None:
        self.name = BOTO_TYPED if typed else BOTO
        self._client = client
        self._table = table
        self._room = room
        self._typed = typed

    def calls(self) -> dict[str, Call]:
        return {GET: self._get, TRANSACTION: self._transact, PAGE_50: self._page}

    async def _get(self) -> None:
        answer = await self._client.get_item(
            TableName=self._table,
            Key=_key(head_key(self._room.number)),
            ConsistentRead=True,
            ReturnConsumedCapacity="TOTAL",
        )
        self._loaded([answer["Item"]])

    async def _page(self) -> None:
        request = newest(self._room.number)
        answer = await self._client.query(
            TableName=self._table,
            KeyConditionExpression="#pk = :pk AND begins_with(#sk, :sk)",
            ExpressionAttributeNames={"#pk": "pk", "#sk": "sk"},
            ExpressionAttributeValues={":pk": {"S": request.pk}, ":sk": {"S": "MSG#"}},
            ScanIndexForward=False,
            Limit=50,
            ConsistentRead=True,
            ReturnConsumedCapacity="TOTAL",
        )
        assert len(self._loaded(answer["Items"])) == 50

    async def _transact(self) -> None:
        send = self._room.next_send()
        item = message_item(send)
        stored = _dumped(item) if self._typed else {name: {"S": value} for name, value in item.items()}
        await self._client.transact_write_items(
            TransactItems=[
                {
                    "Put": {
                        "TableName": self._table,
                        "Item": stored,
                        "ConditionExpression": "attribute_not_exists(#pk)",
                        "ExpressionAttributeNames": {"#pk": "pk"},
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
                {"Update": self._head_update(send)},
                {"Update": self._seat_update(send)},
            ],
            ReturnConsumedCapacity="TOTAL",
        )

    def _head_update(self, send: Send) -> dict[str, Any]:
        values = {":id": send.message_id, ":at": send.at, ":preview": send.content[:80]}
        return {
            "TableName": self._table,
            "Key": _key(head_key(self._room.number)),
            "UpdateExpression": "SET #id = :id, #at = :at, #preview = :preview",
            "ConditionExpression": "attribute_exists(#pk) AND (attribute_not_exists(#id) OR #id < :id)",
            "ExpressionAttributeNames": {
                "#pk": "pk",
                "#id": "lastMessageId",
                "#at": "lastMessageAt",
                "#preview": "preview",
            },
            "ExpressionAttributeValues": self._values(values),
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _seat_update(self, send: Send) -> dict[str, Any]:
        values = self._values({":id": send.message_id, ":at": send.at})
        return {
            "TableName": self._table,
            "Key": _key(seat_key(self._room.number, send.number % SEATS)),
            "UpdateExpression": "SET #id = :id, #at = :at ADD #sent :one",
            "ConditionExpression": "attribute_exists(#pk)",
            "ExpressionAttributeNames": {
                "#pk": "pk",
                "#id": "lastReadMessageId",
                "#at": "lastReadAt",
                "#sent": "sent",
            },
            "ExpressionAttributeValues": values | {":one": {"N": "1"}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _values(self, values: dict[str, str]) -> Item:
        return _dumped(values) if self._typed else {name: {"S": value} for name, value in values.items()}

    def _loaded(self, items: list[Item]) -> list[Item]:
        if not self._typed:
            return items
        return [{name: _deserialise(value) for name, value in item.items()} for item in items]


def _key(key: RawKey) -> Item:
    return {"pk": {"S": key.pk}, "sk": {"S": key.sk}}


def _dumped(item: Item) -> Item:
    return {name: _serialise(value) for name, value in item.items()}
