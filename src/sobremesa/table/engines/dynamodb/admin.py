"""Creating, completing, describing and dropping a table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from sobremesa.table.engines.dynamodb.client import Client
from sobremesa.table.engines.dynamodb.responses import (
    IndexDescription,
    NothingResponse,
    TableDescription,
    TableResponse,
    TimeToLiveResponse,
)
from sobremesa.table.engines.protocol import TableFacts
from sobremesa.table.errors import Conflict, StoreFailed, StoreForeign, TableExists, TableMissing
from sobremesa.table.layout import KEYS_ONLY, IndexLayout, Layout

DEADLINE_SECONDS = 180.0
FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 2.0

_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}

_tables = msgspec.json.Decoder(TableResponse)
_times_to_live = msgspec.json.Decoder(TimeToLiveResponse)
_nothing = msgspec.json.Decoder(NothingResponse)


class Admin:
    """Creates, describes and drops one table."""

    def __init__(self, client: Client, layout: Layout, store: str) -> None:
        self._client = client
        self._layout = layout
        self._store = store

    async def create(self) -> None:
        """Create the table and wait until it is active; raise TableExists if there is one."""
        await self._client.call("CreateTable", _definition(self._layout), _nothing, writes=())
        await self._wait(self._is_active, f"the table {self._layout.table} is not active yet")
        await self._enable_time_to_live()

    async def describe(self) -> TableFacts:
        """Return the description of the table; on AWS its counts are some hours old."""
        table = await self.description()
        request = {"TableName": self._layout.table}
        ttl = (await self._client.call("DescribeTimeToLive", request, _times_to_live)).time_to_live_description
        return TableFacts(
            store=self._store,
            table=self._layout.table,
            status=table.table_status,
            items=table.item_count,
            bytes=table.table_size_bytes,
            indexes=tuple(sorted(index.index_name for index in table.global_secondary_indexes)),
            ttl=ttl.attribute_name if ttl.time_to_live_status in ("ENABLED", "ENABLING") else None,
            stream=table.stream_specification is not None and table.stream_specification.stream_enabled,
        )

    async def complete(self) -> list[str]:
        """Add what the table lacks, one after the other, waiting for each; return what was added.

        StoreForeign if it has something of that name that is otherwise: that is for its owner to change.
        """
        table = await self.description()
        there = {index.index_name: index for index in table.global_secondary_indexes}
        added: list[str] = []
        for index in self._layout.indexes.values():
            if index.name in there:
                _refuse_other_keys(there[index.name], index)
                _refuse_smaller(there[index.name], index)
                continue
            await self._update(_new_index(self._layout, index, table))
            added.append(f"the index {index.name}")
        stream = table.stream_specification
        if stream is None or not stream.stream_enabled:
            await self._update({"StreamSpecification": _STREAM})
            added.append("the stream")
        elif stream.stream_view_type != _STREAM["StreamViewType"]:
            raise StoreForeign(f"the stream has {stream.stream_view_type}; it must have new and old images")
        facts = await self.describe()
        if facts.ttl is None:
            await self._enable_time_to_live()
            added.append(f"the time to live, {self._layout.ttl}")
        elif facts.ttl != self._layout.ttl:
            raise StoreForeign(f"the time to live is {facts.ttl}; the name map has {self._layout.ttl}")
        return added

    async def drop(self) -> None:
        """Drop the table and wait until it is deleted; raise TableMissing if there is none."""
        try:
            request = {"TableName": self._layout.table}
            await self._client.call("DeleteTable", request, _nothing, writes=())
        except TableExists as busy:
            raise Conflict(f"the table {self._layout.table} is being created or changed") from busy
        await self._wait(self._is_deleted, f"the table {self._layout.table} is not deleted yet")

    async def description(self) -> TableDescription:
        """Call DescribeTable; raise TableMissing if there is no such table."""
        return (await self._client.call("DescribeTable", {"TableName": self._layout.table}, _tables)).table

    async def _update(self, changes: dict[str, Any]) -> None:
        await self._client.call("UpdateTable", {"TableName": self._layout.table, **changes}, _nothing, writes=())
        await self._wait(self._is_active, f"the table {self._layout.table} is still being changed")

    async def _enable_time_to_live(self) -> None:
        specification = {"Enabled": True, "AttributeName": self._layout.ttl}
        request = {"TableName": self._layout.table, "TimeToLiveSpecification": specification}
        await self._client.call("UpdateTimeToLive", request, _nothing, writes=())

    async def _is_active(self) -> bool:
        try:
            table = await self.description()
        except TableMissing:
            return False  # AWS may not know the new table yet
        indexes = table.global_secondary_indexes
        return table.table_status == "ACTIVE" and all(index.index_status == "ACTIVE" for index in indexes)

    async def _is_deleted(self) -> bool:
        try:
            await self.description()
        except TableMissing:
            return True
        return False

    async def _wait(self, reached: Callable[[], Awaitable[bool]], problem: str) -> None:
        wait = FIRST_WAIT_SECONDS
        deadline = asyncio.get_running_loop().time() + DEADLINE_SECONDS
        while not await reached():
            if asyncio.get_running_loop().time() > deadline:
                raise StoreFailed(f"{problem}, after {DEADLINE_SECONDS:.0f} seconds")
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)


def _new_index(layout: Layout, index: IndexLayout, table: TableDescription) -> dict[str, Any]:
    """UpdateTable: one more index, with the throughput of the table where that is provisioned."""
    creation = _index(index)
    given = table.provisioned_throughput
    if given is not None and given.read_capacity_units:
        creation["ProvisionedThroughput"] = {
            "ReadCapacityUnits": given.read_capacity_units,
            "WriteCapacityUnits": given.write_capacity_units,
        }
    attributes = sorted({layout.pk, layout.sk, index.pk, index.sk})
    return {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in attributes],
        "GlobalSecondaryIndexUpdates": [{"Create": creation}],
    }


def _refuse_other_keys(there: IndexDescription, wanted: IndexLayout) -> None:
    keys = [element.attribute_name for element in there.key_schema]
    if keys and keys != [wanted.pk, wanted.sk]:
        raise StoreForeign(f"the index {wanted.name} has the keys {', '.join(keys)}; set them in the name map")


def _refuse_smaller(there: IndexDescription, wanted: IndexLayout) -> None:
    """Raise StoreForeign if an index lacks attributes that it must have; it may have more."""
    has = there.projection
    if has is None or has.projection_type == "ALL":
        return
    if wanted.projects is None:
        raise StoreForeign(f"the index {wanted.name} has the projection {has.projection_type}; it must have ALL")
    if missing := set(wanted.projects) - set(has.non_key_attributes):
        raise StoreForeign(f"the index {wanted.name} does not project {', '.join(sorted(missing))}")


def _index(index: IndexLayout) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _key_schema(index.pk, index.sk),
        "Projection": _projection(index.projects),
    }


def _projection(attributes: tuple[str, ...] | None) -> dict[str, Any]:
    if attributes is None:
        return {"ProjectionType": "ALL"}
    if attributes == KEYS_ONLY:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(attributes)}


def _definition(layout: Layout) -> dict[str, Any]:
    """CreateTable: all keys are text, and changes carry both images."""
    indexes = [_index(index) for index in layout.indexes.values()]
    definition: dict[str, Any] = {
        "TableName": layout.table,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in sorted(layout.key_attributes())
        ],
        "KeySchema": _key_schema(layout.pk, layout.sk),
        "StreamSpecification": _STREAM,
    }
    if indexes:
        definition["GlobalSecondaryIndexes"] = indexes
    return definition


def _key_schema(pk: str, sk: str) -> list[dict[str, str]]:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]
