"""What the emulators make of the options of a table; what they ignore is a gap with a name."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from servers import Endpoint
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.errors import StoreDenied
from sobremesa.table.opening import open_engine
from table.engines import EMBEDDED, STORES, Store
from table.gaps import has

SCALED = "billing=provisioned&read_units=5-9&write_units=6"
RECOVERED = "point_in_time_recovery=true"
KEY = "11111111-2222-3333-4444-555555555555"

OpenWith = Callable[[str], Awaitable[DynamoEngine]]


@pytest.fixture(
    params=[
        pytest.param(store, marks=pytest.mark.long if store == "moto" else ())
        for store in STORES
        if store not in EMBEDDED
    ]
)
def store(request: pytest.FixtureRequest) -> Store:
    name: Store = request.param
    return name


@pytest.fixture
async def open_with(store: Store, request: pytest.FixtureRequest) -> AsyncIterator[OpenWith]:
    """Open a new table's engine with these options; its table is dropped at the end."""
    endpoint: Endpoint = request.getfixturevalue("moto_server" if store == "moto" else "dynamodb_endpoint")
    opened: list[DynamoEngine] = []

    async def open_(options: str) -> DynamoEngine:
        table = f"operated-{uuid.uuid4().hex}"
        engine = await open_engine(f"dynamodb://{table}?region=eu-west-1&endpoint={endpoint.url}&{options}")
        assert isinstance(engine, DynamoEngine)
        opened.append(engine)
        return engine

    yield open_
    for engine in opened:
        await engine.drop_table()
        await engine.close()


@pytest.mark.parametrize(
    ("options", "name", "value", "gap"),
    [
        ("billing=provisioned&read_units=7&write_units=8", "billing", "provisioned, 7 read units", None),
        ("deletion_protection=false", "deletion protection", "off", None),
        ("warm_reads=20000&warm_writes=9000", "warm throughput", "20000 reads", "warm-throughput-ignored"),
        (f"kms_key={KEY}", "encryption", KEY, "key-ignored"),
        ("tags=team=chat", "tags", "team=chat", "tags-ignored"),
    ],
)
async def test_option_is_kept_or_is_a_known_gap(
    options: str, name: str, value: str, gap: str | None, store: Store, open_with: OpenWith
) -> None:
    engine = await open_with(options)
    await engine.create_table()

    shown = await engine.describe_operation()

    is_ignored = gap is not None and has(store, gap)
    assert (value in shown[name]) is not is_ignored


@pytest.mark.parametrize(
    ("options", "part", "gap"),
    [(SCALED, "autoscaling", "autoscaling-unknown"), (RECOVERED, "point-in-time recovery", "recovery-unknown")],
)
async def test_protection_that_an_endpoint_does_not_know_is_an_error_and_the_table_is_there(
    options: str, part: str, gap: str, store: Store, open_with: OpenWith
) -> None:
    engine = await open_with(options)
    if has(store, gap):
        with pytest.raises(StoreDenied, match=f"is there, but {part} cannot be added"):
            await engine.create_table()
    else:
        await engine.create_table()

    facts = await engine.describe_table()

    assert (facts.status, facts.ttl) == ("ACTIVE", "ttl")
