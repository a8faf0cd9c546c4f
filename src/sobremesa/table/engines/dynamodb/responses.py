"""The responses of DynamoDB, as types with only the fields that are used."""

from __future__ import annotations

import msgspec

from sobremesa.table.typed_items import TypedItem


class Response(msgspec.Struct, rename="pascal"):
    """A part of a response; its fields are DynamoDB's, in snake case."""


class Consumed(Response):
    capacity_units: float = 0.0
    read_capacity_units: float | None = None
    write_capacity_units: float | None = None


class ItemResponse(Response):
    """GetItem."""

    item: TypedItem | None = None
    consumed_capacity: Consumed | None = None


class AttributesResponse(Response):
    """PutItem, UpdateItem, DeleteItem."""

    attributes: TypedItem | None = None
    consumed_capacity: Consumed | None = None


class PageResponse(Response):
    """Query, Scan."""

    items: list[TypedItem] = []
    count: int = 0
    scanned_count: int = 0
    last_evaluated_key: TypedItem | None = None
    consumed_capacity: Consumed | None = None


class KeyList(Response):
    keys: list[TypedItem]


class BatchGetResponse(Response):
    responses: dict[str, list[TypedItem]] = {}
    unprocessed_keys: dict[str, KeyList] = {}
    consumed_capacity: list[Consumed] = []


class PutRequest(Response):
    item: TypedItem


class DeleteRequest(Response):
    key: TypedItem


class WriteRequest(Response):
    put_request: PutRequest | None = None
    delete_request: DeleteRequest | None = None

    @property
    def keyed(self) -> TypedItem:
        """The item or the key: both contain the key."""
        if self.put_request is not None:
            return self.put_request.item
        return self.delete_request.key if self.delete_request is not None else {}


class BatchWriteResponse(Response):
    unprocessed_items: dict[str, list[WriteRequest]] = {}
    consumed_capacity: list[Consumed] = []


class FoundItem(Response):
    item: TypedItem | None = None


class TransactionGetResponse(Response):
    """TransactGetItems: the items in the order of the keys, without one for a missing item."""

    responses: list[FoundItem] = []
    consumed_capacity: list[Consumed] = []


class TransactionResponse(Response):
    consumed_capacity: list[Consumed] = []


class KeyElement(Response):
    attribute_name: str


class Throughput(Response):
    read_capacity_units: int = 0
    write_capacity_units: int = 0


class IndexProjection(Response):
    projection_type: str = "ALL"
    non_key_attributes: list[str] = []


class IndexDescription(Response):
    index_name: str
    index_status: str = "ACTIVE"
    key_schema: list[KeyElement] = []
    projection: IndexProjection | None = None


class StreamSpecification(Response):
    stream_enabled: bool = False
    stream_view_type: str | None = None


class BillingModeSummary(Response):
    billing_mode: str = ""


class WarmThroughput(Response):
    read_units_per_second: int = 0
    write_units_per_second: int = 0

    def __str__(self) -> str:
        return f"{self.read_units_per_second} reads, {self.write_units_per_second} writes a second"


class EncryptionDescription(msgspec.Struct):
    status: str = msgspec.field(name="Status", default="")
    key: str = msgspec.field(name="KMSMasterKeyArn", default="")


class TableDescription(Response):
    table_status: str
    table_arn: str = ""
    item_count: int = 0
    table_size_bytes: int = 0
    global_secondary_indexes: list[IndexDescription] = []
    provisioned_throughput: Throughput | None = None
    billing_mode_summary: BillingModeSummary | None = None
    warm_throughput: WarmThroughput | None = None
    deletion_protection_enabled: bool = False
    sse: EncryptionDescription | None = msgspec.field(name="SSEDescription", default=None)
    stream_specification: StreamSpecification | None = None
    latest_stream_arn: str | None = None
    latest_stream_label: str | None = None

    @property
    def is_provisioned(self) -> bool:
        """Whether its throughput is provisioned; a table that never was on demand has no summary."""
        if self.billing_mode_summary is not None and self.billing_mode_summary.billing_mode == "PAY_PER_REQUEST":
            return False
        return self.provisioned_throughput is not None and self.provisioned_throughput.read_capacity_units > 0

    @property
    def billing(self) -> str:
        """The billing mode, for display."""
        units = self.provisioned_throughput
        if units is None or not self.is_provisioned:
            return "on-demand"
        return f"provisioned, {units.read_capacity_units} read units and {units.write_capacity_units} write units"

    @property
    def encryption(self) -> str:
        """The key of the encryption, for display."""
        if self.sse is None or self.sse.status in ("", "DISABLED"):
            return "with a key of DynamoDB"
        return self.sse.key or "with a key of KMS"


class TableResponse(Response):
    """DescribeTable."""

    table: TableDescription


class DeletionResponse(Response):
    """DeleteTable."""

    table_description: TableDescription | None = None


class RecoveryDescription(Response):
    point_in_time_recovery_status: str = "DISABLED"


class BackupsDescription(Response):
    point_in_time_recovery_description: RecoveryDescription = msgspec.field(default_factory=RecoveryDescription)


class BackupsResponse(Response):
    """DescribeContinuousBackups."""

    continuous_backups_description: BackupsDescription


class Tag(Response):
    key: str
    value: str = ""


class TagsResponse(Response):
    """ListTagsOfResource."""

    tags: list[Tag] = []
    next_token: str | None = None


class TimeToLiveDescription(Response):
    time_to_live_status: str = "DISABLED"
    attribute_name: str | None = None


class TimeToLiveResponse(Response):
    """DescribeTimeToLive."""

    time_to_live_description: TimeToLiveDescription


class NothingResponse(Response):
    """A response without content."""


class Shard(Response):
    shard_id: str
    parent_shard_id: str | None = None


class StreamDescription(Response):
    shards: list[Shard] = []
    last_evaluated_shard_id: str | None = None


class StreamResponse(Response):
    """DescribeStream."""

    stream_description: StreamDescription


class IteratorResponse(Response):
    """GetShardIterator."""

    shard_iterator: str | None = None


class Identity(msgspec.Struct):
    principal: str = msgspec.field(name="PrincipalId", default="")


class RecordBody(Response):
    sequence_number: str
    keys: TypedItem = {}
    old_image: TypedItem | None = None
    new_image: TypedItem | None = None
    approximate_creation_date_time: float = 0.0


class Record(msgspec.Struct):
    body: RecordBody = msgspec.field(name="dynamodb")
    id: str = msgspec.field(name="eventID", default="")
    identity: Identity | None = msgspec.field(name="userIdentity", default=None)


class RecordsResponse(Response):
    """GetRecords."""

    records: list[Record] = []
    next_shard_iterator: str | None = None


class Reason(Response):
    """Why one operation of a transaction was not done."""

    code: str = "None"
    message: str | None = None
    item: TypedItem | None = None


class Rejection(msgspec.Struct):
    """The body of an error."""

    type: str = msgspec.field(name="__type", default="")
    lower_message: str | None = msgspec.field(name="message", default=None)
    upper_message: str | None = msgspec.field(name="Message", default=None)
    reasons: list[Reason] | None = msgspec.field(name="CancellationReasons", default=None)
    item: TypedItem | None = msgspec.field(name="Item", default=None)

    @property
    def code(self) -> str:
        """The name of the error, without prefix and suffix."""
        return self.type.rpartition("#")[2].partition(":")[0]

    @property
    def message(self) -> str:
        return self.lower_message or self.upper_message or ""
