"""The servers with DynamoDB's API, and their tables without a stream, which makes dynoxide five times slower."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiobotocore.session import get_session

from sobremesa.table import Layout

REGION = "us-east-1"


@asynccontextmanager
async def boto_client(url: str) -> AsyncIterator[Any]:
    """aiobotocore's client of an endpoint on this machine."""
    async with get_session().create_client(
        "dynamodb",
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    ) as client:
        yield client


async def create_plain_table(url: str, layout: Layout) -> None:
    """Create the layout's table and indexes, without a stream."""
    indexes = [
        {
            "IndexName": index.name,
            "KeySchema": _key_schema(index.pk, index.sk),
            "Projection": {"ProjectionType": "ALL"},
        }
        for index in layout.indexes.values()
    ]
    async with boto_client(url) as client:
        await client.create_table(
            TableName=layout.table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in sorted(layout.key_attributes())
            ],
            KeySchema=_key_schema(layout.pk, layout.sk),
            GlobalSecondaryIndexes=indexes,
        )
        await client.get_waiter("table_exists").wait(TableName=layout.table, WaiterConfig={"Delay": 1})


def _key_schema(pk: str, sk: str) -> list[dict[str, str]]:
    return [{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]
