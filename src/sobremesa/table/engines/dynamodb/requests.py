"""The requests of one table, in the format of DynamoDB. Each is checked before it is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from sobremesa.table.engines import checks
from sobremesa.table.engines.dynamodb.render import Expressions
from sobremesa.table.engines.protocol import (
    CheckItem,
    DeleteItem,
    IndexKey,
    ItemWrite,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    UpdateItem,
)
from sobremesa.table.keys import check_key
from sobremesa.table.layout import IndexName, Layout
from sobremesa.table.typed_items import TypedItem, dump_item

Request: TypeAlias = dict[str, Any]


class _Kind(NamedTuple):
    """One kind of write: its action, its name in a transaction, and its return value."""

    action: str
    name: str
    returns: str


_KINDS: dict[type[ItemWrite], _Kind] = {
    PutItem: _Kind("PutItem", "Put", "ALL_OLD"),
    UpdateItem: _Kind("UpdateItem", "Update", "ALL_NEW"),
    DeleteItem: _Kind("DeleteItem", "Delete", "ALL_OLD"),
    CheckItem: _Kind("", "ConditionCheck", ""),
}


class Requests:
    """Builds the requests of one table."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def get(self, key: RawKey, *, consistent: bool, fields: tuple[str, ...] | None) -> Request:
        """GetItem."""
        check_key(key.pk, key.sk)
        checks.check_fields(fields)
        request = self._measured(Key=self._key(key), ConsistentRead=consistent)
        if fields is not None:
            expressions = Expressions(self._layout.pk)
            request["ProjectionExpression"] = expressions.projection(fields)
            expressions.into(request)
        return request

    def batch_get(self, keys: Sequence[RawKey], *, consistent: bool, fields: tuple[str, ...] | None) -> Request:
        """BatchGetItem."""
        checks.check_batch_get(keys, fields, self._layout)
        wanted: Request = {"Keys": [self._key(key) for key in keys], "ConsistentRead": consistent}
        if fields is not None:
            expressions = Expressions(self._layout.pk)
            wanted["ProjectionExpression"] = expressions.projection(fields)
            expressions.into(wanted)
        return {"RequestItems": {self._layout.table: wanted}, "ReturnConsumedCapacity": "TOTAL"}

    def transact_get(self, keys: Sequence[RawKey]) -> Request:
        """TransactGetItems."""
        checks.check_transaction_read(keys)
        gets = [{"Get": {"TableName": self._layout.table, "Key": self._key(key)}} for key in keys]
        return {"TransactItems": gets, "ReturnConsumedCapacity": "TOTAL"}

    def query(self, query: QueryRequest) -> Request:
        """Query."""
        checks.check_query(query, self._layout)
        request = self._measured(ScanIndexForward=not query.backward, ConsistentRead=query.consistent)
        names: Any = self._layout
        if query.index is not None:
            names = self._layout.indexes[query.index]
            request["IndexName"] = names.name
        expressions = Expressions(self._layout.pk)
        condition = expressions.key_condition((names.pk, query.pk), names.sk, query.sort)
        request["KeyConditionExpression"] = condition
        if query.count_only:
            request["Select"] = "COUNT"
        if query.fields is not None:
            request["ProjectionExpression"] = expressions.projection(query.fields)
        if query.start is not None:
            request["ExclusiveStartKey"] = self._start(query)
        return self._page(request, expressions, query)

    def scan(self, scan: ScanRequest) -> Request:
        """Scan."""
        checks.check_scan(scan)
        request = self._measured(ConsistentRead=scan.consistent)
        if scan.segments > 1:
            request["Segment"] = scan.segment
            request["TotalSegments"] = scan.segments
        if scan.start is not None:
            request["ExclusiveStartKey"] = self._key(scan.start)
        return self._page(request, Expressions(self._layout.pk), scan)

    def write(self, operation: ItemWrite) -> tuple[str, Request]:
        """Return the action and the request of a single put, update or delete."""
        kind = _KINDS[type(operation)]
        request, _ = self._operation(operation)
        request["ReturnValues"] = kind.returns
        request["ReturnConsumedCapacity"] = "TOTAL"
        return kind.action, request

    def transaction(self, operations: Sequence[ItemWrite], token: str | None) -> Request:
        """TransactWriteItems."""
        checks.check_transaction(operations)
        checks.check_token(token)
        items: list[Request] = []
        total = 0
        for operation in operations:
            request, size = self._operation(operation)
            items.append({_KINDS[type(operation)].name: request})
            total += size
        checks.check_transaction_bytes(total)
        built: Request = {"TransactItems": items, "ReturnConsumedCapacity": "TOTAL"}
        if token is not None:
            built["ClientRequestToken"] = token
        return built

    def batch_write(self, operations: Sequence[PutItem | DeleteItem]) -> Request:
        """BatchWriteItem."""
        checks.check_batch_write(operations)
        writes: list[Request] = []
        for operation in operations:
            checked = checks.check_write(operation, self._layout)
            if checked is None:
                writes.append({"DeleteRequest": {"Key": self._key(operation.key)}})
            else:
                writes.append({"PutRequest": {"Item": dump_item(checked[0])}})
        return {"RequestItems": {self._layout.table: writes}, "ReturnConsumedCapacity": "TOTAL"}

    def key_of(self, typed: TypedItem) -> RawKey:
        """Return the key of an item, or of a key in the format of DynamoDB."""
        return RawKey(typed[self._layout.pk]["S"], typed[self._layout.sk]["S"])

    def last_of(self, typed: TypedItem | None, index: IndexName | None) -> RawKey | IndexKey | None:
        """Return the end of a page; None if it was the last."""
        if not typed:
            return None
        base = self.key_of(typed)
        return base if index is None else IndexKey(typed[self._layout.indexes[index].sk]["S"], base)

    def _measured(self, **parts: Any) -> Request:
        return {"TableName": self._layout.table, "ReturnConsumedCapacity": "TOTAL", **parts}

    def _key(self, key: RawKey) -> TypedItem:
        return {self._layout.pk: {"S": key.pk}, self._layout.sk: {"S": key.sk}}

    def _start(self, query: QueryRequest) -> TypedItem | None:
        match query.start:
            case IndexKey(sk, base) if query.index is not None:
                index = self._layout.indexes[query.index]
                # First the index's own: a layout may use a key of the table in an index, too.
                return {index.pk: {"S": query.pk}, index.sk: {"S": sk}, **self._key(base)}
            case RawKey() as key:
                return self._key(key)
            case _:
                return None

    def _page(self, request: Request, expressions: Expressions, page: QueryRequest | ScanRequest) -> Request:
        where = expressions.condition(page.where)
        if where is not None:
            request["FilterExpression"] = where
        if page.limit is not None:
            request["Limit"] = page.limit
        expressions.into(request)
        return request

    def _operation(self, operation: ItemWrite) -> tuple[Request, int]:
        """Return the part of a write that is the same in a transaction, and the size of an item put."""
        checked = checks.check_write(operation, self._layout)
        request: Request = {"TableName": self._layout.table}
        size = 0
        if checked is None:
            request["Key"] = self._key(operation.key)
        else:
            request["Item"] = dump_item(checked[0])
            size = checked[1]
        expressions = Expressions(self._layout.pk)
        if isinstance(operation, UpdateItem):
            request["UpdateExpression"] = expressions.update(operation.actions)
        condition = expressions.condition(operation.when)
        if condition is not None:
            request["ConditionExpression"] = condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        expressions.into(request)
        return request, size
