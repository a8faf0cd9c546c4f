"""How a table is operated: billing, autoscaling, protection, encryption and tags, from the options of a store.

On moto, which keeps them all; dynoxide and DynamoDB Local ignore most.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import botocore.session
import pytest

import commands
from commands import SOBREMESA
from servers import Endpoint
from sobremesa.app.store import create_table
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.errors import TableError
from sobremesa.table.layout import Layout
from sobremesa.table.opening import BadStore, open_engine, parse_store
from sobremesa.table.service_options import parse_options

SCALED = "billing=provisioned&read_units=5-100&write_units=6-200&utilization=60"


@pytest.fixture
def table() -> str:
    return f"operated-{uuid.uuid4().hex}"


Creates = Callable[[str], AbstractAsyncContextManager[DynamoEngine]]


@pytest.fixture
def created(moto_server: Endpoint, table: str) -> Creates:
    """Create a table with these options of an address, and drop it at the end."""

    @asynccontextmanager
    async def create(options: str) -> AsyncIterator[DynamoEngine]:
        engine = await open_engine(f"dynamodb://{table}?region=eu-west-1&endpoint={moto_server.url}&{options}")
        assert isinstance(engine, DynamoEngine)
        try:
            await engine.create_table()
            yield engine
            await engine.drop_table()
        finally:
            await engine.close()

    return create


@pytest.fixture
def aws(moto_server: Endpoint) -> Callable[[str], Any]:
    """AWS's own client of a service, as a second opinion."""

    def client_of(service: str) -> Any:
        return botocore.session.Session().create_client(
            service,
            region_name="eu-west-1",
            endpoint_url=moto_server.url,
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )

    return client_of


async def test_table_is_on_demand_and_unprotected_by_default(created: Creates) -> None:
    async with created("") as engine:
        shown = await engine.describe_operation()

    assert shown["billing"] == "on-demand"
    assert shown["deletion protection"] == "off"
    assert shown["point-in-time recovery"] == "off"
    assert shown["tags"] == "none"
    assert "autoscaling" not in shown


async def test_provisioned_table_and_its_indexes_are_scaled(
    created: Creates, aws: Callable[[str], Any], table: str
) -> None:
    async with created(SCALED) as engine:
        shown = await engine.describe_operation()
        described = aws("dynamodb").describe_table(TableName=table)["Table"]
        scaling = aws("application-autoscaling")
        policies = scaling.describe_scaling_policies(ServiceNamespace="dynamodb")["ScalingPolicies"]
        assert await engine.complete_table() == []
    left = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]

    assert shown["billing"] == "provisioned, 5 read units and 6 write units"
    assert shown["autoscaling"] == (
        "gsi1 reads 5-100, gsi1 writes 6-200, gsi2 reads 5-100, gsi2 writes 6-200, "
        "table reads 5-100, table writes 6-200"
    )
    units = [index["ProvisionedThroughput"]["WriteCapacityUnits"] for index in described["GlobalSecondaryIndexes"]]
    assert units == [6, 6]
    ours = [policy for policy in policies if table in policy["ResourceId"]]
    tracking = [policy["TargetTrackingScalingPolicyConfiguration"] for policy in ours]
    assert [each["TargetValue"] for each in tracking] == [60.0] * 6
    assert {each["PredefinedMetricSpecification"]["PredefinedMetricType"] for each in tracking} == {
        "DynamoDBReadCapacityUtilization",
        "DynamoDBWriteCapacityUtilization",
    }
    assert not [target for target in left if table in target["ResourceId"]], "a dropped table is not scaled"


async def test_provisioned_table_without_a_range_is_not_scaled(created: Creates) -> None:
    async with created("billing=provisioned&read_units=7&write_units=8") as engine:
        shown = await engine.describe_operation()

    assert shown["billing"] == "provisioned, 7 read units and 8 write units"
    assert shown["autoscaling"] == "none"


async def test_table_is_created_with_warm_throughput(created: Creates, aws: Callable[[str], Any], table: str) -> None:
    async with created("warm_reads=20000&warm_writes=9000") as engine:
        shown = await engine.describe_operation()
        described = aws("dynamodb").describe_table(TableName=table)["Table"]

    assert shown["warm throughput"] == "20000 reads, 9000 writes a second"
    for index in described["GlobalSecondaryIndexes"]:
        assert index["WarmThroughput"]["ReadUnitsPerSecond"] == 20_000
        assert index["WarmThroughput"]["WriteUnitsPerSecond"] == 9_000


async def test_table_is_created_with_recovery_a_key_and_tags(created: Creates, aws: Callable[[str], Any]) -> None:
    key = aws("kms").create_key()["KeyMetadata"]["Arn"]
    options = f"point_in_time_recovery=true&kms_key={key}&tags=team=chat,env=prod"
    async with created(options) as engine:
        shown = await engine.describe_operation()

    assert shown["point-in-time recovery"] == "on"
    assert shown["encryption"] == key
    assert shown["tags"] == "env=prod, team=chat"


async def test_protected_table_is_not_dropped(moto_server: Endpoint, aws: Callable[[str], Any], table: str) -> None:
    engine = await open_engine(
        f"dynamodb://{table}?region=eu-west-1&endpoint={moto_server.url}&deletion_protection=true"
    )
    await engine.create_table()
    assert isinstance(engine, DynamoEngine)
    assert (await engine.describe_operation())["deletion protection"] == "on"

    with pytest.raises(TableError, match=r"(?i)protect"):
        await engine.drop_table()

    aws("dynamodb").update_table(TableName=table, DeletionProtectionEnabled=False)
    await engine.drop_table()
    await engine.close()


async def test_completing_a_table_adds_the_recovery_and_the_autoscaling_of_the_options(
    moto_server: Endpoint, table: str
) -> None:
    async def engine_with(options: str) -> DynamoEngine:
        return await DynamoEngine.open(
            Layout(table=table),
            region="eu-west-1",
            endpoint=moto_server.url,
            clock=SystemClock(),
            options=parse_options(dict(part.split("=") for part in options.split("&"))),
        )

    plain = await engine_with("billing=provisioned&read_units=5&write_units=5")
    operated = await engine_with("billing=provisioned&read_units=5-50&write_units=5&point_in_time_recovery=true")
    await plain.create_table()
    try:
        added = await operated.complete_table()
        assert await operated.complete_table() == []
    finally:
        await operated.drop_table()
        await plain.close()
        await operated.close()

    assert added == [
        "point-in-time recovery",
        f"autoscaling of table/{table}, reads",
        f"autoscaling of table/{table}/index/gsi1, reads",
        f"autoscaling of table/{table}/index/gsi2, reads",
    ]


async def test_what_an_endpoint_does_not_know_is_shown_as_not_available(stored: DynamoEngine) -> None:
    shown = await stored.describe_operation()

    assert shown["billing"] == "on-demand"
    assert all(shown.values())


async def test_commands_create_and_describe_a_table_with_its_options(moto_server: Endpoint, table: str) -> None:
    store = f"dynamodb://{table}?region=eu-west-1&endpoint={moto_server.url}&{SCALED}&tags=team=chat"
    created = await commands.run_async(SOBREMESA, "table", "create", "--store", store, within=30)
    described = await commands.run_async(SOBREMESA, "table", "describe", "--store", store, within=30)
    again = await commands.run_async(SOBREMESA, "table", "create", "--store", store, within=30)
    dropped = await commands.run_async(SOBREMESA, "table", "drop", "--yes", "--store", store, within=30)

    assert "Created the table" in created.stdout, created.stderr
    for shown in ("provisioned, 5 read units", "team=chat", "table reads 5-100", "gsi1, gsi2"):
        assert shown in " ".join(described.stdout.split())
    assert again.stdout.strip().endswith("already exists.")
    assert "Dropped" in dropped.stdout


async def test_server_creates_a_missing_table_with_the_options(moto_server: Endpoint, table: str) -> None:
    engine = await open_engine(f"dynamodb://{table}?region=eu-west-1&endpoint={moto_server.url}&{SCALED}")
    assert isinstance(engine, DynamoEngine)

    assert await create_table(engine)
    assert not await create_table(engine)

    assert (await engine.describe_operation())["billing"] == "provisioned, 5 read units and 6 write units"
    await engine.drop_table()
    await engine.close()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("billing=provisioned", "read_units and write_units"),
        ("read_units=5&write_units=5", "billing=provisioned"),
        ("billing=cheap", "billing"),
        ("billing=provisioned&read_units=9-3&write_units=5", "read_units"),
        ("billing=provisioned&read_units=five&write_units=5", "read_units"),
        ("warm_reads=5", "warm_writes"),
        ("utilization=95", "utilization"),
        ("attempt_seconds=0", "attempt_seconds"),
        ("point_in_time_recovery=perhaps", "point_in_time_recovery"),
        ("tags=team", "tags"),
        ("colour=red", "colour"),
    ],
)
def test_option_that_is_not_valid_is_named(options: str, problem: str) -> None:
    with pytest.raises(BadStore, match=problem):
        parse_store(f"dynamodb://chat?region=eu-west-1&{options}")
