"""The stores that every contract test runs over, each with a fresh table.

`make conformance` puts DynamoDB Local in dynoxide's place. moto, which is slow and a second opinion only, is one
of them in `make long`.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from lengths import WITH_MOTO
from servers import WITH_DYNAMODB_LOCAL, Endpoint
from sobremesa.core.clock import Clock
from sobremesa.table import IndexName, Layout
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.embedded import EmbeddedEngine
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.names import IndexNames, Names

Store: TypeAlias = Literal["embedded-file", "embedded-memory", "dynoxide-memory", "dynamodb-local", "moto"]
_LEFT_OUT = {"dynoxide-memory" if WITH_DYNAMODB_LOCAL else "dynamodb-local", *([] if WITH_MOTO else ["moto"])}
STORES: tuple[Store, ...] = tuple(store for store in get_args(Store) if store not in _LEFT_OUT)
EMBEDDED: tuple[Store, ...] = ("embedded-file", "embedded-memory")

CAPITALS = Names(
    pk="PK",
    sk="SK",
    ttl="expiredat",
    entity_type="_type",
    indexes={
        "gsi1": IndexNames(name="GSI1", pk="GSI1PK", sk="GSI1SK"),
        "gsi2": IndexNames(name="GSI2", pk="GSI2PK", sk="GSI2SK"),
    },
)
"""A table with other names."""

MAPS = {"capitals": CAPITALS, "electrodb": Names(style="electrodb")}

Projections: TypeAlias = Mapping[IndexName, tuple[str, ...]]
"""What indexes project besides the keys; an index that is not named projects everything."""

OpenEngine: TypeAlias = Callable[[Clock], Awaitable[Engine]]


def fresh_layout(names: Names | None = None, projections: Projections | None = None) -> Layout:
    """A new table name: dynoxide and moto return the old changes of a name that is used again."""
    layout = Layout.named(names or Names())
    indexes = {
        index: msgspec.structs.replace(each, projects=(projections or {}).get(index))
        for index, each in layout.indexes.items()
    }
    return msgspec.structs.replace(layout, table=f"contract-{uuid.uuid4().hex}", indexes=indexes)


@asynccontextmanager
async def embedded(
    path: Path | None, clock: Clock, names: Names | None = None, projections: Projections | None = None
) -> AsyncIterator[EmbeddedEngine]:
    """An embedded engine without its janitor: a test sweeps when it wants to."""
    layout = fresh_layout(names, projections)
    engine = await EmbeddedEngine.open(str(path or ":memory:"), layout, clock=clock, janitor=False)
    try:
        yield engine
    finally:
        await engine.close()


@asynccontextmanager
async def dynamo(
    endpoint: Endpoint, clock: Clock, names: Names | None = None, projections: Projections | None = None
) -> AsyncIterator[DynamoEngine]:
    """The DynamoDB engine with a table of its own on this endpoint."""
    layout = fresh_layout(names, projections)
    engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=endpoint.url, clock=clock)
    try:
        await engine.create_table()
        yield engine
        await engine.drop_table()
    finally:
        await engine.close()
