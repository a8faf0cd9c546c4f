"""The life of the table: made with all that belongs to it, described, dropped; and waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest

from dynamodb.rows import KEY, put
from dynamodb.scripted import Answering, ScriptedEndpoint, answers, rejects
from servers import Endpoint
from sobremesa.core.clock import SystemClock
from sobremesa.table import KEYS_ONLY, OLDEST, IndexLayout, IndexName, Layout, gsi1, gsi2
from sobremesa.table.engines.dynamodb import DynamoEngine, admin
from sobremesa.table.engines.protocol import QueryRequest
from sobremesa.table.errors import BadExpression, Conflict, StoreFailed, StoreForeign, TableExists, TableMissing


@pytest.fixture
async def tableless(dynamodb_endpoint: Endpoint, layout: Layout) -> AsyncIterator[DynamoEngine]:
    """An engine on dynoxide whose table does not exist yet."""
    engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=dynamodb_endpoint.url, clock=SystemClock())
    try:
        yield engine
    finally:
        await engine.close()


async def test_table_is_created_used_and_dropped(tableless: DynamoEngine) -> None:
    await tableless.create_table()
    await tableless.write(put())
    assert (await tableless.get(KEY, consistent=True, fields=None)).item is not None

    await tableless.drop_table()
    with pytest.raises(TableMissing):
        await tableless.get(KEY, consistent=True, fields=None)


async def test_a_table_that_does_not_exist_is_missing(tableless: DynamoEngine) -> None:
    for attempt in (
        tableless.get(KEY, consistent=True, fields=None),
        tableless.batch_get([KEY], consistent=True),
        tableless.query(QueryRequest(pk="p")),
        tableless.write(put()),
        tableless.transact([put()], None),
        tableless.batch_write([put()]),
        tableless.changes(OLDEST),
        tableless.describe_table(),
        tableless.drop_table(),
    ):
        with pytest.raises(TableMissing):
            await attempt


async def test_table_is_not_created_twice(stored: DynamoEngine) -> None:
    await stored.write(put())

    with pytest.raises(TableExists):
        await stored.create_table()

    assert (await stored.get(KEY, consistent=True, fields=None)).item is not None


async def test_a_fresh_table_has_its_indexes_its_time_to_live_and_its_stream(
    stored: DynamoEngine, dynamodb_endpoint: Endpoint, layout: Layout
) -> None:
    facts = await stored.describe_table()

    assert facts.store == f"dynamodb {dynamodb_endpoint.url}"
    assert (facts.table, facts.status, facts.items) == (layout.table, "ACTIVE", 0)
    assert facts.indexes == ("gsi1", "gsi2")
    assert facts.ttl == "ttl"
    assert facts.stream


async def test_a_description_counts_what_is_there(stored: DynamoEngine) -> None:
    await stored.batch_write([put(f"{number}") for number in range(3)])

    assert (await stored.describe_table()).items == 3


@pytest.mark.parametrize("count", [0, 1])
async def test_table_is_created_with_the_names_of_its_layout(
    count: int, dynamodb_endpoint: Endpoint, layout: Layout
) -> None:
    indexes = {gsi1: IndexLayout("byOwner", "owner", "since")}
    others = Layout(table=layout.table, pk="PK", sk="SK", ttl="expiresAt", indexes=dict(list(indexes.items())[:count]))
    engine = await DynamoEngine.open(others, region=None, endpoint=dynamodb_endpoint.url, clock=SystemClock())

    await engine.create_table()
    facts = await engine.describe_table()
    await engine.drop_table()
    await engine.close()

    assert facts.indexes == ("byOwner",)[:count]
    assert facts.ttl == "expiresAt"


def described(status: str, *indexes: str, **more: Any) -> Answering:
    """A description of the table; `indexes` are the status of each."""
    named = [{"IndexName": f"gsi{place}", "IndexStatus": each} for place, each in enumerate(indexes, 1)]
    return answers({"Table": {"TableStatus": status, "GlobalSecondaryIndexes": named, **more}})


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting takes next to no time."""
    monkeypatch.setattr(admin, "FIRST_WAIT_SECONDS", 0.0001)
    monkeypatch.setattr(admin, "LONGEST_WAIT_SECONDS", 0.001)


@pytest.mark.usefixtures("waits")
async def test_creating_a_table_waits_until_it_and_its_indexes_are_active(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(
        answers({"TableDescription": {"TableStatus": "CREATING"}}),
        rejects("ResourceNotFoundException"),
        described("CREATING"),
        described("ACTIVE", "ACTIVE", "CREATING"),
        described("UPDATING", "ACTIVE", "ACTIVE"),
        described("ACTIVE", "ACTIVE", "ACTIVE"),
        answers({"TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True}}),
    )

    await engine.create_table()

    assert scripted.actions() == ["CreateTable", *["DescribeTable"] * 5, "UpdateTimeToLive"]
    created, enabled = scripted.received[0].body, scripted.received[-1].body
    assert created["BillingMode"] == "PAY_PER_REQUEST"
    assert created["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert {index["Projection"]["ProjectionType"] for index in created["GlobalSecondaryIndexes"]} == {"ALL"}
    assert [index["IndexName"] for index in created["GlobalSecondaryIndexes"]] == [gsi1, gsi2]
    assert enabled["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}


WHOLE: dict[IndexName, tuple[str, ...] | None] = {gsi1: None, gsi2: None}


@pytest.mark.parametrize(
    ("has", "wanted", "lacks"),
    [
        (WHOLE, {gsi1: KEYS_ONLY, gsi2: ("state",)}, None),
        ({gsi1: KEYS_ONLY, gsi2: ("price", "state")}, {gsi1: KEYS_ONLY, gsi2: ("state",)}, None),
        ({gsi1: KEYS_ONLY, gsi2: ("state",)}, {gsi1: KEYS_ONLY, gsi2: KEYS_ONLY}, None),
        ({gsi1: None, gsi2: KEYS_ONLY}, WHOLE, "the index gsi2 has the projection KEYS_ONLY; it must have ALL"),
        ({gsi1: ("a",), gsi2: None}, WHOLE, "the index gsi1 has the projection INCLUDE; it must have ALL"),
        ({gsi1: ("a",), gsi2: None}, {gsi1: ("a", "b"), gsi2: None}, "the index gsi1 does not project b"),
        ({gsi1: KEYS_ONLY, gsi2: None}, {gsi1: ("b",), gsi2: None}, "the index gsi1 does not project b"),
    ],
)
async def test_a_table_whose_indexes_project_as_much_or_more_is_accepted(
    has: dict[IndexName, tuple[str, ...] | None],
    wanted: dict[IndexName, tuple[str, ...] | None],
    lacks: str | None,
    dynamodb_endpoint: Endpoint,
    layout: Layout,
) -> None:
    def engine_with(projections: dict[IndexName, tuple[str, ...] | None]) -> Awaitable[DynamoEngine]:
        indexes = {name: IndexLayout(name, f"{name}pk", f"{name}sk", each) for name, each in projections.items()}
        projecting = Layout(table=layout.table, indexes=indexes)
        return DynamoEngine.open(projecting, region=None, endpoint=dynamodb_endpoint.url, clock=SystemClock())

    theirs, ours = await engine_with(has), await engine_with(wanted)
    await theirs.create_table()
    try:
        if lacks is None:
            assert await ours.complete_table() == []
        else:
            with pytest.raises(StoreForeign, match=lacks):
                await ours.complete_table()
    finally:
        await theirs.drop_table()
        await theirs.close()
        await ours.close()


@pytest.mark.usefixtures("waits")
async def test_dropping_a_table_waits_until_it_is_deleted(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_next(
        answers({"TableDescription": {"TableStatus": "DELETING"}}),
        described("DELETING"),
        described("DELETING"),
        rejects("ResourceNotFoundException"),
    )

    await engine.drop_table()

    assert scripted.actions() == ["DeleteTable", *["DescribeTable"] * 3]


@pytest.mark.usefixtures("waits")
async def test_waiting_for_a_table_ends_some_time(
    engine: DynamoEngine, scripted: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "DEADLINE_SECONDS", 0.01)
    scripted.answers_next(answers())
    scripted.answers_always(described("CREATING"))
    with pytest.raises(StoreFailed, match="not active yet"):
        await engine.create_table()

    scripted.answers_next(answers())
    with pytest.raises(StoreFailed, match="not deleted yet"):
        await engine.drop_table()


async def test_table_that_is_being_created_cannot_be_dropped(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(rejects("ResourceInUseException"))

    with pytest.raises(Conflict, match="notes"):
        await engine.drop_table()


@pytest.mark.parametrize(
    ("status", "ttl"), [("ENABLED", "gone_at"), ("ENABLING", "gone_at"), ("DISABLING", None), ("DISABLED", None)]
)
async def test_time_to_live_is_on_or_off(
    status: str, ttl: str | None, engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    description = {"TimeToLiveStatus": status, "AttributeName": "gone_at"}
    table = described("ACTIVE", ItemCount=7, TableSizeBytes=900)
    scripted.answers_next(table, answers({"TimeToLiveDescription": description}))

    facts = await engine.describe_table()

    assert facts.ttl == ttl
    assert (facts.items, facts.bytes) == (7, 900)
    assert not facts.stream
    assert facts.indexes == ()


async def test_a_table_without_a_stream_has_no_changes_to_read(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(described("ACTIVE"))

    with pytest.raises(BadExpression, match="no stream"):
        await engine.changes(OLDEST)
