"""The engine: every call of the protocol is one request to DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from sobremesa.table.capacity import Capacity
from sobremesa.table.clock import Clock
from sobremesa.table.engines.dynamodb.admin import Admin
from sobremesa.table.engines.dynamodb.autoscaling import Autoscaling
from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.credentials import Credentials, find_region
from sobremesa.table.engines.dynamodb.endpoints import find_endpoints, is_aws
from sobremesa.table.engines.dynamodb.positions import position_from
from sobremesa.table.engines.dynamodb.requests import Requests
from sobremesa.table.engines.dynamodb.responses import (
    AttributesResponse,
    BatchGetResponse,
    BatchWriteResponse,
    Consumed,
    ItemResponse,
    PageResponse,
    TransactionGetResponse,
    TransactionResponse,
)
from sobremesa.table.engines.dynamodb.shard_reader import DynamoShardReader
from sobremesa.table.engines.dynamodb.shards import Stream, parents_first
from sobremesa.table.engines.dynamodb.streams import StreamReader, latest_stream
from sobremesa.table.engines.dynamodb.transport import AUTOSCALING, CONTROL, STREAMS, TABLES, Transport
from sobremesa.table.engines.protocol import (
    OLDEST,
    BatchRead,
    BatchWritten,
    ChangeReader,
    CheckItem,
    DeleteItem,
    ItemRead,
    ItemWrite,
    Position,
    PutItem,
    QueryRequest,
    RawKey,
    RawPage,
    ScanRequest,
    ShardList,
    ShardReader,
    TableFacts,
    TransactionRead,
    Written,
)
from sobremesa.table.errors import PositionTrimmed
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.service_options import ServiceOptions
from sobremesa.table.typed_items import load_item

_items = msgspec.json.Decoder(ItemResponse)
_attributes = msgspec.json.Decoder(AttributesResponse)
_pages = msgspec.json.Decoder(PageResponse)
_batch_gets = msgspec.json.Decoder(BatchGetResponse)
_batch_writes = msgspec.json.Decoder(BatchWriteResponse)
_transaction_gets = msgspec.json.Decoder(TransactionGetResponse)
_transactions = msgspec.json.Decoder(TransactionResponse)


class DynamoEngine:
    """One table in DynamoDB."""

    def __init__(self, layout: Layout, transport: Transport, clock: Clock, store: str, options: ServiceOptions) -> None:
        self._layout = layout
        self._transport = transport
        self._clock = clock
        self._tables = Client(transport, TABLES)
        self._streams = Client(transport, STREAMS)
        self._requests = Requests(layout)
        autoscaling = Autoscaling(Client(transport, AUTOSCALING), layout.table, options)
        self._admin = Admin(Client(transport, CONTROL), autoscaling, layout, store, options)
        self._stream: tuple[Stream, str] | None = None
        """The stream and its label, as last listed."""

    @classmethod
    async def open(
        cls,
        layout: Layout,
        *,
        region: str | None,
        endpoint: str | None,
        clock: Clock,
        options: ServiceOptions = ServiceOptions(),  # noqa: B008 - frozen
    ) -> DynamoEngine:
        """Open the engine of a region of AWS, or of another endpoint. No request is made yet."""
        region = region or await find_region(None if endpoint is not None and is_aws(endpoint) else endpoint)
        endpoints = await find_endpoints(region, endpoint, options)
        credentials = await Credentials.find(endpoints.tables)
        transport = Transport(
            region=region,
            endpoints=endpoints,
            credentials=credentials,
            clock=clock,
            respond_seconds=options.attempt_seconds,
        )
        return cls(layout, transport, clock, f"dynamodb {endpoint or region}", options)

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def clock(self) -> Clock:
        return self._clock

    keeps_order = False

    @property
    def responses_can_be_lost(self) -> bool:
        """True: there is a network in between."""
        return True

    def version(self) -> object | None:
        return None

    def version_of(self, pk: str, *, with_expiring: bool = False) -> object | None:
        return None

    async def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> ItemRead:
        """Return the item with this key, or these fields of it."""
        request = self._requests.get(key, consistent=consistent, fields=fields)
        answer = await self._tables.call("GetItem", request, _items)
        # An item without any of the fields is an empty item; a missing one is None.
        item = None if answer.item is None else load_item(answer.item)
        return ItemRead(item, _read(answer.consumed_capacity))

    async def batch_get(
        self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None = None
    ) -> BatchRead:
        """Return up to 100 items by their keys, or these fields of them."""
        request = self._requests.batch_get(keys, consistent=consistent, fields=fields)
        answer = await self._tables.call("BatchGetItem", request, _batch_gets)
        found = answer.responses.get(self._layout.table, [])
        left = answer.unprocessed_keys.get(self._layout.table)
        return BatchRead(
            {self._requests.key_of(typed): load_item(typed) for typed in found},
            [self._requests.key_of(typed) for typed in left.keys] if left is not None else [],
            _read(*answer.consumed_capacity),
        )

    async def transact_get(self, keys: Sequence[RawKey]) -> TransactionRead:
        """Return up to 100 items by their keys, all as they were at one moment."""
        answer = await self._tables.call("TransactGetItems", self._requests.transact_get(keys), _transaction_gets)
        found = zip(keys, answer.responses, strict=True)
        items = {key: load_item(each.item) for key, each in found if each.item}
        return TransactionRead(items, _read(*answer.consumed_capacity))

    async def query(self, request: QueryRequest) -> RawPage:
        """Return one page of a query of one partition."""
        answer = await self._tables.call("Query", self._requests.query(request), _pages)
        return self._page(answer, request.index)

    async def scan(self, request: ScanRequest) -> RawPage:
        """Return one page of one segment of the whole table."""
        answer = await self._tables.call("Scan", self._requests.scan(request), _pages)
        return self._page(answer, None)

    async def write(self, operation: ItemWrite) -> Written:
        """Run a single operation. A check has no request of its own and runs as a transaction."""
        if isinstance(operation, CheckItem):
            return await self.transact((operation,), None)
        action, request = self._requests.write(operation)
        answer = await self._tables.call(action, request, _attributes, writes=(operation,))
        item = load_item(answer.attributes) if answer.attributes else None
        return Written(item, _written(answer.consumed_capacity))

    async def transact(self, operations: Sequence[ItemWrite], token: str | None) -> Written:
        """Run up to 100 operations, all or none."""
        request = self._requests.transaction(operations, token)
        answer = await self._tables.call("TransactWriteItems", request, _transactions, writes=operations)
        return Written(None, _written(*answer.consumed_capacity))

    async def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> BatchWritten:
        """Run up to 25 independent puts and deletes."""
        request = self._requests.batch_write(operations)
        answer = await self._tables.call("BatchWriteItem", request, _batch_writes, writes=operations)
        by_key = {operation.key: operation for operation in operations}
        left = answer.unprocessed_items.get(self._layout.table, [])
        unprocessed = [by_key[self._requests.key_of(write.keyed)] for write in left]
        return BatchWritten(unprocessed, _written(*answer.consumed_capacity))

    async def changes(self, position: Position) -> ChangeReader:
        """Return a reader of the changes after a position."""
        table = await self._admin.description()
        return await StreamReader.open(self._streams, table, self._requests, self._clock, position)

    async def shards(self) -> ShardList:
        """Return the shards of the table's latest stream, parents first."""
        stream, label = await self._latest_stream()
        return ShardList(label, parents_first(await stream.list_shards()))

    async def open_shard(self, shard_id: str, after: Position) -> ShardReader:
        """Return a reader of one shard."""
        stream, _ = self._stream or await self._latest_stream()
        return await DynamoShardReader.open(stream, self._requests, self._clock, shard_id, after)

    async def shard_positions(self, position: Position) -> Mapping[str, Position | None]:
        """Return a position in the whole stream as one in each shard."""
        resumed = position_from(position)
        _, label = await self._latest_stream()
        if resumed.label != label:
            raise PositionTrimmed("the position is of a stream that the table no longer has", OLDEST)
        return {
            shard_id: None if checkpoint.done else Position(checkpoint.after or OLDEST)
            for shard_id, checkpoint in resumed.shards.items()
        }

    async def _latest_stream(self) -> tuple[Stream, str]:
        self._stream = latest_stream(self._streams, await self._admin.description())
        return self._stream

    async def create_table(self) -> None:
        """Create the table with its indexes, stream and time-to-live, and wait for it."""
        await self._admin.create()

    async def describe_table(self) -> TableFacts:
        """Return the description of the table."""
        return await self._admin.describe()

    async def describe_operation(self) -> dict[str, str]:
        """Return how the table is operated, by name, such as its billing; it needs more permissions than serving."""
        return await self._admin.describe_operation()

    async def complete_table(self) -> list[str]:
        """Add the indexes, the time-to-live and the stream that the table lacks, and the protections of the options."""
        return await self._admin.complete()

    async def drop_table(self) -> None:
        """Drop the table and wait until it is deleted."""
        await self._admin.drop()

    async def close(self) -> None:
        """Close every connection; every later call raises StoreClosed."""
        await self._transport.close()

    def _page(self, answer: PageResponse, index: IndexName | None) -> RawPage:
        return RawPage(
            [load_item(typed) for typed in answer.items],
            answer.count,
            answer.scanned_count,
            self._requests.last_of(answer.last_evaluated_key, index),
            _read(answer.consumed_capacity),
        )


def _read(*consumed: Consumed | None) -> Capacity:
    return Capacity(read=sum(each.capacity_units for each in consumed if each is not None))


def _written(*consumed: Consumed | None) -> Capacity:
    """Return the write units; a transaction repeated with its token costs read units."""
    read = write = 0.0
    for each in consumed:
        if each is None:
            continue
        read += each.read_capacity_units or 0.0
        if each.read_capacity_units is None:
            write += each.capacity_units
        else:
            write += each.write_capacity_units or 0.0
    return Capacity(read, write)
